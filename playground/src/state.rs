//! Everything the page knows, and every way it changes. The text itself stays in the textarea: rendering a text of
//! megabytes at each key would make typing slow.

use std::rc::Rc;

use rules::report::Finding;
use rules::rules::Lang;
use rules::settings::NodeProfile;
use yew::Reducible;

use crate::checking::Checked;
use crate::examples::Example;
use crate::fixes::Fixed;
use crate::inputs::{EDITABLE, Inputs};
use crate::preferences::Theme;
use crate::share::Fault;
use crate::worker::Lost;

/// Everything the page knows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Language of all words.
    pub lang: Lang,
    /// Light, dark, or as the system says.
    pub theme: Theme,
    /// The inputs. What stands in the textarea is newer than the text here.
    pub inputs: Inputs,
    /// Counts the changes of all that a result depends on, so that an older one is told apart.
    pub revision: u64,
    /// Whether the last change is to be checked without waiting for more.
    pub at_once: bool,
    /// Length of the text in the textarea, in UTF-16 code units.
    pub length: u32,
    /// The last result, shown until the next one is there.
    pub checked: Option<Rc<Checked>>,
    /// The example in the textarea, as long as nobody has edited it.
    pub example: Option<&'static Example>,
    /// Inputs that an example, a link or a button has taken away, so that they can be brought back.
    pub replaced: Option<Rc<Inputs>>,
    /// Why a file was not taken.
    pub refused: Option<Refused>,
    /// What is known of the node beside the text.
    pub node: NodeProfile,
    /// The 1-based line that the cursor is in; 0 before it was anywhere.
    pub cursor: usize,
    /// Number of the finding from which one came into the text.
    came: Option<usize>,
    /// What came of the fix that made the present text.
    pub fixed: Option<Fixed>,
    /// Revision that `checked` belongs to.
    checked_revision: u64,
    /// Revision whose check failed, and why.
    failed: Option<(u64, Lost)>,
}

/// Why a file or a link was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There would be more than [`crate::inputs::MOST`].
    TooLong,
    /// The text in the textarea would be longer than [`EDITABLE`].
    NotEditable,
    /// The browser could not read it.
    Unreadable,
    /// It was not a file but a link.
    Link(Fault),
}

/// How far the check of the present text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// There is no text.
    Empty,
    /// The text in the textarea is longer than [`EDITABLE`].
    TooLong,
    /// A check is due.
    Waiting,
    /// The check stopped without a result.
    Failed(Lost),
    /// The result shown is that of the present text.
    Done,
}

/// Every way the state changes.
#[derive(Clone, Debug)]
pub enum Action {
    /// The text in the textarea is another one.
    Edited {
        /// Its length in UTF-16 code units.
        length: u32,
        /// Whether it is to be checked without waiting for more.
        at_once: bool,
    },
    /// There are other inputs, or another one of them is shown.
    Inputs {
        /// What there is now.
        inputs: Inputs,
        /// Length of the text in the textarea, in UTF-16 code units.
        length: u32,
        /// The example that it is.
        example: Option<&'static Example>,
        /// What can be brought back.
        replaced: Option<Rc<Inputs>>,
    },
    /// A result for the text of that revision.
    Checked {
        /// The revision that was checked.
        revision: u64,
        /// The result.
        checked: Rc<Checked>,
    },
    /// The check of the text of that revision stopped without a result.
    Failed {
        /// The revision that was checked.
        revision: u64,
        /// What happened.
        why: Lost,
    },
    /// A fix was applied; comes behind the `Edited` of the same change.
    Fixed(Fixed),
    /// These inputs were there before a change that the browser does not take back.
    Replaced(Rc<Inputs>),
    /// Something else is known of the node.
    Node(NodeProfile),
    /// The finding with that number, or something else, leads into the text now.
    Came(Option<usize>),
    /// The cursor is in that line now.
    Cursor(usize),
    /// A file was not taken.
    Refused(Refused),
    /// Another language was chosen.
    Lang(Lang),
    /// Another theme was chosen.
    Theme(Theme),
}

impl State {
    /// A page in that language and theme that is empty as `inputs` are.
    #[must_use]
    pub fn new(lang: Lang, theme: Theme, inputs: Inputs) -> Self {
        Self { lang, theme, inputs, ..Self::default() }
    }

    /// How far the check of the present text is.
    #[must_use]
    pub fn phase(&self) -> Phase {
        match self.length {
            0 if !self.inputs.has_others() => Phase::Empty,
            length if length > EDITABLE => Phase::TooLong,
            _ if self.checked.is_some() && self.checked_revision == self.revision => Phase::Done,
            _ => match self.failed {
                Some((revision, why)) if revision == self.revision => Phase::Failed(why),
                _ => Phase::Waiting,
            },
        }
    }
}

