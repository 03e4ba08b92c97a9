//! Mounts: `mount`, `/proc/mounts`, mountinfo, `stat -fc %T`, and other plain statements of the cgroup mode.

use crate::facts::{CgroupMode, Found, Misc, Sketch};
use crate::read::proc_cgroups::CONTROLLERS;
use crate::read::{Notes, Reader};
use crate::text::{Block, Line, Needles};

/// See the module's text.
pub(super) static READER: Reader = Reader { kind: "mounts", read };

/// Where the cgroup filesystem is mounted. A cgroup2 mount anywhere else (`/run/calico/cgroup`) does not make a v2 node.
const ROOT: &str = "/sys/fs/cgroup";

/// With this many v1 mounts a listing is whole: a controller that it does not show is not mounted.
const WHOLE: usize = 8;

fn read(block: &Block, notes: &mut Notes) {
    let mut v1_mounts = 0;
    let mut misc = None;
    let mut mode = None;
    for line in block.lines() {
        let whole = 0..line.text.len();
        if let Some(mount) = mount(&line.text) {
            notes.claim(READER.kind, line);
            if mount.kind == "tmpfs" && mount.point.contains("/kubernetes.io~empty-dir/") {
                let volume = notes.found(Sketch::Described, block.paste, line, whole);
                notes.facts.sketches.push(volume);
            } else if mount.point == ROOT {
                let found = if mount.kind == "cgroup2" { CgroupMode::V2 } else { CgroupMode::V1 };
                mode = Some(notes.found(found, block.paste, line, whole));
            } else if let Some(name) = mount.point.strip_prefix(ROOT).filter(|_| mount.kind == "cgroup") {
                v1_mounts += 1;
                mode.get_or_insert_with(|| notes.found(CgroupMode::V1, block.paste, line, whole.clone()));
                for controller in name.trim_start_matches('/').split(',').filter(|name| CONTROLLERS.contains(name)) {
                    let found = notes.found(controller.to_owned(), block.paste, line, whole.clone());
                    notes.facts.cgroups.v1_controllers.push(found);
                    if controller == "misc" {
                        misc = Some(notes.found(Misc::Mounted, block.paste, line, whole.clone()));
                    }
                }
            }
        } else if let Some(found) = stated(block, line) {
            notes.claim(READER.kind, line);
            mode = Some(notes.found(found, block.paste, line, whole));
        }
    }
    if let Some(command) = block.command.filter(|command| forces_v1(command.text())) {
        let line = command.line;
        mode.get_or_insert_with(|| notes.found(CgroupMode::V1, block.paste, line, 0..line.text.len()));
    }
    if v1_mounts >= WHOLE && misc.is_none() {
        misc = mode.as_ref().map(|mode| Found { value: Misc::Absent, place: mode.place.clone(), host: mode.host });
    }
    notes.facts.cgroups.modes.extend(mode);
    notes.facts.cgroups.misc.extend(misc);
}

/// One mount, whichever program printed it.
struct Mount<'a> {
    point: &'a str,
    kind: &'a str,
}

fn mount(text: &str) -> Option<Mount<'_>> {
    memchr::memchr(b'/', text.as_bytes())?;
    // mount(8): `cgroup2 on /sys/fs/cgroup type cgroup2 (rw,nosuid)`.
    if let Some((before, after)) = text.split_once(" type ") {
        let point = before.split_once(" on ")?.1.trim();
        let kind = after.split([' ', '(']).next()?;
        return (point.starts_with('/') && after.contains('(')).then_some(Mount { point, kind });
    }
    // proc_pid_mountinfo(5): `30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw`.
    if let Some((before, after)) = text.split_once(" - ") {
        let mut fields = before.split(' ');
        let numbered = fields.next()?.parse::<u32>().is_ok() && fields.next()?.parse::<u32>().is_ok();
        let point = fields.nth(2)?;
        return (numbered && point.starts_with('/')).then_some(Mount { point, kind: after.split(' ').next()? });
    }
    // proc_pid_mounts(5): `cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0`.
    let mut fields = text.split_whitespace();
    let (_, point, kind, options) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let (dump, pass) = (fields.next()?, fields.next()?);
    let mounted = options.starts_with("rw") || options.starts_with("ro");
    let numbered = dump.parse::<u8>().is_ok() && pass.parse::<u8>().is_ok() && fields.next().is_none();
    (point.starts_with('/') && mounted && numbered).then_some(Mount { point, kind })
}

