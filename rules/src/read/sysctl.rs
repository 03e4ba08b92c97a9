//! The inotify sysctls: live readings, settings that take effect, and settings that are only written down.

use std::collections::VecDeque;
use std::ops::Range;

use crate::facts::{Found, Gauge, InotifyError};
use crate::kubernetes::inotify::ENOUGH_WATCHES;
use crate::read::{Notes, Reader};
use crate::text::{Block, Line, Needles, number};

/// See the module's text.
pub(super) static READER: Reader = Reader { kind: "sysctl", read };

/// First parts of sysctl names (`ls /proc/sys`), by which other lines of the same output are known.
const ROOTS: &[&str] = &["abi.", "crypto.", "debug.", "dev.", "fs.", "kernel.", "net.", "sunrpc.", "user.", "vm."];

/// What a setting's command prints when the kernel did not take the value.
static REFUSALS: Needles = Needles::new(&[
    "ermission denied",
    "ead-only file system",
    "peration not permitted",
    "annot stat /proc/sys",
    "not in a separate kernel namespace",
    "incorrect password",
    "password is required",
    "not in the sudoers",
    "not allowed to execute",
]);

/// How many bytes in front of a name can say what is done with it.
const NEAR: usize = 256;

/// Which of the two limits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Limit {
    Instances,
    Watches,
}

/// How a line gives a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// It holds now.
    Live,
    /// A command has just made it hold.
    Set,
    /// A command was to make it hold; what is read later tells whether it does.
    Typed,
    /// It is only written down for later.
    Intended,
}

/// What a bare number is that a command prints.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    Limit(Limit),
    /// A neighbour that is no limit, such as `max_queued_events`.
    Neighbour,
    /// A count of lines (`wc -l`), which is another reader's.
    Count,
}

fn read(block: &Block, notes: &mut Notes) {
    let for_later = writes_a_file(block);
    let refused = block.lines().any(|line| REFUSALS.any_in(&line.text));
    let mut asked = Vec::new();
    if let Some(command) = block.command
        && memchr::memmem::find(command.line.text.as_bytes(), b"inotify").is_some()
    {
        asked = command_line(block, command.line, command.from, refused, notes);
    }
    let mut asked = VecDeque::from(asked);
    // `path: /etc/sysctl.d/…` of cloud-init, Ignition or Ansible: what is indented below is that file's text.
    let mut in_file = false;
    for line in block.lines() {
        in_file = line.text.contains("/etc/sysctl") || in_file && line.text.starts_with([' ', '\t']);
        if find_key(&line.text, 0).is_some() {
            notes.claim(READER.kind, line);
            settings(block, line, for_later || in_file, notes);
            // What `sysctl NAME` has printed with its name is not to come as a bare number.
            asked.pop_front_if(|asked| matches!(asked, Asked::Limit(_)));
        } else if is_sysctl(&line.text) {
            notes.claim(READER.kind, line);
        } else if let Some(value) = number::bare(&line.text) {
            // A bare number under `sysctl -n NAME` or `cat /proc/sys/…`.
            let asked = asked.pop_front().filter(|asked| *asked != Asked::Count);
            if asked.is_some() {
                notes.claim(READER.kind, line);
            }
            if let Some(Asked::Limit(limit)) = asked {
                let found = notes.found(value, block.paste, line, 0..line.text.len());
                keep(notes, limit, Some(Form::Live), found);
            }
        }
    }
}

/// Every setting in a line of output; lost line breaks put several on one.
fn settings(block: &Block, line: &Line, for_later: bool, notes: &mut Notes) {
    let mut at = 0;
    while let Some(key) = find_key(&line.text, at) {
        at = key.end;
        if let Some((form, value, range)) = setting(&line.text, &key, for_later) {
            let found = notes.found(value, block.paste, line, range);
            keep(notes, key.limit, Some(form), found);
        }
    }
}

