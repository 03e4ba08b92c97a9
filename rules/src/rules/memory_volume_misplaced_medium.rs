//! `medium` or `sizeLimit` stand beside `emptyDir` instead of in it.

use serde_json::{Value, json};

use crate::facts::Facts;
use crate::kubernetes::pod::{Amount, Misplaced, PodTemplate, Volume};
use crate::kubernetes::quantity;
use crate::patch::Set;
use crate::report::{Evidence, Finding, Risk, Severity};
use crate::rules::{Rule, Text, Words, on_pages};
use crate::settings::Settings;

/// What the remedy shows where the volume names no size: enough for keys and sockets.
const USUAL_SIZE: u128 = 64 << 20;

/// See the module.
pub static RULE: Rule = Rule {
    id: "memory-volume-misplaced-medium",
    risk: Risk::MemoryVolume,
    severity: Severity::Warning,
    words: Words {
        en: Text {
            title: "medium or sizeLimit beside emptyDir",
            says: &["Volume {volume} has medium or sizeLimit beside emptyDir, where it has no effect."],
            why: "A volume has no such fields. Strict validation refuses them; without it they are dropped, and the \
                  volume is a plain one on the node's disk without a size, not the memory volume that was meant.",
            fix: "Indent medium and sizeLimit one level deeper, below emptyDir.",
            notes: on_pages(&[
                "Only volumes with an emptyDir are looked at. One with medium and no volume type at all is refused \
                 by the API server.",
            ]),
        },
        ja: Text {
            title: "emptyDir の外に書かれた medium / sizeLimit",
            says: &[
                "ボリューム {volume} の medium または sizeLimit が emptyDir の外に書かれており、効果がありません。",
            ],
            why: "ボリュームにそのようなフィールドはありません。厳密な検証では拒否され、そうでなければ無視されます。\
                  無視されると、意図したメモリボリュームではなく、サイズ指定のないディスク上の emptyDir になります。",
            fix: "medium と sizeLimit を 1 段深くインデントし、emptyDir の下に置いてください。",
            notes: on_pages(&[
                "emptyDir のあるボリュームだけを対象とします。ボリュームの種類がなく medium だけのものは API \
                 サーバーが拒否します。",
            ]),
        },
        zh: Text {
            title: "medium 或 sizeLimit 写在 emptyDir 外面",
            says: &["卷 {volume} 的 medium 或 sizeLimit 写在了 emptyDir 外面，不会生效。"],
            why: "卷没有这样的字段。严格校验会拒绝它们，否则会被忽略：得到的是节点磁盘上没有大小限制的普通 emptyDir，而不是想要的内存卷。",
            fix: "把 medium 和 sizeLimit 再缩进一级，放到 emptyDir 下面。",
            notes: on_pages(&["只检查带有 emptyDir 的卷。只写 medium 而没有任何卷类型的，API 服务器会直接拒绝。"]),
        },
    },
    setting: None,
    remedy: "\
volumes:
  - name: {volume}
    emptyDir:
      medium: Memory
      sizeLimit: {size}
",
    links: &["https://kubernetes.io/docs/concepts/storage/volumes/#emptydir"],
    check,
}
.of_objects();

fn check(facts: &Facts, _: &Settings) -> Vec<Finding> {
    facts
        .pods
        .iter()
        .flat_map(|pod| pod.volumes.iter().map(move |volume| (pod, volume)))
        .filter(|(_, volume)| !volume.misplaced.is_empty())
        .map(|(pod, volume)| finding(pod, volume))
        .collect()
}

