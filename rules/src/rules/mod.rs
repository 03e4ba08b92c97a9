//! The rules: one file per rule, its words and its tests beside it. This list is flat and sorted by id.

use serde_json::json;

use crate::facts::Facts;
use crate::kubernetes::platform::{Setting, SettingKind};
use crate::kubernetes::pod::{Amount, Container, PodTemplate, Volume};
use crate::kubernetes::quantity;
use crate::patch::Set;
use crate::report::{Evidence, Finding, Risk, Severity, Values};
use crate::settings::Settings;
use crate::show::FAMILY;

mod cgroup_delete_errors;
mod cgroup_v1_node;
mod inotify_instances_exhausted;
mod inotify_instances_low;
mod inotify_recovered;
mod inotify_shim_leak;
mod inotify_watches_exhausted;
mod inotify_watches_low;
mod kmem_accounting_errors;
mod memcg_ids_exhausted;
mod memcg_ids_growing;
mod memcg_leaking_kernel;
mod memcg_recovered;
mod memory_limit_missing;
mod memory_limit_over_max;
mod memory_limit_suspicious;
mod memory_volume_misplaced_medium;
mod memory_volume_over_max;
mod memory_volume_overcommits_node;
mod memory_volume_size_limit_only;
mod memory_volume_size_over_limit;
mod memory_volume_unlimited_neighbour;
mod memory_volume_unlimited_writer;
mod memory_volume_unreserved;
mod misc_cgroup_mismatch;
mod namespace_memory_unguarded;
mod pod_sysctl_inotify;
mod unknown_v1_controller;

/// All rules, sorted by id.
pub static RULES: &[&Rule] = &[
    &cgroup_delete_errors::RULE,
    &cgroup_v1_node::RULE,
    &inotify_instances_exhausted::RULE,
    &inotify_instances_low::RULE,
    &inotify_recovered::RULE,
    &inotify_shim_leak::RULE,
    &inotify_watches_exhausted::RULE,
    &inotify_watches_low::RULE,
    &kmem_accounting_errors::RULE,
    &memcg_ids_exhausted::RULE,
    &memcg_ids_growing::RULE,
    &memcg_leaking_kernel::RULE,
    &memcg_recovered::RULE,
    &memory_limit_missing::RULE,
    &memory_limit_over_max::RULE,
    &memory_limit_suspicious::RULE,
    &memory_volume_misplaced_medium::RULE,
    &memory_volume_over_max::RULE,
    &memory_volume_overcommits_node::RULE,
    &memory_volume_size_limit_only::RULE,
    &memory_volume_size_over_limit::RULE,
    &memory_volume_unlimited_neighbour::RULE,
    &memory_volume_unlimited_writer::RULE,
    &memory_volume_unreserved::RULE,
    &misc_cgroup_mismatch::RULE,
    &namespace_memory_unguarded::RULE,
    &pod_sysctl_inotify::RULE,
    &unknown_v1_controller::RULE,
];

/// One rule: data, words, and one function. Each ends in `of_objects` or `of_texts`, which take out what
/// a build without the feature `texts` has no use for: it would be a third of the policy.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Public, stable id; the file's name with `-` for `_`.
    pub id: &'static str,
    /// The risk it belongs to.
    pub risk: Risk,
    /// How bad it is. Two levels means two rules.
    pub severity: Severity,
    /// What it says, in each language.
    pub words: Words,
    /// The setting of the node that mends it, where there is one; each platform keeps it elsewhere.
    pub setting: Option<Setting>,
    /// Commands or YAML that mend it or look into it, behind the setting; the same in every language. May hold
    /// `{placeholders}`. Blocks with a blank line between them may have a condition, like the lines of [`Text::fix`].
    pub remedy: &'static str,
    /// Where the facts come from.
    pub links: &'static [&'static str],
    /// The rule itself; to be called through [`Rule::findings`]. Findings leave `rule`, `risk` and `severity` to
    /// [`Rule::finding`].
    pub check: fn(&Facts, &Settings) -> Vec<Finding>,
}

