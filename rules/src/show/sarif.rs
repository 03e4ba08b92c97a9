//! A report as SARIF 2.1.0 (OASIS), for code scanning services and editors.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::markdown::RulePage;
use super::{fill, missing, open_values, remedy, said, visible, words};
use crate::Input;
use crate::fix::{self, Replacement};
use crate::patch::Set;
use crate::report::{Evidence, Finding, Place, Report, Severity, Span, Unread, Why};
use crate::rules::{self, Lang, RULES, Rule};

/// Where the schema of the format stands.
const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The report as indented SARIF, with a line feed at its end. `inputs` are the ones that were checked, in the same
/// order; their names are taken for file paths.
///
/// The verdict and the state of each risk are in the run's `properties`, what was not read and what to paste next are
/// notifications of its `invocation`.
///
/// # Errors
/// None that a report can cause; the signature leaves them to the JSON writer.
pub fn sarif(report: &Report, inputs: &[Input], lang: Lang) -> serde_json::Result<String> {
    let uris: Vec<String> = inputs.iter().map(|input| uri(&input.name)).collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "noderisk",
                "version": env!("CARGO_PKG_VERSION"),
                "language": lang.tag(),
                "rules": RULES.iter().map(|rule| descriptor(rule, lang)).collect::<Vec<_>>(),
            }},
            "language": lang.tag(),
            "columnKind": "utf16CodeUnits",
            "artifacts": uris.iter().map(|uri| json!({"location": {"uri": uri}})).collect::<Vec<_>>(),
            "invocations": [{
                "executionSuccessful": true,
                "toolExecutionNotifications": notifications(report, &uris, lang),
            }],
            "results": results(report, inputs, &uris, lang),
            "properties": {"verdict": report.verdict, "risks": report.risks},
        }],
    });
    super::json::escaped(&log)
}

/// What the log says about a rule, whether it fired or not.
fn descriptor(rule: &'static Rule, lang: Lang) -> Value {
    let words = rule.words.text(lang);
    let open = open_values(rule, lang, str::to_owned);
    let lines: Vec<&str> = rules::that_apply(words.fix, "\n", |_| true).collect();
    let (why, fix) = (fill(words.why, &open), fill(&lines.join("\n"), &open));
    json!({
        "id": rule.id,
        "shortDescription": {"text": words.title},
        "fullDescription": {"text": why},
        "help": {
            "text": format!("{why}\n\n{fix}\n\n{}", remedy(rule, &open)),
            "markdown": RulePage { rule, lang, notes: false }.to_string(),
        },
        "helpUri": rule.links.first(),
        "defaultConfiguration": {"level": level(rule.severity)},
        "properties": {"tags": [rule.risk]},
    })
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn results(report: &Report, inputs: &[Input], uris: &[String], lang: Lang) -> Vec<Value> {
    let mut fixes = fixes(report, inputs, uris);
    let results = report.findings.iter().zip(0..).map(|(finding, index)| {
        let mut result = result(finding, uris, lang);
        if let (Some(fix), Some(result)) = (fixes.remove(&index), result.as_object_mut()) {
            result.insert("fixes".to_owned(), json!([fix]));
        }
        result
    });
    results.collect()
}

/// What the patches of the findings change in the texts, by the finding's index. Applied alone, each gives what
/// `noderisk --fix` makes of its finding.
fn fixes(report: &Report, inputs: &[Input], uris: &[String]) -> BTreeMap<usize, Value> {
    let mut fixes = BTreeMap::new();
    for (index, (input, uri)) in inputs.iter().zip(uris).enumerate() {
        let of_input = |finding: &Finding| finding.evidence.first().is_some_and(|seen| seen.place.input == index);
        let patched = report.findings.iter().enumerate();
        let patched: Vec<(usize, &Finding)> =
            patched.filter(|(_, finding)| !finding.patch.is_empty() && of_input(finding)).collect();
        if patched.is_empty() {
            continue;
        }
        let lines = Lines::new(&input.text);
        let replacements = fix::replacements(input, patched.iter().map(|(_, finding)| *finding));
        for ((number, finding), replacement) in patched.into_iter().zip(replacements) {
            let Some(Replacement { range, text }) = replacement else { continue };
            let (start_line, start_column) = lines.position(range.start);
            let (end_line, end_column) = lines.position(range.end);
            let deleted = json!({
                "startLine": start_line, "startColumn": start_column, "endLine": end_line, "endColumn": end_column,
            });
            let change = json!({
                "artifactLocation": {"uri": uri, "index": index},
                "replacements": [{"deletedRegion": deleted, "insertedContent": {"text": text}}],
            });
            fixes.insert(number, json!({"description": {"text": edits(finding)}, "artifactChanges": [change]}));
        }
    }
    fixes
}

/// The fields that a patch sets, one per line: `/spec/containers/0/resources/limits/memory = 256Mi`.
fn edits(finding: &Finding) -> String {
    let value = |set: &Set| match &set.value {
        Value::Null => "-".to_owned(),
        Value::String(text) => visible(text).into_owned(),
        other => visible(&other.to_string()).into_owned(),
    };
    let lines = finding.patch.iter().map(|set| format!("{} = {}", visible(&set.pointer), value(set)));
    without_links(&lines.collect::<Vec<_>>().join("\n"))
}

/// A text with the bytes where its lines start.
struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        let behind_line_feeds = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        Self { text, starts: std::iter::once(0).chain(behind_line_feeds).collect() }
    }

    /// 1-based line and column (in UTF-16 code units) of a byte.
    fn position(&self, byte: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|start| *start <= byte);
        let start = line.checked_sub(1).and_then(|line| self.starts.get(line)).copied().unwrap_or(0);
        let before = self.text.get(start..byte).unwrap_or_default();
        (line, before.encode_utf16().count() + 1)
    }
}

