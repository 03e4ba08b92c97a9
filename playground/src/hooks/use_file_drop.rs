//! Takes files that are dropped anywhere on the page. Without it the browser would leave the page to show the file.

use gloo::events::{EventListener, EventListenerOptions};
use gloo::utils::document_element;
use wasm_bindgen::JsCast;
use web_sys::{DataTransfer, DragEvent};
use yew::prelude::*;

use crate::shell::listed;

/// Call `take` with dropped files. `<html>` has the class `dropping` while files are held over the page.
#[hook]
pub fn use_file_drop(take: Callback<Vec<web_sys::File>>) {
    let latest = use_mut_ref(|| take.clone());
    *latest.borrow_mut() = take;
    use_effect_with((), move |()| {
        let on = |name: &'static str, act: Box<dyn Fn(&DataTransfer)>| {
            let options = EventListenerOptions::enable_prevent_default();
            EventListener::new_with_options(&gloo::utils::window(), name, options, move |event| {
                let Some(transfer) = event.dyn_ref::<DragEvent>().and_then(DragEvent::data_transfer) else {
                    return;
                };
                // Dragged text is left to the textarea.
                if has_files(&transfer) {
                    event.prevent_default();
                    act(&transfer);
                }
            })
        };
        let listeners = [
            on("dragover", Box::new(|_| dropping(true))),
            on("dragleave", Box::new(|_| dropping(false))),
            on(
                "drop",
                Box::new(move |transfer| {
                    dropping(false);
                    let take = latest.borrow().clone();
                    take.emit(listed(transfer.files()));
                }),
            ),
        ];
        move || drop(listeners)
    });
}

fn has_files(transfer: &DataTransfer) -> bool {
    transfer.types().iter().any(|kind| kind == "Files")
}

fn dropping(now: bool) {
    let _ = document_element().class_list().toggle_with_force("dropping", now);
}
