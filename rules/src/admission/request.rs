//! The part of an AdmissionRequest that the decision depends on.

use serde_json::Value;

use crate::kubernetes::shape;

/// Subresources of pods that can change what a container may take; all others leave the pod spec alone.
const JUDGED_SUBRESOURCES: [&str; 2] = ["ephemeralcontainers", "resize"];

/// A request that has to be judged.
#[derive(Debug)]
pub struct Request<'a> {
    /// What is done to the object.
    pub operation: Operation,
    /// Namespace of the object, for objects that have one.
    pub namespace: Option<&'a str>,
    /// The object as it would be stored.
    pub object: &'a Value,
    /// The object as it is stored, when it is updated; null otherwise.
    pub old: &'a Value,
    kind: &'a str,
    group: &'a str,
}

/// What is done to an object, as far as it makes a difference here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// It is created.
    Create,
    /// It replaces the one that is stored.
    Update,
    /// The request does not say; judged like a new object, never changed.
    Unknown,
}

impl<'a> Request<'a> {
    /// Read a request; `None` when there is nothing in it to judge.
    ///
    /// # Errors
    /// What keeps it from being judged.
    pub fn read(request: &'a Value) -> Result<Option<Self>, String> {
        if !request.is_object() {
            return Err("it is not an object".to_owned());
        }
        let operation = match text(request, ["operation"]) {
            Some("CREATE") => Operation::Create,
            Some("UPDATE") => Operation::Update,
            Some("DELETE" | "CONNECT") => return Ok(None),
            _ => Operation::Unknown,
        };
        if text(request, ["subResource"]).is_some_and(|name| !JUDGED_SUBRESOURCES.contains(&name)) {
            return Ok(None);
        }
        let object = request.get("object").unwrap_or(&Value::Null);
        // What is being deleted can only lose its finalizers; holding it back would keep it for ever.
        if text(object, ["metadata", "deletionTimestamp"]).is_some() {
            return Ok(None);
        }
        let group = match text(object, ["apiVersion"]) {
            Some(version) => version.split_once('/').map_or("", |(group, _)| group),
            None => text(request, ["kind", "group"]).unwrap_or_default(),
        };
        let request = Self {
            operation,
            namespace: text(request, ["namespace"]).or_else(|| text(object, ["metadata", "namespace"])),
            object,
            old: request.get("oldObject").unwrap_or(&Value::Null),
            kind: text(object, ["kind"]).or_else(|| text(request, ["kind", "kind"])).unwrap_or_default(),
            group,
        };
        match request.fault() {
            Some(fault) => Err(fault),
            None => Ok(Some(request)),
        }
    }

    /// True for a Node of the core API.
    pub fn is_node(&self) -> bool {
        self.group.is_empty() && self.kind == "Node"
    }

    /// True when another object manages this one (`ownerReferences` with `controller: true`).
    pub fn is_controlled(&self) -> bool {
        let owners = self.object.pointer("/metadata/ownerReferences").and_then(Value::as_array);
        owners.into_iter().flatten().any(|owner| owner.get("controller") == Some(&Value::Bool(true)))
    }

    /// `Kind/namespace/name`, leaving out what is not said.
    pub fn label(&self) -> String {
        let name = text(self.object, ["metadata", "name"]).or_else(|| text(self.object, ["metadata", "generateName"]));
        let parts = [Some(self.kind).filter(|kind| !kind.is_empty()), self.namespace, name];
        let label = parts.into_iter().flatten().collect::<Vec<_>>().join("/");
        if label.is_empty() { "object".to_owned() } else { label }
    }

    /// What keeps the object from being judged.
    fn fault(&self) -> Option<String> {
        match self.object {
            Value::Null => Some("it carries no object".to_owned()),
            Value::Object(_) => shape::fault(self.group, self.kind, self.object),
            _ => Some("its object is not a JSON object".to_owned()),
        }
    }
}

/// A string in nested fields; an empty one says nothing.
fn text<'a, const DEPTH: usize>(value: &'a Value, fields: [&str; DEPTH]) -> Option<&'a str> {
    let value = fields.into_iter().try_fold(value, |value, field| value.get(field))?;
    value.as_str().filter(|text| !text.is_empty())
}
