//! Needles that are looked for in every line, with the search prepared once.

use std::ops::Range;
use std::sync::OnceLock;

use memchr::memmem::Finder;

/// A fixed list of words.
#[derive(Debug)]
pub(crate) struct Needles {
    list: &'static [&'static str],
    finders: OnceLock<Vec<Finder<'static>>>,
}

impl Needles {
    /// Needles in the order in which they are tried.
    pub(crate) const fn new(list: &'static [&'static str]) -> Self {
        Self { list, finders: OnceLock::new() }
    }

    /// True when `text` holds any of the words.
    pub(crate) fn any_in(&self, text: &str) -> bool {
        self.first_in(text).is_some()
    }

    /// Where the first word of the list that is in `text` stands there.
    pub(crate) fn first_in(&self, text: &str) -> Option<Range<usize>> {
        self.finders().iter().find_map(|finder| {
            let at = finder.find(text.as_bytes())?;
            Some(at..at + finder.needle().len())
        })
    }

    /// Every occurrence of every word: the word's index in the list, and where it stands.
    pub(crate) fn all_in<'t>(&'t self, text: &'t str) -> impl Iterator<Item = (usize, Range<usize>)> + 't {
        self.finders().iter().enumerate().flat_map(|(index, finder)| {
            finder.find_iter(text.as_bytes()).map(move |at| (index, at..at + finder.needle().len()))
        })
    }

    fn finders(&self) -> &[Finder<'static>] {
        self.finders.get_or_init(|| self.list.iter().map(Finder::new).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::Needles;

    #[test]
    fn order_is_that_of_the_list() {
        static WORDS: Needles = Needles::new(&["b", "a"]);
        assert_eq!(WORDS.first_in("xab"), Some(2..3));
        assert_eq!(WORDS.all_in("aab").collect::<Vec<_>>(), [(0, 2..3), (1, 0..1), (1, 1..2)]);
        assert!(!WORDS.any_in("xyz"));
    }
}
