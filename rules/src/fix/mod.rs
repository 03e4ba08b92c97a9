//! Findings' patches put into the text that they were found in.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde_json::Value;

use crate::patch::{self, Set};
use crate::read::{self, Document, Reading};
use crate::report::Finding;
use crate::settings::Settings;
use crate::text::Paste;
use crate::{Input, check};

mod layout;

/// A text with patches in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fixed {
    /// The whole text. Documents that no patch is about, and all that is no document, are the same byte for byte.
    pub text: String,
    /// What was changed, in the order of the text's documents.
    pub changes: Vec<Change>,
    /// 1-based first lines, in the original text, of the documents that had to be written anew: their comments,
    /// anchors and layout are gone.
    pub reformatted: Vec<usize>,
    /// What could not be put anywhere, because the findings are about another text.
    pub left: Vec<Change>,
}

/// One field that was set.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Id of the rule whose finding asked for it.
    pub rule: Cow<'static, str>,
    /// `Kind/namespace/name` of the object.
    pub object: Option<String>,
    /// The field and its value.
    pub set: Set,
}

/// Most rounds of [`fix_all`]: a limit that is new can make a request or a neighbour's missing limit worth a finding,
/// and that is as far as it goes.
const ROUNDS: usize = 4;

/// Check `input` and put all patches into it, again and again until no finding has one left.
#[must_use]
pub fn fix_all(input: &Input, settings: &Settings) -> Fixed {
    let mut all = Fixed { text: input.text.clone().into_owned(), ..Fixed::default() };
    for _ in 0..ROUNDS {
        let input = Input::new(input.name.as_ref(), all.text.as_str());
        let findings = check(std::slice::from_ref(&input), settings).findings;
        let round = fix(&input, &findings);
        if round.changes.is_empty() {
            all.left = round.left;
            break;
        }
        all.changes.extend(round.changes);
        all.reformatted.extend(round.reformatted);
        all.text = round.text;
    }
    all
}

/// Put the patches of `findings` into `input`, whose check gave them. Comments and layout stay wherever the edit can be
/// made on the text; that the result means what the patches say is checked by parsing it again. Where two patches set
/// the same field, the first one counts, so that the worst finding of a report decides.
#[must_use]
pub fn fix<'f>(input: &Input, findings: impl IntoIterator<Item = &'f Finding>) -> Fixed {
    let inputs = std::slice::from_ref(input);
    let reading = read::texts(inputs);
    let mut fixed = Fixed::default();
    let changes = changes_by_document(&reading, findings, &mut fixed.left);
    let mut copied = 0;
    for (index, changes) in changes {
        let source = Source::of(&reading, input, index).filter(|source| source.start >= copied);
        let edits: Vec<Set> = changes.iter().map(|change| change.set.clone()).collect();
        let Some((source, edited)) = source.and_then(|source| edited(&source, &edits).map(|edited| (source, edited)))
        else {
            fixed.left.extend(changes);
            continue;
        };
        fixed.text.push_str(input.text.get(copied..source.start).unwrap_or_default());
        fixed.text.push_str(&edited.text);
        copied = source.end;
        if edited.reformatted || !source.verbatim {
            fixed.reformatted.push(source.line);
        }
        fixed.changes.extend(changes);
    }
    fixed.text.push_str(input.text.get(copied..).unwrap_or_default());
    fixed
}

/// A stretch of a text and what takes its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Replacement {
    /// Bytes of the text.
    pub range: Range<usize>,
    /// What stands there instead.
    pub text: String,
}

/// Most bytes of documents that [`replacements`] edits: each finding's fix is tried on its whole document, so that a
/// large list with many findings would take its time.
const MOST_EDITED: usize = 8 << 20;

/// What the patch of each of `findings` alone changes in `input`, as [`fix`] would make it; nothing for a finding without
/// a patch, or with one for another text.
#[must_use]
pub fn replacements<'f>(input: &Input, findings: impl IntoIterator<Item = &'f Finding>) -> Vec<Option<Replacement>> {
    let inputs = std::slice::from_ref(input);
    let reading = read::texts(inputs);
    let mut left = MOST_EDITED;
    let replacement = |finding| {
        let (document, changes) = changes_by_document(&reading, [finding], &mut Vec::new()).pop_first()?;
        let source = Source::of(&reading, input, document)?;
        left = left.checked_sub(source.text.len())?;
        let edits: Vec<Set> = changes.into_iter().map(|change| change.set).collect();
        let edited = edited(&source, &edits)?.text;
        Some(difference(input.text.get(source.start..source.end)?, source.start, &edited))
    };
    findings.into_iter().map(replacement).collect()
}