/// Settings in a command line. Returns what the command prints as bare numbers, in order.
fn command_line(block: &Block, line: &Line, from: usize, refused: bool, notes: &mut Notes) -> Vec<Asked> {
    let command = line.text.get(from..).unwrap_or_default();
    // Without a prompt it may be advice that nobody has followed; sysctl prints what it has set, which is read as such.
    let prompt = line.text.get(..from).unwrap_or_default().trim();
    let typed = !prompt.is_empty();
    let saved = command.contains(">>") || command.contains("/etc/");
    let mut asked = Vec::new();
    let mut at = from;
    while let Some(key) = find_key(&line.text, at) {
        let passed = line.text.get(at..key.start).unwrap_or_default();
        let counts = passed.matches("wc -l").count() + passed.matches("grep -c").count();
        asked.extend(std::iter::repeat_n(Asked::Count, counts));
        at = key.end;
        // What decides stands near the key; the other end of a long line does not.
        let near = line.text.floor_char_boundary(key.start.saturating_sub(NEAR)).max(from);
        let before = line.text.get(near..key.start).unwrap_or_default();
        let is_comment = before.starts_with('#') || before.contains(" #");
        let done = |effective: bool, certain: bool| match effective && !saved {
            _ if !typed => Some(Form::Intended),
            _ if refused || is_comment => None,
            true => Some(if certain { Form::Set } else { Form::Typed }),
            // What is typed and writes no file lasts nowhere.
            false => saved.then_some(Form::Intended),
        };
        if let Some((form, value, range)) = setting(&line.text, &key, false) {
            // `sysctl k=v` takes effect. `echo k=v >> file`, `bash -c "echo 'k=v' >> file"` and `docker run --sysctl` do
            // not.
            let last = before.rsplit([';', '&', '|', '"', '\'']).next().unwrap_or(before);
            let effective = runs_here(last);
            // Output that is glued to its command has blanks around its sign.
            let glued = form == Form::Live && !last.contains(" -w");
            let certain = glued || last.contains(" -q") && is_silent(block, prompt, None);
            let found = notes.found(value, block.paste, line, range);
            keep(notes, key.limit, done(effective, certain), found);
        } else if let Some(value) = echoed(before).filter(|_| before.ends_with("/proc/sys/")) {
            let found = notes.found(value, block.paste, line, key.start..key.end);
            keep(notes, key.limit, done(true, is_silent(block, prompt, Some(value))), found);
        } else {
            asked.push(Asked::Limit(key.limit));
        }
    }
    // The shell sorts: max_queued_events, max_user_instances, max_user_watches.
    for (pattern, limits) in [
        ("inotify/*", vec![Asked::Neighbour, Asked::Limit(Limit::Instances), Asked::Limit(Limit::Watches)]),
        ("inotify/max_user_*", vec![Asked::Limit(Limit::Instances), Asked::Limit(Limit::Watches)]),
        ("inotify/max_user_{instances,watches}", vec![Asked::Limit(Limit::Instances), Asked::Limit(Limit::Watches)]),
    ] {
        if command.contains(pattern) {
            asked = limits;
        }
    }
    asked
}

/// Whether the command in front of a setting makes it hold on the machine of its shell: no container's, no other
/// namespace's, and no trial.
fn runs_here(command: &str) -> bool {
    const ELSEWHERE: [&str; 8] =
        ["--sysctl", "--dry-run", "unshare ", "nsenter ", " exec ", "ansible ", "minikube ", "chroot "];
    command.contains("sysctl ") && !ELSEWHERE.iter().any(|word| command.contains(word))
}

/// Whether a command has printed nothing, or `echoed` as `tee` does, and the shell has come back: so says the next
/// prompt. Only then has what prints nothing on success succeeded.
fn is_silent(block: &Block, prompt: &str, echoed: Option<u64>) -> bool {
    let is_prompt = |line: &&Line| line.text == prompt;
    let mut lines = block.lines().filter(|line| line.says_something() && !is_prompt(line));
    let is_quiet = lines.all(|line| echoed.is_some() && number::bare(&line.text) == echoed);
    is_quiet && (block.is_before_command() || block.lines().any(|line| is_prompt(&line)))
}

/// N of `echo N > /proc/sys/fs/inotify/…` and `echo N | tee /proc/sys/…`.
fn echoed(before: &str) -> Option<u64> {
    let (_, rest) = before.rsplit_once("echo ")?;
    let rest = rest.trim_start_matches(['"', '\'', ' ']);
    let (value, length) = number::count(rest)?;
    let rest = rest.get(length..)?;
    (rest.contains('>') || rest.contains("tee")).then_some(value)
}

/// A sysctl name in a line.
struct Key {
    limit: Limit,
    start: usize,
    end: usize,
    /// How it is written.
    style: Style,
}

