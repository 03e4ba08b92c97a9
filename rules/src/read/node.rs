//! Node objects: the versions that a node reports of itself, and what it has room for.

use serde_json::Value;

use crate::facts::Facts;
use crate::kubernetes::platform::Platform;
use crate::kubernetes::version::Version;
use crate::read::cluster::At;

/// Add what a Node reports in its status.
pub(super) fn read(node: &Value, at: &At, facts: &mut Facts) {
    versions(node, at, facts);
    room(node, at, facts);
}

fn versions(node: &Value, at: &At, facts: &mut Facts) {
    let field = |name: &str| format!("/status/nodeInfo/{name}");
    let text = |name: &str| node.pointer(&field(name)).and_then(Value::as_str);
    let version = |name: &str, text: &str| Some(at.found(Version::parse(text)?, &field(name)));
    let read = |name: &str| version(name, text(name)?);
    facts.versions.kubelet.extend(read("kubeletVersion"));
    facts.versions.kernel.extend(read("kernelVersion"));
    let platform = text("osImage").and_then(Platform::of_text);
    facts.nodes.platforms.extend(platform.map(|platform| at.found(platform, &field("osImage"))));
    // `containerd://1.7.2`, `cri-o://1.27.0`.
    if let Some((runtime, text)) = text("containerRuntimeVersion").and_then(|text| text.split_once("://")) {
        let version = version("containerRuntimeVersion", text);
        match runtime {
            "containerd" => facts.versions.containerd.extend(version),
            "cri-o" => facts.versions.crio.extend(version),
            _ => {}
        }
    }
}

fn room(node: &Value, at: &At, facts: &mut Facts) {
    facts.nodes.allocatable_memory.extend(at.amount(node, "/status/allocatable/memory"));
    facts.nodes.memory_capacity.extend(at.amount(node, "/status/capacity/memory"));
    let pods = at.amount(node, "/status/capacity/pods");
    facts
        .nodes
        .max_pods
        .extend(pods.and_then(|pods| Some(at.found(u64::try_from(pods.value).ok()?, "/status/capacity/pods"))));
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::facts::{Found, Versions};
    use crate::fixture::manifest;
    use crate::kubernetes::platform::Platform;
    use crate::kubernetes::version::Version;

    fn node(runtime: &str) -> Value {
        json!({
            "apiVersion": "v1", "kind": "Node", "metadata": {"name": "w1"},
            "status": {"nodeInfo": {
                "kubeletVersion": "v1.26.4", "kubeProxyVersion": "v1.25.0", "kernelVersion": "3.10.0-693.el7.x86_64",
                "containerRuntimeVersion": runtime, "osImage": "Bottlerocket OS 1.14.1 (aws-k8s-1.26)",
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
        assert_eq!(manifest(node("docker://20.10.7")).platform(), Some(Platform::Bottlerocket));
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
    fn a_node_reports_what_it_has_room_for() {
        let mut node = node("containerd://1.7.2");
        node["status"]["capacity"] = json!({"cpu": "4", "memory": "16393244Ki", "pods": "58"});
        node["status"]["allocatable"] = json!({"memory": "15376412Ki", "pods": "58"});
        let nodes = manifest(node).nodes;
        assert_eq!(nodes.max_pods[0].value, 58);
        assert_eq!(nodes.memory_capacity[0].value, 16_393_244 << 10);
        assert_eq!(nodes.allocatable_memory[0].value, 15_376_412 << 10);
        assert_eq!(nodes.allocatable_memory[0].place.pointer.as_deref(), Some("/status/allocatable/memory"));
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
