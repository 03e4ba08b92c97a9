//! Takes out of a text what strangers should not read, before it goes into a link: credentials, addresses, names.
//!
//! Nothing here can know every secret, so the page shows the result before it is shared. Lines stay where they are, so
//! that findings point at the same ones.

mod addresses;
mod hosts;
mod tokens;
mod values;

use addresses::addresses;
use hosts::hosts;
use tokens::tokens;
use values::values;

/// What stands in place of a value.
const REDACTED: &str = "REDACTED";

/// What to take out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Redact {
    /// Values of Secrets.
    pub secrets: bool,
    /// Values of environment variables.
    pub environment: bool,
    /// Bearer tokens, JWTs, passwords in options and addresses, private keys.
    pub tokens: bool,
    /// IP addresses.
    pub addresses: bool,
    /// Names of hosts.
    pub hosts: bool,
}

impl Default for Redact {
    /// All of it.
    fn default() -> Self {
        Self { secrets: true, environment: true, tokens: true, addresses: true, hosts: true }
    }
}

/// The texts without what `redact` names. A host or an address has the same other name in all of them.
#[must_use]
pub fn redact(texts: &[&str], redact: Redact) -> Vec<String> {
    let mut texts: Vec<String> = texts.iter().map(|text| credentials_redacted(text, redact)).collect();
    if redact.hosts {
        texts = together(&texts, hosts);
    }
    if redact.addresses {
        texts = together(&texts, addresses);
    }
    texts
}

fn credentials_redacted(text: &str, redact: Redact) -> String {
    let mut text = text.to_owned();
    if redact.secrets || redact.environment {
        text = documents(&text).map(|document| values(document, redact)).collect();
    }
    if redact.tokens {
        text = tokens(&text);
    }
    text
}

/// What `names` makes of the texts when it sees all of them; it leaves lines where they are, and stops at no document.
fn together(texts: &[String], names: fn(&str) -> String) -> Vec<String> {
    /// Stands between two texts, as between two documents.
    const BETWEEN: &str = "\n---\n";
    let shown = names(&texts.join(BETWEEN));
    let mut lines = shown.split('\n');
    let of = |text: &String| {
        let own: Vec<&str> = lines.by_ref().take(text.split('\n').count()).collect();
        lines.next();
        own.join("\n")
    };
    texts.iter().map(of).collect()
}

/// The documents of a text, each with the mark that ends it.
fn documents(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut end = 0;
        for line in rest.split_inclusive('\n') {
            end += line.len();
            if line.trim_end() == "---" {
                break;
            }
        }
        let (document, behind) = rest.split_at_checked(end)?;
        rest = behind;
        Some(document)
    })
}

/// Column, key and value of a line `key: value` or `- key: value`.
fn key_value(line: &str) -> Option<(usize, &str, &str)> {
    let mut start = indent_of(line);
    let mut rest = line.get(start..)?;
    while let Some(item) = rest.strip_prefix("- ") {
        start += rest.len() - item.trim_start().len();
        rest = item.trim_start();
    }
    let (key, value) = rest.split_once(':')?;
    let key = key.trim_end().trim_matches(['"', '\'']);
    (value.is_empty() || value.starts_with([' ', '\t', '\r'])).then(|| (start, key, value.trim()))
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// `|` or `>` with its indicators: the value stands on the lines below.
fn is_block_sign(value: &str) -> bool {
    value.strip_prefix(['|', '>']).is_some_and(|rest| {
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-')).trim_start();
        rest.is_empty() || rest.starts_with('#')
    })
}

/// Length of a string behind its opening quotation mark, the closing one included; it must end on its line.
fn string_length(text: &str, quote: &str) -> Option<usize> {
    let line = text.split('\n').next()?;
    if quote == "'" {
        let twice = |at: usize| line.get(at + 1..).is_some_and(|behind| behind.starts_with('\''));
        let mut quotes = line.match_indices('\'').map(|(at, _)| at);
        while let Some(at) = quotes.next() {
            if !twice(at) {
                return Some(at + 1);
            }
            quotes.next();
        }
        return None;
    }
    // Each level of escaping doubles the backslashes and adds one.
    let depth = quote.len() - 1;
    let mut from = 0;
    for (at, _) in line.match_indices('"') {
        let before = line.get(from..at)?;
        let escapes = before.len() - before.trim_end_matches('\\').len();
        if escapes % (2 * (depth + 1)) == depth {
            return Some(at + 1);
        }
        from = at + 1;
    }
    None
}

/// The text with some of its runs replaced: the longest stretches of characters that are a part. `replace` is given all
/// that stands before a run, and the run. Behind pointers, because a copy for each use would make the Wasm larger.
fn runs(text: &str, is_part: &dyn Fn(char) -> bool, replace: &mut dyn FnMut(&str, &str) -> Option<String>) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        let (between, run) = rest.split_at(start);
        let end = run.find(|c| !is_part(c)).unwrap_or(run.len());
        let before = text.get(..text.len() - run.len()).unwrap_or_default();
        let (run, behind) = run.split_at(end);
        shown.push_str(between);
        match replace(before, run) {
            Some(other) => shown += &other,
            None => shown.push_str(run),
        }
        rest = behind;
    }
    shown + rest
}

