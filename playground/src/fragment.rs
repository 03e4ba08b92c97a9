//! The part of the address behind `#`. It never reaches a server, unlike a query.

use crate::examples::Example;
use crate::share::{self, Fault, Shared};

const EXAMPLE: &str = "#example=";

/// What a fragment opens.
#[derive(Clone, Debug, PartialEq)]
pub enum Opened {
    /// An example of the page.
    Example(&'static Example),
    /// A shared text, or why it cannot be read.
    Shared(Result<Shared, Fault>),
}

/// What a fragment such as `#example=inotify-instances-low/bad.txt` opens; `None` for any other.
#[must_use]
pub fn opened(fragment: &str) -> Option<Opened> {
    match fragment.strip_prefix(EXAMPLE) {
        Some(address) => Example::find(address).map(Opened::Example),
        None => share::decode(fragment).map(Opened::Shared),
    }
}

/// The fragment that opens `example`.
#[must_use]
pub fn of(example: &Example) -> String {
    format!("{EXAMPLE}{}", example.address())
}

/// The fragment of a link to the same text, with the cursor in that 1-based line.
#[must_use]
pub fn at_line(fragment: &str, line: usize) -> String {
    match share::decode(fragment) {
        Some(Ok(shared)) if line > 1 => share::encode(&Shared { line: Some(line), ..shared }),
        _ => fragment.to_owned(),
    }
}

/// Put a fragment into the address, or take out the one that opens what is no longer there. A browser may refuse; the
/// page works without.
pub fn write(fragment: Option<&str>) {
    let window = gloo::utils::window();
    let (location, Ok(history)) = (window.location(), window.history()) else {
        return;
    };
    let present = read();
    let url = match fragment {
        Some(fragment) => fragment.to_owned(),
        None if present.starts_with(EXAMPLE) || share::is_link(&present) => {
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

/// The address of the page with another fragment.
#[must_use]
pub fn address(fragment: &str) -> String {
    let href = gloo::utils::window().location().href().unwrap_or_default();
    href.split('#').next().unwrap_or_default().to_owned() + fragment
}

#[cfg(test)]
mod tests {
    use super::{Opened, at_line, of, opened};
    use crate::examples::EXAMPLES;
    use crate::share::{Shared, encode};

    #[test]
    fn a_fragment_opens_the_example_it_was_made_from() {
        for known in EXAMPLES {
            assert_eq!(opened(&of(known)), Some(Opened::Example(known)));
        }
    }

    #[test]
    fn a_link_opens_what_was_shared() {
        let shared = Shared { text: "uname -r".into(), ..Shared::default() };
        assert_eq!(opened(&encode(&shared)), Some(Opened::Shared(Ok(shared))));
    }

    #[test]
    fn a_link_leads_to_a_line_that_is_not_the_first() {
        let shared = Shared { text: "a\nb".into(), ..Shared::default() };
        let link = encode(&shared);
        assert_eq!(opened(&at_line(&link, 2)), Some(Opened::Shared(Ok(Shared { line: Some(2), ..shared }))));
        assert_eq!(at_line(&link, 1), link);
    }

    #[test]
    fn other_fragments_open_nothing() {
        for other in ["", "#", "#example=", "#example=a/b", "#report", "example=inotify-instances-low/bad.txt"] {
            assert_eq!(opened(other), None, "{other}");
        }
    }
}
