//! A report as terminal text: the verdict first, then what to act on, then what was and was not read.
//!
//! The text carries ANSI styles; `anstream` removes them where they are not wanted. Nothing else in it can be an escape
//! sequence, because everything that comes from the input goes through [`visible`].

use std::collections::BTreeSet;
use std::fmt;

use anstyle::{AnsiColor, Style};
use textwrap::core::Word;
use textwrap::{Options, WordSeparator, WordSplitter};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::source::{Excerpt, Source};
use super::words::{self, Label};
use super::{LISTED, elsewhere, fill, lines, missing, said, seen, short, unread_worst_first, visible};
use crate::Input;
use crate::report::{Evidence, Finding, Place, Report, Risk, Severity, Status, Verdict, Why};
use crate::rules::{self, Lang};

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const RED: Style = AnsiColor::Red.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default().bold();
const GREEN: Style = AnsiColor::Green.on_default().bold();
const CYAN: Style = AnsiColor::Cyan.on_default().bold();

/// Columns that sentences are broken to.
const WIDTH: usize = 100;

/// A report, to be shown in one language beside the texts that it is about.
pub struct Text<'a> {
    report: &'a Report,
    sources: Vec<Source<'a>>,
    lang: Lang,
}

impl<'a> Text<'a> {
    /// The text form of `report`. `inputs` are the ones that were checked, in the same order; without them nothing is
    /// quoted.
    #[must_use]
    pub fn new(report: &'a Report, inputs: &'a [Input], lang: Lang) -> Self {
        Self { report, sources: inputs.iter().map(Source::new).collect(), lang }
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.verdict(f)?;
        self.risks(f)?;
        let mut told = BTreeSet::new();
        for finding in &self.report.findings {
            self.finding(f, finding, &mut told)?;
        }
        self.paste_next(f)?;
        self.read(f)?;
        self.unread(f)
    }
}

