//! LimitRanges: the memory limit that the API server gives to containers without one.
//!
//! Source: `defaultContainerResourceRequirements` and `mergeContainerResources` in
//! `plugin/pkg/admission/limitranger/admission.go`.

use serde_json::Value;

use crate::kubernetes::pod::{self, Amount, Container};
use crate::patch::Set;

/// The memory limit that the items of a `LimitRangeList` give to containers without one. When several do, which one
/// comes first is not defined, so the largest counts.
///
/// # Errors
/// What is wrong with the list.
pub fn default_limit(list: &Value) -> Result<Option<Value>, String> {
    let items = list.get("items").and_then(Value::as_array).ok_or("the answer is no list of LimitRanges")?;
    let limits = items.iter().filter_map(|item| item.pointer("/spec/limits")?.as_array()).flatten();
    let defaults =
        limits.filter(|limit| limit.get("type").and_then(Value::as_str) == Some("Container")).filter_map(|limit| {
            // A maximum without a default is the default (`SetDefaults_LimitRangeItem` in `pkg/apis/core/v1`).
            let default = ["/default/memory", "/max/memory"].iter().find_map(|pointer| limit.pointer(pointer))?;
            Some((Amount::read(Some(default)).bytes()?, default))
        });
    Ok(defaults.max_by_key(|(bytes, _)| *bytes).map(|(_, default)| default.clone()))
}

/// Whether a pod template in `object` has a container that a LimitRange could give a memory limit to.
#[must_use]
pub fn may_default(object: &Value) -> bool {
    !edits(object, &Value::Null).is_empty()
}

/// The edits that give `default` to the containers of pod templates as the API server will do once their pods are
/// created. A limit that is there stays, even zero. A Pod has its defaults already: LimitRanger comes before webhooks.
#[must_use]
pub fn edits(object: &Value, default: &Value) -> Vec<Set> {
    let pods = pod::walk(object).pods;
    let containers = pods.iter().filter(|pod| !pod.is_pod).flat_map(|pod| pod.limitable_containers());
    let pointers = containers.map(|Container { pointer, .. }| format!("{pointer}/resources/limits/memory"));
    pointers
        .filter(|pointer| object.pointer(pointer).is_none())
        .map(|pointer| Set { pointer, value: default.clone() })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{default_limit, edits, may_default};

    fn list(limits: &Value) -> Value {
        json!({"kind": "LimitRangeList", "apiVersion": "v1", "items": [{"metadata": {"name": "mem"}, "spec": {"limits": limits}}]})
    }

    /// Kubernetes' own example (memory-defaults), and a maximum that serves as the default.
    #[test]
    fn the_default_of_containers_counts_else_their_maximum() {
        for (limits, default) in [
            (
                json!([{"type": "Container", "default": {"memory": "512Mi"}, "defaultRequest": {"memory": "256Mi"}}]),
                Some("512Mi"),
            ),
            (json!([{"type": "Container", "max": {"memory": "1Gi"}}]), Some("1Gi")),
            (json!([{"type": "Container", "default": {"memory": "512Mi"}, "max": {"memory": "1Gi"}}]), Some("512Mi")),
            (json!([{"type": "Container", "default": {"cpu": "1"}}]), None),
            (json!([{"type": "Container", "defaultRequest": {"memory": "256Mi"}, "min": {"memory": "1Mi"}}]), None),
            (json!([{"type": "Pod", "max": {"memory": "1Gi"}}, {"type": "PersistentVolumeClaim"}]), None),
            (json!([{"type": "Container", "default": {"memory": "0"}}]), None),
            (
                json!([{"type": "Container", "default": {"memory": "512Mi"}}, {"type": "Container", "default": {"memory": "1G"}}]),
                Some("1G"),
            ),
            (json!([]), None),
            (json!(null), None),
            (json!([null, 7, {"type": "Container", "default": "512Mi"}]), None),
        ] {
            assert_eq!(default_limit(&list(&limits)), Ok(default.map(Value::from)), "{limits}");
        }
    }

    #[test]
    fn what_is_no_list_is_an_error() {
        for answer in [json!(null), json!("x"), json!({"items": {}}), json!([])] {
            assert_eq!(default_limit(&answer), Err("the answer is no list of LimitRanges".into()), "{answer}");
        }
    }

    #[test]
    fn containers_of_templates_without_a_limit_get_it() {
        let spec = json!({
            "containers": [
                {"name": "none"}, {"name": "null", "resources": {"limits": null}},
                {"name": "zero", "resources": {"limits": {"memory": "0"}}}, {"name": "own", "resources": {"limits": {"memory": "1Gi"}}},
            ],
            "initContainers": [{"name": "init"}],
            "ephemeralContainers": [{"name": "debug"}],
        });
        let deployment = json!({"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"template": {"spec": spec}}});
        let pointers: Vec<String> = edits(&deployment, &json!("512Mi")).into_iter().map(|edit| edit.pointer).collect();
        assert_eq!(
            pointers,
            ["containers/0", "containers/1", "initContainers/0"]
                .map(|container| { format!("/spec/template/spec/{container}/resources/limits/memory") })
        );
        assert!(may_default(&deployment));
        let pod = json!({"apiVersion": "v1", "kind": "Pod", "spec": spec});
        assert!(!may_default(&pod), "a Pod has got its defaults");
    }
}
