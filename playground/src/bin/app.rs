//! The page's entry: hands the static shell of `index.html` to the app.

use playground::components::app::{App, AppProps};
use playground::shell::Shell;

fn main() {
    // Without its shell there is nothing to attach to; `boot.js` then keeps its own message.
    if let Some(shell) = Shell::find() {
        let root = shell.report.clone();
        yew::Renderer::<App>::with_root_and_props(root, AppProps { shell }).render();
    }
}
