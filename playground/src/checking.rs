//! One check: the core's report, and the lines that its findings quote.

use std::collections::{BTreeMap, BTreeSet};

use rules::Input;
use rules::report::{Finding, Report, Span};
use rules::rules::Lang;
use rules::settings::Settings;
use rules::show::{said, visible};
use serde::{Deserialize, Serialize};

use crate::inputs::EDITABLE;

/// How much of a long line is quoted on each side of what matters, in characters.
const AROUND: usize = 60;

/// How much of what matters itself is quoted, in characters.
const MARKED: usize = 160;

/// Most lines of excerpts.
const EXCERPTS: usize = 500;

/// Lines of an excerpt before and behind the one that matters.
const AROUND_LINE: usize = 2;

/// How much of a line of an excerpt is shown, in characters.
const SHOWN: usize = 400;

/// What one check gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checked {
    /// The core's report.
    pub report: Report,
    /// What its rule says of each finding, in their order; none when this build does not know the rule.
    pub said: Vec<Option<Said>>,
    /// The quoted line of each observation of each finding, in their order; none where the report gives no line.
    pub quotes: Vec<Vec<Option<Quote>>>,
    /// How many lines each input has.
    pub lines: Vec<usize>,
    /// The lines around what findings point at, for texts that cannot be seen in the textarea.
    pub excerpts: Vec<Excerpt>,
}

/// What a rule says of a finding, with nothing invisible in it: [`rules::show::Said`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// A few words, no full stop.
    pub title: String,
    /// One sentence about this finding.
    pub says: String,
    /// Why it matters on a node.
    pub why: String,
    /// What to do.
    pub fix: String,
    /// Commands or YAML that mend it; empty when there is none.
    pub remedy: String,
    /// Where the facts come from.
    pub links: Vec<String>,
}

impl Said {
    fn of(finding: &Finding, lang: Lang) -> Option<Self> {
        let rules::show::Said { title, says, why, fix, remedy, links } = said(finding, lang)?;
        let links = links.iter().copied().map(str::to_owned).collect();
        Some(Self { title: title.to_owned(), says, why, fix, remedy, links })
    }
}

/// Some lines of an input, shortened where they are long, with nothing invisible in them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    /// Number of the input.
    pub input: usize,
    /// 1-based number of the first line.
    pub first_line: usize,
    /// The lines.
    pub lines: Vec<String>,
}

/// A line with the stretch that matters, shortened where it is long, with nothing invisible in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quote {
    /// What stands before the stretch.
    pub before: String,
    /// The stretch.
    pub marked: String,
    /// What stands behind it.
    pub after: String,
}

/// Check `inputs` together.
#[must_use]
pub fn check(inputs: &[Input], settings: &Settings, lang: Lang) -> Checked {
    Checked::new(rules::check(inputs, settings), inputs, lang)
}

impl Checked {
    /// What there is to show of the report about `inputs`.
    #[must_use]
    pub fn new(report: Report, inputs: &[Input], lang: Lang) -> Self {
        let said = report.findings.iter().map(|finding| Said::of(finding, lang)).collect();
        let quotes = quotes(inputs, &report);
        let lines = inputs.iter().map(|input| input.text.lines().count()).collect();
        Self { excerpts: excerpts(inputs, &report), report, said, quotes, lines }
    }

    /// How many findings of a rule have a fix that can be applied to an input.
    #[must_use]
    pub fn fixable(&self, rule: &str, input: usize) -> usize {
        self.report.findings.iter().filter(|finding| is_fixable(finding, rule, input)).count()
    }
}

/// Whether a finding of that rule has a fix that can be applied to that input.
#[must_use]
pub fn is_fixable(finding: &Finding, rule: &str, input: usize) -> bool {
    finding.rule == rule && !finding.patch.is_empty() && input_of(finding) == input
}

/// Number of the input that a finding is about.
#[must_use]
pub fn input_of(finding: &Finding) -> usize {
    finding.evidence.first().map_or(0, |evidence| evidence.place.input)
}

/// Quote every place that the findings of `report` point at.
fn quotes(inputs: &[Input], report: &Report) -> Vec<Vec<Option<Quote>>> {
    // A map sorts as it grows, so that each input is gone through once.
    let mut quoted: BTreeMap<(usize, Span), Option<Quote>> = BTreeMap::new();
    for evidence in report.findings.iter().flat_map(|finding| &finding.evidence) {
        if let Some(span) = evidence.place.span {
            quoted.insert((evidence.place.input, span), None);
        }
    }
    let mut wanted = quoted.iter_mut().peekable();
    for (index, input) in inputs.iter().enumerate() {
        for (number, line) in (1..).zip(input.text.lines()) {
            let mut from = Position::START;
            while let Some(((at, span), quoted)) = wanted.next_if(|((at, span), _)| (*at, span.line) <= (index, number))
            {
                if *at == index {
                    *quoted = Some(quote(line, *span, &mut from));
                }
            }
        }
    }
    let of_finding = |finding: &Finding| {
        let places = finding.evidence.iter().map(|evidence| &evidence.place);
        places.map(|place| quoted.get(&(place.input, place.span?)).cloned().flatten()).collect()
    };
    report.findings.iter().map(of_finding).collect()
}