/// The text without anything that can be taken out.
#[cfg(test)]
fn all(text: &str) -> String {
    redact(&[text], Redact::default()).concat()
}

// The generator of cases is not made for the browser.
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use proptest::prelude::*;
    use rules::Input;
    use rules::settings::Settings;

    use super::{Redact, all, redact};
    use crate::examples::EXAMPLES;

    /// What fired, and where.
    fn findings(text: &str) -> Vec<(String, Option<usize>)> {
        let report = rules::check(&[Input::new("stdin", text)], &Settings::default());
        let line = |finding: &rules::report::Finding| Some(finding.evidence.first()?.place.span?.line);
        report.findings.iter().map(|finding| (finding.rule.to_string(), line(finding))).collect()
    }

    #[test]
    fn machines_of_several_texts_stay_apart() {
        let texts = ["root@worker-7:~# x\n10.0.0.1", "root@worker-9:~# x\n10.0.0.2\n", "worker-9.txt", ""];
        assert_eq!(
            redact(&texts, Redact::default()),
            ["root@host-1:~# x\n192.0.2.1", "root@host-2:~# x\n192.0.2.2\n", "host-2.txt", ""]
        );
    }

    #[test]
    fn the_report_about_every_example_stays_the_same() {
        for example in EXAMPLES {
            let redacted = all(example.text);
            assert_eq!(findings(&redacted), findings(example.text), "{}:\n{redacted}", example.address());
            assert_eq!(all(&redacted), redacted, "{}: a second time", example.address());
        }
    }

    proptest! {
        #[test]
        fn lines_stay_and_nothing_panics(text in "([a-z{}\\[\\]\":, \\\\\n-]|kind: Secret|data:|env:|value:|\\PC){0,80}") {
            let shown = all(&text);
            prop_assert_eq!(shown.matches('\n').count(), text.matches('\n').count());
        }

        #[test]
        fn a_password_survives_nowhere(password in "[A-Za-z][A-Za-z0-9]{15,30}") {
            for form in [
                "kind: Secret\ndata:\n  p: PASSWORD\n",
                "kind: Secret\nstringData: {p: PASSWORD}\n",
                "{\"data\":{\"p\":\"PASSWORD\"},\"kind\":\"Secret\"}",
                "apiVersion: v1\nitems:\n- apiVersion: v1\n  data:\n    p: PASSWORD\n  kind: Secret\nkind: List\n",
                "env:\n- name: P\n  value: PASSWORD\n",
                "env: [{name: P, value: PASSWORD}]",
                "\"env\": [\n  {\n    \"name\": \"P\",\n    \"value\": \"PASSWORD\"\n  }\n]",
                "password: PASSWORD", "--password=PASSWORD", "Bearer PASSWORD", "redis://:PASSWORD@cache:6379/0",
            ] {
                let shown = all(&form.replace("PASSWORD", &password));
                prop_assert!(!shown.contains(&password), "{}", shown);
            }
        }
    }
}
