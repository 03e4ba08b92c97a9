//! The writers of a memory volume are limited, but another container of the pod is not.

use crate::facts::Facts;
use crate::kubernetes::pod::{Container, PodTemplate, Volume};
use crate::report::{Finding, Risk, Severity};
use crate::rules::{Rule, Text, Words, on_pages};
use crate::settings::Settings;

/// See the module.
pub static RULE: Rule = Rule {
    id: "memory-volume-unlimited-neighbour",
    risk: Risk::MemoryVolume,
    severity: Severity::Info,
    words: Words {
        en: Text {
            title: "Unlimited container beside a memory volume",
            says: &[
                "Container {container} has no memory limit, so the pod has none either, and memory volume {volume} is as large as the node allows.",
            ],
            why: "Whoever writes to the volume is limited, so the node is safe for now. But kubelet gives the pod a \
                  limit, and the volume a size, only if every container has a limit. Without it the files of a \
                  container that is OOM-killed and restarted are charged to nobody, and each restart may write \
                  as much again.",
            fix: "Give container {container} a memory limit too (here {limit}), or the volume a sizeLimit.",
            notes: on_pages(&[
                "Kubelets up to about 1.27 look at regular containers alone, so that with them an init container \
                 without a limit does no harm here. Limits on all containers are right for every version.",
            ]),
        },
        ja: Text {
            title: "メモリボリュームと同居する制限なしのコンテナ",
            says: &[
                "コンテナ {container} にメモリ制限がないため Pod 全体の制限もなく、メモリボリューム {volume} の大きさを抑えるものはノードの容量しかありません。",
            ],
            why: "書き込むコンテナには制限があるので、今のところノードは安全です。ただし kubelet が Pod の制限とボリュームの大きさを決めるのは、\
                  すべてのコンテナに制限がある場合だけです。そうでないと、OOM kill されて再起動したコンテナのファイルはどのコンテナにも計上されず、\
                  再起動のたびに同じだけ書き込めてしまいます。",
            fix: "コンテナ {container} にもメモリ制限（ここでは {limit}）を設定するか、ボリュームに sizeLimit を指定してください。",
            notes: on_pages(&["1.27 前後までの kubelet は通常のコンテナだけを見るため、Init \
                 コンテナに制限がなくても影響はありません。すべてのコンテナに制限を付けておけば、\
                 どのバージョンでも問題ありません。"]),
        },
        zh: Text {
            title: "内存卷旁边有不受限的容器",
            says: &["容器 {container} 没有内存限制，因此整个 Pod 也没有限制，内存卷 {volume} 的大小只受节点约束。"],
            why: "写入该卷的容器有限制，因此节点目前是安全的。但只有当所有容器都有限制时，kubelet 才会给 Pod 设限并据此确定卷的大小。\
                  否则，容器因 OOM 被杀死并重启后，原有文件不再计入任何容器，每次重启都可能再写同样多的内容。",
            fix: "给容器 {container} 也设置内存限制（此处为 {limit}），或者给卷设置 sizeLimit。",
            notes: on_pages(&[
                "1.27 左右及更早的 kubelet 只看普通容器，因此 Init 容器没有限制也无妨。给所有容器都设置限制，\
                 对任何版本都适用。",
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
        "https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/1967-size-memory-backed-volumes",
    ],
    check,
}
.of_objects();

fn check(facts: &Facts, _: &Settings) -> Vec<Finding> {
    let neighbours = facts.pods.iter().flat_map(neighbours);
    neighbours.map(|(pod, volume, container)| RULE.unlimited(pod, container, Some(volume), 0)).collect()
}

/// Every unlimited container of a pod with the first memory volume that it leaves without bounds.
fn neighbours(pod: &PodTemplate) -> impl Iterator<Item = (&PodTemplate, &Volume, &Container)> {
    let is_contained = |volume: &&Volume| {
        let mut writers = pod.writers(volume).peekable();
        !volume.size_limit.is_set() && writers.peek().is_some() && writers.all(|writer| pod.is_limited(writer))
    };
    let volume = pod.memory_volumes().find(is_contained);
    volume.into_iter().flat_map(move |volume| {
        let unlimited = pod.limitable_containers().filter(|container| pod.can_run_unlimited(container));
        unlimited.map(move |container| (pod, volume, container))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::RULE;
    use crate::fixture::{findings, manifest};
    use crate::patch;

    fn pod(writer_limit: Value, neighbour_limit: Value, volume: Value) -> Value {
        json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
            "spec": {
                "containers": [
                    {"name": "w", "resources": {"limits": {"memory": writer_limit}}, "volumeMounts": [{"name": "v"}]},
                    {"name": "side", "resources": {"limits": {"memory": neighbour_limit}}},
                ],
                "volumes": [{"name": "v", "emptyDir": volume}],
            },
        })
    }

    #[test]
    fn only_an_unlimited_container_beside_limited_writers_fires() {
        let memory = json!({"medium": "Memory"});
        let fires = |writer, neighbour, volume: &Value| {
            findings(&RULE, &manifest(pod(writer, neighbour, volume.clone()))).len()
        };
        assert_eq!(fires(json!("1Gi"), json!(null), &memory), 1);
        assert_eq!(fires(json!("1Gi"), json!("1Gi"), &memory), 0);
        assert_eq!(fires(json!(null), json!(null), &memory), 0, "the writer itself is the trouble");
        assert_eq!(fires(json!("1Gi"), json!(null), &json!({})), 0);
        assert_eq!(fires(json!("1Gi"), json!(null), &json!({"medium": "Memory", "sizeLimit": "1Gi"})), 0);
    }

    #[test]
    fn the_patch_limits_the_neighbour() {
        let mut object = pod(json!("1Gi"), json!(null), json!({"medium": "Memory"}));
        let found = findings(&RULE, &manifest(object.clone()));
        assert_eq!(found[0].container.as_deref(), Some("side"));
        assert!(patch::apply(&mut object, &found[0].patch).is_empty());
        assert!(findings(&RULE, &manifest(object)).is_empty());
    }
}
