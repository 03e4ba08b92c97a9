//! Admission: a request in, a decision out. Pure, so that the page can show what the policy would answer.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::Context;
use crate::kubernetes::shape;
use crate::report::{Finding, Severity};
use crate::rules::Lang;
use crate::settings::{Action, Settings};
use crate::show::{self, words};

/// Longest first line of a message, in bytes: what a client shows when it shows one line.
const FIRST_LINE: usize = 255;

/// Length of a warning, in bytes, that Kubernetes asks for "if possible" (`k8s.io/api/admission/v1`, `Warnings`).
const WARNING: usize = 120;

/// What the policy answers to an admission request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// Whether the request may go on.
    pub accepted: bool,
    /// Why it may not. The first line tells the worst finding and its remedy, every finding follows on a line of its
    /// own.
    pub message: Option<String>,
    /// HTTP status of a rejection: 403 for findings, 400 for a request that cannot be read.
    pub code: Option<u16>,
    /// One line for each finding that warns.
    pub warnings: Vec<String>,
    /// For the API server's audit log: `rules` that fired and the worst `severity`.
    pub annotations: BTreeMap<&'static str, String>,
}

impl Decision {
    /// The answer to a request that cannot be read. What cannot be read must not pass unseen, so it is rejected.
    #[must_use]
    pub fn unreadable(why: &str) -> Self {
        let message = cut(&format!("noderisk cannot read this request: {why}"), FIRST_LINE);
        Self { accepted: false, message: Some(message), code: Some(400), ..Self::default() }
    }

    fn on(findings: &[(Action, &Finding)]) -> Self {
        let with = |wanted| findings.iter().filter(move |(action, _)| *action == wanted).map(|(_, finding)| *finding);
        let warnings = with(Action::Warn).map(warning).collect();
        let annotations = annotations(findings);
        match with(Action::Deny).next() {
            Some(worst) => {
                let mut lines = vec![headline(worst)];
                lines.extend(findings.iter().map(|(_, finding)| detail(finding)));
                Self { accepted: false, message: Some(lines.join("\n")), code: Some(403), warnings, annotations }
            }
            None => Self { accepted: true, message: None, code: None, warnings, annotations },
        }
    }
}

/// Judge an AdmissionRequest (`k8s.io/api/admission/v1`). A field that is missing or null counts as not said; nothing
/// in the request makes this fail.
#[must_use]
pub fn decide(request: &Value, settings: &Settings) -> Decision {
    if !request.is_object() {
        return Decision::unreadable("it is not an object");
    }
    if matches!(text(request, "/operation"), Some("DELETE" | "CONNECT")) {
        return Decision::on(&[]);
    }
    let object = request.get("object").unwrap_or(&Value::Null);
    // What is being deleted can only lose its finalizers; holding it back would keep it for ever.
    if text(object, "/metadata/deletionTimestamp").is_some() {
        return Decision::on(&[]);
    }
    if let Some(fault) = fault(request, object) {
        return Decision::unreadable(&fault);
    }
    let context = Context { namespace: text(request, "/namespace").map(str::to_owned) };
    let report = crate::check_object(object, &context, settings);
    let mut findings: Vec<(Action, &Finding)> =
        report.findings.iter().map(|finding| (action(finding, settings), finding)).collect();
    findings.retain(|(action, _)| *action != Action::Off);
    Decision::on(&findings)
}

/// What the policy does with a finding: what the settings say of its rule, else what its severity says.
#[must_use]
pub fn action(finding: &Finding, settings: &Settings) -> Action {
    settings.rules.get(finding.rule.as_ref()).copied().unwrap_or(match finding.severity {
        Severity::Error => Action::Deny,
        Severity::Warning => Action::Warn,
        Severity::Info => Action::Off,
    })
}

/// What keeps the object of a request from being judged.
fn fault(request: &Value, object: &Value) -> Option<String> {
    match object {
        Value::Null => Some("it carries no object".to_owned()),
        Value::Object(_) => {
            let kind = text(object, "/kind").or_else(|| text(request, "/kind/kind")).unwrap_or_default();
            let group = match text(object, "/apiVersion") {
                Some(version) => version.split_once('/').map_or("", |(group, _)| group),
                None => text(request, "/kind/group").unwrap_or_default(),
            };
            shape::fault(group, kind, object)
        }
        _ => Some("its object is not a JSON object".to_owned()),
    }
}

/// Where it is, what is wrong, and what to do, on one line. A long object name gives way first.
fn headline(finding: &Finding) -> String {
    let title = show::said(finding, Lang::En).map_or("", |said| said.title);
    let rest = format!("{}: {title}. {}", part(finding), remedy(finding));
    let object = cut(&object(finding), FIRST_LINE.saturating_sub(rest.len()));
    cut(&(object + rest.trim_end()), FIRST_LINE)
}

/// Where it is and what is wrong. Clients show warnings while the object is applied, so there is no room for more.
fn warning(finding: &Finding) -> String {
    let title = show::said(finding, Lang::En).map_or("", |said| said.title);
    let rest = format!("{}: {title}", part(finding));
    let object = cut(&object(finding), WARNING.saturating_sub(rest.len()));
    cut(&(object + &rest), FIRST_LINE)
}

/// One finding as it stands in the list under the first line of a message.
fn detail(finding: &Finding) -> String {
    let says = show::said(finding, Lang::En).map(|said| said.says).unwrap_or_default();
    format!("- {}: {says} {}", finding.rule, remedy(finding)).trim_end().to_owned()
}

fn object(finding: &Finding) -> String {
    show::visible(finding.object.as_deref().unwrap_or("object")).into_owned()
}