fn finding(pod: &PodTemplate, volume: &Volume) -> Finding {
    let mut finding = RULE.finding_in(pod, None, Some(volume));
    finding.evidence = volume.misplaced.iter().map(|misplaced| evidence(pod, volume, misplaced)).collect();
    finding.patch = patch(pod, volume);
    let strays = volume.misplaced.iter().filter(|misplaced| misplaced.field == "sizeLimit");
    let size = strays.map(|misplaced| Amount::read(Some(&misplaced.value))).chain([volume.size_limit.clone()]);
    let size = size.filter_map(|size| size.bytes()).next().unwrap_or(USUAL_SIZE);
    finding.values.insert("size".into(), quantity::format(size));
    finding
}

fn evidence(pod: &PodTemplate, volume: &Volume, misplaced: &Misplaced) -> Evidence {
    let Misplaced { field, .. } = misplaced;
    Evidence::new(&pod.place(format!("{}/{field}", volume.pointer)), *field, format!("emptyDir.{field}"))
}

/// Move the fields into emptyDir; where that has one already, the stray one has no effect and goes. What becomes a memory
/// volume by this has to be limited as well.
fn patch(pod: &PodTemplate, volume: &Volume) -> Vec<Set> {
    let moves = volume.misplaced.iter().flat_map(|Misplaced { field, value, repeated }| {
        let put = Set { pointer: format!("{}/emptyDir/{field}", volume.pointer), value: value.clone() };
        let remove = Set { pointer: format!("{}/{field}", volume.pointer), value: Value::Null };
        Some(put).filter(|_| !repeated).into_iter().chain([remove])
    });
    let writers = pod.writers(volume).filter(|writer| pod.can_run_unlimited(writer));
    let limits = writers.map(|writer| Set {
        pointer: format!("{}/resources/limits/memory", writer.pointer),
        value: json!(quantity::format(writer.suggested_limit(volume.size_limit.bytes().unwrap_or(0)))),
    });
    moves.chain(limits).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::RULE;
    use crate::fixture::{findings, manifest};
    use crate::patch;

    fn pod(volume: Value) -> Value {
        let spec = json!({"containers": [{"name": "a"}], "volumes": [volume]});
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec})
    }

    fn fires(volume: Value) -> usize {
        findings(&RULE, &manifest(pod(volume))).len()
    }

    #[test]
    fn fields_beside_empty_dir_fire() {
        assert_eq!(fires(json!({"name": "v", "emptyDir": null, "medium": "Memory"})), 1);
        assert_eq!(fires(json!({"name": "v", "emptyDir": {"medium": "Memory"}, "sizeLimit": "1Gi"})), 1);
        assert_eq!(fires(json!({"name": "v", "emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}})), 0);
    }

    #[test]
    fn the_patch_moves_what_emptydir_lacks() {
        for (volume, patched) in [
            (
                json!({"name": "v", "emptyDir": null, "medium": "Memory", "sizeLimit": "64Mi"}),
                json!({"name": "v", "emptyDir": {"medium": "Memory", "sizeLimit": "64Mi"}}),
            ),
            (
                json!({"name": "v", "emptyDir": {"medium": "Memory", "sizeLimit": "64Mi"}, "sizeLimit": "1Gi"}),
                json!({"name": "v", "emptyDir": {"medium": "Memory", "sizeLimit": "64Mi"}}),
            ),
        ] {
            let mut object = pod(volume);
            let found = findings(&RULE, &manifest(object.clone()));
            assert!(patch::apply(&mut object, &found[0].patch).is_empty());
            assert_eq!(object["spec"]["volumes"][0], patched);
            assert_eq!(findings(&RULE, &manifest(object)), []);
        }
    }

    #[test]
    fn what_becomes_a_memory_volume_gets_limited_writers() {
        let mut object = pod(json!({"name": "v", "emptyDir": null, "medium": "Memory"}));
        object["spec"]["containers"][0]["volumeMounts"] = json!([{"name": "v"}]);
        let found = findings(&RULE, &manifest(object.clone()));
        assert!(patch::apply(&mut object, &found[0].patch).is_empty());
        assert_eq!(object["spec"]["containers"][0]["resources"]["limits"]["memory"], "256Mi");
    }
}