/// How a name is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// `fs.inotify.max_user_watches`.
    Dotted,
    /// `/proc/sys/fs/inotify/max_user_watches`.
    Path,
    /// Without anything in front, as inotify-info prints it.
    Short,
}

/// The first inotify limit named in `text` from byte `from` on. `fs.epoll.…` and `fs.fanotify.…` have look-alikes.
fn find_key(text: &str, from: usize) -> Option<Key> {
    const NAMES: [(&str, Limit, bool); 4] = [
        ("user_instances", Limit::Instances, true),
        ("user_watches", Limit::Watches, true),
        ("inotify_instances", Limit::Instances, false),
        ("inotify_watches", Limit::Watches, false),
    ];
    static MAX: Needles = Needles::new(&["max_"]);
    let mut at = from;
    while let Some(found) = MAX.first_in(text.get(at..)?) {
        let max = at + found.start;
        at = max + "max_".len();
        let (before, after) = (text.get(..max)?, text.get(at..)?);
        let Some((name, limit, may_be_short)) = NAMES.into_iter().find(|(name, ..)| after.starts_with(name)) else {
            continue;
        };
        let long = ["fs.inotify.", "fs/inotify/", "user."].into_iter().find(|prefix| before.ends_with(prefix));
        let short = may_be_short && before.chars().next_back().is_none_or(char::is_whitespace);
        if long.is_some() || short {
            return Some(Key {
                limit,
                start: max - long.map_or(0, str::len),
                end: at + name.len(),
                style: match long {
                    None => Style::Short,
                    Some("fs/inotify/") => Style::Path,
                    Some(_) => Style::Dotted,
                },
            });
        }
    }
    None
}

/// The value that a line gives `key`, how, and the bytes from the key to the value's end.
fn setting(text: &str, key: &Key, for_later: bool) -> Option<(Form, u64, Range<usize>)> {
    const AROUND: [char; 5] = [' ', '\t', '`', '"', '\''];
    let rest = text.get(key.end..)?;
    let trimmed = rest.trim_start_matches(AROUND);
    let (separator, value_text) = match trimmed.chars().next()? {
        separator @ ('=' | ':' | '|' | ',') => (separator, trimmed.get(1..)?),
        digit if digit.is_ascii_digit() && trimmed.len() < rest.len() => (' ', trimmed),
        // "The value of … is 128".
        'i' if !text.get(..key.start)?.contains("default") => (' ', trimmed.strip_prefix("is ")?),
        _ => return None,
    };
    let value_text = value_text.trim_start_matches(AROUND);
    let (value, length) = number::count(value_text)?;
    let end = text.len() - value_text.len() + length;
    // `# key`, `- key`, `/etc/sysctl.conf:key`: what stands right in front, not at the other end of a long line.
    let before = text.get(..key.start)?.split(' ').next_back()?;
    let marked = text.trim_start().starts_with(['#', '-', '+']);
    let behind = text.get(end..)?.trim_start();
    let change = ["->", "=>", "→"].iter().any(|arrow| behind.starts_with(arrow));
    let written = for_later || marked || change || before.contains(".conf") || before.contains("/etc/");
    let form = match separator {
        _ if written => Form::Intended,
        // sysctl prints blanks around its sign; files are mostly written without.
        '=' if !rest.starts_with([' ', '\t']) && !told_as_present(text.get(..key.start)?) => Form::Intended,
        ':' if key.style == Style::Dotted => Form::Intended,
        _ => Form::Live,
    };
    Some((form, value, key.start..end))
}

/// True when the words in front of a name say that its value holds now.
fn told_as_present(before: &str) -> bool {
    let before = before.trim_end();
    ["current", "currently", "now", "当前", "目前", "现在", "現在"].iter().any(|word| before.ends_with(word))
}

/// True when the lines of this block are a file's text, not what the kernel says.
fn writes_a_file(block: &Block) -> bool {
    let command = block.command_text();
    let names_file = |text: &str| text.contains(".conf") || text.contains("/etc/sysctl");
    let heading = block.heading.is_some_and(|line| names_file(&line.text));
    let file = names_file(command) && !command.contains("sysctl -p") && !command.contains("--system");
    heading || file || command.contains("<<")
}

fn is_sysctl(text: &str) -> bool {
    let text = text.trim_start();
    ROOTS.iter().any(|root| text.starts_with(root))
        && text.split_once('=').is_some_and(|(key, _)| !key.trim_end().contains(char::is_whitespace))
        || text.starts_with("sysctl: ")
}

