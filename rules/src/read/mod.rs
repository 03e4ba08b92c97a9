//! From text or an object to facts: one file per kind of input.

mod manifest;

use serde_json::Value;

use crate::facts::Facts;
use crate::report::{ReadLines, Unread};
use crate::{Context, Input};

/// What reading gave.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// The facts.
    pub facts: Facts,
    /// Lines that were understood.
    pub read: Vec<ReadLines>,
    /// Lines that were not used.
    pub unread: Vec<Unread>,
}

/// Read texts.
#[must_use]
pub fn texts(_inputs: &[Input]) -> Reading {
    Reading::default()
}

/// Read one Kubernetes object.
#[must_use]
pub fn object(object: &Value, context: &Context) -> Facts {
    let mut facts = Facts::default();
    manifest::document(object, 0, &mut facts);
    for pod in &mut facts.pods {
        if pod.namespace.is_none() {
            pod.namespace.clone_from(&context.namespace);
        }
    }
    facts
}
