//! Decisions about the requests in `test_data`.

use serde_json::{Value, json};

use crate::host::{Host, request};

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
fn deleting_is_always_allowed() {
    let mut delete = request("pod_delete");
    assert_eq!(Host::load().validate(&delete, &json!({})), acceptance());
    delete["object"] = delete["oldObject"].take();
    assert_eq!(Host::load().validate(&delete, &json!({})), acceptance());
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

fn acceptance() -> Value {
    json!({
        "accepted": true, "message": null, "code": null, "mutated_object": null, "audit_annotations": {}, "warnings": []
    })
}