/// A rule's words in each language; a missing one does not compile.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// English.
    pub en: Text,
    /// Japanese.
    pub ja: Text,
    /// Chinese (simplified).
    pub zh: Text,
}

/// A rule's words in one language. `says` and `fix` may hold `{placeholders}`, filled from [`Finding::values`].
#[derive(Clone, Copy, Debug)]
pub struct Text {
    /// A few words, no full stop.
    pub title: &'static str,
    /// One sentence about the finding at hand, in several forms: the first one whose placeholders all have a value is
    /// said, so the most telling form comes first. See [`Text::form`].
    pub says: &'static [&'static str],
    /// Why it matters on a node.
    pub why: &'static str,
    /// What to do. May have several lines; one that starts with `{if name}` is said only when the finding has a value of
    /// that name, so that nothing is advised that the node already has. See [`that_apply`].
    pub fix: &'static str,
    /// Known limits of the rule, and where it departs from the articles that it comes from. See `on_pages`.
    pub notes: &'static [&'static str],
}

/// Notes that are shown on the rules' pages alone; hosts without these pages do not carry them.
const fn on_pages(notes: &'static [&'static str]) -> &'static [&'static str] {
    if cfg!(feature = "cli") { notes } else { &[] }
}

impl Text {
    const NONE: Self = Self { title: "", says: &[], why: "", fix: "", notes: &[] };

    /// The form of [`Text::says`] to say about a finding with these values; empty when none fits, which tests rule out.
    #[must_use]
    pub fn form(&self, values: &Values) -> &'static str {
        let fits = |form: &&&str| placeholders(form).all(|name| values.contains_key(name));
        self.says.iter().find(fits).copied().unwrap_or_default()
    }
}

/// The parts of a text that are said about a finding for which `holds` tells the conditions, without these.
pub fn that_apply<'t>(
    text: &'t str,
    separator: &'t str,
    holds: impl Fn(&str) -> bool,
) -> impl Iterator<Item = &'t str> {
    text.split(separator).filter_map(move |part| {
        match part.strip_prefix("{if ").and_then(|rest| rest.split_once('}')) {
            Some((name, part)) => holds(name).then(|| part.trim_start()),
            None => Some(part),
        }
    })
}

/// The names of the `{placeholders}` in `template`, in order.
pub fn placeholders(template: &str) -> impl Iterator<Item = &str> {
    let mut rest = template;
    std::iter::from_fn(move || {
        let (name, after) = next_placeholder(rest)?;
        rest = after;
        Some(name)
    })
}

/// The name of the next placeholder, and what stands behind it. Braces around anything but a name (`awk '{print $1}'`,
/// `{medium: Memory}`) are plain text.
fn next_placeholder(text: &str) -> Option<(&str, &str)> {
    text.match_indices('{').find_map(|(start, brace)| {
        let (name, after) = text.get(start..)?.strip_prefix(brace)?.split_once('}')?;
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        is_name.then_some((name, after))
    })
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
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::En, Self::En.tag()), (Self::Ja, Self::Ja.tag()), (Self::Zh, Self::Zh.tag())];

    /// Its BCP 47 tag.
    #[must_use]
    pub const fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Ja => "ja",
            Self::Zh => "zh",
        }
    }

    /// The language of a BCP 47 tag (`ja-JP`) or a POSIX locale (`zh_CN.UTF-8`); `None` when no words exist in it.
    #[must_use]
    pub fn of(tag: &str) -> Option<Self> {
        let primary = tag.split(['-', '_', '.', '@']).next()?;
        Self::ALL.into_iter().find(|(_, known)| primary.eq_ignore_ascii_case(known)).map(|(lang, _)| lang)
    }
}

impl Words {
    /// For a rule that never fires.
    const NONE: Self = Self { en: Text::NONE, ja: Text::NONE, zh: Text::NONE };

