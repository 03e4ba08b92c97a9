//! Log lines, events and error messages: klog, journald, logrus, JSON, kernel messages.
//!
//! Three problems share two messages: EMFILE from inotify is the instance limit, ENOSPC from `inotify_add_watch` is the
//! watch limit, and ENOSPC from mkdir under `/sys/fs/cgroup` is out of memory-cgroup ids. What stands beside the errno
//! decides.

use std::ops::Range;

use memchr::memmem;

use crate::facts::{CgroupMode, DeleteCause, DeleteError, InUse, InotifyError, Misc, Whose};
use crate::order;
use crate::read::proc_cgroups::CONTROLLERS;
use crate::read::{Notes, Reader};
use crate::report::Why;
use crate::text::{Block, Line, Needles, number};

/// See the module's text.
pub(super) static READER: Reader = Reader { kind: "log", read };

/// Every message below holds one of these; most lines of a log hold none.
static TELLING: Needles =
    Needles::new(&["notify", "atch", "cgroup", "oo many open", "SLUB", "kmem", "(runc:", "Failed to "]);

fn read(block: &Block, notes: &mut Notes) {
    if let Some(command) = block.command {
        if is_about_paths_here(block, command.text()) {
            note_path(block, command.line, notes);
        }
        // The file has lines only where kernel memory is accounted.
        let accounted = command.text().contains("memory.kmem.slabinfo");
        if let Some(line) = block.lines().find(|line| accounted && line.text.contains("slabdata")) {
            notes.claim(READER.kind, line);
            let found = notes.found((), block.paste, line, 0..line.text.len());
            notes.facts.memcg.kmem_in_use.push(found);
        }
    }
    // A command that searches for a message is not the message, and neither is an alert's expression.
    let messages = block.lines().filter(|line| TELLING.any_in(&line.text) && !QUERIES.any_in(&line.text));
    for line in messages {
        notes.compare_hosts(line);
        let lower = line.text.to_ascii_lowercase();
        let mut understood = false;
        if let Some((error, range)) = inotify_error(&lower) {
            understood = true;
            let found = notes.found(error, block.paste, line, range);
            notes.facts.inotify.errors.push(found);
            limit_in_message(block, line, &lower, notes);
        }
        understood |= delete_errors(block, line, notes);
        understood |= mkdir_error(block, line, &lower, notes);
        // kubelet at -v=3 and above.
        if let Some(range) = find(&lower, "orphaned pod found, ").filter(|_| lower.contains("pod cgroups")) {
            understood = true;
            let found = notes.found((), block.paste, line, range);
            notes.facts.cgroups.orphans.push(found);
        }
        if let Some(range) = find(&lower, "slub: unable to allocate memory") {
            understood = true;
            let found = notes.found((), block.paste, line, range);
            notes.facts.memcg.kmem_errors.push(found);
        }
        let is_missing = lower.contains("no such file");
        if let Some(range) = find(&lower, "memory.kmem.slabinfo").filter(|_| !is_missing) {
            understood = true;
            let found = notes.found((), block.paste, line, range);
            notes.facts.memcg.kmem_in_use.push(found);
        }
        // proc_pid_stat(5): `pid (comm) state`.
        if let Some(range) = find(&lower, "(runc:[2:init]) d ") {
            understood = true;
            let pid = line.text.get(..range.start).and_then(|before| before.split_ascii_whitespace().next_back());
            let pid = pid.filter(|pid| pid.bytes().all(|byte| byte.is_ascii_digit()));
            let process = pid.map_or_else(|| "runc init".to_owned(), |pid| format!("{pid} (runc init)"));
            let found = notes.found(process, block.paste, line, range);
            notes.facts.cgroups.stuck_processes.push(found);
        }
        note_path(block, line, notes);
        if understood {
            notes.claim(READER.kind, line);
        }
    }
}

/// Signs of a query: LogQL, a Prometheus rule, node-problem-detector's patterns.
static QUERIES: Needles = Needles::new(&["|= ", "|~ ", "expr:", "\"pattern\":"]);

/// Whether a command that names paths shows that they are there: it has printed something, and ran on this machine.
fn is_about_paths_here(block: &Block, command: &str) -> bool {
    block.lines().any(|line| !line.text.trim().is_empty()) && find(command, "ssh ").is_none()
}

