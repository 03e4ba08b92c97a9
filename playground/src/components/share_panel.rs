//! Makes a link that carries the text: what to take out first, what is left, how long the link is.

use std::rc::Rc;

use rules::rules::Lang;
use rules::settings::Settings;
use yew::prelude::*;

use super::copy_button::copy_label;
use super::report_view::Page;
use super::text_field::text_field;
use crate::fragment;
use crate::hooks::{Copied, use_copy};
use crate::inputs::Inputs;
use crate::job::{Job, Task};
use crate::redact::Redact;
use crate::share::TOO_LONG;
use crate::sharing::{Choice, Link};
use crate::words;
use crate::worker::Lost;

/// The page whose text is shared.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// See [`Page`].
    pub page: Page,
}

/// A part of what can be taken out.
type Part = fn(&mut Redact) -> &mut bool;

/// The choices, the text that would be shared, and the button that copies the link.
#[component]
pub fn SharePanel(props: &Props) -> Html {
    let page = &props.page;
    let lang = page.lang;
    let what = use_state(Redact::default);
    let shorten = use_state(|| true);
    let (copied, copy) = use_copy();
    let (made, is_present) = use_link(page, *what, *shorten);
    let oncopy = {
        let (made, page) = (made.clone(), page.clone());
        Callback::from(move |_: MouseEvent| {
            let Some(now) = (*made).clone().filter(|_| is_present) else { return };
            if now.inputs != page.inputs.emit(()) {
                // The text is another one already, and its check is on the way.
                made.set(Some(Made { of: None, ..now }));
            } else if let Some(fragment) = now.link.and_then(|link| link.fragment) {
                copy.emit(fragment::address(&fragment::at_line(&fragment, page.line.emit(()))).into());
            }
        })
    };
    let parts: [(_, Part); 5] = [
        (words::SECRETS, |what| &mut what.secrets),
        (words::ENVIRONMENT, |what| &mut what.environment),
        (words::TOKENS, |what| &mut what.tokens),
        (words::ADDRESSES, |what| &mut what.addresses),
        (words::HOSTS, |what| &mut what.hosts),
    ];
    let choice = |(label, part): (rules::show::words::Label, Part)| {
        let checked = *part(&mut (*what).clone());
        let what = what.clone();
        let onchange = move |_| {
            let mut next = *what;
            *part(&mut next) = !checked;
            what.set(next);
        };
        html! { <label><input type="checkbox" {checked} {onchange} />{ label.text(lang) }</label> }
    };
    let link = made.as_ref().and_then(|made| made.link.as_ref());
    html! {
        <>
            <p>{ words::SHARE_HINT.text(lang) }</p>
            <fieldset class="filters">
                <legend>{ words::TAKE_OUT.text(lang) }</legend>
                { for parts.map(choice) }
                if link.is_some_and(|link| link.can_be_shorter) {
                    <label>
                        <input type="checkbox" checked={*shorten}
                            onchange={let was = *shorten; move |_| shorten.set(!was)} />
                        { words::REST.text(lang) }
                    </label>
                }
            </fieldset>
            { match link {
                // It stays until the next one is there: its button may have the focus.
                Some(link) => show(link, is_present, lang, &copied, oncopy),
                None if is_present => html! { <p role="status">{ words::NO_ANSWER.text(lang) }</p> },
                None => html! { <p class="coming" role="status">{ words::LOADING.text(lang) }</p> },
            } }
        </>
    }
}

/// The text of the link above its length, and the button that copies it.
fn show(link: &Link, is_present: bool, lang: Lang, copied: &Copied, oncopy: Callback<MouseEvent>) -> Html {
    // A link is of no use when all that it would carry is left out.
    let is_empty = link.leaves_out && link.text.is_empty();
    let length = link.fragment.as_ref().map(|fragment| fragment::address(fragment).len());
    let said = match length {
        _ if !is_present => words::LOADING.text(lang).to_owned(),
        Some(length) => words::link_length(lang, length),
        None => words::too_large_for_a_link(lang),
    };
    html! {
        <>
            { text_field(&link.text, words::PREVIEW.text(lang)) }
            if link.leaves_out { <p>{ words::LEFT_OUT.text(lang) }</p> }
            if !is_empty || !is_present { <p role="status">{ said }</p> }
            if !is_empty && length.is_some_and(|length| length <= TOO_LONG) {
                <button type="button" aria-disabled={(!is_present).then_some("true")} onclick={oncopy}>
                    <span aria-live="polite">{ copy_label(copied, words::COPY_LINK).text(lang) }</span>
                </button>
            }
            if let Copied::Refused(link) = copied { { text_field(link, words::COPY_LINK.text(lang)) } }
        </>
    }
}

/// The link that was made last.
#[derive(Clone)]
struct Made {
    /// None when it did not come.
    link: Option<Link>,
    /// The texts that it was made of.
    inputs: Inputs,
    /// All else that it was made of; none once it is known to be outdated.
    of: Option<Of>,
}

/// The result, the node and the choices that a link belongs to.
type Of = (u64, Rc<Settings>, Redact, bool);

/// The link that was made last, and whether it is that of the present result and choices.
#[hook]
fn use_link(page: &Page, redact: Redact, shorten: bool) -> (UseStateHandle<Option<Made>>, bool) {
    let made = use_state(|| None::<Made>);
    let present: Of = (page.revision, Rc::clone(&page.settings), redact, shorten);
    let is_present = made.as_ref().is_some_and(|made| made.of.as_ref() == Some(&present));
    let (page, set) = (page.clone(), made.setter());
    use_effect_with(present, move |of| {
        let inputs = page.inputs.emit(());
        let choice = Choice { redact, shorten, shown: inputs.active(), held: inputs.held().collect() };
        let (task, node) = (Task::Share(choice), page.settings.node.clone());
        let (of, texts) = (of.clone(), inputs.clone());
        let hear = move |answer: Result<String, Lost>| {
            let link = answer.ok().and_then(|answer| serde_json::from_str::<Link>(&answer).ok());
            set.set(Some(Made { link, inputs: texts.clone(), of: Some(of.clone()) }));
        };
        page.core.tools.emit((Job { task, lang: page.lang, node, inputs }, hear.into()));
    });
    (made, is_present)
}
