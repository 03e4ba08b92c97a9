//! A memory volume may grow beyond the size that the settings allow.

use serde_json::json;

use crate::facts::Facts;
use crate::kubernetes::pod::{Amount, PodTemplate, Volume};
use crate::kubernetes::quantity;
use crate::patch::Set;
use crate::report::{Evidence, Finding, Risk, Severity};
use crate::rules::{Rule, Text, Words, on_pages};
use crate::settings::Settings;

/// See the module.
pub static RULE: Rule = Rule {
    id: "memory-volume-over-max",
    risk: Risk::MemoryVolume,
    severity: Severity::Error,
    words: Words {
        en: Text {
            title: "Memory volume larger than allowed",
            says: &[
                "Memory volume {volume} can grow to {size}; at most {max} is allowed here (maxSizeLimit).",
                "Memory volume {volume} has neither a size nor a pod memory limit; at most {max} is allowed here (maxSizeLimit).",
            ],
            why: "Files in a memory volume take memory of the node until the pod is gone. kubelet makes the volume as \
                  large as its sizeLimit or the pod's memory limit, whichever is less, and without both as large as \
                  the node's allocatable memory. The cluster's settings draw a line below that.",
            fix: "Set the volume's sizeLimit to {max} or less. If the data does not fit, keep it on disk (an emptyDir \
                  without a medium), or ask those who run the cluster for a larger maximum.",
            notes: on_pages(&[
                "Without maxSizeLimit in the settings nothing is reported. Every volume is judged alone, as kubelet \
                 sizes them; their sum may be larger.",
            ]),
        },
        ja: Text {
            title: "許可された大きさを超えるメモリボリューム",
            says: &[
                "メモリボリューム {volume} は最大 {size} まで使えます。ここで許可されているのは {max} までです（maxSizeLimit）。",
                "メモリボリューム {volume} には sizeLimit も Pod のメモリ制限もありません。ここで許可されているのは {max} までです（maxSizeLimit）。",
            ],
            why: "メモリボリュームのファイルは、Pod がなくなるまでノードのメモリを使い続けます。kubelet はボリュームの大きさを sizeLimit と Pod のメモリ制限の小さいほうに合わせ、\
                  どちらもなければノードの割り当て可能（allocatable）メモリと同じにします。クラスターの設定は、それより小さい上限を定めています。",
            fix: "ボリュームの sizeLimit を {max} 以下にしてください。データが収まらない場合は、ディスク上の emptyDir（medium なし）を使うか、\
                  クラスターの管理者に上限の変更を相談してください。",
            notes: on_pages(&[
                "設定に maxSizeLimit がなければ何も報告しません。kubelet と同じくボリュームを 1 つずつ判断するため、\
                 合計はこの値を超えることがあります。",
            ]),
        },
        zh: Text {
            title: "内存卷超过允许的大小",
            says: &[
                "内存卷 {volume} 最大可达 {size}，此处最多允许 {max}（maxSizeLimit）。",
                "内存卷 {volume} 既没有 sizeLimit，Pod 也没有内存限制；此处最多允许 {max}（maxSizeLimit）。",
            ],
            why: "内存卷中的文件会一直占用节点内存，直到 Pod 消失。kubelet 按 sizeLimit 与 Pod 内存限制中较小的一个创建卷，\
                  两者都没有时则与节点的可分配内存（allocatable）一样大。集群的设置规定了更低的上限。",
            fix: "把卷的 sizeLimit 设为不超过 {max}。如果数据放不下，请改用磁盘上的 emptyDir（不设 medium），或请集群管理员提高上限。",
            notes: on_pages(&["设置中没有 maxSizeLimit 时不会报告。与 kubelet 一样逐个判断卷，合计可能更大。"]),
        },
    },
    setting: None,
    remedy: "\
# volume {volume}
emptyDir:
  medium: Memory
  sizeLimit: {max}
",
    links: &[
        "https://github.com/kubernetes/kubernetes/blob/master/pkg/volume/emptydir/empty_dir.go",
        "https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/1967-size-memory-backed-volumes",
    ],
    check,
}
.of_objects();

