//! Opens the example that the address names, at the start and when it changes.

use gloo::events::EventListener;
use yew::prelude::*;

use crate::examples::Example;
use crate::fragment;

/// Call `open` with the example; at the start only when `free`, so that text typed before stays.
#[hook]
pub fn use_fragment(free: bool, open: Callback<&'static Example>) {
    let latest = use_mut_ref(|| open.clone());
    *latest.borrow_mut() = open;
    use_effect_with((), move |()| {
        let follow = move || {
            let open = latest.borrow().clone();
            if let Some(example) = fragment::example(&fragment::read()) {
                open.emit(example);
            }
        };
        if free {
            follow();
        }
        let listener = EventListener::new(&gloo::utils::window(), "hashchange", move |_| follow());
        move || drop(listener)
    });
}
