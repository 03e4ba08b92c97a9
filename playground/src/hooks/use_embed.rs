//! Talks with the page around, when there is one.

use gloo::events::EventListener;
use gloo::utils::{document, document_element, window};
use js_sys::{JSON, JsString, Reflect};
use serde_json::Value;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::MessageEvent;
use yew::prelude::*;

use super::sizes::Sizes;
use crate::embed::{Embed, Told};
use crate::shell::Shell;
use crate::state::{Action, State};

/// Tell the page around how high this one is and what came of each check, and take a text and a theme from it.
#[hook]
pub fn use_embed(shell: &Shell, state: &UseReducerHandle<State>, put: Callback<JsString>) {
    let latest = use_mut_ref(|| put.clone());
    *latest.borrow_mut() = put;
    let dispatch = state.dispatcher();
    let input = shell.input.clone();
    use_effect_with(shell.embed.clone(), move |embed| {
        let parts = embed.clone().map(|embed| {
            input.set_read_only(embed.readonly);
            show(&embed);
            let messages = EventListener::new(&window(), "message", move |event| match told(event) {
                Some((Told::Input, message)) => {
                    let put = latest.borrow().clone();
                    text(&message).into_iter().for_each(|text| put.emit(text));
                }
                Some((Told::Theme(theme), _)) => dispatch.dispatch(Action::Theme(theme)),
                None => {}
            });
            let height = watch_height(embed.clone());
            tell(&embed.ready());
            (messages, height)
        });
        move || drop(parts)
    });
    // The report of a text that is no longer there is nobody's business.
    use_effect_with((shell.embed.clone(), state.done().cloned()), |(embed, done)| {
        if let (Some(embed), Some(checked)) = (embed, done) {
            tell(&embed.report(&checked.report));
            // Browsers do not tell of sizes in frames that are out of view.
            tell_height(embed);
        }
    });
}

/// Put what the stylesheet has to know on `<html>`.
fn show(embed: &Embed) {
    let html = document_element();
    let _ = html.set_attribute("data-hide", &embed.hidden.join(" "));
    if embed.readonly {
        let _ = html.set_attribute("data-readonly", "");
    }
}

/// Messages go to whoever has embedded the page: they hold nothing that others must not see.
fn tell(message: &Value) {
    if let (Ok(Some(parent)), Ok(message)) = (window().parent(), JSON::parse(&message.to_string())) {
        let _ = parent.post_message(&message, "*");
    }
}

/// A message of the page around, with all that came in it; `None` when somebody else has sent it, or something else.
fn told(event: &Event) -> Option<(Told, JsValue)> {
    let event: &MessageEvent = event.dyn_ref()?;
    let parent = window().parent().ok()??;
    if event.source().as_deref() != Some(parent.as_ref()) {
        return None;
    }
    let data = event.data();
    let field = |name: &str| Reflect::get(&data, &JsValue::from_str(name)).ok();
    let theme = field("theme").and_then(|theme| theme.as_string()).unwrap_or_default();
    Some((Told::read(&field("type")?.as_string()?, field("v")?.as_f64()?, &theme)?, data))
}

/// The text that came in a message, left in the browser's memory.
fn text(message: &JsValue) -> Option<JsString> {
    Reflect::get(message, &JsValue::from_str("text")).ok()?.dyn_into().ok()
}

/// Tell the height of the page whenever it changes.
fn watch_height(embed: Embed) -> Option<Sizes> {
    let body = document().body()?;
    Sizes::watch(&body, move || tell_height(&embed))
}

fn tell_height(embed: &Embed) {
    if let Some(body) = document().body() {
        tell(&embed.height(pixels(body.get_bounding_client_rect().height())));
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // The cast saturates.
fn pixels(height: f64) -> u32 {
    height.ceil() as u32
}
