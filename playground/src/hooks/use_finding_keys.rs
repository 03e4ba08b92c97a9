//! Keys that lead from finding to finding.

use gloo::events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::KeyboardEvent;
use yew::prelude::*;

use crate::jumps::{self, Direction};

/// F8 and Shift+F8 work everywhere, `n` and `p` while a finding has the focus, where nothing can be typed.
#[hook]
pub fn use_finding_keys() {
    use_effect_with((), move |()| {
        let options = EventListenerOptions::enable_prevent_default();
        let keys = EventListener::new_with_options(&gloo::utils::window(), "keydown", options, |event| {
            let wanted = event.dyn_ref::<KeyboardEvent>().and_then(direction);
            if wanted.is_some_and(jumps::step) {
                event.prevent_default();
            }
        });
        move || drop(keys)
    });
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
