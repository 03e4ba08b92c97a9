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
use crate::worker::{Build, Core, Done, Lost};

/// How long after the last key a check starts, in milliseconds.
const TYPING: u32 = 250;

/// Watch the textarea, and check all inputs, as `inputs` gives them, whenever they or the settings change.
#[hook]
pub fn use_checker(
    input: &HtmlTextAreaElement,
    inputs: &Callback<(), Inputs>,
    settings: &Rc<Settings>,
    core: &Core,
    state: &UseReducerHandle<State>,
) {
    {
        let (inputs, checker, dispatch) = (inputs.clone(), core.checker.clone(), state.dispatcher());
        let is_due = !matches!(state.phase(), Phase::Empty | Phase::TooLong);
        let delay = if state.at_once { 0 } else { TYPING };
        use_effect_with((state.revision, Rc::clone(settings), state.lang), move |(revision, settings, lang)| {
            let (revision, settings, lang) = (*revision, Rc::clone(settings), *lang);
            let check = move || {
                let job = Job { task: Task::Check, lang, node: settings.node.clone(), inputs: inputs.emit(()) };
                checker.emit((job, hear(revision, dispatch)));
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
    let (dispatch, wake) = (state.dispatcher(), core.wake.clone());
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
        // Whoever goes there is about to have something checked.
        let arrival = EventListener::once(input, "focus", move |_| wake.emit(Build::Checker));
        move || drop((edits, growth, arrival))
    });
}

/// Takes the result of a check.
fn hear(revision: u64, dispatch: UseReducerDispatcher<State>) -> Done {
    Callback::from(move |answer: Result<String, Lost>| {
        let checked = answer.and_then(|result| serde_json::from_str(&result).map_err(|_| Lost::Died));
        dispatch.dispatch(match checked {
            Ok(checked) => Action::Checked { revision, checked: Rc::new(checked) },
            Err(why) => Action::Failed { revision, why },
        });
    })
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
