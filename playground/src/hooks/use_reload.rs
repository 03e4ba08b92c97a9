//! Keeps the text when the page is about to be loaded anew for a new version of it.

use gloo::events::{EventListener, EventListenerOptions};
use gloo::utils::window;
use rules::settings::NodeProfile;
use share::{encode, is_too_large};
use yew::prelude::*;

use crate::fragment::{self, Opened};
use crate::inputs::{Inputs, Source};
use crate::state::{Phase, State};

/// Longest text that goes into the address, in bytes; browsers take more, but slowly.
const LONGEST: usize = 1024 * 1024;

/// When `offline.js` announces it, put the texts and the node into the address, which the new version opens. Where that
/// cannot take all of them, object, and put those that it can take there all the same: the user may agree to lose the rest.
#[hook]
pub fn use_reload(inputs: &Callback<(), Inputs>, state: &State) {
    let (inputs, empty) = (inputs.clone(), state.phase() == Phase::Empty);
    use_effect_with((state.node.clone(), empty), |(node, empty)| {
        let (node, empty) = (node.clone(), *empty);
        let options = EventListenerOptions::enable_prevent_default();
        let listener = EventListener::new_with_options(&window(), "noderisk:reload", options, move |event| {
            if empty || is_in_address(&node) {
                return;
            }
            let inputs = inputs.emit(());
            let size: usize = inputs.list().iter().filter_map(Source::typed_text).map(str::len).sum();
            let shared = inputs.shared(&node, None);
            let fits = size <= LONGEST && !is_too_large(&shared);
            if inputs.held().next().is_some() || !fits {
                event.prevent_default();
            }
            if size > 0 && fits {
                fragment::write(Some(&encode(&shared)));
            }
        });
        move || drop(listener)
    });
}

/// Whether the address opens all of it already: it is that of an example or a link that nobody has edited.
fn is_in_address(node: &NodeProfile) -> bool {
    match fragment::opened(&fragment::read()) {
        Some(Opened::Example(_)) => *node == NodeProfile::default(),
        Some(Opened::Shared(Ok(shared))) => shared.node() == *node,
        Some(Opened::Shared(Err(_))) | None => false,
    }
}
