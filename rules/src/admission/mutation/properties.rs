//! What the policy changes in an object, over objects that nobody would think of.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;
use serde_json::{Map, Value, json};

use crate::admission::decide;
use crate::kubernetes::pod::Amount;
use crate::patch;
use crate::settings::Settings;

proptest! {
    // Always the same objects: a test that fails must fail again.
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(4), failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn nothing_changes_but_sizes_and_limits_that_were_not_set(object in object(), settings in settings()) {
        let decision = decide(&create(&object), &settings);
        let mutated = decision.mutated_object.clone().unwrap_or_else(|| object.clone());
        let mut changed = BTreeSet::new();
        differences(&object, &mutated, "", &mut changed);
        for pointer in &changed {
            let unset = object.pointer(pointer).is_none_or(|value| value.is_null() || value == "0" || value == 0);
            prop_assert!(unset, "{pointer} was set");
            prop_assert!(pointer.ends_with("/emptyDir/sizeLimit") || pointer.ends_with("/resources/limits/memory"), "{pointer}");
            prop_assert!(!pointer.contains("/ephemeralContainers/"), "{pointer}");
        }
        prop_assert_eq!(decision.mutated_object.is_some(), !changed.is_empty());
    }

    #[test]
    fn a_second_pass_finds_nothing_to_do_and_says_the_same(object in object(), settings in settings()) {
        let first = decide(&create(&object), &settings);
        if let Some(mutated) = &first.mutated_object {
            let second = decide(&create(mutated), &settings);
            prop_assert_eq!(&second.mutated_object, &None);
            prop_assert_eq!(second.accepted, first.accepted);
            prop_assert_eq!(second.warnings, first.warnings);
        }
    }

    #[test]
    fn no_limit_is_given_below_the_request(object in object(), settings in settings()) {
        let Some(mutated) = decide(&create(&object), &settings).mutated_object else { return Ok(()) };
        let mut changed = BTreeSet::new();
        differences(&object, &mutated, "", &mut changed);
        for pointer in changed.iter().filter(|pointer| pointer.ends_with("/limits/memory")) {
            let bytes = |pointer: &str| Amount::read(mutated.pointer(pointer)).bytes();
            prop_assert!(bytes(pointer) >= bytes(&pointer.replace("/limits/", "/requests/")), "{pointer}");
        }
    }

    /// Ratcheting: an object may always be replaced by itself.
    #[test]
    fn an_update_that_changes_nothing_is_accepted_unchanged(object in object(), settings in settings()) {
        let request = json!({"operation": "UPDATE", "namespace": "shop", "object": object, "oldObject": object});
        let decision = decide(&request, &settings);
        prop_assert!(decision.accepted, "{:?}", decision.message);
        prop_assert_eq!(decision.mutated_object, None);
    }
}

fn create(object: &Value) -> Value {
    json!({"operation": "CREATE", "namespace": "shop", "object": object})
}

/// Pointers to every value that differs. A null, or a field that is missing, differs from an object by what is in it.
fn differences(left: &Value, right: &Value, pointer: &str, found: &mut BTreeSet<String>) {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            for key in left.keys().chain(right.keys()).collect::<BTreeSet<_>>() {
                let of = |fields: &Map<String, Value>| fields.get(key).cloned().unwrap_or_default();
                differences(&of(left), &of(right), &format!("{pointer}/{}", patch::escape(key)), found);
            }
        }
        (Value::Null, Value::Object(_)) => differences(&json!({}), right, pointer, found),
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            for (index, (left, right)) in left.iter().zip(right).enumerate() {
                differences(left, right, &format!("{pointer}/{index}"), found);
            }
        }
        _ if left != right => drop(found.insert(pointer.to_owned())),
        _ => {}
    }
}

fn settings() -> impl Strategy<Value = Settings> {
    let size = || option::weighted(0.8, select(vec!["32Mi", "64Mi", "1Gi"]));
    let exempt = || option::weighted(0.2, vec(select(vec!["a*", "b", "*"]), 1..3));
    (size(), size(), exempt(), exempt()).prop_map(|(size, memory, images, volumes)| {
        Settings::try_from(json!({
            "defaultSizeLimit": size, "defaultMemoryLimit": memory, "exemptImages": images, "exemptVolumes": volumes,
        }))
        .unwrap()
    })
}

