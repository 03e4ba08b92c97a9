//! Language and theme.

use rules::names::{name_of, named};
use rules::rules::Lang;
use rules::show::words::RULES_HEADING;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use crate::preferences::{Theme, remember};
use crate::words;

/// Both choices, with what is chosen now; the callbacks take another choice.
pub(super) fn preferences_bar(lang: Lang, theme: Theme, on_lang: &Callback<Lang>, on_theme: &Callback<Theme>) -> Html {
    html! {
        <>
            <a href={format!("rules/{}/index.html", lang.tag())}>{ RULES_HEADING.text(lang) }</a>
            <label>
                <span class="unseen">{ words::LANGUAGE.text(lang) }</span>
                <select id="lang" onchange={chosen("noderisk.lang", &Lang::ALL, on_lang)}>
                    { for Lang::ALL.into_iter().map(|(option, name)| html! {
                        <option value={name} lang={name} selected={option == lang}>{ words::own_name(option) }</option>
                    }) }
                </select>
            </label>
            <label>
                <span class="unseen">{ words::THEME.text(lang) }</span>
                <select id="theme" onchange={chosen("noderisk.theme", &Theme::ALL, on_theme)}>
                    { for Theme::ALL.into_iter().map(|(option, name)| html! {
                        <option value={name} selected={option == theme}>{ words::theme(option).text(lang) }</option>
                    }) }
                </select>
            </label>
        </>
    }
}

/// Hand on what was chosen, and remember it under `key`, which `boot.js` reads.
fn chosen<T: Copy + PartialEq>(
    key: &'static str,
    all: &'static [(T, &'static str)],
    then: &Callback<T>,
) -> Callback<Event> {
    let then = then.clone();
    Callback::from(move |event: Event| {
        let name = event.target_dyn_into::<HtmlSelectElement>().map(|list| list.value()).unwrap_or_default();
        if let Some(value) = named(&name, all) {
            remember(key, name_of(value, all));
            then.emit(value);
        }
    })
}
