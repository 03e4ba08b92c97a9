//! Memory volumes in every workload kind of Kubernetes: who writes and how it is limited decides, the kind does not.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use rules::report::{Finding, Severity};
use rules::settings::Settings;
use rules::{Context, Input, check, check_object};
use serde_json::{Value, json};

/// Each kind with its API version and where it keeps the pod spec (`k8s.io/api/core/v1`, `apps/v1`, `batch/v1`).
const KINDS: [(&str, &str, &str); 9] = [
    ("Pod", "v1", "/spec"),
    ("Deployment", "apps/v1", "/spec/template/spec"),
    ("ReplicaSet", "apps/v1", "/spec/template/spec"),
    ("StatefulSet", "apps/v1", "/spec/template/spec"),
    ("DaemonSet", "apps/v1", "/spec/template/spec"),
    ("ReplicationController", "v1", "/spec/template/spec"),
    ("Job", "batch/v1", "/spec/template/spec"),
    ("CronJob", "batch/v1", "/spec/jobTemplate/spec/template/spec"),
    ("PodTemplate", "v1", "/template/spec"),
];

/// The part that the container which writes to the volume plays in its pod.
#[derive(Clone, Copy, Debug)]
enum Writer {
    Regular,
    Init,
    Sidecar,
}

const WRITERS: [Writer; 3] = [Writer::Regular, Writer::Init, Writer::Sidecar];

/// How the memory of the writer is limited.
struct Form {
    name: &'static str,
    /// `resources` of the writer.
    resources: Value,
    /// `resources` of the pod spec.
    of_pod: Value,
    /// Objects beside the workload.
    beside: Option<Value>,
    limits: bool,
}

/// Kubernetes takes zero and null for no limit; a limit of the pod (KEP-2837) and LimitRanger's default are limits.
fn forms() -> Vec<Form> {
    let form = |name, resources, limits| Form { name, resources, of_pod: json!(null), beside: None, limits };
    let limit = |memory: Value| json!({"limits": {"memory": memory}});
    vec![
        form("missing", json!({}), false),
        form("null", limit(json!(null)), false),
        form("text zero", limit(json!("0")), false),
        form("zero", limit(json!(0)), false),
        form("request only", json!({"requests": {"memory": "256Mi"}}), false),
        form("text", limit(json!("256Mi")), true),
        form("bytes", limit(json!(268_435_456)), true),
        Form { of_pod: limit(json!("512Mi")), ..form("pod", json!({}), true) },
        Form {
            beside: Some(json!({
                "apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "memory", "namespace": "shop"},
                "spec": {"limits": [{"type": "Container", "default": {"memory": "256Mi"}}]},
            })),
            ..form("LimitRange", json!({}), true)
        },
    ]
}

/// A pod with a limited container `app` and volume `v`; the writer mounts the volume.
fn pod_spec(writer: Writer, form: &Form, volume: &Value) -> Value {
    let limited = json!({"limits": {"memory": "256Mi"}});
    let mut container =
        json!({"name": "writer", "resources": form.resources, "volumeMounts": [{"name": "v", "mountPath": "/v"}]});
    let mut spec = json!({
        "containers": [{"name": "app", "resources": limited}],
        "resources": form.of_pod,
        "volumes": [{"name": "v", "emptyDir": volume}],
    });
    match writer {
        Writer::Regular => spec["containers"].as_array_mut().unwrap().push(container),
        Writer::Init => spec["initContainers"] = json!([container]),
        Writer::Sidecar => {
            container["restartPolicy"] = json!("Always");
            spec["initContainers"] = json!([container]);
        }
    }
    spec
}

/// A workload whose pods have this spec.
fn workload(kind: &str, version: &str, pointer: &str, spec: Value) -> Value {
    let fields = pointer.trim_start_matches('/').rsplit('/');
    let mut object = fields.fold(spec, |below, field| json!({field: below}));
    object["apiVersion"] = json!(version);
    object["kind"] = json!(kind);
    object["metadata"] = json!({"name": "w", "namespace": "shop"});
    object
}

/// Findings about memory volumes, which text and object must agree on.
fn findings(object: &Value, beside: Option<&Value>) -> Vec<Finding> {
    let items: Vec<&Value> = beside.into_iter().chain([object]).collect();
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
    let settings = Settings::default();
    let about_volumes = |mut findings: Vec<Finding>| {
        findings.retain(|finding| finding.rule.starts_with("memory-volume-"));
        findings.iter_mut().flat_map(|finding| &mut finding.evidence).for_each(|evidence| evidence.place.span = None);
        findings
    };
    let from_object = about_volumes(check_object(&list, &Context::default(), &settings).findings);
    let yaml = serde_yaml::to_string(&list).unwrap();
    let from_text = about_volumes(check(&[Input::new("list.yaml", yaml)], &settings).findings);
    assert_eq!(from_text, from_object, "{object}");
    from_object
}

#[test]
fn the_writers_limit_and_the_size_decide_in_every_kind() {
    for (kind, version, pointer) in KINDS {
        for writer in WRITERS {
            for form in forms() {
                for (size, rule, severity) in [
                    (json!(null), "memory-volume-unlimited-writer", Severity::Error),
                    (json!("128Mi"), "memory-volume-size-limit-only", Severity::Warning),
                ] {
                    let spec = pod_spec(writer, &form, &json!({"medium": "Memory", "sizeLimit": size}));
                    let found = findings(&workload(kind, version, pointer, spec), form.beside.as_ref());
                    let case = format!("{kind}, {writer:?}, {}, sizeLimit {size}", form.name);
                    let fired: Vec<_> = found.iter().map(|found| (found.rule.as_ref(), found.severity)).collect();
                    assert_eq!(fired, if form.limits { vec![] } else { vec![(rule, severity)] }, "{case}");
                    for finding in found {
                        assert_eq!(finding.object, Some(format!("{kind}/shop/w")), "{case}");
                        assert_eq!(finding.container.as_deref(), Some("writer"), "{case}");
                        assert_eq!(finding.volume.as_deref(), Some("v"), "{case}");
                    }
                }
            }
        }
    }
}

#[test]
fn other_media_unmounted_volumes_and_readers_are_quiet_in_every_kind() {
    let memory = json!({"medium": "Memory"});
    let unlimited = &forms()[0];
    for (kind, version, pointer) in KINDS {
        for writer in WRITERS {
            let quiet = |name: &str, spec: Value| {
                let found = findings(&workload(kind, version, pointer, spec), None);
                assert_eq!(found, [], "{kind}, {writer:?}, {name}");
            };
            for disk in [json!({}), json!(null), json!({"medium": ""}), json!({"sizeLimit": "1Gi"})] {
                quiet("disk", pod_spec(writer, unlimited, &disk));
            }
            for medium in ["HugePages", "HugePages-2Mi", "HugePages-1Gi"] {
                quiet(medium, pod_spec(writer, unlimited, &json!({"medium": medium})));
            }
            let list = if matches!(writer, Writer::Regular) { "/containers/1" } else { "/initContainers/0" };
            let mut unmounted = pod_spec(writer, unlimited, &memory);
            unmounted.pointer_mut(list).unwrap()["volumeMounts"] = json!([]);
            quiet("unmounted", unmounted);
            let mut reader = pod_spec(writer, unlimited, &memory);
            reader.pointer_mut(list).unwrap()["volumeMounts"][0]["readOnly"] = json!(true);
            quiet("read-only", reader);
        }
    }
}
