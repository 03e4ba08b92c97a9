//! "Apply fix": what to change in the textarea. The core puts the patches into the text; here the change is narrowed to
//! the stretch that differs, so that it is one short step for the browser's undo.

use std::collections::BTreeSet;

use rules::fix::{self, fix};
use rules::report::Finding;
use rules::settings::Settings;
use rules::{Input, check};
use serde::{Deserialize, Serialize};

use crate::checking::input_of;
use crate::exports::NAME;

/// One stretch of the text and what to put in its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Where the stretch starts, in UTF-16 code units.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// What takes its place.
    pub with: String,
    /// What there is to say about it.
    pub outcome: Fixed,
}

/// What came of applying a fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fixed {
    /// The text was changed.
    Lines {
        /// 1-based first line that is new or different now.
        first: usize,
        /// The last such line, inclusive.
        last: usize,
        /// How many findings it is the fix of.
        count: usize,
        /// A document had to be written anew: its comments and layout are gone.
        reformatted: bool,
        /// The browser's undo takes it back; otherwise the page does.
        undo: bool,
    },
    /// No place was found for the fix.
    Nowhere,
    /// The core is asked for it.
    Awaited,
    /// The core did not answer.
    NoAnswer,
}

impl Fixed {
    /// The same where the browser cannot take it back.
    #[must_use]
    pub fn without_undo(self) -> Self {
        match self {
            Self::Lines { first, last, count, reformatted, .. } => {
                Self::Lines { first, last, count, reformatted, undo: false }
            }
            other => other,
        }
    }
}

/// What puts the patches of `findings`, which a check of `text` has given, into it. `None` when nothing would change.
#[must_use]
pub fn change(text: &str, findings: &[Finding]) -> Option<Change> {
    let (fixed, count) = fixed(text, findings);
    narrowed(text, &fixed, count)
}

/// Most rounds of [`change_all`], as many as the command goes.
const ROUNDS: usize = 4;

/// What puts all patches into the input with that number, again and again until no finding about it has one left: a limit
/// that is new can make a request worth a finding. The inputs beside it count in each check. `None` when nothing would
/// change.
#[must_use]
pub fn change_all(inputs: &[Input], number: usize, settings: &Settings) -> Option<Change> {
    let mut inputs = inputs.to_vec();
    let text = inputs.get(number)?.text.clone();
    let (mut all, mut sum) = (fix::Fixed { text: text.to_string(), ..fix::Fixed::default() }, 0);
    for _ in 0..ROUNDS {
        let findings = check(&inputs, settings).findings;
        let findings: Vec<Finding> = findings.into_iter().filter(|finding| input_of(finding) == number).collect();
        let (round, count) = fixed(&all.text, &findings);
        if count == 0 {
            break;
        }
        sum += count;
        all.reformatted.extend(round.reformatted);
        all.text = round.text;
        inputs.get_mut(number)?.text = all.text.clone().into();
    }
    narrowed(&text, &all, sum)
}

/// The text with the patches of these findings about it, and how many of them found their place.
fn fixed(text: &str, findings: &[Finding]) -> (fix::Fixed, usize) {
    // Whatever its number on the page, here it is the only input.
    let mut findings = findings.to_vec();
    findings.iter_mut().flat_map(|finding| &mut finding.evidence).for_each(|seen| seen.place.input = 0);
    let fixed = fix(&Input::new(NAME, text), &findings);
    let changed: BTreeSet<_> = fixed.changes.iter().map(|change| (&*change.rule, change.object.as_deref())).collect();
    let is_fixed = |finding: &&Finding| {
        !finding.patch.is_empty() && changed.contains(&(&*finding.rule, finding.object.as_deref()))
    };
    let count = findings.iter().filter(is_fixed).count();
    (fixed, count)
}

/// The change narrowed to the stretch that differs.
fn narrowed(text: &str, fixed: &fix::Fixed, count: usize) -> Option<Change> {
    let start = text.floor_char_boundary(common(text.bytes(), fixed.text.bytes()));
    // From the start of its line, so that inserted lines are not told apart in the middle of their indentation.
    let start = text.get(..start)?.rfind('\n').map_or(0, |at| at + 1);
    let behind = common(text.bytes().rev(), fixed.text.bytes().rev());
    let behind = behind.min(text.len() - start).min(fixed.text.len() - start);
    // What stands behind the change is the same in both, so a character ends at the same distance from the end.
    let end = text.ceil_char_boundary(text.len() - behind);
    let new_end = fixed.text.len() - (text.len() - end);
    let with = fixed.text.get(start..new_end)?;
    if start == end && with.is_empty() {
        return None;
    }
    let (before, replaced) = (text.get(..start)?, text.get(start..end)?);
    let line_feeds = |text: &str| text.matches('\n').count();
    let first = 1 + line_feeds(before);
    // A line feed at the end belongs to the line that it ends.
    let last = first + line_feeds(with.strip_suffix('\n').unwrap_or(with));
    let reformatted = !fixed.reformatted.is_empty();
    let outcome = Fixed::Lines { first, last, count, reformatted, undo: true };
    let start = units(before);
    Some(Change { start, end: start.saturating_add(units(replaced)), with: with.to_owned(), outcome })
}

