//! Versions of kubelet, runc, containerd and Linux, and the tables that say which of them misbehave.

use std::fmt;

/// A version as printed by the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// As read, without a leading `v`: `1.25.8-eks-c05fe32`, `3.10.0-693.17.1.el7.x86_64`.
    pub text: String,
    /// Major, minor, patch; a missing patch is `None`.
    pub numbers: (u32, u32, Option<u32>),
}

impl Version {
    /// Read a version at the start of `text`: an optional `v`, two or three numbers, and whatever follows up to a
    /// blank, comma or quote. `None` when `text` does not start with two numbers.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
        let end = text
            .find(|c: char| {
                c.is_whitespace() || matches!(c, ',' | '"' | '\'' | ')' | '(' | ']' | '|' | '`' | ';' | '<')
            })
            .unwrap_or(text.len());
        let text = text.get(..end)?.trim_end_matches(['.', ':']);
        let (major, rest) = number(text)?;
        let (minor, rest) = number(rest.strip_prefix('.')?)?;
        let patch = rest.strip_prefix('.').and_then(number).map(|(patch, _)| patch);
        Some(Self { text: text.to_owned(), numbers: (major, minor, patch) })
    }

    /// What follows the numbers: `-eks-c05fe32`, `+k3s2`, `-rc10+dev`; empty for a plain version.
    #[must_use]
    pub fn suffix(&self) -> &str {
        self.text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.')
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The number that `text` starts with, and what follows it.
fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end)?;
    Some((digits.parse().ok()?, rest))
}
