//! Edits of one YAML or JSON document on its text, so that comments and the layout of all other lines stay.

use std::collections::BTreeMap;
use std::ops::Range;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle};
use serde_json::Value;

use crate::order;
use crate::patch::{self, Set};

/// The text with `edits` in it; `None` when one of them cannot be made without touching more than its own lines. The
/// caller has to check that the result means what it should: an anchor, for example, shares what stands behind it.
pub(super) fn edit(text: &str, edits: &[Set]) -> Option<String> {
    let root = parse(text)?;
    let mut wanted = Wanted::Fields(BTreeMap::new());
    for edit in edits {
        wanted.add(&edit.pointer, &edit.value)?;
    }
    let line_feed = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut editor = Editor { text, json: is_json(text), line_feed, replacements: Vec::new() };
    editor.put(&root, &wanted)?;
    Some(editor.finish())
}

/// True for a document that is written in JSON.
pub(super) fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

/// What shall stand at a node: a value, or something below it.
enum Wanted<'a> {
    Value(&'a Value),
    Fields(BTreeMap<String, Self>),
}

impl<'a> Wanted<'a> {
    fn add(&mut self, pointer: &str, value: &'a Value) -> Option<()> {
        let mut here = self;
        let mut steps = pointer.strip_prefix('/')?.split('/').peekable();
        while let Some(step) = steps.next() {
            let Self::Fields(fields) = here else { return None };
            let last = steps.peek().is_none();
            let below = if last { Self::Value(value) } else { Self::Fields(BTreeMap::new()) };
            here = fields.entry(patch::unescape(step)).or_insert(below);
        }
        Some(())
    }
}

/// A node of the document and the bytes it takes.
struct Node {
    range: Range<usize>,
    kind: Kind,
}

enum Kind {
    /// A plain, quoted or block scalar.
    Scalar {
        null: bool,
    },
    /// A value that is not written at all, `key:`.
    Absent,
    /// `*name`.
    Alias,
    Map {
        entries: Vec<Entry>,
        flow: bool,
    },
    Seq(Vec<Node>),
}

struct Entry {
    key: String,
    /// Bytes of the key.
    at: Range<usize>,
    value: Node,
}

struct Editor<'a> {
    text: &'a str,
    json: bool,
    line_feed: &'static str,
    /// Bytes and what takes their place.
    replacements: Vec<(Range<usize>, String)>,
}

