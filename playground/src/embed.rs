//! The page inside another page: what the address asks for, and the messages between the two.
//!
//! The query only chooses how the page looks and how it reads. The text never stands in it, because a query reaches the
//! server and its logs; it comes in the fragment or as a message. `?embed=1` takes these further names:
//!
//! | name | value |
//! |---|---|
//! | `kind` | id of a kind of input (`sysctl`): what the empty textarea asks for, and how the text is read |
//! | `readonly` | `1`: the text cannot be changed |
//! | `hide` | parts to leave out, with commas between: `examples`, `files`, `node`, `privacy`, `actions`, `link` |
//! | `channel` | any word; every message carries it, so that the receiver knows whom it is from |
//!
//! The kind counts as chosen by the reader, who may choose another: for what is typed, pasted or sent, and for what the
//! fragment opens when it names no kind itself. Files and examples of the reader's choice tell themselves what they are.
//!
//! `lang` and `theme` are taken by `boot.js`, before the first paint. What is not understood is passed over, so that
//! a page made for a later version still works. The messages are described in `examples/embedding/README.md`.

use rules::names::named;
use rules::report::{Report, Severity};
use serde_json::{Value, json};

use crate::inputs::known_kind;
use crate::preferences::Theme;

/// Version of the messages; it changes only when a reader of the old ones would misread the new ones.
const VERSION: u32 = 1;

/// What the page around asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Embed {
    /// The kind of input that is asked for, when this build knows it.
    pub kind: Option<&'static str>,
    /// Whether the text is to stay as it is.
    pub readonly: bool,
    /// Parts to leave out, each one of [`PARTS`].
    pub hidden: Vec<&'static str>,
    /// What every message carries.
    pub channel: Option<String>,
}

/// The parts that can be left out.
pub const PARTS: [&str; 6] = ["examples", "files", "node", "privacy", "actions", "link"];

impl Embed {
    /// Read a query such as `?embed=1&kind=sysctl`; `None` when the page stands alone.
    #[must_use]
    pub fn read(query: &str) -> Option<Self> {
        let query = query.strip_prefix('?').unwrap_or(query);
        let fields: Vec<(&str, &str)> = query.split('&').filter_map(|field| field.split_once('=')).collect();
        let value = |wanted| fields.iter().rev().find(|(name, _)| *name == wanted).map(|(_, value)| *value);
        let word = |name| value(name).filter(|value| is_word(value));
        (value("embed") == Some("1")).then(|| {
            // A comma is often escaped.
            let hide = value("hide").unwrap_or_default().replace("%2C", ",").replace("%2c", ",");
            Self {
                kind: word("kind").and_then(known_kind),
                readonly: value("readonly") == Some("1"),
                hidden: PARTS.into_iter().filter(|part| hide.split(',').any(|name| name == *part)).collect(),
                channel: word("channel").map(str::to_owned),
            }
        })
    }

    /// The page can be used.
    #[must_use]
    pub fn ready(&self) -> Value {
        self.message("noderisk:ready", json!({}))
    }

    /// The page is `height` CSS pixels high.
    #[must_use]
    pub fn height(&self, height: u32) -> Value {
        self.message("noderisk:height", json!({ "height": height }))
    }

    /// What came of a check: counts and ids alone, nothing of the text.
    #[must_use]
    pub fn report(&self, report: &Report) -> Value {
        let of = |wanted| report.findings.iter().filter(|finding| finding.severity == wanted).count();
        let mut rules: Vec<&str> = report.findings.iter().map(|finding| &*finding.rule).collect();
        rules.sort_unstable();
        rules.dedup();
        let counts = json!({
            "error": of(Severity::Error), "warning": of(Severity::Warning), "info": of(Severity::Info),
        });
        self.message("noderisk:report", json!({ "verdict": report.verdict, "counts": counts, "rules": rules }))
    }