/// The one stretch in which `new` differs from `old`, which starts at byte `start` of the whole text.
fn difference(old: &str, start: usize, new: &str) -> Replacement {
    let same = |a: &(char, char)| a.0 == a.1;
    let before: usize = old.chars().zip(new.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let (old_rest, new_rest) = (old.get(before..).unwrap_or_default(), new.get(before..).unwrap_or_default());
    let ends = old_rest.chars().rev().zip(new_rest.chars().rev());
    let behind: usize = ends.take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let text = new_rest.get(..new_rest.len().saturating_sub(behind)).unwrap_or_default().to_owned();
    let start = start.saturating_add(before);
    Replacement { range: start..start.saturating_add(old_rest.len()).saturating_sub(behind), text }
}

/// The changes to each document, by its index; every field once.
fn changes_by_document<'f>(
    reading: &Reading,
    findings: impl IntoIterator<Item = &'f Finding>,
    left: &mut Vec<Change>,
) -> BTreeMap<usize, Vec<Change>> {
    let mut changes: BTreeMap<usize, Vec<Change>> = BTreeMap::new();
    for finding in findings.into_iter().filter(|finding| !finding.patch.is_empty()) {
        let place = finding.evidence.iter().map(|evidence| &evidence.place).find(|place| place.pointer.is_some());
        let line = place.and_then(|place| place.span).map(|span| span.line);
        let document = line.and_then(|line| document_at(reading, line));
        let of_document = document.map_or(&mut *left, |document| changes.entry(document).or_default());
        let change =
            |set: &Set| Change { rule: finding.rule.clone(), object: finding.object.clone(), set: set.clone() };
        of_document.extend(finding.patch.iter().map(change));
    }
    for changes in changes.values_mut() {
        let mut seen = BTreeSet::new();
        changes.retain(|change| seen.insert(change.set.pointer.clone()));
    }
    changes
}

/// The document that a raw line belongs to.
fn document_at(reading: &Reading, line: usize) -> Option<usize> {
    let paste = reading.pastes.first()?;
    let holds =
        |document: &Document| raw_lines(paste, document).is_some_and(|(first, last)| (first..=last).contains(&line));
    // Documents are in order and do not overlap, so the last one that starts at or above the line is the only candidate.
    let starts_above = |document: &Document| raw_lines(paste, document).is_some_and(|(first, _)| first <= line);
    let index = reading.documents.partition_point(starts_above).checked_sub(1)?;
    reading.documents.get(index).is_some_and(holds).then_some(index)
}

/// Numbers of a document's first and last raw line.
fn raw_lines(paste: &Paste, document: &Document) -> Option<(usize, usize)> {
    let lines = paste.lines.get(document.lines.clone())?;
    Some((lines.first()?.number, lines.last()?.last))
}

/// A document as it stands in the input.
struct Source<'a> {
    /// Its text: the raw one, or the clean one when the two differ (quote marks, prompts, colours).
    text: Cow<'a, str>,
    /// True when `text` is the raw one.
    verbatim: bool,
    /// Bytes of the raw text that it takes the place of, without the last line end.
    start: usize,
    end: usize,
    /// 1-based first raw line.
    line: usize,
}

impl<'a> Source<'a> {
    fn of(reading: &Reading, input: &'a Input, document: usize) -> Option<Self> {
        let (paste, document) = (reading.pastes.first()?, reading.documents.get(document)?);
        let (first, last) = raw_lines(paste, document)?;
        let lines = paste.lines.get(document.lines.clone())?;
        let mut range = paste.raw_lines(first..last);
        let raw = input.text.get(range.clone())?;
        // A byte order mark stays where it is.
        let raw = raw.strip_prefix('\u{feff}').unwrap_or(raw);
        range.start = range.end.saturating_sub(raw.len());
        let verbatim = raw.split('\n').map(str::trim_end).eq(lines.iter().map(|line| line.text.as_ref()));
        let clean = || lines.iter().map(|line| line.text.as_ref()).collect::<Vec<_>>().join("\n");
        let text = if verbatim { Cow::Borrowed(raw) } else { Cow::Owned(clean()) };
        Some(Self { text, verbatim, start: range.start, end: range.end, line: first })
    }
}

/// A document's new text.
struct Edited {
    text: String,
    reformatted: bool,
}

/// Edit the text in place when that gives the very value that the patches ask for, else write the value anew. `None`
/// when the patches do not fit the document.
fn edited(source: &Source, edits: &[Set]) -> Option<Edited> {
    let mut wanted = read::parse(&source.text).ok()?;
    if !patch::apply(&mut wanted, edits).is_empty() {
        return None;
    }
    let in_place = layout::edit(&source.text, edits).filter(|text| read::parse(text).as_ref() == Ok(&wanted));
    match in_place {
        Some(text) => Some(Edited { text, reformatted: false }),
        None => Some(Edited { text: written(&wanted)?, reformatted: true }),
    }
}