/// An object of any kind that holds a pod spec, with fields that no Kubernetes of today knows.
fn object() -> impl Strategy<Value = Value> {
    let place = select(vec![
        ("v1", "Pod", ""),
        ("apps/v1", "Deployment", "template"),
        ("apps/v1", "StatefulSet", "template"),
        ("batch/v1", "Job", "template"),
        ("batch/v1", "CronJob", "jobTemplate/spec/template"),
        ("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "leaderWorkerTemplate/workerTemplate"),
    ]);
    (place, pod_spec(), unknown(), unknown()).prop_map(|((version, kind, path), spec, inner, outer)| {
        let mut value = with(json!({"spec": spec}), "futurePodField", &inner);
        for step in path.split('/').rev().filter(|step| !step.is_empty()) {
            value = match step {
                "spec" => json!({"spec": value}),
                _ => json!({step: value}),
            };
        }
        if !path.is_empty() {
            value = with(json!({"spec": value}), "status", &outer);
        }
        value["apiVersion"] = json!(version);
        value["kind"] = json!(kind);
        value["metadata"] = json!({"name": "x", "creationTimestamp": null, "annotations": {"a/b~c": "{\"spec\": {}}"}});
        with(value, "futureField", &outer)
    })
}

fn pod_spec() -> impl Strategy<Value = Value> {
    let containers = || vec(container(), 1..4);
    (
        containers(),
        option::of(containers()),
        option::of(containers()),
        vec(volume(), 1..3),
        option::weighted(0.1, resources()),
        unknown(),
    )
        .prop_map(|(containers, init, ephemeral, volumes, resources, unknown)| {
            let spec = json!({
                "containers": containers, "initContainers": init, "ephemeralContainers": ephemeral, "volumes": volumes,
                "resources": resources,
            });
            with(spec, "futureField", &unknown)
        })
}

fn container() -> impl Strategy<Value = Value> {
    let mount = (select(vec!["a", "b"]), select(vec![json!(null), json!(false), json!(true)]))
        .prop_map(|(name, read_only)| json!({"name": name, "readOnly": read_only, "mountPath": "/m"}));
    let always = select(vec![json!(null), json!("Always")]);
    (select(vec!["a", "b", "c"]), resources(), option::of(vec(mount, 0..4)), always, unknown()).prop_map(
        |(image, resources, mounts, restart, unknown)| {
            let container = json!({
                "name": image, "image": image, "volumeMounts": mounts, "restartPolicy": restart, "resources": resources,
            });
            with(container, "futureField", &unknown)
        },
    )
}

fn volume() -> impl Strategy<Value = Value> {
    let medium = select(vec![
        json!("Memory"),
        json!("Memory"),
        json!("Memory"),
        json!("Memory"),
        json!(""),
        json!("HugePages"),
        json!(null),
    ]);
    (select(vec!["a", "b"]), medium, quantity_or_none(), unknown()).prop_map(|(name, medium, size, unknown)| {
        json!({"name": name, "emptyDir": with(json!({"medium": medium, "sizeLimit": size}), "futureField", &unknown)})
    })
}

fn resources() -> impl Strategy<Value = Value> {
    let list = |memory: BoxedStrategy<Value>| {
        (memory, unknown()).prop_map(|(memory, unknown)| with(json!({"memory": memory}), "future.io/unit", &unknown))
    };
    let limits = prop_oneof![Just(json!(null)), list(quantity_or_none().boxed())];
    let requests = prop_oneof![
        Just(json!(null)),
        list(select(vec![json!("48Mi"), json!(2_147_483_648_u64), json!("100.5M")]).boxed())
    ];
    let lists = (limits, requests, unknown()).prop_map(|(limits, requests, unknown)| {
        with(json!({"limits": limits, "requests": requests}), "claims", &unknown)
    });
    prop_oneof![1 => Just(json!(null)), 1 => Just(json!({})), 4 => lists]
}

fn quantity_or_none() -> impl Strategy<Value = Value> {
    let none = select(vec![json!(null), json!("0"), json!(0)]);
    prop_oneof![2 => none, 1 => select(vec![json!("48Mi"), json!("2Gi"), json!(50_331_648), json!("lots")])]
}

/// Any JSON, or nothing.
fn unknown() -> impl Strategy<Value = Option<Value>> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        "\\PC{0,8}".prop_map(Value::from),
    ];
    let tree = leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map("[a-z~/]{1,6}", inner, 0..3)
                .prop_map(|fields| fields.into_iter().collect::<Value>()),
        ]
    });
    option::weighted(0.3, tree)
}

fn with(mut object: Value, name: &str, unknown: &Option<Value>) -> Value {
    if let Some(unknown) = unknown {
        object[name] = unknown.clone();
    }
    object
}