impl State {
    fn change(&mut self, length: u32, at_once: bool) {
        self.revision += 1;
        self.length = length;
        self.at_once = at_once;
        self.example = None;
        self.refused = None;
        self.fixed = None;
        if matches!(self.phase(), Phase::Empty | Phase::TooLong) {
            self.checked = None;
        }
    }

    /// The same inputs are to be checked anew.
    fn look_again(&mut self) {
        self.revision += 1;
        self.at_once = true;
    }

    /// Which of the results is the present one.
    #[must_use]
    pub fn checked_revision(&self) -> u64 {
        self.checked_revision
    }

    /// The last result, when it is that of the present text.
    #[must_use]
    pub fn done(&self) -> Option<&Rc<Checked>> {
        self.checked.as_ref().filter(|_| self.phase() == Phase::Done)
    }

    /// The finding about the line that the cursor is in, as long as the report is that of the present text: the one from
    /// which one came, else the worst.
    #[must_use]
    pub fn current(&self) -> Option<usize> {
        let findings = &self.done()?.report.findings;
        let is_here = |finding: &Finding| {
            let here = finding.evidence.iter().filter(|evidence| evidence.place.input == self.inputs.active());
            here.filter_map(|evidence| evidence.place.span).any(|span| span.line == self.cursor)
        };
        let came = self.came.filter(|number| findings.get(*number).is_some_and(is_here));
        came.or_else(|| findings.iter().position(is_here))
    }
}

impl Reducible for State {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        let mut state = (*self).clone();
        match action {
            Action::Edited { length, at_once } => state.change(length, at_once),
            Action::Inputs { inputs, length, example, replaced } => {
                state.inputs = inputs;
                state.change(length, true);
                state.example = example;
                state.replaced = replaced;
            }
            Action::Checked { revision, checked } => {
                if revision != self.revision {
                    return self;
                }
                state.checked = Some(checked);
                state.checked_revision = revision;
                // The numbers are those of other findings now.
                state.came = None;
                state.failed = None;
            }
            Action::Failed { revision, why } => {
                state.failed = Some((revision, why));
                if revision == self.revision {
                    // A verdict about something else would be taken for that of the present text.
                    state.checked = None;
                }
            }
            Action::Fixed(fixed) => state.fixed = Some(fixed),
            Action::Replaced(inputs) => state.replaced = Some(inputs),
            Action::Node(node) => {
                state.node = node;
                state.look_again();
            }
            Action::Came(finding) => state.came = finding,
            Action::Cursor(line) => state.cursor = line,
            Action::Refused(why) => state.refused = Some(why),
            Action::Lang(lang) => {
                state.lang = lang;
                state.look_again();
            }
            Action::Theme(theme) => state.theme = theme,
        }
        state.into()
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use rules::Input;
    use rules::rules::Lang;
    use rules::settings::{NodeProfile, Settings};
    use yew::Reducible;

    use super::{Action, Phase, Refused, State};
    use crate::checking::check;
    use crate::inputs::{EDITABLE, Inputs, Source};
    use crate::worker::Lost;

    fn after(actions: Vec<Action>) -> Rc<State> {
        actions.into_iter().fold(Rc::default(), Reducible::reduce)
    }

    /// Each one makes a revision, from 1 on.
    fn edited(length: u32) -> Action {
        Action::Edited { length, at_once: true }
    }

    fn checked(revision: u64) -> Action {
        Action::Checked {
            revision,
            checked: Rc::new(check(&[Input::new("stdin", "uname -r")], &Settings::default(), Lang::En)),
        }
    }

    #[test]
    fn a_text_waits_for_its_check_and_is_then_done() {
        assert_eq!(after(vec![]).phase(), Phase::Empty);
        assert_eq!(after(vec![edited(8)]).phase(), Phase::Waiting);
        assert_eq!(after(vec![edited(8), checked(1)]).phase(), Phase::Done);
    }

    #[test]
    fn the_result_of_an_older_text_is_dropped() {
        let state = after(vec![edited(8), edited(9), checked(1)]);
        assert_eq!((state.phase(), state.checked.is_none()), (Phase::Waiting, true));
    }

    #[test]
    fn a_check_that_failed_is_told_until_the_text_is_another_one() {
        let failed = |revision| Action::Failed { revision, why: Lost::Died };
        assert_eq!(after(vec![edited(8), failed(1)]).phase(), Phase::Failed(Lost::Died));
        assert_eq!(after(vec![edited(8), failed(1), edited(9)]).phase(), Phase::Waiting);
        assert_eq!(after(vec![edited(8), edited(9), failed(1)]).phase(), Phase::Waiting);
        assert_eq!(after(vec![edited(8), failed(1), checked(1)]).phase(), Phase::Done);
    }

