//! One observation of a finding: where, the quoted line, what was seen and what should be there.

use rules::report::Evidence;
use rules::show::visible;
use rules::show::words::{EXPECTED, OBSERVED};
use yew::prelude::*;

use super::place_button::place_button;
use super::report_view::{Page, Target};
use crate::checking::Quote;
use crate::places::Place;

/// An observation of the finding with that number; `quote` is the line that it was made on.
pub(super) fn evidence(evidence: &Evidence, finding: usize, quote: Option<&Quote>, page: &Page) -> Html {
    let Evidence { place, observed, expected } = evidence;
    // The quoted stretch often is the observation itself; once is enough.
    let quoted = quote.is_some_and(|quote| quote.marked.trim() == observed.trim());
    let fact = |label: &str, fact: &str| html! { <div><dt>{ label }</dt><dd>{ visible(fact).into_owned() }</dd></div> };
    let target = |span| Target { finding: Some(finding), ..Target::new(place.input, Place::Span(span)) };
    html! {
        <div class="evidence">
            { for place.span.map(|span| place_button(target(span), page)) }
            { for quote.map(|quote| html! {
                <code class="quote">{ &quote.before }<mark>{ &quote.marked }</mark>{ &quote.after }</code>
            }) }
            <dl>
                if !quoted { { fact(OBSERVED.text(page.lang), observed) } }
                if !expected.is_empty() { { fact(EXPECTED.text(page.lang), expected) } }
            </dl>
        </div>
    }
}
