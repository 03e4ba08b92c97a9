//! Node objects: warned of when they join, reported by the audit scanner.

use serde_json::{Value, json};

use crate::host::{Host, request};

fn answer(settings: &Value) -> Value {
    Host::load().validate(&request("node_leaking_kernel"), settings)
}

#[test]
fn a_node_is_never_rejected_unless_the_settings_ask_for_it() {
    for settings in [json!({}), json!({"nodeFindings": "warn", "rules": {"memcg-leaking-kernel": "deny"}})] {
        let response = answer(&settings);
        assert_eq!(response["accepted"], json!(true));
        assert_eq!(response["warnings"], json!(["Node/worker-1: Kernel that leaks memory cgroups"]), "{response}");
        assert_eq!(response["audit_annotations"], json!({"rules": "memcg-leaking-kernel", "severity": "warning"}));
    }
}

/// The audit scanner keeps nothing of a response but pass or fail and the message of a rejection.
#[test]
fn a_rejection_carries_the_findings_into_the_audit_report() {
    let response = answer(&json!({"nodeFindings": "reject"}));
    assert_eq!(response["accepted"], json!(false));
    let message = response["message"].as_str().unwrap();
    assert!(message.starts_with("Node/worker-1: "), "{message}");
    assert!(message.contains("\n- memcg-leaking-kernel: "), "{message}");
    assert!(message.lines().next().unwrap().len() < 256, "{message}");
}

#[test]
fn rules_that_are_off_stay_off() {
    let response = answer(&json!({"nodeFindings": "reject", "rules": {"memcg-leaking-kernel": "off"}}));
    assert_eq!((&response["accepted"], &response["warnings"]), (&json!(true), &json!([])));
}
