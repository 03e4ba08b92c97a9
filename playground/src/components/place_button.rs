//! Names lines of the text and selects them.

use yew::prelude::*;

use super::report_view::Page;
use crate::places::Place;
use crate::words;

/// A button that selects `place`.
pub(super) fn place_button(place: Place, page: &Page) -> Html {
    let last = match place {
        Place::Span(span) => span.line,
        Place::Lines(_, last) => last,
    };
    let onclick = page.select.reform(move |_: MouseEvent| place);
    html! { <button type="button" class="place" {onclick}>{ words::lines(page.lang, place.line(), last) }</button> }
}
