//! Copies the text that it is given.

use gloo::timers::callback::Timeout;
use rules::rules::Lang;
use yew::prelude::*;

use crate::clipboard;
use crate::words;

/// What to copy.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// The text.
    pub text: AttrValue,
    /// Language of the button.
    pub lang: Lang,
}

/// How long the answer stays on the button, in milliseconds.
const ANSWER: u32 = 2500;

/// The button; it says for a moment whether copying worked.
#[component]
pub fn CopyButton(props: &Props) -> Html {
    let copied = use_state(|| None::<bool>);
    let timer = use_mut_ref(|| None::<Timeout>);
    let onclick = {
        let (text, copied) = (props.text.clone(), copied.clone());
        move |_| {
            let (text, copied, timer) = (text.clone(), copied.clone(), timer.clone());
            wasm_bindgen_futures::spawn_local(async move {
                copied.set(Some(clipboard::copy(&text).await));
                *timer.borrow_mut() = Some(Timeout::new(ANSWER, move || copied.set(None)));
            });
        }
    };
    let label = match *copied {
        None => words::COPY,
        Some(true) => words::COPIED,
        Some(false) => words::NOT_COPIED,
    };
    html! {
        <button type="button" class="copy" {onclick}><span aria-live="polite">{ label.text(props.lang) }</span></button>
    }
}
