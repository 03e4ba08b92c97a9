//! "Enforce this": a policy for the cluster that answers for the present findings, and what it would answer.

use rules::Input;
use rules::admission;
use rules::report::{Report, Risk, Severity};
use rules::settings::Settings;
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
}

/// A policy for what a check of `inputs` finds, and its answers to the objects in them.
#[must_use]
pub fn enforced(inputs: &[Input], checked_with: &Settings, mode: Mode) -> Enforced {
    let report = rules::check(inputs, checked_with);
    let texts = inputs.iter().map(|input| &*input.text);
    Enforced { policy: policy(&report, mode), answers: answers(texts, &settings(&report, mode)) }
}

/// A `ClusterAdmissionPolicy`, ready to be applied. Rules that would only warn are set to deny when they have findings.
#[must_use]
pub fn policy(report: &Report, mode: Mode) -> String {
    let shipped = match mode {
        Mode::Reject => REJECTING,
        Mode::GiveLimits => GIVING,
    };
    let head = shipped.split_once(SETTINGS).map_or(shipped, |(head, _)| head);
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
    /// 1-based first line of its document.
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
    let objects = texts.enumerate().flat_map(|(input, text)| {
        rules::objects(&Input::new(NAME, text)).into_iter().map(move |(line, object)| (input, line, object))
    });
    let asked = objects.filter(|(_, _, object)| KINDS.contains(&text_at(object, "/kind")));
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

    use super::{Mode, answers, is_of_use, policy, settings};
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
                assert_eq!(policy["spec"]["mutating"], mode == Mode::GiveLimits);
                let mut written = Settings::try_from(policy["spec"]["settings"].clone()).unwrap();
                written.read_limit_ranges = false;
                assert_eq!(written, settings(&report, mode), "{}", example.address());
            }
        }
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
        let objects: Vec<String> = answers([list.as_str()].into_iter(), &Settings::default())
            .into_iter()
            .map(|answer| answer.object)
            .collect();
        assert_eq!(objects, ["Pod/a", "Pod/a"]);
        assert!(
            answers(["apiVersion: v1\nkind: Node\nmetadata: {name: n}\n"].into_iter(), &Settings::default()).is_empty()
        );
        assert!(!is_of_use(&report("fs.inotify.max_user_instances = 128")));
    }
}