/// The lines around what the findings in texts too long for the textarea point at.
fn excerpts(inputs: &[Input], report: &Report) -> Vec<Excerpt> {
    let mut wanted = BTreeSet::new();
    for evidence in report.findings.iter().flat_map(|finding| &finding.evidence) {
        let input = evidence.place.input;
        if let Some(span) = evidence.place.span
            && inputs.get(input).is_some_and(|input| input.text.len() > EDITABLE as usize)
            && wanted.len() < EXCERPTS
        {
            wanted.extend(
                (span.line.saturating_sub(AROUND_LINE).max(1)..=span.line + AROUND_LINE).map(|line| (input, line)),
            );
        }
    }
    let mut excerpts: Vec<Excerpt> = Vec::new();
    let mut wanted = wanted.into_iter().peekable();
    for (index, input) in inputs.iter().enumerate() {
        for (number, line) in (1..).zip(input.text.lines()) {
            if wanted.next_if_eq(&(index, number)).is_none() {
                continue;
            }
            let line = first_of(line, SHOWN);
            match excerpts.last_mut() {
                Some(last) if last.input == index && last.first_line + last.lines.len() == number => {
                    last.lines.push(line)
                }
                _ => excerpts.push(Excerpt { input: index, first_line: number, lines: vec![line] }),
            }
        }
        while wanted.next_if(|(at, _)| *at <= index).is_some() {}
    }
    excerpts
}

/// Quote a line around a span; `from` is a place at or before its start, and is moved there.
fn quote(line: &str, span: Span, from: &mut Position) -> Quote {
    *from = from.on(line, span.column);
    let start = from.byte;
    let end = from.on(line, span.end_column).byte;
    let (head, after) = line.split_at_checked(end).unwrap_or((line, ""));
    let (before, marked) = head.split_at_checked(start).unwrap_or((head, ""));
    let (before, marked) = match before.trim_start() {
        "" => ("", marked.trim_start()),
        before => (before, marked),
    };
    Quote { before: last_of(before), marked: first_of(marked, MARKED), after: first_of(after, AROUND) }
}

/// A place in a line. A whole file may be one line with hundreds of findings, so each is looked for from the one before.
#[derive(Clone, Copy)]
struct Position {
    byte: usize,
    /// 1-based, in UTF-16 code units.
    column: usize,
}

impl Position {
    const START: Self = Self { byte: 0, column: 1 };

    /// The place at which `column` starts, from here on; the line's end when it is shorter.
    fn on(self, line: &str, column: usize) -> Self {
        let mut here = self;
        for c in line.get(self.byte..).unwrap_or_default().chars() {
            if here.column >= column {
                break;
            }
            here.byte += c.len_utf8();
            here.column += c.len_utf16();
        }
        here
    }
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
    use rules::Input;
    use rules::report::Span;
    use rules::rules::Lang;
    use rules::settings::Settings;

    use super::{Position, Quote, check};

    fn quote(line: &str, span: Span) -> Quote {
        let mut from = Position::START;
        super::quote(line, span, &mut from)
    }

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
        let inputs = [Input::new("a", ""), Input::new("b", "a\n\nb\n")];
        assert_eq!(check(&inputs, &Settings::default(), Lang::En).lines, [0, 3]);
    }

    #[test]
    fn each_observation_is_quoted_from_its_own_input_and_line() {
        let inputs = [
            Input::new("a", "fs.inotify.max_user_watches = 1"),
            Input::new("b", "\n# 😀 fs.inotify.max_user_instances = 128"),
            Input::new("c", "fs.inotify.max_user_instances = 128 fs.inotify.max_user_watches = 8"),
        ];
        let checked = check(&inputs, &Settings::default(), Lang::En);
        let mut seen = 0;
        for (finding, quotes) in checked.report.findings.iter().zip(&checked.quotes) {
            for (evidence, quote) in finding.evidence.iter().zip(quotes) {
                let span = evidence.place.span.unwrap();
                let line = inputs[evidence.place.input].text.lines().nth(span.line - 1).unwrap();
                assert_eq!(quote.as_ref(), Some(&self::quote(line, span)));
                seen += 1;
            }
        }
        assert!(seen >= 2, "{checked:?}");
    }

    #[test]
    fn what_a_worker_sends_comes_back_whole() {
        for example in crate::examples::EXAMPLES {
            let checked = check(&[Input::new("stdin", example.text)], &Settings::default(), Lang::En);
            let sent = serde_json::to_string(&checked).unwrap();
            assert_eq!(serde_json::from_str::<super::Checked>(&sent).unwrap(), checked, "{}", example.address());
        }
    }
}
