//! Puts the fixes of findings into the text.

use std::rc::Rc;

use rules::settings::Settings;
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use crate::fixes::{Change, Fixed};
use crate::inputs::Inputs;
use crate::job::{Job, Task};
use crate::shell;
use crate::state::{Action, Phase, State};
use crate::worker::{Core, Lost};

/// Fixes to put into a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Fix {
    /// Number of the input.
    pub input: usize,
    /// Numbers of the findings; none for all that there are and come to light.
    pub findings: Vec<usize>,
}

/// The callback has fixes made and puts them into the textarea, which `show` fills with the text of their input.
#[hook]
pub fn use_apply(
    field: &HtmlTextAreaElement,
    inputs: &Callback<(), Inputs>,
    show: &Callback<usize, bool>,
    settings: &Rc<Settings>,
    core: &Core,
    state: &UseReducerHandle<State>,
) -> Callback<Fix> {
    let (field, inputs, dispatch, tools) = (field.clone(), inputs.clone(), state.dispatcher(), core.tools.clone());
    let is_done = state.phase() == Phase::Done;
    let asked = (show.clone(), is_done, Rc::clone(settings), state.lang);
    use_callback(asked, move |fix: Fix, (show, is_done, settings, lang)| {
        // A report about an older text says nothing about places in this one.
        if !is_done || !show.emit(fix.input) {
            return dispatch.dispatch(Action::Fixed(Fixed::Nowhere));
        }
        let task = Task::Fix { input: fix.input, findings: fix.findings };
        let job = Job { task, lang: *lang, node: settings.node.clone(), inputs: inputs.emit(()) };
        dispatch.dispatch(Action::Fixed(Fixed::Awaited));
        let (field, dispatch, inputs) = (field.clone(), dispatch.clone(), inputs.clone());
        let (shown, before) = (fix.input, field.value());
        let hear = Callback::from(move |answer| {
            let now = inputs.emit(());
            let is_there = now.active() == shown && field.value() == before;
            put(&field, Some(now).filter(|_| is_there), answer, &dispatch);
        });
        tools.emit((job, hear));
    })
}

/// Puts a fix into the text of `before`; `None` when there is another one by now.
fn put(
    field: &HtmlTextAreaElement,
    before: Option<Inputs>,
    answer: Result<String, Lost>,
    dispatch: &UseReducerDispatcher<State>,
) {
    let change = answer.ok().and_then(|change| serde_json::from_str::<Option<Change>>(&change).ok());
    let outcome = match (change, before) {
        (None, _) => Fixed::NoAnswer,
        // It was made for another text, such as the one before a first click.
        (Some(_), None) => return,
        (Some(None), _) => Fixed::Nowhere,
        (Some(Some(change)), Some(before)) => {
            let undo = shell::change(field, &change);
            if !undo {
                dispatch.dispatch(Action::Replaced(Rc::new(before)));
            }
            dispatch.dispatch(Action::Edited { length: field.text_length(), at_once: true });
            if undo { change.outcome } else { change.outcome.without_undo() }
        }
    };
    dispatch.dispatch(Action::Fixed(outcome));
}
