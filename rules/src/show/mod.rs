//! A report as people and programs read it: a finding's words filled with its values, in every shape.

use std::borrow::Cow;

use crate::kubernetes::platform::{Family, Platform};
use crate::order;
use crate::report::{Evidence, Finding, Missing, Report, Unread, Values, Verdict, Wanted, Why};
use crate::rules::{self, Lang, Rule, Text};
use crate::show::source::Source;
use crate::show::words::Label;

pub mod json;
pub mod list;
pub mod markdown;
pub mod sarif;
mod source;
#[cfg(feature = "cli")]
pub mod text;
pub mod words;

/// What to paste when nothing is known yet: together these touch all four risks.
pub const STARTERS: [Wanted; 6] = [
    Wanted::Manifest,
    Wanted::InotifyLimits,
    Wanted::ProcCgroups,
    Wanted::KubeletVersion,
    Wanted::RuncVersion,
    Wanted::KubeletLog,
];

/// Longest name or observation, in characters.
const SHORT: usize = 200;
/// Most entries in the lists of read and of unread lines that people see; the JSON form has them all.
const LISTED: usize = 20;

/// What a rule says about one finding in one language, ready to be shown: placeholders filled, nothing invisible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// A few words, no full stop.
    pub title: &'static str,
    /// One sentence about this finding.
    pub says: String,
    /// Why it matters on a node.
    pub why: String,
    /// What to do.
    pub fix: String,
    /// Commands or YAML that mend it, one or more lines; empty when there is none.
    pub remedy: String,
    /// Where the facts come from.
    pub links: &'static [&'static str],
}

/// The words of `finding` in one language; `None` when this build does not know its rule.
///
/// Placeholders are the finding's values; `{object}`, `{container}` and `{volume}` need not be among them.
#[must_use]
pub fn said(finding: &Finding, lang: Lang) -> Option<Said> {
    let rule = rules::find(&finding.rule)?;
    let words = rule.words.text(lang);
    let values = values(finding, |value| visible(value).into_owned());
    Some(Said {
        title: words.title,
        says: fill(words.form(&values), &values),
        why: fill(words.why, &values),
        fix: fill(&to_do(words, &values, lang), &values),
        remedy: remedy(rule, &values),
        links: rule.links,
    })
}

/// The value of a finding that names its node, for commands; a word to be replaced stands where it is not known.
pub(crate) const NODE: &str = "node";

/// The value of a finding whose node has the rule's setting already, or has no use for it.
pub(crate) const NO_SETTING: &str = "no_setting";

/// The value of a finding that names the family of its node's distribution, where that decides.
pub(crate) const FAMILY: &str = "family";

/// What mends a finding with these values: the node's setting in the form of its platform, unless it has no use for it,
/// then the rule's own remedy.
fn remedy(rule: &Rule, values: &Values) -> String {
    let platform = platform(values).unwrap_or(Platform::Linux);
    let family = values.get(FAMILY).and_then(|name| Family::named(name));
    let setting = rule.setting.filter(|_| !values.contains_key(NO_SETTING));
    let setting = setting.and_then(|setting| platform.sets(&setting, family)).unwrap_or_default();
    let blocks: Vec<&str> = rules::that_apply(rule.remedy, "\n\n", |name| values.contains_key(name)).collect();
    fill(&(setting + &blocks.join("\n")), values)
}

/// The platform that a finding names among its values.
fn platform(values: &Values) -> Option<Platform> {
    values.get("platform").and_then(|name| Platform::named(name))
}

/// The setting of the node that mends a rule's findings, in the form of each platform that has one.
fn on_platforms(rule: &Rule) -> impl Iterator<Item = (Platform, String)> {
    let forms = |setting| Platform::ALL.into_iter().filter_map(move |on| Some((on, on.sets(&setting, None)?)));
    rule.setting.into_iter().flat_map(forms)
}

/// The platforms whose forms of the remedy `noderisk explain` tells, when the finding's own is not known: `Talos, GKE`.
fn elsewhere(rule: &Rule, values: &Values) -> Option<String> {
    let others = on_platforms(rule).map(|(platform, _)| platform).filter(|platform| *platform != Platform::Linux);
    let names: Vec<&str> = others.map(Platform::name).collect();
    let open = platform(values).is_none() && !values.contains_key(NO_SETTING);
    (open && !names.is_empty()).then(|| names.join(", "))
}

/// [`Said::says`] alone.
pub(crate) fn says(finding: &Finding, words: &Text) -> String {
    let values = values(finding, |value| visible(value).into_owned());
    fill(words.form(&values), &values)
}

/// [`Said::fix`] alone, in English.
pub(crate) fn fix(finding: &Finding, words: &Text) -> String {
    let values = values(finding, |value| visible(value).into_owned());
    fill(&to_do(words, &values, Lang::En), &values)
}

