//! A container without a memory limit, in a pod without memory volumes, or in one that a quota refuses for it.

use crate::facts::Facts;
use crate::kubernetes::pod::{Container, PodTemplate};
use crate::report::{Finding, Risk, Severity};
use crate::rules::{Rule, Text, Words, on_pages};
use crate::settings::Settings;

/// See the module.
pub static RULE: Rule = Rule {
    id: "memory-limit-missing",
    risk: Risk::MemoryVolume,
    severity: Severity::Info,
    words: Words {
        en: Text {
            title: "Container without a memory limit",
            says: &[
                "Container {container} has no memory limit, so ResourceQuota {quota} refuses its pod.",
                "Container {container} has no memory limit.",
            ],
            why: "A leak in this container is bounded by the node alone. Unlike files in a memory volume, its memory \
                  is free again once the process is killed, so this is a remark, not an alarm. It becomes one as \
                  soon as somebody adds a memory volume to the pod.",
            fix: "Give container {container} a memory limit that fits what it uses, or set a default with a \
                  LimitRange in the namespace.",
            notes: on_pages(&[
                "Limits that a webhook or a LimitRange in the cluster adds are seen only when they are in the text.",
            ]),
        },
        ja: Text {
            title: "メモリ制限のないコンテナ",
            says: &[
                "コンテナ {container} にメモリ制限がないため、ResourceQuota {quota} により Pod の作成が拒否されます。",
                "コンテナ {container} にメモリ制限がありません。",
            ],
            why: "このコンテナでメモリリークが起きると、ノードの容量以外に歯止めがありません。メモリボリュームのファイルと違い、プロセスが停止すればメモリは解放されるので、\
                  警告ではなく参考情報です。ただし、この Pod にメモリボリュームを追加すると危険になります。",
            fix: "コンテナ {container} に実際の使用量に見合ったメモリ制限を設定するか、Namespace の LimitRange でデフォルト値を設定してください。",
            notes: on_pages(&[
                "クラスター側の Webhook や LimitRange が追加する制限は、入力に含まれていなければ考慮されません。",
            ]),
        },
        zh: Text {
            title: "没有内存限制的容器",
            says: &[
                "容器 {container} 没有内存限制，其 Pod 会被 ResourceQuota {quota} 拒绝。",
                "容器 {container} 没有内存限制。",
            ],
            why: "该容器一旦发生内存泄漏，就只受节点容量约束。与内存卷中的文件不同，进程被杀死后内存会释放，因此这只是提示而不是告警。\
                  但只要有人给这个 Pod 加上内存卷，就会变得危险。",
            fix: "按实际用量给容器 {container} 设置内存限制，或在命名空间中用 LimitRange 设置默认值。",
            notes: on_pages(&["集群中的 Webhook 或 LimitRange 添加的限制，只有出现在输入中才会被考虑。"]),
        },
    },
    setting: None,
    remedy: "\
# container {container}
resources:
  limits:
    memory: {limit}
",
    links: &[
        "https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/",
        "https://kubernetes.io/docs/tasks/administer-cluster/manage-resources/memory-default-namespace/",
    ],
    check,
}
.of_objects();

fn check(facts: &Facts, _: &Settings) -> Vec<Finding> {
    facts
        .pods
        .iter()
        .filter(|pod| pod.memory_volumes().next().is_none() || pod.refused_by.is_some())
        .flat_map(|pod| pod.limitable_containers().map(move |container| (pod, container)))
        .filter(|(pod, container)| !pod.is_limited(container))
        .map(|(pod, container)| finding(pod, container))
        .collect()
}

fn finding(pod: &PodTemplate, container: &Container) -> Finding {
    let mut finding = RULE.unlimited(pod, container, None, 0);
    finding.values.extend(pod.refused_by.clone().map(|quota| ("quota".into(), quota)));
    finding
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::RULE;
    use crate::fixture::{findings, manifest, says};

    fn names(spec: Value) -> Vec<String> {
        let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec});
        findings(&RULE, &manifest(pod)).into_iter().filter_map(|finding| finding.container).collect()
    }

    #[test]
    fn containers_of_every_role_but_ephemeral_ones_are_named() {
        assert_eq!(
            names(json!({
                "containers": [{"name": "a"}, {"name": "b", "resources": {"limits": {"memory": "1Gi"}}}],
                "initContainers": [{"name": "c"}, {"name": "d", "restartPolicy": "Always"}],
                "ephemeralContainers": [{"name": "e"}],
            })),
            ["a", "c", "d"]
        );
    }

    /// "pods … is forbidden: failed quota: must specify limits.memory": such a pod cannot harm a node, nor do its work.
    #[test]
    fn a_quota_that_refuses_the_pod_is_named_memory_volumes_or_not() {
        let facts = manifest(json!({"apiVersion": "v1", "kind": "List", "items": [
            {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team"}, "spec": {"hard": {"limits.memory": "64Gi"}}},
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {
                "containers": [{"name": "a", "volumeMounts": [{"name": "v"}]}],
                "volumes": [{"name": "v", "emptyDir": {"medium": "Memory"}}],
            }},
        ]}));
        assert_eq!(says(&RULE, &facts), "Container a has no memory limit, so ResourceQuota team refuses its pod.");
    }

    #[test]
    fn memory_volumes_and_pod_limits_are_other_matters() {
        let volume = json!([{"name": "v", "emptyDir": {"medium": "Memory"}}]);
        assert!(names(json!({"containers": [{"name": "a"}], "volumes": volume})).is_empty());
        assert!(names(json!({"containers": [{"name": "a"}], "resources": {"limits": {"memory": "1Gi"}}})).is_empty());
    }
}
