//! `cgroup.memory=nokmem`, running or only written down, and scheduled `drop_caches`.

use std::ops::Range;

use crate::read::{Notes, Reader};
use crate::text::{Block, Line, Needles, Role};

/// See the module's text.
pub(super) static READER: Reader = Reader { kind: "kernel-command-line", read };

fn read(block: &Block, notes: &mut Notes) {
    if block.command_text().contains("/proc/cmdline") {
        answer(block, notes);
    }
    boot_loader_written(block, notes);
    let lines = block.all_lines().filter(|line| TELLING.any_in(&line.text));
    for line in lines.filter(|line| line.role == Role::Command || !notes.is_claimed(line)).collect::<Vec<_>>() {
        let text = line.text.as_ref();
        let setting = setting(text);
        // The running kernel's own line starts with the image it booted; dmesg calls it "Command line:".
        if text.contains("BOOT_IMAGE=") || text.contains("Command line:") {
            running(setting, block, line, notes);
        } else if let Some(range) = setting {
            notes.claim(READER.kind, line);
            let found = notes.found((), block.paste, line, range);
            if is_boot_loaders(line) {
                notes.facts.memcg.nokmem_configured.push(found.clone());
            }
            notes.facts.memcg.nokmem_intended.push(found);
        } else if let Some(at) = text.find(DROP_CACHES).filter(|_| is_scheduled(text)) {
            notes.claim(READER.kind, line);
            let found = notes.found((), block.paste, line, at..text.len());
            notes.facts.memcg.drop_caches.push(found);
        }
    }
}

/// What `cat /proc/cmdline` prints: one line, which a terminal may have broken into several.
fn answer(block: &Block, notes: &mut Notes) {
    let printed = block.lines().take_while(|line| !line.text.is_empty());
    // What the same command prints of other files is no part of it.
    let is_alone = block.command_text().trim_end().ends_with("/proc/cmdline");
    let lines: Vec<&Line> = printed.take(if is_alone { usize::MAX } else { 1 }).collect();
    let found = lines.iter().find_map(|line| Some((*line, setting(&line.text)?)));
    if let Some((line, range)) =
        found.map(|(line, range)| (line, Some(range))).or(lines.first().map(|line| (*line, None)))
    {
        running(range, block, line, notes);
        lines.iter().for_each(|line| notes.claim(READER.kind, line));
    }
}

/// The command line of the running kernel, with or without the setting.
fn running(setting: Option<Range<usize>>, block: &Block, line: &Line, notes: &mut Notes) {
    notes.claim(READER.kind, line);
    let found = notes.found(setting.is_some(), block.paste, line, setting.unwrap_or(0..line.text.len()));
    notes.facts.memcg.nokmem.push(found);
}

/// Where the setting stands as a word of its own.
fn setting(text: &str) -> Option<Range<usize>> {
    let at = text.find(NOKMEM)?;
    let range = at..at + NOKMEM.len();
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let before = text.get(..range.start)?.ends_with(is_part);
    let after = text.get(range.end..)?.starts_with(is_part);
    (!before && !after).then_some(range)
}

/// What `grub2-mkconfig -o FILE` and `update-grub` print when they have written the boot loader's configuration.
fn boot_loader_written(block: &Block, notes: &mut Notes) {
    // Without a file it goes to the terminal alone.
    let command = block.command_text();
    let has_file = command.is_empty() || ["update-grub", " -o", ">"].iter().any(|part| command.contains(part));
    let start = |line: &&Line| has_file && line.text.starts_with("Generating grub configuration file");
    if let Some(line) = block.lines().find(start)
        && block.lines().any(|end| end.text == "done" && end.number > line.number)
    {
        notes.claim(READER.kind, line);
        let found = notes.found((), block.paste, line, 0..line.text.len());
        notes.facts.memcg.boot_loader_written.push(found);
    }
}

/// A line of `/etc/default/grub`, as `cat` or `grep` prints it.
fn is_boot_loaders(line: &Line) -> bool {
    let name = line.text.find("GRUB_CMDLINE_LINUX");
    let before = name.and_then(|at| line.text.get(..at));
    line.role == Role::Text && before.is_some_and(|before| !before.contains(['#', ' ']))
}