/// Note the cgroup mode that a path in the line gives away.
fn note_path(block: &Block, line: &Line, notes: &mut Notes) {
    if let Some((mode, range)) = path_shape(&line.text) {
        let found = notes.found(mode, block.paste, line, range);
        notes.facts.cgroups.modes.push(found);
    }
}

/// Where `words` stand in `text`.
fn find(text: &str, words: &str) -> Option<Range<usize>> {
    memmem::find(text.as_bytes(), words.as_bytes()).map(|at| at..at + words.len())
}

/// Which inotify limit a message speaks of, and the telling part of the line, which is in lower case.
fn inotify_error(lower: &str) -> Option<(InotifyError, Range<usize>)> {
    static INSTANCES: Needles = Needles::new(&[
        // journalctl speaks of watches but got EMFILE (systemd's source).
        "insufficient watch descriptors available",
        "number of inotify instances has been reached",
        "couldn't initialize inotify",
        "failed to initialize inotify",
        "inotify instance limit reached",
        "emfile: too many open files, watch",
        "failed to create inotify fd",
        "failed complete: too many open files",
    ]);
    static WATCHES: Needles = Needles::new(&[
        "system limit for number of file watchers reached",
        "inotify resources exhausted",
        "user limit on inotify watches was reached",
        "user limit on the total number of inotify watches",
        "upper limit on inotify watches reached",
        "limit of inotify watches reached",
        "inotify watch limit reached",
        "os file watch limit reached",
    ]);
    static TOPICS: Needles = Needles::new(&[
        "inotify",
        "fsnotify",
        "fs watcher",
        "file watcher",
        "watcher create",
        "create watcher",
        "create new watcher",
        "certificate watcher",
        "file target manager",
        "directory watch",
    ]);
    static MORE_WATCH_TOPICS: Needles = Needles::new(&["failed to watch", "cannot watch", "add watch", "watch \""]);
    static EMFILE: Needles = Needles::new(&[
        "too many open files",
        "errno=24",
        "os error 24",
        "emfile",
        "打开的文件过多",
        "開いているファイルが多すぎます",
    ]);
    static ENOSPC: Needles = Needles::new(&[
        "no space left on device",
        "enospc",
        "os error 28",
        "设备上没有空间",
        "デバイスに空き領域がありません",
    ]);
    if let Some(range) = INSTANCES.first_in(lower) {
        return Some((InotifyError::Instances, range));
    }
    if let Some(range) = WATCHES.first_in(lower) {
        return Some((InotifyError::Watches, range));
    }
    let both = |a: Range<usize>, b: Range<usize>| a.start.min(b.start)..a.end.max(b.end);
    let topic = TOPICS.first_in(lower);
    // ENFILE ("… in system") is fs.file-max, not inotify.
    let emfile = EMFILE
        .first_in(lower)
        .filter(|range| !lower.get(range.end..).is_some_and(|rest| rest.starts_with(" in system")))
        .filter(|range| !belongs_to_another_call(lower, range.start));
    if let (Some(topic), Some(errno)) = (&topic, emfile) {
        return Some((InotifyError::Instances, both(topic.clone(), errno)));
    }
    let enospc = ENOSPC.first_in(lower).filter(|range| !belongs_to_another_call(lower, range.start));
    if let (Some(topic), Some(errno)) = (topic.or_else(|| MORE_WATCH_TOPICS.first_in(lower)), enospc) {
        return Some((InotifyError::Watches, both(topic, errno)));
    }
    if let Some(range) = find(lower, "inotify cannot be used, reverting to polling") {
        return Some((InotifyError::Watches, range));
    }
    // Making a watcher needs an instance and nothing else, so a line that was cut before its errno still tells.
    find(lower, "failed to create fsnotify watcher").map(|range| (InotifyError::Instances, range))
}

