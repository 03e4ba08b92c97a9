//! What can be done with the whole report: copy it, save it.

use std::rc::Rc;

use yew::prelude::*;

use super::copy_button::copy_label;
use super::enforce_panel::EnforcePanel;
use super::panel::Panel;
use super::report_view::Page;
use super::share_panel::SharePanel;
use super::text_field::text_field;
use crate::checking::Checked;
use crate::download;
use crate::enforcement;
use crate::exports::Format;
use crate::hooks::{Copied, use_copy};
use crate::job::{Job, Task};
use crate::words;
use crate::worker::{Build, Lost};

/// The report and the page that it is on.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// The result that the report is about.
    pub checked: Rc<Checked>,
    /// See [`Page`].
    pub page: Page,
}

/// The row of buttons, and the report itself where the browser neither copies nor saves.
#[component]
pub fn ReportMenu(props: &Props) -> Html {
    let page = &props.page;
    let lang = page.lang;
    let (copied, copy) = use_copy();
    let unsaved = use_state(|| None::<Rc<str>>);
    let answer = use_state(|| Answer::There);
    // Off at first: the report is byte for byte that of the command.
    let hides = use_state(|| false);
    let enforceable = enforcement::is_of_use(&props.checked.report);
    // Writes the report in a form, and hands it on.
    let write = {
        let (page, answer, redacted) = (page.clone(), answer.clone(), *hides);
        move |format: Format, then: Callback<String>| {
            let task = Task::Export { format, redacted };
            let job = Job { task, lang: page.lang, node: page.settings.node.clone(), inputs: page.inputs.emit(()) };
            let (then, answer) = (then.clone(), answer.clone());
            answer.set(Answer::Awaited);
            let hear = move |written: Result<String, Lost>| match written {
                Ok(text) => {
                    answer.set(Answer::There);
                    then.emit(text);
                }
                Err(_) => answer.set(Answer::Lost),
            };
            page.core.tools.emit((job, hear.into()));
        }
    };
    let oncopy = {
        let (write, copy) = (write.clone(), copy.reform(Rc::from));
        move |_| write(Format::Markdown, copy.clone())
    };
    let save = |format: Format| {
        let (write, unsaved) = (write.clone(), unsaved.clone());
        let save = Callback::from(move |text: String| {
            let saved = download::save(format.file(), format.media_type(), &text).is_ok();
            unsaved.set(Some(text.into()).filter(|_| !saved));
        });
        let onclick = move |_| write(format, save.clone());
        html! { <button type="button" {onclick}>{ words::save(lang, format.name()) }</button> }
    };
    // A browser lets a click copy for a few seconds only.
    let wake = &page.core.wake;
    let by_hand = match copied.clone() {
        Copied::Refused(text) => Some(text),
        _ => (*unsaved).clone(),
    };
    html! {
        <div class="menu" role="group" aria-label={words::REPORT.text(lang)}
            onpointerenter={wake.reform(|_| Build::Tools)} onfocusin={wake.reform(|_| Build::Tools)}>
            <button type="button" onclick={oncopy}>
                <span aria-live="polite">{ copy_label(&copied, words::COPY_MARKDOWN).text(lang) }</span>
            </button>
            { for Format::ALL.map(save) }
            <label>
                <input type="checkbox" checked={*hides} onchange={move |_| hides.set(!*hides)} />
                { words::HIDE.text(lang) }
            </label>
            <Panel label={words::SHARE.text(lang)}><SharePanel page={page.clone()} /></Panel>
            if enforceable {
                <Panel label={words::ENFORCE.text(lang)}><EnforcePanel page={page.clone()} /></Panel>
            }
            { match *answer {
                Answer::There => Html::default(),
                Answer::Awaited => html! { <p role="status">{ words::LOADING.text(lang) }</p> },
                Answer::Lost => html! { <p role="status">{ words::NO_ANSWER.text(lang) }</p> },
            } }
            { for by_hand.map(|text| text_field(&text, words::REPORT.text(lang))) }
        </div>
    }
}

/// How far the report is that was asked for last.
#[derive(Clone, Copy, PartialEq)]
enum Answer {
    /// It has been handed on.
    There,
    /// It is being written.
    Awaited,
    /// It did not come.
    Lost,
}
