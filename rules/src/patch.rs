//! Edits of a JSON value by JSON pointer.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Put `value` at `pointer`, creating the objects on the way. Arrays are never created or extended. A null takes the
/// field away, as in a JSON merge patch (RFC 7396).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Set {
    /// JSON pointer (RFC 6901) of the field to set.
    pub pointer: String,
    /// The value to put there; null to remove the field.
    pub value: Value,
}

/// Apply `edits` in order. An edit whose path does not fit the object (an array index that is not there, a scalar in
/// the way) changes nothing; the returned list holds those edits.
pub fn apply<'a>(object: &mut Value, edits: &'a [Set]) -> Vec<&'a Set> {
    let mut fits = |edit: &Set| match &edit.value {
        Value::Null => remove(object, &edit.pointer),
        value => set(object, &edit.pointer, value),
    };
    edits.iter().filter(|edit| !fits(edit)).collect()
}

/// What is not there is as good as removed; items of arrays stay, because the others would move.
fn remove(object: &mut Value, pointer: &str) -> bool {
    let Some((parent, name)) = pointer.rsplit_once('/') else {
        return false;
    };
    match object.pointer_mut(parent) {
        Some(Value::Object(fields)) => {
            fields.remove(&unescape(name));
            true
        }
        Some(Value::Null) | None => true,
        Some(_) => false,
    }
}

fn set(object: &mut Value, pointer: &str, value: &Value) -> bool {
    let Some(path) = pointer.strip_prefix('/') else {
        return false;
    };
    let mut steps: Vec<String> = path.split('/').map(unescape).collect();
    let Some(last) = steps.pop() else {
        return false;
    };
    let mut here = object;
    for step in &steps {
        // An explicit null means "absent" to Kubernetes, so it may be replaced by an object.
        if here.is_null() {
            *here = Value::Object(Map::new());
        }
        let next = match here {
            Value::Object(fields) => Some(fields.entry(step.as_str()).or_insert(Value::Null)),
            Value::Array(items) => step.parse::<usize>().ok().and_then(|index| items.get_mut(index)),
            _ => None,
        };
        let Some(next) = next else {
            return false;
        };
        here = next;
    }
    if here.is_null() {
        *here = Value::Object(Map::new());
    }
    match here {
        Value::Object(fields) => {
            fields.insert(last, value.clone());
            true
        }
        _ => false,
    }
}

/// One step of a JSON pointer, unescaped.
pub(crate) fn unescape(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

/// One step of a JSON pointer, escaped.
#[must_use]
pub fn escape(step: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'~', b'/', step.as_bytes()).is_some() {
        Cow::Owned(step.replace('~', "~0").replace('/', "~1"))
    } else {
        Cow::Borrowed(step)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Set, apply};

    #[test]
    fn creates_objects_on_the_way_and_keeps_the_rest() {
        let mut pod = json!({"spec": {"containers": [{"name": "a", "resources": null}], "x": 1}});
        let edits = [Set { pointer: "/spec/containers/0/resources/limits/memory".into(), value: json!("256Mi") }];
        assert!(apply(&mut pod, &edits).is_empty());
        assert_eq!(
            pod,
            json!({"spec": {"containers": [{"name": "a", "resources": {"limits": {"memory": "256Mi"}}}], "x": 1}})
        );
    }

    #[test]
    fn null_takes_a_field_away_and_creates_nothing() {
        let mut volume = json!({"a/b": 1, "emptyDir": {}, "list": [1]});
        let remove = |pointer: &str| Set { pointer: pointer.into(), value: json!(null) };
        let edits = [remove("/a~1b"), remove("/emptyDir/medium"), remove("/none/medium"), remove("/list/0")];
        let left: Vec<&str> = apply(&mut volume, &edits).into_iter().map(|edit| edit.pointer.as_str()).collect();
        assert_eq!(left, ["/list/0"]);
        assert_eq!(volume, json!({"emptyDir": {}, "list": [1]}));
    }

    #[test]
    fn an_edit_that_does_not_fit_is_reported_and_changes_nothing_it_names() {
        let mut pod = json!({"spec": {"containers": []}});
        let edits = [Set { pointer: "/spec/containers/3/name".into(), value: json!("x") }];
        assert_eq!(apply(&mut pod, &edits).len(), 1);
        assert_eq!(pod, json!({"spec": {"containers": []}}));
    }
}
