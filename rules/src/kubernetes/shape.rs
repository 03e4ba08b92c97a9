//! Whether a built-in kind has the types that Kubernetes gives it, as far as pods are judged by them.

use serde_json::Value;

/// Where the built-in kinds keep their pod spec (`k8s.io/api/core/v1`, `apps/v1`, `batch/v1`).
const POD_SPECS: &[(&str, &str)] = &[
    ("Pod", "/spec"),
    ("PodTemplate", "/template/spec"),
    ("ReplicationController", "/spec/template/spec"),
    ("Deployment", "/spec/template/spec"),
    ("ReplicaSet", "/spec/template/spec"),
    ("StatefulSet", "/spec/template/spec"),
    ("DaemonSet", "/spec/template/spec"),
    ("Job", "/spec/template/spec"),
    ("CronJob", "/spec/jobTemplate/spec/template/spec"),
];

/// API groups of the built-in kinds, those of former Kubernetes versions included. Kinds of the same name exist
/// elsewhere (Volcano's `Job`) and are built differently.
const GROUPS: &[&str] = &["", "apps", "batch", "extensions"];

/// The type of a field. A field that is missing or null fits every shape, as it does in Kubernetes.
enum Shape {
    Map(&'static [(&'static str, &'static Shape)]),
    List(&'static Shape),
    Text,
    Flag,
    /// A quantity may be written as a number.
    Quantity,
}

use Shape::{Flag, List, Map, Quantity, Text};

const MEMORY: Shape = Map(&[("memory", &Quantity)]);
const RESOURCES: Shape = Map(&[("limits", &MEMORY), ("requests", &MEMORY)]);
const MOUNT: Shape = Map(&[("name", &Text), ("readOnly", &Flag)]);
const CONTAINER: Shape = Map(&[
    ("name", &Text),
    ("image", &Text),
    ("restartPolicy", &Text),
    ("resources", &RESOURCES),
    ("volumeMounts", &List(&MOUNT)),
]);
const EMPTY_DIR: Shape = Map(&[("medium", &Text), ("sizeLimit", &Quantity)]);
const VOLUME: Shape = Map(&[("name", &Text), ("emptyDir", &EMPTY_DIR)]);
const POD_SPEC: Shape = Map(&[
    ("containers", &List(&CONTAINER)),
    ("initContainers", &List(&CONTAINER)),
    ("ephemeralContainers", &List(&CONTAINER)),
    ("resources", &RESOURCES),
    ("volumes", &List(&VOLUME)),
]);

/// What keeps a built-in kind from being read, for example "/spec/containers must be a list"; `None` when it can be
/// read, and for every other kind.
#[must_use]
pub fn fault(group: &str, kind: &str, object: &Value) -> Option<String> {
    let (_, pod_spec) = POD_SPECS.iter().find(|(name, _)| *name == kind && GROUPS.contains(&group))?;
    let spec = match object.pointer(pod_spec) {
        Some(spec) if spec.get("containers").is_some_and(|list| !list.is_null()) => spec,
        _ => return Some(format!("{pod_spec}/containers is missing")),
    };
    mismatch(spec, &POD_SPEC).map(|fault| format!("{pod_spec}{fault}"))
}

/// The first place that does not fit `shape`, as a pointer from `value` on, and what it must be.
fn mismatch(value: &Value, shape: &Shape) -> Option<String> {
    let expected = match (shape, value) {
        (_, Value::Null)
        | (Text, Value::String(_))
        | (Flag, Value::Bool(_))
        | (Quantity, Value::String(_) | Value::Number(_)) => return None,
        (Map(fields), Value::Object(found)) => {
            let mut fields = fields.iter();
            return fields.find_map(|(name, shape)| Some(format!("/{name}{}", mismatch(found.get(*name)?, shape)?)));
        }
        (List(shape), Value::Array(items)) => {
            let mut items = items.iter().enumerate();
            return items.find_map(|(index, item)| Some(format!("/{index}{}", mismatch(item, shape)?)));
        }
        (Map(_), _) => "an object",
        (List(_), _) => "a list",
        (Text, _) => "a string",
        (Flag, _) => "true or false",
        (Quantity, _) => "a quantity",
    };
    Some(format!(" must be {expected}"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::fault;

    fn pod(spec: Value) -> Option<String> {
        fault("", "Pod", &json!({"spec": spec}))
    }

    #[test]
    fn a_readable_pod_has_no_fault() {
        let container = json!({
            "name": "app",
            "resources": {"limits": {"memory": 268_435_456}, "requests": {"memory": "64Mi"}},
            "volumeMounts": [{"name": "cache", "readOnly": false}],
        });
        let volumes = json!([{"name": "cache", "emptyDir": {"medium": "Memory", "sizeLimit": "64Mi"}}]);
        assert_eq!(pod(json!({"containers": [container], "initContainers": null, "volumes": volumes})), None);
    }

    #[test]
    fn null_is_the_same_as_missing() {
        let container = json!({"name": null, "image": null, "resources": null, "volumeMounts": null});
        assert_eq!(pod(json!({"containers": [container], "volumes": null, "resources": {"limits": null}})), None);
        assert_eq!(pod(json!({"containers": null})), Some("/spec/containers is missing".into()));
    }

    #[test]
    fn a_wrong_type_is_named_with_its_place() {
        let faults = [
            (json!([]), "/spec/containers is missing"),
            (json!({}), "/spec/containers is missing"),
            (json!({"containers": {}}), "/spec/containers must be a list"),
            (json!({"containers": ["app"]}), "/spec/containers/0 must be an object"),
            (json!({"containers": [], "initContainers": 1}), "/spec/initContainers must be a list"),
            (json!({"containers": [{"name": 5}]}), "/spec/containers/0/name must be a string"),
            (
                json!({"containers": [{}, {"resources": {"limits": {"memory": ["1Gi"]}}}]}),
                "/spec/containers/1/resources/limits/memory must be a quantity",
            ),
            (
                json!({"containers": [{"volumeMounts": [{"readOnly": "yes"}]}]}),
                "/spec/containers/0/volumeMounts/0/readOnly must be true or false",
            ),
            (
                json!({"containers": [], "volumes": [{"emptyDir": "Memory"}]}),
                "/spec/volumes/0/emptyDir must be an object",
            ),
        ];
        for (spec, expected) in faults {
            assert_eq!(pod(spec), Some(expected.into()));
        }
    }

    #[test]
    fn each_kind_has_its_own_place() {
        let empty = json!({});
        for (group, kind, pointer) in [
            ("apps", "Deployment", "/spec/template/spec"),
            ("extensions", "DaemonSet", "/spec/template/spec"),
            ("batch", "CronJob", "/spec/jobTemplate/spec/template/spec"),
            ("", "PodTemplate", "/template/spec"),
        ] {
            assert_eq!(fault(group, kind, &empty), Some(format!("{pointer}/containers is missing")));
        }
    }

    #[test]
    fn kinds_of_other_groups_are_not_judged_by_their_name() {
        assert_eq!(fault("batch.volcano.sh", "Job", &json!({"spec": {"tasks": []}})), None);
        assert_eq!(fault("", "ConfigMap", &json!({})), None);
    }
}
