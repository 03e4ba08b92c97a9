//! Names lines of the text and selects them.

use yew::prelude::*;

use crate::hooks::use_page;
use crate::places::Place;
use crate::words;

/// Which place.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// The place.
    pub place: Place,
}

/// The button.
#[component]
pub fn PlaceButton(props: &Props) -> Html {
    let page = use_page();
    let place = props.place;
    let last = match place {
        Place::Span(span) => span.line,
        Place::Lines(_, last) => last,
    };
    let onclick = page.select.reform(move |_: MouseEvent| place);
    html! { <button type="button" class="place" {onclick}>{ words::lines(page.lang, place.line(), last) }</button> }
}
