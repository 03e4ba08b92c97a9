//! LimitRanges: the memory limit that the API server gives to containers without one.
//!
//! Source: `defaultContainerResourceRequirements` and `mergeContainerResources` in
//! `plugin/pkg/admission/limitranger/admission.go`.

use serde_json::Value;

use crate::kubernetes::pod::{self, Amount, Container};
use crate::patch::Set;

/// The memory that a namespace's LimitRange gives to containers that ask for none, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitRange {
    /// Its namespace, when the object says.
    pub namespace: Option<String>,
    /// For containers without a limit.
    pub limit: Option<u128>,
    /// For containers without a limit and a request.
    pub request: Option<u128>,
}

impl LimitRange {
    /// Read a LimitRange object; `None` when it has no memory defaults for containers. Of several items the one with the
    /// largest limit counts.
    ///
    /// A maximum is the limit when there is no default, a limit is the request when there is no default request, and a
    /// minimum comes last (`SetDefaults_LimitRangeItem` in `pkg/apis/core/v1/defaults.go`).
    #[must_use]
    pub fn read(object: &Value) -> Option<Self> {
        let memory = |item: &Value, list: &str| Amount::read(item.pointer(&format!("/{list}/memory"))).bytes();
        let defaults = container_items(object).map(|item| {
            let limit = memory(item, "default").or_else(|| memory(item, "max"));
            let request = memory(item, "defaultRequest").or(limit).or_else(|| memory(item, "min"));
            (limit, request)
        });
        let (limit, request) = defaults.max()?;
        let namespace = object.pointer("/metadata/namespace").and_then(Value::as_str).map(str::to_owned);
        request.or(limit).map(|_| Self { namespace, limit, request })
    }
}

/// The items of a LimitRange that are about containers.
fn container_items(limit_range: &Value) -> impl Iterator<Item = &Value> {
    let items = limit_range.pointer("/spec/limits").and_then(Value::as_array).into_iter().flatten();
    items.filter(|item| item.get("type").and_then(Value::as_str) == Some("Container"))
}

/// The memory limit that the items of a `LimitRangeList` give to containers without one. When several do, which one
/// comes first is not defined, so the largest counts.
///
/// # Errors
/// What is wrong with the list.
pub fn default_limit(list: &Value) -> Result<Option<Value>, String> {
    let items = list.get("items").and_then(Value::as_array).ok_or("the answer is no list of LimitRanges")?;
    let defaults = items.iter().flat_map(container_items).filter_map(|item| {
        // A maximum without a default is the default (`SetDefaults_LimitRangeItem` in `pkg/apis/core/v1`).
        let default = ["/default/memory", "/max/memory"].iter().find_map(|pointer| item.pointer(pointer))?;
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
    let pods = pod::pods(object);
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

    use super::{LimitRange, default_limit, edits, may_default};

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

    /// `SetDefaults_LimitRangeItem`: max, then default, then defaultRequest, then min.
    #[test]
    fn defaults_follow_from_each_other() {
        let read = |item: &Value| {
            LimitRange::read(&json!({"metadata": {"namespace": "shop"}, "spec": {"limits": [item]}}))
                .map(|range| (range.limit.map(|limit| limit >> 20), range.request.map(|request| request >> 20)))
        };
        let memory = |memory: &str| json!({"memory": memory});
        for (item, expected) in [
            (json!({"type": "Container", "default": memory("512Mi")}), Some((Some(512), Some(512)))),
            (
                json!({"type": "Container", "default": memory("512Mi"), "defaultRequest": memory("64Mi")}),
                Some((Some(512), Some(64))),
            ),
            (json!({"type": "Container", "max": memory("1Gi"), "min": memory("16Mi")}), Some((Some(1024), Some(1024)))),
            (json!({"type": "Container", "defaultRequest": memory("64Mi")}), Some((None, Some(64)))),
            (json!({"type": "Container", "min": memory("16Mi")}), Some((None, Some(16)))),
            (json!({"type": "Container", "default": {"cpu": 1}}), None),
            (json!({"type": "Pod", "max": memory("1Gi")}), None),
        ] {
            assert_eq!(read(&item), expected, "{item}");
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
