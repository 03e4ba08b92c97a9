//! Admission: a request in, a decision out. Pure, so that the page can show what the policy would answer.
//!
//! First the object gets what the settings give to it, then it is checked, then the findings decide: the verdict is
//! about what will be stored.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::Context;
use crate::admission::request::{Operation, Request};
use crate::kubernetes::limit_range;
use crate::patch::{self, Set};
use crate::report::Finding;
use crate::rules::Lang;
use crate::settings::{Action, NodeFindings, Settings};
use crate::show::words;

mod excerpt;
mod message;
mod mutation;
mod ratchet;
mod request;

pub use excerpt::Excerpt;

/// What the policy answers to an admission request.
#[derive(Clone, Debug, Default, PartialEq)]
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
    /// The object to store instead of the one in the request, when the settings change it.
    pub mutated_object: Option<Value>,
}

impl Decision {
    /// The answer to a request that cannot be read. What cannot be read must not pass unseen, so it is rejected.
    #[must_use]
    pub fn unreadable(why: &str) -> Self {
        Self { accepted: false, message: Some(message::unreadable(why)), code: Some(400), ..Self::default() }
    }

    fn accepted() -> Self {
        Self { accepted: true, ..Self::default() }
    }

    /// The answer to findings about `object`, worst first.
    fn on(object: &str, findings: &[(Action, &Finding)]) -> Self {
        let with = |wanted| findings.iter().filter(move |(action, _)| *action == wanted).map(|(_, finding)| *finding);
        let warnings = message::warnings(object, with(Action::Warn));
        let annotations = annotations(findings);
        match with(Action::Deny).next() {
            Some(worst) => {
                let message = message::rejection(object, worst, findings.iter().map(|(_, finding)| *finding));
                Self { message: Some(message), code: Some(403), warnings, annotations, ..Self::default() }
            }
            None => Self { warnings, annotations, ..Self::accepted() },
        }
    }
}

/// Lists the LimitRanges of a namespace: a `LimitRangeList`, or why there is none to be had.
pub type ListLimitRanges<'a> = dyn Fn(&str) -> Result<Value, String> + 'a;

/// [`decide_in_cluster`] where there is no cluster to ask.
#[must_use]
pub fn decide(request: &Value, settings: &Settings) -> Decision {
    decide_in_cluster(request, settings, &|_| Err("there is no cluster to ask".to_owned()))
}

/// Judge an AdmissionRequest (`k8s.io/api/admission/v1`). A field that is missing or null counts as not said; nothing
/// in the request makes this fail. LimitRanges are listed at most once, and only when `readLimitRanges` is set and a
/// pod template could get a default from them.
#[must_use]
pub fn decide_in_cluster(request: &Value, settings: &Settings, list_limit_ranges: &ListLimitRanges) -> Decision {
    let request = match Request::read(request) {
        Ok(Some(request)) => request,
        Ok(None) => return Decision::accepted(),
        Err(why) => return Decision::unreadable(&why),
    };
    let listed = namespace_default(&request, settings, list_limit_ranges);
    let default = listed.as_ref().ok().and_then(Option::as_ref);

    let object = with_limits(request.object, default);
    let edits = mutation::edits(&request, &object, settings);
    let findings = check(&patched(object, &edits), &request, settings);
    let before = match request.operation {
        // The object before the update is read only when it matters.
        Operation::Update if !findings.is_empty() => check(&with_limits(request.old, default), &request, settings),
        _ => Vec::new(),
    };
    let actions: Vec<(Action, &Finding)> = ratchet::added(&findings, &before)
        .map(|(finding, added)| (action(finding, added, &request, settings), finding))
        .collect();

    let mut decision = Decision::on(&request.label(), &actions);
    if decision.accepted && !edits.is_empty() {
        decision.mutated_object = Some(patched(Cow::Borrowed(request.object), &edits).into_owned());
    }
    decision.warnings.extend(listed.err().map(|why| message::without_limit_ranges(request.namespace, &why)));
    decision
}

/// What becomes of a finding in this request.
fn action(finding: &Finding, added: bool, request: &Request, settings: &Settings) -> Action {
    match settings.node_findings {
        NodeFindings::Reject if request.is_node() => Action::Deny,
        // A node that is rejected cannot join the cluster.
        NodeFindings::Warn if request.is_node() => Action::Warn,
        // What was there before must not keep labels, finalizers and the like from being updated.
        _ if !added => Action::Warn,
        _ => settings.action(&finding.rule, finding.severity),
    }
}