const NOKMEM: &str = "cgroup.memory=nokmem";
const DROP_CACHES: &str = "/proc/sys/vm/drop_caches";
static TELLING: Needles = Needles::new(&[NOKMEM, DROP_CACHES, "BOOT_IMAGE=", "Command line:"]);

/// Five time fields (crontab(5)), or a systemd timer's calendar.
fn is_scheduled(text: &str) -> bool {
    let time = |field: &str| field.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'*' | b'/' | b',' | b'-'));
    let fields: Vec<&str> = text.split_whitespace().take(5).collect();
    fields.len() == 5 && fields.iter().all(|field| time(field)) || text.trim_start().starts_with("@hourly")
}

#[cfg(test)]
mod tests {
    use crate::facts::Memcg;
    use crate::{Input, read};

    fn memcg(text: &str) -> Memcg {
        read::texts(&[Input::new("paste", text)]).facts.memcg
    }

    #[test]
    fn only_the_running_kernel_counts() {
        for text in [
            "$ cat /proc/cmdline\nroot=/dev/sda1 ro cgroup.memory=nokmem",
            "BOOT_IMAGE=/vmlinuz-5.4 root=/dev/sda1 cgroup.memory=nokmem",
            "[    0.000000] Command line: root=/dev/sda1 cgroup.memory=nokmem",
        ] {
            assert_eq!(memcg(text).runs_without_kmem(), Some(true), "{text}");
        }
        let without = "$ cat /proc/cmdline\nBOOT_IMAGE=/vmlinuz-3.10.0-1160.el7.x86_64 root=/dev/sda1 ro quiet";
        assert_eq!(memcg(without).runs_without_kmem(), Some(false));
        let written = memcg("GRUB_CMDLINE_LINUX=\"crashkernel=auto cgroup.memory=nokmem\"");
        assert!(written.nokmem.is_empty() && !written.nokmem_intended.is_empty());
    }

    #[test]
    fn the_boot_loaders_file_is_told_from_the_command_line_printed_beside_it() {
        let both = "$ cat /proc/cmdline; grep CMDLINE /etc/default/grub\nroot=/dev/sda1 ro\n";
        let memcg_of = |line: &str| memcg(&format!("{both}{line}\n"));
        for line in [
            "GRUB_CMDLINE_LINUX=\"quiet cgroup.memory=nokmem\"",
            "GRUB_CMDLINE_LINUX_DEFAULT=\"cgroup.memory=nokmem\"",
            "/etc/default/grub:6:GRUB_CMDLINE_LINUX=\"cgroup.memory=nokmem\"",
        ] {
            let memcg = memcg_of(line);
            assert_eq!((memcg.runs_without_kmem(), memcg.nokmem_configured.len()), (Some(false), 1), "{line}");
        }
        assert!(memcg_of("#GRUB_CMDLINE_LINUX=\"cgroup.memory=nokmem\"").nokmem_configured.is_empty());
        let typed = memcg("$ sed -i 's/GRUB_CMDLINE_LINUX=\"/&cgroup.memory=nokmem /' /etc/default/grub\n");
        assert!(typed.nokmem_configured.is_empty());
    }

    #[test]
    fn the_boot_loaders_configuration_is_written_when_its_tool_says_done() {
        let written = |text: &str| !memcg(text).boot_loader_written.is_empty();
        const PRINTED: &str = "Generating grub configuration file ...\nFound linux image: /boot/vmlinuz\n";
        assert!(written(&format!("# sudo grub2-mkconfig -o /etc/grub2.cfg\n{PRINTED}done\n")));
        assert!(written(&format!("$ sudo update-grub\n{PRINTED}done\n")));
        assert!(!written(&format!("$ sudo update-grub\n{PRINTED}")));
        assert!(!written(&format!("$ sudo grub2-mkconfig\n{PRINTED}done\n")), "on the terminal alone");
    }

    #[test]
    fn a_schedule_is_not_a_single_command() {
        assert!(!memcg("6 */12 * * * root echo 3 > /proc/sys/vm/drop_caches").drop_caches.is_empty());
        assert!(memcg("echo 3 > /proc/sys/vm/drop_caches").drop_caches.is_empty());
    }
}
