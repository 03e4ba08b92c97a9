//! A `sizeLimit` that the memory limits of the writers do not allow.

use serde_json::json;

use crate::facts::Facts;
use crate::kubernetes::pod::{PodTemplate, Volume};
use crate::kubernetes::quantity;
use crate::patch::Set;
use crate::report::{Evidence, Finding, Risk, Severity};
use crate::rules::{Rule, Text, Words, on_pages};
use crate::settings::Settings;

/// See the module.
pub static RULE: Rule = Rule {
    id: "memory-volume-size-over-limit",
    risk: Risk::MemoryVolume,
    severity: Severity::Info,
    words: Words {
        en: Text {
            title: "sizeLimit above the memory limit",
            says: &["Memory volume {volume} promises {size}, but its writers are OOM-killed at {allowed}."],
            why: "Files in a memory volume count against the memory limit of the container that writes them. With a \
                  sizeLimit above it the application never sees \"no space left on device\": it is killed, restarted, \
                  finds the files still there, and is killed again. The node is not in danger.",
            fix: "Lower sizeLimit to {allowed} at most, and further by what the process itself needs, or raise the \
                  memory limit above {size}.",
            notes: on_pages(&[
                "The limits of all writers are added up, since each may write its share; a single writer can be \
                 killed earlier.",
            ]),
        },
        ja: Text {
            title: "メモリ制限を超える sizeLimit",
            says: &[
                "メモリボリューム {volume} の sizeLimit は {size} ですが、書き込むコンテナは {allowed} で OOM kill されます。",
            ],
            why: "メモリボリュームのファイルは、書き込んだコンテナのメモリ制限に数えられます。sizeLimit がそれより大きいと、\
                  アプリケーションは「no space left on device」を受け取る前に強制終了されます。再起動してもファイルは残っているため、また強制終了されます。ノードへの危険はありません。",
            fix: "sizeLimit を {allowed} 以下（プロセス自身が使う分はさらに差し引く）に下げるか、メモリ制限を {size} より大きくしてください。",
            notes: on_pages(&["複数のコンテナが書き込む場合は、それぞれの制限を合計して比較します。1 \
                 つのコンテナだけが書き込むと、より早く強制終了されることがあります。"]),
        },
        zh: Text {
            title: "sizeLimit 大于内存限制",
            says: &["内存卷 {volume} 的 sizeLimit 为 {size}，但写入它的容器用到 {allowed} 就会因 OOM 被杀死。"],
            why: "内存卷中的文件计入写入容器的内存限制。如果 sizeLimit 更大，应用不会收到“no space left on device”，而是直接被杀死；\
                  重启后文件仍在，于是再次被杀死。节点本身没有危险。",
            fix: "把 sizeLimit 降到不超过 {allowed}，并再减去进程本身需要的内存；或者把内存限制调到 {size} 以上。",
            notes: on_pages(&["有多个写入容器时按限制之和比较；如果只有一个容器在写，可能更早被杀死。"]),
        },
    },
    setting: None,
    remedy: "\
# volume {volume}
emptyDir:
  medium: Memory
  sizeLimit: {allowed} # at most; less what the process itself needs
",
    links: &[
        "https://github.com/kubernetes/kubernetes/blob/master/pkg/volume/emptydir/empty_dir.go",
        "https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#memory-backed-emptydir",
    ],
    check,
}
.of_objects();

fn check(facts: &Facts, _: &Settings) -> Vec<Finding> {
    let volumes = facts.pods.iter().flat_map(|pod| pod.memory_volumes().map(move |volume| (pod, volume)));
    volumes
        .filter_map(|(pod, volume)| {
            let size = volume.size_limit.bytes()?;
            let allowed = pod.writers_limit(volume).filter(|allowed| size > *allowed)?;
            Some(finding(pod, volume, size, allowed))
        })
        .collect()
}

fn finding(pod: &PodTemplate, volume: &Volume, size: u128, allowed: u128) -> Finding {
    let (size, allowed) = (quantity::format(size), quantity::format(allowed));
    let pointer = format!("{}/emptyDir/sizeLimit", volume.pointer);
    let mut finding = RULE.finding_in(pod, None, Some(volume));
    let observed = format!("sizeLimit: {size}");
    finding.evidence = vec![Evidence::new(&pod.place(pointer.clone()), observed, format!("<= {allowed}"))];
    finding.evidence.extend(pod.writers(volume).filter_map(|writer| {
        let limit = quantity::format(writer.memory_limit.bytes()?);
        let given = writer.limit_given_by.is_some();
        let name = if given { "LimitRange default.memory" } else { "resources.limits.memory" };
        Some(Evidence::new(&pod.limit_place(writer), format!("{name}: {limit}"), ""))
    }));
    finding.values.insert("size".into(), size);
    finding.values.insert("allowed".into(), allowed.clone());
    finding.patch = vec![Set { pointer, value: json!(allowed) }];
    finding
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::RULE;
    use crate::fixture::{findings, manifest, says};
    use crate::patch;

    fn pod(limits: &[&str], size: &str) -> Value {
        let writers: Vec<Value> = limits
            .iter()
            .map(|limit| json!({"name": "w", "resources": {"limits": {"memory": limit}}, "volumeMounts": [{"name": "v"}]}))
            .collect();
        json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
            "spec": {"containers": writers, "volumes": [{"name": "v", "emptyDir": {"medium": "Memory", "sizeLimit": size}}]},
        })
    }

    #[test]
    fn a_size_above_what_all_writers_may_use_fires() {
        assert_eq!(
            says(&RULE, &manifest(pod(&["256Mi"], "8Gi"))),
            "Memory volume v promises 8Gi, but its writers are OOM-killed at 256Mi."
        );
        for (limits, size, fires) in [
            (&["1Gi"][..], "1Gi", 0),
            (&["1Gi", "1Gi"], "2Gi", 0),
            (&["1Gi", "1Gi"], "3Gi", 1),
            (&["1Gi", "0"], "3Gi", 0),
        ] {
            assert_eq!(findings(&RULE, &manifest(pod(limits, size))).len(), fires, "{limits:?} {size}");
        }
    }

    #[test]
    fn a_limit_that_a_limit_range_gives_is_told_as_such() {
        let mut unlimited = pod(&["0"], "8Gi");
        unlimited["spec"]["containers"][0]["resources"] = json!({});
        let range = json!({
            "apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "defaults"},
            "spec": {"limits": [{"type": "Container", "default": {"memory": "512Mi"}}]},
        });
        let found =
            findings(&RULE, &manifest(json!({"apiVersion": "v1", "kind": "List", "items": [unlimited, range]})));
        assert_eq!(found[0].evidence[1].observed, "LimitRange default.memory: 512Mi");
        let found = findings(&RULE, &manifest(pod(&["256Mi"], "8Gi")));
        assert_eq!(found[0].evidence[1].observed, "resources.limits.memory: 256Mi");
    }

    #[test]
    fn the_patch_lowers_the_size() {
        let mut object = pod(&["256Mi"], "8Gi");
        let found = findings(&RULE, &manifest(object.clone()));
        assert!(patch::apply(&mut object, &found[0].patch).is_empty());
        assert!(findings(&RULE, &manifest(object)).is_empty());
    }
}