/// The part of the object that the finding is about: `, container app, volume cache`.
fn part(finding: &Finding) -> String {
    let named = |label, name: &Option<String>| name.as_ref().map(|name| format!(", {label} {}", show::visible(name)));
    [named("container", &finding.container), named("volume", &finding.volume)].into_iter().flatten().collect()
}

/// The finding's patch in words: `Set resources.limits.memory to 256Mi.` Fields are named from the container or volume
/// down, which the sentence before has named.
fn remedy(finding: &Finding) -> String {
    let edits: Vec<String> = finding
        .patch
        .iter()
        .map(|edit| {
            let is_index = |step: &&str| step.bytes().all(|byte| byte.is_ascii_digit());
            let steps: Vec<&str> = edit.pointer.rsplit('/').take_while(|step| !is_index(step)).collect();
            let field = steps.into_iter().rev().collect::<Vec<_>>().join(".");
            let value = edit.value.as_str().map_or_else(|| edit.value.to_string(), str::to_owned);
            format!("{field} to {value}")
        })
        .collect();
    if edits.is_empty() { String::new() } else { format!("Set {}.", edits.join(" and ")) }
}

fn annotations(findings: &[(Action, &Finding)]) -> BTreeMap<&'static str, String> {
    let Some(worst) = findings.iter().map(|(_, finding)| finding.severity).max() else {
        return BTreeMap::new();
    };
    let mut rules: Vec<&str> = findings.iter().map(|(_, finding)| finding.rule.as_ref()).collect();
    rules.sort_unstable();
    rules.dedup();
    BTreeMap::from([("rules", rules.join(",")), ("severity", words::severity(worst).text(Lang::En).to_owned())])
}

/// `line` in at most `longest` bytes; what was cut off is marked.
fn cut(line: &str, longest: usize) -> String {
    if line.len() <= longest {
        return line.to_owned();
    }
    let end = line.floor_char_boundary(longest.saturating_sub("…".len()));
    format!("{}…", line.get(..end).unwrap_or_default())
}

/// A string at a JSON pointer of the request.
fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Decision, decide};
    use crate::settings::Settings;

    /// A pod whose container `app` writes to memory volume `cache` without a limit.
    fn pod() -> Value {
        json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "shop"},
            "spec": {
                "containers": [{"name": "app", "volumeMounts": [{"name": "cache", "mountPath": "/cache"}]}],
                "volumes": [{"name": "cache", "emptyDir": {"medium": "Memory"}}],
            },
        })
    }

    fn create(object: Value) -> Value {
        json!({"operation": "CREATE", "namespace": "shop", "object": object, "oldObject": null})
    }

    fn answer(object: Value) -> Decision {
        decide(&create(object), &Settings::default())
    }

    fn message(object: Value) -> String {
        answer(object).message.unwrap()
    }

    #[test]
    fn a_rejection_names_object_container_volume_and_remedy_first_and_lists_every_finding() {
        let mut object = pod();
        object["spec"]["initContainers"] = json!([{"name": "warm", "volumeMounts": [{"name": "cache"}]}]);
        let message = message(object);
        let lines: Vec<&str> = message.lines().collect();
        assert_eq!(
            lines[0],
            "Pod/shop/web, container app, volume cache: Memory volume that nothing limits. \
             Set resources.limits.memory to 256Mi."
        );
        assert_eq!(lines.len(), 3);
        assert!(lines[1].starts_with("- memory-volume-unlimited-writer: Container app has no memory limit"));
        assert!(lines[2].starts_with("- memory-volume-unlimited-writer: Container warm has no memory limit"));
    }

    #[test]
    fn the_first_line_stays_below_256_bytes_and_keeps_the_remedy() {
        let mut object = pod();
        object["metadata"]["name"] = json!("ü".repeat(253));
        let message = message(object);
        let first_line = message.lines().next().unwrap();
        assert!(first_line.len() < 256, "{first_line}");
        assert!(first_line.starts_with("Pod/shop/ü"), "{first_line}");
        assert!(first_line.ends_with(
            "…, container app, volume cache: Memory volume that nothing limits. Set resources.limits.memory to 256Mi."
        ));
    }

    #[test]
    fn names_cannot_break_the_line() {
        let mut object = pod();
        object["spec"]["containers"][0]["name"] = json!("app\n- all is well");
        assert!(message(object).lines().next().unwrap().contains("container app␊- all is well"));
    }

    #[test]
    fn an_object_that_is_being_deleted_passes() {
        let mut object = pod();
        object["metadata"]["deletionTimestamp"] = json!("2024-05-01T00:00:00Z");
        assert!(answer(object).accepted);
    }

    #[test]
    fn objects_without_pods_pass() {
        let config = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"containers": "none"}});
        assert_eq!(answer(config), Decision { accepted: true, ..Decision::default() });
    }

    #[test]
    fn kind_and_group_come_from_the_request_when_the_object_does_not_say() {
        let kind = json!({"group": "batch", "version": "v1", "kind": "CronJob"});
        let request = json!({"operation": "CREATE", "kind": kind, "object": {"spec": {}}});
        assert_eq!(
            decide(&request, &Settings::default()),
            Decision::unreadable("/spec/jobTemplate/spec/template/spec/containers is missing")
        );
    }

    #[test]
    fn pod_templates_of_custom_kinds_are_judged() {
        let object = json!({"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "train"},
            "spec": {"tasks": [{"template": pod()}]}});
        assert!(!answer(object).accepted);
    }

    #[test]
    fn annotations_name_the_rules_and_the_worst_severity() {
        let annotations = answer(pod()).annotations;
        assert_eq!(annotations.get("severity").map(String::as_str), Some("error"));
        assert_eq!(annotations.get("rules").map(String::as_str), Some("memory-volume-unlimited-writer"));
    }
}
