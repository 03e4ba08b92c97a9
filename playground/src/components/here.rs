//! Leads from the line that the cursor is in to its finding.

use yew::prelude::*;

use crate::jumps;
use crate::state::State;
use crate::words;

/// A button with the title of the finding; nothing when the line has none.
pub(super) fn here(state: &State) -> Html {
    let found = state.current().and_then(|number| {
        let said = state.checked.as_ref()?.said.get(number)?.as_ref()?;
        Some((number, said.title.clone()))
    });
    html! {
        { for found.map(|(number, title)| {
            let onclick = move |_| jumps::to(number);
            let line = words::lines(state.lang, state.cursor, state.cursor);
            html! { <button type="button" class="link" {onclick}>{ format!("{line} → {title}") }</button> }
        }) }
    }
}
