//! Moving the focus between findings.

use gloo::utils::document;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

/// Which way to go through the findings as they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Towards the end.
    On,
    /// Towards the start.
    Back,
}

/// Id of the element that shows the finding with this number.
#[must_use]
pub fn id(finding: usize) -> String {
    format!("finding-{finding}")
}

/// Give a finding the focus, which brings it into view.
pub fn to(finding: usize) {
    if let Some(element) = document().get_element_by_id(&id(finding)).and_then(|found| found.dyn_into().ok()) {
        let element: HtmlElement = element;
        let _ = element.focus();
    }
}

/// Whether a finding, or something in it, has the focus.
#[must_use]
pub fn in_findings() -> bool {
    focused().is_some()
}

/// Give the next or previous finding the focus, in circles. From elsewhere, that is the one that the cursor's line
/// belongs to, else the first or last one. False when there are no findings.
pub fn step(direction: Direction) -> bool {
    let Ok(shown) = document().query_selector_all("article.finding") else {
        return false;
    };
    let count = shown.length();
    let place = |element: Element| (0..count).find(|at| shown.get(*at).as_ref() == Some(element.as_ref()));
    let current = || current().and_then(place);
    let wanted = match (focused().and_then(place), direction) {
        (Some(at), Direction::On) => at.saturating_add(1).checked_rem(count),
        (Some(0), Direction::Back) => count.checked_sub(1),
        (Some(at), Direction::Back) => Some(at.saturating_sub(1)),
        (None, Direction::On) => current().or(Some(0)),
        (None, Direction::Back) => current().or(count.checked_sub(1)),
    };
    let found = wanted.and_then(|at| shown.get(at)).and_then(|found| found.dyn_into::<HtmlElement>().ok());
    found.is_some_and(|element| element.focus().is_ok())
}

/// Give the finding that the cursor's line belongs to the focus. False when there is none.
pub fn to_current() -> bool {
    let found = current().and_then(|found| found.dyn_into::<HtmlElement>().ok());
    found.is_some_and(|element| element.focus().is_ok())
}

/// The finding that the cursor's line belongs to.
fn current() -> Option<Element> {
    document().query_selector("article.finding[aria-current]").ok().flatten()
}

/// The finding that has the focus or holds what has it.
fn focused() -> Option<Element> {
    document().active_element()?.closest("article.finding").ok().flatten()
}
