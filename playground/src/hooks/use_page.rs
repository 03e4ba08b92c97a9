//! What nearly every component needs, by context.

use rules::rules::Lang;
use yew::prelude::*;

use crate::places::Place;

/// What nearly every component needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// Language of all words.
    pub lang: Lang,
    /// Selects a place in the textarea.
    pub select: Callback<Place>,
}

/// The page's context.
#[hook]
pub fn use_page() -> Page {
    use_context().unwrap_or_default()
}
