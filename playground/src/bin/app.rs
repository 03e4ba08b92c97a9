//! The entry of the page, and of the worker that the page starts with the same files.

use playground::components::app::{App, AppProps};
use playground::shell::Shell;
use playground::worker;
use wasm_bindgen::JsCast;
use web_sys::DedicatedWorkerGlobalScope;

fn main() {
    if let Ok(scope) = js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>() {
        worker::serve(&scope);
    } else if let Some(shell) = Shell::find() {
        // Without its shell there is nothing to attach to; `boot.js` then keeps its own message.
        let root = shell.report.clone();
        yew::Renderer::<App>::with_root_and_props(root, AppProps { shell }).render();
    }
}
