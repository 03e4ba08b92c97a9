//! A node that still uses cgroup v1.

use crate::facts::Facts;
use crate::report::{Evidence, Finding, Risk, Severity};
use crate::rules::{Rule, Text, Words};
use crate::settings::Settings;

/// See the module.
pub static RULE: Rule = Rule {
    id: "cgroup-v1-node",
    risk: Risk::CgroupCleanup,
    severity: Severity::Info,
    words: Words {
        en: Text {
            title: "Node on cgroup v1",
            says: &["This node uses cgroup v1."],
            why: "Kubernetes has put cgroup v1 into maintenance since 1.31; from 1.35 on kubelet refuses to start on \
                  it by default (failCgroupV1), and runc 1.4 deprecates it. With separate trees per controller, a new \
                  controller can bring the misc problem back at any time.",
            fix: "Plan the move to cgroup v2: a distribution that uses it by default, or the kernel argument \
                  systemd.unified_cgroup_hierarchy=1 with the systemd cgroup driver. Raise \
                  fs.inotify.max_user_instances first: on v2 containerd needs two instances per pod.",
        },
        ja: Text {
            title: "cgroup v1 のノード",
            says: &["このノードは cgroup v1 を使っています。"],
            why: "Kubernetes では 1.31 から cgroup v1 がメンテナンスモードになり、1.35 以降の kubelet はデフォルトでは cgroup v1 のノードで起動しません（failCgroupV1）。\
                  runc も 1.4 で cgroup v1 を非推奨としています。コントローラーごとに階層が分かれているため、新しいコントローラーが加わるたびに misc と同じ問題が起こりえます。",
            fix: "cgroup v2 への移行を計画してください。デフォルトで v2 を使うディストリビューションにするか、systemd cgroup ドライバーを使ったうえで\
                  カーネル引数 systemd.unified_cgroup_hierarchy=1 を指定します。先に fs.inotify.max_user_instances を引き上げてください。v2 では containerd が Pod ごとに少なくとも 2 つのインスタンスを使います。",
        },
        zh: Text {
            title: "使用 cgroup v1 的节点",
            says: &["该节点使用 cgroup v1。"],
            why: "自 Kubernetes 1.31 起 cgroup v1 进入维护模式；从 1.35 起 kubelet 默认拒绝在 cgroup v1 节点上启动（failCgroupV1），runc 1.4 也已弃用它。\
                  由于每个控制器各有独立的层级，每增加一个控制器都可能再次引发类似 misc 的问题。",
            fix: "请规划迁移到 cgroup v2：使用默认启用 v2 的发行版，或配合 systemd cgroup 驱动使用内核参数 systemd.unified_cgroup_hierarchy=1。\
                  请先调高 fs.inotify.max_user_instances：在 v2 上，containerd 为每个 Pod 至少占用两个实例。",
        },
    },
    remedy: "\
stat -fc %T /sys/fs/cgroup
",
    links: &[
        "https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/5573-remove-cgroup-v1",
        "https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/4569-cgroup-v1-maintenance-mode",
        "https://kubernetes.io/docs/concepts/architecture/cgroups/",
    ],
    check,
};

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