    /// What a line in English says.
    const fn in_brief(self) -> Self {
        Self { en: Text { why: "", notes: &[], ..self.en }, ..Self::NONE }
    }

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
    /// A rule that fires on an object alone. A policy needs it, but says no more of it than an English line or two.
    const fn of_objects(self) -> Self {
        if cfg!(feature = "texts") {
            self
        } else {
            Self { words: self.words.in_brief(), remedy: "", links: &[], ..self }
        }
    }

    /// A rule about what only texts say (logs, `/proc`, sysctls). A policy takes its name in the settings, no more.
    const fn of_texts(self) -> Self {
        if cfg!(feature = "texts") {
            self
        } else {
            Self { words: Words::NONE, check: |_, _| Vec::new(), ..self.of_objects() }
        }
    }

    /// What the rule finds. Where a setting of the node mends it, the finding tells the node's platform.
    #[must_use]
    pub fn findings(&self, facts: &Facts, settings: &Settings) -> Vec<Finding> {
        let mut findings = (self.check)(facts, settings);
        // A policy shows no remedy, and nothing else depends on the platform.
        if cfg!(feature = "texts")
            && let Some(setting) = self.setting.filter(|_| !findings.is_empty())
        {
            let platform = facts.platform().map(|platform| ("platform".into(), platform.name().to_owned()));
            let family = facts.family().filter(|_| setting.kind == SettingKind::KernelArgument);
            let family = family.map(|family| (FAMILY.into(), family.name().to_owned()));
            let told = platform.into_iter().chain(family);
            findings.iter_mut().for_each(|finding| finding.values.extend(told.clone()));
        }
        findings
    }

    /// A finding about a pod template, and a container or volume of it; `?` stands for a name that is missing.
    fn finding_in(&self, pod: &PodTemplate, container: Option<&Container>, volume: Option<&Volume>) -> Finding {
        let named = |name: &str| if name.is_empty() { "?".to_owned() } else { name.to_owned() };
        Finding {
            object: Some(pod.object.clone()),
            container: container.map(|container| named(&container.name)),
            volume: volume.map(|volume| named(&volume.name)),
            ..self.finding()
        }
    }

    /// A finding about a container without a memory limit, with the patch that gives it one of at least `least` bytes.
    /// `volume` is the memory volume that this leaves open.
    fn unlimited(&self, pod: &PodTemplate, container: &Container, volume: Option<&Volume>, least: u128) -> Finding {
        let limit = quantity::format(container.suggested_limit(least));
        let pointer = format!("{}/resources/limits/memory", container.pointer);
        let observed = format!("resources.limits.memory: {}", container.memory_limit);
        let expected = if least == 0 { "> 0".to_owned() } else { format!(">= {}", quantity::format(least)) };
        let mut finding = self.finding_in(pod, Some(container), volume);
        finding.evidence = vec![Evidence::new(&pod.place(pointer.clone()), observed, expected)];
        finding.evidence.extend(volume.map(|volume| match &volume.size_limit {
            Amount::Unset => {
                Evidence::new(&pod.place(format!("{}/emptyDir", volume.pointer)), "emptyDir: {medium: Memory}", "")
            }
            size => {
                let place = pod.place(format!("{}/emptyDir/sizeLimit", volume.pointer));
                Evidence::new(&place, format!("sizeLimit: {size}"), "")
            }
        }));
        finding.values.insert("limit".into(), limit.clone());
        finding.patch = vec![Set { pointer, value: json!(limit) }];
        finding
    }

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
            values: Values::new(),
            patch: Vec::new(),
        }
    }
}

