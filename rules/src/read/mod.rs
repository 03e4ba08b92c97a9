//! From text or an object to facts: one file per kind of input.

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
pub fn object(_object: &Value, _context: &Context) -> Facts {
    Facts::default()
}
