//! The static part of the page, in `index.html`: it can be read and typed into before the Wasm is there. The app fills
//! its gaps and never moves the textarea, so that focus, undo history and an unfinished composition survive the start.

use gloo::utils::{document, window};
use js_sys::{JsString, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlDocument, HtmlElement, HtmlTextAreaElement};

use crate::embed::Embed;
use crate::fixes::{Change, Fixed};
use crate::places::{Place, held_id};

/// The elements of the static page that the app works with.
#[derive(Clone, Debug, PartialEq)]
pub struct Shell {
    /// Where text is pasted.
    pub input: HtmlTextAreaElement,
    /// Gap for the numbers of its lines.
    pub gutter: Element,
    /// One line about what is going on, announced by screen readers.
    pub status: Element,
    /// Gap for choices that concern the whole page.
    pub preferences: Element,
    /// Gap for what can be put into the textarea.
    pub tools: Element,
    /// Gap for the list of inputs.
    pub inputs: Element,
    /// Gap for a text that is too long for the textarea.
    pub held: Element,
    /// Gap for what is known of the node.
    pub node: Element,
    /// Gap for what leads from the cursor's line to the report.
    pub here: Element,
    /// Gap for the report.
    pub report: Element,
    /// What the page around asks for, when there is one.
    pub embed: Option<Embed>,
}

impl Shell {
    /// Find the elements; `None` when the document is another one.
    #[must_use]
    pub fn find() -> Option<Self> {
        let document = document();
        Some(Self {
            input: document.get_element_by_id("input")?.dyn_into().ok()?,
            gutter: document.get_element_by_id("gutter")?,
            status: document.get_element_by_id("status")?,
            preferences: document.get_element_by_id("preferences")?,
            tools: document.get_element_by_id("tools")?,
            inputs: document.get_element_by_id("inputs")?,
            held: document.get_element_by_id("held")?,
            node: document.get_element_by_id("node")?,
            here: document.get_element_by_id("here")?,
            report: document.get_element_by_id("report")?,
            embed: Embed::read(&window().location().search().unwrap_or_default()),
        })
    }
}

/// Put `text` in place of all that stands in the textarea, so that the browser's own undo brings it back where possible.
/// The textarea may have the focus then, see [`give_back`].
pub fn put(input: &HtmlTextAreaElement, text: &str) {
    let undoable = has_focus() && input.text_length() > 0 && is_undoable(&input.value()) && is_undoable(text);
    // Chromium may put it beside a line feed that was pasted at the end.
    if undoable && insert_focused(input, text) && input.value() == as_in_field(text) {
        start_over(input);
    } else {
        switch(input, text);
    }
}

