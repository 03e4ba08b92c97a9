//! The report as JSON: the report itself, in the shape that [`Report`] documents.

use std::fmt::Write as _;

use serde::Serialize;

use super::is_unsafe;
use crate::report::Report;

/// The report as indented JSON, with a line feed at its end. Pure ASCII is not forced, but characters that could
/// disturb a terminal are escaped, so that the output may be looked at as well as parsed.
///
/// # Errors
/// None that a report can cause; the signature leaves them to the JSON writer.
pub fn json(report: &Report) -> serde_json::Result<String> {
    escaped(report)
}

/// Indented JSON in which nothing disturbs a terminal, with a line feed at its end.
pub(super) fn escaped(value: &impl Serialize) -> serde_json::Result<String> {
    let plain = serde_json::to_string_pretty(value)?;
    let mut escaped = String::with_capacity(plain.len() + 1);
    for c in plain.chars() {
        // The writer has escaped everything below a blank; what is left of the unsafe ones stands inside strings.
        if c != '\n' && is_unsafe(c) {
            let _ = write!(escaped, "\\u{:04x}", u32::from(c));
        } else {
            escaped.push(c);
        }
    }
    escaped.push('\n');
    Ok(escaped)
}

#[cfg(test)]
mod tests {
    use super::json;
    use crate::report::{Report, Unread, Why};
    use crate::settings::Settings;

    fn report(message: &str) -> Report {
        let mut report = crate::check(&[], &Settings::default());
        let why = Why::Broken { message: message.to_owned() };
        report.unread = vec![Unread { input: 0, first_line: 1, last_line: 2, why }];
        report
    }

    #[test]
    fn what_is_written_reads_back_as_the_same_report() {
        let report = report("did not find `\u{9b}31m` \u{202e} at\n\tline 2");
        let text = json(&report).unwrap();
        assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
    }

    #[test]
    fn nothing_that_moves_a_cursor_is_written_raw() {
        let text = json(&report("\u{1b}[2J \u{9b}2J \u{7f} \u{202e}")).unwrap();
        assert!(text.chars().all(|c| c == '\n' || !super::is_unsafe(c)), "{text}");
    }

    #[test]
    fn names_follow_the_contract() {
        let value: serde_json::Value = serde_json::from_str(&json(&report("x")).unwrap()).unwrap();
        assert_eq!(value["version"], 1);
        assert_eq!(value["verdict"], "cannot-judge");
        assert_eq!(value["risks"]["cgroup-cleanup"]["status"], "no-evidence");
        assert_eq!(value["unread"][0]["why"]["reason"], "broken");
    }
}
