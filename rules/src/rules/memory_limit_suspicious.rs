//! A memory limit that is almost surely a typo.

use crate::facts::Facts;
use crate::kubernetes::pod::{Amount, Container, PodTemplate};
use crate::kubernetes::quantity;
use crate::report::{Evidence, Finding, Risk, Severity};
use crate::rules::{Rule, Text, Words};
use crate::settings::Settings;

/// Container runtimes refuse or kill at once what has less than some MiB.
const SMALLEST: u128 = 4 << 20;

/// The largest number of bytes that Kubernetes can store.
const LARGEST: u128 = i64::MAX as u128;

/// See the module.
pub static RULE: Rule = Rule {
    id: "memory-limit-suspicious",
    risk: Risk::MemoryVolume,
    severity: Severity::Warning,
    words: Words {
        en: Text {
            title: "Memory limit that looks like a typo",
            says: &["The memory limit {written} is not a quantity.", "A memory limit of {bytes} B looks like a typo."],
            why: "The suffix m means a thousandth: 400m is 0.4 byte, rounded up to 1. A number without a suffix is \
                  bytes. Mi and Gi are binary, M and G decimal; KB, MB, GiB and lower-case mi do not exist. With a \
                  limit that is far too small the container never starts, with one that is far too large there is \
                  no limit.",
            fix: "Write the unit that was meant, such as 400Mi.",
        },
        ja: Text {
            title: "書き間違いと思われるメモリ制限",
            says: &[
                "メモリ制限 {written} は Quantity として読めません。",
                "メモリ制限が {bytes} バイトになっています。書き間違いと思われます。",
            ],
            why: "接尾辞 m は 1000 分の 1 を表します。400m は 0.4 バイトで、切り上げて 1 バイトです。接尾辞がなければ単位はバイトです。\
                  Mi と Gi は 2 進、M と G は 10 進で、KB、MB、GiB、小文字の mi は使えません。小さすぎればコンテナは起動できず、大きすぎれば制限がないのと同じです。",
            fix: "意図した単位を付けてください（例: 400Mi）。",
        },
        zh: Text {
            title: "疑似写错的内存限制",
            says: &["内存限制 {written} 不是合法的数量。", "内存限制为 {bytes} 字节，疑似写错。"],
            why: "后缀 m 表示千分之一：400m 是 0.4 字节，向上取整为 1。没有后缀时单位是字节。Mi、Gi 是二进制单位，M、G 是十进制单位；\
                  KB、MB、GiB 和小写的 mi 都不存在。限制过小容器无法启动，过大则等于没有限制。",
            fix: "写上原本想用的单位，例如 400Mi。",
        },
    },
    remedy: "\
resources:
  limits:
    memory: 400Mi
",
    links: &[
        "https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#meaning-of-memory",
        "https://github.com/kubernetes/apimachinery/blob/master/pkg/api/resource/quantity.go",
    ],
    check,
};

fn check(facts: &Facts, _: &Settings) -> Vec<Finding> {
    facts
        .pods
        .iter()
        .flat_map(|pod| {
            let containers = pod.limitable_containers().map(|container| (Some(container), &container.memory_limit));
            let limits = containers.chain([(None, &pod.pod_limit)]);
            limits.filter_map(move |(container, limit)| finding(pod, container, limit))
        })
        .collect()
}

fn finding(pod: &PodTemplate, container: Option<&Container>, limit: &Amount) -> Option<Finding> {
    let mut finding = RULE.finding_in(pod, container, None);
    let observed = match limit {
        Amount::Bytes(bytes) if *bytes < SMALLEST || *bytes >= LARGEST => {
            finding.values.insert("bytes".into(), bytes.to_string());
            quantity::format(*bytes)
        }
        Amount::Invalid(written) if !is_variable(written) => {
            finding.values.insert("written".into(), written.clone());
            written.clone()
        }
        _ => return None,
    };
    let of_pod = || pod.place(format!("{}/resources/limits/memory", pod.pointer));
    let place = container.map_or_else(of_pod, |container| pod.limit_place(container));
    finding.evidence = vec![Evidence::new(&place, format!("resources.limits.memory: {observed}"), ">= 4Mi")];
    Some(finding)
}

/// Text that something will replace before the object is applied: `${LIMIT}`, `<limit>`, `@LIMIT@`, `REPLACE_ME`.
fn is_variable(text: &str) -> bool {
    !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.'))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::RULE;
    use crate::fixture::{findings, manifest, says};

    fn pod(limit: Value) -> crate::facts::Facts {
        manifest(json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
            "spec": {"containers": [{"name": "a", "resources": {"limits": {"memory": limit}}}]}}))
    }

    #[test]
    fn absurd_and_unreadable_limits_fire() {
        for (limit, fires) in [
            (json!("400m"), 1),
            (json!(512), 1),
            (json!("4095Ki"), 1),
            (json!("4Mi"), 0),
            (json!("128974848000m"), 0),
            (json!("7Ei"), 0),
            (json!("8Ei"), 1),
            (json!("1e20"), 1),
            (json!("10GB"), 1),
            (json!("-1Gi"), 1),
            (json!("${LIMIT}"), 0),
            (json!("{{ .limit }}"), 0),
            (json!("0"), 0),
            (json!(null), 0),
        ] {
            assert_eq!(findings(&RULE, &pod(limit.clone())).len(), fires, "{limit}");
        }
    }

    #[test]
    fn it_says_what_the_limit_comes_to() {
        assert_eq!(says(&RULE, &pod(json!("400m"))), "A memory limit of 1 B looks like a typo.");
        assert_eq!(says(&RULE, &pod(json!("10GB"))), "The memory limit 10GB is not a quantity.");
    }

    #[test]
    fn the_limit_of_the_pod_is_looked_at_as_well() {
        let facts = manifest(json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
            "spec": {"resources": {"limits": {"memory": "2m"}}, "containers": [{"name": "a"}]}}));
        let found = findings(&RULE, &facts);
        assert_eq!(found[0].evidence[0].place.pointer.as_deref(), Some("/spec/resources/limits/memory"));
    }
}
