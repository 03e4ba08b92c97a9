//! `readLimitRanges`: the module asks its host for the namespace's LimitRanges.

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Value, json};

use crate::host::{Host, request};

fn settings() -> Value {
    json!({"readLimitRanges": true})
}

/// What the host of a policy-server answers: the list as the API server gives it.
fn list(default: &Value) -> Value {
    json!({
        "apiVersion": "v1", "kind": "LimitRangeList", "metadata": {"resourceVersion": "12"},
        "items": [{
            "metadata": {"name": "mem-limit-range", "namespace": "default"},
            "spec": {"limits": [{"type": "Container", "default": default, "defaultRequest": {"memory": "256Mi"}}]},
        }],
    })
}

#[test]
fn the_namespace_is_asked_once_in_the_words_of_the_sdk_and_its_default_counts() {
    let calls = Rc::new(RefCell::new(Vec::new()));
    let seen = Rc::clone(&calls);
    let host = Host::load().in_cluster(move |operation, payload| {
        seen.borrow_mut().push((operation.to_owned(), payload));
        Ok(list(&json!({"memory": "512Mi"})))
    });
    let response = host.validate(&request("deployment_unlimited"), &settings());
    assert_eq!(response["accepted"], json!(true), "{response}");
    assert_eq!(response["warnings"], json!([]));
    assert_eq!(response["mutated_object"], json!(null), "the API server gives the default, not the policy");
    assert_eq!(
        *calls.borrow(),
        [(
            "kubewarden/kubernetes/list_resources_by_namespace".to_owned(),
            json!({
                "api_version": "v1", "kind": "LimitRange", "namespace": "default",
                "label_selector": null, "field_selector": null, "field_masks": null,
            })
        )]
    );
}

#[test]
fn a_namespace_without_a_default_changes_nothing() {
    let host = Host::load().in_cluster(|_, _| Ok(list(&json!({"cpu": "1"}))));
    let response = host.validate(&request("deployment_unlimited"), &settings());
    assert_eq!(response["accepted"], json!(false));
    assert_eq!(response["warnings"], json!([]));
}

#[test]
fn a_host_that_refuses_or_fails_is_told_in_a_warning_and_the_object_judged_without() {
    for (answer, why) in [
        (Err("Access to Kubernetes resource v1/LimitRange denied".to_owned()), "Access to Kubernetes resource"),
        (Err(String::new()), "judged without the LimitRanges of default"),
        (Ok(json!({"kind": "Status", "code": 403})), "the answer is no list of LimitRanges"),
        (Ok(json!([[], null, 1e300])), "the answer is no list of LimitRanges"),
    ] {
        let host = Host::load().in_cluster(move |_, _| answer.clone());
        let response = host.validate(&request("deployment_unlimited"), &settings());
        assert_eq!(response["accepted"], json!(false), "{response}");
        assert_eq!(response["code"], json!(403), "{response}");
        let warnings = response["warnings"].as_array().unwrap();
        assert_eq!(warnings.len(), 1, "{response}");
        assert!(warnings[0].as_str().unwrap().contains(why), "{response}");
        assert_eq!(host.validate(&request("deployment_limited"), &settings())["accepted"], json!(true));
    }
}

/// The host of these tests fails when it is called.
#[test]
fn no_host_is_called_unless_a_template_could_get_a_default() {
    let host = Host::load();
    host.validate(&request("deployment_unlimited"), &json!({}));
    for file in ["deployment_limited", "pod_init_writer_unlimited", "pod_delete", "configmap"] {
        host.validate(&request(file), &settings());
    }
}