impl Text<'_> {
    fn verdict(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let style = match self.report.verdict {
            Verdict::AtRisk => RED,
            Verdict::CannotJudge => YELLOW,
            Verdict::NoRiskFound => GREEN,
        };
        writeln!(f, "{style}{}{style:#}\n", words::verdict(self.report).text(self.lang))
    }

    fn risks(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Risk::ALL.map(|risk| words::risk(risk).text(self.lang));
        let widest = names.iter().map(|name| name.width()).max().unwrap_or_default();
        for (risk, name) in Risk::ALL.into_iter().zip(names) {
            let state = self.report.risk(risk);
            let style = match (state.status, state.severity) {
                (Status::AtRisk, Some(severity)) => severity_style(severity),
                (Status::AtRisk, None) => RED,
                (Status::Undecided, _) => YELLOW,
                (Status::Ok, _) => GREEN,
                (Status::NoEvidence, _) => DIM,
            };
            let blanks = widest.saturating_sub(name.width());
            let status = words::status(state.status).text(self.lang);
            writeln!(f, "  {name}{:blanks$}  {style}{status}{style:#}", "")?;
        }
        Ok(())
    }

    /// One finding. `told` holds the rules and remedies that were already explained: many findings share them.
    fn finding(&self, f: &mut fmt::Formatter<'_>, finding: &Finding, told: &mut BTreeSet<String>) -> fmt::Result {
        let said = said(finding, self.lang);
        let style = severity_style(finding.severity);
        let severity = words::severity(finding.severity).text(self.lang);
        let title = said.as_ref().map_or("", |said| said.title);
        writeln!(f, "\n{style}{severity}[{}]{style:#} {BOLD}{title}{BOLD:#}", visible(&finding.rule))?;
        if let Some(said) = &said {
            paragraph(f, &said.says)?;
        }
        self.subject(f, finding)?;
        for evidence in &finding.evidence {
            self.evidence(f, evidence)?;
        }
        let Some(said) = said else { return Ok(()) };
        let first_of_rule = told.insert(finding.rule.to_string());
        if first_of_rule {
            paragraph(f, &self.labelled(words::WHY, &said.why))?;
        }
        if told.insert(said.fix.clone()) {
            paragraph(f, &self.labelled(words::FIX, &said.fix))?;
        }
        if told.insert(said.remedy.clone()) {
            for line in said.remedy.lines() {
                writeln!(f, "      {CYAN}{line}{CYAN:#}")?;
            }
        }
        if first_of_rule {
            self.sources_of(f, finding, said.links)?;
        }
        Ok(())
    }

    /// Where there is more to read about a finding.
    fn sources_of(&self, f: &mut fmt::Formatter<'_>, finding: &Finding, links: &[&str]) -> fmt::Result {
        if let Some(platforms) = rules::find(&finding.rule).and_then(|rule| elsewhere(rule, &finding.values)) {
            let colon = words::COLON.text(self.lang);
            writeln!(f, "      {DIM}{platforms}{colon}noderisk explain {}{DIM:#}", visible(&finding.rule))?;
        }
        links.iter().try_for_each(|link| writeln!(f, "      {DIM}{link}{DIM:#}"))
    }

    /// What the finding is about, on one line.
    fn subject(&self, f: &mut fmt::Formatter<'_>, finding: &Finding) -> fmt::Result {
        let parts: Vec<String> =
            super::subject(finding).map(|(label, name)| self.labelled(label, &short(name))).collect();
        if parts.is_empty() { Ok(()) } else { writeln!(f, "  {}", parts.join("  ")) }
    }

    fn evidence(&self, f: &mut fmt::Formatter<'_>, evidence: &Evidence) -> fmt::Result {
        self.place(f, &evidence.place)?;
        seen(evidence).try_for_each(|(label, what)| writeln!(f, "  {}", self.labelled(label, &short(what))))
    }

    fn place(&self, f: &mut fmt::Formatter<'_>, place: &Place) -> fmt::Result {
        let Some(span) = place.span else {
            return match &place.pointer {
                Some(pointer) => writeln!(f, "  {DIM}-->{DIM:#} {}", short(pointer)),
                None => Ok(()),
            };
        };
        let Some(source) = self.sources.get(place.input) else { return Ok(()) };
        writeln!(f, "  {DIM}-->{DIM:#} {}:{}:{}", source.name, span.line, span.column)?;
        if let Some(excerpt) = source.excerpt(span) {
            let (quote, marks) = quote(&excerpt);
            let number = span.line.to_string();
            writeln!(f, "  {DIM}{number} |{DIM:#} {quote}")?;
            writeln!(f, "  {DIM}{:1$} |{DIM:#} {RED}{marks}{RED:#}", "", number.len())?;
        }
        Ok(())
    }

    fn labelled(&self, label: Label, text: &str) -> String {
        format!("{BOLD}{}{}{BOLD:#}{text}", label.text(self.lang), words::COLON.text(self.lang))
    }

    /// The commands that would decide what is undecided; what to start with when nothing was understood at all.
    fn paste_next(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let missing = missing(self.report);
        if missing.is_empty() {
            return Ok(());
        }
        self.heading(f, words::PASTE_NEXT)?;
        for missing in missing {
            writeln!(f, "  {CYAN}{}{CYAN:#}", visible(&missing.command))?;
            writeln!(f, "      {DIM}{}{DIM:#}", words::wanted(missing.what).text(self.lang))?;
        }
        Ok(())
    }

    fn read(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let read = &self.report.read;
        if read.is_empty() {
            return Ok(());
        }
        self.heading(f, words::READ)?;
        for run in read.iter().take(LISTED) {
            let kind = words::kind(&run.kind).map_or(&*run.kind, |label| label.text(self.lang));
            writeln!(f, "  {}  {kind}", lines(&self.sources, run.input, run.first_line, run.last_line))?;
        }
        self.more(f, read.len())
    }

    fn unread(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unread = unread_worst_first(self.report);
        if unread.is_empty() {
            return Ok(());
        }
        self.heading(f, words::UNREAD)?;
        for run in unread.iter().take(LISTED) {
            let why = words::why_unread(&run.why).text(self.lang);
            write!(f, "  {}  {why}", lines(&self.sources, run.input, run.first_line, run.last_line))?;
            if let Why::Broken { message } = &run.why {
                write!(f, "{}{}", words::COLON.text(self.lang), short(message))?;
            }
            writeln!(f)?;
        }
        self.more(f, unread.len())
    }

    fn heading(&self, f: &mut fmt::Formatter<'_>, label: Label) -> fmt::Result {
        writeln!(f, "\n{BOLD}{}{}{BOLD:#}", label.text(self.lang), words::COLON.text(self.lang).trim_end())
    }

    fn more(&self, f: &mut fmt::Formatter<'_>, all: usize) -> fmt::Result {
        match all.saturating_sub(LISTED) {
            0 => Ok(()),
            more => {
                let values = [("count".into(), more.to_string())].into();
                writeln!(f, "  {}", fill(words::MORE.text(self.lang), &values))
            }
        }
    }
}