/// True when the words right in front of an errno name a call that is none of inotify's: `write /var/log/x: no space
/// left on device` is a full disk, whatever else the line speaks of.
fn belongs_to_another_call(lower: &str, errno: usize) -> bool {
    const CALLS: [&str; 9] = ["open", "write", "read", "mkdir", "accept", "rename", "create", "dial", "etcdserver"];
    let before = lower.get(..errno).unwrap_or_default().trim_end_matches([' ', ':']);
    let clause = before.rsplit(": ").next().unwrap_or(before);
    let clause = clause.rsplit(['"', '\'']).next().unwrap_or(clause).trim_start();
    // `inotify_init` and `create fsnotify watcher` are inotify's own.
    let own = clause.contains("notify") && !clause.contains('/') || clause.contains("watcher");
    !own && CALLS.iter().any(|call| clause.starts_with(call))
}

/// .NET names the limit in its message: "The configured user limit (1024) on the number of inotify instances".
fn limit_in_message(block: &Block, line: &Line, lower: &str, notes: &mut Notes) {
    let limit = find(lower, "user limit (").and_then(|words| lower.get(words.end..)).and_then(number::count);
    if let Some((limit, _)) = limit.filter(|_| lower.contains("number of inotify instances")) {
        let in_use = InUse { count: limit, whose: Whose::Everyone, at_least: false, limit: Some(limit) };
        let found = notes.found(in_use, block.paste, line, 0..line.text.len());
        notes.facts.inotify.instances_used.push(found);
    }
}

/// kubelet's and runc's words for a cgroup that could not be deleted; one line may hold the words of both.
const DELETE_MESSAGES: [&str; 3] =
    ["Failed to delete cgroup paths", "Failed to remove cgroup (will retry)", "Failed to remove paths: map["];

/// Failed deletions of cgroups. Slides and mails glue several lines into one.
fn delete_errors(block: &Block, line: &Line, notes: &mut Notes) -> bool {
    let text = line.text.as_ref();
    let starts = message_starts(text);
    let mut named = false;
    for (index, &start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).copied().unwrap_or(text.len());
        let message = text.get(start..end).unwrap_or_default();
        let error = DeleteError { pod: pod_name(message), cause: cause(message) };
        named |= !error.pod.is_empty();
        let found = notes.found(error, block.paste, line, start..end);
        notes.facts.cgroups.delete_errors.push(found);
        // kubelet lists what is still there: a directory of the pod in the misc tree.
        if let Some(at) = find(message, "misc:/sys/fs/cgroup/misc/").filter(|_| named) {
            let found = notes.found(Misc::UsedByPods, block.paste, line, start + at.start..start + at.end);
            notes.facts.cgroups.pods_use_misc(found);
        }
    }
    // Without a pod's name a line cannot be counted for any pod.
    if !named && (!starts.is_empty() || is_cut_message(text)) {
        if !notes.is_claimed(line) {
            notes.unread(line.number, line.last, Why::Cut);
        }
        return false;
    }
    named
}

/// Where the messages of a line start: with the first words, and wherever words come again, since a message says each
/// of them once.
fn message_starts(text: &str) -> Vec<usize> {
    static MESSAGES: Needles = Needles::new(&DELETE_MESSAGES);
    let mut words: Vec<(usize, usize)> = MESSAGES.all_in(text).map(|(which, range)| (range.start, which)).collect();
    order::sort_by(&mut words, Ord::cmp);
    let mut said = Vec::new();
    words.retain(|(_, which)| {
        let starts = said.is_empty() || said.contains(which);
        if starts {
            said.clear();
        }
        said.push(*which);
        starts
    });
    words.into_iter().map(|(start, _)| start).collect()
}

/// A line that a terminal or the end of a copy cut within the words of a message: `"Failed to dele>`.
fn is_cut_message(text: &str) -> bool {
    let text = text.trim_end_matches(['>', '…', '.']);
    let quoted = text.rsplit_once('"').map(|(_, words)| words);
    quoted.is_some_and(|words| {
        words.len() > "Failed to ".len() && DELETE_MESSAGES.iter().any(|message| message.starts_with(words))
    })
}

/// The pod's id in `cgroupName=[kubepods burstable pod1495abbc-…]`; empty when the message names none.
pub(super) fn pod_name(message: &str) -> String {
    let id = message.match_indices("pod").find_map(|(at, word)| {
        let rest = message.get(at + word.len()..)?;
        let id = rest.split(|c: char| !(c.is_ascii_hexdigit() || matches!(c, '-' | '_'))).next()?;
        (id.len() >= 8).then_some(id)
    });
    id.unwrap_or_default().replace('_', "-")
}

