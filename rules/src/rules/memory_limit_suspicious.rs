//! A memory quantity that is almost surely a typo.

use crate::facts::Facts;
use crate::kubernetes::pod::{Amount, Container, PodTemplate, Volume};
use crate::kubernetes::quantity;
use crate::report::{Evidence, Finding, Place, Risk, Severity};
use crate::rules::{Rule, Text, Words, on_pages};
use crate::settings::Settings;

/// Container runtimes refuse or kill at once what has less than some MiB.
const SMALLEST_LIMIT: u128 = 4 << 20;

/// A request or a volume can be small, but nothing is smaller than a page.
const SMALLEST: u128 = 4 << 10;

/// The largest number of bytes that Kubernetes can store.
const LARGEST: u128 = i64::MAX as u128;

/// See the module.
pub static RULE: Rule = Rule {
    id: "memory-limit-suspicious",
    risk: Risk::MemoryVolume,
    severity: Severity::Warning,
    words: Words {
        en: Text {
            title: "Memory quantity that looks like a typo",
            says: &["{field}: {written} is not a quantity.", "{field} comes to {bytes} B, which looks like a typo."],
            why: "The suffix m means a thousandth: 400m is 0.4 byte, rounded up to 1. A number without a suffix is \
                  bytes. Mi and Gi are binary, M and G decimal; KB, MB, GiB and lower-case mi do not exist. With a \
                  limit that is far too small the container never starts, with one that is far too large there is \
                  no limit; a request of a few bytes reserves nothing, and a volume of that size holds nothing.",
            fix: "Write the unit that was meant, such as 400Mi.",
            notes: on_pages(&[
                "Limits below 4 MiB, requests and sizes below 4 KiB, and anything from 2^63-1 bytes on are taken \
                 for typos. Values that are still variables, such as ${LIMIT}, are left alone.",
            ]),
        },
        ja: Text {
            title: "書き間違いと思われるメモリ量",
            says: &[
                "{field} の値 {written} は Quantity として解釈できません。",
                "{field} が {bytes} バイトになっています。書き間違いと思われます。",
            ],
            why: "接尾辞 m は 1000 分の 1 を表します。400m は 0.4 バイトで、切り上げて 1 バイトです。接尾辞がなければ単位はバイトです。\
                  Mi と Gi は 2 進、M と G は 10 進で、KB、MB、GiB、小文字の mi は使えません。\
                  制限が小さすぎればコンテナは起動できず、大きすぎれば制限がないのと同じです。数バイトの requests では何も確保されず、数バイトのボリュームには何も書き込めません。",
            fix: "意図した単位を付けてください（例: 400Mi）。",
            notes: on_pages(&[
                "4 MiB 未満の制限、4 KiB 未満の requests やサイズ、2^63-1 バイト以上の値を書き間違いとみなします。\
                 ${LIMIT} のような未展開の変数は対象外です。",
            ]),
        },
        zh: Text {
            title: "疑似写错的内存量",
            says: &["{field} 的值 {written} 不是合法的 Quantity。", "{field} 为 {bytes} 字节，疑似写错。"],
            why: "后缀 m 表示千分之一：400m 是 0.4 字节，向上取整为 1。没有后缀时单位是字节。Mi、Gi 是二进制单位，M、G 是十进制单位；\
                  KB、MB、GiB 和小写的 mi 都不是合法后缀。限制过小容器无法启动，过大则等于没有限制；几个字节的 requests 等于没有预留，几个字节的卷什么也装不下。",
            fix: "请写明原本想用的单位，例如 400Mi。",
            notes: on_pages(&[
                "小于 4 MiB 的限制、小于 4 KiB 的 requests 或卷大小，以及 2^63-1 字节及以上的值视为写错。\
                 尚未替换的变量（如 ${LIMIT}）不作判断。",
            ]),
        },
    },
    setting: None,
    remedy: "\
{field}: 400Mi # not 400m, 400 or 400MB
",
    links: &[
        "https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#meaning-of-memory",
        "https://github.com/kubernetes/apimachinery/blob/master/pkg/api/resource/quantity.go",
    ],
    check,
}
.of_objects();

fn check(facts: &Facts, _: &Settings) -> Vec<Finding> {
    facts.pods.iter().flat_map(in_pod).collect()
}

/// The field of a container or of a pod, from it down.
const LIMIT: &str = "resources.limits.memory";

/// A quantity that a pod template holds.
struct Written<'a> {
    field: &'static str,
    amount: &'a Amount,
    smallest: u128,
    container: Option<&'a Container>,
    volume: Option<&'a Volume>,
}