/// How many bytes are the same, from the first on.
fn common(mut a: impl Iterator<Item = u8>, b: impl Iterator<Item = u8>) -> usize {
    b.take_while(|byte| a.next() == Some(*byte)).count()
}

fn units(text: &str) -> u32 {
    u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use rules::Input;
    use rules::fix::{fix, fix_all};
    use rules::report::Finding;
    use rules::settings::Settings;

    use super::{Change, Fixed, change, change_all};
    use crate::examples::{EXAMPLES, Example};

    const POD: &str = "\
# 😀
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  containers:
  - name: app
    volumeMounts: [{name: v, mountPath: /v}]
  volumes: [{name: v, emptyDir: {medium: Memory}}]
";

    fn findings(text: &str) -> Vec<Finding> {
        rules::check(&[Input::new("stdin", text)], &Settings::default()).findings
    }

    fn changed(text: &str) -> Option<Change> {
        change(text, &findings(text))
    }

    /// The text as a textarea would hold it after the change.
    fn applied(text: &str, change: &Change) -> String {
        let units: Vec<u16> = text.encode_utf16().collect();
        let part = |range: &[u16]| String::from_utf16(range).unwrap();
        part(&units[..change.start as usize]) + &change.with + &part(&units[change.end as usize..])
    }

    #[test]
    fn a_missing_limit_is_inserted_and_nothing_else_is_touched() {
        let change = changed(POD).unwrap();
        assert_eq!(change.start, change.end);
        assert_eq!(change.with.trim(), "resources:\n      limits:\n        memory: 256Mi");
        assert_eq!(change.outcome, Fixed::Lines { first: 9, last: 11, count: 1, reformatted: false, undo: true });
        assert!(findings(&applied(POD, &change)).is_empty());
    }

    #[test]
    fn every_example_becomes_what_the_core_makes_of_it() {
        for example in EXAMPLES {
            let fixed = fix(&Input::new("stdin", example.text), &findings(example.text)).text;
            match changed(example.text) {
                Some(change) => assert_eq!(applied(example.text, &change), fixed, "{}", example.address()),
                None => assert_eq!(example.text, fixed, "{}", example.address()),
            }
        }
    }

    #[test]
    fn all_fixes_are_what_the_command_makes() {
        let settings = Settings::default();
        for example in EXAMPLES {
            let input = Input::new("stdin", example.text);
            let text =
                change_all(std::slice::from_ref(&input), 0, &settings).map(|change| applied(example.text, &change));
            let fixed = fix_all(&input, &settings).text;
            assert_eq!(text.as_deref().unwrap_or(example.text), fixed, "{}", example.address());
        }
    }

    #[test]
    fn a_fix_that_brings_another_one_to_light_is_followed_up_and_each_is_counted() {
        let text = Example::find("memory-volume-unlimited-writer/bad-init-and-sidecar.yaml").unwrap().text;
        let first = changed(text).unwrap();
        assert!(matches!(first.outcome, Fixed::Lines { count: 2, .. }), "{first:?}");
        let uncovered = findings(&applied(text, &first));
        assert_eq!(uncovered.iter().map(|finding| &*finding.rule).collect::<Vec<_>>(), ["memory-volume-unreserved"]);
        let inputs = [Input::new("a", POD), Input::new("b", text)];
        let all = change_all(&inputs, 1, &Settings::default()).unwrap();
        assert!(matches!(all.outcome, Fixed::Lines { count: 3, .. }), "{all:?}");
        assert!(findings(&applied(text, &all)).is_empty(), "{all:?}");
        assert_eq!(change_all(&inputs, 2, &Settings::default()), None);
    }

    #[test]
    fn a_document_that_is_written_anew_is_told() {
        let shared =
            POD.replace("  containers:\n", "  containers:\n  - {name: b, resources: &r {limits: {memory: 0}}}\n");
        let shared = shared.replace("  - name: app\n", "  - name: app\n    resources: *r\n");
        let change = changed(&shared).unwrap();
        assert!(matches!(change.outcome, Fixed::Lines { reformatted: true, .. }), "{change:?}");
    }

    #[test]
    fn nothing_to_fix_changes_nothing() {
        assert_eq!(change("uname -r", &findings("uname -r")), None);
        assert_eq!(change("", &[]), None);
    }
}
