//! Opens what the address names, at the start and when it changes.

use gloo::events::EventListener;
use yew::prelude::*;

use crate::fragment::{self, Opened};

/// Call `open` with it; at the start only when `free`, so that text typed before stays.
#[hook]
pub fn use_fragment(free: bool, open: Callback<Opened>) {
    let latest = use_mut_ref(|| open.clone());
    *latest.borrow_mut() = open;
    use_effect_with((), move |()| {
        let follow = move || {
            let open = latest.borrow().clone();
            if let Some(opened) = fragment::opened(&fragment::read()) {
                open.emit(opened);
            }
        };
        if free {
            follow();
        }
        let listener = EventListener::new(&gloo::utils::window(), "hashchange", move |_| follow());
        move || drop(listener)
    });
}
