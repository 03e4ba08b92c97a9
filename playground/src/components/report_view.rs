//! A whole report.

use std::rc::Rc;

use rules::report::{Finding, Report, Severity};
use rules::rules::Lang;
use rules::settings::Settings;
use rules::show::visible;
use yew::prelude::*;

use super::filters::filters;
use super::finding_card::finding_card;
use super::lines_read::{detected, unused};
use super::report_menu::ReportMenu;
use super::risk_list::risk_list;
use super::verdict_banner::verdict_banner;
use crate::checking::{Checked, input_of};
use crate::hooks::Fix;
use crate::inputs::Inputs;
use crate::places::Place;
use crate::words;
use crate::worker::Core;

/// What every part of a report needs of the page around it.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// Tells the result from another one with the same findings.
    pub revision: u64,
    /// Language of all words.
    pub lang: Lang,
    /// Selects a place in the texts.
    pub select: Callback<Target>,
    /// The inputs as they stand.
    pub inputs: Callback<(), Inputs>,
    /// Their names when there are several, so that places say which one they are in.
    pub names: Rc<[Rc<str>]>,
    /// Numbers of those that are held outside of the textarea, where no fix or link reaches them.
    pub held: Rc<[usize]>,
    /// The 1-based line that the cursor is in.
    pub line: Callback<(), usize>,
    /// Puts the fixes of findings into the text.
    pub apply: Callback<Fix>,
    /// What the text is checked with.
    pub settings: Rc<Settings>,
    /// Does the work.
    pub core: Core,
}

/// A place to go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Number of the input.
    pub input: usize,
    /// The place in it.
    pub place: Place,
    /// Number of the finding that leads there, and that one wants to get back to.
    pub finding: Option<usize>,
}

impl Target {
    /// A place that no finding leads to.
    #[must_use]
    pub const fn new(input: usize, place: Place) -> Self {
        Self { input, place, finding: None }
    }
}

/// Most findings that are shown at first: hundreds take a browser noticeable time.
const MOST: usize = 50;

/// The result to show.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// The result.
    pub checked: Rc<Checked>,
    /// Number of the finding that the cursor's line belongs to.
    pub current: Option<usize>,
    /// The page around it.
    pub page: Page,
}

/// Verdict, risks, what was detected, findings (worst first), and what was not used.
#[component]
pub fn ReportView(props: &Props) -> Html {
    let Props { checked, current, page } = props;
    let hidden = use_state(Vec::new);
    let most = use_state(|| MOST);
    let report = &checked.report;
    let toggle = {
        let hidden = hidden.clone();
        Callback::from(move |severity: Severity| {
            let mut next: Vec<Severity> = (*hidden).clone();
            match next.iter().position(|known| *known == severity) {
                Some(at) => drop(next.remove(at)),
                None => next.push(severity),
            }
            hidden.set(next);
        })
    };
    // Hiding leaves the numbers, and with them the order, as they are.
    // The one that the cursor leads to is always there.
    let is_current = |number: usize| *current == Some(number);
    let is_shown = |(number, finding): &(usize, &Finding)| is_current(*number) || !hidden.contains(&finding.severity);
    let cards = report.findings.iter().enumerate().filter(is_shown);
    let (cards, rest): (Vec<_>, Vec<_>) =
        cards.enumerate().partition(|(place, (number, _))| *place < *most || is_current(*number));
    let on_more = {
        let most = most.clone();
        move |_: MouseEvent| most.set(*most + MOST)
    };
    html! {
        <>
            { verdict_banner(report, page.lang) }
            <ReportMenu checked={checked.clone()} page={page.clone()} />
            { risk_list(report, page.lang) }
            { detected(&report.read, page) }
            if !report.findings.is_empty() {
                <section class="findings" aria-labelledby="findings">
                    <div class="heading">
                        <h2 id="findings">{ words::FINDINGS.text(page.lang) }</h2>
                        <p class="keys">{ words::KEYS.text(page.lang) }</p>
                    </div>
                    { filters(report, &hidden, page.lang, &toggle) }
                    { apply_all(report, page) }
                    if cards.is_empty() { <p>{ words::ALL_HIDDEN.text(page.lang) }</p> }
                    <ol>
                        { for cards.into_iter().map(|(_, (number, finding))| html! {
                            <li key={number}>{ finding_card(finding, number, is_current(number), checked, page) }</li>
                        }) }
                    </ol>
                    if !rest.is_empty() {
                        <button type="button" class="more" onclick={on_more}>{ words::more(page.lang, rest.len()) }</button>
                    }
                </section>
            }
            { unused(&report.unread, page) }
        </>
    }
}

/// A button for each input with several fixes, which puts all of them into it at once.
fn apply_all(report: &Report, page: &Page) -> Html {
    let mut counts = vec![0; page.names.len().max(1)];
    for finding in report.findings.iter().filter(|finding| !finding.patch.is_empty()) {
        counts.get_mut(input_of(finding)).into_iter().for_each(|count| *count += 1);
    }
    let several = (0..).zip(counts).filter(|(input, count)| *count > 1 && !page.held.contains(input));
    let several: Vec<usize> = several.map(|(input, _)| input).collect();
    let button = |input: usize| {
        let label = words::APPLY_ALL.text(page.lang);
        let label = page.names.get(input).map_or(label.into(), |name| format!("{label} · {}", visible(name)));
        let onclick = page.apply.reform(move |_: MouseEvent| Fix { input, findings: Vec::new() });
        html! { <button type="button" {onclick}>{ label }</button> }
    };
    html! {
        if !several.is_empty() { <p class="apply">{ for several.into_iter().map(button) }</p> }
    }
}