/// Sentences, broken into lines where their language allows it.
fn paragraph(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let options = Options::new(WIDTH)
        .initial_indent("  ")
        .subsequent_indent("    ")
        .break_words(false)
        .word_separator(WordSeparator::Custom(words_of))
        .word_splitter(WordSplitter::NoHyphenation);
    writeln!(f, "{}", textwrap::fill(text, options))
}

/// The pieces of a line that must stay together.
fn words_of(line: &str) -> Box<dyn Iterator<Item = Word<'_>> + '_> {
    let mut rest = line;
    Box::new(std::iter::from_fn(move || {
        let pairs = rest.char_indices().zip(rest.char_indices().skip(1));
        let end = pairs.into_iter().find(|((_, a), (_, b))| may_break(*a, *b)).map_or(rest.len(), |(_, (at, _))| at);
        let (word, behind) = rest.split_at_checked(end)?;
        rest = behind;
        (!word.is_empty()).then(|| Word::from(word))
    }))
}

/// Whether a line may end between two characters: behind a blank, and beside Japanese and Chinese characters, except
/// before what closes or goes on (JIS X 4051) and behind what opens.
fn may_break(before: char, after: char) -> bool {
    let wide = |c: char| c.width() == Some(2);
    if wide(before) || wide(after) {
        !"、。，．：；！？）」』】》”’ーっゃゅょッャュョァィゥェォ々, .:;!?)".contains(after)
            && !"（「『【《“‘(".contains(before)
    } else {
        before == ' ' && after != ' '
    }
}

fn severity_style(severity: Severity) -> Style {
    match severity {
        Severity::Error => RED,
        Severity::Warning => YELLOW,
        Severity::Info => CYAN,
    }
}

/// The excerpt as text, and the marks that go under its span.
fn quote(excerpt: &Excerpt) -> (String, String) {
    let marks: String = excerpt
        .chars
        .iter()
        .flat_map(|&(c, marked)| std::iter::repeat_n(if marked { '^' } else { ' ' }, c.width().unwrap_or_default()))
        .collect();
    let quote = excerpt.text();
    // A span behind the last character (a missing value) still gets its mark.
    let marks = match marks.trim_end() {
        "" => format!("{:1$}^", "", quote.width()),
        marks => marks.to_owned(),
    };
    (quote, marks)
}

#[cfg(test)]
mod tests {
    use super::{Source, Text};
    use crate::Input;
    use crate::report::{Evidence, Finding, Place, ReadLines, Report, Risk, Severity, Span, Status, Verdict, Wanted};
    use crate::rules::Lang;
    use crate::settings::Settings;

