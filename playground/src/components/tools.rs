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
    let (files, list) = (use_node_ref(), use_node_ref());
    {
        // A choice made by hand outlives the `selected` attributes, so the list is told what is shown now.
        let list = list.clone();
        use_effect_with((props.example, lang), move |(example, _)| {
            if let Some(list) = list.cast::<HtmlSelectElement>() {
                list.set_value(&example.map(Example::address).unwrap_or_default());
            }
        });
    }
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
            { example_list(&list, lang, &props.on_example) }
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

/// All examples, grouped by rule.
fn example_list(list: &NodeRef, lang: Lang, on_example: &Callback<&'static Example>) -> Html {
    let onchange = {
        let on_example = on_example.clone();
        move |event: Event| {
            let address = event.target_dyn_into::<HtmlSelectElement>().map(|list| list.value()).unwrap_or_default();
            if let Some(example) = Example::find(&address) {
                on_example.emit(example);
            }
        }
    };
    html! {
        <select ref={list} id="examples" aria-label={words::EXAMPLES.text(lang)} {onchange}>
            <option value="">{ words::EXAMPLES.text(lang) }</option>
            { for TOPICS.iter().map(|topic| html! {
                <optgroup label={format!("{} · {}", risk_name(topic.risk).text(lang), topic.title.text(lang))}>
                    { for topic.examples().map(|example| {
                        let kind = if example.is_bad() { words::RISKY } else { words::SAFE };
                        let label = format!("{}: {}", kind.text(lang), example.name());
                        html! { <option value={example.address()}>{ label }</option> }
                    }) }
                </optgroup>
            }) }
        </select>
    }
}
