//! inotify instances and watches in use: counts by `wc`, `uniq -c`, inotify-info and prose.

use std::collections::BTreeMap;

use crate::facts::{InUse, Whose};
use crate::read::{Notes, Reader};
use crate::text::{Block, Line, Needles, number};

/// See the module's text.
pub(super) static READER: Reader = Reader { kind: "inotify-usage", read };

fn read(block: &Block, notes: &mut Notes) {
    let command = block.command_text();
    // inotify, anon_inode:inotify, INotify.
    static TOPIC: Needles = Needles::new(&["notify"]);
    if !block.all_lines().any(|line| TOPIC.any_in(&line.text)) {
        return;
    }
    let header = |text: &str| text.contains("COUNT") && text.contains("PID") && text.contains("USER");
    let counted = block.all_lines().any(|line| line.text.contains("uniq -c") || header(&line.text));
    let filtered = is_filtered(command) || sees_own_processes_alone(block);
    // By user, over all lines of the block: how many instances, and the first line that says so.
    let mut per_user: BTreeMap<Whose, (u64, &Line)> = BTreeMap::new();
    for line in block.lines() {
        // A limit that the same command prints is no count.
        if let Some(total) = total(command, &line.text).filter(|_| !notes.is_claimed(line)) {
            notes.claim(READER.kind, line);
            if command.contains("lsof") {
                let found = notes.found((), block.paste, line, 0..line.text.len());
                notes.facts.inotify.inflated_counts.push(found);
            } else if let Some(count) = total {
                let in_use = InUse { count, whose: Whose::Everyone, at_least: filtered, limit: None };
                keep(block, line, in_use, Kind::Instances, notes);
            }
        } else if let Some((kind, in_use)) = said(&line.text) {
            notes.claim(READER.kind, line);
            keep(block, line, in_use, kind, notes);
        } else if let Some((count, whose)) =
            row(&line.text).filter(|_| counted || line.text.contains("containerd-shim"))
        {
            notes.claim(READER.kind, line);
            if let Some(whose) = whose {
                let sum = per_user.entry(whose).or_insert((0, line));
                sum.0 = sum.0.saturating_add(count);
            }
        } else if line.text.trim_start().starts_with("find: ") && line.text.contains("/fd") {
            // Processes that ended while find was looking.
            notes.claim(READER.kind, line);
        }
    }
    for (whose, (count, line)) in per_user {
        keep(block, line, InUse { count, whose, at_least: filtered, limit: None }, Kind::Instances, notes);
    }
}

/// What was counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Instances,
    Watches,
}

fn keep(block: &Block, line: &Line, in_use: InUse, kind: Kind, notes: &mut Notes) {
    let found = notes.found(in_use, block.paste, line, 0..line.text.len());
    match kind {
        Kind::Instances => notes.facts.inotify.instances_used.push(found),
        Kind::Watches => notes.facts.inotify.watches_used.push(found),
    }
}

/// A pipeline that lists only some of the processes gives a lower bound.
fn is_filtered(command: &str) -> bool {
    let is_partial = |word: &str| matches!(word, "head" | "tail" | "-user" | "-uid");
    command.split_whitespace().any(is_partial)
        || command.split("grep").skip(1).any(|rest| !rest.split('|').next().unwrap_or(rest).contains("inotify"))
}

/// `/proc/PID/fd` of other users' processes is closed to all but root (proc(5)).
fn sees_own_processes_alone(block: &Block) -> bool {
    let Some(command) = block.command else { return false };
    let prompt = command.line.text.get(..command.from).unwrap_or_default();
    // A lone `$` stands for any shell.
    prompt.contains('@') && prompt.trim_end().ends_with('$') && !command.text().contains("sudo ")
}

/// A bare number under a command that counts inotify descriptors. `Some(None)`: such a number that must not be compared
/// with the limit, because lsof lists a descriptor once per thread, or because only one process was looked at.
fn total(command: &str, text: &str) -> Option<Option<u64>> {
    let counts = command.contains("wc -l") || command.contains("grep -c");
    if !counts || !command.contains("inotify") {
        return None;
    }
    let total = number::bare(text)?;
    let everyone = command.contains("/proc/*/fd") || command.contains("/proc/[0-9]*/fd");
    Some((everyone && !command.contains("lsof")).then_some(total))
}

/// A row of `uniq -c`: `COUNT UID`, `COUNT USER`, or `COUNT PID USER COMMAND …`. The second part is `None` when the row
/// does not say whose it is.
fn row(text: &str) -> Option<(u64, Option<Whose>)> {
    let mut fields = text.split_whitespace();
    let count = number::bare(fields.next()?)?;
    let second = fields.next()?;
    match (number::bare(second), fields.next()) {
        (Some(uid), None) => Some((count, Some(Whose::Uid(u32::try_from(uid).ok()?)))),
        (Some(_), Some(user)) if is_user(user) && fields.next().is_some() => {
            Some((count, Some(Whose::User(user.to_owned()))))
        }
        // A lone name may be a user or a program; root is no program.
        (None, None) => Some((count, (second == "root").then(|| Whose::User(second.to_owned())))),
        _ => None,
    }
}