/// The last live value wins; an intended one never replaces a live one.
fn keep(notes: &mut Notes, limit: Limit, form: Option<Form>, found: Found<u64>) {
    let (live, intended) = match limit {
        Limit::Instances => (Gauge::MaxInstances, Gauge::IntendedInstances),
        Limit::Watches => (Gauge::MaxWatches, Gauge::IntendedWatches),
    };
    match form {
        None => {}
        Some(Form::Typed) => drop(notes.raises.insert((live, found.host), found)),
        Some(Form::Set) => {
            keep(notes, limit, Some(Form::Typed), found.clone());
            keep(notes, limit, Some(Form::Live), found);
        }
        Some(Form::Intended) => drop(notes.gauge(intended, found)),
        Some(Form::Live) => {
            let (value, host) = (found.value, found.host);
            // A command is known to have raised the limit when the limit is read afterwards.
            let raise = notes.raises.remove(&(live, host)).filter(|raise| raise.value == value);
            let earlier = notes.gauge(live, found);
            if let Some(raise) = raise.filter(|_| earlier.as_ref().is_none_or(|earlier| earlier.value < value)) {
                overcome(notes, limit, &raise);
            }
            if let Some(earlier) = earlier.filter(|earlier| limit == Limit::Watches && earlier.value > value) {
                notes.gauge(Gauge::EarlierWatches, earlier);
            }
        }
    }
}

/// What was refused before a raise says nothing of the limit that holds since.
fn overcome(notes: &mut Notes, limit: Limit, raise: &Found<u64>) {
    // The errors may be those of another machine.
    if notes.facts.foreign_log {
        return;
    }
    // How many watches the node needs cannot be told, but what distributions set has to do.
    let about = match limit {
        Limit::Instances => InotifyError::Instances,
        Limit::Watches if raise.value >= ENOUGH_WATCHES => InotifyError::Watches,
        Limit::Watches => return,
    };
    let is_over = |error: &mut Found<InotifyError>| error.value == about && raise.is_since(error);
    let inotify = &mut notes.facts.inotify;
    inotify.overcome.extend(inotify.errors.extract_if(.., is_over));
}

#[cfg(test)]
mod tests {
    use crate::facts::Inotify;
    use crate::{Input, read};

    fn inotify(text: &str) -> Inotify {
        read::texts(&[Input::new("paste", text)]).facts.inotify
    }

    fn live(text: &str) -> (Option<u64>, Option<u64>) {
        let inotify = inotify(text);
        (inotify.max_instances.map(|found| found.value), inotify.max_watches.map(|found| found.value))
    }

    #[test]
    fn live_readings() {
        for text in [
            "fs.inotify.max_user_instances = 128\nfs.inotify.max_user_watches = 8192",
            "$ sysctl -n fs.inotify.max_user_instances\n128\n$ cat /proc/sys/fs/inotify/max_user_watches\n8192",
            "$ cat /proc/sys/fs/inotify/*\n16384\n128\n8192",
            "user.max_inotify_instances = 128\nuser.max_inotify_watches = 8192",
            "INotify Limits:\n  max_queued_events:  16,384\n  max_user_instances: 128\n  max_user_watches:   8,192",
            "fs.inotify.max_queued_events = 1 fs.inotify.max_user_instances = 128 fs.inotify.max_user_watches = 8192",
            "max_user_instances      128\nmax_user_watches        8,192",
            "# sysctl fs.inotify.max_user_instances=128\nfs.inotify.max_user_instances = 128\n\
             # echo 8192 > /proc/sys/fs/inotify/max_user_watches\n# uname -r",
            "$ sudo sysctl -qw fs.inotify.max_user_instances=128 && sudo sysctl -q fs.inotify.max_user_watches=8192\n$",
            "$ echo 128 | sudo tee /proc/sys/fs/inotify/max_user_instances\n128\n\
             $ echo 8192 | sudo tee /proc/sys/fs/inotify/max_user_watches >/dev/null\n$ uptime",
            "$ grep . /proc/sys/fs/inotify/*\n/proc/sys/fs/inotify/max_user_instances:128\n/proc/sys/fs/inotify/max_user_watches:8192",
            "$ cat /proc/sys/fs/inotify/max_user_{instances,watches}\n128\n8192",
            "节点当前 fs.inotify.max_user_instances=128，目前 fs.inotify.max_user_watches=8192，请问够用吗？",
            "The value of fs.inotify.max_user_instances is 128, that of fs.inotify.max_user_watches is 8192.",
        ] {
            assert_eq!(live(text), (Some(128), Some(8192)), "{text}");
        }
    }

