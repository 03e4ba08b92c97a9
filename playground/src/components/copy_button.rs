//! Copies the text that it is given.

use rules::rules::Lang;
use rules::show::words::Label;
use yew::prelude::*;

use crate::hooks::{Copied, use_copy};
use crate::words;

/// What to copy.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// The text.
    pub text: AttrValue,
    /// Language of the button.
    pub lang: Lang,
}

/// The button; it says whether copying worked.
#[component]
pub fn CopyButton(props: &Props) -> Html {
    let (copied, copy) = use_copy();
    let text = props.text.clone();
    let onclick = copy.reform(move |_: MouseEvent| text.as_str().into());
    html! {
        <button type="button" class="copy" {onclick}>
            <span aria-live="polite">{ copy_label(&copied, words::COPY).text(props.lang) }</span>
        </button>
    }
}

/// What a button that copies says: how it went, or what it does.
pub(super) const fn copy_label(copied: &Copied, idle: Label) -> Label {
    match copied {
        Copied::Not => idle,
        Copied::Done => words::COPIED,
        Copied::Refused(_) => words::NOT_COPIED,
    }
}