/// `value` written anew. JSON is YAML too, and the only form in which every reader agrees what a string is: kubectl
/// reads YAML 1.1, where a bare `on`, `1_000` or `12:30` is none.
fn written(value: &Value) -> Option<String> {
    serde_json::to_string_pretty(value).ok()
}

#[cfg(test)]
mod tests {
    use super::{fix, replacements};
    use crate::report::{Finding, Severity};
    use crate::settings::Settings;
    use crate::{Input, check};

    fn findings(text: &str) -> Vec<Finding> {
        check(&[Input::new("a.yaml", text)], &Settings::default()).findings
    }

    fn fixed(text: &str) -> super::Fixed {
        fix(&Input::new("a.yaml", text), &findings(text))
    }

    const POD: &str = "\
# The cache of the shop.
apiVersion: v1
kind: Pod
metadata:
  name: cache
spec:
  containers:
  - name: app    # writes
    image: \"app:1\"
    volumeMounts:
    - {name: v, mountPath: /v}

    # the end
  volumes:
  - name: v
    emptyDir: {medium: Memory}
";

    #[test]
    fn a_missing_limit_is_inserted_and_all_other_lines_stay() {
        let fixed = fixed(POD);
        let limit = "    resources:\n      limits:\n        memory: 256Mi\n";
        let mount = "    - {name: v, mountPath: /v}\n";
        assert_eq!(fixed.text, POD.replace(mount, &format!("{mount}{limit}")));
        assert_eq!((fixed.reformatted.len(), fixed.left.len(), fixed.changes.len()), (0, 0, 1));
        assert_eq!(fixed.changes[0].object.as_deref(), Some("Pod/cache"));
        assert_eq!(fixed.changes[0].set.pointer, "/spec/containers/0/resources/limits/memory");
        assert!(findings(&fixed.text).is_empty());
    }

    #[test]
    fn line_ends_and_other_documents_stay_byte_for_byte() {
        let other = "kind: ConfigMap\r\napiVersion: v1\r\ndata:   {a:   b}   \r\n";
        let pod = POD.replace('\n', "\r\n");
        let text = format!("\u{feff}{other}---\r\n{pod}---\r\n{other}");
        let fixed = fixed(&text).text;
        assert!(fixed.starts_with(&format!("\u{feff}{other}---\r\n")), "{fixed}");
        assert!(fixed.ends_with(&format!("---\r\n{other}")), "{fixed}");
        assert!(fixed.contains("    resources:\r\n      limits:\r\n        memory: 256Mi\r\n"), "{fixed}");
        assert_eq!(fixed.matches('\n').count(), fixed.matches("\r\n").count());
    }

    #[test]
    fn each_form_of_an_absent_limit_is_edited_in_place() {
        for (written, edited) in [
            ("resources: {}", "resources: {limits: {memory: 256Mi}}"),
            ("resources: {requests: {cpu: 1}}", "resources: {requests: {cpu: 1}, limits: {memory: 256Mi}}"),
            ("resources: null", "resources: {limits: {memory: 256Mi}}"),
            ("resources:", "resources:\n      limits:\n        memory: 256Mi"),
            ("resources: # none yet", "resources: # none yet\n      limits:\n        memory: 256Mi"),
            (
                "resources:\n      limits:\n        cpu: 1",
                "resources:\n      limits:\n        cpu: 1\n        memory: 256Mi",
            ),
            ("resources: {limits: {memory: 0}} # zero", "resources: {limits: {memory: 256Mi}} # zero"),
            ("resources: {limits: {memory: \"0\"}}", "resources: {limits: {memory: 256Mi}}"),
        ] {
            let text = POD.replace("image: \"app:1\"", written);
            let fixed = fixed(&text);
            assert_eq!(fixed.text, POD.replace("image: \"app:1\"", edited));
            assert!(fixed.reformatted.is_empty(), "{written}");
        }
    }

    #[test]
    fn a_stray_field_moves_and_all_other_lines_stay() {
        let limited = POD.replace("image: \"app:1\"", "resources: {limits: {memory: 1Gi}}");
        let volume = "    emptyDir: {medium: Memory}\n";
        for (written, edited) in [
            (
                "    emptyDir: # fast\n    medium: Memory # ram\n    sizeLimit: 8Mi\n    # the end\n",
                "    emptyDir: # fast\n      medium: Memory\n      sizeLimit: 8Mi\n    # the end\n",
            ),
            (
                "    emptyDir:\n      medium: Memory\n    sizeLimit: 8Mi\n",
                "    emptyDir:\n      medium: Memory\n      sizeLimit: 8Mi\n",
            ),
            (
                "    x: {name: w, emptyDir: {}}\n    emptyDir: {medium: Memory}\n    sizeLimit: 8Mi\n",
                "    x: {name: w, emptyDir: {}}\n    emptyDir: {medium: Memory, sizeLimit: 8Mi}\n",
            ),
            (
                "  - {name: w, emptyDir: {}, medium: Memory, sizeLimit: 8Mi}\n",
                "  - {name: w, emptyDir: {medium: Memory, sizeLimit: 8Mi}}\n",
            ),
        ] {
            let text = limited.replace(volume, written);
            let fixed = fixed(&text);
            assert_eq!(fixed.text, limited.replace(volume, edited));
            assert!(fixed.reformatted.is_empty(), "{written}");
        }
    }

