//! Raw paste to clean lines, and clean lines to blocks that know their command.
//!
//! Cleaning takes away what terminals, mails and Markdown add (colours, CR, quote marks, fences, prompts), but every
//! clean line remembers where each of its bytes stood, so that a finding points into the text as it was pasted.

use std::cell::Cell;
use std::ops::Range;

use crate::report::Span;

pub(crate) use line::{Line, Role, escape_length};
pub(crate) use needles::Needles;

mod line;
mod margin;
mod needles;
pub(crate) mod number;
mod prompt;
mod unwrap;

/// A paste: its clean lines, and how they fall into blocks.
#[derive(Debug)]
pub(crate) struct Paste<'a> {
    raw: &'a str,
    /// Byte offset of the start of each raw line.
    line_starts: Vec<usize>,
    /// Clean lines in order; a raw line may give none (a fence) or several (literal `\n`).
    pub(crate) lines: Vec<Line<'a>>,
    blocks: Vec<Section>,
    /// The column found last, so that going through a long line from left to right counts it once.
    column: Cell<Column>,
}

/// A known column: the raw offset of the start of its line, its own raw offset, and the UTF-16 units between the two.
#[derive(Clone, Copy, Debug, Default)]
struct Column {
    line_start: usize,
    offset: usize,
    units: usize,
}

/// A run of lines under one command, or between two fences.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Section {
    heading: Option<usize>,
    command: Option<(usize, usize)>,
    lines: Range<usize>,
}

/// A run of lines that belong together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block<'p, 'a> {
    /// The paste it is part of.
    pub(crate) paste: &'p Paste<'a>,
    /// The line that opens this block, or the one above the fence that does: often the name of a file or a host.
    pub(crate) heading: Option<&'p Line<'a>>,
    /// The command line that printed these lines.
    pub(crate) command: Option<Command<'p, 'a>>,
    /// The lines without the command.
    lines: &'p [Line<'a>],
}

impl<'p, 'a> Block<'p, 'a> {
    /// The lines that are no part of a document, without the command.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &'p Line<'a>> + use<'p, 'a> {
        self.lines.iter().filter(|line| line.role == Role::Text)
    }

    /// The command line, then the lines: output is sometimes glued to the command that printed it.
    pub(crate) fn all_lines(&self) -> impl Iterator<Item = &'p Line<'a>> + use<'p, 'a> {
        self.command.map(|command| command.line).into_iter().chain(self.lines())
    }

    /// Whether the line behind this block is a command.
    pub(crate) fn is_before_command(&self) -> bool {
        let last = self.lines.last().or(self.command.map(|command| command.line)).map_or(0, |line| line.last);
        let next = self.paste.lines.partition_point(|line| line.number <= last);
        self.paste.lines.get(next).is_some_and(|line| line.role == Role::Command)
    }

    /// The host that printed these lines, by the command, its prompt or the heading.
    pub(crate) fn host(&self) -> Option<&'p str> {
        let remote = self.command.and_then(|command| prompt::ssh_host(command.text()));
        remote.or_else(|| self.shell_host()).or_else(|| self.heading.and_then(|line| prompt::heading_host(&line.text)))
    }

    /// The host whose shell the command was typed in, by its prompt.
    pub(crate) fn shell_host(&self) -> Option<&'p str> {
        self.command.and_then(|command| prompt::host(command.line.text.get(..command.from)?))
    }

    /// The node that a kubectl command is about instead of the host that it was typed on; empty when it is about none in
    /// particular.
    pub(crate) fn asked_node(&self) -> Option<&'p str> {
        prompt::asked_node(self.command_text())
    }

    /// Where the descriptions of nodes start (`kubectl describe nodes`), by line number, and their names.
    pub(crate) fn described_nodes(&self) -> impl Iterator<Item = (usize, &'p str)> + use<'p, 'a> {
        self.lines.windows(2).filter_map(|pair| match pair {
            [name, roles] if roles.text.starts_with("Roles:") => {
                Some((name.number, name.text.strip_prefix("Name:")?.trim()))
            }
            _ => None,
        })
    }

    /// The nodes that described pods run on (`kubectl describe pod`, or its events alone), by the line from which on each
    /// counts; empty where the next description starts.
    pub(crate) fn nodes_of_pods(&self) -> impl Iterator<Item = (usize, &'p str)> + use<'p, 'a> {
        // `docker info` has a name as well.
        let is_kubectl = self.command.is_none() || self.asked_node().is_some();
        self.lines.iter().filter(move |_| is_kubectl).filter_map(|line| {
            let is_start = line.text.starts_with("Name:");
            let node = line.text.strip_prefix("Node:").map(|node| node.trim().split('/').next().unwrap_or_default());
            let assigned =
                || line.text.split_once("Successfully assigned ")?.1.split_once(" to ").map(|(_, node)| node);
            let node = node.or_else(assigned);
            Some((line.number, if is_start { "" } else { node? }))
        })
    }

    /// The command's text, or nothing.
    pub(crate) fn command_text(&self) -> &'p str {
        self.command.map_or("", |command| command.text())
    }
}

