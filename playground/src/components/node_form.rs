//! What is known of the node beside the paste: asked for, never stored.

use rules::facts::CgroupMode;
use rules::kubernetes::inotify::Runtime;
use rules::kubernetes::quantity;
use rules::names::{name_of, named};
use rules::rules::Lang;
use rules::settings::NodeProfile;
use rules::show::words::{COLON, Label};
use web_sys::{HtmlInputElement, HtmlSelectElement};
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

/// A few fields in a part of the page that can be unfolded. What is in them is said also while it is folded: it counts for
/// every text, and may have come with a link.
#[component]
pub fn NodeForm(props: &Props) -> Html {
    let Props { lang, node, on_node } = props.clone();
    let (pods, memory) = (use_node_ref(), use_node_ref());
    let (runtime, cgroups) = (use_node_ref(), use_node_ref());
    let wrong = use_state(|| (false, false));
    {
        // A link may bring other values than those that were typed.
        let (pods, memory, runtime, cgroups) = (pods.clone(), memory.clone(), runtime.clone(), cgroups.clone());
        let wrong = wrong.setter();
        use_effect_with(node.clone(), move |node| {
            show(&pods, node.max_pods.map(|pods| pods.to_string()), |typed| node_profile::max_pods(typed).ok());
            show(&memory, node.memory.map(quantity::format), |typed| node_profile::memory(typed).ok());
            choose(&runtime, node.runtime, &Runtime::ALL);
            choose(&cgroups, node.cgroups, &CgroupMode::ALL);
            // What was wrong in a field is no longer there.
            wrong.set((false, false));
        });
    }
    let onchange = {
        let (pods, memory, runtime, cgroups) = (pods.clone(), memory.clone(), runtime.clone(), cgroups.clone());
        let (wrong, node) = (wrong.clone(), node.clone());
        Callback::from(move |_: Event| {
            let max_pods = node_profile::max_pods(&typed(&pods));
            let bytes = node_profile::memory(&typed(&memory));
            wrong.set((max_pods.is_err(), bytes.is_err()));
            // A wrong field leaves what was known before.
            on_node.emit(NodeProfile {
                max_pods: max_pods.unwrap_or(node.max_pods),
                memory: bytes.unwrap_or(node.memory),
                runtime: chosen(&runtime, &Runtime::ALL),
                cgroups: chosen(&cgroups, &CgroupMode::ALL),
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
    let list = |list: &NodeRef, id: &'static str, label: Label, names: [&'static str; 2]| {
        html! {
            <p>
                <label for={id}>{ label.text(lang) }</label>
                <select ref={list} {id} onchange={onchange.clone()}>
                    <option value="">{ words::NOT_KNOWN.text(lang) }</option>
                    { for names.map(|name| html! { <option value={name}>{ name }</option> }) }
                </select>
            </p>
        }
    };
    html! {
        <details class="node-form">
            <summary>
                { words::NODE.text(lang) }
                { for words::known_of_node(lang, &node).map(|known| html! { <>{ COLON.text(lang) }<b>{ known }</b></> }) }
            </summary>
            { field(&pods, "max-pods", words::MAX_PODS, "110", wrong.0, words::NO_PODS) }
            { field(&memory, "node-memory", words::NODE_MEMORY, "16Gi", wrong.1, words::NO_MEMORY) }
            { list(&runtime, "runtime", words::RUNTIME, Runtime::ALL.map(|(_, name)| name)) }
            { list(&cgroups, "cgroups", words::CGROUPS, CgroupMode::ALL.map(|(_, name)| name)) }
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

/// What is chosen in a list; its first choice stands for nothing.
fn chosen<T: Copy>(list: &NodeRef, all: &[(T, &'static str)]) -> Option<T> {
    named(&list.cast::<HtmlSelectElement>()?.value(), all)
}

/// Choose a value in its list.
fn choose<T: Copy + PartialEq>(list: &NodeRef, value: Option<T>, all: &[(T, &'static str)]) {
    if let Some(list) = list.cast::<HtmlSelectElement>() {
        list.set_value(value.map(|value| name_of(value, all)).unwrap_or_default());
    }
}
