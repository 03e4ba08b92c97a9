//! noderisk as a Kubewarden policy: the waPC glue around [`rules::admission`], nothing else.
//!
//! No handler ever returns `Err`: a policy-server turns that, like a panic, into a rejection with status 500 and a
//! stack trace for the user. Whatever arrives is answered.

use kubewarden_policy_sdk::protocol_version_guest;
use kubewarden_policy_sdk::response::ValidationResponse;
use kubewarden_policy_sdk::settings::SettingsValidationResponse;
use kubewarden_policy_sdk::wapc_guest::{CallResult, host_call, register_function};
use rules::admission::{self, Decision, Excerpt};
use rules::settings::Settings;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Called by the waPC host once per instance.
// A waPC host finds this function by its exported name. Exporting under a fixed name is what the `unsafe` in the
// attribute stands for: no other symbol of the module may have it.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn wapc_init() {
    register_function("validate", validate);
    register_function("validate_settings", validate_settings);
    register_function("protocol_version", protocol_version_guest);
}

/// `{"request": AdmissionRequest, "settings": …}` in, `ValidationResponse` out.
fn validate(payload: &[u8]) -> CallResult {
    let decision = decide(payload).unwrap_or_else(|why| Decision::unreadable(&why));
    Ok(serde_json::to_vec(&response(decision))?)
}

fn decide(payload: &[u8]) -> Result<Decision, String> {
    let Excerpt(mut excerpt) = read(payload)?;
    let settings = excerpt.get_mut("settings").map(Value::take).unwrap_or_default();
    let settings = Settings::try_from(settings).map_err(|faults| format!("wrong policy settings: {faults}"))?;
    let payload = if settings.change_objects() { read(payload)? } else { excerpt };
    let request = payload.get("request").unwrap_or(&Value::Null);
    Ok(admission::decide_in_cluster(request, &settings, &list_limit_ranges))
}

/// The LimitRanges of a namespace, as the SDK's `list_resources_by_namespace` asks for them; its own function would
/// bring the types of the whole Kubernetes API along. The host refuses unless the policy's `contextAwareResources`
/// name them.
fn list_limit_ranges(namespace: &str) -> Result<Value, String> {
    let query = json!({
        "api_version": "v1", "kind": "LimitRange", "namespace": namespace,
        "label_selector": null, "field_selector": null, "field_masks": null,
    });
    let query = serde_json::to_vec(&query).map_err(|error| error.to_string())?;
    let answer = host_call("kubewarden", "kubernetes", "list_resources_by_namespace", &query)
        .map_err(|error| error.to_string())?;
    read(&answer)
}

fn response(decision: Decision) -> ValidationResponse {
    let Decision { accepted, message, code, warnings, annotations, mutated_object } = decision;
    ValidationResponse {
        accepted,
        message,
        code,
        mutated_object,
        audit_annotations: Some(annotations.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()),
        warnings: Some(warnings),
    }
}

/// Settings in, `{"valid": …, "message": …}` out.
fn validate_settings(payload: &[u8]) -> CallResult {
    let message = read::<Settings>(payload).err();
    Ok(serde_json::to_vec(&SettingsValidationResponse { valid: message.is_none(), message })?)
}

/// Parse JSON. Checking all of its UTF-8 at once is faster than checking each string, as `from_slice` does.
fn read<T: DeserializeOwned>(json: &[u8]) -> Result<T, String> {
    let text = str::from_utf8(json).map_err(|error| error.to_string())?;
    serde_json::from_str(text).map_err(|error| error.to_string())
}
