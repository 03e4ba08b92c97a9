//! `cgroup.memory=nokmem`, running or only written down, and scheduled `drop_caches`.

use crate::read::{Notes, Reader};
use crate::text::{Block, Needles};

/// See the module's text.
pub(super) static READER: Reader = Reader { kind: "kernel-command-line", read };

fn read(block: &Block, notes: &mut Notes) {
    let running = block.command_text().contains("/proc/cmdline");
    static TELLING: Needles = Needles::new(&["cgroup.memory=nokmem", "/proc/sys/vm/drop_caches"]);
    for line in block.all_lines().filter(|line| TELLING.any_in(&line.text)) {
        if let Some(at) = line.text.find("cgroup.memory=nokmem") {
            notes.claim(READER.kind, line);
            let found = notes.found((), block.paste, line, at..at + "cgroup.memory=nokmem".len());
            // The running kernel's own line starts with the image it booted; dmesg calls it "Command line:".
            if running || line.text.contains("BOOT_IMAGE=") || line.text.contains("Command line:") {
                notes.facts.memcg.nokmem = Some(found);
            } else {
                notes.facts.memcg.nokmem_intended = Some(found);
            }
        } else if let Some(at) = line.text.find("/proc/sys/vm/drop_caches")
            && is_scheduled(&line.text)
        {
            notes.claim(READER.kind, line);
            notes.facts.memcg.drop_caches = Some(notes.found((), block.paste, line, at..line.text.len()));
        }
    }
}

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
            assert!(memcg(text).nokmem.is_some(), "{text}");
        }
        let written = memcg("GRUB_CMDLINE_LINUX=\"crashkernel=auto cgroup.memory=nokmem\"");
        assert!(written.nokmem.is_none() && written.nokmem_intended.is_some());
    }

    #[test]
    fn a_schedule_is_not_a_single_command() {
        assert!(memcg("6 */12 * * * root echo 3 > /proc/sys/vm/drop_caches").drop_caches.is_some());
        assert!(memcg("echo 3 > /proc/sys/vm/drop_caches").drop_caches.is_none());
    }
}
