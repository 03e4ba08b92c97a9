//! Copying to the clipboard. `navigator.clipboard` is missing on plain http and may be denied in a frame, so the old
//! way through a selected textarea comes behind it.

use gloo::utils::{document, window};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{HtmlDocument, HtmlTextAreaElement};

/// Copy `text`; false when the browser allows neither way.
pub async fn copy(text: &str) -> bool {
    let clipboard = window().navigator().clipboard();
    // The binding does not say that the property may be missing; calling a method of it would then throw.
    let there = !AsRef::<JsValue>::as_ref(&clipboard).is_undefined();
    if there && JsFuture::from(clipboard.write_text(text)).await.is_ok() {
        return true;
    }
    copy_selected(text).unwrap_or(false)
}

/// Copy through a textarea that exists for that moment only.
fn copy_selected(text: &str) -> Result<bool, JsValue> {
    let document: HtmlDocument = document().unchecked_into();
    let Some(body) = document.body() else {
        return Ok(false);
    };
    let field: HtmlTextAreaElement = document.create_element("textarea")?.unchecked_into();
    field.set_class_name("unseen");
    field.set_value(text);
    let focused = document.active_element();
    body.append_child(&field)?;
    field.select();
    let copied = document.exec_command("copy");
    field.remove();
    if let Some(focused) = focused.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok()) {
        focused.focus()?;
    }
    copied
}
