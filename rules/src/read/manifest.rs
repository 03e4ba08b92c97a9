//! Kubernetes manifests: YAML and JSON documents, wherever they stand in a paste.

use std::ops::Range;

use serde::Deserialize;
use serde_json::Value;

use crate::facts::{Facts, Found, Host, Sketch};
use crate::kubernetes::pod::{self, PodTemplate};
use crate::read::documents::{ANCHORS, candidates, indent, object_key};
use crate::read::{Notes, cluster};
use crate::report::{Place, Span, Why};
use crate::text::{Line, Paste, Role};

/// Id of this reader in `read`.
pub(super) const KIND: &str = "manifest";

/// serde's parsers stop at 128 levels, and libyaml needs time that grows with the square of the depth to get there.
const DEEPEST: usize = 128;

/// Find the documents of a paste, read them, and give their lines the role of a document. Returns the lines of those
/// that could be parsed.
pub(super) fn read(paste: &mut Paste, notes: &mut Notes) -> Vec<Range<usize>> {
    let mut documents = Vec::new();
    for section in paste.text_sections() {
        if let Some(why) = diff(paste.lines.get(section.clone()).unwrap_or_default()) {
            refuse(paste, section, Sketch::Diff, why, notes);
            continue;
        }
        for candidate in candidates(&paste.lines, section) {
            documents.extend(read_candidate(paste, candidate, notes));
        }
    }
    documents
}

/// Add the facts of one parsed document that starts at raw line `first_line` of `input`; 0 for an object without text.
pub(super) fn document(document: &Value, input: usize, first_line: usize, facts: &mut Facts) {
    let walk = pod::walk(document);
    facts.pods.extend(walk.pods.into_iter().map(|pod| PodTemplate { input, document_line: first_line, ..pod }));
    let span = (first_line > 0).then_some(Span { line: first_line, column: 1, end_column: 1 });
    facts.sketches.extend(
        walk.sketches
            .into_iter()
            .map(|(pointer, value)| (value, Place { input, pointer: Some(pointer), span }))
            .map(|(value, place)| Found { value, place, host: Host::default() }),
    );
    cluster::read(document, input, span, facts);
}

/// Parse one candidate. When it is a document, take its facts and claim its lines, which are returned.
fn read_candidate(paste: &mut Paste, mut lines: Range<usize>, notes: &mut Notes) -> Option<Range<usize>> {
    let slice = paste.lines.get(lines.clone()).unwrap_or_default();
    let text = text_of(slice);
    let parsed = parse(&text).or_else(|message| {
        // Needles above a manifest can look like keys; the manifest itself starts with its version or kind.
        let start = slice.iter().position(|line| object_key(&line.text).is_some()).filter(|&start| start > 0);
        let value = start.and_then(|start| Some((start, parse(&text_of(slice.get(start..)?)).ok()?)));
        value
            .map(|(start, value)| {
                lines.start += start;
                value
            })
            .ok_or(message)
    });
    let value = match parsed {
        Ok(value) if is_manifest(&value) => value,
        Ok(_) => return None,
        Err(message) => {
            let (sketch, why) = refusal(&text, message);
            refuse(paste, lines, sketch, why, notes);
            return None;
        }
    };
    if indentation_lost(&value) {
        refuse(paste, lines, Sketch::IndentationLost, Why::IndentationLost, notes);
        return None;
    }
    let first_line = paste.lines.get(lines.start).map_or(1, |line| line.number);
    document(&value, notes.input, first_line, &mut notes.facts);
    let span = Some(Span { line: first_line, column: 1, end_column: 1 });
    cluster::read_embedded(&value, notes.input, span, &mut notes.facts);
    for line in paste.lines.get_mut(lines.clone()).unwrap_or_default() {
        notes.claim(KIND, line);
        line.role = Role::Document;
    }
    Some(lines)
}

/// Parse YAML or JSON with merge keys applied.
pub(crate) fn parse(text: &str) -> Result<Value, String> {
    if is_too_deep(text) {
        return Err(format!("nested deeper than {DEEPEST} levels"));
    }
    if text.trim_start().starts_with(['{', '['])
        && let Ok(value) = serde_json::from_str(text)
    {
        return Ok(value);
    }
    // A tab is no blank to YAML; libyaml refuses one behind a value, so trailing blanks are already gone.
    let mut value =
        serde_yaml::Value::deserialize(serde_yaml::Deserializer::from_str(text)).map_err(|e| e.to_string())?;
    value.apply_merge().map_err(|error| error.to_string())?;
    serde_json::to_value(value).map_err(|error| error.to_string())
}