/// What a rule's words say to do about a finding with these values, still with placeholders.
fn to_do(words: &Text, values: &Values, lang: Lang) -> String {
    let lines: Vec<&str> = rules::that_apply(words.fix, "\n", |name| values.contains_key(name)).collect();
    lines.join(between_sentences(lang))
}

/// Wide full stops bring their own room.
const fn between_sentences(lang: Lang) -> &'static str {
    match lang {
        Lang::En => " ",
        Lang::Ja | Lang::Zh => "",
    }
}

/// The values that fill a finding's words, each as `shown` makes it.
fn values(finding: &Finding, shown: impl Fn(&str) -> String) -> Values {
    let subject = [("object", &finding.object), ("container", &finding.container), ("volume", &finding.volume)];
    let subject = subject.into_iter().filter_map(|(name, value)| Some((Cow::Borrowed(name), value.as_deref()?)));
    let others = finding.values.iter().map(|(name, value)| (name.clone(), value.as_str()));
    // `collect` would sort first, which is more code than inserting one by one.
    let mut values = Values::new();
    values.extend(subject.chain(others).map(|(name, value)| (name, shown(value))));
    values.entry(NODE.into()).or_insert_with(|| "NODE".to_owned());
    values
}

/// What stands for the placeholders of a rule when there is no finding to take their values from: `<limit>`.
fn open_values(rule: &Rule, lang: Lang, shown: impl Fn(&str) -> String) -> Values {
    let words = rule.words.text(lang);
    let setting = rule.setting.map_or(["", ""], |setting| [setting.name, setting.value]);
    let templates = [words.why, words.fix, rule.remedy].into_iter().chain(setting).chain(words.notes.iter().copied());
    let names = templates.chain(words.says.iter().copied()).flat_map(rules::placeholders);
    names.map(|name| (name.to_owned().into(), shown(&format!("<{name}>")))).collect()
}

/// What a finding is about: its object, container and volume, as far as it names them.
fn subject(finding: &Finding) -> impl Iterator<Item = (Label, &str)> {
    let named =
        [(words::OBJECT, &finding.object), (words::CONTAINER, &finding.container), (words::VOLUME, &finding.volume)];
    named.into_iter().filter_map(|(label, name)| Some((label, name.as_deref()?)))
}

/// What was seen and what should be there, as far as either is known.
fn seen(evidence: &Evidence) -> impl Iterator<Item = (Label, &str)> {
    let both = [(words::OBSERVED, &*evidence.observed), (words::EXPECTED, &*evidence.expected)];
    both.into_iter().filter(|(_, what)| !what.is_empty())
}

/// Lines of an input, as editors and `grep -n` write them: `name:3-7`.
fn lines(sources: &[Source], input: usize, first: usize, last: usize) -> String {
    let name = sources.get(input).map_or("", |source| &source.name);
    if first == last { format!("{name}:{first}") } else { format!("{name}:{first}-{last}") }
}

/// What to paste next, each thing once; what to start with when nothing was understood at all.
#[must_use]
pub fn missing(report: &Report) -> Vec<Missing> {
    let mut missing: Vec<Missing> = Vec::new();
    for wanted in report.risks.values().flat_map(|state| &state.missing) {
        if !missing.contains(wanted) {
            missing.push(wanted.clone());
        }
    }
    if missing.is_empty() && report.verdict == Verdict::CannotJudge {
        missing.extend(STARTERS.map(Wanted::missing));
    }
    missing
}

/// The lines that were not used. What the user can mend comes first, so that chatter between commands does not push it
/// off a list.
fn unread_worst_first(report: &Report) -> Vec<&Unread> {
    let mut unread: Vec<&Unread> = report.unread.iter().collect();
    let is_chatter = |unread: &Unread| matches!(unread.why, Why::NotRecognised | Why::Irrelevant);
    order::sort_by(&mut unread, |a, b| is_chatter(a).cmp(&is_chatter(b)));
    unread
}

/// `template` with each `{name}` replaced by its value. A name without a value, and braces around anything else (YAML
/// flow maps, shell expansions), stay as they are; values are not searched for further names.
#[must_use]
pub fn fill(template: &str, values: &Values) -> String {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        rest = match after.split_once('}').and_then(|(name, behind)| Some((values.get(name)?, behind))) {
            Some((value, behind)) => {
                filled.push_str(value);
                behind
            }
            None => {
                filled.push('{');
                after
            }
        };
    }
    filled.push_str(rest);
    filled
}

/// Text from the input as it may be shown: every character that moves the cursor, changes colours, breaks the line or
/// reorders what stands around it becomes one visible sign. Character positions stay the same.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.contains(is_unsafe) { Cow::Owned(text.chars().map(visible_char).collect()) } else { Cow::Borrowed(text) }
}

