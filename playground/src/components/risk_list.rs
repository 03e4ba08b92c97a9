//! The state of each of the four risks, and what would decide an undecided one.

use rules::report::{Missing, Report, Risk};
use rules::rules::Lang;
use rules::show;
use rules::show::words::{PASTE_NEXT, risk as risk_name, status, wanted};
use yew::prelude::*;

use super::command::command;
use super::icon::Icon;
use crate::words;

/// All four risks, always in the same order, and below them what would decide the undecided ones.
pub(super) fn risk_list(report: &Report, lang: Lang) -> Html {
    let states = Risk::ALL.map(|risk| (risk, report.risk(risk)));
    // Where nothing was understood, what to start with.
    let start = show::missing(report);
    html! {
        <section class="risks" aria-labelledby="risks">
            <h2 id="risks" class="unseen">{ words::RISKS.text(lang) }</h2>
            <ul>
                { for states.iter().map(|(risk, state)| {
                    let icon = Icon::from(state);
                    html! {
                        <li class={icon.class()} data-risk={risk.id()}>
                            <p class="name">{ risk_name(*risk).text(lang) }</p>
                            <p class="status">{ icon.view() }<span>{ status(state.status).text(lang) }</span></p>
                        </li>
                    }
                }) }
            </ul>
            { for states.iter().filter(|(_, state)| !state.missing.is_empty()).map(|(risk, state)| {
                paste_next(Some(*risk), &state.missing, lang)
            }) }
            { if states.iter().all(|(_, state)| state.missing.is_empty()) && !start.is_empty() {
                paste_next(None, &start, lang)
            } else {
                Html::default()
            } }
        </section>
    }
}

/// The commands whose output decides, most telling first.
fn paste_next(risk: Option<Risk>, missing: &[Missing], lang: Lang) -> Html {
    let name = risk.map(|risk| html! { <b>{ risk_name(risk).text(lang) }</b> });
    html! {
        <div class={classes!("next", Icon::Question.class())} data-next={risk.map(Risk::id)}>
            <p>{ Icon::Question.view() }{ name }{ PASTE_NEXT.text(lang) }</p>
            <ul>
                { for missing.iter().map(|missing| html! {
                    <li>
                        { command(&missing.command, lang) }
                        <span class="what">{ wanted(missing.what).text(lang) }</span>
                    </li>
                }) }
            </ul>
        </div>
    }
}
