//! One check: the core's report, and the lines that its findings quote.

use std::borrow::Cow;
use std::collections::BTreeMap;

use rules::Input;
use rules::report::{Report, Span};
use rules::settings::Settings;
use rules::show::visible;

use crate::exports::NAME;

/// The longest text that is checked, in UTF-16 code units: beyond it a check would hold up the page noticeably.
pub const LIMIT: u32 = 2 * 1024 * 1024;

/// How much of a long line is quoted on each side of what matters, in characters.
const AROUND: usize = 60;

/// How much of what matters itself is quoted, in characters.
const MARKED: usize = 160;

/// What one check gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The core's report.
    pub report: Report,
    /// The quoted line of each place that a finding points at.
    pub quotes: BTreeMap<Span, Quote>,
    /// How many findings of each rule have a fix that can be applied to the text.
    pub fixable: BTreeMap<Cow<'static, str>, usize>,
    /// How many lines the text has.
    pub lines: usize,
}

/// A line with the stretch that matters, shortened where it is long, with nothing invisible in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    /// What stands before the stretch.
    pub before: String,
    /// The stretch.
    pub marked: String,
    /// What stands behind it.
    pub after: String,
}

/// Check `text` as it stands in the textarea.
#[must_use]
pub fn check(text: &str, settings: &Settings) -> Checked {
    let report = rules::check(&[Input::new(NAME, text)], settings);
    Checked::new(report, text)
}

impl Checked {
    /// What there is to show of the report about `text`.
    #[must_use]
    pub fn new(report: Report, text: &str) -> Self {
        let quotes = quotes(text, &report);
        let mut fixable = BTreeMap::new();
        for finding in report.findings.iter().filter(|finding| !finding.patch.is_empty()) {
            *fixable.entry(finding.rule.clone()).or_default() += 1;
        }
        Self { report, quotes, fixable, lines: text.lines().count() }
    }
}

/// Quote every place that the findings of `report` point at.
fn quotes(text: &str, report: &Report) -> BTreeMap<Span, Quote> {
    let evidence = report.findings.iter().flat_map(|finding| &finding.evidence);
    let mut spans: Vec<Span> = evidence.filter_map(|evidence| evidence.place.span).collect();
    spans.sort_unstable();
    spans.dedup();
    let mut quotes = BTreeMap::new();
    let mut spans = spans.into_iter().peekable();
    for (number, line) in (1..).zip(text.lines()) {
        while let Some(span) = spans.next_if(|span| span.line <= number) {
            quotes.insert(span, quote(line, span));
        }
    }
    quotes
}

fn quote(line: &str, span: Span) -> Quote {
    let start = byte_at(line, span.column);
    let end = byte_at(line, span.end_column).max(start);
    let (head, after) = line.split_at_checked(end).unwrap_or((line, ""));
    let (before, marked) = head.split_at_checked(start).unwrap_or((head, ""));
    let (before, marked) = match before.trim_start() {
        "" => ("", marked.trim_start()),
        before => (before, marked),
    };
    Quote { before: last_of(before), marked: first_of(marked, MARKED), after: first_of(after, AROUND) }
}

/// The byte at which the 1-based UTF-16 column starts; the line's end when it is shorter.
fn byte_at(line: &str, column: usize) -> usize {
    let mut here = 1;
    for (byte, c) in line.char_indices() {
        if here >= column {
            return byte;
        }
        here += c.len_utf16();
    }
    line.len()
}

fn first_of(text: &str, length: usize) -> String {
    match text.char_indices().nth(length) {
        Some((end, _)) => visible(text.get(..end).unwrap_or_default()).into_owned() + "…",
        None => visible(text).into_owned(),
    }
}

fn last_of(text: &str) -> String {
    match text.char_indices().rev().nth(AROUND) {
        Some((start, _)) => format!("…{}", visible(text.get(start..).unwrap_or_default())),
        None => visible(text).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use rules::report::Span;
    use rules::settings::Settings;

    use super::{Quote, check, quote};

    fn parts(before: &str, marked: &str, after: &str) -> Quote {
        Quote { before: before.into(), marked: marked.into(), after: after.into() }
    }

    #[test]
    fn columns_count_utf16_units() {
        let span = Span { line: 1, column: 4, end_column: 5 };
        assert_eq!(quote("😀 a b", span), parts("😀 ", "a", " b"));
    }

    #[test]
    fn a_span_outside_of_the_line_marks_nothing() {
        assert_eq!(quote("ab", Span { line: 1, column: 9, end_column: 12 }), parts("ab", "", ""));
        assert_eq!(quote("ab", Span { line: 1, column: 2, end_column: 1 }), parts("a", "", "b"));
        assert_eq!(quote("", Span { line: 1, column: 0, end_column: 0 }), parts("", "", ""));
    }

    #[test]
    fn a_long_line_is_cut_on_both_sides() {
        let line = format!("{}X{}", "a".repeat(500), "b".repeat(500));
        let quote = quote(&line, Span { line: 1, column: 501, end_column: 502 });
        assert_eq!(quote.marked, "X");
        assert!(quote.before.starts_with('…') && quote.before.ends_with("aa"));
        assert!(quote.after.starts_with("bb") && quote.after.ends_with('…'));
        assert!(quote.before.chars().count() < 70 && quote.after.chars().count() < 70);
    }

    #[test]
    fn indentation_is_not_quoted_and_marks_that_reorder_text_are_made_visible() {
        let span = Span { line: 1, column: 5, end_column: 7 };
        assert_eq!(quote("    ab\u{202e}c", span), parts("", "ab", "\u{fffd}c"));
        assert_eq!(quote("  \t ab", Span { line: 1, column: 1, end_column: 7 }), parts("", "ab", ""));
    }

    #[test]
    fn lines_are_counted() {
        assert_eq!(check("", &Settings::default()).lines, 0);
        assert_eq!(check("a\n\nb\n", &Settings::default()).lines, 3);
    }
}