fn result(finding: &Finding, uris: &[String], lang: Lang) -> Value {
    let text = said(finding, lang).map_or_else(|| visible(&finding.rule).into_owned(), |said| said.says);
    let mut places = finding.evidence.iter().map(|evidence| location(finding, evidence, uris, lang));
    json!({
        "ruleId": finding.rule,
        // -1 stands for a rule that the log does not describe (SARIF 3.27.6).
        "ruleIndex": RULES.iter().position(|rule| rule.id == finding.rule).map_or(json!(-1), |index| json!(index)),
        "level": level(finding.severity),
        "message": {"text": without_links(&text)},
        "locations": places.next().into_iter().collect::<Vec<_>>(),
        "relatedLocations": places.collect::<Vec<_>>(),
        "partialFingerprints": {"noderisk/v1": fingerprint(finding)},
    })
}

/// What stays the same when lines move: the rule and what it is about, or what was seen when that has no name.
fn fingerprint(finding: &Finding) -> String {
    let subject = [&finding.object, &finding.container, &finding.volume];
    let mut parts: Vec<&str> = subject.into_iter().flatten().map(String::as_str).collect();
    if parts.is_empty() {
        parts.extend(finding.evidence.first().map(|evidence| evidence.observed.as_str()));
    }
    parts.insert(0, &finding.rule);
    parts.join("|")
}

