//! A cgroup v1 controller that kubelet does not know.

use crate::facts::{Facts, Found};
use crate::kubernetes::platform::Setting;
use crate::order;
use crate::report::{Evidence, Finding, Risk, Severity};
use crate::risks::cgroup_cleanup::unknown_controllers;
use crate::rules::{Rule, Text, Words, on_pages};
use crate::settings::Settings;

/// See the module.
pub static RULE: Rule = Rule {
    id: "unknown-v1-controller",
    risk: Risk::CgroupCleanup,
    severity: Severity::Warning,
    words: Words {
        en: Text {
            title: "cgroup v1 controller that kubelet does not know",
            says: &[
                "The cgroup v1 controller {controller} is mounted, and kubelet does not remove cgroups from its tree.",
            ],
            why: "kubelet looks for dead pods in every cgroup v1 tree, but removes only trees on a fixed list. If the \
                  runtime, or a vendor's patch of it, creates pod cgroups under another controller, kubelet tries to \
                  delete the same pods for ever. This happened with misc, with rdma, and with openEuler's files.",
            fix: "Unmount the tree, or keep it from being mounted with the kernel argument \
                  cgroup_no_v1={controller}, unless something needs it. Moving to cgroup v2 ends this kind of problem.",
            notes: on_pages(&[
                "A mounted tree does no harm until the runtime creates pod cgroups in it; the find command shows \
                 whether it does. dmem, which newer kernels offer, is not known to kubelet either.",
            ]),
        },
        ja: Text {
            title: "kubelet が認識しない cgroup v1 コントローラー",
            says: &[
                "cgroup v1 コントローラー {controller} がマウントされていますが、kubelet はその階層の cgroup を削除しません。",
            ],
            why: "kubelet は cgroup v1 の全階層から終了した Pod を探しますが、削除するのは決まった階層だけです。\
                  ランタイム（またはベンダーの独自パッチ）がほかのコントローラーに Pod の cgroup を作ると、kubelet は同じ Pod の削除を延々と繰り返します。\
                  misc、rdma、openEuler の files では実際に起きています。",
            fix: "必要がなければ、その階層をアンマウントするか、カーネルの起動パラメーター cgroup_no_v1={controller} でマウントされないようにしてください。\
                  cgroup v2 に移行すれば、この種の問題はなくなります。",
            notes: on_pages(&[
                "マウントされているだけなら害はありません。ランタイムがそこに Pod の cgroup を作ると問題になります。\
                 作られているかどうかは find で確認できます。新しいカーネルの dmem も kubelet は認識しません。",
            ]),
        },
        zh: Text {
            title: "kubelet 无法识别的 cgroup v1 控制器",
            says: &["cgroup v1 控制器 {controller} 已挂载，而 kubelet 不会删除其层级中的 cgroup。"],
            why: "kubelet 会在所有 cgroup v1 层级中查找已结束的 Pod，但只删除固定列表中的层级。如果运行时（或厂商的补丁）在其他控制器下创建 Pod 的 cgroup，\
                  kubelet 就会对同一批 Pod 无休止地重试删除。misc、rdma 以及 openEuler 的 files 都发生过。",
            fix: "如果不需要，请卸载该层级，或用内核启动参数 cgroup_no_v1={controller} 禁止挂载。迁移到 cgroup v2 可彻底避免这类问题。",
            notes: on_pages(&[
                "仅仅挂载并无害处，运行时在其中创建 Pod 的 cgroup 才会出问题，用 find 即可确认。较新内核提供的 \
                 dmem，kubelet 同样不认识。",
            ]),
        },
    },
    setting: Some(Setting::kernel_argument("cgroup_no_v1", "{controller}")),
    remedy: "\
grep cgroup /proc/mounts
find /sys/fs/cgroup/{controller} -maxdepth 3 -name '*pod[0-9a-f]*' | head
",
    links: &[
        "https://github.com/opencontainers/runc/issues/4181",
        "https://github.com/kubernetes/kubernetes/issues/109182",
    ],
    check,
}
.of_texts();

fn check(facts: &Facts, _: &Settings) -> Vec<Finding> {
    let mut controllers: Vec<&Found<String>> = unknown_controllers(facts).collect();
    order::sort_by(&mut controllers, |a, b| a.value.cmp(&b.value));
    controllers.dedup_by(|a, b| a.value == b.value);
    let finding = |controller: &Found<String>| {
        let mut finding = RULE.finding();
        finding.evidence = vec![Evidence::new(&controller.place, controller.value.as_str(), "")];
        finding.values.insert("controller".into(), controller.value.clone());
        finding
    };
    controllers.into_iter().map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::facts::Facts;
    use crate::fixture::{findings, found, says};

    fn facts(controllers: &[&str]) -> Facts {
        let mut facts = Facts::default();
        facts.cgroups.v1_controllers = controllers.iter().map(|name| found((*name).to_owned())).collect();
        facts
    }

    /// The mount list of a common Ubuntu node on cgroup v1, and runc issue 4181 for `files`.
    #[test]
    fn controllers_that_libcontainer_removes_are_known() {
        let common = [
            "name=systemd",
            "systemd",
            "cpuset",
            "memory",
            "cpu",
            "cpuacct",
            "hugetlb",
            "devices",
            "rdma",
            "freezer",
            "net_cls",
            "net_prio",
            "blkio",
            "misc",
            "perf_event",
            "pids",
        ];
        assert!(findings(&RULE, &facts(&common)).is_empty());
        assert!(says(&RULE, &facts(&["memory", "files", "files"])).contains("controller files is mounted"));
        assert_eq!(findings(&RULE, &facts(&["files", "dmem"])).len(), 2);
    }
}
