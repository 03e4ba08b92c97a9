//! The check of memory volumes as policies are usually written: the SDK reads the request and makes a typed pod spec of
//! the object, and the check looks at its fields.

use k8s_openapi::api::core::v1::{Container, PodSpec, ResourceRequirements, Volume};
use kubewarden_policy_sdk::request::ValidationRequest;
use kubewarden_policy_sdk::settings::Validatable;
use kubewarden_policy_sdk::wapc_guest::{CallResult, register_function};
use kubewarden_policy_sdk::{accept_request, protocol_version_guest, reject_request, validate_settings};
use serde::{Deserialize, Serialize};

/// Called by the waPC host once per instance.
#[unsafe(no_mangle)]
pub extern "C" fn wapc_init() {
    register_function("validate", validate);
    register_function("validate_settings", validate_settings::<Settings>);
    register_function("protocol_version", protocol_version_guest);
}

/// There is nothing to set.
#[derive(Default, Deserialize, Serialize)]
struct Settings {}

impl Validatable for Settings {
    fn validate(&self) -> Result<(), String> {
        Ok(())
    }
}

/// Objects that the SDK cannot read are accepted, as in Kubewarden's template for policies.
fn validate(payload: &[u8]) -> CallResult {
    let request = ValidationRequest::<Settings>::new(payload)?;
    let Ok(Some(pod)) = request.extract_pod_spec_from_object() else { return accept_request() };
    let findings = findings(&pod);
    if findings.is_empty() {
        accept_request()
    } else {
        reject_request(Some(findings.join("\n")), Some(403), None, None)
    }
}

/// Every container without memory limit that can write to a memory volume without size.
fn findings(pod: &PodSpec) -> Vec<String> {
    if pod.resources.as_ref().is_some_and(is_limited) {
        return Vec::new();
    }
    let volumes: Vec<&str> =
        pod.volumes.iter().flatten().filter(|volume| is_unlimited(volume)).map(|volume| volume.name.as_str()).collect();
    let containers = pod.init_containers.iter().flatten().chain(&pod.containers);
    let unlimited = containers.filter(|container| !container.resources.as_ref().is_some_and(is_limited));
    unlimited.flat_map(|container| volumes.iter().filter_map(|volume| finding(container, volume))).collect()
}

fn finding(container: &Container, volume: &str) -> Option<String> {
    let mut mounts = container.volume_mounts.iter().flatten();
    let writes = mounts.any(|mount| mount.name == volume && mount.read_only != Some(true));
    let name = &container.name;
    writes.then(|| format!("Container {name} has no memory limit and can fill memory volume {volume}."))
}

fn is_unlimited(volume: &Volume) -> bool {
    let directory = volume.empty_dir.as_ref();
    directory.is_some_and(|directory| directory.medium.as_deref() == Some("Memory") && directory.size_limit.is_none())
}

fn is_limited(resources: &ResourceRequirements) -> bool {
    resources.limits.as_ref().is_some_and(|limits| limits.contains_key("memory"))
}
