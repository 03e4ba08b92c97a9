//! The limit on inotify instances is too low for a node, or nearly used.

use crate::facts::Facts;
use crate::kubernetes::platform::Setting;
use crate::report::{Evidence, Finding, Risk, Severity};
use crate::risks::inotify::{
    EXHAUSTED_PERCENT, LOW_PERCENT, Load, PodsOfNode, instance_limits, instance_loads, instances_exhausted, need,
    target_instances,
};
use crate::rules::{Rule, Text, Words, on_pages};
use crate::settings::Settings;

/// See the module.
pub static RULE: Rule = Rule {
    id: "inotify-instances-low",
    risk: Risk::Inotify,
    severity: Severity::Warning,
    words: Words {
        en: Text {
            title: "Too few inotify instances for a node",
            says: &[
                "A limit of {low_limit} inotify instances is too low: the {running_pods} pods of one node need {need}.",
                "A limit of {low_limit} inotify instances is too low: a node with {max_pods} pods needs {need}.",
                "inotify: {used} of {limit} instances used by {user}.",
            ],
            why: "On cgroup v2 containerd's shim holds one inotify instance per container, the pause container \
                  included: two for the smallest pod, more for pods with sidecars. They all count against root, \
                  together with systemd, kubelet and every container that runs as root. The kernel's default of 128 \
                  is thus used up by some 50 pods, far below the 110 that kubelet allows.",
            fix: "Raise fs.inotify.max_user_instances before the node fills up: at least {least} are needed here, \
                  {target} leave room. A higher limit costs nothing until instances are created. To see how close a \
                  node is, count per user, not in total: the limit is per user id.",
            notes: on_pages(&[
                "The need is an estimate for root: 25 for the system, and for each pod its running containers plus \
                 one; where the pods are not known, two for each pod that the node may take. Pods that run as \
                 another user draw on that user's limit.",
                "Limits that nodes come with: 128 (Linux itself, Ubuntu 22.04, RHEL 9), 1024 (AKS), 8192 (Amazon \
                 Linux 2023 on EKS, Bottlerocket, OpenShift, Talos, kOps). kind's documentation advises 512, which \
                 is too low for large nodes.",
                "The article behind this rule (https://qiita.com/superbrothers/items/d13762c1b4853049135c) reckons \
                 two instances per pod, hence 64 pods. It is one per container and one for the pause container, as \
                 its own listing shows (3 to 7 for pods with several containers), and the system takes some too, so \
                 fewer pods fit.",
            ]),
        },
        ja: Text {
            title: "ノードには低すぎる inotify インスタンスの上限",
            says: &[
                "inotify インスタンスの上限 {low_limit} は低すぎます。1 つのノードで動いている {running_pods} 個の Pod には {need} 個必要です。",
                "inotify インスタンスの上限 {low_limit} は低すぎます。{max_pods} Pod のノードには {need} 個必要です。",
                "{user} が inotify インスタンスを {limit} 個中 {used} 個使用しています。",
            ],
            why: "cgroup v2 では containerd の shim が pause を含むコンテナごとに inotify インスタンスを 1 つ使います。最小の Pod でも 2 つ、サイドカーがあればさらに増えます。\
                  これらはすべて、systemd や kubelet、root で動くコンテナと合わせて root の使用数に数えられます。そのためデフォルト値 128 は 50 Pod ほどで使い切られ、\
                  kubelet のデフォルトの上限 110 Pod には届きません。",
            fix: "ノードが Pod で埋まる前に fs.inotify.max_user_instances を引き上げてください。少なくとも {least} が必要です。余裕を見て {target} \
                  にすることを推奨します。上限を上げるだけならメモリは消費しません。残りを確認するときは、合計ではなくユーザーごとに数えてください。\
                  上限は UID ごとに適用されます。",
            notes: on_pages(&[
                "必要数は root の分の概算です。システムの 25 に、Pod ごとに実行中のコンテナ数 + 1 を加えます。Pod \
                 が分からない場合は、ノードに配置できる Pod 数 × 2 とします。root 以外で動く Pod は、\
                 そのユーザーの上限から消費します。",
                "主な環境のデフォルト値: 128（Linux カーネル、Ubuntu 22.04、RHEL 9）、1024（AKS）、8192（EKS の \
                 Amazon Linux 2023、Bottlerocket、OpenShift、Talos、kOps）。kind のドキュメントの推奨値 512 は、\
                 大きなノードには足りません。",
                "元の記事（https://qiita.com/superbrothers/items/d13762c1b4853049135c）は 1 Pod あたり 2 個、つまり \
                 64 Pod までとしています。実際はコンテナごとに 1 個と pause コンテナに 1 個で、\
                 記事中の一覧でもコンテナが複数の Pod は 3〜7 個です。システム自体も使うため、64 Pod \
                 より前に尽きます。",
            ]),
        },
        zh: Text {
            title: "节点的 inotify 实例上限过低",
            says: &[
                "inotify 实例上限 {low_limit} 太低：同一节点上正在运行的 {running_pods} 个 Pod 需要 {need} 个。",
                "inotify 实例上限 {low_limit} 太低：运行 {max_pods} 个 Pod 的节点需要 {need} 个。",
                "inotify 实例：{user} 已使用 {used} 个，上限为 {limit} 个。",
            ],
            why: "在 cgroup v2 上，containerd 的 shim 为每个容器（包括 pause 容器）占用一个 inotify 实例：最小的 Pod 也要两个，带边车容器的更多。\
                  它们与 systemd、kubelet 以及所有以 root 运行的容器一起计入 root 的额度。因此内核默认的 128 个实例大约 50 个 Pod 就会用完，远低于 kubelet 默认允许的 110 个。\
                  ",
            fix: "在节点装满之前调高 fs.inotify.max_user_instances：这里至少需要 {least}，留出余量可设为 {target}。上限调高本身不占内存。\
                  查看余量时请按用户统计，不要看总数：上限是按 UID 计算的。",
            notes: on_pages(&[
                "需要量是对 root 的估算：系统占 25 个，每个 Pod 为运行中的容器数加一；不知道有哪些 Pod 时，\
                 按节点可容纳的 Pod 数乘以二计算。以其他用户运行的 Pod 占用该用户的额度。",
                "各环境的默认值：128（Linux 内核、Ubuntu 22.04、RHEL 9）、1024（AKS）、8192（EKS 的 Amazon Linux \
                 2023、Bottlerocket、OpenShift、Talos、kOps）。kind 文档建议的 512 对大节点来说偏低。",
                "原文章（https://qiita.com/superbrothers/items/d13762c1b4853049135c）按每个 Pod 两个实例计算，得出 \
                 64 个 Pod。实际上是每个容器一个，再加 pause 容器一个（文中列表里多容器 Pod 就有 3 到 7 个），\
                 系统自身也要占用，因此能放下的 Pod 更少。",
            ]),
        },
    },
    setting: Some(Setting::sysctl("fs.inotify.max_user_instances", "{target}")),
    remedy: "",
    links: &[
        "https://github.com/containerd/containerd/issues/5670",
        "https://github.com/containerd/cgroups/pull/212",
        "https://github.com/torvalds/linux/blob/v6.12/fs/notify/inotify/inotify_user.c",
        "https://kubernetes.io/docs/reference/config-api/kubelet-config.v1beta1/",
    ],
    check,
}
.of_texts();