    #[test]
    fn what_a_result_depends_on_is_waited_for() {
        let node = NodeProfile { max_pods: Some(250), ..NodeProfile::default() };
        for action in [Action::Node(node), Action::Lang(Lang::Ja)] {
            let mut actions = vec![edited(8), checked(1), action];
            assert_eq!(after(actions.clone()).phase(), Phase::Waiting);
            actions.push(checked(2));
            assert_eq!(after(actions).phase(), Phase::Done);
        }
    }

    #[test]
    fn a_failed_check_leaves_no_verdict_about_another_text() {
        let failed = Action::Failed { revision: 2, why: Lost::Unloaded };
        assert_eq!(after(vec![edited(8), checked(1), edited(9), failed]).checked, None);
    }

    #[test]
    fn the_last_result_stays_on_show_while_the_next_is_due() {
        let state = after(vec![edited(8), checked(1), edited(9)]);
        assert_eq!((state.phase(), state.checked.is_some()), (Phase::Waiting, true));
    }

    #[test]
    fn no_result_is_shown_for_an_empty_or_too_long_text() {
        for length in [0, EDITABLE + 1] {
            assert_eq!(after(vec![edited(8), checked(1), edited(length)]).checked, None);
        }
        assert_eq!(after(vec![edited(EDITABLE)]).phase(), Phase::Waiting);
        assert_eq!(after(vec![edited(EDITABLE + 1)]).phase(), Phase::TooLong);
    }

    #[test]
    fn the_cursor_is_at_a_finding_while_the_report_is_that_of_the_text() {
        let text = "# node\nfs.inotify.max_user_instances = 128";
        let checked = Action::Checked {
            revision: 1,
            checked: Rc::new(check(&[Input::new("stdin", text)], &Settings::default(), Lang::En)),
        };
        let mut actions = vec![edited(42), checked, Action::Cursor(2)];
        assert_eq!(after(actions.clone()).current(), Some(0));
        actions.push(Action::Cursor(1));
        assert_eq!(after(actions.clone()).current(), None);
        actions.extend([Action::Cursor(2), edited(43)]);
        assert_eq!(after(actions).current(), None);
    }

    #[test]
    fn the_way_back_leads_to_the_finding_that_one_came_from() {
        // Two containers that write to the volume of line 8.
        let text = "kind: Pod\napiVersion: v1\nmetadata: {name: web}\nspec:\n  containers:\n  \
                    - {name: a, volumeMounts: [{name: v, mountPath: /v}]}\n  \
                    - {name: b, volumeMounts: [{name: v, mountPath: /v}]}\n  \
                    volumes: [{name: v, emptyDir: {medium: Memory}}]\n";
        let checked = |revision| Action::Checked {
            revision,
            checked: Rc::new(check(&[Input::new("stdin", text)], &Settings::default(), Lang::En)),
        };
        let mut actions = vec![edited(42), checked(1), Action::Cursor(8)];
        let mut current = |action| {
            actions.push(action);
            after(actions.clone()).current()
        };
        assert_eq!(current(Action::Came(Some(1))), Some(1));
        assert_eq!(current(Action::Cursor(6)), Some(0), "another line, which is not that finding's");
        assert_eq!(current(Action::Cursor(8)), Some(1));
        assert_eq!(current(Action::Came(None)), Some(0), "the worst when one came from elsewhere");
        assert_eq!(current(Action::Came(Some(9))), Some(0));
        assert_eq!(current(Action::Came(Some(1))), Some(1));
        actions.extend([edited(43), checked(2)]);
        assert_eq!(after(actions).current(), Some(0), "numbers are those of one report");
    }

    #[test]
    fn replaced_inputs_survive_edits_and_a_refusal_does_not() {
        let mine = Rc::new(Inputs::of(vec![Source::typed("a", "mine")]));
        let put =
            Action::Inputs { inputs: Inputs::default(), length: 0, example: None, replaced: Some(Rc::clone(&mine)) };
        let state = after(vec![edited(8), put, Action::Refused(Refused::TooLong), edited(9)]);
        assert_eq!(state.replaced, Some(mine));
        assert_eq!(state.refused, None);
    }

    #[test]
    fn an_empty_textarea_beside_other_inputs_is_not_the_end_of_the_report() {
        let inputs = Inputs::of(vec![Source::typed("a", ""), Source::typed("b", "text")]);
        let state = after(vec![Action::Inputs { inputs, length: 0, example: None, replaced: None }, checked(1)]);
        assert_eq!(state.phase(), Phase::Done);
    }
}
