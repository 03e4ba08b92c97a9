//! Counts of cgroups and of the containers they belong to.

use crate::facts::{Found, Gauge};
use crate::read::{Notes, Reader};
use crate::text::{Block, Line, number};

/// See the module's text.
pub(super) static READER: Reader = Reader { kind: "cgroup-tree", read };

fn read(block: &Block, notes: &mut Notes) {
    if !tells_of_root(block.command_text()) {
        // The cgroups of one slice say nothing of the node's.
        return;
    }
    let counted = counted(block.command_text());
    let mut descendants = 0;
    for line in block.lines() {
        let whole = 0..line.text.len();
        if let Some((counted, count)) = counted.and_then(|counted| Some((counted, number::bare(&line.text)?))) {
            notes.claim(READER.kind, line);
            match counted {
                Counted::Directories => {
                    let found = notes.found(count, block.paste, line, whole);
                    notes.gauge(Gauge::Directories, found);
                }
                Counted::Containers { header } => {
                    let count = count.saturating_sub(u64::from(header));
                    let found = notes.found(count, block.paste, line, whole);
                    notes.gauge(Gauge::Containers, found);
                }
            }
        } else if let Some(count) = stat(&line.text, "nr_descendants") {
            notes.claim(READER.kind, line);
            descendants = count;
            let found = notes.found(count, block.paste, line, whole);
            notes.gauge(Gauge::Directories, found);
        } else if let Some(dying) = stat(&line.text, "nr_dying_descendants") {
            // On v2 the ids of the living and of the dying come out of one space.
            notes.claim(READER.kind, line);
            let all = descendants.saturating_add(dying);
            let found = notes.found(all, block.paste, line, whole);
            notes.gauge(Gauge::MemoryCgroups, found);
        } else if let Some(found) = leftovers(block, line, notes) {
            notes.claim(READER.kind, line);
            notes.gauge_at_least(Gauge::Directories, found);
        }
    }
}

/// What a command's bare number counts.
#[derive(Clone, Copy)]
enum Counted {
    /// Directories under the memory controller, or in the v2 tree.
    Directories,
    /// Containers or pods; `header` when the list that was counted starts with a line of column names.
    Containers { header: bool },
}

fn counted(command: &str) -> Option<Counted> {
    if !command.contains("wc -l") {
        return None;
    }
    if let Some((_, tree)) = command.split_once("/sys/fs/cgroup") {
        // Under v1 only the memory tree tells; under v2 there is one tree.
        let whole = tree.starts_with([' ', '|']) || tree.starts_with("/ ");
        // A listing, or a pattern, leaves out directories that are there.
        let path = tree.split([' ', '|']).next().unwrap_or_default();
        let is_part = !command.contains("find ") || path.contains('*');
        return ((whole || tree.starts_with("/memory")) && !is_part).then_some(Counted::Directories);
    }
    let lists = ["docker ps", "crictl ps", "crictl pods", "nerdctl ps", "podman ps", "kubectl get po"];
    let quiet = command.contains(" -q") || command.contains(" -aq") || command.contains("--no-headers");
    lists.iter().any(|list| command.contains(list)).then_some(Counted::Containers { header: !quiet })
}

/// Whether a command that shows `cgroup.stat` shows that of the root, or does not say of what.
fn tells_of_root(command: &str) -> bool {
    let Some((path, _)) = command.split_once("/cgroup.stat") else { return true };
    path.ends_with("/sys/fs/cgroup") || path.ends_with("/sys/fs/cgroup/unified")
}

/// A line of `cgroup.stat` (kernel `Documentation/admin-guide/cgroup-v2.rst`).
fn stat(text: &str, name: &str) -> Option<u64> {
    number::bare(text.trim().strip_prefix(name)?.strip_prefix(' ')?)
}

/// "server-b reached 65,429 leaked entries": a count of leftover cgroups in prose that names the cgroup tree.
fn leftovers(block: &Block, line: &Line, notes: &mut Notes) -> Option<Found<u64>> {
    const KINDS: [&str; 7] = ["leaked", "leftover", "left-over", "stale", "dying", "orphaned", "zombie"];
    const THINGS: [&str; 4] = ["entries", "cgroups", "directories", "memcgs"];
    if !line.text.contains("cgroup") {
        return None;
    }
    let words: Vec<&str> = line.text.split_whitespace().collect();
    let most = words.windows(3).filter_map(|window| match window {
        [count, kind, thing] if KINDS.contains(kind) && THINGS.iter().any(|known| thing.starts_with(known)) => {
            Some((number::bare(count)?, *count))
        }
        _ => None,
    });
    let (value, word) = most.max()?;
    let start = word.as_ptr().addr().saturating_sub(line.text.as_ptr().addr());
    Some(notes.found(value, block.paste, line, start..start + word.len()))
}

#[cfg(test)]
mod tests {
    use crate::facts::Memcg;
    use crate::{Input, read};

    fn memcg(text: &str) -> Memcg {
        read::texts(&[Input::new("paste", text)]).facts.memcg
    }

    #[test]
    fn directories_under_the_memory_controller() {
        let count = |text: &str| memcg(text).directories.map(|found| found.value);
        assert_eq!(count("# find /sys/fs/cgroup/memory/ -type d | wc -l\n64734\n"), Some(64_734));
        assert_eq!(count("# find /sys/fs/cgroup -type d | wc -l\n900\n"), Some(900));
        assert_eq!(count("# find /sys/fs/cgroup/cpu -type d | wc -l\n5\n"), None);
        assert_eq!(count("# ls -d /sys/fs/cgroup/memory/kubepods/*/pod*/* | wc -l\n96\n"), None, "a part of them");
        assert_eq!(count("# find /sys/fs/cgroup/memory/kubepods/*/pod* -type d | wc -l\n96\n"), None);
    }

    #[test]
    fn containers_without_the_header() {
        let count = |text: &str| memcg(text).containers.map(|found| found.value);
        assert_eq!(count("$ docker ps -a | wc -l\n31\n"), Some(30));
        assert_eq!(count("$ crictl ps -q | wc -l\n30\n"), Some(30));
    }

    #[test]
    fn cgroup_stat_of_v2() {
        let memcg = memcg("$ cat /sys/fs/cgroup/cgroup.stat\nnr_descendants 210\nnr_dying_descendants 64000\n");
        assert_eq!(memcg.directories.map(|found| found.value), Some(210));
        assert_eq!(memcg.num_cgroups.map(|found| found.value), Some(64_210));
    }

    #[test]
    fn leftovers_in_prose() {
        let count = |text: &str| memcg(text).directories.map(|found| found.value);
        assert_eq!(count("the cgroup tree had 31,626 stale directories and 60,001 leaked entries."), Some(60_001));
        assert_eq!(count("we removed 300 stale entries from the cache"), None);
    }
}
