//! Tells the line that the cursor is in.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use gloo::utils::document;
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use crate::places::line_at;
use crate::state::{Action, State};

/// How long the cursor must rest, in milliseconds: finding its line means reading the whole text.
const REST: u32 = 100;

/// Watch the cursor of `input`.
#[hook]
pub fn use_cursor(input: &HtmlTextAreaElement, dispatch: UseReducerDispatcher<State>) {
    use_effect_with(input.clone(), move |input| {
        let (input, timer) = (input.clone(), Rc::new(RefCell::new(None)));
        let moves = EventListener::new(&document(), "selectionchange", move |_| {
            if document().active_element().as_ref() != Some(&input) {
                return;
            }
            let (input, dispatch) = (input.clone(), dispatch.clone());
            let tell = move || {
                let position = input.selection_start().ok().flatten().unwrap_or_default();
                dispatch.dispatch(Action::Cursor(line_at(&input.value(), position)));
            };
            *timer.borrow_mut() = Some(Timeout::new(REST, tell));
        });
        move || drop(moves)
    });
}
