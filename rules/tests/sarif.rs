//! `--format sarif` against the schema of the format, on every example.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::string_slice, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use rules::rules::{Lang, RULES, Rule};
use rules::settings::Settings;
use rules::show::sarif::sarif;
use rules::{Context, Input, check, check_object};
use serde_json::Value;

fn examples() -> Vec<PathBuf> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let files = |rule: &&Rule| fs::read_dir(examples.join(rule.id)).unwrap().map(|file| file.unwrap().path());
    RULES.iter().flat_map(files).collect()
}

fn schema() -> jsonschema::Validator {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sarif/sarif-schema-2.1.0.json");
    // The pattern for languages has a bracket too many, which strict regular expressions refuse.
    let schema = fs::read_to_string(path).unwrap().replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}$");
    let schema = serde_json::from_str(&schema).unwrap();
    jsonschema::options().should_validate_formats(true).build(&schema).unwrap()
}

fn log(inputs: &[Input], lang: Lang) -> Value {
    let report = check(inputs, &Settings::default());
    serde_json::from_str(&sarif(&report, inputs, lang).unwrap()).unwrap()
}

#[test]
fn logs_of_all_examples_are_valid_in_every_language() {
    let schema = schema();
    let mut results = 0;
    for path in examples() {
        let inputs = [Input::new(path.to_string_lossy(), fs::read_to_string(&path).unwrap())];
        for (lang, _) in Lang::ALL {
            let log = log(&inputs, lang);
            let faults: Vec<String> =
                schema.iter_errors(&log).map(|error| format!("{}: {error}", error.instance_path())).collect();
            assert!(faults.is_empty(), "{}: {faults:#?}", path.display());
            results += log["runs"][0]["results"].as_array().unwrap().len();
        }
    }
    assert!(results > 100, "only {results} results");
}

/// The text after a SARIF fix: its only replacement put in by lines and UTF-16 columns, as an editor does.
fn applied(text: &str, fix: &Value) -> String {
    let replacement = &fix["artifactChanges"][0]["replacements"][0];
    let byte = |line: &str, column: &str| {
        let region = &replacement["deletedRegion"];
        let [line, column] = [line, column].map(|name| region[name].as_u64().unwrap() as usize);
        let start: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
        let units: Vec<u16> = text[start..].encode_utf16().take(column - 1).collect();
        start + String::from_utf16(&units).unwrap().len()
    };
    let range = byte("startLine", "startColumn")..byte("endLine", "endColumn");
    let mut text = text.to_owned();
    text.replace_range(range, replacement["insertedContent"]["text"].as_str().unwrap());
    text
}

#[test]
fn a_fix_of_a_log_is_what_the_command_makes_of_that_finding() {
    let schema = schema();
    let mut fixes = 0;
    for path in examples() {
        let text = fs::read_to_string(&path).unwrap();
        // Wide characters and other line ends must not shift the columns.
        for text in [format!("# 上限 😀\n{text}"), text.replace('\n', "\r\n")] {
            let settings = fs::read_to_string(path.with_file_name("settings.yaml")).unwrap_or_default();
            let settings: Settings = serde_yaml::from_str(&settings).unwrap();
            let inputs = [Input::new("other.txt", "Look at this:\n"), Input::new("a", text.as_str())];
            let report = check(&inputs, &settings);
            let log: Value = serde_json::from_str(&sarif(&report, &inputs, Lang::En).unwrap()).unwrap();
            assert!(schema.is_valid(&log), "{}", path.display());
            // The command looks at one input alone.
            let input = Input::new("a", text.as_str());
            let alone = check(std::slice::from_ref(&input), &settings);
            assert_eq!(alone.findings.len(), report.findings.len(), "{}", path.display());
            for (result, finding) in log["runs"][0]["results"].as_array().unwrap().iter().zip(&alone.findings) {
                let Some(fix) = result.get("fixes").map(|fixes| &fixes[0]) else {
                    assert!(finding.patch.is_empty(), "{}: {finding:?}", path.display());
                    continue;
                };
                assert_eq!(fix["artifactChanges"][0]["artifactLocation"]["index"], 1);
                assert_eq!(applied(&text, fix), rules::fix::fix(&input, [finding]).text, "{}", path.display());
                fixes += 1;
            }
        }
    }
    assert!(fixes >= 40, "only {fixes} fixes");
}

/// An example with a single patch: the fix of its log is the very text that `--fix` prints.
#[test]
fn the_only_fix_of_a_log_is_what_the_command_prints() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/memory-volume-unlimited-writer/bad-deployment.yaml");
    let text = fs::read_to_string(&path).unwrap();
    let log = log(&[Input::new("a", text.as_str())], Lang::En);
    let printed = std::process::Command::new(env!("CARGO_BIN_EXE_noderisk")).arg("--fix").arg(&path).output().unwrap();
    let fix = &log["runs"][0]["results"][0]["fixes"][0];
    assert_eq!(applied(&text, fix), String::from_utf8(printed.stdout).unwrap());
}

#[test]
fn logs_of_odd_inputs_are_valid() {
    let schema = schema();
    let broken = "kind: Pod\nspec:\n  containers: [\n";
    let inputs = [
        Input::new("", ""),
        Input::new("a b\u{1b}[2J?x#y%.yaml", broken),
        Input::new("/absolute/日本語", "\0"),
        Input::new("c:\\x", "{{ .Values }}\nfs.inotify.max_user_instances = 1\n"),
    ];
    assert!(schema.is_valid(&log(&inputs, Lang::Zh)));
    assert!(schema.is_valid(&log(&[], Lang::En)));
}

#[test]
fn a_log_about_an_object_without_text_is_valid() {
    let pod = serde_json::json!({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "a"}, "spec": {
        "containers": [{"name": "a", "volumeMounts": [{"name": "v", "mountPath": "/v"}]}],
        "volumes": [{"name": "v", "emptyDir": {"medium": "Memory"}}],
    }});
    let report = check_object(&pod, &Context::default(), &Settings::default());
    let log: Value = serde_json::from_str(&sarif(&report, &[], Lang::En).unwrap()).unwrap();
    assert!(schema().is_valid(&log));
    let location = &log["runs"][0]["results"][0]["locations"][0];
    assert_eq!(location["logicalLocations"][0]["fullyQualifiedName"], "Pod/a");
}

/// The validator refuses what the schema does not allow, so that the tests above can fail.
#[test]
fn the_schema_is_the_one_of_the_format() {
    let schema = schema();
    let mut log = log(&[], Lang::En);
    log["runs"][0]["columnKind"] = "bytes".into();
    assert!(!schema.is_valid(&log));
}
