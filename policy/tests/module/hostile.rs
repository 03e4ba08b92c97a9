//! Requests that no API server sends: each is answered, none passes unseen.

use serde_json::{Value, json};

use crate::host::{Host, request};

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
    assert_unreadable(&host.call("validate", b"\xff\xfe"), "invalid utf-8 sequence of 1 bytes from index 0");
}

#[test]
fn wrong_settings_reject_every_request() {
    let response = Host::load().validate(&request("deployment_limited"), &json!({"nope": 1}));
    assert_unreadable(&response, "wrong policy settings: unknown setting `nope`");
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

/// Explicit nulls are what other hosts than a policy-server send for fields that are not set.
#[test]
fn null_anywhere_is_the_same_as_a_field_that_is_missing() {
    let host = Host::load();
    for file in
        ["deployment_unlimited", "deployment_limited", "pod_init_writer_unlimited", "node_leaking_kernel", "pod_delete"]
    {
        let original = request(file);
        for pointer in pointers(&original) {
            let (parent, field) = pointer.rsplit_once('/').unwrap();
            let (mut null, mut missing) = (original.clone(), original.clone());
            let Some(fields) = missing.pointer_mut(parent).and_then(Value::as_object_mut) else { continue };
            fields.remove(&field.replace("~1", "/").replace("~0", "~"));
            *null.pointer_mut(&pointer).unwrap() = Value::Null;
            let settings = json!({"defaultSizeLimit": "64Mi", "maxMemoryLimit": "8Gi"});
            let mut answers = [host.validate(&null, &settings), host.validate(&missing, &settings)];
            // The null is still in the changed object, as it was in the object that came.
            answers
                .iter_mut()
                .for_each(|answer| answer["mutated_object"] = json!(answer["mutated_object"].is_object()));
            assert_eq!(answers[0], answers[1], "{file}: {pointer}");
        }
    }
}

/// What a pod spec repeats a thousand times takes a thousand times as long, not a million times.
#[test]
fn time_grows_with_the_size_of_the_object_and_no_faster() {
    let host = Host::load();
    let shapes: [fn(usize) -> Value; 4] =
        [containers_and_volumes, mounts_of_one_name, volumes_of_one_container, templates];
    for (index, shape) in shapes.into_iter().enumerate() {
        let fuel = |count| {
            let mut instance = host.instance();
            let settings = json!({
                "defaultSizeLimit": "64Mi", "defaultMemoryLimit": "64Mi", "maxSizeLimit": "64Mi", "maxMemoryLimit": "1Gi",
                "exemptImages": ["a*b", "c"], "exemptVolumes": ["x*"],
            });
            let request = json!({"operation": "UPDATE", "object": shape(count), "oldObject": shape(count + 1)});
            instance.call("validate", json!({"request": request, "settings": settings}).to_string().as_bytes());
            instance.fuel()
        };
        let (small, large) = (fuel(100), fuel(1_000));
        assert!(large < 15 * small, "shape {index}: {small} for 100, {large} for 1000");
    }
}

fn pod(spec: Value) -> Value {
    json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "x"}, "spec": {"template": {"spec": spec}}})
}

fn containers_and_volumes(count: usize) -> Value {
    let container = |index| json!({"name": format!("c{index}"), "volumeMounts": [{"name": format!("v{index}")}]});
    let volume = |index| json!({"name": format!("v{index}"), "emptyDir": {"medium": "Memory"}});
    pod(json!({
        "containers": (0..count).map(container).collect::<Vec<_>>(),
        "volumes": (0..count).map(volume).collect::<Vec<_>>(),
    }))
}

fn mounts_of_one_name(count: usize) -> Value {
    let mounts = vec![json!({"name": "v"}); count];
    // Names that are used twice are invalid, but it is the API server that says so, later.
    pod(json!({
        "containers": [{"name": "c", "volumeMounts": mounts}, {"name": "d", "volumeMounts": mounts}],
        "volumes": vec![json!({"name": "v", "emptyDir": {"medium": "Memory"}}); count],
    }))
}

fn volumes_of_one_container(count: usize) -> Value {
    let names = || (0..count).map(|index| format!("v{index}"));
    pod(json!({
        "containers": [{"name": "c", "volumeMounts": names().map(|name| json!({"name": name})).collect::<Vec<_>>()}],
        "volumes": names().map(|name| json!({"name": name, "emptyDir": {"medium": "Memory"}})).collect::<Vec<_>>(),
    }))
}

fn templates(count: usize) -> Value {
    let template = json!({"spec": {"containers": [{"name": "c", "volumeMounts": [{"name": "v"}]}],
                                   "volumes": [{"name": "v", "emptyDir": {"medium": "Memory"}}]}});
    json!({"apiVersion": "example.org/v1", "kind": "Fleet", "metadata": {"name": "x"}, "spec": {"templates": vec![template; count]}})
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
