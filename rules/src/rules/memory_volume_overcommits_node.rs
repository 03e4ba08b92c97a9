//! The memory volumes of pods that can share a node may together take more than the node has.

use crate::facts::{Facts, Found};
use crate::kubernetes::pod::PodTemplate;
use crate::kubernetes::quantity;
use crate::kubernetes::version::Version;
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
            fix: "{if request} Set the memory requests of the writing containers to {request} together, so that the \
                  scheduler counts it and fewer pods come to share a node; or make the volumes smaller; or keep the \
                  replicas apart.\n\
                  {if fits} A larger request does not help: this node takes no pod that asks for {bound}. Give the \
                  volumes a sizeLimit, or their writers a memory limit, that leaves the rest of the node room, for \
                  example {fits} for each volume; or use a larger node.\n\
                  {if asks} As it stands the pod requests {asks}, so that it is not even placed here: lower that as well.\n\
                  {if old_kubelet} kubelet {old_kubelet} does not look at sizeLimit when it makes the volume: only \
                  memory limits, or kubelet 1.22 and later, bound it.",
            notes: on_pages(&[
                "Counted are the replicas that fit by their requests on the smallest known node that takes such a pod, \
                 as if nothing else ran there. Whatever keeps replicas apart, such as anti-affinity, is not looked at.",
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
            fix: "{if request} 書き込むコンテナの requests.memory を合計 {request} にしてスケジューラーに確保させる（同じノードに載る Pod が減ります）か、\
                  ボリュームを小さくするか、レプリカを別々のノードに分散させてください。\n\
                  {if fits} requests を増やしても解決しません。{bound} を要求する Pod はこのノードに配置できないためです。ボリュームの sizeLimit か、\
                  書き込むコンテナの limits.memory を、ノードに余裕が残る大きさ（例えばボリュームごとに {fits}）にするか、より大きいノードを使ってください。\n\
                  {if asks} 現在の requests は {asks} なので、この Pod はそもそもこのノードに配置されません。requests も下げてください。\n\
                  {if old_kubelet} kubelet {old_kubelet} はボリュームの作成時に sizeLimit を考慮しません。使用量を抑えられるのは limits.memory か、kubelet 1.22 以降への更新だけです。",
            notes: on_pages(&[
                "requests から見て収まるレプリカ数を、その Pod を配置できる最小のノードにほかの Pod \
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
            fix: "{if request} 把写入容器的 requests.memory 合计设为 {request}，让调度器将其计入，同一节点上的 Pod 也会随之减少；或者缩小卷；或者把副本分散到不同节点。\n\
                  {if fits} 提高 requests 无济于事：请求 {bound} 的 Pod 在该节点上无法调度。请为卷设置 sizeLimit，或为写入容器设置内存限制，给节点上的其他进程留出余量，\
                  例如每个卷 {fits}；或者换用更大的节点。\n\
                  {if asks} 目前该 Pod 的 requests 为 {asks}，根本不会被调度到该节点，请一并调低。\n\
                  {if old_kubelet} kubelet {old_kubelet} 创建卷时不看 sizeLimit：只有内存限制，或 kubelet 1.22 及以上版本，才能约束卷的大小。",
            notes: on_pages(&[
                "按 requests 计算能容纳该 Pod 的最小节点能放下多少副本，并假设节点上没有其他 Pod。\
                 反亲和等分散副本的规则不在考虑之内。",
                "1.22 之前的 kubelet 无论 sizeLimit 为多少，都把内存卷建成节点内存的一半（KEP-1967，官方文档直到 \
                 2023 年也这样写）。已知版本时按此计算。",
            ]),
        },
    },
    setting: None,
    remedy: "\
{if request}
# containers that write to the volumes: request what the files may take
resources:
  requests:
    memory: {request}

{if size_limit}
# each memory volume
emptyDir:
  medium: Memory
  sizeLimit: {size_limit}
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
    facts.pods.iter().filter_map(|pod| finding(pod, &Node::of(pod, facts, settings)?)).collect()
}

/// What is known of the node that the pods may come to share.
struct Node<'a> {
    allocatable: u128,
    /// Where that was read; it may be stated instead.
    read: Option<&'a Found<u128>>,
    /// A kubelet that gives tmpfs no size.
    old_kubelet: Option<&'a Version>,
    /// The size of every tmpfs there.
    unsized_tmpfs: Option<u128>,
}

