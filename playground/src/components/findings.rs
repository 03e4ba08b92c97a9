//! The list of findings, worst first.

use std::rc::Rc;

use yew::prelude::*;

use super::finding_card::FindingCard;
use crate::checking::Checked;
use crate::hooks::use_page;
use crate::words;

/// The result that holds them.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// The result.
    pub checked: Rc<Checked>,
}

/// The list; nothing when nothing fired.
#[component]
pub fn Findings(props: &Props) -> Html {
    let lang = use_page().lang;
    let Checked { report, quotes, .. } = &*props.checked;
    if report.findings.is_empty() {
        return Html::default();
    }
    html! {
        <section class="findings" aria-labelledby="findings">
            <h2 id="findings">{ words::FINDINGS.text(lang) }</h2>
            <ol>
                { for report.findings.iter().enumerate().map(|(number, finding)| {
                    let spans = finding.evidence.iter().map(|evidence| evidence.place.span);
                    let quotes: Vec<_> = spans.map(|span| quotes.get(&span?).cloned()).collect();
                    html! { <li><FindingCard finding={finding.clone()} {quotes} {number} /></li> }
                }) }
            </ol>
        </section>
    }
}
