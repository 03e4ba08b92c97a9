//! What is left of pods: their directories as `find` lists them, processes in their slices as `systemd-cgls` does, and
//! processes in state D as `ps` does.

use std::collections::BTreeSet;

use crate::facts::{Misc, ProcessOfPod};
use crate::read::{Notes, Reader, log};
use crate::text::{Block, number};

/// See the module's text.
pub(super) static READER: Reader = Reader { kind: "leftovers", read };

fn read(block: &Block, notes: &mut Notes) {
    let command = block.command_text();
    if command.contains("systemd-cgls") {
        slices(block, notes);
        return;
    }
    if lists_all_trees(command) {
        trees(block, notes);
    }
    let asked = command.contains("wchan");
    for line in block.lines() {
        let whole = 0..line.text.len();
        if let Some(path) = pod_directory(&line.text) {
            notes.claim(READER.kind, line);
            if path.starts_with("misc/") {
                let found = notes.found(Misc::UsedByPods, block.paste, line, whole);
                notes.facts.cgroups.pods_use_misc(found);
            }
        } else if let Some(process) = stuck_process(&line.text, asked) {
            notes.claim(READER.kind, line);
            let found = notes.found(process, block.paste, line, whole);
            notes.facts.cgroups.stuck_processes.push(found);
        }
    }
}

/// Whether `find` looks through all trees as deep as slices of pods are, and nothing is taken out of what it prints.
fn lists_all_trees(command: &str) -> bool {
    let Some((_, rest)) = command.split_once("find /sys/fs/cgroup ") else { return false };
    let mut parts = rest.split('|');
    let find = parts.next().unwrap_or_default();
    let depth = find.split_once("-maxdepth ").and_then(|(_, rest)| number::count(rest)).map(|(depth, _)| depth);
    let is_partial = ["-path", "-regex", "-prune", "head", "grep"].iter().any(|word| rest.contains(word));
    depth.is_none_or(|depth| depth >= 4) && !is_partial && parts.all(|part| part.trim_start().starts_with("sort"))
}

/// A listing of all trees: pods whose directories are in the misc tree alone.
fn trees(block: &Block, notes: &mut Notes) {
    let mut elsewhere = BTreeSet::new();
    let mut in_misc = Vec::new();
    for line in block.lines().filter(|line| line.text.trim_start().starts_with("/sys/fs/cgroup/")) {
        notes.claim(READER.kind, line);
        let Some(path) = pod_directory(&line.text) else { continue };
        let pod = log::pod_name(path);
        if path.starts_with("misc/") {
            in_misc.push((pod, line));
        } else {
            elsewhere.insert(pod);
        }
    }
    in_misc.dedup_by(|(a, _), (b, _)| a == b);
    for (pod, line) in in_misc.into_iter().filter(|(pod, _)| !elsewhere.contains(pod)) {
        let found = notes.found(pod, block.paste, line, 0..line.text.len());
        notes.facts.cgroups.left_in_misc.push(found);
    }
}

/// What `systemd-cgls` prints: a tree of slices with the processes in them.
fn slices(block: &Block, notes: &mut Notes) {
    const BRANCHES: [char; 9] = [' ', '\u{a0}', '│', '├', '└', '─', '|', '`', '-'];
    // The pod whose slice is open, and how far that is indented.
    let mut open: Option<(usize, String)> = None;
    for line in block.lines().filter(|line| line.says_something()) {
        notes.claim(READER.kind, line);
        let name = line.text.trim_start_matches(BRANCHES);
        let branches = line.text.get(..line.text.len() - name.len()).unwrap_or_default();
        let depth = branches.chars().count();
        open.take_if(|(outer, _)| depth <= *outer);
        let process = name.split_once(' ').filter(|(pid, _)| pid.bytes().all(|byte| byte.is_ascii_digit()));
        match (process, &open) {
            (Some((pid, command)), Some((_, pod))) => {
                let command = command.split_whitespace().next().unwrap_or_default();
                let process = ProcessOfPod { pod: pod.clone(), process: format!("{pid} ({command})") };
                let found = notes.found(process, block.paste, line, branches.len()..line.text.len());
                notes.facts.cgroups.processes.push(found);
            }
            (None, None) => {
                let pod = log::pod_name(name);
                open = Some((depth, pod)).filter(|(_, pod)| !pod.is_empty());
            }
            _ => {}
        }
    }
}

/// The path below the cgroup mount, when the line is the path of a pod's directory and nothing else.
fn pod_directory(text: &str) -> Option<&str> {
    let path = text.trim().strip_prefix("/sys/fs/cgroup/")?;
    (!path.contains(char::is_whitespace) && !log::pod_name(path).is_empty()).then_some(path)
}

/// `9917 (rpc_wait_bit_killable)` from a line of `ps -eo pid,stat,wchan:32,cmd` about a process in state D. Unless its
/// command was `asked` for with this column, the third must look like a function of the kernel.
fn stuck_process(text: &str, asked: bool) -> Option<String> {
    let mut fields = text.split_ascii_whitespace();
    let (pid, state, waits_in, command) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let flags = state.strip_prefix('D')?;
    let is_function = waits_in.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'));
    // ps puts kernel threads, which are in no pod, into brackets, and processes whose arguments are gone.
    let is_process = !command.starts_with('[') || command.starts_with("[runc");
    let fits = pid.bytes().all(|byte| byte.is_ascii_digit())
        && flags.bytes().all(|byte| b"<NLsl+".contains(&byte))
        && is_function
        && (asked || waits_in.contains('_'))
        && is_process;
    fits.then(|| if waits_in == "-" { pid.to_owned() } else { format!("{pid} ({waits_in})") })
}

