//! What the policy tells people about findings.

use crate::report::Finding;
use crate::rules::{self, Lang, Text};
use crate::show;

/// Longest first line of a message, in bytes: what a client shows when it shows one line.
const FIRST_LINE: usize = 255;

/// Length of a warning, in bytes, that Kubernetes asks for "if possible" (`k8s.io/api/admission/v1`, `Warnings`).
const WARNING: usize = 120;

/// Warnings beyond this many are counted only: the API server drops what exceeds 4096 bytes in all.
const MOST_WARNINGS: usize = 30;

/// Findings beyond this many are counted only. A message that lists thousands helps nobody.
const MOST_DETAILS: usize = 200;

/// Why a request cannot be read.
pub fn unreadable(why: &str) -> String {
    cut(&format!("noderisk cannot read this request: {}", show::visible(why)), FIRST_LINE)
}

/// What was judged without the LimitRanges of the namespace, and why.
pub fn without_limit_ranges(namespace: Option<&str>, why: &str) -> String {
    let namespace = show::visible(namespace.unwrap_or_default());
    cut(&format!("noderisk judged without the LimitRanges of {namespace}: {}", show::visible(why)), FIRST_LINE)
}

/// The worst finding in one line, then each finding in a line of its own. `object` stands for findings that do not
/// name theirs.
pub fn rejection<'a>(object: &str, worst: &Finding, findings: impl Iterator<Item = &'a Finding>) -> String {
    let mut lines = vec![headline(object, worst)];
    lines.extend(most(findings.map(detail), MOST_DETAILS, "- "));
    lines.join("\n")
}

/// One warning for each finding.
pub fn warnings<'a>(object: &str, findings: impl Iterator<Item = &'a Finding>) -> Vec<String> {
    most(findings.map(|finding| warning(object, finding)), MOST_WARNINGS, "noderisk: ")
}

/// The first `count` lines; the others are counted.
fn most(lines: impl Iterator<Item = String>, count: usize, mark: &str) -> Vec<String> {
    let mut lines = lines.fuse();
    let mut kept: Vec<String> = lines.by_ref().take(count).collect();
    let rest = lines.count();
    if rest > 0 {
        kept.push(format!("{mark}and {rest} more findings"));
    }
    kept
}

/// Where it is, what is wrong, and what to do, on one line. A long object name gives way first.
fn headline(object: &str, finding: &Finding) -> String {
    let rest = format!("{}: {}. {}", part(finding), title(finding), remedy(finding));
    located(object, finding, rest.trim_end(), FIRST_LINE)
}

/// Where it is and what is wrong. Clients show warnings while the object is applied, so there is no room for more.
fn warning(object: &str, finding: &Finding) -> String {
    located(object, finding, &format!("{}: {}", part(finding), title(finding)), WARNING)
}

/// `rest` behind the object's name, which is shortened to make both fit into `longest` bytes.
fn located(object: &str, finding: &Finding, rest: &str, longest: usize) -> String {
    let object = show::visible(finding.object.as_deref().unwrap_or(object));
    cut(&(cut(&object, longest.saturating_sub(rest.len())) + rest), FIRST_LINE)
}

/// One finding as it stands in the list under the first line of a message.
fn detail(finding: &Finding) -> String {
    let says = words(finding).map(|words| show::says(finding, words)).unwrap_or_default();
    format!("- {}: {says} {}", finding.rule, remedy(finding)).trim_end().to_owned()
}

fn title(finding: &Finding) -> &'static str {
    words(finding).map_or("", |words| words.title)
}

fn words(finding: &Finding) -> Option<&'static Text> {
    Some(rules::find(&finding.rule)?.words.text(Lang::En))
}

/// The part of the object that the finding is about: `, container app, volume cache`.
fn part(finding: &Finding) -> String {
    let named = |label, name: &Option<String>| name.as_ref().map(|name| format!(", {label} {}", show::visible(name)));
    [named("container", &finding.container), named("volume", &finding.volume)].into_iter().flatten().collect()
}

/// The finding's patch in words: `Set resources.limits.memory to 256Mi.` Fields are named from the container or volume
/// down, which the sentence before has named. Without a patch, the first sentence of what the rule says to do.
fn remedy(finding: &Finding) -> String {
    let edits: Vec<String> = finding
        .patch
        .iter()
        .filter(|edit| !edit.value.is_null())
        .map(|edit| {
            let is_index = |step: &&str| step.bytes().all(|byte| byte.is_ascii_digit());
            let steps: Vec<&str> = edit.pointer.rsplit('/').take_while(|step| !is_index(step)).collect();
            let field = steps.into_iter().rev().collect::<Vec<_>>().join(".");
            let value = edit.value.as_str().map_or_else(|| edit.value.to_string(), str::to_owned);
            format!("{field} to {value}")
        })
        .collect();
    if !edits.is_empty() {
        return format!("Set {}.", edits.join(" and "));
    }
    let fix = words(finding).map(|words| show::fix(finding, words)).unwrap_or_default();
    fix.split_once(". ").map(|(first, _)| format!("{first}.")).unwrap_or(fix)
}

/// `line` in at most `longest` bytes; what was cut off is marked.
fn cut(line: &str, longest: usize) -> String {
    if line.len() <= longest {
        return line.to_owned();
    }
    let end = line.floor_char_boundary(longest.saturating_sub("…".len()));
    format!("{}…", line.get(..end).unwrap_or_default())
}
