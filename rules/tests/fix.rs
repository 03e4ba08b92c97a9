//! `--fix` on every manifest among the examples, and as its users meet it.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use proptest::prelude::*;
use proptest::sample::{Index, select};
use rules::fix::{fix, fix_all};
use rules::report::{Finding, Severity};
use rules::rules::{RULES, Rule};
use rules::settings::Settings;
use rules::{Input, check};

/// All YAML and JSON files among the examples.
fn manifests() -> Vec<PathBuf> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let files = |rule: &&Rule| fs::read_dir(examples.join(rule.id)).unwrap().map(|file| file.unwrap().path());
    let mut found: Vec<PathBuf> = RULES.iter().flat_map(files).collect();
    found.retain(|path| path.extension().is_some_and(|extension| extension == "yaml" || extension == "json"));
    found.retain(|path| !path.ends_with("settings.yaml"));
    found.sort();
    found
}

/// What is found in a text under the settings that stand beside `path`.
fn findings(text: &str, path: &Path) -> Vec<Finding> {
    let settings = fs::read_to_string(path.with_file_name("settings.yaml")).unwrap_or_default();
    let settings: Settings = serde_yaml::from_str(&settings).unwrap();
    check(&[Input::new("a", text)], &settings).findings
}

#[test]
fn a_fixed_example_no_longer_fires_what_was_fixed_and_keeps_its_layout() {
    let mut fixed_files = 0;
    for path in manifests() {
        let text = fs::read_to_string(&path).unwrap();
        let before = findings(&text, &path);
        let patched: Vec<&Finding> = before.iter().filter(|finding| !finding.patch.is_empty()).collect();
        let fixed = fix(&Input::new("a", text.as_str()), &before);
        assert!(fixed.left.is_empty() && fixed.reformatted.is_empty(), "{}: {fixed:?}", path.display());
        if patched.is_empty() {
            assert_eq!(fixed.text, text, "{}", path.display());
            continue;
        }
        fixed_files += 1;
        for left in findings(&fixed.text, &path) {
            let same =
                patched.iter().any(|finding| (&finding.rule, &finding.container) == (&left.rule, &left.container));
            assert!(!same && left.severity != Severity::Error, "{}: {left:?}\n{}", path.display(), fixed.text);
        }
        // Lines that hold no changed field are still there, in order.
        let mut kept = fixed.text.lines();
        let gone: Vec<&str> = text
            .lines()
            .filter(|line| !kept.clone().any(|new| new == *line) || !kept.any(|new| new == *line))
            .collect();
        assert!(gone.len() <= fixed.changes.len(), "{}: {gone:#?}\n{}", path.display(), fixed.text);
    }
    assert!(fixed_files >= 10, "only {fixed_files} files");
}

fn noderisk(arguments: &[&str], stdin: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_noderisk"))
        .args(arguments)
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    child.wait_with_output().unwrap()
}

const POD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: cache}
spec:
  containers:
  - name: app # writes
    volumeMounts: [{name: v, mountPath: /v}]
  volumes:
  - name: v
    emptyDir: {medium: Memory}
";

#[test]
fn the_manifest_goes_to_standard_output_and_what_changed_to_standard_error() {
    let output = noderisk(&["--fix"], POD);
    let mounts = "    volumeMounts: [{name: v, mountPath: /v}]\n";
    let limit = "    resources:\n      limits:\n        memory: 256Mi\n";
    assert_eq!(String::from_utf8(output.stdout).unwrap(), POD.replace(mounts, &format!("{mounts}{limit}")));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "noderisk: Pod/cache: /spec/containers/0/resources/limits/memory = \"256Mi\" [memory-volume-unlimited-writer]\n"
    );
    assert_eq!(output.status.code(), Some(0), "the status is about what was printed");
}

#[test]
fn text_without_a_patch_comes_out_as_it_went_in() {
    let limit = "fs.inotify.max_user_instances = 128\r\n";
    let output = noderisk(&["--fix", "--lang", "ja"], limit);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), limit);
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "noderisk: stdin: 自動で修正できる箇所はありません\n");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn one_input_at_a_time_and_no_report_beside_it() {
    for arguments in [&["--fix", "-", "-"][..], &["--fix", "--format", "json"]] {
        let output = noderisk(arguments, POD);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(64), 0), "{arguments:?}");
        assert!(String::from_utf8(output.stderr).unwrap().contains("--fix"), "{arguments:?}");
    }
}

/// What people and editors do to a line of a manifest.
const DAMAGE: &[fn(&mut String)] = &[
    String::clear,
    |line| line.push('\r'),
    |line| line.push_str("  # 上限なし"),
    |line| line.insert_str(0, "  "),
    |line| line.insert_str(0, "> "),
    |line| line.insert_str(0, "# "),
    |line| line.insert_str(0, "---\n"),
    |line| line.insert(0, '\n'),
    |line| *line = line.replace(": ", ": &a "),
    |line| *line = line.replace('"', "'"),
    |line| *line = line.trim_start().to_owned(),
    |line| line.push_str(" {}"),
    |line| line.push_str(" |"),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// However damaged a manifest is: no panic, and what came out has nothing left to fix.
    #[test]
    fn damaged_manifests_are_fixed_or_left_alone(
        path in select(manifests()),
        damage in prop::collection::vec((any::<Index>(), select(DAMAGE)), 0..4),
    ) {
        let text = fs::read_to_string(path).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for (line, damage) in damage {
            let line = line.index(lines.len());
            damage(&mut lines[line]);
        }
        let text = lines.join("\n");
        let settings = Settings::default();
        let fixed = fix_all(&Input::new("a", text.as_str()), &settings);
        if fixed.changes.is_empty() {
            prop_assert_eq!(&fixed.text, &text);
        }
        if fixed.left.is_empty() {
            let findings = check(&[Input::new("a", fixed.text.as_str())], &settings).findings;
            let left: Vec<&Finding> = findings.iter().filter(|finding| !finding.patch.is_empty()).collect();
            prop_assert!(left.is_empty(), "{:?}\n{}", left, fixed.text);
        }
    }
}

#[test]
fn a_rewritten_document_keeps_strings_that_yaml_1_1_would_take_for_something_else() {
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec:\n  volumes: [{name: s, emptyDir: {medium: Memory}}]\n  \
                containers:\n  - name: c\n    env: [{name: A, value: \"on\"}, {name: B, value: \"12:30:45\"}]\n    \
                resources: &r {limits: {cpu: 1}}\n    volumeMounts: [{name: s, mountPath: /s}]\n  - name: d\n    \
                resources: *r\n";
    let fixed = fix_all(&Input::new("pod.yaml", text), &Settings::default());
    assert!(!fixed.reformatted.is_empty(), "an anchor cannot be edited in place");
    for string in ["\"on\"", "\"12:30:45\""] {
        assert!(fixed.text.contains(string), "{string} lost its quotes:\n{}", fixed.text);
    }
}
