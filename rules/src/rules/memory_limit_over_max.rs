//! A container may take more memory than the settings allow.

use serde_json::json;

use crate::facts::Facts;
use crate::kubernetes::pod::{Amount, Container, PodTemplate};
use crate::kubernetes::quantity;
use crate::patch::Set;
use crate::report::{Evidence, Finding, Risk, Severity};
use crate::rules::{Rule, Text, Words, on_pages};
use crate::settings::Settings;

/// See the module.
pub static RULE: Rule = Rule {
    id: "memory-limit-over-max",
    risk: Risk::MemoryVolume,
    severity: Severity::Error,
    words: Words {
        en: Text {
            title: "Memory limit larger than allowed",
            says: &[
                "Container {container} may take {limit} of memory; at most {max} is allowed here (maxMemoryLimit).",
                "The pod may take {pod_limit} of memory, and so may its containers without a limit of their own; at most {max} is allowed here (maxMemoryLimit).",
            ],
            why: "A limit is what a container can take from a node in the worst case, files in memory volumes \
                  included. Limits far above the requests let pods together take more than the node has, and then \
                  the kernel kills processes, not always those that took too much. The cluster's settings draw a line.",
            fix: "Lower the memory limit to {max} or less, and the request with it if it is larger. If the process \
                  needs more, ask those who run the cluster for a larger maximum or an exemption of the image.",
            notes: on_pages(&[
                "Without maxMemoryLimit in the settings nothing is reported. A missing limit is not above the \
                 maximum: other rules report it.",
            ]),
        },
        ja: Text {
            title: "許可された値を超えるメモリ制限",
            says: &[
                "コンテナ {container} はメモリを {limit} まで使えます。ここで許可されているのは {max} までです（maxMemoryLimit）。",
                "Pod はメモリを {pod_limit} まで使え、個別の制限がないコンテナも同じです。ここで許可されているのは {max} までです（maxMemoryLimit）。",
            ],
            why: "メモリ制限は、コンテナが最悪の場合にノードから使うメモリの量で、メモリボリュームのファイルも含みます。requests を大きく上回る limits を許すと、\
                  Pod の合計がノードのメモリを超え、カーネルがプロセスを強制終了します。使いすぎたプロセスが選ばれるとは限りません。そのため、クラスターの設定で上限を定めています。",
            fix: "メモリ制限を {max} 以下にしてください。requests のほうが大きければ、あわせて下げてください。それでは足りない場合は、\
                  クラスターの管理者に上限の変更やイメージの除外を相談してください。",
            notes: on_pages(&["設定に maxMemoryLimit がなければ何も報告しません。制限がない場合は超過とはみなさず、\
                 ほかのルールが報告します。"]),
        },
        zh: Text {
            title: "内存限制超过允许值",
            says: &[
                "容器 {container} 最多可使用 {limit} 内存，此处最多允许 {max}（maxMemoryLimit）。",
                "Pod 最多可使用 {pod_limit} 内存，没有自身限制的容器也一样；此处最多允许 {max}（maxMemoryLimit）。",
            ],
            why: "限制是容器在最坏情况下会占用的节点内存，内存卷中的文件也算在内。如果限制远大于 requests，所有 Pod 加起来会超过节点的内存，\
                  内核就会杀死进程，而且不一定是用得太多的那个。因此集群的设置规定了上限。",
            fix: "把内存限制降到不超过 {max}；如果 requests 更大，也一并降低。如果进程确实需要更多内存，请集群管理员提高上限或豁免该镜像。",
            notes: on_pages(&["设置中没有 maxMemoryLimit 时不会报告。没有限制不算超过最大值，由其他规则报告。"]),
        },
    },
    setting: None,
    remedy: "\
resources:
  limits:
    memory: {max}
",
    links: &[
        "https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/",
        "https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/2837-pod-level-resource-spec",
    ],
    check,
}
.of_objects();

fn check(facts: &Facts, settings: &Settings) -> Vec<Finding> {
    let Some(max) = settings.max_memory_limit else { return Vec::new() };
    facts.pods.iter().flat_map(|pod| in_pod(pod, max)).collect()
}

