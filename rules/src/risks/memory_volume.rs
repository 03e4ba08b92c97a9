//! Memory volumes: what decides when nothing fired.

use std::collections::BTreeSet;

use crate::facts::{Facts, Sketch};
use crate::kubernetes::pod::{Amount, PodTemplate};
use crate::report::{Missing, Status, Wanted};

pub(super) fn state(facts: &Facts) -> (Status, Vec<Missing>) {
    let mut wanted = BTreeSet::new();
    wanted.extend(facts.sketches.iter().map(|sketch| decided_by(sketch.value)));
    if facts.pods.iter().any(has_open_amounts) {
        wanted.insert(Wanted::RenderedManifest);
    }
    if !wanted.is_empty() {
        return (Status::Undecided, wanted.into_iter().map(Wanted::missing).collect());
    }
    // No rule fired, so every memory volume there is has limited writers.
    let status = if facts.pods.is_empty() { Status::NoEvidence } else { Status::Ok };
    (status, Vec::new())
}

/// What turns a sketch into something that can be judged.
fn decided_by(sketch: Sketch) -> Wanted {
    match sketch {
        Sketch::Template | Sketch::Values => Wanted::RenderedManifest,
        Sketch::Diff
        | Sketch::Fragment
        | Sketch::IndentationLost
        | Sketch::Broken
        | Sketch::Injected
        | Sketch::Described => Wanted::Manifest,
    }
}

/// A memory volume whose size, or whose writer's limit, is no quantity (yet): `${MEMORY_LIMIT}`.
fn has_open_amounts(pod: &PodTemplate) -> bool {
    let open = |amount: &Amount| matches!(amount, Amount::Invalid(_));
    pod.memory_volumes().any(|volume| {
        let writer_open = pod.writers(volume).any(|writer| open(&writer.memory_limit));
        open(&volume.size_limit) || writer_open || open(&pod.pod_limit)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::state;
    use crate::facts::{Facts, Sketch};
    use crate::fixture::{found, manifest};
    use crate::report::{Status, Wanted};

    fn pod(limit: Value, volume: Value) -> Facts {
        manifest(json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
            "spec": {
                "containers": [{"name": "a", "resources": {"limits": {"memory": limit}}, "volumeMounts": [{"name": "v"}]}],
                "volumes": [{"name": "v", "emptyDir": volume}],
            },
        }))
    }

    #[test]
    fn pods_with_limits_or_without_memory_volumes_decide() {
        assert_eq!(state(&pod(json!("1Gi"), json!({"medium": "Memory"}))).0, Status::Ok);
        assert_eq!(state(&pod(json!(null), json!({}))).0, Status::Ok);
        assert_eq!(state(&Facts::default()).0, Status::NoEvidence);
    }

    #[test]
    fn a_sketch_beside_a_whole_pod_keeps_it_open() {
        let mut facts = pod(json!("1Gi"), json!({"medium": "Memory"}));
        facts.sketches = [Sketch::Fragment, Sketch::Template, Sketch::Diff].map(found).to_vec();
        let missing = vec![Wanted::Manifest.missing(), Wanted::RenderedManifest.missing()];
        assert_eq!(state(&facts), (Status::Undecided, missing));
    }

    #[test]
    fn a_quantity_that_is_still_a_variable_keeps_it_open() {
        let rendered = (Status::Undecided, vec![Wanted::RenderedManifest.missing()]);
        assert_eq!(state(&pod(json!("${LIMIT}"), json!({"medium": "Memory"}))), rendered);
        assert_eq!(state(&pod(json!(null), json!({"medium": "Memory", "sizeLimit": "${SIZE}"}))), rendered);
        assert_eq!(state(&pod(json!("${LIMIT}"), json!({}))).0, Status::Ok);
    }
}
