//! A command to run on a node, ready to be copied.

use rules::rules::Lang;
use yew::prelude::*;

use super::copy_button::CopyButton;

/// The command, as typed into a shell, with a button that copies it.
pub(super) fn command(command: &str, lang: Lang) -> Html {
    html! { <span class="command"><code>{ command }</code><CopyButton text={command.to_owned()} {lang} /></span> }
}