fn check(facts: &Facts, settings: &Settings) -> Vec<Finding> {
    // The same remedy need not be told twice.
    if instances_exhausted(&facts.inotify) {
        return Vec::new();
    }
    let need = need(facts, settings);
    let mut finding = RULE.finding();
    if let Some((limit, place)) = instance_limits(&facts.inotify).find(|(limit, _)| *limit < need.instances) {
        let observed = format!("fs.inotify.max_user_instances = {limit}");
        finding.evidence.push(Evidence::new(place, observed, format!(">= {}", need.instances)));
        finding.values.insert("low_limit".into(), limit.to_string());
        if let PodsOfNode::Max(pods, Some(place)) = need.pods {
            finding.evidence.push(Evidence::new(place, format!("maxPods: {pods}"), ""));
        }
    }
    let loads = instance_loads(&facts.inotify);
    if let Some(load) = loads.iter().find(|load| load.is_of_one_user()) {
        if (LOW_PERCENT..EXHAUSTED_PERCENT).contains(&load.percent()) {
            finding.evidence.push(load.evidence(LOW_PERCENT));
        }
        finding.values.insert("used".into(), load.used.value.count.to_string());
        finding.values.insert("limit".into(), load.limit.to_string());
        finding.values.extend(load.user().map(|user| ("user".into(), user)));
    }
    if finding.evidence.is_empty() {
        return Vec::new();
    }
    let least = loads.iter().filter(|load| load.is_of_one_user()).map(Load::least_limit).max();
    finding.values.insert("least".into(), least.unwrap_or(0).max(need.instances).to_string());
    finding.values.insert("need".into(), need.instances.to_string());
    finding.values.insert("target".into(), target_instances(&facts.inotify, &need).to_string());
    let name = if matches!(need.pods, PodsOfNode::Running(_)) { "running_pods" } else { "max_pods" };
    finding.values.insert(name.into(), need.pods.count().to_string());
    vec![finding]
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::RULE;
    use crate::facts::{CgroupMode, Facts, InUse, Whose};
    use crate::fixture::{findings, findings_with, found, manifest, says, version};
    use crate::kubernetes::inotify::Runtime;
    use crate::settings::{NodeProfile, Settings};

    fn limited(limit: u64) -> Facts {
        let mut facts = Facts::default();
        facts.inotify.max_instances = Some(found(limit));
        facts
    }

    /// 25 + 2 × 110 (kubelet's default `maxPods`) on cgroup v2.
    #[test]
    fn the_default_of_128_is_below_the_need_of_110_pods() {
        let says = says(&RULE, &limited(128));
        assert_eq!(says, "A limit of 128 inotify instances is too low: a node with 110 pods needs 245.");
        assert!(findings(&RULE, &limited(245)).is_empty());
        assert_eq!(findings(&RULE, &limited(244)).len(), 1);
    }

    #[test]
    fn max_pods_of_the_node_count() {
        let settings = |max_pods| Settings {
            node: NodeProfile { max_pods: Some(max_pods), ..NodeProfile::default() },
            ..Settings::default()
        };
        assert!(findings_with(&RULE, &limited(128), &settings(30)).is_empty());
        assert_eq!(findings_with(&RULE, &limited(512), &settings(250)).len(), 1);
    }

    #[test]
    fn max_pods_that_were_read_count_unless_others_are_stated() {
        let mut facts = limited(245);
        facts.nodes.max_pods = vec![found(58), found(250)];
        let findings = findings(&RULE, &facts);
        assert_eq!(findings[0].evidence[0].expected, ">= 525");
        assert_eq!(findings[0].evidence[1].observed, "maxPods: 250");
        let stated =
            Settings { node: NodeProfile { max_pods: Some(110), ..NodeProfile::default() }, ..Settings::default() };
        assert!(findings_with(&RULE, &facts, &stated).is_empty());
    }

    /// A limit beside `count` pods on one node, each with one sidecar and two other containers.
    fn beside_pods(limit: u64, count: usize, namespaces: &[&str]) -> Facts {
        let pod = |namespace: &str| {
            json!({
                "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": namespace},
                "spec": {
                    "nodeName": "w1",
                    "containers": [{"name": "a"}, {"name": "b"}],
                    "initContainers": [{"name": "setup"}, {"name": "proxy", "restartPolicy": "Always"}],
                },
            })
        };
        let items: Vec<Value> = namespaces.iter().cycle().take(count).map(|namespace| pod(namespace)).collect();
        let mut facts = manifest(json!({"apiVersion": "v1", "kind": "List", "items": items}));
        facts.inotify.max_instances = Some(found(limit));
        facts
    }

    /// 25 + Σ (running containers + 1) with containerd, 25 + Σ running containers with CRI-O, 25 on cgroup v1.
    #[test]
    fn the_pods_of_a_node_count_when_all_are_shown() {
        let both = ["kube-system", "shop"];
        assert_eq!(
            says(&RULE, &beside_pods(128, 26, &both)),
            "A limit of 128 inotify instances is too low: the 26 pods of one node need 129."
        );
        assert!(findings(&RULE, &beside_pods(128, 25, &both)).is_empty());
        let mut crio = beside_pods(128, 34, &both);
        crio.versions.crio = vec![version("1.30.0")];
        assert!(findings(&RULE, &crio).is_empty());
        let node = NodeProfile { runtime: Some(Runtime::Crio), ..NodeProfile::default() };
        let stated = Settings { node, ..Settings::default() };
        assert!(RULE.findings(&beside_pods(128, 34, &both), &stated).is_empty());
        let mut v1 = beside_pods(128, 100, &both);
        v1.cgroups.modes = vec![found(CgroupMode::V1)];
        assert!(findings(&RULE, &v1).is_empty());
    }

    #[test]
    fn the_pods_of_one_namespace_can_only_raise_the_need() {
        let says = |count| says(&RULE, &beside_pods(128, count, &["shop"]));
        assert_eq!(says(2), "A limit of 128 inotify instances is too low: a node with 110 pods needs 245.");
        assert_eq!(says(60), "A limit of 128 inotify instances is too low: the 60 pods of one node need 265.");
    }

    /// On cgroup v1 containerd uses eventfd, so pods need no instance.
    #[test]
    fn cgroup_v1_needs_the_base_alone() {
        let mut facts = limited(128);
        facts.cgroups.modes = vec![found(CgroupMode::V1)];
        assert!(findings(&RULE, &facts).is_empty());
        facts.cgroups.modes.push(found(CgroupMode::V2));
        assert_eq!(findings(&RULE, &facts).len(), 1, "one of the two nodes is on v2");
    }

    #[test]
    fn four_fifths_used_by_one_user_is_low_whatever_the_limit() {
        let count = |count, whose| {
            let mut facts = limited(1000);
            facts.inotify.instances_used = vec![found(InUse { count, whose, at_least: false, limit: None })];
            facts
        };
        assert_eq!(says(&RULE, &count(800, Whose::Uid(0))), "inotify: 800 of 1000 instances used by UID 0.");
        assert!(findings(&RULE, &count(799, Whose::Uid(0))).is_empty());
        assert!(findings(&RULE, &count(800, Whose::Everyone)).is_empty(), "only an upper bound for a user");
        assert!(findings(&RULE, &count(950, Whose::Uid(0))).is_empty(), "inotify-instances-exhausted says more");
    }

    #[test]
    fn an_intended_value_is_not_a_limit() {
        let mut facts = Facts::default();
        facts.inotify.intended_instances = Some(found(128));
        assert!(findings(&RULE, &facts).is_empty());
    }
}
