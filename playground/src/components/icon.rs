//! Small pictures beside words that say the same, so hidden from screen readers.

use rules::report::{Report, RiskState, Severity, Status, Verdict};
use yew::{Html, html};

/// Shapes differ, not only colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Icon {
    /// An octagon: stop.
    Error,
    /// A triangle: take care.
    Warning,
    /// A circle with an i.
    Info,
    /// A circle with a tick.
    Ok,
    /// A circle with a question mark.
    Question,
    /// An empty circle.
    Nothing,
}

impl Icon {
    /// The class that gives it, and what belongs to it, its colour.
    pub(super) const fn class(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
            Self::Ok => "ok",
            Self::Question => "undecided",
            Self::Nothing => "none",
        }
    }

    /// The picture.
    pub(super) fn view(self) -> Html {
        let (outline, mark) = match self {
            Self::Error => ("M5.3 1h5.4L15 5.3v5.4L10.7 15H5.3L1 10.7V5.3z", "M8 4.4v4.2M8 11v.7"),
            Self::Warning => ("M8 1.4 15.4 14.4H.6z", "M8 6v4M8 12v.5"),
            Self::Info => (CIRCLE, "M8 7.2v4.4M8 4.2v.7"),
            Self::Ok => (CIRCLE, "M4.8 8.3l2.2 2.3 4.2-4.8"),
            Self::Question => (CIRCLE, "M6 6.2a2 2 0 1 1 2.9 1.8c-.6.3-.9.7-.9 1.3M8 11.4v.6"),
            Self::Nothing => (CIRCLE, ""),
        };
        html! {
            <svg class={yew::classes!("icon", self.class())} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
                <path class="outline" d={outline} />
                <path class="mark" d={mark} />
            </svg>
        }
    }
}

const CIRCLE: &str = "M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1z";

impl From<Severity> for Icon {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Error => Self::Error,
            Severity::Warning => Self::Warning,
            Severity::Info => Self::Info,
        }
    }
}

impl From<&RiskState> for Icon {
    fn from(state: &RiskState) -> Self {
        match state.status {
            Status::AtRisk => at_risk(state.severity),
            Status::Undecided => Self::Question,
            Status::Ok => Self::Ok,
            Status::NoEvidence => Self::Nothing,
        }
    }
}

impl From<&Report> for Icon {
    fn from(report: &Report) -> Self {
        match report.verdict {
            Verdict::AtRisk => at_risk(report.findings.iter().map(|finding| finding.severity).max()),
            Verdict::CannotJudge => Self::Question,
            Verdict::NoRiskFound => Self::Ok,
        }
    }
}

/// What is at risk looks like the worst that was found: not every risk is an emergency.
fn at_risk(worst: Option<Severity>) -> Icon {
    worst.map_or(Icon::Error, Icon::from)
}
