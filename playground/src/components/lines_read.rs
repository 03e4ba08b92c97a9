//! Which lines were understood and as what, and which were not and why.

use rules::report::{ReadLines, Unread, Why};
use rules::show::visible;
use rules::show::words::{UNREAD, kind, why_unread};
use yew::prelude::*;

use super::place_button::place_button;
use super::report_view::{Page, Target};
use crate::places::Place;
use crate::words;

/// The kinds of input that were found, each with its lines.
pub(super) fn detected(read: &[ReadLines], page: &Page) -> Html {
    // Kinds in order of their first lines; a paste has a handful of them.
    let mut kinds: Vec<&str> = Vec::new();
    for lines in read {
        if !kinds.contains(&&*lines.kind) {
            kinds.push(&lines.kind);
        }
    }
    if kinds.is_empty() {
        return Html::default();
    }
    html! {
        <section class="detected" aria-labelledby="detected">
            <h2 id="detected">{ words::DETECTED.text(page.lang) }</h2>
            <ul>
                { for kinds.into_iter().map(|id| {
                    let name = kind(id).map_or_else(|| visible(id).into_owned(), |label| label.text(page.lang).into());
                    let of_kind = read.iter().filter(|lines| lines.kind == id);
                    let lines = of_kind.map(|lines| (lines.input, Place::Lines(lines.first_line, lines.last_line)));
                    html! { <li><span class="kind">{ name }</span>{ places(&lines.collect::<Vec<_>>(), page) }</li> }
                }) }
            </ul>
        </section>
    }
}

/// Most entries of a list: thousands take a browser noticeable time, and nobody reads them. A saved report has them all.
const LISTED: usize = 100;

/// How many places are shown before the rest is folded away.
const SHOWN: usize = 6;

/// The first places, and the rest behind a number.
fn places(places: &[(usize, Place)], page: &Page) -> Html {
    let buttons = |places: &[(usize, Place)]| {
        places
            .iter()
            .take(LISTED)
            .map(|(input, place)| place_button(Target::new(*input, *place), page))
            .collect::<Html>()
    };
    let (shown, rest) = places.split_at(SHOWN.min(places.len()));
    html! {
        <>
            { buttons(shown) }
            if !rest.is_empty() {
                <details><summary>{ format!("+{}", rest.len()) }</summary>{ buttons(rest) }</details>
            }
        </>
    }
}

/// The lines that were not used, each with the reason.
pub(super) fn unused(unread: &[Unread], page: &Page) -> Html {
    if unread.is_empty() {
        return Html::default();
    }
    html! {
        <section class="unused" aria-labelledby="unused">
            <h2 id="unused">{ UNREAD.text(page.lang) }</h2>
            <ul>
                { for unread.iter().take(LISTED).map(|Unread { input, first_line, last_line, why }| html! {
                    <li>
                        { place_button(Target::new(*input, Place::Lines(*first_line, *last_line)), page) }
                        <span>{ why_unread(why).text(page.lang) }</span>
                        if let Why::Broken { message } = why { <code>{ visible(message).into_owned() }</code> }
                    </li>
                }) }
                if unread.len() > LISTED { <li>{ format!("+{}", unread.len() - LISTED) }</li> }
            </ul>
        </section>
    }
}
