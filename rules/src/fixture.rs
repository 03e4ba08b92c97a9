//! What tests of rules and risks share: facts made by hand, and a check of every finding's form.

use serde_json::Value;

use crate::Context;
use crate::facts::{Facts, Found};
use crate::kubernetes::version::Version;
use crate::report::{Finding, Place};
use crate::rules::{Lang, Rule, placeholders};
use crate::settings::Settings;

/// A value read at the start of the first input.
pub fn found<T>(value: T) -> Found<T> {
    Found { value, place: Place::default() }
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
    let findings = (rule.check)(facts, settings);
    for finding in &findings {
        assert_eq!(finding.rule, rule.id);
        assert!(!finding.evidence.is_empty(), "{finding:?}");
        for (lang, tag) in Lang::ALL {
            let text = rule.words.text(lang);
            assert!(!text.sentence(&finding.values).is_empty(), "{tag}: no form fits {finding:?}");
            for words in [text.fix, rule.remedy] {
                let open = placeholders(words).find(|name| !finding.values.contains_key(*name));
                assert_eq!(open, None, "{} in {tag}", rule.id);
            }
        }
    }
    findings
}

/// What the only finding says in English.
pub fn says(rule: &Rule, facts: &Facts) -> String {
    let findings = findings(rule, facts);
    let [finding] = findings.as_slice() else { panic!("{} findings: {findings:?}", findings.len()) };
    rule.words.en.sentence(&finding.values)
}