    #[test]
    fn json_stays_json() {
        let text = "{\"kind\": \"Pod\", \"apiVersion\": \"v1\", \"spec\": {\n  \"containers\": [{\n    \"name\": \"a\",\n    \
                    \"volumeMounts\": [{\"name\": \"v\", \"mountPath\": \"/v\"}]\n  }],\n  \
                    \"volumes\": [{\"name\": \"v\", \"emptyDir\": {\"medium\": \"Memory\"}}]\n}}\n";
        let fixed = fixed(text);
        let mount = "\"mountPath\": \"/v\"}]";
        let limit = ",\n    \"resources\": {\"limits\": {\"memory\": \"256Mi\"}}";
        assert_eq!(fixed.text, text.replace(mount, &format!("{mount}{limit}")));
        assert!(fixed.reformatted.is_empty());
    }

    #[test]
    fn what_an_anchor_shares_is_written_anew_and_said_so() {
        let text =
            POD.replace("  containers:\n", "  containers:\n  - name: other\n    resources: &r {limits: {memory: 0}}\n");
        let text = text.replace("image: \"app:1\"", "resources: *r");
        let fixed = fixed(&text);
        assert_eq!(fixed.reformatted, [2]);
        assert!(!fixed.text.contains("# writes") && !fixed.text.contains('&'), "{}", fixed.text);
        assert!(findings(&fixed.text).iter().all(|finding| finding.severity == Severity::Info), "{}", fixed.text);
    }

    #[test]
    fn what_a_patch_uncovers_is_patched_as_well() {
        // A new limit makes the request of the writer too small, and the neighbour the only one without a limit.
        let text = POD.replace("image: \"app:1\"", "resources: {requests: {memory: 64Mi}}");
        let text = text.replace("  volumes:\n", "  - name: idle\n  volumes:\n");
        let fixed = super::fix_all(&Input::new("a.yaml", text), &Settings::default());
        let rules: Vec<&str> = fixed.changes.iter().map(|change| change.rule.as_ref()).collect();
        assert_eq!(rules.first(), Some(&"memory-volume-unlimited-writer"));
        assert!(rules.contains(&"memory-volume-unreserved"), "{rules:?}");
        assert!(findings(&fixed.text).iter().all(|finding| finding.patch.is_empty()), "{}", fixed.text);
    }

    #[test]
    fn a_quoted_document_loses_its_marks_and_nothing_around_it_changes() {
        let quoted: String = POD.lines().map(|line| format!("> {line}\n")).collect();
        let fixed = fixed(&format!("See this:\n\n{quoted}\nBye!\n"));
        assert!(fixed.text.starts_with("See this:\n\n") && fixed.text.ends_with("\n\nBye!\n"), "{}", fixed.text);
        assert!(fixed.text.contains("\n    resources:\n      limits:\n"), "{}", fixed.text);
        assert_eq!(fixed.reformatted.len(), 1);
    }

    #[test]
    fn a_replacement_is_no_longer_than_what_changes() {
        let text = format!("# 😀\r\n{POD}");
        let found = findings(&text);
        let changes = replacements(&Input::new("a", text.as_str()), &found);
        let [Some(change)] = changes.as_slice() else { panic!("one patch") };
        assert_eq!(change.range.len(), 0, "a limit is inserted");
        assert_eq!(change.text.trim(), "resources:\n      limits:\n        memory: 256Mi");
        let mut replaced = text.clone();
        replaced.replace_range(change.range.clone(), &change.text);
        assert_eq!(replaced, fix(&Input::new("a", text.as_str()), &found).text);
        assert_eq!(replacements(&Input::new("b", "nothing"), &found), [None]);
    }

    #[test]
    fn findings_about_another_text_change_nothing() {
        let fixed = fix(&Input::new("b", "fs.inotify.max_user_watches = 8192\n"), &findings(POD));
        assert_eq!(fixed.text, "fs.inotify.max_user_watches = 8192\n");
        assert_eq!((fixed.left.len(), fixed.changes.len()), (1, 0));
    }

    #[test]
    fn nothing_to_fix_is_the_same_text() {
        for text in ["", "\u{feff}", "kind: Pod\napiVersion: v1\n", "a\r\nb"] {
            assert_eq!(fixed(text).text, text);
        }
    }
}
