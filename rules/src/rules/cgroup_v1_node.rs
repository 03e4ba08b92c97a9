//! A node that still uses cgroup v1.

use crate::facts::Facts;
use crate::report::{Evidence, Finding, Risk, Severity};
use crate::rules::{Rule, Text, Words, on_pages};
use crate::settings::Settings;

/// See the module.
pub static RULE: Rule = Rule {
    id: "cgroup-v1-node",
    risk: Risk::CgroupCleanup,
    severity: Severity::Info,
    words: Words {
        en: Text {
            title: "Node on cgroup v1",
            says: &["These nodes use cgroup v1: {nodes}.", "This node uses cgroup v1."],
            why: "Kubernetes has put cgroup v1 into maintenance since 1.31; from 1.35 on kubelet refuses to start on \
                  it by default (failCgroupV1), and runc 1.4 deprecates it. With separate trees per controller, a new \
                  controller can bring the misc problem back at any time.",
            fix: "Plan the move to cgroup v2: a distribution that uses it by default, or, with Linux 5.8 or later \
                  and the systemd cgroup driver, the kernel argument systemd.unified_cgroup_hierarchy=1. Raise \
                  fs.inotify.max_user_instances first: on v2 containerd needs at least two instances per pod.",
            notes: on_pages(&[
                "cgroup2 mounted elsewhere, such as on /run/calico/cgroup, does not make it a v2 node: the mount on \
                 /sys/fs/cgroup decides.",
                "Managed and minimal nodes choose by a setting of their own: GKE by cgroupMode in linuxConfig, \
                 OpenShift by cgroupMode of nodes.config.openshift.io, Bottlerocket by \
                 settings.boot.init-parameters. Talos uses v2 unless told otherwise.",
                "The article on inotify and cgroup v2 (https://qiita.com/superbrothers/items/d13762c1b4853049135c) \
                 counts Memory QoS among what v2 brings with Kubernetes 1.25. It is a feature gate of its own, \
                 which was alpha and off then (KEP-2570): moving to v2 does not turn it on.",
            ]),
        },
        ja: Text {
            title: "cgroup v1 のノード",
            says: &["次のノードは cgroup v1 を使っています：{nodes}", "このノードは cgroup v1 を使っています。"],
            why: "Kubernetes では 1.31 から cgroup v1 がメンテナンスモードになり、1.35 以降の kubelet はデフォルトでは cgroup v1 のノードで起動しません（failCgroupV1）。\
                  runc も 1.4 で cgroup v1 を非推奨としています。コントローラーごとに階層が分かれているため、新しいコントローラーが加わるたびに misc と同じ問題が起こりえます。",
            fix: "cgroup v2 への移行を計画してください。デフォルトで v2 を使うディストリビューションにするか、Linux 5.8 以降と systemd cgroup \
                  ドライバーの環境でカーネルの起動パラメーター systemd.unified_cgroup_hierarchy=1 を指定します。先に fs.inotify.max_user_instances \
                  を引き上げてください。v2 では containerd が Pod ごとに少なくとも 2 つのインスタンスを使います。",
            notes: on_pages(&[
                "/run/calico/cgroup などほかの場所に cgroup2 がマウントされていても v2 のノードではありません。\
                 /sys/fs/cgroup のマウントで決まります。",
                "マネージドノードや専用 OS では、それぞれの設定で選びます。GKE は linuxConfig の cgroupMode、\
                 OpenShift は nodes.config.openshift.io の cgroupMode、Bottlerocket は \
                 settings.boot.init-parameters です。Talos は特に指定しなければ v2 です。",
                "cgroup v2 と inotify の元記事（https://qiita.com/superbrothers/items/d13762c1b4853049135c）は、\
                 Kubernetes 1.25 で cgroup v2 に移行するとメモリ QoS が導入されるとしています。\
                 実際には独立したフィーチャーゲートで、当時はアルファ（デフォルトで無効）でした（KEP-2570）。\
                 移行しただけでは有効になりません。",
            ]),
        },
        zh: Text {
            title: "使用 cgroup v1 的节点",
            says: &["以下节点使用 cgroup v1：{nodes}。", "该节点使用 cgroup v1。"],
            why: "自 Kubernetes 1.31 起 cgroup v1 进入维护模式；从 1.35 起 kubelet 默认拒绝在 cgroup v1 节点上启动（failCgroupV1），runc 1.4 也已弃用它。\
                  由于每个控制器各有独立的层级，每增加一个控制器都可能再次引发类似 misc 的问题。",
            fix: "请规划迁移到 cgroup v2：使用默认启用 v2 的发行版，或在 Linux 5.8 及以上、使用 systemd cgroup 驱动的前提下加上内核启动参数 \
                  systemd.unified_cgroup_hierarchy=1。请先调高 fs.inotify.max_user_instances：在 v2 上，containerd 为每个 Pod 至少占用两个实例。",
            notes: on_pages(&[
                "cgroup2 挂载在其他位置（如 /run/calico/cgroup）并不代表节点使用 v2，以 /sys/fs/cgroup 的挂载为准。",
                "托管节点和专用系统用各自的设置来选择：GKE 是 linuxConfig 中的 cgroupMode，OpenShift 是 \
                 nodes.config.openshift.io 的 cgroupMode，Bottlerocket 是 settings.boot.init-parameters。Talos \
                 默认就是 v2。",
                "关于 inotify 与 cgroup v2 的原文章（https://qiita.com/superbrothers/items/d13762c1b4853049135c）\
                 认为 Kubernetes 1.25 迁移到 cgroup v2 后会带来内存 QoS。它其实是独立的特性门控，当时处于 alpha \
                 且默认关闭（KEP-2570），仅迁移到 v2 并不会启用。",
            ]),
        },
    },
    setting: None,
    remedy: "\
stat -fc %T /sys/fs/cgroup # cgroup2fs is v2
",
    links: &[
        "https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/5573-remove-cgroup-v1",
        "https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/4569-cgroup-v1-maintenance-mode",
        "https://kubernetes.io/docs/concepts/architecture/cgroups/",
        "https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/2570-memory-qos",
    ],
    check,
}
.of_texts();

fn check(facts: &Facts, _: &Settings) -> Vec<Finding> {
    let Some(place) = facts.cgroups.v1() else {
        return Vec::new();
    };
    let mut finding = RULE.finding();
    finding.evidence = vec![Evidence::new(place, "cgroup v1", "cgroup v2")];
    vec![finding]
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::facts::{CgroupMode, Facts, Misc};
    use crate::fixture::{findings, found};

    #[test]
    fn any_sign_of_v1_fires_once() {
        let mut facts = Facts::default();
        assert!(findings(&RULE, &facts).is_empty());
        facts.cgroups.modes = vec![found(CgroupMode::V2)];
        facts.cgroups.misc = vec![found(Misc::Absent)];
        assert!(findings(&RULE, &facts).is_empty());
        facts.cgroups.v1_controllers = vec![found("memory".to_owned()), found("cpu".to_owned())];
        assert_eq!(findings(&RULE, &facts).len(), 1);
    }
}
