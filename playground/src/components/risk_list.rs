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

/// All four risks, always in the same order.
#[component]
pub fn RiskList(props: &Props) -> Html {
    let lang = use_page().lang;
    html! {
        <section class="risks" aria-labelledby="risks">
            <h2 id="risks" class="unseen">{ words::RISKS.text(lang) }</h2>
            <ul>
                { for Risk::ALL.into_iter().map(|risk| {
                    let state = props.risks.get(&risk).cloned().unwrap_or_default();
                    let icon = Icon::from(state.status);
                    html! {
                        <li class={icon.class()} data-risk={risk.id()}>
                            <p class="name">{ risk_name(risk).text(lang) }</p>
                            <p class="status">{ icon.view() }{ status(state.status).text(lang) }</p>
                            if !state.missing.is_empty() { <PasteNext missing={state.missing} /> }
                        </li>
                    }
                }) }
            </ul>
        </section>
    }
}

#[derive(Clone, Debug, PartialEq, Properties)]
struct PasteNextProps {
    missing: Vec<Missing>,
}

/// The commands whose output decides.
#[component]
fn PasteNext(props: &PasteNextProps) -> Html {
    let lang = use_page().lang;
    html! {
        <div class="next">
            <p>{ PASTE_NEXT.text(lang) }</p>
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
