//! Every rule has examples: bad ones fire it, good ones do not.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use rules::report::{Report, Severity};
use rules::rules::RULES;
use rules::settings::Settings;
use rules::{Input, check};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples")
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

fn report(path: &Path) -> Report {
    let text = fs::read_to_string(path).unwrap();
    check(&[Input::new(path.to_string_lossy(), text)], &Settings::default())
}

/// What is wrong with one example, if anything.
fn problem(rule: &str, path: &Path) -> Option<String> {
    let report = report(path);
    let fires = report.findings.iter().any(|finding| finding.rule == rule);
    let name = path.file_name()?.to_string_lossy().into_owned();
    let other_error = report.findings.iter().find(|finding| finding.severity == Severity::Error);
    match (name.starts_with("bad-"), fires, other_error) {
        (true, false, _) => Some(format!("{rule}/{name} does not fire it")),
        (false, true, _) => Some(format!("{rule}/{name} fires it")),
        (false, false, Some(error)) => Some(format!("{rule}/{name} fires {}", error.rule)),
        _ => None,
    }
}

#[test]
fn every_rule_has_bad_and_good_examples_and_every_folder_is_a_rule() {
    let ids: BTreeSet<String> = RULES.iter().map(|rule| rule.id.to_owned()).collect();
    assert_eq!(names(&folder()), ids);
    for id in &ids {
        let names = names(&folder().join(id));
        assert!(names.iter().all(|name| name.starts_with("bad-") || name.starts_with("good-")), "{id}: {names:?}");
        for kind in ["bad-", "good-"] {
            assert!(names.iter().any(|name| name.starts_with(kind)), "{id} has no {kind} example");
        }
    }
}

#[test]
fn bad_examples_fire_their_rule_and_good_ones_do_not() {
    let problems: Vec<String> = RULES
        .iter()
        .flat_map(|rule| {
            let folder = folder().join(rule.id);
            let names = names(&folder);
            names.into_iter().filter_map(move |name| problem(rule.id, &folder.join(name)))
        })
        .collect();
    assert!(problems.is_empty(), "{problems:#?}");
}
