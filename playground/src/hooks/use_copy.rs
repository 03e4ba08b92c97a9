//! Copies a text and tells for a moment how it went.

use std::rc::Rc;

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use crate::clipboard;

/// How long "copied" stays, in milliseconds.
const ANSWER: u32 = 2500;

/// How copying went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Copied {
    /// Nothing was copied lately.
    #[default]
    Not,
    /// The text is in the clipboard.
    Done,
    /// The browser refused this text; stays until the next try, so that it can be copied by hand.
    Refused(Rc<str>),
}

/// How it went, and the callback that copies.
#[hook]
pub fn use_copy() -> (Copied, Callback<Rc<str>>) {
    let copied = use_state(Copied::default);
    let timer = use_mut_ref(|| None::<Timeout>);
    let copy = {
        let copied = copied.clone();
        Callback::from(move |text: Rc<str>| {
            let (copied, timer) = (copied.clone(), timer.clone());
            wasm_bindgen_futures::spawn_local(async move {
                if clipboard::copy(&text).await {
                    copied.set(Copied::Done);
                    *timer.borrow_mut() = Some(Timeout::new(ANSWER, move || copied.set(Copied::Not)));
                } else {
                    copied.set(Copied::Refused(text));
                }
            });
        })
    };
    ((*copied).clone(), copy)
}
