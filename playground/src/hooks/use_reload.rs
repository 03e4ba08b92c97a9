//! Keeps the text when the page is about to be loaded anew for a new version of it.

use gloo::events::{EventListener, EventListenerOptions};
use gloo::utils::window;
use share::encode;
use yew::prelude::*;

use crate::fragment;
use crate::inputs::Inputs;
use crate::state::{Phase, State};

/// Longest text that goes into the address, in bytes; browsers take more, but slowly.
const LONGEST: u32 = 1024 * 1024;

/// When `offline.js` announces it, put the texts and the node into the address, which the new version opens. Where that
/// cannot take all of them, object.
#[hook]
pub fn use_reload(inputs: &Callback<(), Inputs>, state: &State) {
    let (inputs, empty) = (inputs.clone(), state.phase() == Phase::Empty);
    use_effect_with((state.node.clone(), empty), |(node, empty)| {
        let (node, empty) = (node.clone(), *empty);
        let options = EventListenerOptions::enable_prevent_default();
        let listener = EventListener::new_with_options(&window(), "noderisk:reload", options, move |event| {
            // An address that opens the text is already there when nobody has edited it.
            if empty || fragment::opened(&fragment::read()).is_some() {
                return;
            }
            let inputs = inputs.emit(());
            if inputs.held().next().is_some() || inputs.size() > LONGEST {
                event.prevent_default();
            } else {
                fragment::write(Some(&encode(&inputs.shared(&node, None, str::to_owned))));
            }
        });
        move || drop(listener)
    });
}