fn in_pod(pod: &PodTemplate) -> Vec<Finding> {
    let of_pod =
        Written { field: LIMIT, amount: &pod.pod_limit, smallest: SMALLEST_LIMIT, container: None, volume: None };
    let of_containers = pod.limitable_containers().flat_map(|container| {
        let limit = Written {
            field: LIMIT,
            amount: &container.memory_limit,
            smallest: SMALLEST_LIMIT,
            container: Some(container),
            volume: None,
        };
        let request = Written {
            field: "resources.requests.memory",
            amount: &container.memory_request,
            smallest: SMALLEST,
            container: Some(container),
            volume: None,
        };
        [limit, request]
    });
    let of_volumes = pod.memory_volumes().map(|volume| Written {
        field: "emptyDir.sizeLimit",
        amount: &volume.size_limit,
        smallest: SMALLEST,
        container: None,
        volume: Some(volume),
    });
    let written = of_containers.chain([of_pod]).chain(of_volumes);
    written.filter(Written::is_suspicious).filter_map(|written| finding(pod, &written)).collect()
}

impl Written<'_> {
    fn is_suspicious(&self) -> bool {
        match self.amount {
            Amount::Bytes(bytes) => *bytes < self.smallest || *bytes >= LARGEST,
            Amount::Invalid(text) => !is_variable(text),
            Amount::Unset | Amount::Zero => false,
        }
    }

    fn place(&self, pod: &PodTemplate) -> Place {
        match (self.volume, self.container) {
            (None, Some(container)) if self.field == LIMIT => pod.limit_place(container),
            (volume, container) => {
                let holder = volume.map(|volume| &volume.pointer).or(container.map(|container| &container.pointer));
                pod.place(format!("{}/{}", holder.unwrap_or(&pod.pointer), self.field.replace('.', "/")))
            }
        }
    }
}

fn finding(pod: &PodTemplate, written: &Written) -> Option<Finding> {
    let mut finding = RULE.finding_in(pod, written.container, written.volume);
    let observed = match written.amount {
        Amount::Bytes(bytes) => {
            finding.values.insert("bytes".into(), bytes.to_string());
            quantity::format(*bytes)
        }
        Amount::Invalid(text) => {
            finding.values.insert("written".into(), text.clone());
            text.clone()
        }
        Amount::Unset | Amount::Zero => return None,
    };
    finding.values.insert("field".into(), written.field.to_owned());
    let expected = match written.amount {
        Amount::Bytes(bytes) if *bytes >= LARGEST => format!("< {LARGEST}"),
        _ => format!(">= {}", quantity::format(written.smallest)),
    };
    finding.evidence = vec![Evidence::new(&written.place(pod), format!("{}: {observed}", written.field), expected)];
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
        assert_eq!(says(&RULE, &pod(json!("400m"))), "resources.limits.memory comes to 1 B, which looks like a typo.");
        assert_eq!(says(&RULE, &pod(json!("10GB"))), "resources.limits.memory: 10GB is not a quantity.");
    }

    #[test]
    fn the_limit_of_the_pod_is_looked_at_as_well() {
        let facts = manifest(json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
            "spec": {"resources": {"limits": {"memory": "2m"}}, "containers": [{"name": "a"}]}}));
        let found = findings(&RULE, &facts);
        assert_eq!(found[0].evidence[0].place.pointer.as_deref(), Some("/spec/resources/limits/memory"));
    }

    #[test]
    fn requests_and_sizes_may_be_small_but_not_smaller_than_a_page() {
        let fires = |request: Value, size: Value| {
            let facts = manifest(json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {
                "containers": [{"name": "a", "resources": {"requests": {"memory": request}}}],
                "volumes": [
                    {"name": "v", "emptyDir": {"medium": "Memory", "sizeLimit": size}},
                    {"name": "disk", "emptyDir": {"sizeLimit": "1m"}},
                ],
            }}));
            findings(&RULE, &facts).iter().map(|finding| finding.values["field"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(fires(json!("128m"), json!("1Mi")), ["resources.requests.memory"]);
        assert_eq!(fires(json!("1Mi"), json!("64m")), ["emptyDir.sizeLimit"]);
        assert_eq!(fires(json!("64MB"), json!("1e20")), ["resources.requests.memory", "emptyDir.sizeLimit"]);
        assert!(fires(json!("4Ki"), json!("4Ki")).is_empty());
        assert!(fires(json!(0), json!(0)).is_empty());
    }

    #[test]
    fn a_default_is_wrong_where_it_is_written() {
        let facts = manifest(json!({"apiVersion": "v1", "kind": "List", "items": [
            {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "l"},
             "spec": {"limits": [{"type": "Container", "default": {"memory": "512m"}, "defaultRequest": {"memory": "1Mi"}}]}},
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "a"}]}},
        ]}));
        let found = findings(&RULE, &facts);
        assert_eq!(found[0].evidence[0].place.pointer.as_deref(), Some("/items/0/spec/limits"));
    }
}
