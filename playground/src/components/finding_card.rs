//! One finding.

use rules::report::Finding;
use rules::show::words::{CONTAINER, FIX, OBJECT, VOLUME, WHY, severity};
use rules::show::{Said, said, visible};
use yew::prelude::*;

use super::copy_button::CopyButton;
use super::evidence::EvidenceView;
use super::icon::Icon;
use crate::checking::Quote;
use crate::hooks::use_page;
use crate::words;

/// The finding and the lines it quotes.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// The finding.
    pub finding: Finding,
    /// The quoted line of each piece of its evidence.
    pub quotes: Vec<Option<Quote>>,
    /// Its number, unique on the page.
    pub number: usize,
}

/// The finding as an article.
#[component]
pub fn FindingCard(props: &Props) -> Html {
    let lang = use_page().lang;
    let finding = &props.finding;
    let said = said(finding, lang);
    // A report may come from a newer build and name a rule that this one has no words for.
    let title = said.as_ref().map_or_else(|| visible(&finding.rule).into_owned(), |said| said.title.to_owned());
    let heading = format!("finding-{}", props.number);
    let names = [(OBJECT, &finding.object), (CONTAINER, &finding.container), (VOLUME, &finding.volume)];
    let names = names.into_iter().filter_map(|(label, name)| Some((label, name.as_ref()?)));
    html! {
        <article class={classes!("finding", Icon::from(finding.severity).class())} aria-labelledby={heading.clone()}>
            <header>
                <p class="severity">
                    { Icon::from(finding.severity).view() }{ severity(finding.severity).text(lang) }
                    <code class="rule">{ visible(&finding.rule).into_owned() }</code>
                </p>
                <h3 id={heading}>{ title }</h3>
            </header>
            <dl class="names">
                { for names.map(|(label, name)| html! {
                    <div><dt>{ label.text(lang) }</dt><dd>{ visible(name).into_owned() }</dd></div>
                }) }
            </dl>
            if let Some(said) = &said { <p class="says">{ &said.says }</p> }
            { for finding.evidence.iter().zip(&props.quotes).map(|(evidence, quote)| html! {
                <EvidenceView evidence={evidence.clone()} quote={quote.clone()} />
            }) }
            if let Some(said) = said { <Advice {said} /> }
        </article>
    }
}

#[derive(Clone, Debug, PartialEq, Properties)]
struct AdviceProps {
    said: Said,
}

/// What to do first; why, and where that is known from, for those who want to read it.
#[component]
fn Advice(props: &AdviceProps) -> Html {
    let lang = use_page().lang;
    let Said { why, fix, remedy, links, .. } = &props.said;
    html! {
        <>
            <p class="fix"><b>{ FIX.text(lang) }</b>{ fix }</p>
            if !remedy.is_empty() {
                <div class="code">
                    <pre tabindex="0"><code>{ remedy }</code></pre>
                    <CopyButton text={remedy.clone()} />
                </div>
            }
            <details class="why">
                <summary>{ WHY.text(lang) }</summary>
                <p>{ why }</p>
                if !links.is_empty() {
                    <p class="sources">
                        { words::SOURCES.text(lang) }
                        { for links.iter().map(|link| html! {
                            <a href={*link} target="_blank" rel="noopener noreferrer">{ short(link) }</a>
                        }) }
                    </p>
                }
            </details>
        </>
    }
}

/// A link as people read it.
fn short(link: &str) -> &str {
    link.trim_start_matches("https://").trim_end_matches('/')
}
