//! What stands in place of a report while there is no text: what to paste, and examples to try.

use rules::report::{Risk, Wanted};
use rules::rules::Lang;
use rules::show::words::risk as risk_name;
use yew::prelude::*;

use super::command::command;
use crate::examples::{Example, TOPICS};
use crate::words;

/// Each risk with the commands whose output tells about it.
pub(super) fn welcome(lang: Lang, on_example: &Callback<&'static Example>) -> Html {
    html! {
        <section class="welcome" aria-labelledby="welcome">
            <h2 id="welcome">{ words::WHAT_TO_PASTE.text(lang) }</h2>
            <p>{ words::HOW_TO_PASTE.text(lang) }</p>
            <ul>
                { for Risk::ALL.into_iter().map(|risk| html! {
                    <li>
                        <h3>{ risk_name(risk).text(lang) }</h3>
                        <p>{ words::danger(risk).text(lang) }</p>
                        { for telling(risk).iter().map(|wanted| command(&wanted.missing().command, lang)) }
                        { tries(risk, lang, on_example) }
                    </li>
                }) }
            </ul>
        </section>
    }
}

/// What tells most about a risk.
const fn telling(risk: Risk) -> &'static [Wanted] {
    match risk {
        Risk::MemoryVolume => &[Wanted::Manifest],
        Risk::Inotify => &[Wanted::InotifyLimits, Wanted::InotifyUsage],
        Risk::CgroupCleanup => &[Wanted::MiscController, Wanted::KubeletVersion, Wanted::RuncVersion],
        Risk::Memcg => &[Wanted::ProcCgroups, Wanted::KernelVersion],
    }
}

/// How many examples of a risk are offered here; the list above the textarea has all.
const TRIES: usize = 3;

/// A few examples of a risk.
fn tries(risk: Risk, lang: Lang, on_example: &Callback<&'static Example>) -> Html {
    // One of each rule; the first of a rule is a bad one.
    let topics = TOPICS.iter().filter(|topic| topic.risk == risk);
    let tries = topics.filter_map(|topic| Some((topic, topic.examples().next()?))).take(TRIES);
    html! {
        <p class="tries">
            { words::TRY.text(lang) }
            { for tries.map(|(topic, example)| {
                let onclick = on_example.reform(move |_: MouseEvent| example);
                html! { <button type="button" class="link" {onclick}>{ topic.title.text(lang) }</button> }
            }) }
        </p>
    }
}
