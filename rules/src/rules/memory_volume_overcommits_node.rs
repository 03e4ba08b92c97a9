//! The memory volumes of pods that can share a node may together take more than the node has.

use crate::facts::{Facts, Found};
use crate::kubernetes::pod::PodTemplate;
use crate::kubernetes::quantity;
use crate::report::{Evidence, Finding, Risk, Severity};
use crate::rules::{Rule, Text, Words, on_pages};
use crate::settings::Settings;

/// See the module.
pub static RULE: Rule = Rule {
    id: "memory-volume-overcommits-node",
    risk: Risk::MemoryVolume,
    severity: Severity::Error,
    words: Words {
        en: Text {
            title: "Memory volumes that a node cannot hold",
            says: &[
                "{pods} pods can share a node and fill their memory volumes with {total} ({bound} each), but the node has {allocatable} for all pods.",
                "The memory volumes of one pod may take {bound}, but the node has {allocatable} for all pods.",
            ],
            why: "Sizes and limits cap each volume, yet only requests decide how many pods come to share a node. The \
                  scheduler takes the pods because little or nothing is reserved for their files; once they fill \
                  their volumes the node is out of memory, and it evicts or kills pods, or stops answering.",
            fix: "Set the memory request of the writing containers to what the volumes may take, so that the \
                  scheduler counts it; or make the volumes smaller; or keep the replicas apart.",
            notes: on_pages(&[
                "Counted are the replicas that fit by their requests on the smallest node that is known, as if \
                 nothing else ran there. Whatever keeps replicas apart, such as anti-affinity, is not looked at.",
                "Kubelets before 1.22 make every memory volume half as large as the node's memory, whatever its \
                 sizeLimit says (KEP-1967); the documentation said so until 2023. They are reckoned like that where \
                 their version is known.",
            ]),
        },
        ja: Text {
            title: "ノードに収まらないメモリボリューム",
            says: &[
                "{pods} 個の Pod が同じノードに配置され、メモリボリュームで合計 {total}（1 Pod あたり {bound}）を使えますが、ノードの割り当て可能（allocatable）メモリは {allocatable} しかありません。",
                "1 つの Pod のメモリボリュームが {bound} まで使えますが、ノードの割り当て可能（allocatable）メモリは {allocatable} しかありません。",
            ],
            why: "sizeLimit や limits は個々のボリュームの上限でしかなく、同じノードにいくつの Pod が配置されるかは requests だけで決まります。\
                  ファイルの分がほとんど確保されていないため、スケジューラーは Pod を受け入れ、ボリュームが埋まるとノードのメモリが尽き、Pod \
                  の退避（eviction）や強制終了、さらにはノードの応答停止に至ります。",
            fix: "書き込むコンテナの requests.memory をボリュームの最大使用量に合わせてスケジューラーに確保させるか、ボリュームを小さくするか、レプリカを別々のノードに分散させてください。",
            notes: on_pages(&[
                "requests から見て収まるレプリカ数を、判明している最小のノードにほかの Pod \
                 がないものとして計算します。anti-affinity などの配置の制約は考慮しません。",
                "1.22 より前の kubelet では、sizeLimit \
                 にかかわらずメモリボリュームの大きさがノードのメモリの半分になります（KEP-1967。ドキュメントも \
                 2023 年までそう説明していました）。バージョンが分かる場合はそのように計算します。",
            ]),
        },
        zh: Text {
            title: "节点装不下的内存卷",
            says: &[
                "{pods} 个 Pod 可能落在同一节点，它们的内存卷合计可占 {total}（每个 Pod {bound}），而该节点的可分配内存（allocatable）只有 {allocatable}。",
                "单个 Pod 的内存卷可占 {bound}，而该节点的可分配内存（allocatable）只有 {allocatable}。",
            ],
            why: "sizeLimit 和 limits 只约束单个卷，一个节点上能放多少个 Pod 却只由 requests 决定。几乎没有为这些文件预留内存，调度器照样把 Pod 放上来；\
                  等卷被写满，节点内存就会耗尽，Pod 被驱逐或杀死，甚至节点失去响应。",
            fix: "把写入容器的 requests.memory 设为卷可能占用的量，让调度器将其计入；或者缩小卷；或者把副本分散到不同节点。",
            notes: on_pages(&[
                "按 requests 计算已知最小的节点能放下多少副本，并假设节点上没有其他 Pod。\
                 反亲和等分散副本的规则不在考虑之内。",
                "1.22 之前的 kubelet 无论 sizeLimit 为多少，都把内存卷建成节点内存的一半（KEP-1967，官方文档直到 \
                 2023 年也这样写）。已知版本时按此计算。",
            ]),
        },
    },
    setting: None,
    remedy: "\
# containers that write to the volumes: request what the files may take
resources:
  requests:
    memory: {bound}
",
    links: &[
        "https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#memory-backed-emptydir",
        "https://kubernetes.io/docs/tasks/administer-cluster/reserve-compute-resources/#node-allocatable",
        "https://github.com/kubernetes/kubernetes/blob/master/pkg/volume/emptydir/empty_dir.go",
    ],
    check,
}
.of_objects();

