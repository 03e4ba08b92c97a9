//! What is known of the node beside the paste: asked for, never stored.

use rules::kubernetes::quantity;
use rules::rules::Lang;
use rules::settings::NodeProfile;
use rules::show::words::Label;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::{node_profile, words};

/// What is known, and what to do when it changes.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// Language of all words.
    pub lang: Lang,
    /// What is known now.
    pub node: NodeProfile,
    /// Called with what is known then.
    pub on_node: Callback<NodeProfile>,
}

/// Two fields in a part of the page that can be unfolded.
#[component]
pub fn NodeForm(props: &Props) -> Html {
    let Props { lang, node, on_node } = props.clone();
    let (pods, memory) = (use_node_ref(), use_node_ref());
    let wrong = use_state(|| (false, false));
    {
        // A link may bring other values than those that were typed.
        let (pods, memory) = (pods.clone(), memory.clone());
        use_effect_with(node.clone(), move |node| {
            show(&pods, node.max_pods.map(|pods| pods.to_string()), |typed| node_profile::max_pods(typed).ok());
            show(&memory, node.memory.map(quantity::format), |typed| node_profile::memory(typed).ok());
        });
    }
    let onchange = {
        let (pods, memory, wrong, node) = (pods.clone(), memory.clone(), wrong.clone(), node.clone());
        Callback::from(move |_: Event| {
            let max_pods = node_profile::max_pods(&typed(&pods));
            let bytes = node_profile::memory(&typed(&memory));
            wrong.set((max_pods.is_err(), bytes.is_err()));
            // A wrong field leaves what was known before.
            on_node.emit(NodeProfile {
                max_pods: max_pods.unwrap_or(node.max_pods),
                memory: bytes.unwrap_or(node.memory),
            });
        })
    };
    let field = |field: &NodeRef, id: &'static str, label: Label, example: &'static str, wrong: bool, why: Label| {
        let hint = format!("{id}-hint");
        html! {
            <p>
                <label for={id}>{ label.text(lang) }</label>
                <input ref={field} {id} placeholder={example} autocomplete="off" spellcheck="false"
                    aria-invalid={wrong.then_some("true")} aria-describedby={wrong.then(|| hint.clone())}
                    onchange={onchange.clone()} />
                <span id={hint} class="wrong" role="status">{ if wrong { why.text(lang) } else { "" } }</span>
            </p>
        }
    };
    html! {
        <details class="node-form">
            <summary>{ words::NODE.text(lang) }</summary>
            { field(&pods, "max-pods", words::MAX_PODS, "110", wrong.0, words::NO_PODS) }
            { field(&memory, "node-memory", words::NODE_MEMORY, "16Gi", wrong.1, words::NO_MEMORY) }
        </details>
    }
}

fn typed(field: &NodeRef) -> String {
    field.cast::<HtmlInputElement>().map(|field| field.value()).unwrap_or_default()
}

/// Put a value into its field, unless what stands there means the same already.
fn show<T: PartialEq>(field: &NodeRef, value: Option<String>, read: impl Fn(&str) -> Option<T>) {
    let (value, field) = (value.unwrap_or_default(), field.cast::<HtmlInputElement>());
    if let Some(field) = field.filter(|field| read(&field.value()) != read(&value)) {
        field.set_value(&value);
    }
}
