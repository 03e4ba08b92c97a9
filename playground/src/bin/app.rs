//! The page's own Wasm. The rule core is in `checker.rs` and `tools.rs`.

use playground::components::app::{App, AppProps};
use playground::shell::Shell;
use playground::worker::Core;

fn main() {
    // Without its shell there is nothing to attach to; `boot.js` then keeps its own message.
    if let Some(shell) = Shell::find() {
        let root = shell.report.clone();
        yew::Renderer::<App>::with_root_and_props(root, AppProps { shell, core: Core::beside() }).render();
    }
}
