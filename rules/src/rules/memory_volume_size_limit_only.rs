//! A container without a memory limit writes to a memory volume that only `sizeLimit` caps.

use crate::facts::Facts;
use crate::kubernetes::pod::{Amount, Container, PodTemplate, Volume};
use crate::kubernetes::quantity;
use crate::patch::Set;
use crate::report::{Finding, Risk, Severity};
use crate::rules::{Rule, Text, Words, on_pages};
use crate::settings::Settings;

/// Volumes up to this size hold keys, sockets and the like; even a hundred of them do no harm.
const SMALL: u128 = 16 << 20;

/// See the module.
pub static RULE: Rule = Rule {
    id: "memory-volume-size-limit-only",
    risk: Risk::MemoryVolume,
    severity: Severity::Warning,
    words: Words {
        en: Text {
            title: "Memory volume with a size but no memory limit",
            says: &[
                "Memory volume {volume} may take {size} per pod that nothing reserves: its writer {container} has no memory limit.",
            ],
            why: "sizeLimit does cap the volume (kubelet 1.22 and later size the tmpfs to it), but the scheduler \
                  knows nothing about it. It places as many pods on a node as their requests allow, and each may \
                  then fill its volume: the node can run out of memory although every volume keeps to its size.",
            fix: "Give container {container} a memory limit that covers the volume and the process (here at least \
                  {limit}) and leave the request equal to it. The scheduler then reserves the memory.",
            notes: on_pages(&[
                "Volumes of 16Mi and less are left alone: they hold keys, sockets and the like.",
                "The article behind this rule says that a sizeLimit alone is of no use. Right is that it reserves \
                 nothing, but from kubelet 1.22 on it caps the tmpfs (KEP-1967), so that the worst case is the sum \
                 of the sizes.",
            ]),
        },
        ja: Text {
            title: "sizeLimit だけでメモリ制限のないメモリボリューム",
            says: &[
                "メモリボリューム {volume} は Pod ごとに最大 {size} を使えますが、書き込むコンテナ {container} にメモリ制限がないため、この分はどこにも確保されません。",
            ],
            why: "sizeLimit はボリュームの上限としては効きます（kubelet 1.22 以降は tmpfs がこの大きさになります）。\
                  しかしスケジューラーは sizeLimit を見ません。requests の合計が収まるかぎり Pod を配置するため、それぞれがボリュームを使い切れば、\
                  どのボリュームも sizeLimit 以内であってもノードのメモリは足りなくなります。",
            fix: "コンテナ {container} に、ボリュームとプロセスの両方が収まるメモリ制限（少なくとも {limit}）を設定し、requests \
                  も同じ値にしてください。そうすればスケジューラーがメモリを確保します。",
            notes: on_pages(&[
                "16Mi 以下のボリュームは対象外です。鍵やソケットなどを置くだけだからです。",
                "元の記事は、sizeLimit だけを指定しても効果がないとしています。\
                 何も確保されないのはそのとおりですが、kubelet 1.22 以降は tmpfs の大きさが sizeLimit \
                 に制限されるため（KEP-1967）、最悪でも sizeLimit の合計で済みます。",
            ]),
        },
        zh: Text {
            title: "只有 sizeLimit、没有内存限制的内存卷",
            says: &[
                "内存卷 {volume} 在每个 Pod 中最多可占用 {size}，但写入它的容器 {container} 没有内存限制，这部分内存没有被预留。",
            ],
            why: "sizeLimit 确实能限制卷的大小（kubelet 1.22 起 tmpfs 按它创建），但调度器并不看它。\
                  调度器按 requests 尽量往节点上放 Pod，每个 Pod 都可能写满自己的卷：即使没有一个卷超过上限，节点内存仍可能不足。",
            fix: "给容器 {container} 设置能同时容纳卷和进程的内存限制（至少 {limit}），并让 requests 与之相等，这样调度器就会预留内存。",
            notes: on_pages(&[
                "16Mi 及以下的卷不作判断，它们只存放密钥、套接字之类。",
                "原文章认为只设置 sizeLimit 没有用。它确实不预留任何内存，但从 kubelet 1.22 起会限制 tmpfs \
                 的大小（KEP-1967），最坏情况就是所有 sizeLimit 之和。",
            ]),
        },
    },
    setting: None,
    remedy: "\
# container {container}
resources:
  requests:
    memory: {limit}
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
    let writers = facts.pods.iter().flat_map(|pod| pod.unlimited_writers().map(move |writer| (pod, writer)));
    writers
        .filter_map(|(pod, (volume, writer))| {
            let size = volume.size_limit.bytes().filter(|size| *size > SMALL)?;
            Some(finding(pod, volume, writer, size))
        })
        .collect()
}

fn finding(pod: &PodTemplate, volume: &Volume, writer: &Container, size: u128) -> Finding {
    let mut finding = RULE.unlimited(pod, writer, Some(volume), size);
    finding.values.insert("size".into(), quantity::format(size));
    // A request that is absent follows the limit; one that is there would keep reserving less.
    if writer.memory_request != Amount::Unset {
        let pointer = format!("{}/resources/requests/memory", writer.pointer);
        let request = finding.patch.first().map(|limit| Set { pointer, value: limit.value.clone() });
        finding.patch.extend(request);
    }
    finding
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::RULE;
    use crate::fixture::{findings, manifest, says};
    use crate::patch;

    fn pod(resources: Value, size: Value) -> Value {
        json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
            "spec": {"containers": [{"name": "app", "resources": resources, "volumeMounts": [{"name": "v"}]}],
                     "volumes": [{"name": "v", "emptyDir": {"medium": "Memory", "sizeLimit": size}}]},
        })
    }

    #[test]
    fn a_size_above_16_mi_without_a_limit_fires() {
        for (size, fires) in [("17Mi", 1), ("2Gi", 1), ("16Mi", 0), ("1Mi", 0), ("0", 0)] {
            assert_eq!(findings(&RULE, &manifest(pod(json!({}), json!(size)))).len(), fires, "{size}");
        }
        let limited = json!({"limits": {"memory": "4Gi"}});
        assert!(findings(&RULE, &manifest(pod(limited, json!("2Gi")))).is_empty());
    }

    #[test]
    fn it_says_how_much_is_not_reserved() {
        assert_eq!(
            says(&RULE, &manifest(pod(json!({}), json!("15Gi")))),
            "Memory volume v may take 15Gi per pod that nothing reserves: its writer app has no memory limit."
        );
    }

    #[test]
    fn the_patch_makes_room_for_the_volume_and_reserves_it() {
        let mut object = pod(json!({"requests": {"memory": "1Mi"}}), json!("2Gi"));
        let found = findings(&RULE, &manifest(object.clone()));
        assert!(patch::apply(&mut object, &found[0].patch).is_empty());
        let resources = json!({"requests": {"memory": "2Gi"}, "limits": {"memory": "2Gi"}});
        assert_eq!(object["spec"]["containers"][0]["resources"], resources);

        for (size, limit) in [("2Gi", "2Gi"), ("64Mi", "256Mi")] {
            let mut object = pod(json!({}), json!(size));
            let found = findings(&RULE, &manifest(object.clone()));
            assert!(patch::apply(&mut object, &found[0].patch).is_empty());
            assert_eq!(object["spec"]["containers"][0]["resources"]["limits"]["memory"], limit);
            assert!(findings(&RULE, &manifest(object)).is_empty());
        }
    }
}
