//! Checks the inputs when they change: at once when pasted, a moment after typing.

use std::rc::Rc;

use gloo::events::{EventListener, EventListenerOptions};
use gloo::timers::callback::Timeout;
use rules::settings::Settings;
use wasm_bindgen::JsCast;
use web_sys::{HtmlTextAreaElement, InputEvent};
use yew::prelude::*;

use crate::fragment;
use crate::inputs::{EDITABLE, Inputs};
use crate::job::{Job, Task};
use crate::state::{Action, Phase, Refused, State};
use crate::worker::Helper;

/// How long after the last key a check starts, in milliseconds.
const TYPING: u32 = 250;

/// Watch the textarea, and check all inputs, as `inputs` gives them, whenever they or the settings change.
#[hook]
pub fn use_checker(
    input: &HtmlTextAreaElement,
    inputs: &Callback<(), Inputs>,
    settings: &Rc<Settings>,
    state: &UseReducerHandle<State>,
) {
    let helper = use_memo((), |()| Helper::default());
    {
        let (inputs, dispatch) = (inputs.clone(), state.dispatcher());
        let is_due = !matches!(state.phase(), Phase::Empty | Phase::TooLong);
        let delay = if state.at_once { 0 } else { TYPING };
        use_effect_with((state.revision, Rc::clone(settings)), move |(revision, settings)| {
            let (revision, settings) = (*revision, Rc::clone(settings));
            let check = move || {
                let job = Job { task: Task::Check, node: settings.node.clone(), inputs: inputs.emit(()) };
                check(&helper, job, revision, dispatch);
            };
            let mut timer = None;
            if is_due && delay == 0 {
                check();
            } else if is_due {
                timer = Some(Timeout::new(delay, check));
            }
            // A later change cancels the check of this one.
            move || drop(timer)
        });
    }
    let dispatch = state.dispatcher();
    use_effect_with(input.clone(), move |input| {
        let changed = {
            let (input, dispatch) = (input.clone(), dispatch.clone());
            move |at_once| {
                dispatch.dispatch(Action::Edited { length: input.text_length(), at_once });
                fragment::write(None);
            }
        };
        if input.text_length() > 0 {
            // Typed or restored before the checker was there.
            changed(true);
        }
        let edits = EventListener::new(input, "input", move |event| changed(is_at_once(event)));
        let field = input.clone();
        let options = EventListenerOptions::enable_prevent_default();
        let growth = EventListener::new_with_options(input, "beforeinput", options, move |event| {
            if would_be_too_long(&field, event) {
                event.prevent_default();
                dispatch.dispatch(Action::Refused(Refused::NotEditable));
            }
        });
        move || drop((edits, growth))
    });
}

/// A short check is done here and now, a long one in the worker.
fn check(helper: &Helper, job: Job, revision: u64, dispatch: UseReducerDispatcher<State>) {
    if !job.is_long() {
        return dispatch.dispatch(Action::Checked { revision, checked: Rc::new(job.check()) });
    }
    helper.work(job, move |answer| {
        let checked = answer.ok().and_then(|result| serde_json::from_str(&result).ok());
        dispatch.dispatch(match checked {
            Some(checked) => Action::Checked { revision, checked: Rc::new(checked) },
            None => Action::Failed { revision },
        });
    });
}

/// Whether the text came as a whole, so that no more keys are to be waited for.
fn is_at_once(event: &Event) -> bool {
    let kind = event.dyn_ref::<InputEvent>().map(InputEvent::input_type).unwrap_or_default();
    matches!(kind.as_str(), "insertFromPaste" | "insertFromDrop" | "deleteByCut" | "historyUndo" | "historyRedo")
}

/// Whether this insertion would make the text longer than can be edited.
fn would_be_too_long(input: &HtmlTextAreaElement, event: &Event) -> bool {
    let inserted = event.dyn_ref::<InputEvent>().and_then(InputEvent::data).unwrap_or_default();
    let inserted = u32::try_from(inserted.encode_utf16().count()).unwrap_or(u32::MAX);
    super::use_long_paste::length_with(input, inserted) > EDITABLE
}
