//! Stretches of a paste that may be YAML or JSON documents: where they start, and the last line that can belong to them.

use std::ops::Range;

use crate::text::{Line, Needles};

/// Keys that make a YAML or JSON document worth reading.
pub(super) const ANCHORS: &[&str] = &[
    "apiVersion",
    "containers",
    "emptyDir",
    "ephemeralContainers",
    "initContainers",
    "items",
    "kubeletconfig",
    "volumeMounts",
    "volumes",
];

/// Stretches of a section that may be documents, in order.
pub(super) fn candidates(lines: &[Line], section: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // Scanning for a closing bracket may reach the end of the section for nothing. The budget keeps that linear.
    let mut budget =
        4 * lines.get(section.clone()).unwrap_or_default().iter().map(|line| line.text.len() + 1).sum::<usize>();
    let mut index = section.start;
    while index < section.end {
        let Some(line) = lines.get(index) else { break };
        let candidate = match shape(&line.text) {
            Shape::Json if budget > 0 => json_end(lines, index..section.end, &mut budget),
            Shape::Key | Shape::Item | Shape::Template => Some(yaml_end(lines, index..section.end)),
            Shape::Json | Shape::Neutral | Shape::Separator | Shape::Other => None,
        };
        match candidate {
            Some(end) => {
                let range = index..end.max(index + 1);
                if lines.get(range.clone()).unwrap_or_default().iter().any(|line| has_anchor(&line.text)) {
                    found.push(range.clone());
                }
                index = range.end;
            }
            None => index += 1,
        }
    }
    found
}

/// What a line looks like to YAML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// `key:` or `key: value`.
    Key,
    /// `- item`.
    Item,
    /// A line that a template engine takes out or fills in.
    Template,
    /// The start of JSON.
    Json,
    /// Blank, or a comment.
    Neutral,
    /// `---` or `...`.
    Separator,
    /// Anything else; part of a document only when it is indented below one.
    Other,
}

fn shape(line: &str) -> Shape {
    let text = line.trim_start();
    if text.is_empty() || text.starts_with('#') {
        return Shape::Neutral;
    }
    if line.starts_with("---") || line == "..." {
        return Shape::Separator;
    }
    if text.starts_with("{{") || text.starts_with("{%") {
        return Shape::Template;
    }
    if let Some(rest) = text.strip_prefix(['{', '[']) {
        let json = rest.is_empty() || rest.trim_start().starts_with(['"', '{', '[', '}', ']']);
        return if json { Shape::Json } else { Shape::Other };
    }
    if text == "-" || text.starts_with("- ") {
        return Shape::Item;
    }
    let quoted = text.strip_prefix(['"', '\'']).unwrap_or(text);
    let key =
        quoted.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '/' | '$' | '<' | '*')));
    match key.and_then(|end| quoted.get(end..)) {
        Some(rest) if key != Some(0) => {
            let rest = rest.strip_prefix(['"', '\'']).unwrap_or(rest).trim_start_matches(' ');
            if rest == ":" || rest.starts_with(": ") || rest.starts_with(":\t") { Shape::Key } else { Shape::Other }
        }
        _ => Shape::Other,
    }
}

/// True when a line names one of the keys that make a document worth parsing, and as a key: "failed to create
/// containers: …" is a sentence.
fn has_anchor(line: &str) -> bool {
    static KEYS: Needles = Needles::new(ANCHORS);
    KEYS.all_in(line).any(|(_, key)| {
        let before = line.get(..key.start).unwrap_or_default().trim_end_matches(['"', '\'']).trim_end();
        let after = line.get(key.end..).unwrap_or_default().trim_start_matches(['"', '\'']).trim_start();
        after.starts_with(':') && (before.is_empty() || before.ends_with(['-', '{', ',', '[', '+', '>']))
    })
}

pub(super) fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// End of the YAML document that starts at `lines.start`: the first line that can no longer belong to it.
fn yaml_end(lines: &[Line], range: Range<usize>) -> usize {
    let mut base = usize::MAX;
    let mut end = range.start;
    // Two objects one after the other, without a separator.
    let mut started = Vec::new();
    for index in range {
        let Some(line) = lines.get(index) else { break };
        let indent = indent(&line.text);
        if let Some(key) = object_key(&line.text) {
            if started.contains(&key) {
                break;
            }
            started.push(key);
        }
        match shape(&line.text) {
            Shape::Separator => break,
            Shape::Neutral => continue,
            Shape::Key | Shape::Item => base = base.min(indent),
            Shape::Template => {}
            Shape::Json if indent >= base => {}
            Shape::Other if indent > base || indent >= base && line.text.trim_start().starts_with([']', '}']) => {}
            Shape::Json | Shape::Other => break,
        }
        end = index + 1;
    }
    end
}

/// End of the JSON value that starts at `lines.start`, or of the section when it never closes but names an anchor.
fn json_end(lines: &[Line], range: Range<usize>, budget: &mut usize) -> Option<usize> {
    let (mut depth, mut in_string, mut escaped, mut anchored) = (0_usize, false, false, false);
    for index in range.clone() {
        let line = lines.get(index)?;
        *budget = budget.saturating_sub(line.text.len() + 1);
        anchored |= has_anchor(&line.text);
        for byte in line.text.bytes() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if in_string => escaped = true,
                b'"' => in_string = !in_string,
                b'{' | b'[' if !in_string => depth += 1,
                b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        // A string never goes over a line end, so an odd quote is somebody's prose.
        in_string = false;
        escaped = false;
        if depth == 0 {
            return Some(index + 1);
        }
    }
    anchored.then_some(range.end)
}

/// `apiVersion:` or `kind:`, which every object starts with one or the other of.
pub(super) fn object_key(line: &str) -> Option<&'static str> {
    ["apiVersion:", "kind:"].into_iter().find(|key| line.starts_with(key))
}

#[cfg(test)]
mod tests {
    use super::{Shape, has_anchor, shape};

    #[test]
    fn shapes() {
        for (line, want) in [
            ("a-b/c.d: x", Shape::Key),
            ("\"quoted\": x", Shape::Key),
            ("- x", Shape::Item),
            ("http://x", Shape::Other),
            ("I0831 05:03:23.117919 4540 x.go:194] \"Failed\"", Shape::Other),
            ("{{- end }}", Shape::Template),
            ("{\"a\": 1}", Shape::Json),
            ("[root@host ~]# ls", Shape::Other),
            ("---", Shape::Separator),
        ] {
            assert_eq!(shape(line), want, "{line}");
        }
    }

    #[test]
    fn an_anchor_is_a_key() {
        for line in ["  containers:", "- volumes: []", "{\"items\": [", "spec: {volumes: [{emptyDir: {}}]}"] {
            assert!(has_anchor(line), "{line}");
        }
        for line in ["Error: failed to create containers: x", "mount volumes: timed out", "containers", "kind: Pod"] {
            assert!(!has_anchor(line), "{line}");
        }
    }
}
