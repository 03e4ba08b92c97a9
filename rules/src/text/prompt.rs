//! Which lines are commands that somebody typed.

/// Programs that people type on a node. Each is listed because its output never starts with its own name and a blank.
const PROGRAMS: &[&str] = &[
    "awk",
    "cat",
    "chroot",
    "crictl",
    "ctr",
    "curl",
    "df",
    "dmesg",
    "docker",
    "echo",
    "egrep",
    "find",
    "for",
    "free",
    "grep",
    "head",
    "helm",
    "inotify-info",
    "inotify-consumers",
    "journalctl",
    "k",
    "kubectl",
    "less",
    "ls",
    "lsb_release",
    "lsof",
    "minikube",
    "nerdctl",
    "nsenter",
    "oc",
    "podman",
    "ps",
    "readlink",
    "rpm",
    "slabtop",
    "ssh",
    "stat",
    "sudo",
    "sysctl",
    "systemctl",
    "systemd-cgls",
    "tail",
    "talosctl",
    "tee",
    "top",
    "uname",
    "vi",
    "vim",
    "watch",
    "zgrep",
];

/// Programs whose output does start with their name; they are commands only in the forms given.
const PROGRAM_FORMS: &[&str] = &[
    "containerd -v",
    "containerd --version",
    "kubelet --version",
    "mount |",
    "mount -",
    "runc --version",
    "runc -v",
    "crio --version",
    "k3s --version",
    "mkdir -p",
];

/// Where the command starts in `line`, when it is one. `in_yaml` says that the lines around it are YAML, in which
/// `# ` starts a comment and not a root prompt.
pub(crate) fn command_start(line: &str, in_yaml: bool) -> Option<usize> {
    let trimmed = line.trim_start();
    let indent = line.len() - trimmed.len();
    let after = if let Some(length) = prompt_length(trimmed) {
        length
    } else if trimmed.starts_with("# ") && !in_yaml && is_command(trimmed.get(2..)?.trim_start()) {
        trimmed.len() - trimmed.get(2..)?.trim_start().len()
    } else if let Some(command) = themed_prompt(trimmed).filter(|command| is_command(command)) {
        trimmed.len() - command.len()
    } else if is_command(trimmed) {
        0
    } else {
        return None;
    };
    let start = indent + after;
    // Two prompts glued on one line: the command of the last one printed what follows.
    let glued = ["]# ", "]$ "].iter().filter_map(|end| line.get(start..)?.rfind(end)).max();
    Some(glued.map_or(start, |at| start + at + 3))
}

/// The host that a prompt names: `root@n1:~# `, `[root@n1 ~]# `. A container's prompt has the hexadecimal start of its
/// id, and its kernel is that of the host before.
pub(super) fn host(prompt: &str) -> Option<&str> {
    let rest = prompt.rsplit_once('@').map_or(prompt, |(_, rest)| rest);
    let suse = prompt.contains(":~ ") || prompt.contains(":/");
    let host = rest.split([':', ' ', ']', '/', '#', '$', '%']).next().filter(|_| suse || rest.len() < prompt.len())?;
    let container = host.len() == 12 && host.bytes().all(|byte| byte.is_ascii_hexdigit());
    (!host.is_empty() && !container).then_some(host)
}

/// The host that `ssh n1 COMMAND` runs a command on.
pub(super) fn ssh_host(command: &str) -> Option<&str> {
    let mut words = command.strip_prefix("ssh ")?.split_whitespace().filter(|word| !word.starts_with('-'));
    let target = words.next()?;
    Some(target.rsplit_once('@').map_or(target, |(_, host)| host))
}

