//! The inputs as findings quote them: one line, cut around the stretch that matters, nothing invisible in it.

use std::cell::Cell;

use super::{short, visible_char};
use crate::Input;
use crate::report::Span;
use crate::text::escape_length;

/// Longest stretch of a source line that is quoted, in UTF-16 units.
pub(super) const QUOTED: usize = 110;
/// How much of that stands before the marked span, at most.
const BEFORE: usize = 40;

/// An input that remembers where it was read, so that quoting a thousand findings does not read it a thousand times.
pub(super) struct Source<'a> {
    /// Its name, ready to be shown.
    pub(super) name: String,
    text: &'a str,
    /// Byte offset of the start of each line.
    starts: Vec<usize>,
    /// Where the last excerpt began: findings come mostly in the order of the text, and a whole JSON file may be one line.
    last: Cell<Start>,
}

/// A character of a line.
#[derive(Clone, Copy, Default)]
struct Start {
    /// 1-based number of the line.
    line: usize,
    /// Byte offset within the line.
    offset: usize,
    /// 0-based column, in UTF-16 units.
    column: usize,
}

impl<'a> Source<'a> {
    pub(super) fn new(input: &'a Input) -> Self {
        let text: &str = &input.text;
        let behind_line_feeds = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at.saturating_add(1));
        let starts = std::iter::once(0).chain(behind_line_feeds).collect();
        Self { name: short(&input.name), text, starts, last: Cell::default() }
    }

    /// The line of a span as it may be shown, without the colours of a terminal, cut around the span; `None` when the input has no such line.
    pub(super) fn excerpt(&self, span: Span) -> Option<Excerpt> {
        let line = self.line(span.line)?;
        let from = span.column.saturating_sub(1);
        let to = span.end_column.saturating_sub(1).max(from.saturating_add(1));
        let cut = line.len() > QUOTED;
        let start = if cut { self.start(line, span.line, from.saturating_sub(BEFORE)) } else { Start::default() };
        let last = start.column.saturating_add(QUOTED);
        let mut chars = Vec::new();
        if start.offset > 0 {
            chars.push(('…', false));
        }
        let mut at = start.column;
        let mut rest = line.get(start.offset..)?;
        while let Some(c) = rest.chars().next() {
            if at >= last {
                chars.push(('…', false));
                break;
            }
            let escape = if c == '\u{1b}' { escape_length(rest) } else { 0 };
            if escape == 0 {
                chars.push((visible_char(c), (from..to).contains(&at)));
            }
            let (passed, behind) = rest.split_at_checked(escape.max(c.len_utf8())).unwrap_or((rest, ""));
            at = at.saturating_add(passed.chars().map(char::len_utf16).sum());
            rest = behind;
        }
        Some(Excerpt { chars })
    }

    /// The line with this 1-based number, without its line end.
    fn line(&self, number: usize) -> Option<&'a str> {
        let start = *self.starts.get(number.checked_sub(1)?)?;
        let end = self.starts.get(number).copied().unwrap_or(self.text.len());
        Some(self.text.get(start..end)?.trim_end_matches(['\n', '\r']))
    }

    /// The character at or next behind `column`.
    fn start(&self, line: &str, number: usize, column: usize) -> Start {
        let last = self.last.get();
        let begin = Start { line: number, ..Start::default() };
        let mut start = if last.line == number && last.column <= column { last } else { begin };
        for c in line.get(start.offset..).unwrap_or_default().chars() {
            if start.column >= column {
                break;
            }
            start.column = start.column.saturating_add(c.len_utf16());
            start.offset = start.offset.saturating_add(c.len_utf8());
        }
        self.last.set(start);
        start
    }
}

/// A stretch of a line as it may be shown; each character knows whether the span covers it.
pub(super) struct Excerpt {
    /// The characters, in order; `…` stands for what was cut.
    pub(super) chars: Vec<(char, bool)>,
}

impl Excerpt {
    /// The characters as text.
    pub(super) fn text(&self) -> String {
        self.chars.iter().map(|&(c, _)| c).collect()
    }
}