fn is_user(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'+' | b'.' | b'$'))
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Totals in words: inotify-info, watch counters, and people.
fn said(text: &str) -> Option<(Kind, InUse)> {
    let lower = text.to_ascii_lowercase();
    let everyone = |count| InUse { count, whose: Whose::Everyone, at_least: false, limit: None };
    for (phrase, kind) in [("total inotify watches", Kind::Watches), ("total inotify instances", Kind::Instances)] {
        if let Some(at) = lower.find(phrase) {
            let rest = lower.get(at + phrase.len()..)?.trim_start_matches([':', ' ', '|', '\t']);
            return Some((kind, everyone(number::count(rest)?.0)));
        }
    }
    if let Some(count) = lower.trim().strip_prefix("total ").and_then(|rest| rest.strip_suffix(" inotify watches")) {
        return Some((Kind::Watches, everyone(number::bare(count)?)));
    }
    Some((Kind::Instances, said_instances(&lower)?))
}

/// `root (UID 0) at 129/128 inotify instances`, `UID 0: 127 instances`.
fn said_instances(lower: &str) -> Option<InUse> {
    let end =
        lower.find(" inotify instances").or_else(|| lower.find(" instances").filter(|_| lower.contains("uid")))?;
    let before = lower.get(..end)?;
    let start = before.rfind(|c: char| !(c.is_ascii_digit() || matches!(c, '/' | ','))).map_or(0, |at| at + 1);
    // The character in front may be wider than one byte, in which case there is no ASCII number to read.
    let digits = before.get(start..)?;
    let (used, limit) = digits.split_once('/').map_or((digits, None), |(used, limit)| (used, Some(limit)));
    let uid = lower.split_once("uid").map(|(_, rest)| rest.trim_start_matches([' ', ':', '=']));
    let uid = uid.and_then(number::count).and_then(|(uid, _)| u32::try_from(uid).ok());
    Some(InUse {
        count: number::bare(used)?,
        whose: uid.map_or(Whose::Everyone, Whose::Uid),
        at_least: false,
        limit: limit.and_then(number::bare),
    })
}

#[cfg(test)]
mod tests {
    use crate::facts::{InUse, Inotify, Whose};
    use crate::{Input, read};

    fn inotify(text: &str) -> Inotify {
        read::texts(&[Input::new("paste", text)]).facts.inotify
    }

    fn instances(text: &str) -> Vec<InUse> {
        inotify(text).instances_used.into_iter().map(|found| found.value).collect()
    }

    fn used(count: u64, whose: Whose) -> InUse {
        InUse { count, whose, at_least: false, limit: None }
    }

    #[test]
    fn a_total_over_all_processes() {
        for command in [
            "sudo find /proc/*/fd -lname anon_inode:inotify | wc -l",
            "for i in /proc/*/fd/*; do readlink $i; done | grep -c inotify",
        ] {
            assert_eq!(instances(&format!("$ {command}\n128\n")), [used(128, Whose::Everyone)], "{command}");
        }
    }

    #[test]
    fn totals_that_must_not_be_compared() {
        for command in ["lsof | grep inotify | wc -l", "sudo ls -al /proc/2182/fd | grep anon_inode:inotify | wc -l"] {
            assert_eq!(instances(&format!("$ {command}\n15429\n")), [], "{command}");
        }
    }

    #[test]
    fn rows_are_summed_by_user() {
        let list = "$ find /proc/*/fd -lname anon_inode:inotify | xargs -I '{}' -- ps -o '%p %U %c' -p '{}' | uniq -c\n\
                    find: '/proc/81153/fd/40': No such file or directory\n      5     1 root     systemd\n      \
                    2  1602 polkitd  polkitd\n      4 55427 root     kubelet\n";
        assert_eq!(instances(list), [used(2, Whose::User("polkitd".into())), used(9, Whose::User("root".into()))]);
        let filtered = list.replace("uniq -c", "uniq -c | grep containerd-shim");
        assert!(instances(&filtered).iter().all(|in_use| in_use.at_least));
    }

    #[test]
    fn counts_by_uid() {
        let text = "if [[ $target == anon_inode:inotify* ]]; then\ndone | sort | uniq -c | sort -nr\n    127 0\n      3 1000\n";
        assert_eq!(instances(text), [used(127, Whose::Uid(0)), used(3, Whose::Uid(1000))]);
    }

    #[test]
    fn people_and_tools_say_it() {
        assert_eq!(
            instances("root (UID 0) at 129/128 inotify instances without the failing pod"),
            [InUse { limit: Some(128), ..used(129, Whose::Uid(0)) }]
        );
        assert_eq!(instances("UID 1000: 12 instances of inotify"), [used(12, Whose::Uid(1000))]);
        let info = inotify("Total inotify Watches:   7,882\nTotal inotify Instances: 18\n");
        assert_eq!(info.watches_used[0].value.count, 7882);
        assert_eq!(info.instances_used[0].value.count, 18);
        assert_eq!(inotify("total 7882 inotify watches").watches_used[0].value.count, 7882);
    }
}