impl Editor<'_> {
    /// Put what is wanted at `node`.
    fn put(&mut self, node: &Node, wanted: &Wanted) -> Option<()> {
        match (&node.kind, wanted) {
            (Kind::Scalar { .. }, Wanted::Value(_)) | (Kind::Scalar { null: true }, Wanted::Fields(_)) => {
                self.replacements.push((node.range.clone(), self.inline(wanted)));
                Some(())
            }
            (Kind::Map { entries, flow }, Wanted::Fields(fields)) => {
                let mut missing = Vec::new();
                for (key, wanted) in fields {
                    let index = entries.iter().position(|entry| entry.key == *key);
                    if matches!(wanted, Wanted::Value(Value::Null)) {
                        index.map_or(Some(()), |index| self.remove(entries, index, *flow))?;
                        continue;
                    }
                    match index.and_then(|index| entries.get(index)) {
                        Some(Entry { value: Node { kind: Kind::Absent, .. }, at, .. }) => self.fill(at, wanted),
                        Some(entry) => self.put(&entry.value, wanted)?,
                        None => missing.push((key, wanted)),
                    }
                }
                if missing.is_empty() {
                    Some(())
                } else if *flow {
                    self.add_inline(node, entries, &missing)
                } else {
                    self.add_lines(node, entries.first()?, &missing)
                }
            }
            (Kind::Seq(items), Wanted::Fields(fields)) => {
                fields.iter().try_for_each(|(index, wanted)| self.put(items.get(index.parse::<usize>().ok()?)?, wanted))
            }
            _ => None,
        }
    }

    /// Write the value of a key that has none; a comment behind the key stays there.
    fn fill(&mut self, key: &Range<usize>, wanted: &Wanted) {
        match wanted {
            Wanted::Value(_) => {
                let at = key.end + self.rest(key.end).find(':').map_or(0, |colon| colon + 1);
                self.replacements.push((at..at, format!(" {}", self.inline(wanted))));
            }
            Wanted::Fields(fields) => {
                let at = self.line_end(key.end);
                let lines = self.lines(self.column(key.start) + 2, &fields.iter().collect::<Vec<_>>());
                self.replacements.push((at..at, lines));
            }
        }
    }

    /// Take a field out of a mapping: its lines, or in flow style all from the end of the one before it. Where it is the
    /// first one behind a dash or bracket, the next one moves up. The only one stays, because a mapping without fields
    /// is written otherwise.
    fn remove(&mut self, entries: &[Entry], index: usize, flow: bool) -> Option<()> {
        let entry = entries.get(index)?;
        let next = entries.get(index + 1);
        let before = index.checked_sub(1).and_then(|index| entries.get(index));
        let end = entry.value.range.end.max(entry.at.end);
        let line = self.text.get(..entry.at.start)?.rsplit_once('\n').filter(|(_, indent)| indent.trim().is_empty());
        let range = match (before, next, line) {
            (Some(before), _, _) if flow => before.value.range.end.max(before.at.end)..end,
            (before, next, Some((above, _))) if !flow && (before.is_some() || next.is_some()) => {
                above.strip_suffix('\r').unwrap_or(above).len()..self.line_end(self.text.get(..end)?.trim_end().len())
            }
            (None, Some(next), _) => entry.at.start..next.at.start,
            _ => return None,
        };
        self.replacements.push((range, String::new()));
        Some(())
    }

    /// Add fields to a mapping in block style: lines below its last one.
    fn add_lines(&mut self, node: &Node, first: &Entry, missing: &[(&String, &Wanted)]) -> Option<()> {
        let at = self.line_end(self.text.get(..node.range.end)?.trim_end().len());
        let lines = self.lines(self.column(first.at.start), missing);
        self.replacements.push((at..at, lines));
        Some(())
    }

    /// Add fields to a mapping in flow style: behind its last value.
    fn add_inline(&mut self, node: &Node, entries: &[Entry], missing: &[(&String, &Wanted)]) -> Option<()> {
        let fields = missing.iter().map(|(key, wanted)| self.field(key, wanted)).collect::<Vec<_>>();
        let (Some(first), Some(last)) = (entries.first(), entries.last()) else {
            self.replacements.push((node.range.clone(), format!("{{{}}}", fields.join(", "))));
            return Some(());
        };
        let one_per_line = self.text.get(node.range.start..first.at.start)?.contains('\n');
        let separator = match one_per_line {
            true => format!(",{}{}", self.line_feed, " ".repeat(self.column(first.at.start))),
            false => ", ".to_owned(),
        };
        let at = last.value.range.end.max(last.at.end);
        self.replacements
            .push((at..at, fields.iter().flat_map(|field| [&separator, field]).map(String::as_str).collect()));
        Some(())
    }

    /// Fields as lines of block style, each with the line end before it.
    fn lines(&self, indent: usize, fields: &[(&String, &Wanted)]) -> String {
        let mut lines = String::new();
        for (key, wanted) in fields {
            lines.push_str(self.line_feed);
            lines.push_str(&" ".repeat(indent));
            match wanted {
                Wanted::Value(_) => lines.push_str(&self.field(key, wanted)),
                Wanted::Fields(fields) => {
                    lines.push_str(&format!("{}:", self.scalar(key)));
                    lines.push_str(&self.lines(indent + 2, &fields.iter().collect::<Vec<_>>()));
                }
            }
        }
        lines
    }

    /// A field in flow style.
    fn field(&self, key: &str, wanted: &Wanted) -> String {
        format!("{}: {}", self.scalar(key), self.inline(wanted))
    }

    /// A value in flow style.
    fn inline(&self, wanted: &Wanted) -> String {
        match wanted {
            Wanted::Value(Value::String(text)) => self.scalar(text),
            // JSON is flow style.
            Wanted::Value(value) => value.to_string(),
            Wanted::Fields(fields) => {
                let fields: Vec<String> = fields.iter().map(|(key, wanted)| self.field(key, wanted)).collect();
                format!("{{{}}}", fields.join(", "))
            }
        }
    }

    /// A string: plain in YAML when nothing could take it for something else, else with JSON's quotes, which YAML reads
    /// as well.
    fn scalar(&self, text: &str) -> String {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let unit = text.get(digits..).unwrap_or_default();
        let quantity = digits > 0 && matches!(unit, "Ki" | "Mi" | "Gi" | "Ti" | "k" | "M" | "G" | "T");
        // Field names and `Memory`; the short words that YAML 1.1 reads as booleans are shorter than any of them.
        let word = text.len() > 5 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
        if !self.json && (quantity || word) { text.to_owned() } else { Value::from(text).to_string() }
    }

    fn rest(&self, from: usize) -> &str {
        self.text.get(from..).unwrap_or_default()
    }

    /// Where the line that holds byte `at` ends, without its line end.
    fn line_end(&self, at: usize) -> usize {
        let rest = self.rest(at);
        let line = rest.split('\n').next().unwrap_or_default();
        at + line.strip_suffix('\r').unwrap_or(line).len()
    }

    /// How many characters stand before byte `at` on its line.
    fn column(&self, at: usize) -> usize {
        let before = self.text.get(..at).unwrap_or_default();
        before.rsplit('\n').next().unwrap_or_default().chars().count()
    }

    fn finish(mut self) -> String {
        // What is put in at a place comes before what is taken out from there on.
        order::sort_by(&mut self.replacements, |(a, _), (b, _)| (a.start, a.end).cmp(&(b.start, b.end)));
        let mut edited = String::with_capacity(self.text.len() + 64);
        let mut copied = 0;
        for (range, new) in &self.replacements {
            edited.push_str(self.text.get(copied..range.start).unwrap_or_default());
            edited.push_str(new);
            copied = range.end;
        }
        edited.push_str(self.rest(copied));
        edited
    }
}

