//! Node objects: the versions that a node reports of itself.

use serde_json::Value;

use crate::facts::{Found, Versions};
use crate::kubernetes::version::Version;
use crate::report::{Place, Span};

/// Add the versions of a Node (`status.nodeInfo`), or of each Node in a list, to what is known.
pub(super) fn read(document: &Value, input: usize, span: Option<Span>, versions: &mut Versions) {
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut node = |object: &Value, pointer: &str| {
        node_info(object, versions, |field| Place {
            input,
            pointer: Some(format!("{pointer}/status/nodeInfo/{field}")),
            span,
        });
    };
    match (text(document, "apiVersion").as_str(), text(document, "kind").as_str()) {
        ("v1", "Node") => node(document, ""),
        // Items of a NodeList carry no kind of their own.
        ("v1", kind @ ("List" | "NodeList")) => {
            let items = document.get("items").and_then(Value::as_array).into_iter().flatten().enumerate();
            for (index, item) in items.filter(|(_, item)| kind == "NodeList" || text(item, "kind") == "Node") {
                node(item, &format!("/items/{index}"));
            }
        }
        _ => {}
    }
}

fn node_info(node: &Value, versions: &mut Versions, place: impl Fn(&str) -> Place) {
    let Some(info) = node.pointer("/status/nodeInfo") else { return };
    let found = |field: &str, text: &str| Some(Found { value: Version::parse(text)?, place: place(field) });
    let text = |field: &str| info.get(field).and_then(Value::as_str);
    let read = |field: &str| found(field, text(field)?);
    versions.kubelet.extend(read("kubeletVersion"));
    versions.kernel.extend(read("kernelVersion"));
    // `containerd://1.7.2`, `cri-o://1.27.0`.
    if let Some((runtime, version)) = text("containerRuntimeVersion").and_then(|text| text.split_once("://")) {
        let version = found("containerRuntimeVersion", version);
        match runtime {
            "containerd" => versions.containerd.extend(version),
            "cri-o" => versions.crio.extend(version),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::facts::{Found, Versions};
    use crate::fixture::manifest;
    use crate::kubernetes::version::Version;

    fn node(runtime: &str) -> Value {
        json!({
            "apiVersion": "v1", "kind": "Node", "metadata": {"name": "w1"},
            "status": {"nodeInfo": {
                "kubeletVersion": "v1.26.4", "kubeProxyVersion": "v1.25.0", "kernelVersion": "3.10.0-693.el7.x86_64",
                "containerRuntimeVersion": runtime,
            }},
        })
    }

    fn texts(list: &[Found<Version>]) -> Vec<&str> {
        list.iter().map(|found| found.value.text.as_str()).collect()
    }

    fn pointers(versions: &Versions) -> Vec<&str> {
        let places = versions.kubelet.iter().map(|found| &found.place);
        places.filter_map(|place| place.pointer.as_deref()).collect()
    }

    #[test]
    fn a_node_reports_its_versions() {
        let versions = manifest(node("containerd://1.5.11")).versions;
        assert_eq!(texts(&versions.kubelet), ["1.26.4"]);
        assert_eq!(texts(&versions.kernel), ["3.10.0-693.el7.x86_64"]);
        assert_eq!(texts(&versions.containerd), ["1.5.11"]);
        assert_eq!(pointers(&versions), ["/status/nodeInfo/kubeletVersion"]);
        assert_eq!(texts(&manifest(node("cri-o://1.27.0")).versions.crio), ["1.27.0"]);
        assert_eq!(manifest(node("docker://20.10.7")).versions.containerd, []);
    }

    #[test]
    fn nodes_in_lists_are_read() {
        let mut item = node("cri-o://1.27.0");
        let list = json!({"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Pod"}, item]});
        assert_eq!(pointers(&manifest(list).versions), ["/items/1/status/nodeInfo/kubeletVersion"]);
        item["kind"].take();
        let list = json!({"apiVersion": "v1", "kind": "NodeList", "items": [item]});
        assert_eq!(pointers(&manifest(list).versions), ["/items/0/status/nodeInfo/kubeletVersion"]);
    }

    #[test]
    fn strange_nodes_report_nothing() {
        let custom = |version: &str| {
            let mut node = node("containerd://1.7.2");
            node["apiVersion"] = json!(version);
            manifest(node).versions
        };
        assert_eq!(custom("example.org/v1"), Versions::default());
        let mut broken = node("1.7.2");
        broken["status"]["nodeInfo"]["kubeletVersion"] = json!(["v1.26.4"]);
        broken["status"]["nodeInfo"]["kernelVersion"] = json!("");
        assert_eq!(manifest(broken).versions, Versions::default());
    }
}
