//! What tests of rules and risks share: facts made by hand, and a check of every finding's form.

use serde_json::Value;

use crate::Context;
use crate::facts::{Facts, Found, Host};
use crate::kubernetes::version::Version;
use crate::report::{Finding, Place};
use crate::rules::{Lang, Rule, placeholders};
use crate::settings::Settings;
use crate::show::said;

/// A value read at the start of the first input.
pub fn found<T>(value: T) -> Found<T> {
    Found { value, place: Place::default(), host: Host::default() }
}

/// A version read at the start of the first input.
pub fn version(text: &str) -> Found<Version> {
    found(Version::parse(text).unwrap())
}

/// The facts of one manifest.
pub fn manifest(object: Value) -> Facts {
    crate::read::object(&object, &Context::default())
}

/// What `rule` finds with the default settings. Each finding must be complete: evidence, and words in every language
/// without a placeholder left open.
pub fn findings(rule: &Rule, facts: &Facts) -> Vec<Finding> {
    findings_with(rule, facts, &Settings::default())
}

/// [`findings`] with other settings.
pub fn findings_with(rule: &Rule, facts: &Facts, settings: &Settings) -> Vec<Finding> {
    let findings = rule.findings(facts, settings);
    for finding in &findings {
        assert_eq!(finding.rule, rule.id);
        assert!(!finding.evidence.is_empty(), "{finding:?}");
        for (lang, tag) in Lang::ALL {
            let said = said(finding, lang).unwrap();
            assert!(!said.says.is_empty(), "{tag}: no form fits {finding:?}");
            for words in [&said.says, &said.fix, &said.why, &said.remedy] {
                assert_eq!(placeholders(words).next(), None, "{tag}: {words}");
            }
        }
    }
    findings
}

/// What the only finding says in English.
pub fn says(rule: &Rule, facts: &Facts) -> String {
    let findings = findings(rule, facts);
    let [finding] = findings.as_slice() else { panic!("{} findings: {findings:?}", findings.len()) };
    said(finding, Lang::En).unwrap().says
}
