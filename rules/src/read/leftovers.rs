//! What is left of pods: their directories as `find` lists them, and processes in state D as `ps` does.

use crate::facts::Misc;
use crate::read::{Notes, Reader, log};
use crate::text::Block;

/// See the module's text.
pub(super) static READER: Reader = Reader { kind: "leftovers", read };

fn read(block: &Block, notes: &mut Notes) {
    let asked = block.command_text().contains("wchan");
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
