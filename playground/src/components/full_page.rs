//! Leads from the embedded page to the whole one.

use gloo::utils::{document_element, window};
use rules::settings::NodeProfile;
use share::encode;
use web_sys::{HtmlAnchorElement, HtmlTextAreaElement};
use yew::prelude::*;

use crate::inputs::Inputs;
use crate::places::line_at;
use crate::state::State;
use crate::words;

/// A link that opens the whole page in a tab of its own, with the text, the node, the language and the theme.
pub(super) fn full_page(state: &State, input: &HtmlTextAreaElement, inputs: &Callback<(), Inputs>) -> Html {
    // The address carries the text, so it is made when it is about to be used and not at each key.
    let refresh = {
        let (input, inputs, node) = (input.clone(), inputs.clone(), state.node.clone());
        Callback::from(move |event: Event| {
            if let Some(link) = event.target_dyn_into::<HtmlAnchorElement>() {
                link.set_href(&address(&input, &inputs.emit(()), &node));
            }
        })
    };
    html! {
        <p id="full">
            <a href={query()} target="_blank" rel="noopener"
                onpointerdown={refresh.reform(Into::into)} onfocus={refresh.reform(Into::into)}
                onclick={refresh.reform(Into::into)}>
                { words::FULL_PAGE.text(state.lang) }
            </a>
            if state.inputs.held().next().is_some() { { " " }{ words::NOT_TAKEN_ALONG.text(state.lang) } }
        </p>
    }
}

fn address(input: &HtmlTextAreaElement, inputs: &Inputs, node: &NodeProfile) -> String {
    if inputs.size() == 0 {
        return query();
    }
    let line = line_at(&input.value(), input.selection_start().ok().flatten().unwrap_or_default());
    query() + &encode(&inputs.shared(node, Some(line).filter(|line| *line > 1)))
}

/// The page without embedding, looking as it does now.
fn query() -> String {
    let path = window().location().pathname().unwrap_or_default();
    let now = |name| document_element().get_attribute(name).unwrap_or_default();
    format!("{path}?lang={}&theme={}", now("lang"), now("data-theme"))
}