fn cause(message: &str) -> DeleteCause {
    if message.contains("Timed out while waiting for systemd") {
        DeleteCause::SystemdTimeout
    } else if message.contains("device or resource busy") {
        match path_shape(message) {
            Some((CgroupMode::V2, _)) => DeleteCause::BusyV2,
            _ => DeleteCause::BusyV1,
        }
    } else {
        DeleteCause::Other
    }
}

/// A memory cgroup that could not be made. The errno differs by kernel: ENOSPC before 4.7 and from 5.7, ENOMEM between,
/// EBUSY on 6.12 (mm/memcontrol.c).
fn mkdir_error(block: &Block, line: &Line, lower: &str, notes: &mut Notes) -> bool {
    static MAKING: Needles = Needles::new(&[
        "mkdir",
        "cannot create directory",
        "failed to create directory",
        "mkdir: ディレクトリ",
        "无法创建目录",
    ]);
    static ERRNO: Needles = Needles::new(&[
        "no space left on device",
        "cannot allocate memory",
        "device or resource busy",
        "设备上没有空间",
        "デバイスに空き領域がありません",
    ]);
    let Some(errno) = ERRNO.first_in(lower) else { return false };
    // The cgroup must be what was to be made: another directory's error may name a cgroup further on.
    let quotes = [' ', '"', '\\', '\'', '‘', '“', '`'];
    let made = MAKING.all_in(lower).find_map(|(_, word)| {
        let path = lower.get(word.end..)?.trim_start_matches(quotes).strip_prefix("/sys/fs/cgroup/")?;
        Some((word.start, path))
    });
    let Some((start, path)) = made else { return false };
    let controller = path.split('/').next();
    // On v1 the other controllers have ENOSPC reasons of their own (cpuset without CPUs).
    let memory = controller.is_some_and(|name| {
        name == "memory" || !name.split(',').any(|part| CONTROLLERS.contains(&part) || part == "systemd")
    });
    if memory {
        let text = lower.get(errno.clone()).unwrap_or_default().to_owned();
        let found = notes.found(text, block.paste, line, start.min(errno.start)..start.max(errno.end));
        notes.facts.memcg.mkdir_errors.push(found);
    }
    memory
}

