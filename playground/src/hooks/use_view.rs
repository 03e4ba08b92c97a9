//! Follows what is seen of the textarea.

use gloo::events::EventListener;
use js_sys::Reflect;
use web_sys::{Element, HtmlTextAreaElement};
use yew::prelude::*;

use super::sizes::Sizes;
use crate::gutter::View;

/// What is seen of `input`. `lines` is a list of lines as high as its own: those of a textarea cannot be measured.
#[hook]
pub fn use_view(input: &HtmlTextAreaElement, lines: &NodeRef) -> View {
    let view = use_state_eq(View::default);
    {
        let (set, lines) = (view.setter(), lines.clone());
        use_effect_with(input.clone(), move |input| {
            // Neither comes with a key that changes no more than a line, and when they come everything is laid out.
            let look = {
                let input = input.clone();
                move || set.set(seen(&input, &lines))
            };
            let sizes = Sizes::watch(input, look.clone());
            let scrolls = EventListener::new(input, "scroll", move |_| look());
            move || drop((sizes, scrolls))
        });
    }
    *view
}

fn seen(input: &HtmlTextAreaElement, lines: &NodeRef) -> View {
    // Browsers scroll by fractions of a pixel, which the typed getter drops.
    let top = Reflect::get(input, &"scrollTop".into()).ok().and_then(|top| top.as_f64()).unwrap_or_default();
    View { top, height: input.client_height().into(), line: lines.cast().map(line).unwrap_or_default() }
}

fn line(lines: Element) -> f64 {
    lines.get_bounding_client_rect().height() / f64::from(lines.child_element_count().max(1))
}
