//! Objects beside pods: what a cluster gives to pods, asks of them, and has room for.

use serde_json::Value;

use crate::facts::{Facts, Found, Host, MemoryQuota};
use crate::kubernetes::limit_range::LimitRange;
use crate::kubernetes::pod::Amount;
use crate::read::{kubelet_config, manifest, node};
use crate::report::{Place, Span};

/// Add what a document says: one object, or a list of them.
pub(super) fn read(document: &Value, input: usize, span: Option<Span>, facts: &mut Facts) {
    each(document, |object: &Value, kind: &str, pointer: String| {
        // A Node tells of the machine of its name.
        let host = if kind == "Node" { Host::named(text(object, "/metadata/name")) } else { Host::default() };
        let at = At { input, span, pointer, host };
        match (text(object, "/apiVersion"), kind) {
            ("" | "v1", "Namespace") => facts.cluster.namespaces.extend(namespace(object, &at)),
            ("" | "v1", "LimitRange") => facts.cluster.limit_ranges.extend(limit_range(object, &at)),
            ("" | "v1", "ResourceQuota") => facts.cluster.memory_quotas.extend(memory_quota(object, &at)),
            ("" | "v1", "Node") => {
                facts.know_node(text(object, "/metadata/name"));
                node::read(object, &at, facts);
            }
            (version, "KubeletConfiguration") if version.starts_with("kubelet.config.k8s.io/") => {
                kubelet_config::read(object, &at, &mut facts.nodes);
            }
            _ => {}
        }
    });
    // What kubelet's `/configz` answers.
    if text(document, "/kind").is_empty()
        && let Some(config) = document.get("kubeletconfig")
    {
        let at = At { input, span, pointer: "/kubeletconfig".to_owned(), host: Host::default() };
        kubelet_config::read(config, &at, &mut facts.nodes);
    }
}

/// Add what a document holds as text within text. Apart from [`read`], so that a host that takes objects alone (the
/// policy) needs no YAML parser.
pub(super) fn read_embedded(document: &Value, input: usize, span: Option<Span>, facts: &mut Facts) {
    each(document, |object: &Value, kind: &str, pointer: String| {
        if kind == "ConfigMap" && matches!(text(object, "/apiVersion"), "" | "v1") {
            config_map(object, &At { input, span, pointer, host: Host::default() }, facts);
        }
    });
}

/// Visit the object that a document is, or each object of the list that it is, with its kind and JSON pointer.
fn each(document: &Value, mut visit: impl FnMut(&Value, &str, String)) {
    let kind = text(document, "/kind");
    match kind.strip_suffix("List") {
        // Items of a typed list (`NodeList`) carry no kind of their own.
        Some(of) => {
            for (index, item) in document.get("items").and_then(Value::as_array).into_iter().flatten().enumerate() {
                let kind = if of.is_empty() { text(item, "/kind") } else { of };
                visit(item, kind, format!("/items/{index}"));
            }
        }
        None if !kind.is_empty() => visit(document, kind, String::new()),
        None => {}
    }
}

/// Where an object stands.
pub(super) struct At {
    input: usize,
    span: Option<Span>,
    pointer: String,
    host: Host,
}

impl At {
    /// A value read at a field of the object; `field` is a JSON pointer within it.
    pub(super) fn found<T>(&self, value: T, field: &str) -> Found<T> {
        let pointer = Some(format!("{}{field}", self.pointer));
        Found { value, place: Place { input: self.input, pointer, span: self.span }, host: self.host }
    }

    /// A quantity above zero at a field of `object`.
    pub(super) fn amount(&self, object: &Value, field: &str) -> Option<Found<u128>> {
        Some(self.found(Amount::read(object.pointer(field)).bytes()?, field))
    }
}

/// The text at a field; empty when there is none.
fn text<'a>(object: &'a Value, field: &str) -> &'a str {
    object.pointer(field).and_then(Value::as_str).unwrap_or_default()
}

/// kubeadm's `kubelet-config` holds the configuration of every node as text.
fn config_map(object: &Value, at: &At, facts: &mut Facts) {
    let text = text(object, "/data/kubelet");
    if memchr::memmem::find(text.as_bytes(), b"KubeletConfiguration").is_some()
        && let Ok(config) = manifest::parse(text)
    {
        let at = At { pointer: format!("{}/data/kubelet", at.pointer), ..*at };
        kubelet_config::read(&config, &at, &mut facts.nodes);
    }
}

fn namespace(object: &Value, at: &At) -> Option<Found<String>> {
    let name = text(object, "/metadata/name");
    (!name.is_empty()).then(|| at.found(name.to_owned(), ""))
}

fn limit_range(object: &Value, at: &At) -> Option<Found<LimitRange>> {
    Some(at.found(LimitRange::read(object)?, "/spec/limits"))
}

/// A quota on memory limits that counts for every pod; one with scopes counts for some.
fn memory_quota(object: &Value, at: &At) -> Option<Found<MemoryQuota>> {
    let field = "/spec/hard/limits.memory";
    object.pointer(field).filter(|limit| !limit.is_null())?;
    let scoped = ["/spec/scopes", "/spec/scopeSelector"].iter().any(|scope| {
        object.pointer(scope).is_some_and(|scope| !(scope.is_null() || scope.as_array().is_some_and(Vec::is_empty)))
    });
    let namespace = Some(text(object, "/metadata/namespace")).filter(|name| !name.is_empty()).map(str::to_owned);
    let quota = MemoryQuota { name: text(object, "/metadata/name").to_owned(), namespace };
    (!scoped).then(|| at.found(quota, field))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::facts::{Facts, MemoryQuota};
    use crate::fixture::manifest;

    fn object(kind: &str, namespace: Value, spec: &Value) -> Value {
        json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": "o", "namespace": namespace}, "spec": spec})
    }

    #[test]
    fn each_kind_gives_its_fact() {
        let facts = manifest(json!({"apiVersion": "v1", "kind": "List", "items": [
            object("Namespace", json!(null), &json!({})),
            object("LimitRange", json!("shop"), &json!({"limits": [{"type": "Container", "default": {"memory": "1Gi"}}]})),
            object("ResourceQuota", json!("shop"), &json!({"hard": {"limits.memory": "8Gi"}})),
        ]}));
        assert_eq!(facts.cluster.namespaces[0].value, "o");
        assert_eq!(facts.cluster.limit_ranges[0].value.namespace.as_deref(), Some("shop"));
        assert_eq!(facts.cluster.limit_ranges[0].place.pointer.as_deref(), Some("/items/1/spec/limits"));
        assert_eq!(
            facts.cluster.memory_quotas[0].value,
            MemoryQuota { name: "o".into(), namespace: Some("shop".into()) }
        );
    }

    #[test]
    fn a_quota_on_other_things_or_for_some_pods_asks_for_no_limit() {
        for spec in [
            json!({"hard": {"requests.memory": "8Gi", "pods": 4}}),
            json!({"hard": {"limits.memory": "8Gi"}, "scopes": ["Terminating"]}),
            json!({"hard": {"limits.memory": "8Gi"}, "scopeSelector": {"matchExpressions": []}}),
            json!(null),
        ] {
            assert_eq!(manifest(object("ResourceQuota", json!(null), &spec)).cluster.memory_quotas, [], "{spec}");
        }
    }

    #[test]
    fn kinds_of_other_groups_say_nothing() {
        let spec = json!({"limits": [{"type": "Container", "default": {"memory": "1Gi"}}]});
        let mut other = object("LimitRange", json!(null), &spec);
        other["apiVersion"] = json!("example.org/v1");
        assert_eq!(manifest(other), Facts::default());
    }
}