/// The findings about an object as it would be stored, but for those that the settings turn off.
fn check(object: &Value, request: &Request, settings: &Settings) -> Vec<Finding> {
    let context = Context { namespace: request.namespace.map(str::to_owned) };
    crate::object_findings(object, &context, settings)
}

/// The memory limit that the namespace's LimitRanges give to containers without one.
fn namespace_default(request: &Request, settings: &Settings, list: &ListLimitRanges) -> Result<Option<Value>, String> {
    match request.namespace {
        Some(namespace) if settings.read_limit_ranges && limit_range::may_default(request.object) => {
            limit_range::default_limit(&list(namespace)?)
        }
        _ => Ok(None),
    }
}

/// The object with the memory limits that the API server will give to its pods.
fn with_limits<'a>(object: &'a Value, default: Option<&Value>) -> Cow<'a, Value> {
    let edits = default.map(|default| limit_range::edits(object, default)).unwrap_or_default();
    patched(Cow::Borrowed(object), &edits)
}

fn patched<'a>(mut object: Cow<'a, Value>, edits: &[Set]) -> Cow<'a, Value> {
    if !edits.is_empty() {
        // An edit that does not fit leaves its finding, which then decides.
        patch::apply(object.to_mut(), edits);
    }
    object
}

fn annotations(findings: &[(Action, &Finding)]) -> BTreeMap<&'static str, String> {
    let Some(worst) = findings.iter().map(|(_, finding)| finding.severity).max() else {
        return BTreeMap::new();
    };
    let mut rules = BTreeSet::new();
    rules.extend(findings.iter().map(|(_, finding)| finding.rule.as_ref()));
    let rules = rules.into_iter().collect::<Vec<&str>>().join(",");
    let mut annotations = BTreeMap::new();
    annotations.extend([("rules", rules), ("severity", words::severity(worst).text(Lang::En).to_owned())]);
    annotations
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use serde_json::{Value, json};

    use super::{Decision, decide, decide_in_cluster};
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

    fn settings(settings: Value) -> Settings {
        Settings::try_from(settings).unwrap()
    }

    /// `pod()` as a Deployment's template.
    fn deployment() -> Value {
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"},
            "spec": {"template": {"metadata": {"labels": {"app": "web"}}, "spec": pod()["spec"]}},
        })
    }

    fn update(old: Value, new: Value) -> Value {
        json!({"operation": "UPDATE", "namespace": "shop", "object": new, "oldObject": old})
    }

    const MEMORY_LIMIT: &str = "/spec/template/spec/containers/0/resources/limits/memory";

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

    #[test]
    fn what_has_no_patch_is_told_what_to_do_by_the_rule() {
        let node = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": {
            "containers": [{"name": "app"}], "resources": {"limits": {"memory": "2Gi"}},
        }});
        let decision = decide(&create(node), &settings(json!({"maxMemoryLimit": "1Gi"})));
        assert_eq!(
            decision.message.unwrap().lines().next().unwrap(),
            "Pod/web: Memory limit larger than allowed. Lower the memory limit to 1Gi or less, and the request with it \
             if it is larger."
        );
    }

    #[test]
    fn lists_end_before_they_grow_too_long() {
        let mut object = pod();
        let container = object["spec"]["containers"][0].clone();
        object["spec"]["containers"] = json!(vec![container; 500]);
        let message = message(object.clone());
        assert_eq!(message.lines().count(), 1 + 200 + 1);
        assert!(message.ends_with("\n- and 300 more findings"));
        let decision = decide(&create(object), &settings(json!({"rules": {"memory-volume-unlimited-writer": "warn"}})));
        assert_eq!(decision.warnings.len(), 31);
        assert_eq!(decision.warnings[30], "noderisk: and 470 more findings");
    }

    #[test]
    fn a_generated_name_stands_for_the_name() {
        let mut object = pod();
        object["metadata"] = json!({"generateName": "web-7d4b9-", "namespace": "shop"});
        assert!(message(object).starts_with("Pod/shop/web-7d4b9-, container app"));
    }

    #[test]
    fn subresources_that_leave_the_pod_spec_alone_pass() {
        for (name, accepted) in [
            ("status", true),
            ("scale", true),
            ("binding", true),
            ("eviction", true),
            ("resize", false),
            ("ephemeralcontainers", false),
            ("", false),
        ] {
            let mut request = update(json!(null), pod());
            request["subResource"] = json!(name);
            assert_eq!(decide(&request, &Settings::default()).accepted, accepted, "{name}");
        }
    }

    #[test]
    fn an_update_that_adds_no_finding_is_accepted_with_a_warning() {
        let mut labelled = deployment();
        labelled["metadata"]["labels"] = json!({"team": "a"});
        let decision = decide(&update(deployment(), labelled.clone()), &Settings::default());
        assert!(decision.accepted);
        assert_eq!(
            decision.warnings,
            ["Deployment/shop/web, container app, volume cache: Memory volume that nothing limits"]
        );
        assert_eq!(decision.annotations["severity"], "error");

        // Other positions, another image and another request do not make it a new finding.
        let containers = labelled.pointer_mut("/spec/template/spec/containers").unwrap().as_array_mut().unwrap();
        containers[0]["image"] = json!("app:2");
        containers[0]["resources"] = json!({"requests": {"memory": "1Gi"}});
        containers.insert(0, json!({"name": "other"}));
        assert!(decide(&update(deployment(), labelled), &Settings::default()).accepted);
    }

    #[test]
    fn an_update_that_adds_a_finding_is_denied() {
        let mut limited = deployment();
        limited["spec"]["template"]["spec"]["containers"][0]["resources"] = json!({"limits": {"memory": "1Gi"}});
        let decision = decide(&update(limited, deployment()), &Settings::default());
        assert!(!decision.accepted);

        let mut second = deployment();
        let container = second["spec"]["template"]["spec"]["containers"][0].clone();
        let containers = second.pointer_mut("/spec/template/spec/containers").unwrap().as_array_mut().unwrap();
        containers.push(container);
        assert!(!decide(&update(deployment(), second), &Settings::default()).accepted, "one more of the same");
        assert!(!decide(&update(json!(null), deployment()), &Settings::default()).accepted, "no object before");
    }

    /// KEP-4008: a value that is changed has to be valid.
    #[test]
    fn a_value_above_the_maximum_may_stay_but_not_change() {
        let with = |limit: &str| {
            let mut object = deployment();
            object["spec"]["template"]["spec"]["containers"][0]["resources"] = json!({"limits": {"memory": limit}});
            object
        };
        let settings = settings(json!({"maxMemoryLimit": "1Gi"}));
        for (old, new, accepted) in [
            ("4Gi", "4Gi", true),
            ("4Gi", "4096Mi", true),
            ("4Gi", "8Gi", false),
            ("4Gi", "2Gi", false),
            ("4Gi", "1Gi", true),
        ] {
            assert_eq!(decide(&update(with(old), with(new)), &settings).accepted, accepted, "{old} {new}");
        }
    }

    #[test]
    fn defaults_are_given_before_the_object_is_judged() {
        let settings = settings(json!({"defaultSizeLimit": "64Mi", "defaultMemoryLimit": "128Mi"}));
        let decision = decide(&create(deployment()), &settings);
        let mut expected = deployment();
        expected["spec"]["template"]["spec"]["containers"][0]["resources"] = json!({"limits": {"memory": "128Mi"}});
        expected["spec"]["template"]["spec"]["volumes"][0]["emptyDir"]["sizeLimit"] = json!("64Mi");
        assert_eq!(decision, Decision { mutated_object: Some(expected.clone()), ..Decision::accepted() });
        assert_eq!(decide(&create(expected), &settings), Decision::accepted(), "nothing is left to do");
    }

    #[test]
    fn a_size_alone_leaves_the_warning_about_it() {
        let decision = decide(&create(pod()), &settings(json!({"defaultSizeLimit": "64Mi"})));
        assert!(decision.accepted);
        assert_eq!(decision.annotations["rules"], "memory-volume-size-limit-only");
        assert_eq!(decision.mutated_object.unwrap()["spec"]["volumes"][0]["emptyDir"]["sizeLimit"], "64Mi");
    }

    #[test]
    fn what_is_denied_in_spite_of_the_defaults_is_not_changed() {
        let mut object = pod();
        object["spec"]["containers"][0]["resources"] = json!({"requests": {"memory": "2Gi"}});
        let settings = settings(json!({"defaultMemoryLimit": "128Mi", "maxMemoryLimit": "1Gi"}));
        let decision = decide(&create(object), &settings);
        assert!(!decision.accepted);
        assert_eq!(decision.annotations["rules"], "memory-limit-over-max");
        assert_eq!(decision.mutated_object, None);
    }

    #[test]
    fn every_kind_of_container_that_may_carry_resources_gets_a_limit_not_below_its_request() {
        let mounts = json!([{"name": "cache", "mountPath": "/c"}]);
        let mut object = pod();
        object["spec"]["containers"] = json!([
            {"name": "small", "volumeMounts": mounts, "resources": {"requests": {"memory": "64Mi"}, "claims": []}},
            {"name": "large", "volumeMounts": mounts, "resources": {"requests": {"memory": "1.5Gi"}}},
            {"name": "zero", "volumeMounts": mounts, "resources": {"limits": {"memory": "0", "cpu": "1"}}},
            {"name": "limited", "volumeMounts": mounts, "resources": {"limits": {"memory": "1Gi"}}},
            {"name": "reader", "volumeMounts": [{"name": "cache", "readOnly": true}]},
        ]);
        object["spec"]["initContainers"] = json!([
            {"name": "init", "volumeMounts": mounts}, {"name": "sidecar", "restartPolicy": "Always", "volumeMounts": mounts, "resources": null},
        ]);
        object["spec"]["ephemeralContainers"] = json!([{"name": "debug", "volumeMounts": mounts}]);
        let decision = decide(&create(object.clone()), &settings(json!({"defaultMemoryLimit": "256Mi"})));
        for (pointer, resources) in [
            ("containers/0", json!({"requests": {"memory": "64Mi"}, "claims": [], "limits": {"memory": "256Mi"}})),
            ("containers/1", json!({"requests": {"memory": "1.5Gi"}, "limits": {"memory": "1.5Gi"}})),
            ("containers/2", json!({"limits": {"memory": "256Mi", "cpu": "1"}})),
            ("initContainers/0", json!({"limits": {"memory": "256Mi"}})),
            ("initContainers/1", json!({"limits": {"memory": "256Mi"}})),
        ] {
            object.pointer_mut(&format!("/spec/{pointer}")).unwrap()["resources"] = resources;
        }
        assert_eq!(decision.mutated_object, Some(object));
    }

    #[test]
    fn a_size_of_the_author_is_left_alone() {
        let mut object = deployment();
        object["spec"]["template"]["spec"]["volumes"][0]["emptyDir"]["sizeLimit"] = json!("2Gi");
        let decision =
            decide(&create(object), &settings(json!({"defaultSizeLimit": "64Mi", "defaultMemoryLimit": "128Mi"})));
        assert_eq!(decision.mutated_object, None);
        assert_eq!(decision.annotations["rules"], "memory-volume-size-limit-only");
    }

    #[test]
    fn only_new_pods_and_jobs_and_what_an_update_touches_are_changed() {
        let settings = settings(json!({"defaultMemoryLimit": "128Mi"}));
        let mutated = |request: &Value| decide(request, &settings).mutated_object.is_some();
        let mut with_image = deployment();
        with_image["spec"]["template"]["spec"]["containers"][0]["image"] = json!("app:2");
        let mut labelled = deployment();
        labelled["metadata"]["labels"] = json!({"team": "a"});
        let pod_with_image = {
            let mut pod = pod();
            pod["spec"]["containers"][0]["image"] = json!("app:2");
            pod
        };
        let of_kind = |kind: &str, mut object: Value| {
            object["kind"] = json!(kind);
            object
        };
        assert!(mutated(&create(pod())));
        assert!(!mutated(&update(pod(), pod_with_image)));
        assert!(mutated(&create(of_kind("Job", deployment()))));
        assert!(!mutated(&update(of_kind("Job", deployment()), of_kind("Job", with_image.clone()))));
        assert!(mutated(&create(deployment())));
        assert!(mutated(&update(deployment(), with_image)));
        assert!(!mutated(&update(deployment(), labelled)), "a label must not restart the pods");
        let mut unsaid = create(deployment());
        unsaid["operation"] = json!(null);
        assert!(!mutated(&unsaid));
    }

    /// The Deployment controller finds its ReplicaSet by the template (`FindNewReplicaSet`).
    #[test]
    fn the_replica_set_of_a_deployment_is_not_changed() {
        let settings = settings(json!({"defaultMemoryLimit": "128Mi"}));
        let mut object = deployment();
        object["kind"] = json!("ReplicaSet");
        assert!(decide(&create(object.clone()), &settings).mutated_object.is_some());
        object["metadata"]["ownerReferences"] = json!([{"kind": "Deployment", "name": "web", "controller": true}]);
        assert!(decide(&create(object), &settings).mutated_object.is_none());
    }

    #[test]
    fn exempt_images_and_volumes_are_neither_judged_nor_changed() {
        let mut object = pod();
        object["spec"]["containers"][0]["image"] = json!("registry.k8s.io/sig/app:1");
        for exempt in [json!({"exemptImages": ["registry.k8s.io/*"]}), json!({"exemptVolumes": ["cach?"]})] {
            let mut with_defaults = exempt.clone();
            with_defaults["defaultMemoryLimit"] = json!("128Mi");
            assert_eq!(decide(&create(object.clone()), &settings(exempt)), Decision::accepted());
            assert_eq!(decide(&create(object.clone()), &settings(with_defaults)), Decision::accepted());
        }
        let other = settings(json!({"exemptImages": ["docker.io/*"], "exemptVolumes": ["data"]}));
        assert!(!decide(&create(object), &other).accepted);
    }

    #[test]
    fn limit_ranges_count_for_templates_and_are_listed_once() {
        let settings = settings(json!({"readLimitRanges": true, "defaultMemoryLimit": "1Gi", "maxMemoryLimit": "1Gi"}));
        let asked = RefCell::new(Vec::new());
        let decide_with = |request: &Value, memory: &str| {
            decide_in_cluster(request, &settings, &|namespace: &str| {
                asked.borrow_mut().push(namespace.to_owned());
                Ok(json!({"items": [{"spec": {"limits": [{"type": "Container", "default": {"memory": memory}}]}}]}))
            })
        };
        assert_eq!(decide_with(&create(deployment()), "512Mi"), Decision::accepted());
        assert_eq!(decide_with(&update(deployment(), deployment()), "512Mi"), Decision::accepted());
        assert_eq!(decide_with(&create(deployment()), "2Gi").annotations["rules"], "memory-limit-over-max");
        assert_eq!(*asked.borrow(), ["shop"; 3]);

        let mut zero = deployment();
        crate::patch::apply(&mut zero, &[crate::patch::Set { pointer: MEMORY_LIMIT.into(), value: json!("0") }]);
        assert!(decide_with(&create(zero), "512Mi").mutated_object.is_some(), "zero is not replaced by LimitRanger");
        asked.borrow_mut().clear();

        let mut limited = deployment();
        crate::patch::apply(&mut limited, &[crate::patch::Set { pointer: MEMORY_LIMIT.into(), value: json!("1Gi") }]);
        let nothing_to_ask = [create(limited), create(pod()), create(json!({"kind": "Node", "apiVersion": "v1"}))];
        for request in nothing_to_ask {
            decide_with(&request, "512Mi");
        }
        assert!(asked.borrow().is_empty(), "{asked:?}");
    }

    #[test]
    fn limit_ranges_that_cannot_be_read_leave_a_warning() {
        let settings = settings(json!({"readLimitRanges": true}));
        let request = create(deployment());
        let decision = decide_in_cluster(&request, &settings, &|_| Err("access denied".into()));
        assert!(!decision.accepted);
        assert_eq!(decision.warnings, ["noderisk judged without the LimitRanges of shop: access denied"]);
        let decision = decide_in_cluster(&request, &settings, &|_| Ok(json!({"kind": "Status"})));
        assert_eq!(
            decision.warnings,
            ["noderisk judged without the LimitRanges of shop: the answer is no list of LimitRanges"]
        );
    }

    /// `matchPolicy: Equivalent` hands the object over in the version of the rule, and says so in `kind`.
    #[test]
    fn former_api_groups_are_read_like_the_present_ones() {
        for (version, kind) in
            [("extensions/v1beta1", "Deployment"), ("apps/v1beta2", "StatefulSet"), ("apps/v1beta1", "Deployment")]
        {
            let mut object = deployment();
            object["apiVersion"] = json!(version);
            object["kind"] = json!(kind);
            let mut request = create(object);
            request["kind"] = json!({"group": "apps", "version": "v1", "kind": kind});
            request["requestKind"] = json!({"group": "extensions", "version": "v1beta1", "kind": kind});
            assert_eq!(decide(&request, &Settings::default()).code, Some(403), "{version}");
        }
    }

    #[test]
    fn a_dry_run_is_answered_like_the_real_one() {
        let settings = settings(json!({"defaultMemoryLimit": "128Mi"}));
        let mut dry = create(deployment());
        dry["dryRun"] = json!(true);
        assert_eq!(decide(&dry, &settings), decide(&create(deployment()), &settings));
    }

    #[test]
    fn empty_texts_count_as_not_said() {
        let mut request = create(deployment());
        request["namespace"] = json!("");
        request["subResource"] = json!("");
        request["object"]["metadata"] = json!({"name": "web", "namespace": "", "deletionTimestamp": ""});
        let decision = decide(&request, &Settings::default());
        assert!(decision.message.unwrap().starts_with("Deployment/web, container app"));
    }
}