    fn span(column: usize, end_column: usize) -> Span {
        Span { line: 1, column, end_column }
    }

    /// A line and the marks under it.
    fn quote(line: &str, span: Span) -> (String, String) {
        super::quote(&Source::new(&Input::new("", line)).excerpt(span).unwrap())
    }

    fn report() -> Report {
        crate::check(&[], &Settings::default())
    }

    fn finding(observed: &str, span: Span) -> Finding {
        Finding {
            rule: "of-another-build".into(),
            risk: Risk::Inotify,
            severity: Severity::Error,
            object: None,
            container: None,
            volume: None,
            evidence: vec![Evidence {
                place: Place { input: 0, pointer: None, span: Some(span) },
                observed: observed.to_owned(),
                expected: String::new(),
            }],
            values: std::collections::BTreeMap::new(),
            patch: Vec::new(),
        }
    }

    /// The text form without styles.
    fn plain(report: &Report, inputs: &[Input], lang: Lang) -> String {
        anstream::adapter::strip_str(&Text::new(report, inputs, lang).to_string()).to_string()
    }

    #[test]
    fn carets_stand_under_the_span() {
        let (quote, marks) = quote("fs.inotify.max_user_instances = 128", span(33, 36));
        assert_eq!(quote, "fs.inotify.max_user_instances = 128");
        assert_eq!(marks, format!("{}^^^", " ".repeat(32)));
    }

    #[test]
    fn columns_are_utf16_units_and_wide_characters_take_two_cells() {
        // Two wide characters of one unit each, then one of two units; the span covers `128`.
        let (_, marks) = quote("上限😀128", span(5, 8));
        assert_eq!(marks, format!("{}^^^", " ".repeat(6)));
    }

    /// `grep --color` writes both sequences around what it found.
    #[test]
    fn colours_are_not_quoted() {
        let line = "user.max_\u{1b}[01;31m\u{1b}[Kinotify\u{1b}[m\u{1b}[K_instances = 128";
        let column = line.find("128").unwrap() + 1;
        let (shown, marks) = quote(line, span(column, column + 3));
        assert_eq!(shown, "user.max_inotify_instances = 128");
        assert_eq!(marks, format!("{}^^^", " ".repeat(29)));
        assert_eq!(quote("a\u{1b}é\u{1b}[31", span(1, 2)).0, "aé");
    }

    #[test]
    fn a_long_line_is_cut_around_its_span() {
        let line = format!("{}needle{}", "a".repeat(5_000), "b".repeat(5_000));
        let (shown, marks) = quote(&line, span(5_001, 5_007));
        assert!(shown.starts_with("…aaa") && shown.ends_with("bbb…"), "{shown}");
        assert_eq!(shown.chars().count(), crate::show::source::QUOTED + 2);
        let at = shown.chars().position(|c| c == 'n').unwrap();
        assert_eq!(marks, format!("{}{}", " ".repeat(at), "^".repeat(6)));

        // Later, earlier and again: what was remembered of the first excerpt must not spoil the others.
        let input = Input::new("", format!("{0}one{0}two{0}", "é".repeat(5_000)));
        let source = Source::new(&input);
        for (column, needle) in [(5_001, "éoneé"), (10_004, "étwoé"), (5_001, "éoneé")] {
            let (shown, marks) = super::quote(&source.excerpt(span(column, column + 3)).unwrap());
            assert!(shown.contains(needle), "{shown}");
            assert_eq!(marks.trim_start(), "^^^");
        }
    }

    #[test]
    fn a_span_behind_the_line_is_marked_at_its_end() {
        assert_eq!(quote("memory:", span(9, 9)).1, format!("{}^", " ".repeat(7)));
        assert_eq!(quote("", span(1, 1)).1, "^");
    }

