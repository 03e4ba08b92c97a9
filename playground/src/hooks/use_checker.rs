//! Checks the textarea's text when it changes: at once when pasted, a moment after typing.

use std::rc::Rc;

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use wasm_bindgen::JsCast;
use web_sys::{HtmlTextAreaElement, InputEvent};
use yew::prelude::*;

use crate::checking::{self, LIMIT};
use crate::fragment;
use crate::state::{Action, State};

/// How long after the last key a check starts, in milliseconds.
const TYPING: u32 = 250;

/// Watch `input`. The returned callback tells of a change that a script made, and has it checked at once.
#[hook]
pub fn use_checker(input: &HtmlTextAreaElement, dispatch: UseReducerDispatcher<State>) -> Callback<()> {
    let timer = use_mut_ref(|| None::<Timeout>);
    let revision = use_mut_ref(|| 0_u64);
    let changed = {
        let input = input.clone();
        Rc::new(move |delay: u32| {
            let revision = {
                let mut last = revision.borrow_mut();
                *last += 1;
                *last
            };
            let length = input.text_length();
            dispatch.dispatch(Action::Edited { revision, length });
            fragment::write(None);
            // Setting the timer cancels the one before.
            *timer.borrow_mut() = None;
            if length == 0 || length > LIMIT {
                return;
            }
            let (input, dispatch) = (input.clone(), dispatch.clone());
            let check = move || {
                let checked = Rc::new(checking::check(&input.value()));
                dispatch.dispatch(Action::Checked { revision, checked });
            };
            if delay == 0 {
                check();
            } else {
                *timer.borrow_mut() = Some(Timeout::new(delay, check));
            }
        })
    };
    {
        let changed = changed.clone();
        use_effect_with(input.clone(), move |input| {
            if input.text_length() > 0 {
                // Typed or restored before the checker was there.
                changed(0);
            }
            let listener = EventListener::new(input, "input", move |event| changed(delay(event)));
            move || drop(listener)
        });
    }
    Callback::from(move |()| changed(0))
}

fn delay(event: &Event) -> u32 {
    let kind = event.dyn_ref::<InputEvent>().map(InputEvent::input_type).unwrap_or_default();
    match kind.as_str() {
        "insertFromPaste" | "insertFromDrop" | "deleteByCut" | "historyUndo" | "historyRedo" => 0,
        _ => TYPING,
    }
}
