//! Makes a link that carries the text: what to take out first, what is left, how long the link is.

use std::rc::Rc;

use yew::prelude::*;

use super::copy_button::copy_label;
use super::report_view::Page;
use super::text_field::text_field;
use crate::fragment;
use crate::hooks::{Copied, use_copy};
use crate::job::{Job, Task};
use crate::redact::{Redact, redact};
use crate::share::{LONG, TOO_LONG, encode};
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
    let excerpt = use_excerpt(page);
    let without_rest = use_state(|| true);
    let texts = excerpt.clone().filter(|_| *without_rest);
    let left_out = !page.held.is_empty() && texts.is_none();
    let (copied, copy) = use_copy();
    let made = {
        let (inputs, line) = (page.inputs.clone(), page.line.clone());
        use_memo((page.revision, page.settings.clone(), *what, texts), move |(_, settings, what, texts)| {
            let line = Some(line.emit(())).filter(|line| *line > 1);
            let inputs = inputs.emit(());
            let inputs = texts.iter().fold(inputs, |inputs, texts| inputs.with_texts(texts));
            let shared = inputs.shared(&settings.node, line, |text| redact(text, *what));
            let link = fragment::address(&encode(&shared));
            let further = shared.more.iter().map(|part| format!("\n--- {}\n{}", part.name, part.text));
            let first = shared.name.iter().map(|name| format!("--- {name}\n"));
            let text = first.collect::<String>() + &shared.text + &further.collect::<String>();
            (text, Rc::<str>::from(link))
        })
    };
    let (text, link) = &*made;
    // A link is of no use when all that it would carry is left out.
    let is_empty = left_out && text.is_empty();
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
    let too_long = link.len() > TOO_LONG;
    let oncopy = {
        let link = Rc::clone(link);
        move |_| copy.emit(Rc::clone(&link))
    };
    html! {
        <>
            <p>{ words::SHARE_HINT.text(lang) }</p>
            <fieldset class="filters">
                <legend>{ words::TAKE_OUT.text(lang) }</legend>
                { for parts.map(choice) }
                if excerpt.is_some() {
                    <label>
                        <input type="checkbox" checked={*without_rest}
                            onchange={let was = *without_rest; move |_| without_rest.set(!was)} />
                        { words::REST.text(lang) }
                    </label>
                }
            </fieldset>
            { text_field(text, words::PREVIEW.text(lang)) }
            if left_out { <p>{ words::LEFT_OUT.text(lang) }</p> }
            if !is_empty { <p role="status">{ words::link_length(lang, link.len()) }</p> }
            if !is_empty && !too_long {
                <button type="button" onclick={oncopy}>
                    <span aria-live="polite">{ copy_label(&copied, words::COPY_LINK).text(lang) }</span>
                </button>
            }
            if let Copied::Refused(link) = &copied { { text_field(link, words::COPY_LINK.text(lang)) } }
        </>
    }
}

/// The texts without what their report does not need, once they are known. Short ones stay as they are.
#[hook]
fn use_excerpt(page: &Page) -> Option<Rc<Vec<String>>> {
    let excerpt = use_state(|| None::<(u64, Rc<Vec<String>>)>);
    let (page, set, present) = (page.clone(), excerpt.setter(), page.revision);
    use_effect_with((page.revision, page.settings.clone()), move |(revision, settings)| {
        let revision = *revision;
        let inputs = page.inputs.emit(());
        let whole = encode(&inputs.shared(&settings.node, None, str::to_owned));
        if whole.len() > LONG || !page.held.is_empty() {
            let job = Job { task: Task::Excerpt, lang: page.lang, node: settings.node.clone(), inputs };
            let hear = move |answer: Result<String, Lost>| {
                let texts = answer.ok().and_then(|answer| serde_json::from_str::<Option<Vec<String>>>(&answer).ok());
                set.set(texts.flatten().map(|texts| (revision, Rc::new(texts))));
            };
            page.core.tools.emit((job, hear.into()));
        }
    });
    excerpt.as_ref().filter(|(revision, _)| *revision == present).map(|(_, texts)| Rc::clone(texts))
}
