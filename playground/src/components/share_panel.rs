//! Makes a link that carries the text: what to take out first, what is left, how long the link is.

use std::rc::Rc;

use rules::rules::Lang;
use yew::prelude::*;

use super::copy_button::copy_label;
use super::report_view::Page;
use super::text_field::text_field;
use crate::fragment;
use crate::hooks::{Copied, use_copy};
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
    let made = use_link(page, *what, *shorten);
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
    // The box stays while the next link is being made: it may have the focus.
    let shortens = use_mut_ref(|| false);
    if let Some(made) = &made {
        *shortens.borrow_mut() = made.as_ref().is_some_and(|link| link.can_be_shorter);
    }
    let shortens = *shortens.borrow();
    html! {
        <>
            <p>{ words::SHARE_HINT.text(lang) }</p>
            <fieldset class="filters">
                <legend>{ words::TAKE_OUT.text(lang) }</legend>
                { for parts.map(choice) }
                if shortens {
                    <label>
                        <input type="checkbox" checked={*shorten}
                            onchange={let was = *shorten; move |_| shorten.set(!was)} />
                        { words::REST.text(lang) }
                    </label>
                }
            </fieldset>
            { match made {
                Some(Some(link)) => show(&link, lang, &copied, copy),
                Some(None) => html! { <p role="status">{ words::NO_ANSWER.text(lang) }</p> },
                None => html! { <p role="status">{ words::LOADING.text(lang) }</p> },
            } }
        </>
    }
}

/// The text of the link above its length, and the button that copies it.
fn show(link: &Link, lang: Lang, copied: &Copied, copy: Callback<Rc<str>>) -> Html {
    // A link is of no use when all that it would carry is left out.
    let is_empty = link.leaves_out && link.text.is_empty();
    let address = link.fragment.as_deref().map(|fragment| Rc::<str>::from(fragment::address(fragment)));
    let length = address
        .as_deref()
        .map_or_else(|| words::too_large_for_a_link(lang), |address| words::link_length(lang, address.len()));
    let address = address.filter(|address| !is_empty && address.len() <= TOO_LONG);
    html! {
        <>
            { text_field(&link.text, words::PREVIEW.text(lang)) }
            if link.leaves_out { <p>{ words::LEFT_OUT.text(lang) }</p> }
            if !is_empty { <p role="status">{ length }</p> }
            if let Some(address) = address {
                <button type="button" onclick={move |_| copy.emit(Rc::clone(&address))}>
                    <span aria-live="polite">{ copy_label(copied, words::COPY_LINK).text(lang) }</span>
                </button>
            }
            if let Copied::Refused(link) = copied { { text_field(link, words::COPY_LINK.text(lang)) } }
        </>
    }
}

/// The link of the present texts and choices; none while it is being made, and none within when it did not come.
#[hook]
fn use_link(page: &Page, redact: Redact, shorten: bool) -> Option<Option<Link>> {
    let made = use_state(|| None);
    let present = (page.revision, redact, shorten);
    let (page, set) = (page.clone(), made.setter());
    use_effect_with(present, move |_| {
        let inputs = page.inputs.emit(());
        let line = Some(page.line.emit(())).filter(|line| *line > 1);
        let choice = Choice { redact, shorten, shown: inputs.active(), line, held: inputs.held().collect() };
        let (task, node) = (Task::Share(choice), page.settings.node.clone());
        let hear = move |answer: Result<String, Lost>| {
            let link = answer.ok().and_then(|answer| serde_json::from_str::<Link>(&answer).ok());
            set.set(Some((present, link)));
        };
        page.core.tools.emit((Job { task, lang: page.lang, node, inputs }, hear.into()));
    });
    let (_, link) = made.as_ref().filter(|(of, _)| *of == present)?;
    Some(link.clone())
}