    #[test]
    fn the_place_is_quoted_with_its_line_and_column() {
        let mut report = report();
        report.findings = vec![finding("seen", Span { line: 2, column: 3, end_column: 6 })];
        let text = plain(&report, &[Input::new("a.txt", "one\r\n  two\r\n")], Lang::En);
        assert!(text.contains("--> a.txt:2:3\n  2 |   two\n    |   ^^^\n"), "{text}");
    }

    #[test]
    fn escape_sequences_of_the_input_are_never_written() {
        let mut report = report();
        report.findings = vec![finding("\u{1b}[31mred\u{9b}2J", span(1, 4))];
        let input = Input::new("\u{1b}]0;name\u{7}", "\u{1b}[2Jx\u{202e}y");
        let text = Text::new(&report, &[input], Lang::En).to_string();
        // Each escape character left is the start of one of our own styles (SGR), and none is in the plain form.
        assert!(text.split('\u{1b}').skip(1).all(|rest| {
            rest.strip_prefix('[')
                .is_some_and(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').starts_with('m'))
        }));
        let quoted = plain(&report, &[Input::new("n", "\u{1b}[2Jx\u{7}")], Lang::En);
        assert!(quoted.contains("1 | x␇"), "{quoted}");
        assert!(!text.contains(['\u{9b}', '\u{7}', '\u{202e}']), "{text:?}");
    }

    #[test]
    fn a_place_that_is_not_in_the_inputs_is_left_out() {
        let mut report = report();
        report.findings = vec![finding("seen", Span { line: 9, column: 1, end_column: 2 })];
        assert!(plain(&report, &[], Lang::En).contains("seen"));
        assert!(plain(&report, &[Input::new("a", "x")], Lang::En).contains("--> a:9:1"));
    }

    #[test]
    fn an_undecided_risk_names_the_command_to_paste_next() {
        let mut report = report();
        let state = report.risks.entry(Risk::CgroupCleanup).or_default();
        state.status = Status::Undecided;
        state.missing = vec![Wanted::RuncVersion.missing()];
        let text = plain(&report, &[], Lang::Zh);
        assert!(text.starts_with("暂时无法判断"), "{text}");
        assert!(text.contains("\n  runc --version\n"), "{text}");
        assert!(!text.contains("sysctl fs.inotify"), "{text}");
    }

    #[test]
    fn when_nothing_was_understood_it_says_what_to_start_with() {
        let text = plain(&report(), &[], Lang::Ja);
        assert!(text.starts_with("判断できません"), "{text}");
        assert!(text.contains("\n  sysctl fs.inotify\n"), "{text}");
        assert!(text.contains("\n  sudo journalctl -u kubelet --no-pager --since -10min | grep "), "{text}");
    }

    #[test]
    fn no_risk_found_asks_for_nothing() {
        let mut report = report();
        report.verdict = Verdict::NoRiskFound;
        assert_eq!(plain(&report, &[], Lang::En).lines().count(), 6);
    }

    /// Where a sentence is broken when every line is as short as it can be.
    fn broken(sentence: &str) -> Vec<&str> {
        super::words_of(sentence).map(|word| word.word).collect()
    }

    #[test]
    fn sentences_break_at_blanks_and_between_wide_characters_but_not_before_a_full_stop() {
        assert_eq!(broken("set fs.inotify, now"), ["set", "fs.inotify,", "now"]);
        assert_eq!(broken("上限（128）です。"), ["上", "限", "（128）", "で", "す。"]);
        assert_eq!(broken("サーバー 用 OK"), ["サー", "バー", "用", "OK"]);
        assert_eq!(broken(""), [""; 0]);
    }

    #[test]
    fn long_lists_of_lines_are_cut_and_counted() {
        let mut report = report();
        let line = |line| ReadLines { input: 0, first_line: line, last_line: line, kind: "log".into() };
        report.read = (1..=25).map(line).collect();
        let text = plain(&report, &[Input::new("j", "")], Lang::En);
        assert!(text.contains("\n  j:20  log\n  and 5 more\n"), "{text}");
    }
}
