//! Which severities are shown.

use rules::report::{Report, Severity};
use rules::rules::Lang;
use yew::prelude::*;

use super::icon::Icon;
use crate::words;

/// How many findings of each severity there are, worst first.
pub(super) fn counts(report: &Report) -> impl Iterator<Item = (Severity, usize)> {
    [Severity::Error, Severity::Warning, Severity::Info].into_iter().map(|severity| {
        let count = report.findings.iter().filter(|finding| finding.severity == severity).count();
        (severity, count)
    })
}

/// One box for each severity that occurs, with its count; nothing when there is no choice. `toggle` takes the severity
/// to hide or to show again.
pub(super) fn filters(report: &Report, hidden: &[Severity], lang: Lang, toggle: &Callback<Severity>) -> Html {
    let counts: Vec<(Severity, usize)> = counts(report).filter(|(_, count)| *count > 0).collect();
    if counts.len() < 2 {
        return Html::default();
    }
    html! {
        <fieldset class="filters">
            <legend class="unseen">{ words::SHOWN.text(lang) }</legend>
            { for counts.into_iter().map(|(severity, count)| {
                let onchange = toggle.reform(move |_: Event| severity);
                html! {
                    <label>
                        <input type="checkbox" checked={!hidden.contains(&severity)} {onchange} />
                        { Icon::from(severity).view() }{ words::count(lang, severity, count) }
                    </label>
                }
            }) }
        </fieldset>
    }
}
