//! The requests to judge, as an API server sends them when an object is created.

use serde_json::{Value, json};

/// One request.
pub struct Input {
    /// What `FILTER` picks it by.
    pub name: &'static str,
    /// The payload of the call `validate`.
    pub payload: Vec<u8>,
    /// What both policies have to answer.
    pub accepted: bool,
    /// The policy promises to be faster than its typed peer here.
    pub promised: bool,
}

/// All inputs, from the smallest to the largest.
pub fn all() -> Vec<Input> {
    let deployment = |limits, variables| workload(&pod_spec(10, limits, variables));
    vec![
        input("policy/pod", true, false, &pod(&pod_spec(1, true, 4))),
        input("policy/deployment", true, true, &deployment(true, 4)),
        input("policy/deployment-rejected", false, false, &deployment(false, 4)),
        input("policy/custom-resource", true, false, &custom_resource_definition(2_000)),
        input("policy/megabyte", true, false, &deployment(true, 1_250)),
    ]
}

/// Ten times as large as the largest object that etcd takes by default.
pub fn huge() -> Input {
    input("policy/ten-megabytes", true, false, &workload(&pod_spec(10, true, 12_500)))
}

fn input(name: &'static str, accepted: bool, promised: bool, object: &Value) -> Input {
    let (group, version) = match object["apiVersion"].as_str() {
        Some(version) => version.split_once('/').unwrap_or(("", version)),
        None => ("", ""),
    };
    let kind = json!({"group": group, "version": version, "kind": object["kind"]});
    let resource = json!({"group": group, "version": version, "resource": "objects"});
    let payload = json!({
        "request": {
            "uid": "1299d386-525b-4032-98ae-1949f69f9cfc",
            "kind": kind, "resource": resource, "requestKind": kind, "requestResource": resource,
            "name": object["metadata"]["name"],
            "namespace": object["metadata"]["namespace"].as_str().unwrap_or_default(),
            "operation": "CREATE",
            "userInfo": {"username": "kubernetes-admin", "groups": ["system:masters", "system:authenticated"]},
            "object": object,
            "dryRun": false,
            "options": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1", "fieldManager": "kubectl-create"},
        },
        "settings": {},
    });
    Input { name, payload: payload.to_string().into_bytes(), accepted, promised }
}

fn pod(spec: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata(), "spec": spec})
}

fn workload(spec: &Value) -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata(),
        "spec": {
            "replicas": 3,
            "revisionHistoryLimit": 10,
            "selector": {"matchLabels": {"app": "web"}},
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},
            "template": {"metadata": {"labels": {"app": "web"}, "creationTimestamp": null}, "spec": spec},
        },
    })
}

fn metadata() -> Value {
    json!({
        "name": "web",
        "namespace": "shop",
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "labels": {"app": "web", "app.kubernetes.io/managed-by": "Helm", "team": "shop"},
        "annotations": {"meta.helm.sh/release-name": "web", "meta.helm.sh/release-namespace": "shop"},
    })
}

/// Containers with a memory volume and some environment variables each; `limited` gives them memory limits.
fn pod_spec(containers: usize, limited: bool, variables: usize) -> Value {
    let volume = |index| json!({"name": format!("cache-{index}"), "emptyDir": {"medium": "Memory"}});
    json!({
        "containers": (0..containers).map(|index| container(index, limited, variables)).collect::<Vec<_>>(),
        "volumes": (0..containers).map(volume).collect::<Vec<_>>(),
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst",
        "serviceAccountName": "web",
        "securityContext": {"runAsNonRoot": true, "fsGroup": 1000, "seccompProfile": {"type": "RuntimeDefault"}},
        "schedulerName": "default-scheduler",
        "tolerations": [
            {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
        ],
    })
}

fn container(index: usize, limited: bool, variables: usize) -> Value {
    let variable = |number| {
        let value = format!("https://service-{number}.shop.svc.cluster.local:8443/v1");
        json!({"name": format!("SERVICE_{number}_URL"), "value": value})
    };
    let probe = |path| json!({"httpGet": {"path": path, "port": "http", "scheme": "HTTP"}, "periodSeconds": 10, "failureThreshold": 3});
    let limits = if limited { json!({"memory": "256Mi", "cpu": "1"}) } else { json!({"cpu": "1"}) };
    json!({
        "name": format!("app-{index}"),
        "image": format!("registry.example.com/shop/app-{index}:1.27.3"),
        "imagePullPolicy": "IfNotPresent",
        "ports": [{"name": "http", "containerPort": 8080 + index, "protocol": "TCP"}],
        "env": (0..variables).map(variable).collect::<Vec<_>>(),
        "resources": {"requests": {"memory": "128Mi", "cpu": "100m"}, "limits": limits},
        "volumeMounts": [{"name": format!("cache-{index}"), "mountPath": "/cache"}],
        "livenessProbe": probe("/healthz"),
        "readinessProbe": probe("/ready"),
        "securityContext": {"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
    })
}

/// A large object without pods, of a kind that the SDK has no type for.
fn custom_resource_definition(fields: usize) -> Value {
    let field = |index| {
        let schema = json!({
            "type": "object",
            "description": "What the operator does with this part, and which defaults it takes when nothing is said.",
            "properties": {"enabled": {"type": "boolean", "default": true}, "size": {"type": "integer", "minimum": 0}},
            "required": ["enabled"],
        });
        (format!("field{index}"), schema)
    };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "shops.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": "Shop", "plural": "shops"},
            "scope": "Namespaced",
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "properties": (0..fields).map(field).collect::<serde_json::Map<_, _>>(),
            }}}],
        },
    })
}
