//! A text to look at, or to select and copy by hand.

use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

/// The text in a field of its own. It is selected as a whole when the field gets the focus.
pub(super) fn text_field(text: &str, label: &str) -> Html {
    let onfocus = |event: FocusEvent| {
        if let Some(field) = event.target_dyn_into::<HtmlTextAreaElement>() {
            field.select();
        }
    };
    html! {
        <textarea class="text" readonly=true rows="8" wrap="off" spellcheck="false" aria-label={label.to_owned()}
            value={text.to_owned()} {onfocus} />
    }
}
