//! Whatever is pasted: no panic, places that lie in the text, the same answer twice, and no harm from noise around it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use rules::report::{Report, Risk, Status};
use rules::settings::Settings;
use rules::{Input, check};

/// Every example as path and text.
static EXAMPLES: LazyLock<Vec<(PathBuf, String)>> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let folders = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let mut files: Vec<PathBuf> = folders
        .flat_map(|folder| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()))
        .filter(|path| {
            path.file_name().is_some_and(|name| {
                let name = name.to_string_lossy();
                name.starts_with("bad") || name.starts_with("good")
            })
        })
        .collect();
    files.sort();
    files.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
});

/// Pieces that readers look for, so that random text comes near what they understand.
const PIECES: &[&str] = &[
    "$ ",
    "# ",
    "[root@n ~]# ",
    "> ",
    "```",
    "```yaml\n",
    "`",
    "\n",
    "\r\n",
    "\n\n",
    "---\n",
    "  ",
    "\t",
    "\u{1b}[31m",
    "\u{feff}",
    "𝒂",
    "é",
    "\\n",
    "fs.inotify.max_user_instances",
    " = ",
    "=",
    ": ",
    "128",
    "16,384",
    "1e99",
    "99999999999999999999",
    "sysctl -n ",
    "cat /proc/cgroups\n",
    "memory\t4\t64734\t1\n",
    "13:misc:/ ",
    "0::/",
    "cgroup2 on /sys/fs/cgroup type cgroup2 (rw)\n",
    "containerd v1.6.12",
    "runc version 1.1.7",
    "kubelet v1.27.1",
    "failed to create fsnotify watcher: too many open files",
    "mkdir /sys/fs/cgroup/memory/x: no space left on device",
    "\"Failed to delete cgroup paths\" cgroupName=[kubepods podaaaaaaaa-",
    "apiVersion: v1\n",
    "kind: Pod\n",
    "spec:\n",
    "  containers:\n",
    "  - name: a\n",
    "  volumes:\n",
    "    emptyDir:\n",
    "      medium: Memory\n",
    "{{ .x }}",
    "{\"",
    "[",
    "]",
    "}",
    "&a ",
    "*a",
    "<<: *a\n",
    "| ",
    "uniq -c\n",
    "      7    2855 root     containerd-shim x\n",
    "find /proc/*/fd -lname anon_inode:inotify | wc -l\n",
    "UID 0: 127 instances",
    "@@ -1 +1 @@\n",
    "Medium: Memory",
];

fn report(text: &str) -> Report {
    check(&[Input::new("paste", text)], &Settings::default())
}

/// Every place of a report lies in the text, and every line is accounted for at most once.
fn assert_places(text: &str, report: &Report) {
    let lines: Vec<usize> = text.split('\n').map(|line| line.encode_utf16().count()).collect();
    for evidence in report.findings.iter().flat_map(|finding| &finding.evidence) {
        let span = evidence.place.span.expect("a finding about text has a span");
        assert!((1..=lines.len()).contains(&span.line), "{span:?} in {text:?}");
        let width = lines[span.line - 1];
        assert!(
            1 <= span.column && span.column <= span.end_column && span.end_column <= width + 1,
            "{span:?} in {text:?}"
        );
    }
    let mut used = vec![0; lines.len() + 1];
    let read = report.read.iter().map(|read| (read.first_line, read.last_line));
    let unread = report.unread.iter().map(|unread| (unread.first_line, unread.last_line));
    for (first, last) in read.chain(unread) {
        assert!(1 <= first && first <= last && last <= lines.len(), "{first}-{last} of {text:?}");
        (first..=last).for_each(|line| used[line] += 1);
    }
    assert!(used.iter().all(|&count| count <= 1), "a line is read and unread: {text:?}\n{report:#?}");
}

fn random_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => select(PIECES).prop_map(str::to_owned),
        1 => any::<String>(),
        1 => "[ -~]{0,20}",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// An example with a stretch cut out and pieces put in.
