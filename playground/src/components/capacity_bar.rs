//! A bar that shows how much there is, is used and is needed, with the same in words below.

use rules::rules::Lang;
use yew::prelude::*;

use crate::capacity::{Amount, Capacity};
use crate::words;

/// The bar; `id` tells it from the others on the page.
pub(super) fn capacity_bar(capacity: Capacity, id: &str, lang: Lang) -> Html {
    let Capacity { what, limit, used, need } = capacity;
    let amounts = [(Amount::Used, used), (Amount::Limit, Some(limit)), (Amount::Need, need)];
    let amounts = amounts.into_iter().filter_map(|(which, amount)| Some((which, capacity.shown(amount?))));
    let legend: Vec<(Amount, String)> =
        amounts.map(|(which, amount)| (which, words::amount(lang, what, which, &amount))).collect();
    let all = legend.iter().map(|(_, words)| words.as_str()).collect::<Vec<_>>().join(words::COMMA.text(lang));
    let (title, description) = (format!("{id}-capacity"), format!("{id}-amounts"));
    let stretch = |class: &'static str, amount: u128| {
        html! { <rect {class} width={capacity.end(amount).to_string()} height="20" /> }
    };
    html! {
        <figure class="capacity">
            <svg role="img" aria-labelledby={format!("{title} {description}")} focusable="false"
                viewBox={format!("0 0 {} 20", Capacity::WIDTH)} preserveAspectRatio="none">
                <title id={title}>{ words::capacity(what).text(lang) }</title>
                <desc id={description}>{ all }</desc>
                { stretch("room", limit) }
                { for need.map(|need| stretch("need", need)) }
                { for used.map(|used| stretch("used", used)) }
                <path class="limit" d={format!("M{} 0v20", capacity.end(limit))} />
            </svg>
            // The picture's description says the same.
            <figcaption aria-hidden="true">
                <b>{ words::capacity(what).text(lang) }</b>
                { for legend.into_iter().map(|(which, words)| html! { <span class={which.class()}>{ words }</span> }) }
            </figcaption>
        </figure>
    }
}
