//! The inputs: name, what was found in each, of what kind it is to be read, and which of them is shown.

use rules::report::ReadLines;
use rules::rules::Lang;
use rules::show::visible;
use rules::show::words::kind as kind_name;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use crate::inputs::{Inputs, Source, Text, known_kind};
use crate::words;

/// The inputs and what to do with them.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// Language of all words.
    pub lang: Lang,
    /// The inputs.
    pub inputs: Inputs,
    /// What was found in them, as far as they have been checked.
    pub read: Vec<ReadLines>,
    /// Called to show an input.
    pub on_show: Callback<usize>,
    /// Called to say of what kind an input is.
    pub on_kind: Callback<(usize, Option<&'static str>)>,
    /// Called to take an input away.
    pub on_remove: Callback<usize>,
}

/// A row for each input.
#[component]
pub fn InputList(props: &Props) -> Html {
    let rows = props.inputs.list().iter().enumerate();
    html! {
        <ol class="inputs" aria-label={words::INPUTS.text(props.lang)}>
            { for rows.map(|(index, source)| html! { <li key={index}>{ row(index, source, props) }</li> }) }
        </ol>
    }
}

fn row(index: usize, source: &Source, props: &Props) -> Html {
    let lang = props.lang;
    let is_shown = index == props.inputs.active();
    let is_only = props.inputs.list().len() == 1;
    let name = words::input_name(lang, &source.name);
    let remove = words::remove(lang, &name);
    let on_show = props.on_show.reform(move |_: MouseEvent| index);
    let on_remove = props.on_remove.reform(move |_: MouseEvent| index);
    html! {
        <>
            if is_only {
                <span class="name">{ name.clone() }</span>
            } else {
                <button type="button" class="link name" aria-current={is_shown.then_some("true")} onclick={on_show}>
                    { name.clone() }
                </button>
            }
            if let Text::Held { size, cut, .. } = &source.text { <span class="size">{ words::size(lang, *size, *cut) }</span> }
            { kind_choice(index, source, &name, props) }
            <span class="kinds">{ found(index, &props.read, lang) }</span>
            if !is_only {
                <button type="button" class="remove" aria-label={remove.clone()} title={remove} onclick={on_remove}>
                    { "×" }
                </button>
            }
        </>
    }
}

/// The choice of how an input is read.
fn kind_choice(index: usize, source: &Source, name: &str, props: &Props) -> Html {
    let lang = props.lang;
    let onchange = props.on_kind.reform(move |event: Event| {
        let id = event.target_dyn_into::<HtmlSelectElement>().map(|list| list.value()).unwrap_or_default();
        (index, known_kind(&id))
    });
    html! {
        <select aria-label={words::read_as(lang, name)} {onchange}>
            <option value="" selected={source.kind.is_none()}>{ words::AUTO.text(lang) }</option>
            { for rules::show::words::kinds().map(|kind| html! {
                <option value={kind} selected={source.kind == Some(kind)}>
                    { kind_name(kind).map_or(kind, |label| label.text(lang)) }
                </option>
            }) }
        </select>
    }
}

/// The kinds that were found in an input, each with its number of lines.
fn found(index: usize, read: &[ReadLines], lang: Lang) -> String {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for lines in read.iter().filter(|lines| lines.input == index) {
        let count = (lines.last_line + 1).saturating_sub(lines.first_line);
        match kinds.iter_mut().find(|(kind, _)| *kind == lines.kind) {
            Some((_, sum)) => *sum += count,
            None => kinds.push((&lines.kind, count)),
        }
    }
    let said = kinds.into_iter().map(|(kind, count)| {
        let name = kind_name(kind).map_or_else(|| visible(kind).into_owned(), |label| label.text(lang).to_owned());
        words::lines_of(lang, &name, count)
    });
    said.collect::<Vec<_>>().join(words::COMMA.text(lang))
}
