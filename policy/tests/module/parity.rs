//! One core, three ways in: text, an object, and the built module must say the same of every example.

use std::fs;
use std::path::{Path, PathBuf};

use rules::report::{Report, Severity};
use rules::rules::RULES;
use rules::settings::Settings;
use rules::{Context, Input};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::host::Host;

#[test]
fn text_object_and_module_agree_on_every_example() {
    let host = Host::load();
    let settings = Settings::default();
    let mut denied = 0;
    let objects = objects();
    for Object { name, text, value } in &objects {
        let from_text = judged(rules::check(&[Input::new(name, text)], &settings));
        let from_object = judged(rules::check_object(value, &Context::default(), &settings));
        assert_eq!(from_text, from_object, "{name}");

        let response = host.validate(&create(value), &json!({}));
        let count = |severity| from_object.findings.iter().filter(|finding| finding.severity == severity).count();
        assert_eq!(response["accepted"], json!(count(Severity::Error) == 0), "{name}: {response}");
        assert_eq!(response["warnings"].as_array().unwrap().len(), count(Severity::Warning), "{name}: {response}");
        denied += usize::from(response["accepted"] == json!(false));
    }
    assert!(denied > 0 && denied < objects.len(), "the examples hold objects of both kinds");
}

/// What an object and the text it was read from have in common: everything but lines and columns.
fn judged(mut report: Report) -> Report {
    report.read.clear();
    report.unread.clear();
    for evidence in report.findings.iter_mut().flat_map(|finding| &mut finding.evidence) {
        evidence.place.span = None;
    }
    report
}

/// The request that creates `object`.
fn create(object: &Value) -> Value {
    json!({"uid": "1", "operation": "CREATE", "namespace": object["metadata"]["namespace"], "object": object})
}

/// One object of an example, as text and as a value.
struct Object {
    name: String,
    text: String,
    value: Value,
}

/// Every document of every manifest among the examples, and below the folder that `NODERISK_MANIFESTS` names.
fn objects() -> Vec<Object> {
    let mut files = Vec::new();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    RULES.iter().for_each(|rule| collect(&examples.join(rule.id), &mut files));
    if let Some(folder) = std::env::var_os("NODERISK_MANIFESTS") {
        collect(Path::new(&folder), &mut files);
    }
    let documents = files.iter().flat_map(|file| {
        let text = fs::read_to_string(file).unwrap();
        let documents: Vec<String> = text.split("\n---\n").map(str::to_owned).collect();
        documents.into_iter().enumerate().map(|(index, text)| (format!("{}#{index}", file.display()), text))
    });
    documents.filter_map(|(name, text)| Some(Object { value: parse(&text)?, name, text })).collect()
}

/// All manifests below `folder`, in a stable order.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, files);
        } else if path
            .extension()
            .is_some_and(|extension| ["yaml", "yml", "json"].iter().any(|known| extension == *known))
        {
            files.push(path);
        }
    }
}

/// The Kubernetes object that a document holds; `None` for one that is no object (a template, a fragment).
fn parse(text: &str) -> Option<Value> {
    let mut value = serde_yaml::Value::deserialize(serde_yaml::Deserializer::from_str(text)).ok()?;
    value.apply_merge().ok()?;
    let value = serde_json::to_value(value).ok()?;
    (value["apiVersion"].is_string() && value["kind"].is_string()).then_some(value)
}
