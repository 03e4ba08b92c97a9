//! The answer for the whole paste, in one sentence.

use rules::report::Report;
use rules::rules::Lang;
use rules::show::words::verdict;
use yew::prelude::*;

use super::filters::counts;
use super::icon::Icon;
use crate::words;

/// The sentence and how many findings of each severity there are.
pub(super) fn verdict_banner(report: &Report, lang: Lang) -> Html {
    let icon = Icon::from(report);
    html! {
        <div class={classes!("verdict", icon.class())}>
            <h2>{ icon.view() }<span>{ verdict(report).text(lang) }</span></h2>
            if !report.findings.is_empty() {
                <ul class="counts">
                    { for counts(report).filter(|(_, count)| *count > 0).map(|(severity, count)| html! {
                        <li>{ Icon::from(severity).view() }{ words::count(lang, severity, count) }</li>
                    }) }
                </ul>
            }
        </div>
    }
}
