//! The inputs as findings quote them: one line, cut around the stretch that matters, nothing invisible in it.

use super::{short, visible_char};
use crate::Input;
use crate::report::Span;

/// Longest stretch of a source line that is quoted, in UTF-16 units.
pub(super) const QUOTED: usize = 110;
/// How much of that stands before the marked span, at most.
const BEFORE: usize = 40;

/// An input with the starts of its lines, so that quoting a thousand findings does not read it a thousand times.
pub(super) struct Source<'a> {
    /// Its name, ready to be shown.
    pub(super) name: String,
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Source<'a> {
    pub(super) fn new(input: &'a Input) -> Self {
        let text: &str = &input.text;
        let behind_line_feeds = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at.saturating_add(1));
        Self { name: short(&input.name), text, starts: std::iter::once(0).chain(behind_line_feeds).collect() }
    }

    /// The line with this 1-based number, without its line end.
    pub(super) fn line(&self, number: usize) -> Option<&'a str> {
        let start = *self.starts.get(number.checked_sub(1)?)?;
        let end = self.starts.get(number).copied().unwrap_or(self.text.len());
        Some(self.text.get(start..end)?.trim_end_matches(['\n', '\r']))
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

/// The line as it may be shown, cut around the span.
pub(super) fn excerpt(line: &str, span: Span) -> Excerpt {
    let from = span.column.saturating_sub(1);
    let to = span.end_column.saturating_sub(1).max(from.saturating_add(1));
    let (first, mut at) = if line.len() > QUOTED { start_of(line, from.saturating_sub(BEFORE)) } else { (0, 0) };
    let last = at.saturating_add(QUOTED);
    let mut chars = Vec::new();
    if first > 0 {
        chars.push(('…', false));
    }
    for c in line.get(first..).unwrap_or_default().chars() {
        if at >= last {
            chars.push(('…', false));
            break;
        }
        chars.push((visible_char(c), (from..to).contains(&at)));
        at = at.saturating_add(c.len_utf16());
    }
    Excerpt { chars }
}

/// Byte offset and UTF-16 column (0-based) of the character at or next behind `column`.
fn start_of(line: &str, column: usize) -> (usize, usize) {
    if line.is_ascii() {
        let at = column.min(line.len());
        return (at, at);
    }
    let mut at = 0_usize;
    for (offset, c) in line.char_indices() {
        if at >= column {
            return (offset, at);
        }
        at = at.saturating_add(c.len_utf16());
    }
    (line.len(), at)
}
