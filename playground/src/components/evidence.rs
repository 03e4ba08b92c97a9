//! One observation of a finding: where, the quoted line, what was seen and what should be there.

use rules::report::Evidence;
use rules::show::visible;
use rules::show::words::{EXPECTED, OBSERVED};
use yew::prelude::*;

use super::place_button::PlaceButton;
use crate::checking::Quote;
use crate::hooks::use_page;
use crate::places::Place;

/// What was observed.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// The observation.
    pub evidence: Evidence,
    /// The line it was made on.
    pub quote: Option<Quote>,
}

/// The observation.
#[component]
pub fn EvidenceView(props: &Props) -> Html {
    let lang = use_page().lang;
    let Evidence { place, observed, expected } = &props.evidence;
    // The quoted line often is the observation itself; once is enough.
    let quoted = props.quote.as_ref().is_some_and(|quote| quote.marked.trim() == observed.trim());
    let quote = props.quote.as_ref().map(|quote| {
        html! { <code class="quote">{ &quote.before }<mark>{ &quote.marked }</mark>{ &quote.after }</code> }
    });
    html! {
        <div class="evidence">
            if let Some(span) = place.span { <PlaceButton place={Place::Span(span)} /> }
            { quote }
            <dl>
                if !quoted {
                    <div><dt>{ OBSERVED.text(lang) }</dt><dd>{ visible(observed).into_owned() }</dd></div>
                }
                if !expected.is_empty() {
                    <div><dt>{ EXPECTED.text(lang) }</dt><dd>{ visible(expected).into_owned() }</dd></div>
                }
            </dl>
        </div>
    }
}
