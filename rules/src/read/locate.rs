//! From a JSON pointer back to the text: where a finding's field stands.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use saphyr_parser::{Event, Marker, Parser, Span as YamlSpan};

use crate::order;
use crate::patch;
use crate::report::Span;
use crate::text::{Line, Paste};

/// Find `pointers` in the document that `lines` of `paste` hold. A field that is not there (most findings are about
/// one) gives the place of its nearest ancestor.
pub(crate) fn locate<'p>(paste: &Paste, lines: Range<usize>, pointers: &BTreeSet<&'p str>) -> HashMap<&'p str, Span> {
    let slice = paste.lines.get(lines).unwrap_or_default();
    let text: String = slice.iter().flat_map(|line| [line.text.as_ref(), "\n"]).collect();
    let wanted: BTreeSet<&str> = pointers.iter().flat_map(|pointer| ancestors(pointer)).collect();
    let nodes = nodes(&text, &wanted);
    let span = |pointer: &'p str| Some((pointer, ancestors(pointer).find_map(|ancestor| nodes.get(ancestor))?));
    let mut spans: Vec<(&str, &YamlSpan)> = pointers.iter().filter_map(|&pointer| span(pointer)).collect();
    // In the order of the text: a document of one line is then walked once and not once per pointer.
    order::sort_by(&mut spans, |(_, a), (_, b)| a.start.index().cmp(&b.start.index()));
    let mut walk = Walk::default();
    let place = |(pointer, span): (&'p str, &YamlSpan)| {
        let line = slice.get(span.start.line().checked_sub(1)?)?;
        Some((pointer, paste.span(line, columns(line, span, &mut walk))))
    };
    spans.into_iter().filter_map(place).collect()
}

/// The pointer itself, then each prefix of it, longest first, without the whole document.
fn ancestors(pointer: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(pointer), |pointer| pointer.rsplit_once('/').map(|(parent, _)| parent))
        .filter(|pointer| !pointer.is_empty())
}

/// The stretch of `line` that a span covers, as bytes; the parser counts characters.
fn columns(line: &Line, span: &YamlSpan, walk: &mut Walk) -> Range<usize> {
    let start = walk.to(&line.text, &span.start);
    // A collection's own span is empty: its first line stands for it.
    let within = span.end.line() == span.start.line() && span.end.col() > span.start.col();
    start..if within { walk.clone().to(&line.text, &span.end) } else { line.text.len() }
}

/// A column of a line, and the bytes before it. The next one asked for usually stands behind it.
#[derive(Clone, Default)]
struct Walk {
    line: usize,
    column: usize,
    byte: usize,
}

impl Walk {
    /// The bytes of `line` before `mark`.
    fn to(&mut self, line: &str, mark: &Marker) -> usize {
        if mark.line() != self.line || mark.col() < self.column {
            *self = Self { line: mark.line(), ..Self::default() };
        }
        let ahead = line.get(self.byte..).unwrap_or_default();
        let columns = mark.col() - self.column;
        self.byte += ahead.char_indices().nth(columns).map_or(ahead.len(), |(at, _)| at);
        self.column = mark.col();
        self.byte
    }
}

/// One open collection while walking the events.
enum Frame {
    /// A mapping; its key, once read, and the length of the pointer without that key.
    Map { key: Option<YamlSpan>, length: usize },
    /// A sequence: index of its next item, and the length of the pointer without it.
    Seq { next: usize, length: usize },
}

/// Spans of the wanted nodes: the key and, on the same line, its value; or an item's first token.
fn nodes(text: &str, wanted: &BTreeSet<&str>) -> HashMap<String, YamlSpan> {
    let mut parser = Parser::new_from_str(text);
    let mut found = HashMap::new();
    let mut frames: Vec<Frame> = Vec::new();
    let mut pointer = String::new();
    while let Some(Ok((event, span))) = parser.next_event() {
        let scalar = matches!(event, Event::Scalar(..) | Event::Alias(_));
        match event {
            Event::DocumentEnd => break,
            Event::MappingEnd | Event::SequenceEnd => {
                frames.pop();
                close(&mut frames, &mut pointer);
                continue;
            }
            Event::Scalar(ref key, ..) if matches!(frames.last(), Some(Frame::Map { key: None, .. })) => {
                pointer.push('/');
                pointer.push_str(&patch::escape(key));
                if let Some(Frame::Map { key, .. }) = frames.last_mut() {
                    *key = Some(span);
                }
                continue;
            }
            Event::Scalar(..) | Event::Alias(_) | Event::MappingStart(..) | Event::SequenceStart(..) => {}
            _ => continue,
        }
        if let Some(Frame::Seq { next, .. }) = frames.last() {
            pointer.push('/');
            pointer.push_str(&next.to_string());
        }
        if wanted.contains(pointer.as_str()) {
            let start = match frames.last() {
                Some(Frame::Map { key: Some(key), .. }) => *key,
                _ => span,
            };
            let end = if scalar && span.end.line() == start.start.line() { span.end } else { start.end };
            found.entry(pointer.clone()).or_insert(YamlSpan::new(start.start, end));
        }
        match event {
            Event::MappingStart(..) => frames.push(Frame::Map { key: None, length: pointer.len() }),
            Event::SequenceStart(..) => frames.push(Frame::Seq { next: 0, length: pointer.len() }),
            _ => close(&mut frames, &mut pointer),
        }
    }
    found
}

/// A node has ended: its collection waits for the next key or item.
fn close(frames: &mut [Frame], pointer: &mut String) {
    match frames.last_mut() {
        Some(Frame::Map { key, length }) => {
            *key = None;
            pointer.truncate(*length);
        }
        Some(Frame::Seq { next, length }) => {
            *next += 1;
            pointer.truncate(*length);
        }
        None => pointer.clear(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::locate;
    use crate::report::Span;
    use crate::text::Paste;

    fn place(text: &str, pointer: &str) -> Option<(usize, usize, usize)> {
        let paste = Paste::new(text);
        let spans = locate(&paste, 0..paste.lines.len(), &BTreeSet::from([pointer]));
        spans.get(pointer).map(|&Span { line, column, end_column }| (line, column, end_column))
    }

    #[test]
    fn fields_items_and_missing_fields() {
        let text = "spec:\r\n  containers:\r\n  - name: \"𝒂\"\r\n    resources: {}\r\n  - image: x\r\n    name: b\r\n";
        assert_eq!(place(text, "/spec/containers"), Some((2, 3, 13)));
        assert_eq!(place(text, "/spec/containers/0/name"), Some((3, 5, 15)), "an astral character is two UTF-16 units");
        assert_eq!(place(text, "/spec/containers/0/resources/limits/memory"), Some((4, 5, 14)));
        assert_eq!(place(text, "/spec/containers/1"), Some((5, 5, 13)));
        assert_eq!(place(text, "/nothing"), None);
    }

    #[test]
    fn json_and_flow_style() {
        let text = "{\"spec\": {\"containers\": [\n  {\"name\": \"a\"},\n  {\"name\": \"b\"}\n]}}\n";
        assert_eq!(place(text, "/spec/containers/1/name"), Some((3, 4, 15)));
    }

    #[test]
    fn quoted_text_points_into_the_original() {
        assert_eq!(place("> spec:\n>   x: 1\n", "/spec/x"), Some((2, 5, 9)));
    }
}
