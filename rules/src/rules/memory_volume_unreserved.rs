//! The memory request of a writer is smaller than its limit, so the scheduler reserves less than the volume may take.

use serde_json::json;

use crate::facts::Facts;
use crate::kubernetes::pod::{Amount, Container, PodTemplate, Volume};
use crate::kubernetes::quantity;
use crate::patch::Set;
use crate::report::{Evidence, Finding, Risk, Severity};
use crate::rules::{Rule, Text, Words, on_pages};
use crate::settings::Settings;

/// See the module.
pub static RULE: Rule = Rule {
    id: "memory-volume-unreserved",
    risk: Risk::MemoryVolume,
    severity: Severity::Info,
    words: Words {
        en: Text {
            title: "Memory volume larger than what is reserved",
            says: &[
                "Container {container} may use {limit}, files in {volume} included, but the scheduler reserves only {request}.",
            ],
            why: "The scheduler looks at requests, not at limits or sizes: a pod with a limit of 8Gi and a request of \
                  64Mi is placed wherever 64Mi are free, and its memory volume may still grow to 8Gi. When several \
                  such pods use what they may, the node is short of memory and evicts or kills others.",
            fix: "Set the memory request of container {container} to its limit, or leave the request out: it then \
                  defaults to the limit.",
            notes: on_pages(&[
                "A request that is left out is not reported: the API server sets it to the limit when the pod is \
                 created.",
                "The article behind this rule says that the limit is checked when a pod is created. The scheduler \
                 checks requests; that they default to the limit hides the difference.",
            ]),
        },
        ja: Text {
            title: "確保量より大きいメモリボリューム",
            says: &[
                "コンテナ {container} は {volume} のファイルを含めて {limit} まで使えますが、スケジューラーが確保するのは {request} だけです。",
            ],
            why: "スケジューラーが見るのは requests で、limits やボリュームの大きさではありません。limits が 8Gi、requests が 64Mi の Pod は 64Mi \
                  の空きがあるノードに配置されますが、メモリボリュームは 8Gi まで増えます。そうした Pod \
                  がいくつも上限まで使うとノードのメモリが不足し、ほかの Pod が退避（eviction）または強制終了されます。",
            fix: "コンテナ {container} の requests.memory を limits と同じ値にするか、requests を省略してください（省略すると limits と同じになります）。",
            notes: on_pages(&[
                "requests が省略されている場合は報告しません。Pod の作成時に API サーバーが limits \
                 と同じ値を入れるためです。",
                "元の記事は、Pod の作成時に limits がチェックされるとしています。スケジューラーがチェックするのは \
                 requests です。省略すると limits と同じになるため、違いが見えにくくなっています。",
            ]),
        },
        zh: Text {
            title: "内存卷可用的内存大于预留",
            says: &["容器 {container} 连同 {volume} 中的文件最多可用 {limit}，但调度器只预留 {request}。"],
            why: "调度器只看 requests，不看 limits 和卷的大小：limits 为 8Gi、requests 为 64Mi 的 Pod 会被放到只有 64Mi 空闲的节点上，而它的内存卷仍可增长到 8Gi。\
                  几个这样的 Pod 同时用满时，节点内存不足，其他 Pod 会被驱逐或杀死。",
            fix: "把容器 {container} 的 requests.memory 设为与 limits 相同，或者不写 requests：默认等于 limits。",
            notes: on_pages(&[
                "没有写 requests 时不报告：创建 Pod 时 API 服务器会把它设为与 limits 相同。",
                "原文章认为创建 Pod 时会检查 limits。调度器检查的其实是 requests，只是不写时默认等于 limits，\
                 看不出区别。",
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
        "https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#how-pods-with-resource-requests-are-scheduled",
    ],
    check,
}
.of_objects();

fn check(facts: &Facts, _: &Settings) -> Vec<Finding> {
    facts
        .pods
        .iter()
        .flat_map(|pod| pod.memory_volumes().map(move |volume| (pod, volume)))
        .flat_map(|(pod, volume)| pod.writers(volume).filter_map(move |writer| finding(pod, volume, writer)))
        .collect()
}

/// A request that is absent is not smaller: the API server sets it to the limit.
fn finding(pod: &PodTemplate, volume: &Volume, writer: &Container) -> Option<Finding> {
    let limit = writer.memory_limit.bytes()?;
    let request = match writer.memory_request {
        Amount::Zero => 0,
        Amount::Bytes(request) if request < limit => request,
        _ => return None,
    };
    let (limit, request) = (quantity::format(limit), quantity::format(request));
    let pointer = format!("{}/resources/requests/memory", writer.pointer);
    let mut finding = RULE.finding_in(pod, Some(writer), Some(volume));
    let observed = format!("resources.requests.memory: {request}");
    finding.evidence = vec![Evidence::new(&pod.place(pointer.clone()), observed, limit.as_str())];
    finding.patch = vec![Set { pointer, value: json!(limit) }];
    finding.values.insert("limit".into(), limit);
    finding.values.insert("request".into(), request);
    Some(finding)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::RULE;
    use crate::fixture::{findings, manifest};
    use crate::patch;

    fn pod(resources: Value) -> Value {
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"},
            "spec": {"template": {"spec": {
                "containers": [{"name": "app", "resources": resources, "volumeMounts": [{"name": "v"}]}],
                "volumes": [{"name": "v", "emptyDir": {"medium": "Memory"}}],
            }}},
        })
    }

    /// `SetDefaults_Pod` sets a missing request to the limit, so only a smaller one that is written counts.
    #[test]
    fn only_a_request_that_is_there_and_smaller_fires() {
        for (resources, fires) in [
            (json!({"limits": {"memory": "8Gi"}, "requests": {"memory": "64Mi"}}), 1),
            (json!({"limits": {"memory": "8Gi"}, "requests": {"memory": 0}}), 1),
            (json!({"limits": {"memory": "8Gi"}, "requests": {"memory": "8Gi"}}), 0),
            (json!({"limits": {"memory": "8Gi"}, "requests": {"cpu": 1}}), 0),
            (json!({"limits": {"memory": "8Gi"}}), 0),
            (json!({"requests": {"memory": "64Mi"}}), 0),
        ] {
            assert_eq!(findings(&RULE, &manifest(pod(resources.clone()))).len(), fires, "{resources}");
        }
    }

    #[test]
    fn the_patch_raises_the_request() {
        let mut object = pod(json!({"limits": {"memory": "8Gi"}, "requests": {"memory": "64Mi"}}));
        let found = findings(&RULE, &manifest(object.clone()));
        assert!(patch::apply(&mut object, &found[0].patch).is_empty());
        assert!(findings(&RULE, &manifest(object)).is_empty());
    }
}
