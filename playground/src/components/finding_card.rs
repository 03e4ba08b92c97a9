//! One finding.

use std::rc::Rc;

use rules::report::Finding;
use rules::rules::Lang;
use rules::show::visible;
use rules::show::words::{CONTAINER, FIX, OBJECT, VOLUME, WHY, severity};
use yew::prelude::*;

use super::capacity_bar::capacity_bar;
use super::copy_button::CopyButton;
use super::evidence::evidence;
use super::icon::Icon;
use super::report_view::Page;
use crate::capacity::Capacity;
use crate::checking::{self, Checked, Said, input_of};
use crate::hooks::Fix;
use crate::{jumps, words};

/// The finding as an article; `number` tells it from the other findings, and it is `current` when the cursor is in one of
/// its lines.
pub(super) fn finding_card(
    finding: &Finding,
    number: usize,
    current: bool,
    checked: &Rc<Checked>,
    page: &Page,
) -> Html {
    let lang = page.lang;
    let said = checked.said.get(number).and_then(Option::as_ref);
    // A report may come from a newer build and name a rule that this one has no words for.
    let title = said.map_or_else(|| visible(&finding.rule).into_owned(), |said| said.title.clone());
    let id = jumps::id(number);
    let heading = format!("{id}-title");
    let icon = Icon::from(finding.severity);
    let names = [(OBJECT, &finding.object), (CONTAINER, &finding.container), (VOLUME, &finding.volume)];
    let names = names.into_iter().filter_map(|(label, name)| Some((label, name.as_ref()?)));
    html! {
        <article id={id.clone()} tabindex="-1" class={classes!("finding", icon.class())} aria-labelledby={heading.clone()}
            aria-current={current.then_some("true")}>
            <header>
                <p class="severity">
                    { icon.view() }{ severity(finding.severity).text(lang) }
                    { rule(&finding.rule, said.is_some(), lang) }
                </p>
                <h3 id={heading.clone()}>{ title }</h3>
            </header>
            <dl class="names">
                { for names.map(|(label, name)| html! {
                    <div><dt>{ label.text(lang) }</dt><dd>{ visible(name).into_owned() }</dd></div>
                }) }
            </dl>
            { for said.map(|said| html! { <p class="says">{ &said.says }</p> }) }
            { for Capacity::of(finding).map(|capacity| capacity_bar(capacity, &id, lang)) }
            { for finding.evidence.iter().enumerate().map(|(index, seen)| {
                let quote = checked.quotes.get(number).and_then(|quotes| quotes.get(index)?.as_ref());
                evidence(seen, number, quote, page)
            }) }
            { for said.map(|said| fix(said, lang)) }
            if !finding.patch.is_empty() && !page.held.contains(&input_of(finding)) {
                { apply(finding, number, &heading, checked, page) }
            }
            { for said.map(|said| why(said, lang)) }
        </article>
    }
}

/// The rule's id, which leads to the rule's page when this build knows it.
fn rule(id: &str, known: bool, lang: Lang) -> Html {
    let name = html! { <code>{ visible(id).into_owned() }</code> };
    if known {
        let page = format!("rules/{}/{id}.html", lang.tag());
        html! { <a class="rule" href={page} target="_blank" rel="noopener">{ name }</a> }
    } else {
        html! { <span class="rule">{ name }</span> }
    }
}

/// What to do.
fn fix(said: &Said, lang: Lang) -> Html {
    let Said { fix, remedy, .. } = said;
    html! {
        <>
            <p class="fix"><b>{ FIX.text(lang) }</b>{ fix }</p>
            if !remedy.is_empty() {
                <div class="code">
                    <pre tabindex="0"><code>{ remedy }</code></pre>
                    <CopyButton text={remedy.clone()} {lang} />
                </div>
            }
        </>
    }
}

/// Buttons that put the fix into the text: this one, and all of its rule when there are several.
fn apply(finding: &Finding, number: usize, heading: &str, checked: &Rc<Checked>, page: &Page) -> Html {
    let lang = page.lang;
    let input = input_of(finding);
    let one = page.apply.reform(move |_: MouseEvent| Fix { input, findings: vec![number] });
    let count = checked.fixable(&finding.rule, input);
    let all = || {
        let (rule, checked) = (finding.rule.clone(), Rc::clone(checked));
        let of_rule = move |_: MouseEvent| {
            let findings = checked.report.findings.iter().enumerate();
            let fixable = findings.filter(|(_, other)| checking::is_fixable(other, &rule, input));
            Fix { input, findings: fixable.map(|(number, _)| number).collect() }
        };
        let onclick = page.apply.reform(of_rule);
        html! { <button type="button" {onclick}>{ words::apply_rule(lang, count) }</button> }
    };
    html! {
        <p class="apply">
            <button type="button" onclick={one} aria-describedby={heading.to_owned()}>
                { words::APPLY.text(lang) }
            </button>
            if count > 1 { { all() } }
        </p>
    }
}

/// Why it matters, and where that is known from, for those who want to read it.
fn why(said: &Said, lang: Lang) -> Html {
    let Said { why, links, .. } = said;
    html! {
        <details class="why">
                <summary>{ WHY.text(lang) }</summary>
                <p>{ why }</p>
                if !links.is_empty() {
                    <p class="sources">
                        { words::SOURCES.text(lang) }
                        { for links.iter().map(|link| html! {
                            <a href={link.clone()} target="_blank" rel="noopener noreferrer">{ short(link) }</a>
                        }) }
                    </p>
                }
        </details>
    }
}

/// A link as people read it.
fn short(link: &str) -> &str {
    link.trim_start_matches("https://").trim_end_matches('/')
}
