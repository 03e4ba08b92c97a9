//! "Enforce this": a policy for the cluster that answers for the present findings, and what it would answer.

use rules::admission;
use rules::report::{Report, Risk, Severity};
use rules::settings::Settings;
use rules::{Context, Input};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::exports::NAME;

/// What the policy does with workloads that can fill a node's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// It rejects them.
    #[default]
    Reject,
    /// It gives limits to those that have none, and rejects the rest.
    GiveLimits,
}

/// Policies as they are shipped, up to their settings.
const REJECTING: &str = include_str!("../../policy/manifests/validate-only.yaml");
const GIVING: &str = include_str!("../../policy/manifests/mutate.yaml");

/// Says of the policies what is true on this page, in place of what their files say of themselves.
const REJECTS: &str = "# Rejects what can fill a node's memory; changes nothing.";
const GIVES: &str = "\
# Gives sizes and limits to memory volumes and their writers that have none; rejects what is too large all the same.";
const MODE: &str = "\
# In mode: monitor it lets everything pass and only records what it would do; set mode: protect once you agree.";

/// How the shipped policies work, and how a new one must: it can go from monitor to protect, but not back.
const PROTECT: &str = "\n  mode: protect\n";
const MONITOR: &str = "\n  mode: monitor\n";

/// Where a policy begins behind its comment.
const START: &str = "apiVersion:";

/// Where the settings of a shipped policy begin.
const SETTINGS: &str = "\n  settings:\n";

/// What the shipped policy gives where nothing is set; as in its manifest.
const DEFAULT_SIZE: &str = "64Mi";
const DEFAULT_LIMIT: &str = "256Mi";

/// Kinds that the policy's rules name; the cluster does not ask it about others.
const KINDS: [&str; 9] = [
    "Pod",
    "ReplicationController",
    "PodTemplate",
    "Deployment",
    "ReplicaSet",
    "StatefulSet",
    "DaemonSet",
    "Job",
    "CronJob",
];

/// Most objects that are answered for.
pub const MOST: usize = 20;

/// Whether there is anything that the policy could keep out: findings about memory and an object, beyond mere hints.
#[must_use]
pub fn is_of_use(report: &Report) -> bool {
    let mut memory = report.findings.iter().filter(|finding| finding.risk == Risk::MemoryVolume);
    memory.any(|finding| finding.severity > Severity::Info && finding.object.is_some())
}

/// Rules with present findings that the policy would only warn of, each once.
fn warned(report: &Report) -> Vec<&str> {
    let mut rules: Vec<&str> = Vec::new();
    let memory = report.findings.iter().filter(|finding| finding.risk == Risk::MemoryVolume);
    for finding in memory.filter(|finding| finding.severity == Severity::Warning) {
        if !rules.contains(&&*finding.rule) {
            rules.push(&finding.rule);
        }
    }
    rules
}

/// What the page shows of a policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enforced {
    /// The policy, as [`policy`] makes it.
    pub policy: String,
    /// What it answers.
    pub answers: Vec<Answer>,
    /// Rules with present findings that it does not see, the worst first, each once: `a, b`.
    pub uncovered: String,
}

/// A policy for what a check of `inputs` finds, and its answers to the objects in them.
#[must_use]
pub fn enforced(inputs: &[Input], checked_with: &Settings, mode: Mode) -> Enforced {
    let report = rules::check(inputs, checked_with);
    let texts = || inputs.iter().map(|input| &*input.text);
    Enforced {
        policy: policy(&report, mode),
        answers: answers(texts(), &settings(&report, mode)),
        uncovered: uncovered(&report, texts()).join(", "),
    }
}

/// Rules with present findings beyond mere hints that no object alone fires: they need a node or other objects beside it,
/// which no admission request carries.
fn uncovered<'a>(report: &Report, texts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut covered: Vec<String> = Vec::new();
    for (_, object) in texts.flat_map(objects).filter(|(_, object)| is_asked_about(object)) {
        let alone = rules::check_object(&object, &Context::default(), &Settings::default());
        covered.extend(alone.findings.into_iter().map(|finding| finding.rule.into_owned()));
        covered.sort_unstable();
        covered.dedup();
    }
    let mut rules: Vec<String> = Vec::new();
    for finding in report.findings.iter().filter(|finding| finding.severity > Severity::Info) {
        let rule = &*finding.rule;
        if !covered.iter().chain(&rules).any(|known| known == rule) {
            rules.push(rule.to_owned());
        }
    }
    rules
}