/// True when brackets or indentation nest deeper than any manifest.
fn is_too_deep(text: &str) -> bool {
    let mut indents: Vec<usize> = Vec::new();
    let mut brackets = 0_usize;
    let mut in_string = false;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let indent = indent(line);
        while indents.last().is_some_and(|&open| open >= indent) {
            indents.pop();
        }
        indents.push(indent);
        for byte in line.bytes() {
            match byte {
                b'"' => in_string = !in_string,
                b'{' | b'[' if !in_string => brackets += 1,
                b'}' | b']' if !in_string => brackets = brackets.saturating_sub(1),
                _ => {}
            }
            if brackets > DEEPEST {
                return true;
            }
        }
        // A string that goes over a line end is rare, an odd quote in a comment is not.
        in_string = false;
        if indents.len() > DEEPEST {
            return true;
        }
    }
    false
}

/// True when the document has one of the keys that this reader is about, at any depth a line can show.
fn is_manifest(value: &Value) -> bool {
    match value {
        Value::Object(object) => {
            object.contains_key("kind") && (object.contains_key("apiVersion") || object.contains_key("spec"))
                || object
                    .iter()
                    .any(|(key, child)| ANCHORS.contains(&key.as_str()) && !child.is_number() || is_manifest(child))
        }
        Value::Array(items) => items.iter().any(is_manifest),
        Value::String(text) => text.contains("emptyDir:"),
        _ => false,
    }
}

/// A whole manifest whose nested keys all stand at the left edge.
fn indentation_lost(value: &Value) -> bool {
    value.as_object().is_some_and(|object| {
        object.contains_key("kind")
            && object.get("spec").is_some_and(Value::is_null)
            && ["containers", "template", "volumes"].iter().any(|key| object.contains_key(*key))
    })
}

/// Why a text that looked like a manifest was refused.
fn refusal(text: &str, message: String) -> (Sketch, Why) {
    let starts = |mark: &str| text.lines().any(|line| line.starts_with(mark));
    if text.contains("{{") || text.contains("{%") {
        (Sketch::Template, Why::Template)
    } else if starts("kind:") && starts("spec:") && (starts("containers:") || starts("template:") || starts("volumes:"))
    {
        (Sketch::IndentationLost, Why::IndentationLost)
    } else {
        (Sketch::Broken, Why::Broken { message })
    }
}

/// Note lines that cannot be judged, and the sketch they leave when they speak of a memory volume.
fn refuse(paste: &mut Paste, lines: Range<usize>, sketch: Sketch, why: Why, notes: &mut Notes) {
    let slice = paste.lines.get(lines.clone()).unwrap_or_default();
    let mentions = |word: &str| slice.iter().find(|line| line.text.contains(word));
    if let (Some(line), Some(_)) = (mentions("emptyDir"), mentions("Memory")) {
        let at = line.text.find("emptyDir").unwrap_or_default();
        let found = notes.found(sketch, paste, line, at..at + "emptyDir".len());
        notes.facts.sketches.push(found);
    }
    if let (Some(first), Some(last)) = (slice.first(), slice.last()) {
        let (first, last) = (first.number, last.number);
        notes.unread(first, last, why);
    }
    for line in paste.lines.get_mut(lines).unwrap_or_default() {
        line.role = Role::Document;
    }
}

/// A unified diff shows parts of two versions, but for one that adds a whole file.
fn diff(lines: &[Line]) -> Option<Why> {
    let mut hunks = lines.iter().filter(|line| line.text.starts_with("@@ -")).peekable();
    let parts = match hunks.peek() {
        Some(_) => hunks.any(|line| !line.text.starts_with("@@ -0,0 ")),
        None => lines.iter().any(|line| line.text.starts_with("diff --git ")),
    };
    parts.then_some(Why::Diff)
}