/// A name or an observation as it may be shown, cut when it is overlong.
fn short(text: &str) -> String {
    match text.char_indices().nth(SHORT) {
        Some((end, _)) => format!("{}…", visible(text.get(..end).unwrap_or_default())),
        None => visible(text).into_owned(),
    }
}

/// The visible sign for one character.
fn visible_char(c: char) -> char {
    match c {
        '\t' => ' ',
        // Unicode has a picture for each of the C0 controls, in the same order.
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\u{7f}' => '\u{2421}',
        c if is_unsafe(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

/// Controls (C0, DEL, C1), line and paragraph separators, and the marks that reorder text (Unicode UAX #9).
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::collections::BTreeMap;

    use super::{elsewhere, fill, said, visible};
    use crate::Input;
    use crate::report::Finding;
    use crate::rules::{self, Lang};
    use crate::settings::Settings;

    fn values(pairs: &[(&'static str, &str)]) -> BTreeMap<Cow<'static, str>, String> {
        pairs.iter().map(|(name, value)| (Cow::Borrowed(*name), (*value).to_owned())).collect()
    }

    #[test]
    fn placeholders_are_filled_and_unknown_ones_stay_visible() {
        let values = values(&[("used", "128"), ("limit", "128")]);
        assert_eq!(fill("{used} of {limit} in use, {need} needed", &values), "128 of 128 in use, {need} needed");
        assert_eq!(fill("{used", &values), "{used");
        assert_eq!(fill("", &values), "");
    }

    #[test]
    fn braces_of_yaml_and_shell_stay() {
        let values = values(&[("size", "64Mi")]);
        assert_eq!(fill("emptyDir: {medium: Memory, sizeLimit: {size}}", &values), {
            "emptyDir: {medium: Memory, sizeLimit: 64Mi}"
        });
        assert_eq!(fill("awk '{print $2}' {size}", &values), "awk '{print $2}' 64Mi");
    }

    /// The findings of `rule` in a paste.
    fn found(rule: &str, paste: &str) -> Finding {
        let mut findings = crate::check(&[Input::new("paste", paste)], &Settings::default()).findings;
        findings.retain(|finding| finding.rule == rule);
        findings.remove(0)
    }

    #[test]
    fn a_setting_is_told_as_the_nodes_platform_keeps_it() {
        let node = |image: &str| format!("fs.inotify.max_user_instances = 128\n OS Image:  {image}\n");
        for (image, form, others) in [
            ("Ubuntu 22.04.4 LTS", "sudo sysctl -w fs.inotify.max_user_instances=8192\n", true),
            ("Talos (v1.7.4)", "talosctl -n NODE patch machineconfig", false),
            ("Bottlerocket OS 1.20.3 (aws-k8s-1.29)", "\"fs.inotify.max_user_instances\" = \"8192\"\n", false),
            ("Red Hat Enterprise Linux CoreOS 415.92", "kind: Tuned\n", false),
        ] {
            let finding = found("inotify-instances-low", &node(image));
            let remedy = said(&finding, Lang::En).unwrap().remedy;
            assert!(remedy.contains(form), "{image}: {remedy}");
            let rule = rules::find(&finding.rule).unwrap();
            assert_eq!(elsewhere(rule, &finding.values).is_some(), others, "{image}");
        }
        let no_setting = rules::find("memory-limit-missing").unwrap();
        assert_eq!(elsewhere(no_setting, &BTreeMap::new()), None);
    }

    #[test]
    fn parts_are_said_when_their_condition_holds() {
        let lines = |known: &str| -> Vec<&str> {
            let text = "always {a}\n{if old} update {old}\n{if new}\nnothing to do";
            rules::that_apply(text, "\n", |name| name == known).collect()
        };
        assert_eq!(lines("old"), ["always {a}", "update {old}", "nothing to do"]);
        assert_eq!(lines("new"), ["always {a}", "", "nothing to do"]);
        assert_eq!(lines("a"), ["always {a}", "nothing to do"]);
    }

    #[test]
    fn a_value_is_not_searched_for_further_names() {
        assert_eq!(fill("{a}", &values(&[("a", "{b}"), ("b", "no")])), "{b}");
    }

    #[test]
    fn escape_sequences_and_reordering_marks_become_visible_signs_of_the_same_length() {
        let hostile = "a\u{1b}[31m\u{9b}2J\r\n\u{7f}\u{202e}b\tc";
        let shown = visible(hostile);
        assert_eq!(shown, "a␛[31m\u{fffd}2J␍␊␡\u{fffd}b c");
        assert_eq!(shown.chars().count(), hostile.chars().count());
        assert!(matches!(visible("plain 日本語 text"), Cow::Borrowed(_)));
    }
}
