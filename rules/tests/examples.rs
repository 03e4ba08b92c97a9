//! Every rule has examples: bad ones fire it, good ones do not, and a patched bad one is good.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use rules::patch;
use rules::report::{Report, Severity};
use rules::rules::RULES;
use rules::settings::Settings;
use rules::{Context, Input, check, check_object};
use serde_json::Value;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples")
}

/// What else is in the folder: how to embed the page.
const EMBEDDING: &str = "embedding";

/// File of a folder of examples that holds the settings under which its rule fires, where it needs any.
const SETTINGS: &str = "settings.yaml";

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| name != SETTINGS && name != EMBEDDING).collect()
}

fn settings(folder: &Path) -> Settings {
    let text = fs::read_to_string(folder.join(SETTINGS)).unwrap_or_default();
    serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
}

fn report(path: &Path) -> Report {
    let text = fs::read_to_string(path).unwrap();
    check(&[Input::new(path.to_string_lossy(), text)], &settings(path.parent().unwrap()))
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
            let count = names.iter().filter(|name| name.starts_with(kind)).count();
            assert!(count >= 2, "{id} has {count} {kind} examples");
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

#[test]
fn patches_remove_their_finding_and_cause_no_error() {
    let mut patched = 0;
    for rule in RULES {
        let folder = folder().join(rule.id);
        for name in names(&folder).into_iter().filter(|name| name.starts_with("bad-") && name.ends_with(".yaml")) {
            let text = fs::read_to_string(folder.join(&name)).unwrap();
            let object: Value = serde_yaml::from_str(&text).unwrap();
            let report = |object: &Value| check_object(object, &Context::default(), &settings(&folder));
            let findings = report(&object).findings;
            let patches = findings.iter().filter(|finding| finding.rule == rule.id && !finding.patch.is_empty());
            let mut fixed = object.clone();
            for finding in patches {
                assert!(patch::apply(&mut fixed, &finding.patch).is_empty(), "{}/{name}", rule.id);
                patched += 1;
            }
            if fixed != object {
                let left = report(&fixed).findings;
                let bad = left.iter().find(|left| left.rule == rule.id || left.severity == Severity::Error);
                assert_eq!(bad, None, "{}/{name}", rule.id);
            }
        }
    }
    assert!(patched >= 10, "only {patched} patches");
}
