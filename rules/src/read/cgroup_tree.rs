//! Counts of cgroup directories.

use crate::read::{Notes, Reader};
use crate::text::{Block, number};

/// See the module's text.
pub(super) static READER: Reader = Reader { kind: "cgroup-tree", read };

fn read(block: &Block, notes: &mut Notes) {
    let command = block.command_text();
    let counts = command.contains("/sys/fs/cgroup") && command.contains("wc -l");
    // Under v1 only the memory tree tells; under v2 there is one tree.
    let tree = command.split("/sys/fs/cgroup").nth(1).unwrap_or_default();
    let whole = tree.starts_with([' ', '|']) || tree.starts_with("/ ");
    if !counts || !(whole || tree.starts_with("/memory")) {
        return;
    }
    for line in block.lines() {
        if let Some(count) = number::bare(&line.text) {
            notes.claim(READER.kind, line);
            notes.facts.memcg.directories = Some(notes.found(count, block.paste, line, 0..line.text.len()));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Input, read};

    #[test]
    fn directories_under_the_memory_controller() {
        let count =
            |text: &str| read::texts(&[Input::new("paste", text)]).facts.memcg.directories.map(|found| found.value);
        assert_eq!(count("# find /sys/fs/cgroup/memory/ -type d | wc -l\n64734\n"), Some(64_734));
        assert_eq!(count("# find /sys/fs/cgroup -type d | wc -l\n900\n"), Some(900));
        assert_eq!(count("# find /sys/fs/cgroup/cpu -type d | wc -l\n5\n"), None);
    }
}
