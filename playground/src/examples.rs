//! The examples of the repository, part of the page so that choosing one needs no request.

use rules::rules::{Rule, find};

/// One file of `examples/<rule>/`.
#[derive(Debug, PartialEq, Eq)]
pub struct Example {
    /// Id of the rule that it is about.
    pub rule: &'static str,
    /// File name: `bad…` makes the rule fire, `good…` does not.
    pub file: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// All examples, sorted by rule and file name; a rule's bad ones come first.
pub static EXAMPLES: &[Example] = include!(concat!(env!("OUT_DIR"), "/examples.rs"));

impl Example {
    /// The example with this address, as [`Example::address`] writes it.
    #[must_use]
    pub fn find(address: &str) -> Option<&'static Self> {
        let (rule, file) = address.split_once('/')?;
        EXAMPLES.iter().find(|example| example.rule == rule && example.file == file)
    }

    /// `rule/file`, unique and stable.
    #[must_use]
    pub fn address(&self) -> String {
        format!("{}/{}", self.rule, self.file)
    }

    /// Whether its rule fires on it.
    #[must_use]
    pub fn is_bad(&self) -> bool {
        self.file.starts_with("bad")
    }

    /// The rule that it is about; `None` when this build does not know it.
    #[must_use]
    pub fn about(&self) -> Option<&'static Rule> {
        find(self.rule)
    }
}

#[cfg(test)]
mod tests {
    use super::{EXAMPLES, Example};

    #[test]
    fn every_example_is_found_by_its_address() {
        for example in EXAMPLES {
            assert_eq!(Example::find(&example.address()), Some(example));
        }
        assert_eq!(Example::find("no-such-rule/bad.txt"), None);
        assert_eq!(Example::find("nothing"), None);
    }

    #[test]
    fn every_example_is_about_a_known_rule_and_bad_ones_come_first() {
        for example in EXAMPLES {
            assert!(example.about().is_some(), "{} has no rule", example.address());
        }
        for pair in EXAMPLES.windows(2) {
            assert!((pair[0].rule, !pair[0].is_bad()) <= (pair[1].rule, !pair[1].is_bad()));
        }
    }
}