/// Version of the set of rules: another one when a rule is added, taken away or gets another severity. Two programs
/// with the same revision fire the same rules.
#[must_use]
pub fn revision() -> String {
    // FNV-1a in 32 bits: short enough to be read out, and the same on every machine.
    let mut hash = 0x811c_9dc5_u32;
    for rule in RULES {
        for byte in rule.id.bytes().chain([0, rule.severity as u8]) {
            hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
    }
    format!("{hash:08x}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::{Lang, RULES, Text, find, placeholders};
    use crate::report::Values;

    #[test]
    fn ids_are_sorted_unique_and_equal_to_the_file_names() {
        let ids: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
        assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/rules");
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().replace('_', "-"))
            .filter(|name| name != "mod")
            .collect();
        assert_eq!(files, ids.iter().map(|id| (*id).to_owned()).collect());
        assert!(ids.iter().all(|id| find(id).is_some_and(|rule| rule.id == *id)));
    }

    #[test]
    fn every_rule_has_words_in_every_language_and_they_speak_of_the_same_quantities() {
        for rule in RULES {
            let english: Vec<BTreeSet<&str>> =
                rule.words.en.says.iter().map(|form| placeholders(form).collect()).collect();
            for (lang, tag) in Lang::ALL {
                let text = rule.words.text(lang);
                let forms: Vec<BTreeSet<&str>> = text.says.iter().map(|form| placeholders(form).collect()).collect();
                assert_eq!(forms, english, "{} in {tag}", rule.id);
                assert!(!text.says.is_empty(), "{} in {tag}", rule.id);
                assert_eq!(text.notes.len(), rule.words.en.notes.len(), "{} in {tag}", rule.id);
                assert!(!text.notes.is_empty(), "{} in {tag}", rule.id);
                for words in [text.title, text.why, text.fix].iter().chain(text.says).chain(text.notes) {
                    assert!(!words.trim().is_empty() && !words.contains("  "), "{} in {tag}: {words}", rule.id);
                }
                assert!(!text.title.ends_with(['.', '。']), "{} in {tag}", rule.id);
            }
            assert!(!rule.links.is_empty(), "{}", rule.id);
            assert!(rule.links.iter().all(|link| link.starts_with("https://")), "{}", rule.id);
        }
    }

    /// Between Japanese or Chinese and Latin letters, digits or values stands one blank, beside wide punctuation none.
    #[test]
    fn wide_and_narrow_characters_are_spaced_alike_everywhere() {
        let wide = |c: char| matches!(c, '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}');
        let punctuation =
            |c: char| matches!(c, '、' | '。' | '，' | '：' | '；' | '（' | '）' | '「' | '」' | '“' | '”');
        let narrow = |c: char| c.is_ascii_alphanumeric() || matches!(c, '{' | '}' | '%' | '/');
        let odd = |a: char, b: char| {
            wide(a) && narrow(b) || narrow(a) && wide(b) || a == ' ' && punctuation(b) || punctuation(a) && b == ' '
        };
        let mut found = Vec::new();
        for rule in RULES {
            for text in [&rule.words.ja, &rule.words.zh] {
                for words in [text.title, text.why, text.fix].iter().chain(text.says).chain(text.notes) {
                    let chars: Vec<char> = words.chars().collect();
                    let places = chars.windows(2).enumerate().filter(|(_, pair)| odd(pair[0], pair[1]));
                    found.extend(places.map(|(at, _)| chars[at..].iter().take(12).collect::<String>()));
                }
            }
        }
        assert!(found.is_empty(), "{found:#?}");
    }

    #[test]
    fn only_names_in_braces_are_placeholders() {
        assert_eq!(placeholders("{a}{b_c} {D} {} {x: {d}}").collect::<Vec<_>>(), ["a", "b_c", "d"]);
        assert_eq!(placeholders("{used").count(), 0);
    }

    #[test]
    fn the_first_form_whose_placeholders_have_values_is_said() {
        let text = Text { title: "t", says: &["{a} and {b}", "{a}", "nothing"], why: "", fix: "", notes: &[] };
        let values = |names: &[&'static str]| names.iter().map(|name| ((*name).into(), "1".to_owned())).collect();
        assert_eq!(text.form(&values(&["a", "b"])), "{a} and {b}");
        assert_eq!(text.form(&values(&["a", "c"])), "{a}");
        assert_eq!(text.form(&Values::new()), "nothing");
    }
}
