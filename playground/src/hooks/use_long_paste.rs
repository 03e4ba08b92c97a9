//! Takes a paste that the browser cannot put into the textarea: one that is too long for it, which would hold the page up
//! for seconds, and one beside any field.

use gloo::events::{EventListener, EventListenerOptions};
use gloo::utils::document;
use js_sys::{Function, JsString, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlTextAreaElement};
use yew::prelude::*;

use crate::inputs::EDITABLE;

/// A paste that the page takes itself.
#[derive(Clone, Debug)]
pub struct Pasted {
    /// The text, left in the browser's memory.
    pub text: JsString,
    /// Whether all of the text in the textarea was selected, so that this one takes its place.
    pub over_all: bool,
}

/// Call `take` with such a paste.
#[hook]
pub fn use_long_paste(input: &HtmlTextAreaElement, take: Callback<Pasted>) {
    let latest = use_mut_ref(|| take.clone());
    *latest.borrow_mut() = take;
    use_effect_with(input.clone(), move |input| {
        let field = input.clone();
        let options = EventListenerOptions::enable_prevent_default();
        let pastes = EventListener::new_with_options(&document(), "paste", options, move |event| {
            let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
            let in_field = target.as_ref() == Some(field.as_ref());
            let elsewhere = target.and_then(|target| target.closest("input, textarea").ok().flatten()).is_none();
            let is_long = |text: &JsString| length_with(&field, text.length()) > EDITABLE;
            let wanted = |text: &JsString| if in_field { is_long(text) } else { elsewhere && text.length() > 0 };
            let Some(text) = pasted(event).filter(wanted) else { return };
            event.prevent_default();
            if !field.read_only() {
                let over_all = in_field && selected(&field) > 0 && selected(&field) == field.text_length();
                let take = latest.borrow().clone();
                take.emit(Pasted { text, over_all });
            }
        });
        move || drop(pastes)
    });
}

/// The text of the clipboard, left in the browser's memory.
fn pasted(event: &Event) -> Option<JsString> {
    let clipboard = Reflect::get(event, &"clipboardData".into()).ok()?;
    let get: Function = Reflect::get(&clipboard, &"getData".into()).ok()?.dyn_into().ok()?;
    get.call1(&clipboard, &JsValue::from_str("text/plain")).ok()?.dyn_into().ok()
}

/// How long the text would be with so many more UTF-16 code units in place of the selection.
pub(super) fn length_with(input: &HtmlTextAreaElement, inserted: u32) -> u32 {
    input.text_length().saturating_sub(selected(input)).saturating_add(inserted)
}

/// How many UTF-16 code units are selected.
fn selected(input: &HtmlTextAreaElement) -> u32 {
    let position = |found: Result<Option<u32>, _>| found.ok().flatten().unwrap_or_default();
    position(input.selection_end()).saturating_sub(position(input.selection_start()))
}