fn check(facts: &Facts, settings: &Settings) -> Vec<Finding> {
    let Some(max) = settings.max_size_limit else { return Vec::new() };
    facts.pods.iter().flat_map(|pod| in_pod(pod, max)).collect()
}

fn in_pod(pod: &PodTemplate, max: u128) -> Vec<Finding> {
    let cgroup_limit = pod.cgroup_limit();
    pod.memory_volumes()
        // A size that is no quantity is wrong, not too large.
        .filter(|volume| !matches!(volume.size_limit, Amount::Invalid(_)))
        .map(|volume| (volume, volume.tmpfs_size(cgroup_limit)))
        .filter(|(_, size)| size.is_none_or(|size| size > max))
        .map(|(volume, size)| finding(pod, volume, size, max))
        .collect()
}

fn finding(pod: &PodTemplate, volume: &Volume, size: Option<u128>, max: u128) -> Finding {
    let max = quantity::format(max);
    let pointer = format!("{}/emptyDir/sizeLimit", volume.pointer);
    let mut finding = RULE.finding_in(pod, None, Some(volume));
    finding.evidence = vec![Evidence::new(
        &pod.place(pointer.clone()),
        format!("sizeLimit: {}", volume.size_limit),
        format!("<= {max}"),
    )];
    finding.values.extend(size.map(|size| ("size".into(), quantity::format(size))));
    finding.values.insert("max".into(), max.clone());
    finding.patch = vec![Set { pointer, value: json!(max) }];
    finding
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::RULE;
    use crate::fixture::{findings, findings_with, manifest};
    use crate::patch;
    use crate::report::Finding;
    use crate::rules::Lang;
    use crate::settings::Settings;
    use crate::show::said;

    fn pod(size: Value, memory: Value) -> Value {
        json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
            "spec": {
                "containers": [{"name": "app", "resources": {"limits": {"memory": memory}}}],
                "volumes": [{"name": "v", "emptyDir": {"medium": "Memory", "sizeLimit": size}},
                            {"name": "disk", "emptyDir": {"sizeLimit": "8Gi"}}],
            },
        })
    }

    fn at_most_1_gi(object: Value) -> Vec<Finding> {
        let settings = Settings { max_size_limit: Some(1 << 30), ..Settings::default() };
        findings_with(&RULE, &manifest(object), &settings)
    }

    #[test]
    fn more_than_the_maximum_and_no_bound_at_all_fire() {
        for (size, memory, fires) in [
            (json!("2Gi"), json!(null), 1),
            (json!("1Gi"), json!(null), 0),
            (json!(1_073_741_825), json!(null), 1),
            (json!("2Gi"), json!("512Mi"), 0),
            (json!(null), json!("512Mi"), 0),
            (json!(null), json!("2Gi"), 1),
            (json!(null), json!(null), 1),
            (json!("0"), json!(null), 1),
            (json!("${SIZE}"), json!(null), 0),
        ] {
            assert_eq!(at_most_1_gi(pod(size.clone(), memory.clone())).len(), fires, "{size} {memory}");
        }
        assert!(findings(&RULE, &manifest(pod(json!("2Gi"), json!(null)))).is_empty(), "no maximum, no finding");
    }

    #[test]
    fn it_says_how_large_the_volume_gets() {
        let says = |size, memory| said(&at_most_1_gi(pod(size, memory))[0], Lang::En).unwrap().says;
        assert_eq!(
            says(json!(null), json!("2Gi")),
            "Memory volume v can grow to 2Gi; at most 1Gi is allowed here (maxSizeLimit)."
        );
        assert_eq!(
            says(json!(null), json!(null)),
            "Memory volume v has neither a size nor a pod memory limit; at most 1Gi is allowed here (maxSizeLimit)."
        );
    }

    #[test]
    fn the_patch_sets_the_maximum() {
        let mut object = pod(json!(null), json!(null));
        let found = at_most_1_gi(object.clone());
        assert!(patch::apply(&mut object, &found[0].patch).is_empty());
        assert_eq!(object, pod(json!("1Gi"), json!(null)));
        assert!(at_most_1_gi(object).is_empty());
    }
}
