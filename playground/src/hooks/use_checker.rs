//! Checks the textarea's text when it changes: at once when pasted, a moment after typing.

use std::rc::Rc;

use gloo::events::{EventListener, EventListenerOptions};
use gloo::timers::callback::Timeout;
use rules::settings::Settings;
use wasm_bindgen::JsCast;
use web_sys::{HtmlTextAreaElement, InputEvent};
use yew::prelude::*;

use crate::checking::LIMIT;
use crate::fragment;
use crate::job::{Job, SHORT};
use crate::state::{Action, Refused, State};
use crate::worker::{Helper, Lost};

/// How long after the last key a check starts, in milliseconds.
const TYPING: u32 = 250;

/// Watch `input`, and check its text with `settings`, anew when they change. The returned callback tells of a change of
/// the text that a script made, and has it checked at once.
#[hook]
pub fn use_checker(
    input: &HtmlTextAreaElement,
    settings: &Rc<Settings>,
    dispatch: UseReducerDispatcher<State>,
) -> Callback<()> {
    let timer = use_mut_ref(|| None::<Timeout>);
    let revision = use_mut_ref(|| 0_u64);
    let latest = use_mut_ref(|| Rc::clone(settings));
    *latest.borrow_mut() = Rc::clone(settings);
    let helper = use_memo((), |()| Helper::default());
    let check = {
        let (input, revision, dispatch) = (input.clone(), Rc::clone(&revision), dispatch.clone());
        Rc::new(move || {
            if (1..=LIMIT).contains(&input.text_length()) {
                let job = Job { node: latest.borrow().node.clone(), text: input.value().into() };
                check(&helper, job, *revision.borrow(), dispatch.clone());
            }
        })
    };
    {
        let (check, revision) = (Rc::clone(&check), Rc::clone(&revision));
        use_effect_with(Rc::clone(settings), move |_| {
            // At the start there is nothing to check anew.
            if *revision.borrow() > 0 {
                check();
            }
        });
    }
    let changed = {
        let (input, dispatch) = (input.clone(), dispatch.clone());
        Rc::new(move |delay: u32| {
            let revision = {
                let mut last = revision.borrow_mut();
                *last += 1;
                *last
            };
            dispatch.dispatch(Action::Edited { revision, length: input.text_length() });
            fragment::write(None);
            // Setting the timer cancels the one before.
            *timer.borrow_mut() = None;
            if delay == 0 {
                check();
            } else {
                let check = Rc::clone(&check);
                *timer.borrow_mut() = Some(Timeout::new(delay, move || check()));
            }
        })
    };
    {
        let (changed, dispatch) = (changed.clone(), dispatch.clone());
        use_effect_with(input.clone(), move |input| {
            if input.text_length() > 0 {
                // Typed or restored before the checker was there.
                changed(0);
            }
            let edits = EventListener::new(input, "input", move |event| changed(delay(event)));
            let field = input.clone();
            let options = EventListenerOptions::enable_prevent_default();
            let pastes = EventListener::new_with_options(input, "beforeinput", options, move |event| {
                if would_be_too_long(&field, event) {
                    event.prevent_default();
                    dispatch.dispatch(Action::Refused(Refused::TooLong));
                }
            });
            move || drop((edits, pastes))
        });
    }
    Callback::from(move |()| changed(0))
}

/// Check a long text in the worker, any other here.
fn check(helper: &Helper, job: Job, revision: u64, dispatch: UseReducerDispatcher<State>) {
    let here = {
        let (job, dispatch) = (job.clone(), dispatch.clone());
        move || dispatch.dispatch(Action::Checked { revision, checked: Rc::new(job.check()) })
    };
    if job.text.len() <= SHORT || helper.is_blocked() {
        return here();
    }
    helper.ask(&job, move |answer| match answer.map(|result| serde_json::from_str(&result)) {
        Ok(Ok(checked)) => dispatch.dispatch(Action::Checked { revision, checked: Rc::new(checked) }),
        Err(Lost::Blocked) => here(),
        Ok(Err(_)) | Err(Lost::Died) => dispatch.dispatch(Action::Failed { revision }),
    });
}

fn delay(event: &Event) -> u32 {
    let kind = event.dyn_ref::<InputEvent>().map(InputEvent::input_type).unwrap_or_default();
    match kind.as_str() {
        "insertFromPaste" | "insertFromDrop" | "deleteByCut" | "historyUndo" | "historyRedo" => 0,
        _ => TYPING,
    }
}

/// Whether this insertion would make the text longer than the limit. Browsers take seconds to lay out such a text, so it
/// must not get into the textarea at all.
fn would_be_too_long(input: &HtmlTextAreaElement, event: &Event) -> bool {
    let Some(inserted) = event.dyn_ref::<InputEvent>().and_then(InputEvent::data) else {
        return false;
    };
    let position = |found: Result<Option<u32>, _>| found.ok().flatten().unwrap_or_default();
    let selected = position(input.selection_end()).saturating_sub(position(input.selection_start()));
    let kept = input.text_length().saturating_sub(selected);
    let inserted = u32::try_from(inserted.encode_utf16().count()).unwrap_or(u32::MAX);
    kept.saturating_add(inserted) > LIMIT
}
