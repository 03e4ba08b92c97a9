//! A whole report.

use std::rc::Rc;

use yew::prelude::*;

use super::findings::Findings;
use super::lines_read::{Detected, Unused};
use super::risk_list::RiskList;
use super::verdict_banner::VerdictBanner;
use crate::checking::Checked;

/// The result to show.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// The result.
    pub checked: Rc<Checked>,
}

/// Verdict, what was detected, risks, findings, and what was not used.
#[component]
pub fn ReportView(props: &Props) -> Html {
    let report = &props.checked.report;
    html! {
        <>
            <VerdictBanner report={report.clone()} />
            <RiskList risks={report.risks.clone()} />
            <Detected read={report.read.clone()} />
            <Findings checked={props.checked.clone()} />
            <Unused unread={report.unread.clone()} />
        </>
    }
}