fn check(facts: &Facts, settings: &Settings) -> Vec<Finding> {
    let Some(node) = Node::smallest(facts, settings) else { return Vec::new() };
    facts.pods.iter().filter_map(|pod| finding(pod, &node)).collect()
}

/// What is known of the node that the pods may come to share.
struct Node<'a> {
    allocatable: u128,
    /// Where that was read; it may be stated instead.
    read: Option<&'a Found<u128>>,
    /// The size of every tmpfs, where kubelet gives it none.
    unsized_tmpfs: Option<u128>,
}

impl<'a> Node<'a> {
    /// The smallest node, since all of the pods may come to run there.
    fn smallest(facts: &'a Facts, settings: &Settings) -> Option<Self> {
        let smallest = |list: &'a [Found<u128>]| list.iter().min_by_key(|found| found.value);
        let capacity = smallest(&facts.nodes.memory_capacity);
        let read = smallest(&facts.nodes.allocatable_memory).or(capacity);
        let allocatable = if let Some(stated) = settings.node.memory {
            stated
        } else if let Some(reported) = smallest(&facts.nodes.allocatable_memory) {
            reported.value
        } else {
            let capacity = capacity?.value;
            facts.nodes.reservations.last().map_or(capacity, |kept| kept.value.allocatable(capacity))
        };
        let old = facts.versions.kubelet.iter().any(|kubelet| !kubelet.value.kubelet_sizes_memory_volumes());
        // The kernel's default for tmpfs is half of the machine's memory.
        let unsized_tmpfs = old.then(|| capacity.map_or(allocatable, |capacity| capacity.value) / 2);
        Some(Self { allocatable, read: read.filter(|_| settings.node.memory.is_none()), unsized_tmpfs })
    }

    /// How many pods of a template can share the node: no more than fit by what they request.
    fn pods(&self, pod: &PodTemplate) -> u128 {
        let replicas = if pod.kind == "DaemonSet" || pod.is_pod { 1 } else { pod.replicas.unwrap_or(1) };
        let fit = self.allocatable.checked_div(pod.memory_request()).unwrap_or(u128::MAX);
        u128::from(replicas).min(fit.max(1))
    }
}

