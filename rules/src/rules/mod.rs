//! The rules: one file per rule, its words and its tests beside it. This list is flat and sorted by id.

use crate::facts::Facts;
use crate::report::{Finding, Risk, Severity};
use crate::settings::Settings;

/// All rules, sorted by id.
pub static RULES: &[&Rule] = &[];

/// One rule: data, words, and one function.
#[derive(Debug)]
pub struct Rule {
    /// Public, stable id; the file's name with `-` for `_`.
    pub id: &'static str,
    /// The risk it belongs to.
    pub risk: Risk,
    /// How bad it is. Two levels means two rules.
    pub severity: Severity,
    /// What it says, in each language.
    pub words: Words,
    /// Commands or YAML that mend it; the same in every language. May hold `{placeholders}`.
    pub remedy: &'static str,
    /// Where the facts come from.
    pub links: &'static [&'static str],
    /// The rule itself. Findings leave `rule`, `risk` and `severity` to [`Rule::finding`].
    pub check: fn(&Facts, &Settings) -> Vec<Finding>,
}

/// A rule's words in each language; a missing one does not compile.
#[derive(Debug)]
pub struct Words {
    /// English.
    pub en: Text,
    /// Japanese.
    pub ja: Text,
    /// Chinese (simplified).
    pub zh: Text,
}

/// A rule's words in one language. `says` and `fix` may hold `{placeholders}`, filled from [`Finding::values`].
#[derive(Debug)]
pub struct Text {
    /// A few words, no full stop.
    pub title: &'static str,
    /// One sentence about the finding at hand.
    pub says: &'static str,
    /// Why it matters on a node.
    pub why: &'static str,
    /// What to do.
    pub fix: &'static str,
}

/// A language that words exist in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Japanese.
    Ja,
    /// Chinese (simplified).
    Zh,
}

impl Lang {
    /// All languages with their BCP 47 tag.
    pub const ALL: [(Self, &'static str); 3] = [(Self::En, "en"), (Self::Ja, "ja"), (Self::Zh, "zh")];

    /// The language of a BCP 47 tag (`ja-JP`) or a POSIX locale (`zh_CN.UTF-8`); `None` when no words exist in it.
    #[must_use]
    pub fn of(tag: &str) -> Option<Self> {
        let primary = tag.split(['-', '_', '.', '@']).next()?;
        Self::ALL.into_iter().find(|(_, known)| primary.eq_ignore_ascii_case(known)).map(|(lang, _)| lang)
    }
}

impl Words {
    /// The words in one language.
    #[must_use]
    pub const fn text(&self, lang: Lang) -> &Text {
        match lang {
            Lang::En => &self.en,
            Lang::Ja => &self.ja,
            Lang::Zh => &self.zh,
        }
    }
}

/// The rule with this id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id).copied()
}

impl Rule {
    /// An empty finding of this rule, to be filled with what was seen.
    #[must_use]
    pub fn finding(&self) -> Finding {
        Finding {
            rule: self.id.into(),
            risk: self.risk,
            severity: self.severity,
            object: None,
            container: None,
            volume: None,
            evidence: Vec::new(),
            values: std::collections::BTreeMap::new(),
            patch: Vec::new(),
        }
    }
}