/// A command line without its prompt.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Command<'p, 'a> {
    /// The line it stands on.
    pub(crate) line: &'p Line<'a>,
    /// Byte offset in the clean line at which the command starts.
    pub(crate) from: usize,
}

impl<'p> Command<'p, '_> {
    /// The command's text.
    pub(crate) fn text(&self) -> &'p str {
        self.line.text.get(self.from..).unwrap_or_default()
    }
}

impl<'a> Paste<'a> {
    /// Clean and split a text.
    pub(crate) fn new(raw: &'a str) -> Self {
        let mut paste =
            Self { raw, line_starts: Vec::new(), lines: Vec::new(), blocks: Vec::new(), column: Cell::default() };
        line::clean(raw, &mut paste.line_starts, &mut paste.lines);
        margin::remove(&mut paste.lines);
        paste.lines = unwrap::unwrap(paste.lines);
        paste.blocks = sections(&mut paste.lines);
        paste
    }

    /// The blocks in order.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = Block<'_, 'a>> {
        self.blocks.iter().map(|section| Block {
            paste: self,
            heading: section.heading.and_then(|index| self.lines.get(index)),
            command: section.command.and_then(|(index, from)| self.lines.get(index).map(|line| Command { line, from })),
            lines: self.lines.get(section.lines.clone()).unwrap_or_default(),
        })
    }

    /// How many raw lines there are.
    pub(crate) fn line_count(&self) -> usize {
        self.line_starts.len()
    }

    /// The bytes of the raw lines from number `lines.start` to number `lines.end`, both 1-based and included, without
    /// the last line end.
    pub(crate) fn raw_lines(&self, lines: Range<usize>) -> Range<usize> {
        let start = self.line_starts.get(lines.start.saturating_sub(1)).copied().unwrap_or(self.raw.len());
        let end = self.line_starts.get(lines.end).map_or(self.raw.len(), |next| next.saturating_sub(1));
        let line_end = self.raw.get(start..end).is_some_and(|raw| raw.ends_with('\r'));
        start..end - usize::from(line_end)
    }

    /// The lines of each block, by index.
    pub(crate) fn text_sections(&self) -> Vec<Range<usize>> {
        self.blocks.iter().map(|section| section.lines.clone()).collect()
    }

    /// Where a stretch of a clean line stands in the raw text. A stretch that a hard wrap broke ends with its first
    /// raw line.
    pub(crate) fn span(&self, line: &Line, range: Range<usize>) -> Span {
        let start = line.raw_offset(range.start);
        let index = self.line_starts.partition_point(|&offset| offset <= start).saturating_sub(1);
        let line_start = self.line_starts.get(index).copied().unwrap_or_default();
        let line_end = self.line_starts.get(index + 1).map_or(self.raw.len(), |next| next - 1);
        let last = range.end.saturating_sub(1).max(range.start);
        let end =
            line.raw_offset(last) + line.text.get(last..).and_then(|t| t.chars().next()).map_or(0, char::len_utf8);
        let end = if range.is_empty() { start } else { end.clamp(start, line_end) };
        let column = self.units(line_start, start) + 1;
        let end_column = self.units(line_start, end) + 1;
        Span { line: index + 1, column, end_column }
    }
}