fn finding(pod: &PodTemplate, node: &Node) -> Option<Finding> {
    let bound = pod.files_bound(node.unsized_tmpfs)?;
    let pods = node.pods(pod);
    let total = bound.saturating_mul(pods);
    if total <= node.allocatable {
        return None;
    }
    let (bound, total) = (quantity::format(bound), quantity::format(total));
    let allocatable = quantity::format(node.allocatable);
    let volumes: Vec<_> = pod.written_memory_volumes().collect();
    let volume = volumes.first()?;
    let mut finding = RULE.finding_in(pod, None, Some(volume).filter(|_| volumes.len() == 1).copied());
    let place = pod.place(format!("{}/emptyDir", volume.pointer));
    finding.evidence = vec![Evidence::new(&place, format!("{pods} × {bound} = {total}"), format!("<= {allocatable}"))];
    let read =
        node.read.map(|read| Evidence::new(&read.place, format!("memory: {}", quantity::format(read.value)), ""));
    finding.evidence.extend(read);
    if pods > 1 {
        finding.values.insert("pods".into(), pods.to_string());
        finding.values.insert("total".into(), total);
    }
    finding.values.insert("bound".into(), bound);
    finding.values.insert("allocatable".into(), allocatable);
    Some(finding)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::RULE;
    use crate::facts::Facts;
    use crate::fixture::{findings, findings_with, found, manifest, says, version};
    use crate::settings::{NodeProfile, Settings};

    /// A workload whose container `app` writes to a memory volume.
    fn workload(kind: &str, replicas: u64, resources: Value, size: Value) -> Value {
        json!({
            "apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "d"},
            "spec": {"replicas": replicas, "template": {"spec": {
                "containers": [{"name": "app", "resources": resources, "volumeMounts": [{"name": "v"}]}],
                "volumes": [{"name": "v", "emptyDir": {"medium": "Memory", "sizeLimit": size}}],
            }}},
        })
    }

    fn node(allocatable: &str) -> Value {
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "w"}, "status": {"allocatable": {"memory": allocatable}}})
    }

    fn facts(items: Value) -> Facts {
        manifest(json!({"apiVersion": "v1", "kind": "List", "items": items}))
    }

    fn fires(items: Value) -> bool {
        !findings(&RULE, &facts(items)).is_empty()
    }

    #[test]
    fn more_than_allocatable_fires_with_the_numbers() {
        let deployment = |replicas| workload("Deployment", replicas, json!({}), json!("4Gi"));
        assert_eq!(
            says(&RULE, &facts(json!([node("15Gi"), deployment(4)]))),
            "4 pods can share a node and fill their memory volumes with 16Gi (4Gi each), but the node has 15Gi for all pods."
        );
        assert!(!fires(json!([deployment(3), node("15Gi")])), "12Gi fit");
        assert!(!fires(json!([deployment(4), node("16Gi")])), "16Gi fit exactly");
        assert!(fires(json!([deployment(4), node("64Gi"), node("15Gi")])), "the smallest node counts");
        assert!(!fires(json!([deployment(400)])), "no node is known");
    }

    #[test]
    fn a_daemon_set_brings_one_pod_to_a_node() {
        let daemon = |size: &str| workload("DaemonSet", 9, json!({}), json!(size));
        assert!(!fires(json!([daemon("4Gi"), node("15Gi")])));
        assert_eq!(
            says(&RULE, &facts(json!([daemon("16Gi"), node("15Gi")]))),
            "The memory volumes of one pod may take 16Gi, but the node has 15Gi for all pods."
        );
    }

    /// The scheduler places a pod only where its request is free.
    #[test]
    fn what_is_reserved_is_not_overcommitted() {
        let resources = |request: Value| json!({"limits": {"memory": "4Gi"}, "requests": {"memory": request}});
        let fires =
            |request: Value| fires(json!([workload("Deployment", 10, resources(request), json!(null)), node("15Gi")]));
        assert!(!fires(json!("4Gi")), "three fit");
        assert!(fires(json!("2Gi")), "seven fit");
        assert!(fires(json!(0)));
        let defaulted = workload("Deployment", 10, json!({"limits": {"memory": "4Gi"}}), json!(null));
        assert!(!self::fires(json!([defaulted, node("15Gi")])), "the request is the limit");
    }

    #[test]
    fn a_volume_without_bounds_is_another_rule() {
        assert!(!fires(json!([workload("Deployment", 4, json!({}), json!(null)), node("15Gi")])));
    }

    #[test]
    fn stated_memory_and_reservations_count() {
        let deployment = || workload("Deployment", 4, json!({}), json!("4Gi"));
        let stated = |memory| Settings {
            node: NodeProfile { memory: Some(memory), ..NodeProfile::default() },
            ..Settings::default()
        };
        assert_eq!(findings_with(&RULE, &manifest(deployment()), &stated(15 << 30)).len(), 1);
        assert!(findings_with(&RULE, &manifest(deployment()), &stated(16 << 30)).is_empty());

        let capacity = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "w"}, "status": {"capacity": {"memory": "16Gi"}}});
        let config = json!({"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration"});
        assert!(!fires(json!([deployment(), capacity])));
        assert!(fires(json!([deployment(), capacity, config])), "100Mi are kept back by default");
    }

    /// Before KEP-1967 every tmpfs is half of the memory, whatever its sizeLimit.
    #[test]
    fn old_kubelets_give_half_of_the_memory() {
        let mut facts = facts(json!([workload("Deployment", 3, json!({}), json!("1Gi")), node("15Gi")]));
        assert!(findings(&RULE, &facts).is_empty());
        facts.versions.kubelet = vec![version("1.21.14")];
        facts.nodes.memory_capacity = vec![found(16 << 30)];
        assert_eq!(
            says(&RULE, &facts),
            "3 pods can share a node and fill their memory volumes with 24Gi (8Gi each), but the node has 15Gi for all pods."
        );
    }
}
