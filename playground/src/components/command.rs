//! A command to run on a node, ready to be copied.

use yew::prelude::*;

use super::copy_button::CopyButton;

/// The command.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// As typed into a shell.
    pub command: AttrValue,
}

/// A command with a button that copies it.
#[component]
pub fn Command(props: &Props) -> Html {
    html! {
        <span class="command"><code>{ props.command.clone() }</code><CopyButton text={props.command.clone()} /></span>
    }
}