/// A text with the line feeds that a textarea makes of all ends of lines.
fn as_in_field(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Show the text of another input, whose undo must not bring that of the one before.
pub fn switch(input: &HtmlTextAreaElement, text: &str) {
    forget(input);
    input.set_value(text);
    start_over(input);
}

/// Show the start of the text.
fn start_over(input: &HtmlTextAreaElement) {
    let _ = input.set_selection_range(0, 0);
    input.set_scroll_top(0);
}

/// Make the browser forget what it could undo. A value that a script sets does not: Chromium would undo earlier steps in a
/// text that they do not fit. A field that is moved, even to where it is, has no history.
fn forget(input: &HtmlTextAreaElement) {
    let has_focus = has_focus() && focused().as_deref() == Some(input);
    if let Some(around) = input.parent_node() {
        let _ = around.append_child(input);
    }
    if has_focus {
        let _ = input.focus();
    }
}

/// In a frame, taking the focus would take it from the page around.
fn has_focus() -> bool {
    document().has_focus().unwrap_or_default()
}

/// What has the focus.
#[must_use]
pub fn focused() -> Option<HtmlElement> {
    document().active_element().and_then(|element| element.dyn_into().ok())
}

/// Insert in place of all that stands in `input`, which takes the focus for it.
fn insert_focused(input: &HtmlTextAreaElement, text: &str) -> bool {
    let _ = input.focus();
    input.select();
    insert(text)
}

/// Give the focus, which [`put`] takes for a moment, back to what had it. A button may be gone together with what it
/// offered: then the focus goes to what it has brought, the report or the empty textarea, so that it is not lost.
pub fn give_back(focused: Option<HtmlElement>, shell: &Shell) {
    if !has_focus() {
        return;
    }
    let _ = match focused.as_ref().map(|element| (element, element.tag_name())) {
        Some((_, tag)) if tag == "BUTTON" && shell.input.text_length() == 0 => shell.input.focus(),
        Some((_, tag)) if tag == "BUTTON" => show_report(shell),
        Some((element, tag)) if tag != "BODY" => element.focus(),
        _ => shell.input.blur(),
    };
}

/// Give the report the focus, with its start in view.
fn show_report(shell: &Shell) -> Result<(), JsValue> {
    let Some(report) = shell.report.dyn_ref::<HtmlElement>() else {
        return Ok(());
    };
    report.focus()?;
    if f64::from(report.offset_top()) < window().scroll_y()? {
        report.scroll_into_view();
    }
    Ok(())
}

/// Browsers insert and replace long texts slowly this way, some for minutes; those can be brought back by the page's own
/// button alone. Chromium takes a second for 500 lines, however short, and more than in proportion for more of them.
const UNDOABLE: usize = 64 * 1024;
const UNDOABLE_LINES: usize = 120;

/// Whether a text can be inserted or replaced so that the browser's own undo takes it back.
#[must_use]
pub fn is_undoable(text: &str) -> bool {
    text.len() <= UNDOABLE && text.matches('\n').count() < UNDOABLE_LINES
}

/// Change a stretch of the text in one step of the browser's undo, and show what is new. The focus stays there, where
/// undo works. False when the change is too long for such a step; it is made all the same.
pub fn change(input: &HtmlTextAreaElement, change: &Change) -> bool {
    let _ = input.focus();
    let _ = input.set_selection_range(change.start, change.end);
    let undo = is_undoable(&change.with) && insert(&change.with);
    if !undo {
        forget(input);
        let _ = input.set_range_text_with_start_and_end(&change.with, change.start, change.end);
    }
    if let Fixed::Lines { first, last, .. } = change.outcome {
        select(input, Place::Lines(first, last));
    }
    undo
}

/// Insert in place of the selection of the focused field, as if typed.
fn insert(text: &str) -> bool {
    let document: HtmlDocument = document().unchecked_into();
    let done = if text.is_empty() {
        document.exec_command("delete")
    } else {
        document.exec_command_with_show_ui_and_value("insertText", false, text)
    };
    done.unwrap_or(false)
}

/// Bring a line of a text outside of the textarea into view, as far as it is shown.
pub fn select_held(line: usize) {
    if let Some(element) = document().get_element_by_id(&held_id(line)).and_then(|found| found.dyn_into().ok()) {
        let element: HtmlElement = element;
        let _ = element.focus();
    }
}

/// Select a place in the textarea and bring it into view.
pub fn select(input: &HtmlTextAreaElement, place: Place) {
    let (start, end) = place.range(&input.value());
    let _ = input.focus();
    let _ = input.set_selection_range(start, end);
    // Browsers do not scroll to a selection that a script makes. Lines do not wrap, so all have the same height.
    let above = f64::from(input.client_height()) / 3.0;
    input.set_scroll_top(pixels(place.line(), line_height(input)) - rounded(above));
    input.set_scroll_left(pixels(place.column().saturating_sub(COLUMNS_IN_VIEW), line_height(input) * WIDTH_BY_HEIGHT));
}

/// Put the cursor at the start of a line without taking the focus.
pub fn put_cursor(input: &HtmlTextAreaElement, line: usize) {
    let (start, _) = Place::Lines(line, line).range(&input.value());
    let _ = input.set_selection_range(start, start);
}

/// Columns that are in view without scrolling even on a narrow screen.
const COLUMNS_IN_VIEW: usize = 40;

/// Width of a character against the height of a line in the textarea's font; about right is enough to see the place.
const WIDTH_BY_HEIGHT: f64 = 0.4;

/// How far the 1-based line or column `index` is from the edge. A negative or huge distance is kept in range by the
/// browser.
fn pixels(index: usize, size: f64) -> i32 {
    rounded(f64::from(u32::try_from(index.saturating_sub(1)).unwrap_or(u32::MAX)) * size)
}

#[allow(clippy::cast_possible_truncation)] // The cast saturates.
fn rounded(pixels: f64) -> i32 {
    pixels as i32
}

/// Give what stands in place of the textarea the focus that this has lost.
pub fn focus_held() {
    let held = document().query_selector("#held .held").ok().flatten();
    if let Some(held) = held.and_then(|found| found.dyn_into::<HtmlElement>().ok()) {
        let _ = held.focus();
    }
}

/// How many lines the textarea shows; the empty one behind the last line feed is one. At each key of a long text, the
/// browser counts them in a tenth of the time that it takes to bring the text here.
#[must_use]
pub fn count_lines(input: &HtmlTextAreaElement) -> usize {
    let text = Reflect::get(input, &"value".into()).ok().and_then(|text| text.dyn_into::<JsString>().ok());
    text.map_or(1, |text| text.split("\n").length() as usize)
}

/// Height of one line in CSS pixels.
#[must_use]
pub fn line_height(input: &HtmlTextAreaElement) -> f64 {
    let style = window().get_computed_style(input).ok().flatten();
    let height = style.and_then(|style| style.get_property_value("line-height").ok());
    height.and_then(|height| height.trim_end_matches("px").parse().ok()).unwrap_or(20.0)
}

/// The files of a list.
#[must_use]
pub fn listed(files: Option<web_sys::FileList>) -> Vec<web_sys::File> {
    files.map(|files| (0..files.length()).filter_map(|index| files.get(index)).collect()).unwrap_or_default()
}
