//! The part of the address behind `#`. It never reaches a server, unlike a query.

use crate::examples::Example;

const EXAMPLE: &str = "#example=";

/// The example that a fragment such as `#example=inotify-instances-low/bad.txt` names.
#[must_use]
pub fn example(fragment: &str) -> Option<&'static Example> {
    Example::find(fragment.strip_prefix(EXAMPLE)?)
}

/// The fragment that opens `example`.
#[must_use]
pub fn of(example: &Example) -> String {
    format!("{EXAMPLE}{}", example.address())
}

/// Name `example` in the address, or stop naming one. A browser may refuse; the page works without.
pub fn write(example: Option<&Example>) {
    let window = gloo::utils::window();
    let (location, Ok(history)) = (window.location(), window.history()) else {
        return;
    };
    let url = match example {
        Some(example) => of(example),
        None if read().starts_with(EXAMPLE) => {
            location.pathname().unwrap_or_default() + &location.search().unwrap_or_default()
        }
        None => return,
    };
    let _ = history.replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&url));
}

/// The present fragment, with its `#`; empty when there is none.
#[must_use]
pub fn read() -> String {
    gloo::utils::window().location().hash().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{example, of};
    use crate::examples::EXAMPLES;

    #[test]
    fn a_fragment_opens_the_example_it_was_made_from() {
        for known in EXAMPLES {
            assert_eq!(example(&of(known)), Some(known));
        }
    }

    #[test]
    fn other_fragments_open_nothing() {
        for other in ["", "#", "#example=", "#example=a/b", "#report", "example=inotify-instances-low/bad.txt"] {
            assert_eq!(example(other), None, "{other}");
        }
    }
}
