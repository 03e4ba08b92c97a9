//! The numbers of the lines in view, and marks on those that findings point at. Hidden from screen readers and the
//! keyboard, which have F8 and the way from the cursor's line.

use std::rc::Rc;

use gloo::timers::callback::Timeout;
use web_sys::{Element, HtmlTextAreaElement};
use yew::prelude::*;

use super::icon::Icon;
use crate::checking::Checked;
use crate::gutter::{Mark, digits, marks};
use crate::hooks::{use_gutter_wheel, use_view};
use crate::{jumps, shell};

/// What the gutter stands beside.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// Where the gutter is rendered.
    pub host: Element,
    /// The textarea.
    pub input: HtmlTextAreaElement,
    /// Changes with the text.
    pub revision: u64,
    /// The result, when it is that of the present text.
    pub checked: Option<Rc<Checked>>,
    /// Number of the input in the textarea.
    pub active: usize,
    /// Puts the cursor into a line.
    pub put_cursor: Callback<usize>,
}

/// A list of the lines in view, as far scrolled as the text.
#[component]
pub fn Gutter(props: &Props) -> Html {
    let Props { host, input, revision, checked, active, put_cursor } = props;
    let list = use_node_ref();
    let view = use_view(input, &list);
    use_gutter_wheel(input);
    let count = *use_memo(*revision, |_| shell::count_lines(input));
    let marks = use_memo((checked.clone(), *active), |(checked, active)| {
        checked.as_ref().map(|checked| marks(checked, *active)).unwrap_or_default()
    });
    let lines = view.lines(count);
    {
        let host = host.clone();
        // The same offset counts anew from another first line.
        let stands = (*lines.start(), view.offset(*lines.start()));
        use_effect_with(stands, move |(_, offset)| host.scroll_to_with_x_and_y(0.0, *offset));
    }
    {
        let host = host.clone();
        use_effect_with(digits(count), move |digits| {
            let _ = host.set_attribute("data-digits", &digits.to_string());
        });
    }
    let row = |line: usize| match marks.get(&line) {
        Some(mark) => marked(line, *mark, title(checked.as_deref(), *mark), put_cursor),
        None => html! { <li key={line}>{ line }</li> },
    };
    create_portal(html! { <ol ref={list}>{ for lines.map(row) }</ol> }, host.clone())
}

/// A line that leads to its worst finding.
fn marked(line: usize, mark: Mark, title: Option<String>, put_cursor: &Callback<usize>) -> Html {
    let icon = Icon::from(mark.severity);
    let onclick = put_cursor.reform(move |_: MouseEvent| {
        // With the cursor in its line, a finding is shown even when it was not among the first.
        Timeout::new(0, move || jumps::to(mark.finding)).forget();
        line
    });
    html! { <li key={line} class={icon.class()} {title} {onclick}>{ icon.view() }{ line }</li> }
}

fn title(checked: Option<&Checked>, mark: Mark) -> Option<String> {
    Some(checked?.said.get(mark.finding)?.as_ref()?.title.clone())
}
