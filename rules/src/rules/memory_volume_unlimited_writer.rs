//! A container without a memory limit writes to a memory volume without a size.

use crate::facts::Facts;
use crate::report::{Finding, Risk, Severity};
use crate::rules::{Rule, Text, Words, on_pages};
use crate::settings::Settings;

/// See the module.
pub static RULE: Rule = Rule {
    id: "memory-volume-unlimited-writer",
    risk: Risk::MemoryVolume,
    severity: Severity::Error,
    words: Words {
        en: Text {
            title: "Memory volume that nothing limits",
            says: &[
                "Container {container} has no memory limit and can fill memory volume {volume} until the node runs out of memory.",
            ],
            why: "A memory-backed emptyDir without limits is as large as the node's allocatable memory, and every \
                  replica brings another one. Nothing reserves that memory when the pod is scheduled. Files stay when \
                  the container is OOM-killed, because the volume lives as long as the pod, so a restart frees \
                  nothing: the node swaps or kills other processes, kubelet among them, and the next node follows.",
            fix: "Give container {container} a memory limit (here {limit}): the volume then counts against it, is \
                  no larger than the pod's limit, and is reserved through the request, which defaults to the limit. \
                  Set limits on the other containers too, and better a sizeLimit as well. A LimitRange with a \
                  default memory limit works as well, for pods created after it.",
            notes: on_pages(&[
                "Containers that are injected, and limits that a webhook or a LimitRange in the cluster adds, are \
                 seen only when they are in the text.",
                "The article behind this rule says that a default from a LimitRange does not help. It does, for \
                 pods created after it: LimitRanger sets request and limit to it before the pod is scheduled. It \
                 fails only where defaultRequest is smaller.",
                "The article also says that kubelet deletes the tmpfs some minutes after an OOM kill, and that the \
                 ReplicaSet creates the container anew. The volume lives as long as its pod and containers restart \
                 in place, so nothing is freed before the pod is deleted or evicted.",
            ]),
        },
        ja: Text {
            title: "上限のないメモリボリューム",
            says: &[
                "コンテナ {container} にはメモリ制限がなく、メモリボリューム {volume} への書き込みでノードのメモリを使い切るおそれがあります。",
            ],
            why: "制限のない memory-backed emptyDir（メモリボリューム）の大きさはノードの割り当て可能（allocatable）メモリと同じで、レプリカの数だけ増えます。\
                  スケジューリング時にこのメモリは確保されません。ボリュームは Pod が存在する間ずっと残るため、コンテナが OOM kill されて\
                  再起動してもファイルは消えず、メモリは解放されません。やがてノードはスワップし始めるか、kubelet を含むほかのプロセスを強制終了し、次のノードでも同じことが起こります。",
            fix: "コンテナ {container} にメモリ制限（ここでは {limit}）を設定してください。書き込んだ分はこの制限に数えられ、\
                  ボリュームは Pod の制限より大きくならず、requests は limits と同じ値になるのでスケジューラーも確保します。\
                  ほかのコンテナにも制限を付け、できれば sizeLimit も指定してください。LimitRange のデフォルト値（default.memory）も、\
                  その後に作られる Pod には有効です。",
            notes: on_pages(&[
                "注入されるコンテナや、クラスター側の Webhook や LimitRange が追加する制限は、\
                 入力に含まれていなければ考慮されません。",
                "元の記事は LimitRange のデフォルト値では防げないとしていますが、その後に作られる Pod には有効です。\
                 LimitRanger はスケジューリングの前に requests と limits の両方にデフォルト値を入れます。\
                 効果がないのは defaultRequest がそれより小さい場合だけです。",
                "また、OOM kill の数分後に kubelet が tmpfs を削除し、コンテナは ReplicaSet \
                 によって再作成されるとしていますが、ボリュームは Pod がある限り残り、コンテナは同じ Pod \
                 の中で再起動します。Pod が削除または退避されるまでメモリは解放されません。",
            ]),
        },
        zh: Text {
            title: "没有上限的内存卷",
            says: &["容器 {container} 没有内存限制，可以把内存卷 {volume} 写到节点内存耗尽为止。"],
            why: "没有限制的、基于内存的 emptyDir（内存卷）容量等于节点的可分配内存（allocatable），而且每个副本都会再带来一个。调度时不会为它预留内存。\
                  卷与 Pod 的生命周期相同，容器因 OOM 被杀死并重启后文件仍在，内存不会释放：节点开始换页，或者杀死其他进程（包括 kubelet），接着轮到下一个节点。",
            fix: "给容器 {container} 设置内存限制（此处为 {limit}）：写入的内容会计入该限制，卷不会大于 Pod 的限制，\
                  requests 默认等于 limits，因此调度器也会预留。其他容器也应设置限制，最好再加上 sizeLimit。\
                  LimitRange 的默认内存限制（default.memory）对之后创建的 Pod 同样有效。",
            notes: on_pages(&[
                "注入的容器，以及集群中的 Webhook 或 LimitRange 添加的限制，只有出现在输入中才会被考虑。",
                "原文章认为 LimitRange 的默认值没有用。对之后创建的 Pod 其实有效：LimitRanger 会在调度之前把 \
                 requests 和 limits 都设为默认值，只有 defaultRequest 更小时才不起作用。",
                "原文章还认为 OOM 杀死容器几分钟后 kubelet 会删除 tmpfs，并由 ReplicaSet 重新创建容器。实际上卷与 \
                 Pod 同生命周期，容器在原 Pod 中重启，Pod 被删除或驱逐之前不会释放任何内存。",
            ]),
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
        "https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#memory-backed-emptydir",
        "https://github.com/kubernetes/kubernetes/blob/master/pkg/volume/emptydir/empty_dir.go",
        "https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/1967-size-memory-backed-volumes",
        "https://kubernetes.io/docs/concepts/policy/limit-range/",
    ],
    check,
}
.of_objects();

fn check(facts: &Facts, _: &Settings) -> Vec<Finding> {
    let writers = facts.pods.iter().flat_map(|pod| pod.unlimited_writers().map(move |writer| (pod, writer)));
    writers
        .filter(|(_, (volume, _))| !volume.size_limit.is_set())
        .map(|(pod, (volume, writer))| RULE.unlimited(pod, writer, Some(volume), 0))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::RULE;
    use crate::fixture::{findings, manifest};
    use crate::patch;

    /// A pod whose container `app` mounts volume `v`.
    fn pod(container: Value, volume: Value) -> Value {
        let mut pod = json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
            "spec": {"containers": [{"name": "app", "volumeMounts": [{"name": "v", "mountPath": "/v"}]}],
                     "volumes": [{"name": "v", "emptyDir": volume}]},
        });
        pod["spec"]["containers"][0]["resources"] = container;
        pod
    }

    fn fires(object: Value) -> usize {
        findings(&RULE, &manifest(object)).len()
    }

    #[test]
    fn missing_null_and_zero_limits_are_no_limits() {
        for resources in [
            json!(null),
            json!({}),
            json!({"limits": null}),
            json!({"limits": {"memory": null}}),
            json!({"limits": {"memory": "0"}}),
            json!({"limits": {"memory": 0}}),
            json!({"limits": {"nvidia.com/gpu": 1}}),
            json!({"requests": {"memory": "256Mi"}}),
        ] {
            assert_eq!(fires(pod(resources.clone(), json!({"medium": "Memory"}))), 1, "{resources}");
        }
    }

    #[test]
    fn limits_sizes_and_other_media_do_not_fire() {
        let limited = json!({"limits": {"memory": "256Mi"}});
        assert_eq!(fires(pod(limited, json!({"medium": "Memory"}))), 0);
        for volume in [
            json!({"medium": "Memory", "sizeLimit": "1Gi"}),
            json!({"medium": "HugePages-2Mi"}),
            json!({"medium": ""}),
            json!({}),
            json!(null),
        ] {
            assert_eq!(fires(pod(json!({}), volume.clone())), 0, "{volume}");
        }
        assert_eq!(fires(pod(json!({}), json!({"medium": "Memory", "sizeLimit": "0"}))), 1, "0 is no size");
    }

    #[test]
    fn a_limit_of_the_whole_pod_counts() {
        let mut object = pod(json!({}), json!({"medium": "Memory"}));
        object["spec"]["resources"] = json!({"limits": {"memory": "512Mi"}});
        assert_eq!(fires(object), 0);
    }

    #[test]
    fn defaults_and_quotas_of_the_namespace_count() {
        let fires_beside = |kind: &str, spec: Value| {
            let other = json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": "o"}, "spec": spec});
            let pod = pod(json!({}), json!({"medium": "Memory"}));
            fires(json!({"apiVersion": "v1", "kind": "List", "items": [pod, other]}))
        };
        let limits = |item: Value| json!({"limits": [item]});
        assert_eq!(fires_beside("LimitRange", limits(json!({"type": "Container", "default": {"memory": "1Gi"}}))), 0);
        assert_eq!(fires_beside("LimitRange", limits(json!({"type": "Container", "max": {"memory": "1Gi"}}))), 0);
        assert_eq!(fires_beside("LimitRange", limits(json!({"type": "Container", "default": {"cpu": "1"}}))), 1);
        assert_eq!(fires_beside("LimitRange", limits(json!({"type": "Pod", "max": {"memory": "1Gi"}}))), 1);
        assert_eq!(fires_beside("ResourceQuota", json!({"hard": {"limits.memory": "64Gi"}})), 0);
        assert_eq!(fires_beside("ResourceQuota", json!({"hard": {"requests.memory": "64Gi"}})), 1);
    }

    #[test]
    fn every_writer_of_every_volume_is_named_whatever_its_role() {
        let mounts = json!([{"name": "v", "mountPath": "/a"}, {"name": "v", "mountPath": "/b"}, {"name": "w", "mountPath": "/w"}]);
        let found = findings(
            &RULE,
            &manifest(json!({
                "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "namespace": "n"},
                "spec": {"template": {"spec": {
                    "containers": [{"name": "app", "volumeMounts": mounts}, {"name": "other"}],
                    "initContainers": [
                        {"name": "setup", "volumeMounts": [{"name": "v", "mountPath": "/v"}]},
                        {"name": "proxy", "restartPolicy": "Always", "volumeMounts": [{"name": "v", "mountPath": "/v"}]},
                    ],
                    "volumes": [{"name": "v", "emptyDir": {"medium": "Memory"}}, {"name": "w", "emptyDir": {"medium": "Memory"}}],
                }}},
            })),
        );
        let named: Vec<(&str, &str)> = found
            .iter()
            .map(|finding| (finding.container.as_deref().unwrap(), finding.volume.as_deref().unwrap()))
            .collect();
        assert_eq!(named, [("app", "v"), ("setup", "v"), ("proxy", "v"), ("app", "w")]);
        assert!(found.iter().all(|finding| finding.object.as_deref() == Some("Deployment/n/d")));
    }

    #[test]
    fn the_patch_sets_a_limit_not_below_the_request_and_removes_the_finding() {
        for (resources, limit) in [
            (json!(null), "256Mi"),
            (json!({"requests": {"memory": "1Gi"}}), "1Gi"),
            (json!({"requests": {"memory": "1Mi"}}), "256Mi"),
        ] {
            let mut object = pod(resources, json!({"medium": "Memory"}));
            let found = findings(&RULE, &manifest(object.clone()));
            assert!(patch::apply(&mut object, &found[0].patch).is_empty());
            assert_eq!(object["spec"]["containers"][0]["resources"]["limits"]["memory"], limit);
            assert_eq!(fires(object), 0);
        }
    }

    #[test]
    fn the_place_is_the_missing_limit() {
        let found = findings(&RULE, &manifest(pod(json!({}), json!({"medium": "Memory"}))));
        assert_eq!(found[0].evidence[0].place.pointer.as_deref(), Some("/spec/containers/0/resources/limits/memory"));
    }
}
