//! A button that unfolds a part of the page behind it.

use web_sys::HtmlElement;
use yew::prelude::*;

/// The button and what it unfolds.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// What the button says; the name of the part as well.
    pub label: AttrValue,
    /// What is in it. It comes to be when it is unfolded.
    pub children: Html,
}

/// The focus goes into the part with its unfolding, and Escape folds it again and gives the focus back.
#[component]
pub fn Panel(props: &Props) -> Html {
    let Props { label, children } = props;
    let open = use_state(|| false);
    let (button, part) = (use_node_ref(), use_node_ref());
    {
        let part = part.clone();
        use_effect_with(*open, move |open| {
            if *open {
                focus(&part);
            }
        });
    }
    let onclick = {
        let open = open.clone();
        move |_| open.set(!*open)
    };
    let onkeydown = {
        let (open, button) = (open.clone(), button.clone());
        Callback::from(move |event: KeyboardEvent| {
            if *open && event.key() == "Escape" {
                focus(&button);
                open.set(false);
            }
        })
    };
    html! {
        <>
            <button ref={button} type="button" aria-expanded={open.to_string()} {onclick} onkeydown={onkeydown.clone()}>
                { label }
            </button>
            if *open {
                <section ref={part} class="panel" tabindex="-1" aria-label={label.clone()} {onkeydown}>
                    { children.clone() }
                </section>
            }
        </>
    }
}

fn focus(element: &NodeRef) {
    if let Some(element) = element.cast::<HtmlElement>() {
        let _ = element.focus();
    }
}
