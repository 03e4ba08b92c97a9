//! A namespace in which nothing gives or demands memory limits.

use crate::facts::{Facts, Found};
use crate::report::{Evidence, Finding, Risk, Severity};
use crate::rules::{Rule, Text, Words, on_pages};
use crate::settings::Settings;

/// See the module.
pub static RULE: Rule = Rule {
    id: "namespace-memory-unguarded",
    risk: Risk::MemoryVolume,
    severity: Severity::Info,
    words: Words {
        en: Text {
            title: "Namespace without memory defaults or quota",
            says: &["Nothing here gives or demands memory limits in namespace {namespace}."],
            why: "In such a namespace a pod without limits is accepted as it is, and a memory volume in it is as large \
                  as the node allows. A LimitRange gives limits to containers that have none, a ResourceQuota with \
                  limits.memory refuses pods whose containers have none.",
            fix: "Create a LimitRange with a default memory limit in namespace {namespace}, and a ResourceQuota with \
                  limits.memory if the namespace must stay within a budget.",
            notes: on_pages(&[
                "This looks at what was given to check, not at the cluster: a LimitRange or ResourceQuota may exist \
                 that was not pasted.",
                "The article on memory-backed emptyDir fears that a quota makes every manifest be edited. Defaults \
                 from a LimitRange are filled in before the quota counts, so with both no manifest has to change.",
            ]),
        },
        ja: Text {
            title: "メモリのデフォルト値もクォータもない Namespace",
            says: &[
                "Namespace {namespace} には、メモリ制限のデフォルト値を与えるものも、制限を必須にするものも見当たりません。",
            ],
            why: "このような Namespace では制限のない Pod がそのまま作成され、メモリボリュームの大きさを抑えるものはノードの容量しかありません。\
                  LimitRange は制限のないコンテナにデフォルト値を与え、limits.memory を含む ResourceQuota は制限のないコンテナを含む Pod を拒否します。\
                  ",
            fix: "Namespace {namespace} にデフォルトのメモリ制限を持つ LimitRange を作成し、合計使用量に上限を設ける必要があれば limits.memory を含む ResourceQuota も作成してください。",
            notes: on_pages(&[
                "確認したのは入力された内容だけです。LimitRange や ResourceQuota が、\
                 貼り付けられていないだけでクラスターには存在するかもしれません。",
                "memory-backed emptyDir の元記事は、\
                 クォータを設定するとすべてのマニフェストの修正が必要になるとしています。LimitRange \
                 のデフォルト値はクォータの計算より前に入るため、両方を設定すればマニフェストの修正は不要です。",
            ]),
        },
        zh: Text {
            title: "没有内存默认值和配额的命名空间",
            says: &["这里没有任何对象为命名空间 {namespace} 提供或强制要求内存限制。"],
            why: "在这样的命名空间里，没有限制的 Pod 会原样创建，其中的内存卷大小只受节点约束。LimitRange 会给没有限制的容器补上默认值，\
                  带 limits.memory 的 ResourceQuota 会拒绝含有无限制容器的 Pod。",
            fix: "在命名空间 {namespace} 中创建带默认内存限制的 LimitRange；如果需要限制总用量，再创建带 limits.memory 的 ResourceQuota。",
            notes: on_pages(&[
                "这里只检查输入的内容而不是集群：可能存在没有粘贴进来的 LimitRange 或 ResourceQuota。",
                "关于 memory-backed emptyDir 的原文章担心设置配额后每个清单都要修改。LimitRange \
                 的默认值会在配额计算之前补上，两者同时使用就无需修改清单。",
            ]),
        },
    },
    setting: None,
    remedy: "\
apiVersion: v1
kind: LimitRange
metadata:
  name: memory
  namespace: {namespace}
spec:
  limits:
    - type: Container
      default:
        memory: 256Mi
",
    links: &[
        "https://kubernetes.io/docs/concepts/policy/limit-range/",
        "https://kubernetes.io/docs/concepts/policy/resource-quotas/",
        "https://kubernetes.io/docs/tasks/administer-cluster/manage-resources/memory-default-namespace/",
    ],
    check,
}
.of_objects();

fn check(facts: &Facts, _: &Settings) -> Vec<Finding> {
    facts.cluster.namespaces.iter().filter(|namespace| !is_guarded(facts, &namespace.value)).map(finding).collect()
}

/// A guard without a namespace may be meant for this one.
fn is_guarded(facts: &Facts, namespace: &str) -> bool {
    let here = |of: &Option<String>| of.as_deref().is_none_or(|of| of == namespace);
    let defaults = facts.cluster.limit_ranges.iter().map(|range| &range.value);
    defaults.filter(|range| range.limit.is_some()).any(|range| here(&range.namespace))
        || facts.cluster.memory_quotas.iter().any(|quota| here(&quota.value.namespace))
}

fn finding(namespace: &Found<String>) -> Finding {
    let mut finding = RULE.finding();
    finding.object = Some(format!("Namespace/{}", namespace.value));
    finding.evidence = vec![Evidence::new(&namespace.place, "LimitRange: -, ResourceQuota: -", "")];
    finding.values.insert("namespace".into(), namespace.value.clone());
    finding
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::RULE;
    use crate::fixture::{findings, manifest};

    fn objects(others: Vec<Value>) -> Vec<String> {
        let namespace = |name: &str| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
        let items: Vec<Value> = others.into_iter().chain([namespace("shop"), namespace("bank")]).collect();
        let facts = manifest(json!({"apiVersion": "v1", "kind": "List", "items": items}));
        findings(&RULE, &facts).into_iter().filter_map(|finding| finding.object).collect()
    }

    fn object(kind: &str, namespace: Value, spec: Value) -> Value {
        json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": "o", "namespace": namespace}, "spec": spec})
    }

    #[test]
    fn a_default_or_a_quota_guards_its_namespace() {
        let default = || json!({"limits": [{"type": "Container", "default": {"memory": "256Mi"}}]});
        let quota = || json!({"hard": {"limits.memory": "8Gi"}});
        let both = ["Namespace/shop", "Namespace/bank"];
        assert_eq!(objects(Vec::new()), both);
        assert_eq!(objects(vec![object("LimitRange", json!("shop"), default())]), both[1..]);
        assert_eq!(objects(vec![object("ResourceQuota", json!("bank"), quota())]), both[..1]);
        assert!(objects(vec![object("LimitRange", json!(null), default())]).is_empty());
    }

    #[test]
    fn other_resources_and_requests_alone_are_no_guard() {
        for other in [
            object("LimitRange", json!("shop"), json!({"limits": [{"type": "Container", "default": {"cpu": 1}}]})),
            object(
                "LimitRange",
                json!("shop"),
                json!({"limits": [{"type": "Container", "defaultRequest": {"memory": "1Mi"}}]}),
            ),
            object("ResourceQuota", json!("shop"), json!({"hard": {"requests.memory": "8Gi", "pods": 10}})),
        ] {
            assert_eq!(objects(vec![other.clone()]).len(), 2, "{other}");
        }
    }
}