/// The node that a kubectl command is about, wherever it is typed: `kubectl describe node w1`, `oc debug node/w1`,
/// `kubectl get pod --field-selector spec.nodeName=w1`. Empty
/// when it is about none or several; `None` for other commands.
pub(super) fn asked_node(command: &str) -> Option<&str> {
    let mut words = command.split_whitespace();
    words.by_ref().take(3).find(|word| matches!(word.rsplit('/').next(), Some("kubectl" | "oc" | "k")))?;
    let mut words = words.take_while(|word| !word.starts_with('|'));
    while let Some(word) = words.next() {
        if let Some((_, name)) = word.split_once("spec.nodeName=") {
            return name.split([',', '"', '\'']).next();
        }
        if let Some(name) = word.strip_prefix("node/").or_else(|| word.strip_prefix("nodes/")) {
            return Some(name);
        }
        if matches!(word, "node" | "nodes" | "no") {
            let names: Vec<&str> = words.take_while(|word| !word.starts_with('-')).collect();
            return Some(if let [name] = names[..] { name } else { "" });
        }
    }
    Some("")
}

/// The host in a heading above its output: `n1 | CHANGED | rc=0 >>` of Ansible, `== n1 ==` of a loop.
pub(super) fn heading_host(line: &str) -> Option<&str> {
    if let Some(rest) = line.strip_prefix("==") {
        let name = rest.trim_matches(['=', ' ']);
        let host = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
        return (!name.is_empty() && rest.starts_with(['=', ' ']) && name.bytes().all(host)).then_some(name);
    }
    let (host, rest) = line.strip_suffix(" >>")?.split_once(" | ")?;
    (rest.contains("| rc=") && !host.contains(char::is_whitespace)).then_some(host)
}

