//! Kubernetes manifests.

use serde_json::Value;

use crate::facts::{Facts, Found};
use crate::kubernetes::pod;
use crate::report::Place;

/// Add the facts of one parsed document of `input`.
pub(super) fn document(document: &Value, input: usize, facts: &mut Facts) {
    let walk = pod::walk(document);
    facts.pods.extend(walk.pods.into_iter().map(|pod| pod::PodTemplate { input, ..pod }));
    facts.sketches.extend(
        walk.sketches.into_iter().map(|(pointer, sketch)| Found {
            value: sketch,
            place: Place { input, pointer: Some(pointer), span: None },
        }),
    );
}
