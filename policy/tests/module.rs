//! The built module in a waPC host: what a policy-server would see.

mod host;

use std::path::Path;

use serde_json::{Value, json};

use crate::host::Host;

#[test]
fn imports_nothing_but_the_protocol_and_what_the_standard_library_needs() {
    assert_eq!(
        Host::load().imports(),
        [
            "wapc.__guest_error",
            "wapc.__guest_request",
            "wapc.__guest_response",
            "wasi_snapshot_preview1.environ_get",
            "wasi_snapshot_preview1.environ_sizes_get",
            "wasi_snapshot_preview1.fd_write",
            "wasi_snapshot_preview1.proc_exit",
            "wasi_snapshot_preview1.random_get",
        ]
    );
}

#[test]
fn speaks_protocol_version_1() {
    assert_eq!(Host::load().call("protocol_version", b""), json!("v1"));
}

#[test]
fn denies_a_memory_volume_without_a_memory_limit_and_names_container_volume_and_remedy() {
    for (file, parts) in [
        ("deployment_unlimited", ["Deployment/default/memvol", "container busybox", "volume memvol"]),
        ("cronjob_unlimited", ["CronJob/default/memvol", "container busybox", "volume memvol"]),
        ("pod_init_writer_unlimited", ["Pod/default/memvol", "container warm-up", "volume memvol"]),
    ] {
        let response = Host::load().validate(&request(file), &json!({}));
        assert_eq!(response["accepted"], json!(false), "{file}");
        assert_eq!(response["code"], json!(403), "{file}");
        assert_eq!(response["mutated_object"], json!(null), "{file}");
        assert_eq!(response["audit_annotations"]["severity"], json!("error"), "{file}");
        let message = response["message"].as_str().unwrap();
        let first_line = message.lines().next().unwrap();
        assert!(first_line.len() < 256, "{first_line}");
        for part in parts.into_iter().chain(["limits.memory"]) {
            assert!(first_line.contains(part), "{part} is not in {first_line}");
        }
        assert!(message.contains("\n- memory-volume-unlimited-writer: "), "{message}");
    }
}

#[test]
fn accepts_what_is_limited_and_what_has_no_pods() {
    for file in ["deployment_limited", "configmap"] {
        assert_eq!(Host::load().validate(&request(file), &json!({})), acceptance(), "{file}");
    }
}

#[test]
fn deleting_is_always_allowed() {
    let mut delete = request("pod_delete");
    assert_eq!(Host::load().validate(&delete, &json!({})), acceptance());
    delete["object"] = delete["oldObject"].take();
    assert_eq!(Host::load().validate(&delete, &json!({})), acceptance());
}

