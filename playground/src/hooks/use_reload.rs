//! Keeps the text when the page is about to be loaded anew for a new version of it.

use gloo::events::EventListener;
use gloo::utils::window;
use share::encode;
use yew::prelude::*;

use crate::fragment;
use crate::inputs::Inputs;
use crate::state::{Phase, State};

/// When `offline.js` announces it, put the text and the node into the address, which the new version opens.
#[hook]
pub fn use_reload(inputs: &Callback<(), Inputs>, state: &State) {
    let (inputs, empty) = (inputs.clone(), state.phase() == Phase::Empty);
    use_effect_with((state.node.clone(), empty), |(node, empty)| {
        let (node, empty) = (node.clone(), *empty);
        let listener = EventListener::new(&window(), "noderisk:reload", move |_| {
            // An address that opens the text is already there when nobody has edited it.
            if !empty && fragment::opened(&fragment::read()).is_none() {
                fragment::write(Some(&encode(&inputs.emit(()).shared(&node, None, str::to_owned))));
            }
        });
        move || drop(listener)
    });
}