    #[test]
    fn intended_values_are_not_live() {
        for text in [
            "echo fs.inotify.max_user_instances=8192 | sudo tee -a /etc/sysctl.conf && sudo sysctl -p",
            "$ cat /etc/sysctl.d/99-inotify.conf\nfs.inotify.max_user_instances = 8192",
            "/etc/sysctl.conf:\n```\nfs.inotify.max_user_instances = 8192\n```",
            "fs.inotify.max_user_instances=8192",
            "fs.inotify.max_user_instances: \"8192\"",
            "        - fs.inotify.max_user_instances=8192",
            "/etc/sysctl.d/10.conf:fs.inotify.max_user_instances = 8192",
            "docker exec -t x bash -c \"echo 'fs.inotify.max_user_instances=8192' >> /etc/sysctl.conf\"",
            "    sudo sysctl -w fs.inotify.max_user_instances=8192",
            "$ echo \"sysctl -w fs.inotify.max_user_instances=8192\" >> /etc/rc.local",
            "write_files:\n- path: /etc/sysctl.d/99.conf\n  content: |\n    fs.inotify.max_user_instances = 8192",
            "cat <<EOF > /etc/sysctl.d/x.conf\nfs.inotify.max_user_instances = 8192\nEOF",
        ] {
            assert_eq!(live(text).0, None, "{text}");
            assert_eq!(inotify(text).intended_instances.map(|found| found.value), Some(8192), "{text}");
        }
    }

    #[test]
    fn what_is_typed_without_effect_is_neither_live_nor_kept_for_later() {
        const SETS: &str = "$ sudo sysctl -w fs.inotify.max_user_instances=8192\n";
        const ECHOES: &str = "# echo 8192 > /proc/sys/fs/inotify/max_user_instances\n";
        for text in [
            SETS,
            ECHOES,
            &format!("{SETS}sysctl: permission denied on key \"fs.inotify.max_user_instances\""),
            &format!("{SETS}Sorry, try again.\nsudo: 3 incorrect password attempts\n$ uptime"),
            &format!("{SETS}sudo: a password is required\n$ uptime"),
            &format!("{SETS}ops is not in the sudoers file.\n$ uptime"),
            &format!("{SETS}$ uptime"),
            &format!("{ECHOES}-bash: x: Read-only file system"),
            &format!("{ECHOES}-bash: echo: write error: Invalid argument\n# uptime"),
            "root@n1:~# # ask: sysctl -w fs.inotify.max_user_instances=8192\nroot@n1:~# uptime",
            "root@n1:~# uptime # echo 8192 > /proc/sys/fs/inotify/max_user_instances\nroot@n1:~# uptime",
            "$ echo 8192 | sudo tee /proc/sys/fs/inotify/max_user_instances\n[sudo] password for ops:\n$ uptime",
            "$ systctl -w fs.inotify.max_user_instances=8192",
            "root@n1:~# unshare -Ur sysctl -w user.max_inotify_instances=8192\nroot@n1:~# uptime",
            "root@n1:~# sysctl --dry-run -w fs.inotify.max_user_instances=8192\n# uptime",
            "root@n1:~# docker exec x sysctl -w fs.inotify.max_user_instances=8192\n# uptime",
            "$ docker run --sysctl fs.inotify.max_user_instances=8192 x",
        ] {
            assert_eq!(live(text).0, None, "{text}");
            assert_eq!(inotify(text).intended_instances, None, "{text}");
        }
    }

    #[test]
    fn the_last_live_value_wins_and_look_alikes_do_not_count() {
        let text = "fs.inotify.max_user_watches = 9\n$ sysctl fs.inotify.max_user_watches=7\n\
                    fs.inotify.max_user_watches = 7";
        assert_eq!(live(text), (None, Some(7)));
        assert_eq!(inotify(text).earlier_watches.map(|found| found.value), Some(9));
        assert_eq!(live("fs.epoll.max_user_watches = 212992\nfs.fanotify.max_user_groups = 128"), (None, None));
    }
}