#[test]
fn a_finding_of_level_warning_becomes_a_warning() {
    let response = Host::load().validate(&request("deployment_size_limit_only"), &json!({}));
    assert_eq!(response["accepted"], json!(true));
    assert_eq!(response["message"], json!(null));
    let warnings = response["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let warning = warnings[0].as_str().unwrap();
    assert!(warning.len() <= 120, "{warning}");
    assert!(warning.starts_with("Deployment/default/memvol, container busybox, volume memvol: "), "{warning}");
    assert_eq!(response["audit_annotations"], json!({"rules": "memory-volume-size-limit-only", "severity": "warning"}));
}

#[test]
fn settings_decide_what_a_rule_does() {
    let host = Host::load();
    let answer = |file, rule: &str, action| {
        let response = host.validate(&request(file), &json!({"rules": {rule: action}}));
        (response["accepted"].as_bool().unwrap(), response["warnings"].as_array().unwrap().len())
    };
    assert_eq!(answer("deployment_unlimited", "memory-volume-unlimited-writer", "warn"), (true, 1));
    assert_eq!(answer("deployment_unlimited", "memory-volume-unlimited-writer", "off"), (true, 0));
    assert_eq!(answer("deployment_size_limit_only", "memory-volume-size-limit-only", "deny"), (false, 0));
    assert_eq!(answer("deployment_size_limit_only", "memory-volume-size-limit-only", "off"), (true, 0));
}

#[test]
fn good_settings_are_valid() {
    for settings in ["{}", "null", r#"{"rules": {"memory-volume-size-limit-only": "deny"}}"#] {
        let response = Host::load().call("validate_settings", settings.as_bytes());
        assert_eq!(response, json!({"valid": true, "message": null}), "{settings}");
    }
}

#[test]
fn bad_settings_are_refused_with_a_readable_message() {
    for (settings, message) in [
        (r#"{"nope": 1}"#, "unknown setting `nope`; allowed: rules"),
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

#[test]
fn wrong_settings_reject_every_request() {
    let response = Host::load().validate(&request("deployment_limited"), &json!({"nope": 1}));
    assert_unreadable(&response, "wrong policy settings: unknown setting `nope`");
}

#[test]
fn what_cannot_be_read_is_rejected_with_the_reason() {
    let host = Host::load();
    let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
    for (payload, reason) in [
        (String::new(), "EOF while parsing a value at line 1 column 0"),
        ("{\"request\":".into(), "EOF while parsing a value"),
        ("\u{0}\u{1}".into(), "expected value at line 1 column 1"),
        (r#"{"request": {"object": 1e999}}"#.into(), "number out of range"),
        (deep, "recursion limit exceeded"),
        ("{}".into(), "it is not an object"),
        ("null".into(), "it is not an object"),
        ("[]".into(), "it is not an object"),
        (r#"{"request": "CREATE"}"#.into(), "it is not an object"),
        (r#"{"request": {"operation": "CREATE"}}"#.into(), "it carries no object"),
        (r#"{"request": {"operation": "UPDATE", "object": null}}"#.into(), "it carries no object"),
        (r#"{"request": {"operation": "CREATE", "object": []}}"#.into(), "its object is not a JSON object"),
        (
            r#"{"request": {"object": {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": {}}}}}"#.into(),
            "/spec/containers must be a list",
        ),
        (
            r#"{"request": {"kind": {"group": "apps", "kind": "Deployment"}, "object": {}}}"#.into(),
            "/spec/template/spec/containers is missing",
        ),
    ] {
        assert_unreadable(&host.call("validate", payload.as_bytes()), reason);
    }
    assert_unreadable(&host.call("validate", b"\xff\xfe"), "expected value at line 1 column 1");
}

#[test]
fn a_deep_object_is_rejected_and_a_large_one_is_judged() {
    let host = Host::load();
    let deep = format!("{}null{}", "{\"a\":".repeat(10_000), "}".repeat(10_000));
    let payload = format!(r#"{{"request": {{"operation": "CREATE", "object": {deep}}}, "settings": {{}}}}"#);
    assert_unreadable(&host.call("validate", payload.as_bytes()), "recursion limit exceeded");

    let mut large = request("deployment_unlimited");
    large["object"]["metadata"]["annotations"] = json!({"note": "x".repeat(10_000_000)});
    assert_eq!(host.validate(&large, &json!({}))["accepted"], json!(false));

    let container = large["object"]["spec"]["template"]["spec"]["containers"][0].clone();
    large["object"]["spec"]["template"]["spec"]["containers"] = json!(vec![container; 1_000]);
    assert_eq!(host.validate(&large, &json!({}))["accepted"], json!(false));
}

/// Every field of every request in turn becomes null and each wrong type. Whatever the answer is, there is one, and a
/// rejection says why.
#[test]
fn any_field_of_any_type_is_answered() {
    let host = Host::load();
    for file in ["deployment_unlimited", "pod_init_writer_unlimited", "deployment_size_limit_only", "pod_delete"] {
        let original = request(file);
        for pointer in pointers(&original) {
            for wrong in
                [json!(null), json!("x"), json!(-1.5e300), json!(true), json!([null, {}, 7]), json!({"": null})]
            {
                let mut request = original.clone();
                *request.pointer_mut(&pointer).unwrap() = wrong;
                let response = host.validate(&request, &json!({}));
                let accepted = response["accepted"].as_bool().unwrap();
                assert!(accepted || response["message"].as_str().is_some_and(|message| !message.is_empty()));
            }
        }
    }
}

#[test]
fn explicit_nulls_beside_the_object_change_nothing() {
    let host = Host::load();
    for (file, accepted) in [("deployment_unlimited", false), ("deployment_limited", true), ("pod_delete", true)] {
        let mut request = request(file);
        for (field, value) in request.as_object_mut().unwrap() {
            if field != "object" && field != "operation" {
                *value = Value::Null;
            }
        }
        assert_eq!(host.validate(&request, &json!(null))["accepted"], json!(accepted), "{file}");
    }
}

/// An AdmissionRequest of `test_data`.
fn request(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("test_data/{name}.json"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn acceptance() -> Value {
    json!({
        "accepted": true, "message": null, "code": null, "mutated_object": null, "audit_annotations": {}, "warnings": []
    })
}

fn assert_unreadable(response: &Value, reason: &str) {
    assert_eq!(response["accepted"], json!(false), "{response}");
    assert_eq!(response["code"], json!(400), "{response}");
    let message = response["message"].as_str().unwrap();
    assert!(message.starts_with("noderisk cannot read this request: "), "{message}");
    assert!(message.contains(reason), "{message} does not say: {reason}");
}

/// JSON pointers to every value below `value`.
fn pointers(value: &Value) -> Vec<String> {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(fields) => {
            fields.iter().map(|(name, child)| (format!("/{}", rules::patch::escape(name)), child)).collect()
        }
        Value::Array(items) => items.iter().enumerate().map(|(index, child)| (format!("/{index}"), child)).collect(),
        _ => Vec::new(),
    };
    children
        .into_iter()
        .flat_map(|(step, child)| {
            let below = pointers(child).into_iter().map(|tail| format!("{step}{tail}")).collect::<Vec<_>>();
            std::iter::once(step.clone()).chain(below)
        })
        .collect()
}
