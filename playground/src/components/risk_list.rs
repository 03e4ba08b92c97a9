//! The state of each of the four risks, and what would decide an undecided one.

use std::collections::BTreeMap;

use rules::report::{Missing, Risk, RiskState};
use rules::show::words::{PASTE_NEXT, risk as risk_name, status, wanted};
use yew::prelude::*;

use super::command::Command;
use super::icon::Icon;
use crate::hooks::use_page;
use crate::words;

/// The states.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// By risk; one that is missing counts as not seen.
    pub risks: BTreeMap<Risk, RiskState>,
}

/// All four risks, always in the same order, and below them what would decide the undecided ones.
#[component]
pub fn RiskList(props: &Props) -> Html {
    let lang = use_page().lang;
    let states = Risk::ALL.map(|risk| (risk, props.risks.get(&risk).cloned().unwrap_or_default()));
    html! {
        <section class="risks" aria-labelledby="risks">
            <h2 id="risks" class="unseen">{ words::RISKS.text(lang) }</h2>
            <ul>
                { for states.iter().map(|(risk, RiskState { status: state, .. })| html! {
                    <li class={Icon::from(*state).class()} data-risk={risk.id()}>
                        <p class="name">{ risk_name(*risk).text(lang) }</p>
                        <p class="status">{ Icon::from(*state).view() }<span>{ status(*state).text(lang) }</span></p>
                    </li>
                }) }
            </ul>
            { for states.into_iter().filter(|(_, state)| !state.missing.is_empty()).map(|(risk, state)| html! {
                <PasteNext {risk} missing={state.missing} />
            }) }
        </section>
    }
}

#[derive(Clone, Debug, PartialEq, Properties)]
struct PasteNextProps {
    risk: Risk,
    missing: Vec<Missing>,
}

/// The commands whose output decides, most telling first.
#[component]
fn PasteNext(props: &PasteNextProps) -> Html {
    let lang = use_page().lang;
    html! {
        <div class={classes!("next", Icon::Question.class())} data-next={props.risk.id()}>
            <p>{ Icon::Question.view() }<b>{ risk_name(props.risk).text(lang) }</b>{ PASTE_NEXT.text(lang) }</p>
            <ul>
                { for props.missing.iter().map(|missing| html! {
                    <li>
                        <Command command={missing.command.to_string()} />
                        <span class="what">{ wanted(missing.what).text(lang) }</span>
                    </li>
                }) }
            </ul>
        </div>
    }
}
