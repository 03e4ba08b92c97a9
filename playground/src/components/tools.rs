//! What can be put into the textarea: an example, a file, nothing, or the text that was there before.

use rules::rules::Lang;
use rules::show::words::risk as risk_name;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use crate::examples::{Example, TOPICS};
use crate::shell::listed;
use crate::words;

/// What is there, and what to do with a choice.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// Language of all words.
    pub lang: Lang,
    /// The example in the textarea.
    pub example: Option<&'static Example>,
    /// Whether there is text to clear.
    pub text: bool,
    /// Whether there is text to bring back.
    pub replaced: bool,
    /// Called with a chosen example.
    pub on_example: Callback<&'static Example>,
    /// Called with chosen files.
    pub on_files: Callback<Vec<web_sys::File>>,
    /// Called to add an empty input.
    pub on_add: Callback<()>,
    /// Called to empty the page.
    pub on_clear: Callback<()>,
    /// Called to bring the text back.
    pub on_bring_back: Callback<()>,
}

/// The row of tools.
#[component]
pub fn Tools(props: &Props) -> Html {
    let lang = props.lang;
    let files = use_node_ref();
    let onchange = {
        let (files, on_files) = (files.clone(), props.on_files.clone());
        move |_| {
            if let Some(input) = files.cast::<HtmlInputElement>() {
                on_files.emit(listed(input.files()));
                // The same file may be chosen again after it has changed.
                input.set_value("");
            }
        }
    };
    let dialog = files.clone();
    let open = move |_| {
        if let Some(input) = dialog.cast::<HtmlInputElement>() {
            input.click();
        }
    };
    html! {
        <>
            <Examples {lang} example={props.example} on_example={props.on_example.clone()} />
            <input ref={files} type="file" multiple=true hidden=true {onchange} />
            <button type="button" class="open" onclick={open}>{ words::OPEN.text(lang) }</button>
            if props.text {
                <button type="button" data-part="files" onclick={props.on_add.reform(|_| ())}>{ words::ADD.text(lang) }</button>
                <button type="button" onclick={props.on_clear.reform(|_| ())}>{ words::CLEAR.text(lang) }</button>
            }
            if props.replaced {
                <button type="button" class="bring-back" onclick={props.on_bring_back.reform(|_| ())}>
                    { words::BRING_BACK.text(lang) }
                </button>
            }
        </>
    }
}

/// The example on show, and what to do with another one.
#[derive(Clone, Debug, PartialEq, Properties)]
struct ExamplesProps {
    lang: Lang,
    example: Option<&'static Example>,
    on_example: Callback<&'static Example>,
}

/// All examples, and the button that loads the chosen one: keys go through a list choice by choice, so that a choice
/// alone must change nothing.
#[component]
fn Examples(props: &ExamplesProps) -> Html {
    let ExamplesProps { lang, example, on_example } = props.clone();
    let list = use_node_ref();
    let chosen = use_state_eq(|| example);
    {
        let chosen = chosen.setter();
        use_effect_with(example, move |example| chosen.set(*example));
    }
    {
        // A choice made by hand outlives the `selected` attributes, so the list is told what is chosen now.
        let list = list.clone();
        use_effect_with((*chosen, lang), move |(chosen, _)| {
            if let Some(list) = list.cast::<HtmlSelectElement>() {
                list.set_value(&chosen.map(Example::address).unwrap_or_default());
            }
        });
    }
    let onchange = {
        let chosen = chosen.setter();
        move |event: Event| {
            let address = event.target_dyn_into::<HtmlSelectElement>().map(|list| list.value()).unwrap_or_default();
            chosen.set(Example::find(&address));
        }
    };
    let onclick = {
        let chosen = *chosen;
        move |_: MouseEvent| chosen.into_iter().for_each(|example| on_example.emit(example))
    };
    html! {
        <span class="examples">
            <select ref={list} id="examples" aria-label={words::EXAMPLES.text(lang)} {onchange}>
                <option value="">{ words::EXAMPLES.text(lang) }</option>
                { for TOPICS.iter().map(|topic| html! {
                    <optgroup label={format!("{} · {}", risk_name(topic.risk).text(lang), topic.title.text(lang))}>
                        { for topic.examples().map(|example| html! {
                            <option value={example.address()}>{ words::example(lang, example) }</option>
                        }) }
                    </optgroup>
                }) }
            </select>
            <button type="button" disabled={chosen.is_none()} {onclick}>{ words::LOAD.text(lang) }</button>
        </span>
    }
}