fn in_pod(pod: &PodTemplate, max: u128) -> Vec<Finding> {
    let over = |amount: &Amount| amount.bytes().filter(|limit| *limit > max);
    let mut findings: Vec<Finding> = pod
        .limitable_containers()
        .filter_map(|container| Some(finding(pod, Some(container), over(&container.memory_limit)?, max)))
        .collect();
    // A container without a limit of its own may take all that the pod may.
    if pod.limitable_containers().any(|container| !container.memory_limit.is_set()) {
        findings.extend(over(&pod.pod_limit).map(|limit| finding(pod, None, limit, max)));
    }
    findings
}

fn finding(pod: &PodTemplate, container: Option<&Container>, limit: u128, max: u128) -> Finding {
    let of_pod = || pod.place(format!("{}/resources/limits/memory", pod.pointer));
    let place = container.map_or_else(of_pod, |container| pod.limit_place(container));
    let limit = quantity::format(limit);
    let mut finding = RULE.finding_in(pod, container, None);
    finding.evidence = vec![Evidence::new(
        &place,
        format!("resources.limits.memory: {limit}"),
        format!("<= {}", quantity::format(max)),
    )];
    finding.patch = container.map(|container| patch(container, max)).unwrap_or_default();
    finding.values.insert(if container.is_some() { "limit" } else { "pod_limit" }.into(), limit);
    finding.values.insert("max".into(), quantity::format(max));
    finding
}

/// Lower a container's limit to `max`, and a larger request with it: a request above the limit would be refused. What
/// becomes of a whole pod's limit depends on its containers, so that is left to people.
fn patch(container: &Container, max: u128) -> Vec<Set> {
    let set = |list| Set {
        pointer: format!("{}/resources/{list}/memory", container.pointer),
        value: json!(quantity::format(max)),
    };
    let request = container.memory_request.bytes().filter(|request| *request > max);
    std::iter::once(set("limits")).chain(request.map(|_| set("requests"))).collect()
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

    fn pod(resources: Value, pod_limit: Value) -> Value {
        json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
            "spec": {"resources": {"limits": {"memory": pod_limit}},
                     "containers": [{"name": "app", "resources": resources}]},
        })
    }

    fn at_most_1_gi(object: Value) -> Vec<Finding> {
        let settings = Settings { max_memory_limit: Some(1 << 30), ..Settings::default() };
        findings_with(&RULE, &manifest(object), &settings)
    }

    #[test]
    fn limits_above_the_maximum_fire_missing_ones_do_not() {
        for (limit, fires) in [("1Gi", 0), ("1025Mi", 1), ("1073741824", 0), ("1073741825", 1), ("0", 0), ("lots", 0)] {
            let object = pod(json!({"limits": {"memory": limit}}), json!(null));
            assert_eq!(at_most_1_gi(object.clone()).len(), fires, "{limit}");
            assert!(findings(&RULE, &manifest(object)).is_empty(), "no maximum, no finding");
        }
        assert!(at_most_1_gi(pod(json!(null), json!(null))).is_empty());
    }

    /// KEP-2837: a container without a limit may take what the pod may.
    #[test]
    fn a_pods_limit_counts_for_containers_without_one() {
        let found = at_most_1_gi(pod(json!({}), json!("2Gi")));
        assert_eq!(found.len(), 1);
        assert_eq!(
            said(&found[0], Lang::En).unwrap().says,
            "The pod may take 2Gi of memory, and so may its containers without a limit of their own; at most 1Gi is \
             allowed here (maxMemoryLimit)."
        );
        assert!(at_most_1_gi(pod(json!({"limits": {"memory": "512Mi"}}), json!("2Gi"))).is_empty());
    }

    #[test]
    fn the_patch_lowers_the_limit_and_a_larger_request() {
        for (request, lowered) in [(json!("2Gi"), json!("1Gi")), (json!("64Mi"), json!("64Mi"))] {
            let resources = |request, limit| json!({"limits": {"memory": limit}, "requests": {"memory": request}});
            let mut object = pod(resources(request, json!("4Gi")), json!(null));
            let found = at_most_1_gi(object.clone());
            assert!(patch::apply(&mut object, &found[0].patch).is_empty());
            assert_eq!(object, pod(resources(lowered, json!("1Gi")), json!(null)));
            assert!(at_most_1_gi(object).is_empty());
        }
    }
}
