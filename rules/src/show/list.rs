//! The list of all rules.

use serde_json::json;

use super::words;
use crate::report::Risk;
use crate::rules::{Lang, RULES};

/// The rules for people: by risk, one line each.
#[must_use]
pub fn text(lang: Lang) -> String {
    let widest = RULES.iter().map(|rule| rule.id.len()).max().unwrap_or_default();
    let mut text = String::new();
    for risk in Risk::ALL {
        text.push_str(&format!("{} ({})\n", words::risk(risk).text(lang), risk.id()));
        for rule in RULES.iter().filter(|rule| rule.risk == risk) {
            let (severity, title) = (words::severity(rule.severity).text(lang), rule.words.text(lang).title);
            text.push_str(&format!("  {:widest$}  {severity}{}{title}\n", rule.id, words::COLON.text(lang)));
        }
    }
    text
}

/// The rules for programs: an array of `{id, risk, severity, title}`, sorted by id.
///
/// # Errors
/// None that the rules can cause; the signature leaves them to the JSON writer.
pub fn json(lang: Lang) -> serde_json::Result<String> {
    let rules = RULES.iter().map(|rule| {
        json!({"id": rule.id, "risk": rule.risk, "severity": rule.severity, "title": rule.words.text(lang).title})
    });
    super::json::escaped(&rules.collect::<Vec<_>>())
}