impl Paste<'_> {
    /// UTF-16 units between the start of a raw line and an offset in it.
    fn units(&self, line_start: usize, offset: usize) -> usize {
        let known = self.column.get();
        let from = if known.line_start == line_start && known.offset <= offset {
            known
        } else {
            Column { line_start, offset: line_start, units: 0 }
        };
        let between = self.raw.get(from.offset..offset).map_or(0, |text| text.encode_utf16().count());
        let units = from.units + between;
        self.column.set(Column { line_start, offset, units });
        units
    }
}

/// Split lines into sections at fences and commands, and note the role of each line.
fn sections(lines: &mut [Line]) -> Vec<Section> {
    let mut sections = vec![Section { heading: None, command: None, lines: 0..0 }];
    let mut last_text = None;
    let mut yaml = Yaml::default();
    for index in 0..lines.len() {
        let follows = lines.get(index + 1).is_some_and(|next| is_yaml_key(&next.text) || indent(&next.text) > 0);
        let Some(line) = lines.get_mut(index) else { break };
        let start = if prompt::heading_host(&line.text).is_some() {
            line.role = Role::Command;
            Some(Section { heading: Some(index), command: None, lines: index + 1..index + 1 })
        } else if line.is_fence() {
            let heading = last_text.take();
            let open = line.open_fence();
            line.role = Role::Fence;
            match open {
                // A command on the fence line itself: "```sysctl -a".
                Some(from) => Some(Section { heading, command: Some((index, from)), lines: index + 1..index + 1 }),
                None => Some(Section { heading, command: None, lines: index + 1..index + 1 }),
            }
        } else {
            let command =
                if yaml.holds(&line.text) { None } else { prompt::command_start(&line.text, yaml.open() && follows) };
            command.map(|from| {
                line.role = Role::Command;
                Section { heading: None, command: Some((index, from)), lines: index + 1..index + 1 }
            })
        };
        if !line.text.trim().is_empty() && !line.is_fence() {
            last_text = Some(index);
            yaml.see(&line.text);
        }
        match (start, sections.last_mut()) {
            (Some(section), _) => sections.push(section),
            (None, Some(section)) => section.lines.end = index + 1,
            (None, None) => {}
        }
    }
    sections
}

/// Whether the lines before were YAML, and how far left its keys stand. A script inside a manifest is indented below a
/// key, and is no command that somebody typed.
#[derive(Debug, Default)]
struct Yaml {
    indent: Option<usize>,
}

impl Yaml {
    fn open(&self) -> bool {
        self.indent.is_some()
    }

    fn holds(&self, line: &str) -> bool {
        self.indent.is_some_and(|base| indent(line) > base)
    }

    fn see(&mut self, line: &str) {
        let indent = indent(line);
        if is_yaml_key(line) {
            self.indent = Some(self.indent.map_or(indent, |base| base.min(indent)));
        } else if indent == 0 && !line.starts_with('#') {
            self.indent = None;
        }
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// A cheap sign that a line is YAML: a list item, or `key:` with nothing or a blank behind the colon.
fn is_yaml_key(line: &str) -> bool {
    let text = line.trim_start();
    text.starts_with("- ")
        || text.split_once(':').is_some_and(|(key, rest)| {
            !key.is_empty() && !key.contains(char::is_whitespace) && (rest.is_empty() || rest.starts_with(' '))
        })
}
