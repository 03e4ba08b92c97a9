//! One clean line, and the cleaning that makes it.

use std::borrow::Cow;
use std::ops::Range;

/// Columns of events stand in front of their message; so many bytes hold them.
const EVENT_SOURCE: usize = 512;

/// A clean line that knows where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// The line without colours, CR, quote marks and trailing blanks.
    pub(crate) text: Cow<'a, str>,
    /// 1-based number of its (first) raw line.
    pub(crate) number: usize,
    /// 1-based number of its last raw line, when a hard wrap was undone.
    pub(crate) last: usize,
    /// What part the line plays in its paste.
    pub(crate) role: Role,
    /// Raw byte offset of the first byte.
    start: usize,
    /// Where the text goes on elsewhere: (offset in the clean text, raw offset), ascending.
    jumps: Vec<(usize, usize)>,
}

/// What part a line plays in its paste.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Output, a document, prose.
    Text,
    /// A command with or without its prompt.
    Command,
    /// A Markdown code fence.
    Fence,
    /// Part of a YAML or JSON document.
    Document,
}

impl Line<'_> {
    /// The raw byte offset of a byte of the clean text.
    pub(crate) fn raw_offset(&self, clean: usize) -> usize {
        let jump = self.jumps.partition_point(|&(from, _)| from <= clean);
        match jump.checked_sub(1).and_then(|index| self.jumps.get(index)) {
            Some((from, raw)) => raw + (clean - from),
            None => self.start + clean,
        }
    }

    /// Put the text of the following line behind this one's, as it stood before a terminal wrapped it.
    pub(crate) fn append(&mut self, next: &Self) {
        let text = self.text.to_mut();
        let length = text.len();
        text.push_str(&next.text);
        self.jumps.push((length, next.start));
        self.jumps.extend(next.jumps.iter().map(|&(from, raw)| (length + from, raw)));
        self.last = next.last;
    }

    /// The host that parallel shells (clush, pdsh) or a loop print in front of each line: `node1: `, and nothing else
    /// before byte `end`. A label such as `before:` has no digit.
    pub(crate) fn host(&self, end: usize) -> Option<&str> {
        let word = self.text.get(..end)?.trim();
        let name = word.strip_suffix(':').unwrap_or(word);
        let host = name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.bytes().any(|byte| byte.is_ascii_digit())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.'))
            && (name.bytes().any(|byte| byte.is_ascii_alphabetic()) || name.matches('.').count() == 3);
        host.then_some(name)
    }

    /// The host that a line of syslog or the journal names: `Nov 08 10:00:01 w1 kubelet[1200]: `.
    pub(crate) fn syslog_host(&self) -> Option<&str> {
        let mut words = self.text.split_ascii_whitespace();
        let (month, day, time, host, program) =
            (words.next()?, words.next()?, words.next()?, words.next()?, words.next()?);
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let dated = month.len() == 3 && day.len() <= 2 && digits(day) && time.split(':').count() == 3;
        let named = program.ends_with("]:") || program == "kernel:";
        (dated && named).then_some(host)
    }

    /// The node whose kubelet an event comes from, as older releases of `kubectl describe` show it: `kubelet, w1`.
    pub(crate) fn event_node(&self) -> Option<&str> {
        // Every value that a line holds asks for its machine, so only the start of a long one is looked through.
        let start = self.text.get(..self.text.floor_char_boundary(EVENT_SOURCE))?;
        let (before, after) = start.split_once(" kubelet, ")?;
        let is_event = before.split_ascii_whitespace().any(|word| matches!(word, "Normal" | "Warning"));
        after.split_ascii_whitespace().next().filter(|_| is_event)
    }

    /// Leave nothing but a part of the text.
    pub(crate) fn keep(&mut self, range: Range<usize>) {
        *self = slice(self, range);
    }

    /// False for blank lines and for lines that only separate (`---`, `====`, `...`).
    pub(crate) fn says_something(&self) -> bool {
        self.text.contains(|c: char| !c.is_whitespace() && !matches!(c, '-' | '=' | '.' | '_' | '*'))
    }

    /// A Markdown fence: three or more backticks or tildes, or a lone backtick that people use as one.
    pub(crate) fn is_fence(&self) -> bool {
        let text = self.text.trim_start();
        text.starts_with("```") || text.starts_with("~~~") || text == "`"
    }

    /// Where the command starts on a fence line such as "```sysctl -a"; `None` for a bare or language fence.
    pub(crate) fn open_fence(&self) -> Option<usize> {
        let rest = self.text.trim_start().trim_start_matches(['`', '~']).trim_start();
        let info = rest.trim_end_matches('`');
        (info.contains(' ') && !info.contains('=') || info.starts_with("$ ")).then(|| self.text.len() - rest.len())
    }
}