/// Whether the policy's rules name the kind of an object.
fn is_asked_about(object: &Value) -> bool {
    KINDS.contains(&text_at(object, "/kind"))
}

/// The objects of a text, each with the line that it begins on: an item of a list not where the list does.
fn objects(text: &str) -> Vec<(usize, Value)> {
    let mut objects = rules::objects(&Input::new(NAME, text));
    let mut documents: Vec<usize> = objects.iter().map(|(line, _)| *line).collect();
    documents.dedup();
    let ends = documents.iter().skip(1).copied().chain([usize::MAX]);
    let mut of_documents = objects.chunk_by_mut(|(line, _), (next, _)| line == next);
    for ((first, end), objects) in documents.iter().zip(ends).zip(&mut of_documents) {
        let lines = text.lines().enumerate().skip(first.saturating_sub(1)).take(end.saturating_sub(*first));
        let starts = items(lines.map(|(index, line)| (index + 1, line)));
        for ((line, _), start) in objects.iter_mut().zip(starts) {
            *line = start;
        }
    }
    objects
}

/// The lines on which the items of a list begin, as `kubectl` writes it in YAML and in JSON.
fn items<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> impl Iterator<Item = usize> {
    let is_list = |line: &str| line.trim_end() == "items:" || line.trim_end() == "    \"items\": [";
    let mut mark = None;
    lines.skip_while(move |(_, line)| !is_list(line)).skip(1).filter_map(move |(number, line)| {
        let indent = line.len() - line.trim_start().len();
        let length = indent + if line.trim_start().starts_with("- ") { 2 } else { 1 };
        let mark = *mark.get_or_insert(line.get(..length)?);
        // What is in an item stands further right, and its end bears another sign.
        line.starts_with(mark).then_some(number)
    })
}

/// A `ClusterAdmissionPolicy`, ready to be applied. Rules that would only warn are set to deny when they have findings.
#[must_use]
pub fn policy(report: &Report, mode: Mode) -> String {
    let shipped = match mode {
        Mode::Reject => REJECTING,
        Mode::GiveLimits => GIVING,
    };
    let head = shipped.split_once(SETTINGS).map_or(shipped, |(head, _)| head);
    let head = head.get(head.find(START).unwrap_or_default()..).unwrap_or_default().replacen(PROTECT, MONITOR, 1);
    let says = if mode == Mode::Reject { REJECTS } else { GIVES };
    let head = format!("{says}\n{MODE}\n{head}");
    let mut lines = Vec::new();
    if mode == Mode::GiveLimits {
        lines.push(format!("    defaultSizeLimit: {DEFAULT_SIZE}"));
        lines.push(format!("    defaultMemoryLimit: {DEFAULT_LIMIT}"));
        lines.push("    readLimitRanges: true".to_owned());
    }
    let warned = warned(report);
    if !warned.is_empty() {
        lines.push("    rules:".to_owned());
        lines.extend(warned.into_iter().map(|rule| format!("      {rule}: deny")));
    }
    if lines.is_empty() {
        return format!("{head}\n  settings: {{}}\n");
    }
    format!("{head}{SETTINGS}{}\n", lines.join("\n"))
}

/// The settings of that policy. LimitRanges cannot be asked for here, so they are left out.
#[must_use]
pub fn settings(report: &Report, mode: Mode) -> Settings {
    // Inserted one by one: collecting a map sorts first, which takes kilobytes of Wasm.
    let mut rules = Map::new();
    for rule in warned(report) {
        rules.insert(rule.to_owned(), json!("deny"));
    }
    let settings = match mode {
        Mode::Reject => json!({"rules": rules}),
        Mode::GiveLimits => {
            json!({"defaultSizeLimit": DEFAULT_SIZE, "defaultMemoryLimit": DEFAULT_LIMIT, "rules": rules})
        }
    };
    Settings::try_from(settings).unwrap_or_default()
}