fn location(finding: &Finding, evidence: &Evidence, uris: &[String], lang: Lang) -> Value {
    let object = finding.object.iter().map(|object| json!({"fullyQualifiedName": visible(object), "kind": "object"}));
    let fields = [
        ("message", Some(json!({"text": without_links(&seen(evidence, lang))}))),
        ("physicalLocation", physical(&evidence.place, uris)),
        ("logicalLocations", Some(object.collect())),
    ];
    fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// What was seen and what should be there; the quotation stands in the region.
fn seen(evidence: &Evidence, lang: Lang) -> String {
    let parts = super::seen(evidence)
        .map(|(label, what)| format!("{}{}{}", label.text(lang), words::COLON.text(lang), visible(what)));
    parts.collect::<Vec<_>>().join("\n")
}

/// The place in its file; `None` when an object was checked instead of text.
fn physical(place: &Place, uris: &[String]) -> Option<Value> {
    let artifact = json!({"uri": uris.get(place.input)?, "index": place.input});
    let Span { line, column, end_column } = place.span?;
    let region = json!({"startLine": line, "startColumn": column, "endColumn": end_column.max(column)});
    Some(json!({"artifactLocation": artifact, "region": region}))
}

/// What was not read, and what would decide the undecided risks.
fn notifications(report: &Report, uris: &[String], lang: Lang) -> Vec<Value> {
    let unread = report.unread.iter().map(|unread| not_read(unread, uris, lang));
    let missing = missing(report).into_iter().map(|missing| {
        let what = words::wanted(missing.what).text(lang);
        let (next, colon) = (words::PASTE_NEXT.text(lang), words::COLON.text(lang));
        json!({"level": "note", "message": {"text": format!("{next}{colon}{} ({what})", missing.command)}})
    });
    unread.chain(missing).collect()
}

fn not_read(unread: &Unread, uris: &[String], lang: Lang) -> Value {
    let mut text = words::why_unread(&unread.why).text(lang).to_owned();
    if let Why::Broken { message } = &unread.why {
        let _ = write!(text, "{}{}", words::COLON.text(lang), visible(message));
    }
    let place = uris.get(unread.input).map(|uri| {
        let region = json!({"startLine": unread.first_line, "endLine": unread.last_line});
        json!({"physicalLocation": {"artifactLocation": {"uri": uri, "index": unread.input}, "region": region}})
    });
    json!({
        "level": "note",
        "message": {"text": without_links(&text)},
        "locations": place.into_iter().collect::<Vec<_>>(),
    })
}

/// A message in which nothing from the input is a link: viewers take `[text](target)` for one (SARIF 3.11.6).
fn without_links(text: &str) -> String {
    text.replace("](", "] (")
}

/// A file's path as a URI reference (RFC 3986): relative paths stay relative.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    if path.starts_with('/') {
        uri.push_str("file://");
    }
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            b'\\' if cfg!(windows) => uri.push('/'),
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{sarif, uri};
    use crate::Input;
    use crate::rules::Lang;
    use crate::settings::Settings;

    fn log(inputs: &[Input], lang: Lang) -> Value {
        let report = crate::check(inputs, &Settings::default());
        serde_json::from_str(&sarif(&report, inputs, lang).unwrap()).unwrap()
    }

    #[test]
    fn a_finding_is_a_result_at_its_line_and_column() {
        let log = log(&[Input::new("limits.txt", "x\nfs.inotify.max_user_instances = 128\n")], Lang::En);
        let run = &log["runs"][0];
        let result = &run["results"][0];
        assert_eq!(run["columnKind"], "utf16CodeUnits");
        assert_eq!(result["ruleId"], "inotify-instances-low");
        assert_eq!(
            run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize]["id"],
            result["ruleId"]
        );
        assert_eq!(result["level"], "warning");
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"], json!({"uri": "limits.txt", "index": 0}));
        assert_eq!(place["region"]["startLine"], 2);
        assert_eq!(run["properties"]["verdict"], "at-risk");
    }

    #[test]
    fn every_rule_brings_its_help_in_the_language_of_the_log() {
        let log = log(&[], Lang::Ja);
        let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
        assert_eq!(rules.len(), crate::rules::RULES.len());
        for rule in rules {
            let markdown = rule["help"]["markdown"].as_str().unwrap();
            assert!(markdown.contains("## ノードへの影響"), "{markdown}");
            assert!(!rule["help"]["text"].as_str().unwrap().is_empty());
        }
    }

    #[test]
    fn a_fingerprint_does_not_change_when_lines_move() {
        let print = |text: &str| {
            log(&[Input::new("a", text)], Lang::En)["runs"][0]["results"][0]["partialFingerprints"].clone()
        };
        let limit = "fs.inotify.max_user_instances = 128\n";
        assert_eq!(print(limit), print(&format!("\n\n{limit}")));
        assert!(print(limit)["noderisk/v1"].as_str().unwrap().starts_with("inotify-instances-low|"));
    }

    #[test]
    fn names_of_files_become_uri_references() {
        assert_eq!(uri("a/b.yaml"), "a/b.yaml");
        assert_eq!(uri("/etc/x y.yaml"), "file:///etc/x%20y.yaml");
        assert_eq!(uri("a:b?c#ü%"), "a%3Ab%3Fc%23%C3%BC%25");
    }

    #[test]
    fn a_message_holds_no_link_of_the_input() {
        let pod = "kind: Pod\napiVersion: v1\nmetadata: {name: a}\nspec:\n  containers:\n  - name: \"[x](https://evil.example)\"\n    \
                   volumeMounts: [{name: v, mountPath: /v}]\n  volumes:\n  - name: v\n    emptyDir: {medium: Memory}\n";
        let log = log(&[Input::new("a", pod)], Lang::En);
        let text = log["runs"][0]["results"][0]["message"]["text"].as_str().unwrap();
        assert!(text.contains("[x] (https://evil.example)"), "{text}");
    }
}