/// Clean `raw` line by line. `starts` receives the byte offset of each raw line.
pub(crate) fn clean<'a>(raw: &'a str, starts: &mut Vec<usize>, lines: &mut Vec<Line<'a>>) {
    let mut offset = 0;
    for (index, line) in raw.split('\n').enumerate() {
        // Editors do not count a byte order mark as a column.
        let mark = if index == 0 && line.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        starts.push(offset + mark);
        clean_line(line, offset, index + 1, lines);
        offset += line.len() + 1;
    }
}

fn clean_line<'a>(raw: &'a str, offset: usize, number: usize, lines: &mut Vec<Line<'a>>) {
    let mut text = raw.trim_end();
    let mut start = offset;
    if number == 1
        && let Some(rest) = text.strip_prefix('\u{feff}')
    {
        start += text.len() - rest.len();
        text = rest;
    }
    let mut line = if memchr::memchr(0x1b, text.as_bytes()).is_some() {
        without_escapes(text, start, number)
    } else {
        Line { text: Cow::Borrowed(text), number, last: number, role: Role::Text, start, jumps: Vec::new() }
    };
    let quote = quote_marks(&line.text);
    if quote > 0 {
        line = slice(&line, quote..line.text.len());
    }
    if let Some(inner) = inline_code(&line.text) {
        line = slice(&line, inner);
    }
    match literal_breaks(&line.text) {
        Some(breaks) => split(&line, &breaks, lines),
        None => lines.push(line),
    }
}

/// A part of a line as a line of its own.
fn slice<'a>(line: &Line<'a>, range: Range<usize>) -> Line<'a> {
    let text = match &line.text {
        Cow::Borrowed(text) => Cow::Borrowed(text.get(range.clone()).unwrap_or_default()),
        Cow::Owned(text) => Cow::Owned(text.get(range.clone()).unwrap_or_default().to_owned()),
    };
    let jumps = line
        .jumps
        .iter()
        .filter(|(from, _)| (range.start..range.end).contains(from))
        .map(|&(from, raw)| (from - range.start, raw))
        .collect();
    Line { text, number: line.number, last: line.last, role: line.role, start: line.raw_offset(range.start), jumps }
}

/// Take away terminal escape sequences (ECMA-48: CSI, OSC, and two-byte escapes).
fn without_escapes(raw: &str, offset: usize, number: usize) -> Line<'_> {
    let mut text = String::with_capacity(raw.len());
    let mut jumps = Vec::new();
    let mut rest = raw;
    while let Some(at) = memchr::memchr(0x1b, rest.as_bytes()) {
        let (before, escape) = rest.split_at(at);
        text.push_str(before);
        rest = escape.get(escape_length(escape)..).unwrap_or_default();
        jumps.push((text.len(), offset + (raw.len() - rest.len())));
    }
    text.push_str(rest);
    text.truncate(text.trim_end().len());
    Line { text: Cow::Owned(text), number, last: number, role: Role::Text, start: offset, jumps }
}

/// Length of the escape sequence that `text` starts with.
pub(crate) fn escape_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let body = bytes.get(2..).unwrap_or_default();
    match bytes.get(1) {
        Some(b'[') => body.iter().position(|byte| (0x40..=0x7e).contains(byte)).map_or(bytes.len(), |end| end + 3),
        Some(b']') => body
            .iter()
            .position(|&byte| byte == 0x07 || byte == 0x1b)
            .map_or(bytes.len(), |end| if body.get(end) == Some(&0x1b) { end + 4 } else { end + 3 })
            .min(bytes.len()),
        Some(byte) if byte.is_ascii() => 2,
        _ => 1,
    }
}

