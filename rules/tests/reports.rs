//! What the command prints about every example, kept beside the tests so that a change of words or rules shows where
//! people will see it. `UPDATE=1 cargo test` writes it anew; read the difference before you commit it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rules::rules::{RULES, Rule};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The names in a folder of the repository, sorted.
fn names(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(repository().join(folder)).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The command line for one example and what it prints.
fn session(folder: &str, example: &str) -> String {
    let settings = format!("{folder}/settings.yaml");
    let mut arguments = vec![format!("{folder}/{example}")];
    if repository().join(&settings).exists() {
        arguments.splice(0..0, ["--settings".to_owned(), settings]);
    }
    let command = Command::new(env!("CARGO_BIN_EXE_noderisk"))
        .args(&arguments)
        .current_dir(repository())
        .env("LC_ALL", "C.UTF-8")
        .output()
        .unwrap();
    format!("$ noderisk {}\n{}", arguments.join(" "), String::from_utf8(command.stdout).unwrap())
}

/// The sessions of all examples by the rule that they are about.
fn reports() -> BTreeMap<String, String> {
    let of_rule = |rule: &&Rule| {
        let folder = format!("examples/{}", rule.id);
        let examples = names(&folder).into_iter().filter(|name| name != "settings.yaml");
        let sessions: Vec<String> = examples.map(|example| session(&folder, &example)).collect();
        (format!("{}.txt", rule.id), sessions.join("\n\n"))
    };
    RULES.iter().map(of_rule).collect()
}

#[test]
fn reports_about_the_examples_are_the_reviewed_ones() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reports");
    let reports = reports();
    if std::env::var_os("UPDATE").is_some() {
        let _ = fs::remove_dir_all(&kept);
        fs::create_dir_all(&kept).unwrap();
        for (name, report) in &reports {
            fs::write(kept.join(name), report).unwrap();
        }
    }
    let is_kept = |name: &str, report: &String| fs::read_to_string(kept.join(name)).ok().as_ref() == Some(report);
    let changed: Vec<&String> =
        reports.iter().filter(|(name, report)| !is_kept(name, report)).map(|(name, _)| name).collect();
    assert!(changed.is_empty(), "run `UPDATE=1 cargo test` and read what changed in {changed:#?}");
    assert_eq!(names("rules/tests/reports"), reports.into_keys().collect::<Vec<_>>(), "a report about no rule");
}