fn damaged_example() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec((any::<Index>(), select(PIECES)), 0..6);
    (any::<Index>(), any::<Index>(), any::<Index>(), pieces).prop_map(|(example, from, to, pieces)| {
        let mut chars: Vec<char> = example.get(&EXAMPLES).1.chars().collect();
        let (from, to) = (from.index(chars.len()), to.index(chars.len()));
        if from < to && to - from < 80 {
            chars.drain(from..to);
        }
        for (at, piece) in pieces {
            let at = at.index(chars.len().max(1)).min(chars.len());
            chars.splice(at..at, piece.chars());
        }
        chars.into_iter().collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_text_is_read_without_panic(text in random_text()) {
        let first = report(&text);
        assert_places(&text, &first);
        prop_assert_eq!(first, report(&text));
    }

    #[test]
    fn damaged_examples_are_read_without_panic(text in damaged_example()) {
        assert_places(&text, &report(&text));
    }
}

/// What a report says, whatever line it stands on.
fn meaning(report: &Report) -> (BTreeMap<Risk, Status>, Vec<String>) {
    let findings = report.findings.iter().map(|finding| {
        let evidence: Vec<&str> = finding.evidence.iter().map(|evidence| evidence.observed.as_str()).collect();
        format!("{} {:?} {:?} {:?} {evidence:?}", finding.rule, finding.object, finding.container, finding.volume)
    });
    (report.risks.iter().map(|(risk, state)| (*risk, state.status)).collect(), findings.collect())
}

#[test]
fn noise_around_an_example_changes_nothing() {
    const NOISE: &str = "Hi all, this is what I see since Tuesday; any idea?\n(we run 40 of these)\n";
    for (path, text) in EXAMPLES.iter() {
        let alone = meaning(&report(text));
        for noisy in
            [format!("{NOISE}\n{text}"), format!("{text}\n\n{NOISE}"), format!("{NOISE}\n```\n{text}\n```\n{NOISE}")]
        {
            assert_eq!(meaning(&report(&noisy)), alone, "{}\n{noisy}", path.display());
        }
    }
}

#[test]
fn what_terminals_and_mails_add_changes_nothing() {
    for (path, text) in EXAMPLES.iter() {
        let alone = meaning(&report(text));
        let crlf = text.replace('\n', "\r\n");
        let quoted: String = text.lines().map(|line| format!("> {line}\n")).collect();
        let bom = format!("\u{feff}{text}");
        let reset: String = text.lines().map(|line| format!("{line}\u{1b}[0m\n")).collect();
        for changed in [crlf, quoted, bom, reset] {
            assert_eq!(meaning(&report(&changed)), alone, "{}\n{changed}", path.display());
        }
    }
}

#[test]
fn findings_point_into_the_text_as_it_was_pasted() {
    for (_, text) in EXAMPLES.iter() {
        assert_places(text, &report(text));
    }
}

#[test]
fn hostile_documents_are_refused_with_a_note() {
    let nested = format!("kind: Pod\nspec: {{containers: {}{}}}\n", "[".repeat(10_000), "]".repeat(10_000));
    let indented: String = std::iter::once("kind: Pod\napiVersion: v1\nspec:\n".to_owned())
        .chain((1..2_000).map(|depth| format!("{}a:\n", " ".repeat(depth))))
        .collect();
    let bomb: String = std::iter::once("kind: Pod\napiVersion: v1\na0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned())
        .chain(
            (1..20).map(|level| format!("a{level}: &a{level} [{}]\n", vec![format!("*a{}", level - 1); 9].join(","))),
        )
        .chain(["spec: {containers: *a19}\n".to_owned()])
        .collect();
    let truncated = "{\"kind\": \"Pod\", \"spec\": {\"containers\": [{\"name\": \"a\"".to_owned();
    for text in [nested, indented, bomb, truncated] {
        let report = report(&text);
        assert!(!report.unread.is_empty(), "{:.60}", text);
        assert!(report.findings.is_empty(), "{:.60}", text);
    }
}
