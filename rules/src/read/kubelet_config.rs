//! `KubeletConfiguration`: how many pods a node takes, and the memory that kubelet keeps for others.

use serde_json::Value;

use crate::facts::Nodes;
use crate::kubernetes::node_memory::{Eviction, Reservations};
use crate::kubernetes::pod::Amount;
use crate::read::cluster::At;

/// kubelet's hard eviction threshold for `memory.available` (`pkg/kubelet/apis/config/v1beta1/defaults_linux.go`).
const DEFAULT_EVICTION: Eviction = Eviction::Bytes(100 << 20);

/// Add what the configuration says of the node's size.
pub(super) fn read(config: &Value, at: &At, nodes: &mut Nodes) {
    let max_pods = config.get("maxPods").and_then(Value::as_u64).filter(|pods| *pods > 0);
    nodes.max_pods.extend(max_pods.map(|pods| at.found(pods, "/maxPods")));
    let reserved = |list: &str| Amount::read(config.get(list).and_then(|list| list.get("memory"))).bytes().unwrap_or(0);
    let reservations =
        Reservations { kube: reserved("kubeReserved"), system: reserved("systemReserved"), eviction: eviction(config) };
    nodes.reservations.push(at.found(reservations, ""));
}

/// The hard eviction threshold. Where some are configured, the others are zero unless the defaults are merged.
fn eviction(config: &Value) -> Eviction {
    let merged = config.get("mergeDefaultEvictionSettings").and_then(Value::as_bool) == Some(true);
    match config.get("evictionHard") {
        None | Some(Value::Null) => DEFAULT_EVICTION,
        Some(hard) => match hard.get("memory.available").and_then(threshold) {
            Some(threshold) => threshold,
            None if merged => DEFAULT_EVICTION,
            None => Eviction::Bytes(0),
        },
    }
}

/// A quantity, or a share of the capacity.
fn threshold(value: &Value) -> Option<Eviction> {
    match value.as_str().and_then(|text| text.strip_suffix('%')) {
        Some(percent) => percent.trim().parse().ok().map(Eviction::Percent),
        None => Amount::read(Some(value)).bytes().map(Eviction::Bytes),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::Input;
    use crate::facts::Nodes;
    use crate::fixture::manifest;
    use crate::kubernetes::node_memory::{Eviction, Reservations};
    use crate::read::texts;

    fn nodes(mut config: Value) -> Nodes {
        config["apiVersion"] = json!("kubelet.config.k8s.io/v1beta1");
        config["kind"] = json!("KubeletConfiguration");
        manifest(config).nodes
    }

    #[test]
    fn pods_and_reservations() {
        let nodes = nodes(json!({
            "maxPods": 250,
            "kubeReserved": {"cpu": "100m", "memory": "1Gi"}, "systemReserved": {"memory": "512Mi"},
            "evictionHard": {"memory.available": "200Mi"},
        }));
        assert_eq!(nodes.max_pods[0].value, 250);
        assert_eq!(nodes.max_pods[0].place.pointer.as_deref(), Some("/maxPods"));
        let expected = Reservations { kube: 1 << 30, system: 512 << 20, eviction: Eviction::Bytes(200 << 20) };
        assert_eq!(nodes.reservations[0].value, expected);
    }

    /// `pkg/kubelet/apis/config/v1beta1/defaults.go`: 100Mi, as long as no threshold at all is configured.
    #[test]
    fn the_eviction_threshold_has_a_default() {
        for (config, eviction) in [
            (json!({}), Eviction::Bytes(100 << 20)),
            (json!({"evictionHard": null}), Eviction::Bytes(100 << 20)),
            (json!({"evictionHard": {"nodefs.available": "10%"}}), Eviction::Bytes(0)),
            (
                json!({"evictionHard": {"nodefs.available": "10%"}, "mergeDefaultEvictionSettings": true}),
                Eviction::Bytes(100 << 20),
            ),
            (json!({"evictionHard": {"memory.available": "5%"}}), Eviction::Percent(5)),
        ] {
            assert_eq!(nodes(config.clone()).reservations[0].value.eviction, eviction, "{config}");
        }
        assert!(nodes(json!({"maxPods": 0})).max_pods.is_empty());
    }

    #[test]
    fn what_configz_answers_and_what_kubeadm_keeps_is_read_too() {
        assert_eq!(manifest(json!({"kubeletconfig": {"maxPods": 58}})).nodes.max_pods[0].value, 58);
        let text = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmaxPods: 60\n";
        let map = |text: &str| {
            let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kubelet-config"}, "data": {"kubelet": text}});
            texts(&[Input::new("paste", object.to_string())]).facts.nodes
        };
        assert_eq!(map(text).max_pods[0].value, 60);
        assert_eq!(map(text).max_pods[0].place.pointer.as_deref(), Some("/data/kubelet/maxPods"));
        assert_eq!(map("KubeletConfiguration: ["), Nodes::default());
    }
}
