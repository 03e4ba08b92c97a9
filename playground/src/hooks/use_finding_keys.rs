//! Keys that lead from finding to finding.

use gloo::events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::{HtmlTextAreaElement, KeyboardEvent};
use yew::prelude::*;

use crate::jumps::{self, Direction};

/// F8 and Shift+F8 work everywhere, `n` and `p` while a finding has the focus, where nothing can be typed, and Escape leads
/// from `input` to the finding that the cursor's line belongs to: whoever came from it sees a stretch selected, which the
/// next key would overwrite.
#[hook]
pub fn use_finding_keys(input: &HtmlTextAreaElement) {
    use_effect_with(input.clone(), move |input| {
        let input = input.clone();
        let options = EventListenerOptions::enable_prevent_default();
        let keys = EventListener::new_with_options(&gloo::utils::window(), "keydown", options, move |event| {
            let Some(key) = event.dyn_ref::<KeyboardEvent>() else { return };
            if direction(key).map_or_else(|| leaves(key, &input) && jumps::to_current(), jumps::step) {
                event.prevent_default();
            }
        });
        move || drop(keys)
    });
}

/// Whether a key is to lead out of the text; while a word is being composed, Escape gives that up.
fn leaves(event: &KeyboardEvent, input: &HtmlTextAreaElement) -> bool {
    event.key() == "Escape" && !event.is_composing() && event.target().as_ref() == Some(input.as_ref())
}

fn direction(event: &KeyboardEvent) -> Option<Direction> {
    if event.ctrl_key() || event.alt_key() || event.meta_key() {
        return None;
    }
    match event.key().as_str() {
        "F8" if event.shift_key() => Some(Direction::Back),
        "F8" => Some(Direction::On),
        "n" if jumps::in_findings() => Some(Direction::On),
        "p" if jumps::in_findings() => Some(Direction::Back),
        _ => None,
    }
}
