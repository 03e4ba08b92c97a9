//! What the settings give to an object before it is judged.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::admission::request::{Operation, Request};
use crate::kubernetes::pod::{self, PodTemplate};
use crate::kubernetes::quantity;
use crate::patch::Set;
use crate::settings::Settings;

#[cfg(test)]
mod properties;

/// The edits that give `defaultSizeLimit` and `defaultMemoryLimit` to the pod templates of `object`, which is the
/// request's object as the API server will complete it. Applied to their own result they are empty.
pub fn edits(request: &Request, object: &Value, settings: &Settings) -> Vec<Set> {
    if !settings.change_objects() {
        return Vec::new();
    }
    let mut pods = pod::pods(object);
    pods.retain(|pod| may_change(request, pod));
    pods.iter_mut().for_each(|pod| settings.exempt(pod));
    pods.iter().flat_map(|pod| sizes(pod, settings).chain(limits(pod, settings))).collect()
}

/// Whether a template may be changed in this request.
fn may_change(request: &Request, pod: &PodTemplate) -> bool {
    match request.operation {
        Operation::Create => {}
        // The API server refuses changes to these once they exist.
        Operation::Update if pod.is_pod || pod.kind == "Job" => return false,
        // What the update leaves alone stays alone: a new label must not restart every pod of a workload.
        Operation::Update if request.old.pointer(&pod.pointer) == request.object.pointer(&pod.pointer) => return false,
        Operation::Update => {}
        Operation::Unknown => return false,
    }
    // Their controllers look for them by their content and would create them for ever. Their pods are changed instead.
    !(request.is_controlled() && ["ReplicaSet", "ControllerRevision"].contains(&pod.kind.as_str()))
}

/// A size for each memory volume without one.
fn sizes(pod: &PodTemplate, settings: &Settings) -> impl Iterator<Item = Set> {
    settings.default_size_limit.into_iter().flat_map(|size| {
        pod.memory_volumes().filter(|volume| !volume.size_limit.is_set()).map(move |volume| Set {
            pointer: format!("{}/emptyDir/sizeLimit", volume.pointer),
            value: json!(quantity::format(size)),
        })
    })
}

/// A memory limit for each container that can write without limit to a memory volume that came without a size. Where
/// the author has set a size, the policy does not know better.
fn limits(pod: &PodTemplate, settings: &Settings) -> impl Iterator<Item = Set> {
    settings.default_memory_limit.into_iter().flat_map(|limit| {
        let mut seen = BTreeSet::new();
        pod.unlimited_writers()
            .filter(|(volume, _)| !volume.size_limit.is_set())
            .map(|(_, writer)| writer)
            .filter(move |writer| seen.insert(&writer.pointer))
            .map(move |writer| Set {
                pointer: format!("{}/resources/limits/memory", writer.pointer),
                // A limit below the request is invalid.
                value: json!(quantity::format(limit.max(writer.memory_request.bytes().unwrap_or(0)))),
            })
    })
}