/// What the policy answers when an object is created.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// Number of the input that it is in.
    pub input: usize,
    /// 1-based line that it begins on.
    pub line: usize,
    /// `Kind/namespace/name`, leaving out what is not said.
    pub object: String,
    /// Whether it may be created.
    pub accepted: bool,
    /// What the policy says to whom it rejects.
    pub message: String,
    /// What the policy warns of.
    pub warnings: Vec<String>,
    /// What the policy changes, one line for each field: `spec.containers[0].resources.limits.memory: 256Mi`.
    pub changes: Vec<String>,
}

/// What a policy with `settings` answers to the objects of texts, the first [`MOST`] that it is asked about.
#[must_use]
pub fn answers<'a>(texts: impl Iterator<Item = &'a str>, settings: &Settings) -> Vec<Answer> {
    let objects = texts
        .enumerate()
        .flat_map(|(input, text)| objects(text).into_iter().map(move |(line, object)| (input, line, object)));
    let asked = objects.filter(|(_, _, object)| is_asked_about(object));
    asked.take(MOST).map(|(input, line, object)| answer(input, line, &object, settings)).collect()
}

fn answer(input: usize, line: usize, object: &Value, settings: &Settings) -> Answer {
    let namespace = text_at(object, "/metadata/namespace");
    let request = json!({"operation": "CREATE", "namespace": namespace, "object": object});
    let decision = admission::decide(&request, settings);
    let mut changes = Vec::new();
    if let Some(changed) = &decision.mutated_object {
        differences(object, changed, "", &mut changes);
    }
    let names = [text_at(object, "/kind"), namespace, text_at(object, "/metadata/name")];
    let object = names.into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>().join("/");
    let admission::Decision { accepted, message, warnings, .. } = decision;
    Answer { input, line, object, accepted, message: message.unwrap_or_default(), warnings, changes }
}

/// The string at a pointer; empty when there is none.
fn text_at<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Each field of `after` that is new or different, with its value.
fn differences(before: &Value, after: &Value, path: &str, found: &mut Vec<String>) {
    match after {
        Value::Object(fields) => {
            for (name, value) in fields {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                differences(before.get(name).unwrap_or(&Value::Null), value, &path, found);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                differences(before.get(index).unwrap_or(&Value::Null), item, &format!("{path}[{index}]"), found);
            }
        }
        _ if before == after => {}
        Value::String(value) => found.push(format!("{path}: {value}")),
        value => found.push(format!("{path}: {value}")),
    }
}

#[cfg(test)]
mod tests {
    use rules::Input;
    use rules::report::Report;
    use rules::settings::Settings;
    use serde_json::Value;

    use super::{Mode, answers, enforced, is_of_use, objects, policy, settings};
    use crate::examples::EXAMPLES;

    const POD: &str = "\
kind: Pod
apiVersion: v1
metadata: {name: web, namespace: shop}
spec:
  containers:
  - name: app
    volumeMounts: [{name: v, mountPath: /v}]
  volumes: [{name: v, emptyDir: {medium: Memory}}]
";

    fn report(text: &str) -> Report {
        rules::check(&[Input::new("stdin", text)], &Settings::default())
    }

    #[test]
    fn what_can_fill_a_node_is_rejected_or_gets_limits() {
        let report = report(POD);
        assert!(is_of_use(&report));
        let rejected = answers([POD].into_iter(), &settings(&report, Mode::Reject)).remove(0);
        assert_eq!((rejected.line, rejected.object.as_str(), rejected.accepted), (1, "Pod/shop/web", false));
        assert!(rejected.message.starts_with("Pod/shop/web, container app, volume v: "));
        let changed = answers([POD].into_iter(), &settings(&report, Mode::GiveLimits)).remove(0);
        assert!(changed.accepted);
        assert_eq!(
            changed.changes,
            ["spec.containers[0].resources.limits.memory: 256Mi", "spec.volumes[0].emptyDir.sizeLimit: 64Mi"]
        );
    }

