//! `/proc/PID/cgroup`: `hierarchy-ID:controllers:path` (cgroups(7)), one per line or glued on one.

use std::ops::Range;

use crate::facts::{CgroupMode, Misc};
use crate::read::proc_cgroups::CONTROLLERS;
use crate::read::{Notes, Reader};
use crate::text::{Block, Line};

/// See the module's text.
pub(super) static READER: Reader = Reader { kind: "membership", read };

/// With this many v1 hierarchies a listing is whole: a controller that it does not name is not mounted.
const WHOLE: usize = 6;

fn read(block: &Block, notes: &mut Notes) {
    let entries: Vec<(&Line, Entry)> =
        block.all_lines().flat_map(|line| entries(&line.text).map(move |entry| (line, entry))).collect();
    let known = |entry: &Entry| entry.names().any(|name| CONTROLLERS.contains(&name)) || entry.hierarchy == 0;
    // Other colon-separated text looks alike; a listing of a kernel has a controller that every kernel has.
    let Some(&(first, _)) = entries.first().filter(|_| entries.iter().any(|(_, entry)| known(entry))) else { return };
    let mut misc = None;
    for (line, entry) in &entries {
        notes.claim(READER.kind, line);
        for controller in entry.names() {
            let found = notes.found(controller.to_owned(), block.paste, line, entry.range.clone());
            notes.facts.cgroups.v1_controllers.push(found);
            if controller == "misc" {
                let state = if entry.path == "/" { Misc::Mounted } else { Misc::UsedByPods };
                misc = Some(notes.found(state, block.paste, line, entry.range.clone()));
            }
        }
    }
    let hierarchies = entries.iter().filter(|(_, entry)| entry.hierarchy > 0).count();
    let mode = if hierarchies > 0 { CgroupMode::V1 } else { CgroupMode::V2 };
    let mode = notes.found(mode, block.paste, first, 0..first.text.len());
    notes.facts.cgroups.modes.push(mode);
    if hierarchies >= WHOLE && misc.is_none() {
        misc = Some(notes.found(Misc::Absent, block.paste, first, 0..first.text.len()));
    }
    notes.facts.cgroups.misc.extend(misc);
}

/// One `hierarchy-ID:controllers:path`, and where it stands in its line.
struct Entry<'a> {
    hierarchy: u32,
    controllers: &'a str,
    path: &'a str,
    range: Range<usize>,
}

impl<'a> Entry<'a> {
    /// The controllers, without named hierarchies (`name=systemd`).
    fn names(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.controllers.split(',').filter(|name| !name.is_empty() && !name.contains('='))
    }
}

fn entries(text: &str) -> impl Iterator<Item = Entry<'_>> {
    text.split_whitespace().filter_map(|token| {
        let start = token.as_ptr().addr().saturating_sub(text.as_ptr().addr());
        entry(token, start..start + token.len())
    })
}

fn entry(token: &str, range: Range<usize>) -> Option<Entry<'_>> {
    let mut parts = token.splitn(3, ':');
    let hierarchy = parts.next()?.parse().ok()?;
    let (controllers, path) = (parts.next()?, parts.next()?);
    let named = controllers.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b',' | b'_' | b'='));
    let numbered = hierarchy > 0 && controllers.starts_with(|c: char| c.is_ascii_alphabetic());
    let unified = hierarchy == 0 && controllers.is_empty();
    (path.starts_with('/') && named && (unified || numbered)).then_some(Entry { hierarchy, controllers, path, range })
}

#[cfg(test)]
mod tests {
    use crate::facts::{CgroupMode, Cgroups, Misc};
    use crate::{Input, read};

    fn cgroups(text: &str) -> Cgroups {
        read::texts(&[Input::new("paste", text)]).facts.cgroups
    }

    #[test]
    fn v1_with_misc_on_one_line() {
        let cgroups =
            cgroups("$ cat /proc/self/cgroup 13:misc:/ 12:blkio:/ 8:cpu,cpuacct:/ 1:name=systemd:/ 0::/user.slice/");
        assert_eq!(cgroups.modes[0].value, CgroupMode::V1);
        assert_eq!(cgroups.misc[0].value, Misc::Mounted);
        assert_eq!(cgroups.misc[0].place.span.map(|span| (span.line, span.column)), Some((1, 25)));
        let names: Vec<&str> = cgroups.v1_controllers.iter().map(|found| found.value.as_str()).collect();
        assert_eq!(names, ["misc", "blkio", "cpu", "cpuacct"]);
    }

    #[test]
    fn a_pod_in_misc_proves_a_misc_aware_runtime() {
        assert_eq!(cgroups("5:misc:/kubepods/burstable/pod1").misc[0].value, Misc::UsedByPods);
    }

    #[test]
    fn v2_is_a_single_line() {
        let cgroups = cgroups("0::/init.scope");
        assert_eq!(cgroups.modes[0].value, CgroupMode::V2);
        assert!(cgroups.misc.is_empty());
    }

    #[test]
    fn times_and_addresses_are_no_entries() {
        assert!(cgroups("at 12:30:/tmp 10.0.0.1:80:/x 00:20:27.240296 3:a:/b").modes.is_empty());
    }
}