#[cfg(test)]
mod tests {
    use crate::facts::{Cgroups, Misc};
    use crate::{Input, read};

    fn cgroups(text: &str) -> Cgroups {
        read::texts(&[Input::new("paste", text)]).facts.cgroups
    }

    const POD: &str = "kubepods-besteffort-podb2c9de10_93a3_4d9c_8f2e_6c1fd2d40e19.slice";

    #[test]
    fn a_pods_directory_in_the_misc_tree_proves_that_pods_use_it() {
        let find = "$ find /sys/fs/cgroup -maxdepth 4 -name '*pod*' | sort\n";
        let slices =
            "/sys/fs/cgroup/misc/kubepods.slice\n/sys/fs/cgroup/misc/kubepods.slice/kubepods-besteffort.slice\n";
        let misc = |text: &str| cgroups(text).misc.into_iter().map(|found| found.value).collect::<Vec<_>>();
        assert_eq!(misc(&format!("{find}{slices}")), [], "kubelet's own slices are no pod's");
        let pod = format!("/sys/fs/cgroup/misc/kubepods.slice/kubepods-besteffort.slice/{POD}\n");
        assert_eq!(misc(&format!("{find}{slices}{pod}{pod}")), [Misc::UsedByPods]);
        assert_eq!(misc(&pod.replace("/misc/", "/memory/")), []);
        // The driver cgroupfs has other names.
        let pod = "/sys/fs/cgroup/misc/kubepods/burstable/pod5a2e9c1f-8f51-4c8f-9a53-b7b0e2f0c1d2\n";
        assert_eq!(misc(pod), [Misc::UsedByPods]);
    }

    #[test]
    fn pods_in_the_misc_tree_alone_are_told_by_a_listing_of_all_trees() {
        let path = |tree: &str| format!("/sys/fs/cgroup/{tree}/kubepods.slice/kubepods-besteffort.slice/{POD}\n");
        let alone = |command: &str, trees: &[&str]| {
            let lines: String = trees.iter().map(|tree| path(tree)).collect();
            let found = cgroups(&format!("$ {command}\n{lines}")).left_in_misc;
            found.into_iter().map(|found| found.value).collect::<Vec<_>>()
        };
        let all = "find /sys/fs/cgroup -maxdepth 4 -name '*pod[0-9a-f]*' | sort";
        assert_eq!(alone(all, &["misc"]), ["b2c9de10-93a3-4d9c-8f2e-6c1fd2d40e19"]);
        assert_eq!(alone(all, &["memory", "misc", "pids"]), [""; 0]);
        for partial in
            ["-maxdepth 2 -name '*pod*'", "-name '*pod*' | grep misc", "-name '*pod*' | head -1", "-path '*/misc/*'"]
        {
            assert_eq!(alone(&format!("find /sys/fs/cgroup {partial}"), &["misc"]), [""; 0], "{partial}");
        }
        assert_eq!(alone("find /sys/fs/cgroup/misc -maxdepth 3 -name '*pod*'", &["misc"]), [""; 0], "of one tree");
    }

    #[test]
    fn processes_are_told_with_the_pod_in_whose_slice_they_are() {
        let tree = format!(
            "$ systemd-cgls -u kubepods.slice\nUnit kubepods.slice (/kubepods.slice):\n\
             ├─kubepods-besteffort.slice\n│ └─{POD}\n│   └─cri-containerd-aa.scope\n│     ├─ 4411 runc init\n\
             │     └─12 /pause\n└─kubepods-burstable.slice\n  └─77 /stray\n"
        );
        for tree in [tree.clone(), tree.replace('├', "|").replace('└', "`").replace('─', "-").replace('│', "|")]
        {
            let inputs = [Input::new("paste", tree.as_str())];
            let reading = read::texts(&inputs);
            let processes = reading.facts.cgroups.processes.into_iter();
            let processes: Vec<_> = processes.map(|found| (found.value.pod, found.value.process)).collect();
            let pod = "b2c9de10-93a3-4d9c-8f2e-6c1fd2d40e19".to_owned();
            assert_eq!(processes, [(pod.clone(), "4411 (runc)".to_owned()), (pod, "12 (/pause)".to_owned())], "{tree}");
            assert!(reading.unread.is_empty(), "{:?}", reading.unread);
        }
    }

    /// Lines as procps prints them.
    #[test]
    fn processes_in_state_d_are_named() {
        let stuck = |text: &str| {
            let found = cgroups(text).stuck_processes;
            found.into_iter().map(|found| found.value).collect::<Vec<_>>()
        };
        let ps = "$ ps -eo pid,stat,wchan:32,cmd | awk '$2 ~ /^D/'\n";
        let line = "   9917 D    rpc_wait_bit_killable            /usr/bin/python3 sync.py\n";
        assert_eq!(stuck(&format!("{ps}{line}")), ["9917 (rpc_wait_bit_killable)"]);
        assert_eq!(stuck(line), ["9917 (rpc_wait_bit_killable)"], "without its command");
        assert_eq!(stuck(&format!("{ps}  12 Dsl+ -   runc init\n")), ["12"]);
        assert_eq!(stuck(&format!("{ps}  12 D folio_wait_bit [runc:[2:INIT]]\n")), ["12 (folio_wait_bit)"]);
        for other in [
            "  301 D    kjournald2                       [jbd2/sda1-8]\n",
            "  302 S    do_sys_poll                      /usr/bin/dockerd\n",
            "    PID STAT WCHAN                            CMD\n",
        ] {
            assert_eq!(stuck(&format!("{ps}{other}")), [""; 0], "{other}");
        }
        assert_eq!(stuck("12 D big thing\n"), [""; 0]);
    }
}
