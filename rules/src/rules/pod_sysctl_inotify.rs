//! A pod tries to set limits of inotify, which belong to the node.

use crate::facts::Facts;
use crate::kubernetes::inotify::{ENOUGH_INSTANCES, ENOUGH_WATCHES};
use crate::kubernetes::platform::Setting;
use crate::kubernetes::pod::{InotifySetting, PodTemplate};
use crate::report::{Evidence, Finding, Risk, Severity};
use crate::rules::{Rule, Text, Words, on_pages};
use crate::settings::Settings;

/// See the module.
pub static RULE: Rule = Rule {
    id: "pod-sysctl-inotify",
    risk: Risk::Inotify,
    severity: Severity::Warning,
    words: Words {
        en: Text {
            title: "Pod that sets inotify limits",
            says: &[
                "Privileged init container {privileged_container} sets {setting} for the whole node.",
                "Init container {plain_container} cannot set {setting}: it may not write to the node's /proc/sys.",
                "kubelet refuses the pod: {setting} is the node's, so securityContext.sysctls cannot set it.",
            ],
            why: "The limits of inotify are not namespaced: there is one per user on the whole node. kubelet sets \
                  only namespaced parameters for a pod and rejects others (SysctlForbidden); a container without \
                  privileges sees /proc/sys read-only. A privileged one does change the node, for every pod on it, \
                  until the next pod or reboot says otherwise: the value depends on which pod started last, and may be \
                  lower than before.",
            fix: "Take the setting out of the pod and set it where the node is configured: /etc/sysctl.d, the \
                  node image, or the settings of the node pool. Where that is not possible, let one DaemonSet own it.",
            notes: on_pages(&[
                "Looked at are securityContext.sysctls and the commands of init containers. Scripts in images or \
                 ConfigMaps are not seen.",
            ]),
        },
        ja: Text {
            title: "inotify の上限を変えようとする Pod",
            says: &[
                "特権 Init コンテナ {privileged_container} が {setting} をノード全体に設定します。",
                "Init コンテナ {plain_container} は {setting} を設定できません。ノードの /proc/sys に書き込む権限がないためです。",
                "{setting} はノードのパラメーターであり securityContext.sysctls では設定できないため、kubelet は Pod を拒否します。",
            ],
            why: "inotify の上限は namespace で分離されておらず、ノード全体でユーザーごとに 1 つです。kubelet が Pod に設定するのは分離されたパラメーターだけで、\
                  それ以外は拒否します（SysctlForbidden）。特権のないコンテナからは /proc/sys が読み取り専用に見えます。特権コンテナはノードの値を変えてしまい、\
                  同じノードのすべての Pod に影響します。値は最後に起動した Pod 次第で、以前より低くなることもあります。",
            fix: "この設定を Pod から外し、ノードの設定（/etc/sysctl.d、ノードイメージ、ノードプールの設定）で行ってください。それができない場合は、1 つの DaemonSet に任せてください。",
            notes: on_pages(&[
                "確認するのは securityContext.sysctls と Init コンテナのコマンドだけです。イメージや ConfigMap \
                 の中のスクリプトは対象外です。",
            ]),
        },
        zh: Text {
            title: "试图修改 inotify 上限的 Pod",
            says: &[
                "特权 Init 容器 {privileged_container} 会为整个节点设置 {setting}。",
                "Init 容器 {plain_container} 无法设置 {setting}：它没有写节点 /proc/sys 的权限。",
                "kubelet 会拒绝该 Pod：{setting} 属于节点，不能用 securityContext.sysctls 设置。",
            ],
            why: "inotify 的上限没有命名空间隔离：整个节点上每个用户只有一份。kubelet 只为 Pod 设置有命名空间隔离的参数，其他的会被拒绝（SysctlForbidden）；\
                  非特权容器看到的 /proc/sys 是只读的。特权容器确实会改变节点，影响其上所有 Pod，值取决于最后启动的是哪个 Pod，还可能比原来更低。",
            fix: "把该设置从 Pod 中移走，改在节点侧配置：/etc/sysctl.d、节点镜像或节点池设置。做不到时，请只由一个 DaemonSet 统一设置。",
            notes: on_pages(&["只检查 securityContext.sysctls 和 Init 容器的命令，镜像或 ConfigMap 中的脚本看不到。"]),
        },
    },
    setting: Some(Setting::sysctl("{parameter}", "{target}")),
    remedy: "",
    links: &[
        "https://kubernetes.io/docs/tasks/administer-cluster/sysctl-cluster/",
        "https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/sysctl/allowlist.go",
        "https://github.com/torvalds/linux/blob/v6.12/kernel/ucount.c",
    ],
    check,
}
.of_objects();

