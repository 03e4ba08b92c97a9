//! What is shipped beside the module: metadata, the form, the README's and the ready-made manifests.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::host::{Host, request};

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn text(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap()
}

fn documents(yaml: &str) -> Vec<Value> {
    serde_yaml::Deserializer::from_str(yaml).map(|document| Value::deserialize(document).unwrap()).collect()
}

fn metadata() -> Value {
    documents(&text("metadata.yml")).remove(0)
}

/// Each document of each YAML block of the README, and of each manifest, with where it stands.
fn shipped() -> Vec<(String, Value)> {
    let readme = text("README.md");
    let blocks = readme.split("```yaml\n").skip(1).map(|rest| rest.split("```").next().unwrap().to_owned());
    let mut sources: Vec<(String, String)> =
        blocks.enumerate().map(|(index, block)| (format!("README block {index}"), block)).collect();
    for file in fs::read_dir(path("manifests")).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        sources.push((name.clone(), text(&format!("manifests/{name}"))));
    }
    let documents =
        |(name, yaml): (String, String)| documents(&yaml).into_iter().map(move |document| (name.clone(), document));
    sources.into_iter().flat_map(documents).collect()
}

fn policies() -> Vec<(String, Value)> {
    let mut policies = shipped();
    policies.retain(|(_, document)| document["apiVersion"] == "policies.kubewarden.io/v1");
    assert_eq!(policies.len(), 4 + 5, "four in the README, five manifests");
    policies
}

fn validity(settings: &Value) -> Value {
    Host::load().call("validate_settings", settings.to_string().as_bytes())
}

#[test]
fn the_settings_of_every_yaml_block_and_manifest_are_valid() {
    let mut with_settings = 0;
    for (name, document) in shipped() {
        let settings = match document["kind"].as_str() {
            Some("ClusterAdmissionPolicy" | "AdmissionPolicy") => &document["spec"]["settings"],
            None => &document,
            Some(_) => continue,
        };
        assert_eq!(validity(settings), json!({"valid": true, "message": null}), "{name}");
        with_settings += 1;
    }
    assert_eq!(with_settings, 5 + 5, "five blocks in the README, five manifests");
}

#[test]
fn every_policy_takes_this_version_and_rules_that_the_metadata_names() {
    let known = metadata()["rules"].as_array().unwrap().clone();
    for (name, policy) in policies() {
        let spec = &policy["spec"];
        assert_eq!(
            spec["module"],
            json!(format!("registry://ghcr.io/noderisk/policies/noderisk:v{VERSION}")),
            "{name}"
        );
        for rule in spec["rules"].as_array().unwrap() {
            let list = |rule: &Value, field: &str| -> BTreeSet<String> {
                serde_json::from_value(rule[field].clone()).unwrap()
            };
            let covers = |known: &Value| {
                ["apiGroups", "apiVersions", "resources", "operations"]
                    .iter()
                    .all(|field| list(rule, field).is_subset(&list(known, field)))
            };
            // Nodes are no part of the policy's usual work, so its metadata does not name them.
            assert!(
                known.iter().any(covers) || list(rule, "resources") == BTreeSet::from(["nodes".to_owned()]),
                "{name}: {rule}"
            );
        }
    }
}

#[test]
fn settings_go_with_what_the_policy_is_allowed_to_do() {
    for (name, policy) in policies() {
        let (spec, settings) = (&policy["spec"], &policy["spec"]["settings"]);
        let gives = !settings["defaultSizeLimit"].is_null() || !settings["defaultMemoryLimit"].is_null();
        assert_eq!(spec["mutating"], json!(gives), "{name}");
        let reads = settings["readLimitRanges"] == json!(true);
        let allowed = json!([{"apiVersion": "v1", "kind": "LimitRange"}]);
        assert_eq!(spec["contextAwareResources"], if reads { allowed } else { json!(null) }, "{name}");
        if settings["nodeFindings"] == json!("reject") {
            assert_eq!(spec["mode"], json!("monitor"), "{name}");
        }
    }
}

/// An audit scan takes every resource of a rule with CREATE for one that it can list; subresources are not.
#[test]
fn subresources_stand_in_rules_of_their_own() {
    let all = policies().into_iter().map(|(name, policy)| (name, policy["spec"]["rules"].clone()));
    for (name, rules) in all.chain([("metadata.yml".to_owned(), metadata()["rules"].clone())]) {
        for rule in rules.as_array().unwrap() {
            if rule["resources"].to_string().contains('/') {
                assert_eq!(rule["operations"], json!(["UPDATE"]), "{name}");
            }
        }
    }
}

#[test]
fn the_metadata_tells_the_version_in_every_place() {
    let annotations = &metadata()["annotations"];
    assert_eq!(annotations["io.kubewarden.policy.version"], VERSION);
    assert_eq!(annotations["com.github.release.tag"], format!("v{VERSION}"));
}

#[test]
fn the_form_asks_for_every_setting_and_its_defaults_are_valid() {
    let form = documents(&text("questions-ui.yml")).remove(0);
    let mut settings = json!({});
    for question in form["questions"].as_array().unwrap() {
        let variable = question["variable"].as_str().unwrap();
        if variable != "description" {
            settings[variable] = question["default"].clone();
        }
        for question in question["subquestions"].as_array().into_iter().flatten() {
            let id = question["variable"].as_str().unwrap().strip_prefix("rules.").unwrap();
            settings["rules"][id] = question["default"].clone();
        }
    }
    assert_eq!(validity(&settings), json!({"valid": true, "message": null}));
    let asked: BTreeSet<&str> = settings.as_object().unwrap().keys().map(String::as_str).collect();
    let unknown = validity(&json!({"x": 1}))["message"].as_str().unwrap().to_owned();
    let (_, names) = unknown.split_once("allowed: ").unwrap();
    assert_eq!(asked, names.split(", ").collect());
}

/// The built module as `annotate` leaves it, in a file that no other test writes.
fn annotate(module: &Path, output: &str) -> (PathBuf, Output) {
    let annotated = Path::new(env!("CARGO_TARGET_TMPDIR")).join(output);
    let output = Command::new(env!("CARGO_BIN_EXE_annotate"))
        .args(["--metadata-path", "metadata.yml", "--usage-path", "README.md", "--output-path"])
        .args([&annotated, module])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    (annotated, output)
}

#[test]
fn the_annotated_module_carries_metadata_and_readme_and_still_runs() {
    let (annotated, output) = annotate(&Host::module(), "annotated-policy.wasm");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let host = Host::load_from(&annotated);
    let mut expected = metadata();
    expected["protocolVersion"] = json!("v1");
    expected["annotations"]["io.kubewarden.policy.usage"] = json!(text("README.md"));
    let section: Value = serde_json::from_slice(&host.custom_section("io.kubewarden.metadata").unwrap()).unwrap();
    assert_eq!(section, expected);
    assert_eq!(host.validate(&request("deployment_unlimited"), &json!({}))["accepted"], json!(false));

    let (_, twice) = annotate(&annotated, "annotated-twice.wasm");
    assert!(!twice.status.success());
    assert!(String::from_utf8_lossy(&twice.stderr).contains("annotated already"));
}

#[test]
fn only_a_module_is_annotated() {
    let (annotated, output) = annotate(&path("README.md"), "annotated-readme.wasm");
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("not a WebAssembly module"));
    assert!(!annotated.exists());
}
