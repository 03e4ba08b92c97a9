//! Lets the wheel scroll the text also over the gutter, which lies on a border of the textarea: there it would scroll the
//! page.

use gloo::events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::{HtmlTextAreaElement, WheelEvent};
use yew::prelude::*;

use crate::shell;

/// Watch the wheel over the gutter of `input`.
#[hook]
pub fn use_gutter_wheel(input: &HtmlTextAreaElement) {
    use_effect_with(input.clone(), |input| {
        let field = input.clone();
        let wheel = input.parent_element().map(|around| {
            let options = EventListenerOptions::enable_prevent_default();
            EventListener::new_with_options(&around, "wheel", options, move |event| {
                let wheel = event.dyn_ref::<WheelEvent>().filter(|wheel| is_in_gutter(&field, wheel));
                if wheel.is_some_and(|wheel| scroll(&field, wheel)) {
                    event.prevent_default();
                }
            })
        });
        move || drop(wheel)
    });
}

fn is_in_gutter(input: &HtmlTextAreaElement, wheel: &WheelEvent) -> bool {
    f64::from(wheel.client_x()) < input.get_bounding_client_rect().left() + f64::from(input.client_left())
}

/// Scroll the text; false when it goes no further that way, or when the wheel does something else.
fn scroll(input: &HtmlTextAreaElement, wheel: &WheelEvent) -> bool {
    let unit = match wheel.delta_mode() {
        WheelEvent::DOM_DELTA_PIXEL => 1.0,
        WheelEvent::DOM_DELTA_LINE => shell::line_height(input),
        _ => f64::from(input.client_height()),
    };
    let down = wheel.delta_y() * unit;
    let has_more = if down < 0.0 {
        input.scroll_top() > 0
    } else {
        input.scroll_top() + input.client_height() < input.scroll_height()
    };
    let scrolls = down != 0.0 && has_more && !wheel.ctrl_key();
    if scrolls {
        input.scroll_by_with_x_and_y(0.0, down);
    }
    scrolls
}
