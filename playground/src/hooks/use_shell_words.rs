//! Puts the words of the static shell, the status line and the attributes of `<html>` into the chosen language.

use gloo::utils::document;
use rules::show::words::Label;
use yew::prelude::*;

use crate::preferences::{show_lang, show_theme};
use crate::shell::Shell;
use crate::state::State;
use crate::words;

/// Words of the shell by the id of their element.
const WORDS: [(&str, Label); 6] = [
    ("tagline", words::TAGLINE),
    ("input-label", words::INPUT),
    ("privacy", words::PRIVACY),
    ("skip", words::SKIP),
    ("drop", words::DROP),
    ("to-report", words::REPORT),
];

/// What differs where nothing can be pasted.
const TO_READ: [(&str, Label); 2] = [("input-label", words::TO_READ), ("privacy", words::PRIVACY_TO_READ)];

/// Keep the shell in step with the state.
#[hook]
pub fn use_shell_words(shell: &Shell, state: &State) {
    use_effect_with(state.theme, |theme| show_theme(*theme));
    let to_read = shell.embed.as_ref().is_some_and(|embed| embed.readonly);
    {
        let (input, report) = (shell.input.clone(), shell.report.clone());
        let kind = shell.embed.as_ref().and_then(|embed| embed.kind);
        use_effect_with(state.lang, move |lang| {
            show_lang(*lang);
            let to_read_words = TO_READ.into_iter().filter(|_| to_read);
            for (id, label) in WORDS.into_iter().chain(to_read_words) {
                if let Some(element) = document().get_element_by_id(id) {
                    element.set_text_content(Some(label.text(*lang)));
                }
            }
            let placeholder = if to_read { String::new() } else { words::placeholder(*lang, kind) };
            input.set_placeholder(&placeholder);
            let _ = report.set_attribute("aria-label", words::REPORT.text(*lang));
        });
    }
    use_effect_with((), |()| {
        if let Some(element) = document().get_element_by_id("version") {
            element.set_text_content(Some(concat!("noderisk ", env!("NODERISK_VERSION"))));
        }
    });
    let status = shell.status.clone();
    use_effect_with(words::status(state, to_read), move |words| status.set_text_content(Some(words)));
}
