//! `medium` or `sizeLimit` stand beside `emptyDir` instead of in it.

use crate::facts::Facts;
use crate::report::{Evidence, Finding, Risk, Severity};
use crate::rules::{Rule, Text, Words};
use crate::settings::Settings;

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
        },
        ja: Text {
            title: "emptyDir の外に書かれた medium / sizeLimit",
            says: &[
                "ボリューム {volume} の medium または sizeLimit が emptyDir の外に書かれており、効果がありません。",
            ],
            why: "ボリュームにそのようなフィールドはありません。厳密な検証では拒否され、そうでなければ無視されます。\
                  無視されると、意図したメモリボリュームではなく、サイズ指定のないディスク上の emptyDir になります。",
            fix: "medium と sizeLimit を 1 段深くインデントし、emptyDir の下に置いてください。",
        },
        zh: Text {
            title: "medium 或 sizeLimit 写在 emptyDir 外面",
            says: &["卷 {volume} 的 medium 或 sizeLimit 写在了 emptyDir 外面，不会生效。"],
            why: "卷没有这样的字段。严格校验会拒绝它们，否则会被忽略：得到的是节点磁盘上没有大小限制的普通 emptyDir，而不是想要的内存卷。",
            fix: "把 medium 和 sizeLimit 再缩进一级，放到 emptyDir 下面。",
        },
    },
    remedy: "\
volumes:
  - name: {volume}
    emptyDir:
      medium: Memory
      sizeLimit: 64Mi
",
    links: &["https://kubernetes.io/docs/concepts/storage/volumes/#emptydir"],
    check,
};

fn check(facts: &Facts, _: &Settings) -> Vec<Finding> {
    facts
        .pods
        .iter()
        .flat_map(|pod| pod.volumes.iter().map(move |volume| (pod, volume)))
        .filter(|(_, volume)| volume.misplaced)
        .map(|(pod, volume)| Finding {
            evidence: vec![Evidence::new(
                &pod.place(volume.pointer.clone()),
                "medium, sizeLimit",
                "emptyDir: {medium, sizeLimit}",
            )],
            ..RULE.finding_in(pod, None, Some(volume))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::RULE;
    use crate::fixture::{findings, manifest};

    fn fires(volume: Value) -> usize {
        let spec = json!({"containers": [{"name": "a"}], "volumes": [volume]});
        findings(&RULE, &manifest(json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec})))
            .len()
    }

    #[test]
    fn fields_beside_empty_dir_fire() {
        assert_eq!(fires(json!({"name": "v", "emptyDir": null, "medium": "Memory"})), 1);
        assert_eq!(fires(json!({"name": "v", "emptyDir": {"medium": "Memory"}, "sizeLimit": "1Gi"})), 1);
        assert_eq!(fires(json!({"name": "v", "emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}})), 0);
    }
}
