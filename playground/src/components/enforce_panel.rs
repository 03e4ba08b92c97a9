//! A policy made for the present findings, and what it would answer for the pasted objects.

use rules::show::visible;
use rules::show::words::Label;
use yew::prelude::*;

use super::copy_button::CopyButton;
use super::icon::Icon;
use super::place_button::place_button;
use super::report_view::{Page, Target};
use crate::enforcement::{Answer, Enforced, Mode};
use crate::job::{Job, Task};
use crate::places::Place;
use crate::words;
use crate::worker::Lost;

/// The page whose texts the policy is made for.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// See [`Page`].
    pub page: Page,
}

/// The choice of what the policy does, the policy, and its answers.
#[component]
pub fn EnforcePanel(props: &Props) -> Html {
    let page = &props.page;
    let lang = page.lang;
    let mode = use_state(Mode::default);
    let enforced = use_state(|| None::<Option<Enforced>>);
    {
        let (page, enforced) = (page.clone(), enforced.clone());
        use_effect_with((page.revision, *mode), move |(_, mode)| {
            let (task, inputs) = (Task::Enforce(*mode), page.inputs.emit(()));
            let job = Job { task, lang: page.lang, node: page.settings.node.clone(), inputs };
            let hear = move |answer: Result<String, Lost>| {
                enforced.set(Some(answer.ok().and_then(|answer| serde_json::from_str(&answer).ok())));
            };
            page.core.tools.emit((job, hear.into()));
        });
    }
    let choice = |(wanted, label): (Mode, Label)| {
        let mode = mode.clone();
        let checked = *mode == wanted;
        let onchange = move |_| mode.set(wanted);
        html! { <label><input type="radio" name="mode" {checked} {onchange} />{ label.text(lang) }</label> }
    };
    html! {
        <>
            <p>{ words::ENFORCE_HINT.text(lang) }</p>
            <fieldset class="filters">
                <legend class="unseen">{ words::ENFORCE.text(lang) }</legend>
                { for [(Mode::Reject, words::REJECT), (Mode::GiveLimits, words::GIVE_LIMITS)].map(choice) }
            </fieldset>
            { match &*enforced {
                Some(Some(enforced)) => show(enforced, page),
                Some(None) => html! { <p role="status">{ words::NO_ANSWER.text(lang) }</p> },
                None => html! { <p class="coming policy" role="status">{ words::LOADING.text(lang) }</p> },
            } }
        </>
    }
}

/// The policy below its answers.
fn show(enforced: &Enforced, page: &Page) -> Html {
    let Enforced { policy, answers, uncovered } = enforced;
    html! {
        <>
            if !uncovered.is_empty() {
                <p>{ words::UNCOVERED.text(page.lang) }{ " " }<code>{ uncovered }</code></p>
            }
            <ol class="answers">
                { for answers.iter().map(|given| answer(given, page)) }
            </ol>
            <div class="code">
                <pre tabindex="0"><code>{ policy }</code></pre>
                <CopyButton text={policy.clone()} lang={page.lang} />
            </div>
        </>
    }
}

/// What the policy answers for one object.
fn answer(answer: &Answer, page: &Page) -> Html {
    let Answer { input, line, object, accepted, message, warnings, changes } = answer;
    let (icon, label) = match (accepted, changes.is_empty()) {
        (false, _) => (Icon::Error, words::DENIED),
        (true, false) => (Icon::Info, words::CHANGED),
        (true, true) if !warnings.is_empty() => (Icon::Warning, words::WARNED),
        (true, true) => (Icon::Ok, words::ACCEPTED),
    };
    let mut said: Vec<String> = changes.iter().map(|change| format!("+ {}", visible(change))).collect();
    // The policy speaks English, as the cluster's users will read it.
    said.extend(message.lines().map(|line| visible(line).into_owned()));
    said.extend(warnings.iter().map(|warning| visible(warning).into_owned()));
    html! {
        <li class={icon.class()}>
            <p class="status">
                { icon.view() }
                <span>{ label.text(page.lang) }</span>
                <code>{ visible(object).into_owned() }</code>
                { place_button(Target::new(*input, Place::Lines(*line, *line)), page) }
            </p>
            if !said.is_empty() { <pre tabindex="0"><code>{ said.join("\n") }</code></pre> }
        </li>
    }
}