/// Length of the mail or Markdown quote marks (`> `, `> > `, `>>`) that `text` starts with.
fn quote_marks(text: &str) -> usize {
    let mut rest = text;
    while let Some(inner) = rest.trim_start_matches(' ').strip_prefix('>') {
        // At most three blanks may stand before a mark; more is code that happens to start with one.
        if rest.len() - inner.len() > 4 {
            break;
        }
        rest = inner.strip_prefix(' ').unwrap_or(inner);
    }
    text.len() - rest.len()
}

/// The text between backticks that go around a whole line (`` `128` ``, "```sysctl -a```").
fn inline_code(text: &str) -> Option<Range<usize>> {
    let ticks = text.bytes().take_while(|&byte| byte == b'`').count();
    let inner = text.get(ticks..text.len().checked_sub(ticks)?)?;
    let closed = ticks > 0 && !inner.is_empty() && !inner.contains('`') && text.ends_with('`');
    closed.then(|| ticks..ticks + inner.len())
}

/// Offsets of literal `\n` in a line that was flattened by some tool; `None` for ordinary lines. JSON and quoted
/// strings hold `\n` for good reasons, so a line that starts like one is left alone.
fn literal_breaks(text: &str) -> Option<Vec<usize>> {
    let mut breaks = memchr::memmem::find_iter(text.as_bytes(), b"\\n");
    let first = breaks.next()?;
    breaks.next()?;
    let structured = text.trim_start().starts_with(['{', '[', '"', '\'', '-']) || text.get(..first)?.contains("=\"");
    (!structured).then(|| memchr::memmem::find_iter(text.as_bytes(), b"\\n").collect())
}

fn split<'a>(line: &Line<'a>, breaks: &[usize], lines: &mut Vec<Line<'a>>) {
    let mut from = 0;
    for &at in breaks.iter().chain([&line.text.len()]) {
        lines.push(slice(line, from..at.max(from)));
        from = at + 2;
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, clean};

    fn lines(raw: &str) -> Vec<Line<'_>> {
        let mut lines = Vec::new();
        clean(raw, &mut Vec::new(), &mut lines);
        lines
    }

    fn texts(raw: &str) -> Vec<String> {
        lines(raw).into_iter().map(|line| line.text.into_owned()).collect()
    }

    #[test]
    fn colours_and_cr_go_and_offsets_stay() {
        let raw = "fs.\u{1b}[01;31m\u{1b}[Kinotify\u{1b}[m\u{1b}[K.max = 1\r\nnext";
        let lines = lines(raw);
        assert_eq!(lines[0].text, "fs.inotify.max = 1");
        let clean_at = lines[0].text.find("inotify").unwrap();
        assert_eq!(lines[0].raw_offset(clean_at), raw.find("inotify").unwrap());
        assert_eq!(lines[0].raw_offset(lines[0].text.len() - 1), raw.find('\r').unwrap() - 1);
    }

    #[test]
    fn an_unfinished_escape_ends_with_the_line() {
        assert_eq!(texts("a\u{1b}[31"), ["a"]);
        assert_eq!(texts("a\u{1b}"), ["a"]);
        assert_eq!(texts("a\u{1b}é"), ["aé"]);
        assert_eq!(texts("\u{1b}]0;title\u{7}$ ls"), ["$ ls"]);
    }

    #[test]
    fn nested_quote_marks_go_and_indentation_stays() {
        assert_eq!(texts("> > spec:\n> >   x: 1\n>> y"), ["spec:", "  x: 1", "y"]);
        assert_eq!(texts("      > not a quote"), ["      > not a quote"]);
    }

    #[test]
    fn backticks_around_a_line_go_and_fences_stay() {
        assert_eq!(texts("`128`\n```sysctl -a```\n```\n`a` b `c`"), ["128", "sysctl -a", "```", "`a` b `c`"]);
    }

    #[test]
    fn a_flattened_text_gets_its_lines_back() {
        let lines = lines("## Problem\\n\\n65,429 entries\\n- a");
        let texts: Vec<&str> = lines.iter().map(|line| line.text.as_ref()).collect();
        assert_eq!(texts, ["## Problem", "", "65,429 entries", "- a"]);
        assert_eq!(lines[2].raw_offset(0), 14);
        assert_eq!(self::texts("{\"a\":\"x\\ny\\nz\"}").len(), 1);
    }
}