/// The cgroup mode that a path gives away: v1 has a controller below the mount, v2 has the slices themselves.
fn path_shape(text: &str) -> Option<(CgroupMode, Range<usize>)> {
    let root = "/sys/fs/cgroup/";
    memmem::find_iter(text.as_bytes(), root.as_bytes()).find_map(|at| {
        let path = text.get(at + root.len()..)?;
        let (first, rest) = path.split_once('/').unwrap_or((path, ""));
        let range = at..at + root.len() + first.len();
        if first.split(',').any(|part| CONTROLLERS.contains(&part)) {
            let used = ["kubepods", "docker", "system.slice"].iter().any(|child| rest.starts_with(child));
            used.then_some((CgroupMode::V1, range))
        } else {
            matches!(first, "kubepods.slice" | "kubepods").then_some((CgroupMode::V2, range))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::inotify_error;
    use crate::facts::InotifyError::{Instances, Watches};
    use crate::facts::{CgroupMode, DeleteCause, Facts};
    use crate::report::{Unread, Why};
    use crate::{Input, read};

    fn facts(text: &str) -> Facts {
        read::texts(&[Input::new("paste", text)]).facts
    }

    /// ENOENT: the file is not there where kernel memory is not accounted.
    #[test]
    fn a_missing_slabinfo_is_no_sign_of_accounting() {
        let in_use = |text: &str| !facts(text).memcg.kmem_in_use.is_empty();
        assert!(in_use("open /sys/fs/cgroup/memory/a/memory.kmem.slabinfo: input/output error\n"));
        assert!(!in_use("cat: /sys/fs/cgroup/memory/a/memory.kmem.slabinfo: No such file or directory\n"));
    }

    #[test]
    fn a_path_that_is_only_typed_tells_nothing_of_the_machine() {
        let modes = |text| facts(text).cgroups.modes.len();
        assert_eq!(modes("[ops@gw ~]$ ls /sys/fs/cgroup/memory/kubepods\nburstable\n"), 1);
        assert_eq!(modes("[ops@gw ~]$ grep -r x /sys/fs/cgroup/memory/kubepods\n[ops@gw ~]$ ssh n2 hostname\nn2\n"), 0);
        assert_eq!(modes("[ops@gw ~]$ ssh n2 'ls /sys/fs/cgroup/memory/kubepods'\nburstable\n"), 0);
    }

    #[test]
    fn emfile_is_instances_and_enospc_is_watches() {
        for (line, want) in [
            ("failed to create fsnotify watcher: too many open files", Some(Instances)),
            ("<string>: failed to creating a fsnotify watcher: too many open files", Some(Instances)),
            ("Insufficient watch descriptors available. Reverting to -n.", Some(Instances)),
            ("Failed to allocate directory watch: Too many open files", Some(Instances)),
            ("Failed to start cAdvisor inotify_init: too many open files", Some(Instances)),
            ("unable to create watcher for lockfile: inotify_init: too many open files", Some(Instances)),
            ("msg=\"error from *cgroupsv2.Manager.EventChan\" error=\"failed to create inotify fd\"", Some(Instances)),
            ("[error] [/src/in_tail/tail_fs_inotify.c:360 errno=24] Too many open files", Some(Instances)),
            ("tail: inotify cannot be used, reverting to polling: Too many open files", Some(Instances)),
            ("tail: inotify cannot be used, reverting to polling", Some(Watches)),
            ("tail: inotify resources exhausted", Some(Watches)),
            ("Failed to watch directory \"/sys\": inotify_add_watch /sys: no space left on device", Some(Watches)),
            ("failed to watch file \"/var/log/pods/x/0.log\": no space left on device", Some(Watches)),
            ("Error: ENOSPC: System limit for number of file watchers reached, watch '/app'", Some(Watches)),
            ("failed to create fsnotify watcher: too many op", Some(Instances)),
            ("tail: Couldn't initialize inotify", Some(Instances)),
            ("Error: EMFILE: too many open files, watch '/app'", Some(Instances)),
            ("failed to make file target manager: too many open files", Some(Instances)),
            ("OSError: [Errno 24] inotify instance limit reached", Some(Instances)),
            ("User limit of inotify watches reached", Some(Watches)),
            ("OS file watch limit reached.", Some(Watches)),
            ("tail: cannot watch '/var/log/x': No space left on device", Some(Watches)),
            ("inotify_init: 打开的文件过多", Some(Instances)),
            ("failed to watch: write /var/log/x: no space left on device", None),
            ("Failed to watch *v1.Secret: etcdserver: no space left on device", None),
            ("msg=\"failed to watch config\" err=\"write /data/wal: no space left on device\"", None),
            ("open /var/lib/inotify-data/x: too many open files", None),
            ("fsnotify reload ok; accept tcp [::]:80: accept4: too many open files", None),
            ("accept4: too many open files", None),
            ("inotify: open /tmp/x: too many open files in system", None),
            ("write /var/log/x: no space left on device", None),
            ("mkdir /sys/fs/cgroup/memory/kubepods/x: no space left on device", None),
        ] {
            assert_eq!(inotify_error(&line.to_ascii_lowercase()).map(|(error, _)| error), want, "{line}");
        }
    }

    #[test]
    fn deletions_that_failed() {
        let line = "1 pod_container_manager_linux.go:210] \"Failed to delete cgroup paths\" cgroupName=[kubepods pod1495abbc-> \
                    I1108 1 x.go:210] \"Failed to delete cgroup paths\" cgroupName=[\"kubepods\",\"podbff40d3b-2852\"] \
                    err=\"Timed out while waiting for systemd to remove x.slice\"";
        let errors = facts(line).cgroups.delete_errors;
        let got: Vec<(&str, DeleteCause)> =
            errors.iter().map(|found| (found.value.pod.as_str(), found.value.cause)).collect();
        assert_eq!(got, [("1495abbc-", DeleteCause::Other), ("bff40d3b-2852", DeleteCause::SystemdTimeout)]);
    }

    /// kubelet's message may quote runc's (kubernetes issue 128975).
    #[test]
    fn a_line_with_the_words_of_both_is_one_failure() {
        let line = "\"Failed to delete cgroup paths\" cgroupName=[kubepods podbff40d3b-2852] err=\"Failed to remove \
                    paths: map[memory:/sys/fs/cgroup/memory/kubepods/podbff40d3b-2852]\" Failed to remove cgroup (will retry)";
        let pods = |text: &str| -> Vec<String> {
            facts(text).cgroups.delete_errors.into_iter().map(|found| found.value.pod).collect()
        };
        assert_eq!(pods(line), ["bff40d3b-2852"]);
        assert_eq!(pods(&format!("{line} {line}")), ["bff40d3b-2852"; 2], "two lines glued into one");
    }

    /// What journalctl shows in a narrow terminal, and a paste that ends in the middle of a line.
    #[test]
    fn lines_cut_before_the_pods_name_are_listed_as_cut() {
        let text = "$ journalctl -u kubelet\n\
            Nov 08 10:00:01 w1 kubelet[1]: x.go:210] \"Failed to delete cgroup paths\" cgroupName=[kubepods pod1495abbc-0>\n\
            Nov 08 10:00:03 w1 kubelet[1]: x.go:210] \"Failed to delete cgroup paths\" cgroupName=[kube>\n\
            Nov 08 10:00:05 w1 kubelet[1]: x.go:210] \"Failed to dele";
        let inputs = [Input::new("paste", text)];
        let reading = read::texts(&inputs);
        assert_eq!(reading.unread, [Unread { input: 0, first_line: 3, last_line: 4, why: Why::Cut }]);
        assert_eq!(reading.read.iter().map(|read| (read.first_line, read.last_line)).collect::<Vec<_>>(), [(2, 2)]);
        let pods: Vec<&str> =
            reading.facts.cgroups.delete_errors.iter().map(|found| found.value.pod.as_str()).collect();
        assert_eq!(pods, ["1495abbc-0", ""]);

        // Another reader may have understood the line.
        let glued = [Input::new(
            "paste",
            "fs.inotify.max_user_instances = 128 \"Failed to delete cgroup paths\" cgroupName=[kube>",
        )];
        let reading = read::texts(&glued);
        assert_eq!((reading.read.len(), reading.unread.len()), (1, 0));
    }

    #[test]
    fn memory_cgroups_that_could_not_be_made() {
        for (line, want) in [
            ("mkdir /sys/fs/cgroup/memory/kubepods/burstable/podf25: cannot allocate memory", 1),
            ("mkdir: cannot create directory ‘/sys/fs/cgroup/memory/test’: No space left on device", 1),
            ("Error: mkdir /sys/fs/cgroup/kubepods.slice/x: no space left on device", 1),
            ("mkdir: 无法创建目录\"/sys/fs/cgroup/memory/test\": 设备上没有空间", 1),
            ("failed to mkdir /run/x: no space left on device; cgroup path /sys/fs/cgroup/memory/kubepods/x", 0),
            ("$ journalctl -k | grep \"mkdir /sys/fs/cgroup/memory/x: no space left on device\"", 0),
            ("mkdir /sys/fs/cgroup/cpuset/x: no space left on device", 0),
            ("mkdir /var/lib/x: no space left on device", 0),
        ] {
            assert_eq!(facts(line).memcg.mkdir_errors.len(), want, "{line}");
        }
    }

    #[test]
    fn paths_tell_the_mode() {
        let modes = |text: &str| facts(text).cgroups.modes.iter().map(|found| found.value).collect::<Vec<_>>();
        assert_eq!(modes("remove /sys/fs/cgroup/kubepods.slice/x.slice: device or resource busy"), [CgroupMode::V2]);
        assert_eq!(modes("$ cat /sys/fs/cgroup/memory/kubepods/x/memory.limit_in_bytes\n536870912"), [CgroupMode::V1]);
        assert_eq!(modes("ls /sys/fs/cgroup/misc"), []);
    }
}