/// Length of an unmistakable prompt that `text` starts with.
fn prompt_length(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('\\').unwrap_or(text);
    let escaped = text.len() - rest.len();
    if let Some(command) = rest.strip_prefix("$ ").or_else(|| rest.strip_prefix("% ")) {
        return Some(text.len() - command.trim_start().len());
    }
    if escaped == 1 && rest.starts_with("# ") {
        return Some(3);
    }
    let end = ["# ", "$ ", "> ", "% "].iter().filter_map(|end| text.find(end)).min()?;
    let before = text.get(..end)?;
    let bracketed = before.starts_with('[') && before.ends_with(']') && !before.contains('=');
    let user_at_host = before.len() < 100
        && !before.contains(['"', '\'', '='])
        && before
            .split(' ')
            .next()
            .is_some_and(|user| user.split_once('@').is_some_and(|(user, host)| !user.is_empty() && !host.is_empty()));
    let arrow = text.get(end..)?.starts_with("> ");
    let windows =
        arrow && (before.starts_with("PS /") || before.strip_prefix("PS ").unwrap_or(before).get(1..3) == Some(":\\"));
    // `user@host ~> ` of fish, `host:~ # ` of SUSE, the last of the two lines of Kali's and of themed prompts.
    let fish = arrow && user_at_host && [" ~", " /"].iter().any(|directory| before.contains(directory));
    let suse = before.split_once(":~").or(before.split_once(":/")).is_some_and(|(host, directory)| {
        let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
        !host.is_empty() && host.chars().all(name) && directory.ends_with(' ') && !directory.trim_end().contains(' ')
    });
    let shell = matches!(before, "~" | "/" | "~ " | "/ " | "└─" | "╰─")
        || ["sh-", "bash-"].iter().any(|shell| {
            before.strip_prefix(shell).is_some_and(|version| version.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
        });
    let length = end + 2;
    let command = text.get(length..)?.trim_start();
    (windows || fish || !arrow && (bracketed || user_at_host || suse || shell)).then(|| text.len() - command.len())
}

/// What follows the arrow of a themed shell, with or without the directory behind it (`➜  ~ uname -r`).
fn themed_prompt(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(['➜', '❯', '»', 'λ', '~'])?;
    let rest = rest.strip_prefix(' ')?.trim_start();
    Some(rest.strip_prefix("~ ").unwrap_or(rest).trim_start())
}

/// True when `text` starts with a program that people type, followed by something.
fn is_command(text: &str) -> bool {
    let word = text.split([' ', '\t']).next().unwrap_or_default();
    let name = word.rsplit('/').next().unwrap_or(word);
    let known = PROGRAMS.contains(&name) && text.len() > word.len() && word.len() - name.len() < 60;
    // Prose and log lines go on with a colon or end like a sentence; `for` and `find` are English words too.
    let prose =
        matches!(name, "for" | "find" | "watch" | "top" | "less" | "head") && !text.contains(['/', '|', '-', '$']);
    known && !prose && !text.get(word.len()..).unwrap_or_default().trim_start().starts_with(':')
        || PROGRAM_FORMS.iter().any(|form| {
            text.starts_with(form) || text.get(word.len() - name.len()..).is_some_and(|text| text.starts_with(form))
        })
}

#[cfg(test)]
mod tests {
    use super::{asked_node, command_start};

    fn command(line: &str) -> Option<&str> {
        command_start(line, false).map(|from| &line[from..])
    }

    #[test]
    fn prompts_of_every_kind() {
        for line in [
            "$ uname -r",
            "$  uname -r",
            "\\# uname -r",
            "\\$ uname -r",
            "# uname -r",
            "user@host:~/dir$ uname -r",
            "root@host:~# uname -r",
            "root@my-vps:~/setup# uname -r",
            "[root@host ~]# uname -r",
            "[ec2-user ~]$ uname -r",
            "core@node-7 ~ $ uname -r",
            "me@mac ~ % uname -r",
            "C:\\> uname -r",
            "PS C:\\Users> uname -r",
            "sh-4.2# uname -r",
            "/ # uname -r",
            "~ # uname -r",
            "➜  ~ uname -r",
            "❯ uname -r",
            "~ uname -r",
            "uname -r",
            "    uname -r",
            "[root@a /]# exit; bash[root@b /]# uname -r",
            "ops@node1 ~> uname -r",
            "╰─$ uname -r",
            "└─# uname -r",
            "w1:~ # uname -r",
            "w1:/etc/sysctl.d # uname -r",
            "PS /home/ops> uname -r",
        ] {
            assert_eq!(command(line), Some("uname -r"), "{line}");
        }
    }

    #[test]
    fn kubectl_tells_of_the_node_that_it_is_asked_about() {
        for (command, node) in [
            ("kubectl describe node w1", Some("w1")),
            ("kubectl describe no w1 | grep -i version", Some("w1")),
            ("sudo k3s kubectl get node w1 -o yaml", Some("w1")),
            ("oc debug node/w1 -- chroot /host uname -r", Some("w1")),
            ("kubectl get --raw /api/v1/nodes/w1/proxy/configz", Some("")),
            ("kubectl get nodes -o wide", Some("")),
            ("kubectl get pod -A --field-selector spec.nodeName=w1 | grep -v Running", Some("w1")),
            ("k get po --field-selector='spec.nodeName=w1,status.phase=Failed'", Some("w1")),
            ("kubectl describe nodes w1 w2", Some("")),
            ("kubectl logs -f web", Some("")),
            ("uname -r", None),
            ("ssh w1 uname -r", None),
        ] {
            assert_eq!(asked_node(command), node, "{command}");
        }
    }

    #[test]
    fn output_is_not_a_command() {
        for line in [
            "[43073.004575] SLUB: Unable to allocate memory on node -1 (gfp=0x20)",
            "#subsys_name\thierarchy\tnum_cgroups\tenabled",
            "# [START finetune_yaml]",
            "# The max number of open files for the daemon itself, and all",
            "containerd github.com/containerd/containerd v1.6.8 9cd3357b",
            "runc version 1.1.7",
            "find: '/proc/81153/fd/40': No such file or directory",
            "sysctl: permission denied on key 'fs.protected_fifos'",
            "tail: inotify cannot be used, reverting to polling: Too many open files",
            "kubelet: failed to run",
            "for more information see the docs",
            "  - name: app",
            "mkdir /sys/fs/cgroup/memory/kubepods/x: cannot allocate memory",
            "tmpfs on /run type tmpfs (rw)",
            "me@example.com wrote:> uname -r",
            "key: value # a comment",
            "see http://a.b/ # x",
        ] {
            assert_eq!(command(line), None, "{line}");
        }
        assert_eq!(command_start("# cat the file", true), None, "a comment between YAML lines");
    }
}