/// One open collection while walking the events.
enum Frame {
    Map { start: usize, flow: bool, entries: Vec<Entry>, key: Option<(String, Range<usize>)> },
    Seq { start: usize, flow: bool, items: Vec<Node> },
}

/// The document's nodes; `None` when the parser refuses it or it has keys that are no scalars.
fn parse(text: &str) -> Option<Node> {
    let bytes = Bytes::of(text);
    let mut parser = Parser::new_from_str(text);
    let mut frames: Vec<Frame> = Vec::new();
    let starts = |bracket, at| text.get(at..).is_some_and(|rest: &str| rest.starts_with(bracket));
    while let Some(event) = parser.next_event() {
        let (event, span) = event.ok()?;
        let range = bytes.at(span.start)..bytes.at(span.end);
        let node = match event {
            Event::MappingStart(..) => {
                let flow = starts('{', range.start);
                frames.push(Frame::Map { start: range.start, flow, entries: Vec::new(), key: None });
                continue;
            }
            Event::SequenceStart(..) => {
                let flow = starts('[', range.start);
                frames.push(Frame::Seq { start: range.start, flow, items: Vec::new() });
                continue;
            }
            Event::Scalar(key, ..) if matches!(frames.last(), Some(Frame::Map { key: None, .. })) => {
                if let Some(Frame::Map { key: open, .. }) = frames.last_mut() {
                    *open = Some((key.into_owned(), range));
                }
                continue;
            }
            Event::Scalar(value, style, ..) => scalar(text, &value, style, range),
            Event::Alias(_) => Node { range, kind: Kind::Alias },
            Event::MappingEnd | Event::SequenceEnd => close(frames.pop()?, range.end),
            Event::DocumentEnd | Event::StreamEnd => return None,
            Event::Nothing | Event::StreamStart | Event::DocumentStart(_) => continue,
        };
        match frames.last_mut() {
            None => return Some(node),
            Some(Frame::Map { entries, key, .. }) => {
                let (key, at) = key.take()?;
                entries.push(Entry { key, at, value: node });
            }
            Some(Frame::Seq { items, .. }) => items.push(node),
        }
    }
    None
}

fn scalar(text: &str, value: &str, style: ScalarStyle, range: Range<usize>) -> Node {
    let plain = style == ScalarStyle::Plain;
    let written = text.get(range.clone()).unwrap_or_default();
    let kind = match value {
        _ if !plain => Kind::Scalar { null: false },
        _ if written.trim().is_empty() => Kind::Absent,
        "null" | "Null" | "NULL" | "~" => Kind::Scalar { null: true },
        _ => Kind::Scalar { null: false },
    };
    Node { range, kind }
}

/// A collection that has ended. In block style its end is that of what is last in it: the event stands at the next
/// token, behind comments that are none of its business.
fn close(frame: Frame, end: usize) -> Node {
    match frame {
        Frame::Map { start, flow, entries, .. } => {
            let last = entries.last().map(|entry| match entry.value.kind {
                Kind::Absent => entry.at.end,
                _ => entry.value.range.end,
            });
            let end = last.filter(|_| !flow).unwrap_or(end);
            Node { range: start..end, kind: Kind::Map { entries, flow } }
        }
        Frame::Seq { start, flow, items } => {
            let end = items.last().map(|item| item.range.end).filter(|_| !flow).unwrap_or(end);
            Node { range: start..end, kind: Kind::Seq(items) }
        }
    }
}

/// From the parser's positions, which count characters, to bytes.
enum Bytes {
    Ascii,
    Starts(Vec<usize>),
}

impl Bytes {
    fn of(text: &str) -> Self {
        if text.is_ascii() {
            return Self::Ascii;
        }
        Self::Starts(text.char_indices().map(|(at, _)| at).chain([text.len()]).collect())
    }

    fn at(&self, marker: Marker) -> usize {
        match self {
            Self::Ascii => marker.index(),
            Self::Starts(starts) => starts.get(marker.index()).or(starts.last()).copied().unwrap_or_default(),
        }
    }
}