impl<'a> Node<'a> {
    /// The smallest node that can take the pod, since all of its replicas may come to run there; the largest one when
    /// none can.
    fn of(pod: &PodTemplate, facts: &'a Facts, settings: &Settings) -> Option<Self> {
        let request = pod.memory_request();
        let smallest = |list: &'a [Found<u128>]| {
            let taking = list.iter().filter(|found| found.value >= request).min_by_key(|found| found.value);
            taking.or_else(|| list.iter().max_by_key(|found| found.value))
        };
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
        let old_kubelet = facts.versions.kubelet.iter().map(|kubelet| &kubelet.value);
        let old_kubelet = old_kubelet.into_iter().find(|kubelet| !kubelet.kubelet_sizes_memory_volumes());
        // The kernel's default for tmpfs is half of the machine's memory.
        let unsized_tmpfs = old_kubelet.map(|_| capacity.map_or(allocatable, |capacity| capacity.value) / 2);
        Some(Self { allocatable, read: read.filter(|_| settings.node.memory.is_none()), old_kubelet, unsized_tmpfs })
    }

    /// A round size for each of so many volumes, of which all together leave half of the node to everything else.
    fn share(&self, volumes: u128) -> u128 {
        let share = (self.allocatable / 2).checked_div(volumes).unwrap_or_default();
        share.checked_ilog2().map_or(1 << 20, |power| 1 << power)
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
    let volumes: Vec<_> = pod.written_memory_volumes().collect();
    let volume = volumes.first()?;
    let mut finding = RULE.finding_in(pod, None, Some(volume).filter(|_| volumes.len() == 1).copied());
    let count = u128::try_from(volumes.len()).unwrap_or(u128::MAX).saturating_mul(pods);
    let remedy = if bound <= node.allocatable { ("request", bound) } else { ("fits", node.share(count)) };
    let asks = pod.memory_request();
    let asks = (asks > node.allocatable).then_some(("asks", asks));
    let size_limit = (remedy.0 == "fits" && node.old_kubelet.is_none()).then_some(("size_limit", remedy.1));
    let amounts =
        [remedy, ("bound", bound), ("allocatable", node.allocatable)].into_iter().chain(asks).chain(size_limit);
    finding.values.extend(amounts.map(|(name, amount)| (name.into(), quantity::format(amount))));
    finding.values.extend(node.old_kubelet.map(|kubelet| ("old_kubelet".into(), kubelet.text.clone())));
    let (bound, total) = (quantity::format(bound), quantity::format(total));
    let allocatable = quantity::format(node.allocatable);
    let place = pod.place(format!("{}/emptyDir", volume.pointer));
    finding.evidence = vec![Evidence::new(&place, format!("{pods} × {bound} = {total}"), format!("<= {allocatable}"))];
    let read =
        node.read.map(|read| Evidence::new(&read.place, format!("memory: {}", quantity::format(read.value)), ""));
    finding.evidence.extend(read);
    if pods > 1 {
        finding.values.insert("pods".into(), pods.to_string());
        finding.values.insert("total".into(), total);
    }
    Some(finding)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::RULE;
    use crate::facts::Facts;
    use crate::fixture::{findings, findings_with, found, manifest, says, version};
    use crate::rules::Lang;
    use crate::settings::{NodeProfile, Settings};
    use crate::show::said;

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

    /// What the only finding says to do in English, and its remedy.
    fn to_do(items: Value) -> (String, String) {
        let findings = findings(&RULE, &facts(items));
        let said = said(findings.first().unwrap(), Lang::En).unwrap();
        (said.fix, said.remedy)
    }

    #[test]
    fn a_request_is_advised_where_it_keeps_pods_apart() {
        let (fix, remedy) = to_do(json!([node("15Gi"), workload("Deployment", 4, json!({}), json!("4Gi"))]));
        assert!(fix.starts_with("Set the memory requests of the writing containers to 4Gi together"), "{fix}");
        assert!(remedy.contains("memory: 4Gi") && !remedy.contains("sizeLimit"), "{remedy}");
    }

    /// No request makes room for 40Gi on a node of 31Gi; a volume of 8Gi leaves room for others.
    #[test]
    fn a_smaller_volume_is_advised_where_no_node_takes_the_pod() {
        let resources = json!({"limits": {"memory": "40Gi"}, "requests": {"memory": "40Gi"}});
        let (fix, remedy) = to_do(json!([node("31Gi"), workload("Deployment", 1, resources, json!(null))]));
        assert!(fix.starts_with("A larger request does not help: this node takes no pod that asks for 40Gi."), "{fix}");
        assert!(
            fix.contains("for example 8Gi")
                && fix.ends_with("requests 40Gi, so that it is not even placed here: lower that as well."),
            "{fix}"
        );
        assert_eq!(remedy, "# each memory volume\nemptyDir:\n  medium: Memory\n  sizeLimit: 8Gi\n");
        let mended = workload(
            "Deployment",
            1,
            json!({"limits": {"memory": "40Gi"}, "requests": {"memory": "1Gi"}}),
            json!("8Gi"),
        );
        assert!(!fires(json!([node("31Gi"), mended])));
    }

    /// The scheduler never places the pod on a node that is smaller than its request.
    #[test]
    fn a_node_that_cannot_take_the_pod_does_not_count() {
        let resources = json!({"limits": {"memory": "40Gi"}, "requests": {"memory": "40Gi"}});
        let pod = workload("Deployment", 1, resources, json!(null));
        assert!(!fires(json!([node("31Gi"), node("62Gi"), pod])));
        assert!(fires(json!([node("15Gi"), node("31Gi"), pod])));
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
