//! The examples of the repository, part of the page so that choosing one needs no request.

use rules::report::Risk;
use rules::show::words::Label;

/// A rule that has examples.
#[derive(Debug, PartialEq, Eq)]
pub struct Topic {
    /// Id of the rule.
    pub rule: &'static str,
    /// The risk that it belongs to.
    pub risk: Risk,
    /// Its title.
    pub title: Label,
}

/// The rules that have examples: by risk, worst first.
pub static TOPICS: &[Topic] = include!(concat!(env!("OUT_DIR"), "/topics.rs"));

impl Topic {
    /// Its examples, bad ones first.
    pub fn examples(&self) -> impl Iterator<Item = &'static Example> {
        let rule = self.rule;
        EXAMPLES.iter().filter(move |example| example.rule == rule)
    }
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

/// All examples, in the order of their topics; bad ones come first in each.
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

    /// Its place, from 1 on, among the rule's examples that are as bad.
    #[must_use]
    pub fn number(&self) -> usize {
        let alike = EXAMPLES.iter().filter(|other| other.rule == self.rule && other.is_bad() == self.is_bad());
        1 + alike.take_while(|other| other.file != self.file).count()
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
    use rules::rules::find;

    use super::{EXAMPLES, Example, TOPICS, Topic};

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
        let offered: Vec<_> = TOPICS.iter().flat_map(Topic::examples).collect();
        assert_eq!(offered.len(), EXAMPLES.len());
        for topic in TOPICS {
            assert!(topic.examples().map(Example::is_bad).is_sorted_by(|a, b| a >= b), "{}", topic.rule);
            assert!(topic.examples().next().is_some_and(Example::is_bad), "{}", topic.rule);
        }
    }

    #[test]
    fn topics_come_by_risk_and_worst_first() {
        let severity = |topic: &Topic| find(topic.rule).unwrap().severity;
        for pair in TOPICS.windows(2) {
            let worse = severity(&pair[0]) >= severity(&pair[1]);
            assert!(pair[0].risk < pair[1].risk || (pair[0].risk == pair[1].risk && worse), "{}", pair[1].rule);
        }
    }

    #[test]
    fn numbers_tell_the_examples_of_a_rule_apart() {
        for topic in TOPICS {
            let (bad, good): (Vec<_>, Vec<_>) = topic.examples().partition(|example| example.is_bad());
            for alike in [bad, good] {
                let numbers: Vec<_> = alike.iter().map(|example| example.number()).collect();
                assert_eq!(numbers, (1..=alike.len()).collect::<Vec<_>>(), "{}", topic.rule);
            }
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
