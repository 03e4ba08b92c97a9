//! Names lines of the text and selects them.

use rules::show::visible;
use yew::prelude::*;

use super::report_view::{Page, Target};
use crate::places::Place;
use crate::words;

/// A button that selects a place.
pub(super) fn place_button(target: Target, page: &Page) -> Html {
    let Target { input, place, .. } = target;
    let last = match place {
        Place::Span(span) => span.line,
        Place::Lines(_, last) => last,
    };
    let onclick = page.select.reform(move |_: MouseEvent| target);
    let lines = words::lines(page.lang, place.line(), last);
    let label = match page.names.get(input) {
        Some(name) => format!("{} · {lines}", visible(name)),
        None => lines,
    };
    html! { <button type="button" class="place" {onclick}>{ label }</button> }
}
