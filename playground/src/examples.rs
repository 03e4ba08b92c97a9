//! The examples of the repository, part of the page so that choosing one needs no request.

use std::cmp::Reverse;

use rules::rules::{Rule, find};

/// The rules that have examples: by risk, worst first.
#[must_use]
pub fn rules() -> Vec<&'static Rule> {
    let mut rules: Vec<_> =
        EXAMPLES.chunk_by(|a, b| a.rule == b.rule).filter_map(|files| find(files.first()?.rule)).collect();
    rules.sort_by_key(|rule| (rule.risk, Reverse(rule.severity), rule.id));
    rules
}

/// The examples of a rule, bad ones first.
pub fn of(rule: &Rule) -> impl Iterator<Item = &'static Example> {
    let id = rule.id;
    EXAMPLES.iter().filter(move |example| example.rule == id)
}

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

    /// What tells it from the rule's other examples: `one user` for `bad-one-user.txt`.
    #[must_use]
    pub fn name(&self) -> String {
        let stem = self.file.rsplit_once('.').map_or(self.file, |(stem, _)| stem);
        stem.trim_start_matches("bad").trim_start_matches("good").replace('-', " ").trim().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::{EXAMPLES, Example, of, rules};

    #[test]
    fn every_example_is_found_by_its_address() {
        for example in EXAMPLES {
            assert_eq!(Example::find(&example.address()), Some(example));
        }
        assert_eq!(Example::find("no-such-rule/bad.txt"), None);
        assert_eq!(Example::find("nothing"), None);
    }

    #[test]
    fn every_example_is_offered_and_bad_ones_come_first() {
        let offered: Vec<_> = rules().into_iter().flat_map(of).collect();
        assert_eq!(offered.len(), EXAMPLES.len());
        for pair in EXAMPLES.windows(2) {
            assert!((pair[0].rule, !pair[0].is_bad()) <= (pair[1].rule, !pair[1].is_bad()));
        }
    }

    #[test]
    fn rules_come_by_risk_and_worst_first() {
        let rules = rules();
        for pair in rules.windows(2) {
            let worse = pair[0].severity >= pair[1].severity;
            assert!(pair[0].risk < pair[1].risk || (pair[0].risk == pair[1].risk && worse), "{}", pair[1].id);
        }
    }

    #[test]
    fn names_leave_out_what_is_said_elsewhere() {
        let name = |file| Example { rule: "", file, text: "" }.name();
        assert_eq!(name("bad-one-user.txt"), "one user");
        assert_eq!(name("good-kubelet-1.27.2.txt"), "kubelet 1.27.2");
        assert_eq!(name("bad.yaml"), "");
    }
}
