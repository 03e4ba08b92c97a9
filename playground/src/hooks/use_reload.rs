//! Keeps the text when the page is about to be loaded anew for a new version of it.

use gloo::events::EventListener;
use gloo::utils::window;
use share::{Shared, encode};
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use crate::fragment;
use crate::state::State;

/// When `offline.js` announces it, put the text and the node into the address, which the new version opens.
#[hook]
pub fn use_reload(input: &HtmlTextAreaElement, state: &State) {
    use_effect_with((input.clone(), state.node.clone()), |(input, node)| {
        let (input, node) = (input.clone(), node.clone());
        let listener = EventListener::new(&window(), "noderisk:reload", move |_| {
            let text = input.value();
            // An address that opens the text is already there when nobody has edited it.
            if !text.is_empty() && fragment::opened(&fragment::read()).is_none() {
                fragment::write(Some(&encode(&Shared::new(text, &node, None))));
            }
        });
        move || drop(listener)
    });
}
