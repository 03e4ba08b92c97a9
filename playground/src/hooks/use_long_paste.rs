//! Takes a paste that is too long for the textarea before the browser puts it there, which would hold it up for seconds.

use gloo::events::{EventListener, EventListenerOptions};
use js_sys::{Function, JsString, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use crate::inputs::EDITABLE;

/// Call `take` with such a paste.
#[hook]
pub fn use_long_paste(input: &HtmlTextAreaElement, take: Callback<JsString>) {
    let latest = use_mut_ref(|| take.clone());
    *latest.borrow_mut() = take;
    use_effect_with(input.clone(), move |input| {
        let field = input.clone();
        let options = EventListenerOptions::enable_prevent_default();
        let pastes = EventListener::new_with_options(input, "paste", options, move |event| {
            let Some(text) = pasted(event).filter(|text| length_with(&field, text.length()) > EDITABLE) else {
                return;
            };
            event.prevent_default();
            if !field.read_only() {
                let take = latest.borrow().clone();
                take.emit(text);
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
    let position = |found: Result<Option<u32>, _>| found.ok().flatten().unwrap_or_default();
    let selected = position(input.selection_end()).saturating_sub(position(input.selection_start()));
    input.text_length().saturating_sub(selected).saturating_add(inserted)
}