    #[test]
    fn the_policy_is_yaml_whose_settings_are_those_of_the_answers() {
        for example in EXAMPLES {
            let report = report(example.text);
            for mode in [Mode::Reject, Mode::GiveLimits] {
                let policy: Value = serde_yaml::from_str(&policy(&report, mode)).unwrap();
                assert_eq!(policy["kind"], "ClusterAdmissionPolicy");
                assert_eq!(policy["spec"]["mode"], "monitor", "as its comment says");
                assert_eq!(policy["spec"]["mutating"], mode == Mode::GiveLimits);
                let mut written = Settings::try_from(policy["spec"]["settings"].clone()).unwrap();
                written.read_limit_ranges = false;
                assert_eq!(written, settings(&report, mode), "{}", example.address());
            }
        }
    }

    #[test]
    fn an_item_of_a_list_begins_on_its_own_line() {
        let pod =
            |name| format!("- kind: Pod\n  metadata:\n    name: {name}\n  spec:\n    containers:\n    - name: c\n");
        let yaml = format!("$ kubectl get\napiVersion: v1\nitems:\n{}{}kind: List\n", pod("a"), pod("b"));
        let json = "{\n    \"kind\": \"List\",\n    \"items\": [\n        {\n            \"kind\": \"Pod\"\n        },\n        \
                    {\n            \"kind\": \"Pod\"\n        }\n    ]\n}\n";
        let alone = "kind: Pod\nspec: {volumes: [{configMap: {}}]}\n";
        for (text, lines) in [(yaml.as_str(), vec![4, 10]), (json, vec![4, 7]), (alone, vec![1])] {
            let two = format!("{alone}---\n{text}");
            let of = |text: &str| objects(text).into_iter().map(|(line, _)| line).collect::<Vec<_>>();
            assert_eq!(of(text), lines, "{text}");
            let behind = lines.iter().map(|line| line + 3);
            assert_eq!(of(&two), std::iter::once(1).chain(behind).collect::<Vec<_>>(), "{two}");
        }
    }

    #[test]
    fn what_no_object_alone_tells_is_named() {
        let of = |text: &str| enforced(&[Input::new("stdin", text)], &Settings::default(), Mode::Reject).uncovered;
        assert_eq!(of(POD), "");
        let other = format!("{POD}---\nfs.inotify.max_user_instances = 128\n");
        assert_eq!(of(&other), "inotify-instances-low");
        let overcommits =
            EXAMPLES.iter().find(|example| example.rule == "memory-volume-overcommits-node" && example.is_bad());
        assert!(of(overcommits.unwrap().text).contains("memory-volume-overcommits-node"));
    }

    #[test]
    fn no_object_with_a_warning_or_worse_passes_a_policy_made_for_it() {
        let rules = ["memory-volume-unlimited-writer", "memory-volume-size-limit-only"];
        let bad = EXAMPLES.iter().filter(|example| example.is_bad() && rules.contains(&example.rule));
        for example in bad {
            let answers = answers([example.text].into_iter(), &settings(&report(example.text), Mode::Reject));
            assert!(answers.iter().any(|answer| !answer.accepted), "{}", example.address());
        }
    }

    #[test]
    fn items_of_lists_are_asked_about_one_by_one_and_other_kinds_are_not() {
        let item = "{metadata: {name: a}, spec: {containers: [{name: c}]}}";
        let list = format!("apiVersion: v1\nkind: PodList\nitems:\n- {item}\n- {item}\n");
        let objects: Vec<(usize, String)> = answers([list.as_str()].into_iter(), &Settings::default())
            .into_iter()
            .map(|answer| (answer.line, answer.object))
            .collect();
        assert_eq!(objects, [(4, "Pod/a".to_owned()), (5, "Pod/a".to_owned())]);
        assert!(
            answers(["apiVersion: v1\nkind: Node\nmetadata: {name: n}\n"].into_iter(), &Settings::default()).is_empty()
        );
        assert!(!is_of_use(&report("fs.inotify.max_user_instances = 128")));
    }
}
