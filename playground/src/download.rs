//! Saving a text as a file. The file is made in the browser; nothing is requested.

use gloo::timers::callback::Timeout;
use gloo::utils::document;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};

/// How long a browser may take to start reading the file, in milliseconds.
const PICK_UP: u32 = 10_000;

/// Save `text` under `name`.
///
/// # Errors
/// What the browser says when it refuses, as in a frame without `allow-downloads`.
pub fn save(name: &str, media_type: &str, text: &str) -> Result<(), JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type(media_type);
    let blob = Blob::new_with_str_sequence_and_options(&js_sys::Array::of1(&text.into()), &options)?;
    let url = Url::create_object_url_with_blob(&blob)?;
    let link: HtmlAnchorElement = document().create_element("a")?.unchecked_into();
    link.set_href(&url);
    link.set_download(name);
    link.click();
    Timeout::new(PICK_UP, move || drop(Url::revoke_object_url(&url))).forget();
    Ok(())
}
