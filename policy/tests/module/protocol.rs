//! What the module asks of its host, and the calls beside `validate`.

use serde_json::{Value, json};

use crate::host::Host;

#[test]
fn imports_nothing_but_the_protocol_with_its_host_call_and_what_the_standard_library_needs() {
    assert_eq!(
        Host::load().imports(),
        [
            "wapc.__guest_error",
            "wapc.__guest_request",
            "wapc.__guest_response",
            "wapc.__host_call",
            "wapc.__host_error",
            "wapc.__host_error_len",
            "wapc.__host_response",
            "wapc.__host_response_len",
            "wasi_snapshot_preview1.environ_get",
            "wasi_snapshot_preview1.environ_sizes_get",
            "wasi_snapshot_preview1.fd_write",
            "wasi_snapshot_preview1.proc_exit",
            "wasi_snapshot_preview1.random_get",
        ]
    );
}

/// A policy-server downloads and compiles the module before it answers its first request. `make bench` compares the size
/// with that of the same check written with the SDK's types.
#[test]
fn is_small() {
    let bytes = std::fs::metadata(Host::module()).unwrap().len();
    assert!(bytes <= 300_000, "{bytes} bytes");
}

#[test]
fn speaks_protocol_version_1() {
    assert_eq!(Host::load().call("protocol_version", b""), json!("v1"));
}

#[test]
fn good_settings_are_valid() {
    for settings in [
        "{}",
        "null",
        r#"{"rules": {"memory-volume-size-limit-only": "deny"}}"#,
        r#"{"defaultSizeLimit": "64Mi", "maxSizeLimit": "1Gi", "defaultMemoryLimit": "256Mi", "maxMemoryLimit": "8Gi", "exemptImages": ["registry.k8s.io/*"], "exemptVolumes": ["linkerd-identity-end-entity"], "nodeFindings": "warn", "readLimitRanges": false}"#,
    ] {
        let response = Host::load().call("validate_settings", settings.as_bytes());
        assert_eq!(response, json!({"valid": true, "message": null}), "{settings}");
    }
}

#[test]
fn bad_settings_are_refused_with_a_readable_message() {
    for (settings, message) in [
        (
            r#"{"nope": 1}"#,
            "unknown setting `nope`; allowed: defaultSizeLimit, maxSizeLimit, defaultMemoryLimit, maxMemoryLimit, \
             exemptImages, exemptVolumes, rules, nodeFindings, readLimitRanges",
        ),
        (
            r#"{"defaultSizeLimit": "2Gi", "maxSizeLimit": "1Gi"}"#,
            "defaultSizeLimit: 2Gi is larger than maxSizeLimit, 1Gi; allowed: at most maxSizeLimit",
        ),
        (
            r#"{"maxMemoryLimit": "8GB"}"#,
            "maxMemoryLimit: \"8GB\" is no size: `8GB` has the unknown suffix `GB`; write Ki, Mi, Gi, Ti, Pi, Ei, or k, M, \
             G, T, P, E; allowed: quantities such as 64Mi, 1Gi",
        ),
        (r#"["deny"]"#, r#"settings: ["deny"] is no map of names to values"#),
        (
            r#"{"rules": {"inotify-instances-low": "reject"}}"#,
            r#"rules.inotify-instances-low: "reject" is no action; allowed: "deny", "warn", "off""#,
        ),
        ("", "EOF while parsing a value at line 1 column 0"),
        ("{", "EOF while parsing an object at line 1 column 1"),
    ] {
        let response = Host::load().call("validate_settings", settings.as_bytes());
        assert_eq!(response, json!({"valid": false, "message": message}), "{settings}");
    }
}

/// Not every host takes a fresh instance for each request.
#[test]
fn ten_thousand_calls_of_one_instance_take_no_more_memory_than_a_hundred() {
    let mut instance = Host::load().instance();
    let pod = |size: Value| {
        let volume = json!({"name": "v", "emptyDir": {"medium": "Memory", "sizeLimit": size}});
        let container = json!({"name": "c", "volumeMounts": [{"name": "v"}]});
        json!({"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [container], "volumes": [volume]}})
    };
    let settings = json!({"defaultMemoryLimit": "256Mi"});
    let requests = [
        json!({"operation": "CREATE", "object": pod(json!(null))}),
        json!({"operation": "CREATE", "object": pod(json!("1Gi"))}),
        json!({"operation": "UPDATE", "object": pod(json!(null))}),
        json!({"operation": "DELETE"}),
    ];
    let payloads = requests.map(|request| json!({"request": request, "settings": settings}).to_string().into_bytes());
    let mut calls = payloads.iter().cycle();
    let mut call = |count| {
        for payload in calls.by_ref().take(count) {
            instance.call("validate", payload);
        }
        instance.memory()
    };
    let after_a_hundred = call(100);
    assert_eq!(call(9_900), after_a_hundred);
}