    fn message(&self, kind: &str, mut fields: Value) -> Value {
        if let Value::Object(fields) = &mut fields {
            fields.insert("type".to_owned(), kind.into());
            fields.insert("v".to_owned(), VERSION.into());
            fields.insert("channel".to_owned(), self.channel.as_deref().into());
        }
        fields
    }
}

/// A message of the page around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// Check the text that comes with it. That may be long, and stays with the browser.
    Input,
    /// Show this theme.
    Theme(Theme),
}

impl Told {
    /// Read a message by its `type`, its `v` and its `theme`. `None` when it is none of ours.
    #[must_use]
    pub fn read(kind: &str, version: f64, theme: &str) -> Option<Self> {
        if version != f64::from(VERSION) {
            return None;
        }
        match kind {
            "noderisk:input" => Some(Self::Input),
            "noderisk:theme" => named(theme, &Theme::ALL).map(Self::Theme),
            _ => None,
        }
    }
}

fn is_word(value: &str) -> bool {
    !value.is_empty() && value.len() <= 64 && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use rules::Input;
    use rules::rules::Lang;
    use rules::settings::Settings;
    use serde_json::json;

    use super::{Embed, Told};
    use crate::checking::check;
    use crate::examples::Example;
    use crate::preferences::Theme;

    #[test]
    fn a_page_that_stands_alone_is_not_embedded() {
        for query in ["", "?", "?embed=0", "?embed", "?kind=sysctl", "?notembed=1", "?embed=1;"] {
            assert_eq!(Embed::read(query), None, "{query}");
        }
    }

    #[test]
    fn every_choice_is_read() {
        let query = "?embed=1&kind=proc-cgroups&lang=ja&readonly=1&hide=files,node%2Cactions&channel=a1-B2";
        let embed = Embed::read(query).unwrap();
        assert_eq!(embed.kind, Some("proc-cgroups"));
        assert!(embed.readonly);
        assert_eq!(embed.hidden, ["files", "node", "actions"]);
        assert_eq!(embed.channel.as_deref(), Some("a1-B2"));
    }

    #[test]
    fn what_is_not_understood_is_passed_over() {
        let query = "?embed=1&&=&kind=%3Cb%3E&hide=everything,,&readonly=yes&channel=a b&later=1";
        assert_eq!(Embed::read(query), Some(Embed::default()));
        for unknown in ["?embed=1&kind=nonsense", "?embed=1&kind=Sysctl", "?embed=1&kind="] {
            assert_eq!(Embed::read(unknown), Some(Embed::default()), "{unknown}");
        }
        let long = format!("?embed=1&channel={}", "a".repeat(65));
        assert_eq!(Embed::read(&long), Some(Embed::default()));
    }

    #[test]
    fn a_report_tells_counts_and_rules_and_nothing_of_the_text() {
        let example = Example::find("memory-volume-unlimited-writer/bad-deployment.yaml").unwrap();
        let checked = check(&[Input::new("stdin", example.text)], &Settings::default(), Lang::En);
        let message = Embed { channel: Some("x".into()), ..Embed::default() }.report(&checked.report);
        assert_eq!(
            message,
            json!({
                "type": "noderisk:report", "v": 1, "channel": "x", "verdict": "at-risk",
                "counts": {"error": 1, "warning": 0, "info": 0},
                "rules": ["memory-volume-unlimited-writer"],
            })
        );
    }

    #[test]
    fn messages_of_the_page_around_are_told_from_others() {
        assert_eq!(Told::read("noderisk:input", 1.0, ""), Some(Told::Input));
        assert_eq!(Told::read("noderisk:theme", 1.0, "dark"), Some(Told::Theme(Theme::Dark)));
        assert_eq!(Told::read("noderisk:theme", 1.0, "pink"), None);
        assert_eq!(Told::read("noderisk:input", 2.0, ""), None);
        assert_eq!(Told::read("webpackHotUpdate", 1.0, ""), None);
    }
}
