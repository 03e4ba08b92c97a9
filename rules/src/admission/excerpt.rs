//! A request without the fields that no decision depends on. They are most of an object, and building them takes longer
//! than judging the rest.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Names of fields that hold neither pod templates nor anything that a rule looks at: of any object, of pod specs and
/// containers (`k8s.io/api/core/v1`), of requests, and the schema of a CustomResourceDefinition.
const LEFT_OUT: [&str; 20] = [
    "managedFields",
    "kubectl.kubernetes.io/last-applied-configuration",
    "affinity",
    "tolerations",
    "topologySpreadConstraints",
    "env",
    "envFrom",
    "ports",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "lifecycle",
    "imagePullPolicy",
    "terminationMessagePath",
    "terminationMessagePolicy",
    "capabilities",
    "userInfo",
    "requestKind",
    "requestResource",
    "openAPIV3Schema",
];

/// JSON that lacks those fields. It decides like the whole, but it must not be stored, nor compared to find out whether
/// something was changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Excerpt(pub Value);

impl<'de> Deserialize<'de> for Excerpt {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader).map(Self)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Excerpt(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(Name(name)) = fields.next_key()? {
            match name {
                Some(name) => drop(map.insert(name, fields.next_value::<Excerpt>()?.0)),
                None => drop(fields.next_value::<IgnoredAny>()?),
            }
        }
        Ok(Value::Object(map))
    }
}

/// The name of a field; `None` for one to be left out.
struct Name(Option<String>);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(NameReader).map(Self)
    }
}

struct NameReader;

impl Visitor<'_> for NameReader {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Option<String>, E> {
        Ok((!LEFT_OUT.contains(&name)).then(|| name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Excerpt, LEFT_OUT};
    use crate::admission::decide;
    use crate::settings::Settings;

    #[test]
    fn everything_but_the_fields_left_out_is_kept() {
        let mut whole = json!({"a": [null, true, -1, 18_446_744_073_709_551_615_u64, 1.5, "ü\n", {"b": {}}], "env": 1});
        let Excerpt(excerpt) = serde_json::from_str(&whole.to_string()).unwrap();
        whole.as_object_mut().unwrap().remove("env");
        assert_eq!(excerpt, whole);
    }

    #[test]
    fn what_is_no_json_is_refused() {
        for text in ["", "{", "[1,]", r#"{"env": [}"#, "{} {}", "1e999"] {
            assert!(serde_json::from_str::<Excerpt>(text).is_err(), "{text}");
            assert!(serde_json::from_str::<Value>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_excerpt_is_judged_like_the_whole() {
        let mut spec = json!({
            "containers": [{"name": "app", "volumeMounts": [{"name": "cache"}]}],
            "volumes": [{"name": "cache", "emptyDir": {"medium": "Memory"}}],
        });
        for field in LEFT_OUT {
            spec[field] = json!([{"name": "x"}]);
            spec["containers"][0][field] = json!({"exec": {"command": ["true"]}});
        }
        let request = json!({"operation": "CREATE", "object": {"apiVersion": "v1", "kind": "Pod", "spec": spec}});
        let Excerpt(excerpt) = serde_json::from_str(&request.to_string()).unwrap();
        assert_ne!(excerpt, request);
        let decision = decide(&request, &Settings::default());
        assert_eq!(decision.code, Some(403));
        assert_eq!(decide(&excerpt, &Settings::default()), decision);
    }
}