/// The mode that a line says outright.
fn stated(block: &Block, line: &Line) -> Option<CgroupMode> {
    let text = line.text.trim();
    let command = block.command_text();
    // Nothing but `stat -fc %T` prints this word alone; `tmpfs` needs the command to mean the cgroup mount.
    let asked = command.contains("stat ") && command.contains(ROOT);
    match text {
        "cgroup2fs" => return Some(CgroupMode::V2),
        "tmpfs" | "cgroupfs" if asked => return Some(CgroupMode::V1),
        _ => {}
    }
    // This file exists in the root of v2 only.
    if command.contains("/sys/fs/cgroup/cgroup.controllers") {
        let names = text.split(' ').all(|name| CONTROLLERS.contains(&name));
        return names.then_some(CgroupMode::V2);
    }
    // systemd-cgls of a named v1 hierarchy.
    if text.starts_with("Controller ") && text.contains("; Control group /") {
        return Some(CgroupMode::V1);
    }
    // kubelet's metric (KEP-4569).
    match text.strip_prefix("kubelet_cgroup_version ").map(str::trim) {
        Some("1") => return Some(CgroupMode::V1),
        Some("2") => return Some(CgroupMode::V2),
        _ => {}
    }
    // docker info and nerdctl info.
    match text.strip_prefix("Cgroup Version:").map(str::trim) {
        Some("1") => return Some(CgroupMode::V1),
        Some("2") => return Some(CgroupMode::V2),
        _ => {}
    }
    forces_v1(text).then_some(CgroupMode::V1)
}

/// The kernel argument that keeps systemd on v1.
fn forces_v1(text: &str) -> bool {
    static ARGUMENTS: Needles =
        Needles::new(&["systemd.unified_cgroup_hierarchy=0", "systemd.unified_cgroup_hierarchy=no"]);
    ARGUMENTS.any_in(text)
}

#[cfg(test)]
mod tests {
    use crate::facts::{CgroupMode, Cgroups, Misc};
    use crate::{Input, read};

    fn cgroups(text: &str) -> Cgroups {
        read::texts(&[Input::new("paste", text)]).facts.cgroups
    }

    fn modes(text: &str) -> Vec<CgroupMode> {
        cgroups(text).modes.into_iter().map(|found| found.value).collect()
    }

    #[test]
    fn three_programs_one_mode() {
        for text in [
            "cgroup2 on /sys/fs/cgroup type cgroup2 (rw,nosuid)",
            "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0",
            "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw",
            "$ stat -fc %T /sys/fs/cgroup/\ncgroup2fs",
            " Cgroup Version: 2",
            "cgroup2fs",
            "$ cat /sys/fs/cgroup/cgroup.controllers\ncpuset cpu io memory hugetlb pids rdma misc",
            "kubelet_cgroup_version 2",
        ] {
            assert_eq!(modes(text), [CgroupMode::V2], "{text}");
        }
    }

    #[test]
    fn v1_lists_its_controllers() {
        let cgroups = cgroups(
            "tmpfs on /sys/fs/cgroup type tmpfs (ro)\n\
             cgroup on /sys/fs/cgroup/cpu,cpuacct type cgroup (rw,cpu,cpuacct)\n\
             cgroup on /sys/fs/cgroup/misc type cgroup (rw,misc)\nnone on /run/calico/cgroup type cgroup2 (rw)",
        );
        assert_eq!(cgroups.modes.iter().map(|found| found.value).collect::<Vec<_>>(), [CgroupMode::V1]);
        assert_eq!(cgroups.misc[0].value, Misc::Mounted);
        assert_eq!(cgroups.v1_controllers.len(), 3);
    }

    #[test]
    fn what_does_not_decide_the_mode() {
        for text in [
            "none on /run/calico/cgroup type cgroup2 (rw,relatime)",
            "nodev\tcgroup2",
            "cgroup2 on /sys/fs/cgroup/unified type cgroup2 (rw)",
            "Linux 5.15, cgroup v2 - not affected",
        ] {
            assert_eq!(modes(text), [], "{text}");
        }
    }
}