/// The clean lines as one text again.
fn text_of(lines: &[Line]) -> String {
    let mut text = String::with_capacity(lines.iter().map(|line| line.text.len() + 1).sum());
    for line in lines {
        text.push_str(&line.text);
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::facts::{Facts, Sketch};
    use crate::report::Why;
    use crate::{Input, read};

    fn read(text: &str) -> (Facts, Vec<Why>) {
        let inputs = [Input::new("paste", text)];
        let reading = read::texts(&inputs);
        (reading.facts, reading.unread.into_iter().map(|unread| unread.why).collect())
    }

    const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers:\n  - name: app\n    \
                       volumeMounts:\n    - {name: v, mountPath: /v}\n  volumes:\n  - name: v\n    emptyDir:\n      medium: Memory\n";

    #[test]
    fn documents_are_found_among_prompts_and_prose() {
        let (facts, _) = read(&format!("here is my pod:\n$ cat pod.yaml\n{POD}$ uname -r\n5.15.0\n---\n{POD}"));
        assert_eq!(facts.pods.len(), 2);
        assert_eq!(facts.pods[0].object, "Pod/a");
        assert_eq!(facts.pods[0].document_line, 3);
        assert_eq!(facts.pods[1].document_line, 19);
    }

    #[test]
    fn a_broken_document_does_not_hide_the_others() {
        let (facts, unread) = read(&format!("{POD}---\nkind: Pod\nspec:\n  containers: [\n---\n{POD}"));
        assert_eq!(facts.pods.len(), 2);
        assert!(matches!(unread.as_slice(), [Why::Broken { .. }]), "{unread:?}");
    }

    #[test]
    fn objects_without_a_separator_and_words_above_one() {
        let (facts, unread) = read(&format!("{POD}{POD}"));
        assert_eq!((facts.pods.len(), unread.len()), (2, 0));
        let (facts, _) = read(&format!("note: see this: it fails\n{POD}"));
        assert_eq!(facts.pods.len(), 1);
    }

    #[test]
    fn what_cannot_be_judged_is_named() {
        for (text, sketch) in [
            (
                "spec:\n  {{- if .x }}\n  volumes:\n  - emptyDir:\n      medium: Memory\n  {{- end }}\n",
                Sketch::Template,
            ),
            ("@@ -1,2 +1,2 @@\n-   emptyDir: { \"medium\": \"Memory\" }\n", Sketch::Diff),
            (
                "kind: Pod\nspec:\ncontainers:\n- name: a\nimage: b\nvolumes:\n- name: v\nemptyDir:\nmedium: Memory\n",
                Sketch::IndentationLost,
            ),
            ("volumes:\n- emptyDir:\n  medium: Memory\n", Sketch::Fragment),
            ("spec:\n  values: |\n    emptyDir:\n      medium: Memory\n", Sketch::Values),
            ("{\"volumes\": [{\"emptyDir\": {\"medium\": \"Memory\"", Sketch::Broken),
        ] {
            let (facts, _) = read(text);
            assert_eq!(facts.sketches.iter().map(|found| found.value).collect::<Vec<_>>(), [sketch], "{text}");
        }
    }

    #[test]
    fn a_diff_that_adds_a_whole_file_is_read() {
        let added = POD.lines().map(|line| format!("+{line}\n")).collect::<String>();
        let header = "diff --git a/pod.yaml b/pod.yaml\nnew file mode 100644\n--- /dev/null\n+++ b/pod.yaml\n";
        let (facts, _) = read(&format!("{header}@@ -0,0 +1,13 @@\n{added}"));
        assert_eq!(facts.pods.len(), 1);
        let (facts, unread) = read(&format!("{header}@@ -0,0 +1,13 @@\n{added}@@ -1,2 +1,2 @@\n x\n"));
        assert_eq!((facts.pods.len(), unread), (0, vec![Why::Diff]));
    }

    #[test]
    fn scripts_inside_a_manifest_are_no_commands() {
        let (facts, _) = read(
            "kind: Pod\napiVersion: v1\nspec:\n  containers:\n  - name: a\n    args:\n    - |\n      sysctl -a | grep x\n      \
             # cat this\n      cat /proc/cgroups\n  - name: b\n",
        );
        assert_eq!(facts.pods[0].containers.len(), 2);
    }

    #[test]
    fn aliases_and_merge_keys_are_followed() {
        let (facts, _) = read(
            "x: &r {limits: {memory: 1Gi}}\nspec:\n  containers:\n  - name: a\n    resources: {<<: *r}\n  - name: b\n    resources: *r\n",
        );
        let limits: Vec<_> = facts.pods[0].containers.iter().map(|container| container.memory_limit.bytes()).collect();
        assert_eq!(limits, [Some(1 << 30); 2]);
    }
}
