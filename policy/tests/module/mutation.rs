//! What comes back when the settings give defaults.

use serde_json::{Value, json};

use crate::host::{Host, request};

fn defaults() -> Value {
    json!({"defaultSizeLimit": "64Mi", "defaultMemoryLimit": "256Mi"})
}

#[test]
fn every_kind_gets_the_defaults_and_nothing_else() {
    let host = Host::load();
    for (file, spec) in [
        ("deployment_unlimited", "/spec/template/spec"),
        ("cronjob_unlimited", "/spec/jobTemplate/spec/template/spec"),
        ("pod_init_writer_unlimited", "/spec"),
    ] {
        let mut request = request(file);
        let response = host.validate(&request, &defaults());
        assert_eq!(response["accepted"], json!(true), "{file}: {response}");
        assert_eq!(response["warnings"], json!([]), "{file}");

        let container = if file == "pod_init_writer_unlimited" { "initContainers" } else { "containers" };
        let object = &mut request["object"];
        object.pointer_mut(&format!("{spec}/volumes/0/emptyDir")).unwrap()["sizeLimit"] = json!("64Mi");
        object.pointer_mut(&format!("{spec}/{container}/0")).unwrap()["resources"] =
            json!({"limits": {"memory": "256Mi"}});
        assert_eq!(response["mutated_object"], *object, "{file}");

        let again = host.validate(&request, &defaults());
        assert_eq!(again["mutated_object"], json!(null), "{file}: a second pass has nothing to do");
        assert_eq!(again["accepted"], json!(true), "{file}");
    }
}

/// Fields of a newer Kubernetes (invented names), numbers and texts in every spelling come back as they were.
#[test]
fn unknown_fields_survive_byte_by_byte() {
    let object = r#"{
        "apiVersion": "apps/v2", "kind": "Deployment", "futureTop": {"z": 1, "a": [null, {}, []]},
        "metadata": {"name": "web", "creationTimestamp": null, "annotations": {"a/b~c": "\u00e9\n\"{}"}},
        "spec": {"futureSpec": 9007199254740993, "rate": 0.1, "small": -1e-7, "big": 18446744073709551615, "template": {"spec": {
            "futureFlag": false,
            "containers": [{"name": "app", "futureContainer": "x", "resources": {"futureResources": 1},
                "volumeMounts": [{"name": "cache", "mountPath": "/c", "futureMount": true}]}],
            "volumes": [{"name": "cache", "emptyDir": {"medium": "Memory", "futureEmptyDir": [1]}}]}}},
        "status": {"futureStatus": {}}
    }"#;
    let mut expected: Value = serde_json::from_str(object).unwrap();
    let request = json!({"operation": "CREATE", "namespace": "shop", "object": expected});
    let response = Host::load().validate(&request, &defaults());
    let spec = expected.pointer_mut("/spec/template/spec").unwrap();
    spec["volumes"][0]["emptyDir"]["sizeLimit"] = json!("64Mi");
    spec["containers"][0]["resources"]["limits"] = json!({"memory": "256Mi"});
    assert_eq!(response["mutated_object"].to_string(), expected.to_string());
}

#[test]
fn an_update_is_changed_only_where_it_touches_the_template() {
    let host = Host::load();
    let mut update = request("deployment_unlimited");
    update["operation"] = json!("UPDATE");
    update["oldObject"] = update["object"].clone();
    update["object"]["metadata"]["labels"] = json!({"team": "a"});
    let response = host.validate(&update, &defaults());
    assert_eq!(response["accepted"], json!(true));
    assert_eq!(response["mutated_object"], json!(null));
    assert_eq!(response["warnings"].as_array().unwrap().len(), 1, "what stays unlimited is still told");

    update["object"]["spec"]["template"]["spec"]["containers"][0]["image"] = json!("busybox:2");
    let response = host.validate(&update, &defaults());
    assert_ne!(response["mutated_object"], json!(null));
    assert_eq!(response["warnings"], json!([]));
}

#[test]
fn what_exceeds_the_maxima_is_denied_unchanged() {
    let settings = json!({"defaultMemoryLimit": "64Mi", "maxSizeLimit": "32Mi"});
    let response = Host::load().validate(&request("deployment_unlimited"), &settings);
    assert_eq!(response["accepted"], json!(false));
    assert_eq!(response["mutated_object"], json!(null));
    let first_line = response["message"].as_str().unwrap().lines().next().unwrap();
    assert_eq!(
        first_line,
        "Deployment/default/memvol, volume memvol: Memory volume larger than allowed. Set emptyDir.sizeLimit to 32Mi."
    );
}
