//! Which lines were understood and as what, and which were not and why.

use rules::report::{ReadLines, Unread, Why};
use rules::show::visible;
use rules::show::words::{UNREAD, kind, why_unread};
use yew::prelude::*;

use super::place_button::PlaceButton;
use crate::hooks::use_page;
use crate::places::Place;
use crate::words;

/// Lines that were understood.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct DetectedProps {
    /// The lines.
    pub read: Vec<ReadLines>,
}

/// The kinds of input that were found, each with its lines.
#[component]
pub fn Detected(props: &DetectedProps) -> Html {
    let lang = use_page().lang;
    // Kinds in order of their first lines; a paste has a handful of them.
    let mut kinds: Vec<&str> = Vec::new();
    for lines in &props.read {
        if !kinds.contains(&&*lines.kind) {
            kinds.push(&lines.kind);
        }
    }
    if kinds.is_empty() {
        return Html::default();
    }
    html! {
        <section class="detected" aria-labelledby="detected">
            <h2 id="detected">{ words::DETECTED.text(lang) }</h2>
            <ul>
                { for kinds.into_iter().map(|id| {
                    let name = kind(id).map_or_else(|| visible(id).into_owned(), |label| label.text(lang).to_owned());
                    let places: Vec<Place> = props.read.iter().filter(|lines| lines.kind == id)
                        .map(|lines| Place::Lines(lines.first_line, lines.last_line)).collect();
                    html! { <li><span class="kind">{ name }</span><Places {places} /></li> }
                }) }
            </ul>
        </section>
    }
}

#[derive(Clone, Debug, PartialEq, Properties)]
struct PlacesProps {
    places: Vec<Place>,
}

/// How many places are shown before the rest is folded away.
const SHOWN: usize = 6;

/// The first places, and the rest behind a number.
#[component]
fn Places(props: &PlacesProps) -> Html {
    let buttons =
        |places: &[Place]| places.iter().map(|place| html! { <PlaceButton place={*place} /> }).collect::<Html>();
    let (shown, rest) = props.places.split_at(SHOWN.min(props.places.len()));
    html! {
        <>
            { buttons(shown) }
            if !rest.is_empty() {
                <details><summary>{ format!("+{}", rest.len()) }</summary>{ buttons(rest) }</details>
            }
        </>
    }
}

/// Lines that were not used.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct UnusedProps {
    /// The lines.
    pub unread: Vec<Unread>,
}

/// The lines that were not used, each with the reason.
#[component]
pub fn Unused(props: &UnusedProps) -> Html {
    let lang = use_page().lang;
    if props.unread.is_empty() {
        return Html::default();
    }
    html! {
        <section class="unused" aria-labelledby="unused">
            <h2 id="unused">{ UNREAD.text(lang) }</h2>
            <ul>
                { for props.unread.iter().map(|Unread { first_line, last_line, why, .. }| html! {
                    <li>
                        <PlaceButton place={Place::Lines(*first_line, *last_line)} />
                        <span>{ why_unread(why).text(lang) }</span>
                        if let Why::Broken { message } = why { <code>{ visible(message).into_owned() }</code> }
                    </li>
                }) }
            </ul>
        </section>
    }
}