fn check(facts: &Facts, _: &Settings) -> Vec<Finding> {
    let settings = facts.pods.iter().flat_map(|pod| pod.inotify_settings.iter().map(move |setting| (pod, setting)));
    settings
        .filter(|(pod, setting)| !is_node_tuning(pod, setting))
        .map(|(pod, setting)| finding(pod, setting))
        .collect()
}

/// A privileged container of a DaemonSet, which is how a cluster sets parameters of nodes that it cannot configure.
fn is_node_tuning(pod: &PodTemplate, setting: &InotifySetting) -> bool {
    pod.kind == "DaemonSet" && setting.privileged
}

fn finding(pod: &PodTemplate, setting: &InotifySetting) -> Finding {
    let mut finding = RULE.finding_in(pod, None, None);
    finding.container.clone_from(&setting.container);
    finding.evidence = vec![Evidence::new(&pod.place(setting.pointer.clone()), setting.text.as_str(), "")];
    let parameter = parameter(&setting.text);
    finding.values.insert("setting".into(), setting.text.clone());
    finding.values.insert("target".into(), target(&parameter, &setting.text).to_string());
    finding.values.insert("parameter".into(), parameter);
    if let Some(container) = &setting.container {
        let name = if setting.privileged { "privileged_container" } else { "plain_container" };
        finding.values.insert(name.into(), container.clone());
    }
    finding
}

/// The kernel parameter that a setting names, by its name or by its file below `/proc/sys`.
fn parameter(setting: &str) -> String {
    let (name, _) = setting.split_once('=').unwrap_or((setting, ""));
    name.trim_start_matches("/proc/sys/").replace('/', ".")
}

/// What distributions set, unless the pod asks for more.
fn target(parameter: &str, setting: &str) -> u64 {
    let asked = setting.split_once('=').and_then(|(_, value)| value.trim().parse().ok()).unwrap_or(0);
    asked.max(match parameter.ends_with("watches") {
        true => ENOUGH_WATCHES,
        false => ENOUGH_INSTANCES,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::RULE;
    use crate::fixture::{findings, manifest, says};

    fn workload(kind: &str, spec: Value) -> crate::facts::Facts {
        manifest(
            json!({"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "d"}, "spec": {"template": {"spec": spec}}}),
        )
    }

    fn init(privileged: bool) -> Value {
        json!({"containers": [{"name": "app"}], "initContainers": [{
            "name": "tune", "command": ["sysctl", "-w", "fs.inotify.max_user_instances=512"],
            "securityContext": {"privileged": privileged},
        }]})
    }

    /// `pkg/kubelet/sysctl/allowlist.go`: only parameters of a namespace (kernel.shm*, net.*, fs.mqueue.*…) are set.
    #[test]
    fn kubelet_refuses_what_is_not_namespaced() {
        let sysctl = |name: &str| json!({"containers": [{"name": "app"}], "securityContext": {"sysctls": [{"name": name, "value": "512"}]}});
        assert_eq!(
            says(&RULE, &workload("Deployment", sysctl("fs.inotify.max_user_instances"))),
            "kubelet refuses the pod: fs.inotify.max_user_instances=512 is the node's, so securityContext.sysctls cannot set it."
        );
        assert_eq!(findings(&RULE, &workload("DaemonSet", sysctl("user.max_inotify_watches"))).len(), 1);
        assert!(findings(&RULE, &workload("Deployment", sysctl("net.core.somaxconn"))).is_empty());
    }

    #[test]
    fn init_containers_fail_or_change_the_node() {
        assert_eq!(
            says(&RULE, &workload("Deployment", init(false))),
            "Init container tune cannot set fs.inotify.max_user_instances=512: it may not write to the node's /proc/sys."
        );
        assert_eq!(
            says(&RULE, &workload("Deployment", init(true))),
            "Privileged init container tune sets fs.inotify.max_user_instances=512 for the whole node."
        );
    }

    #[test]
    fn a_daemon_set_that_tunes_its_nodes_is_meant_to() {
        assert!(findings(&RULE, &workload("DaemonSet", init(true))).is_empty());
        assert_eq!(findings(&RULE, &workload("DaemonSet", init(false))).len(), 1);
    }
}
