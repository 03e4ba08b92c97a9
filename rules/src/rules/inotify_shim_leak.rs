//! A containerd whose shims leak inotify instances.

use crate::facts::{CgroupMode, Facts, Found};
use crate::kubernetes::version::Version;
use crate::report::{Evidence, Finding, Risk, Severity};
use crate::rules::{Rule, Text, Words, on_pages};
use crate::settings::Settings;

/// See the module.
pub static RULE: Rule = Rule {
    id: "inotify-shim-leak",
    risk: Risk::Inotify,
    severity: Severity::Warning,
    words: Words {
        en: Text {
            title: "containerd that leaks inotify instances",
            says: &["containerd {containerd} leaks one inotify instance per container restart on cgroup v2."],
            why: "The shim of these versions does not close its inotify instance when a container's cgroup goes away. \
                  Every restart within a pod leaves one behind, so crash loops use up root's budget however high the \
                  limit is.",
            fix: "Update containerd to 1.5.12, 1.6.0 or later. Existing shims keep what they \
                  leaked until their pods are deleted.",
            notes: on_pages(&[
                "Judged by the version: a distribution may have ported the fix back to an older one.",
                "The article on inotify (https://qiita.com/superbrothers/items/d13762c1b4853049135c) names \
                 containerd pull request 6504 as the fix. What closes the instances is containerd/cgroups 1.0.3 \
                 (pull request 212), which containerd carries from 1.5.12 and 1.6.0 on; 6504 silences a warning \
                 that came of it.",
            ]),
        },
        ja: Text {
            title: "inotify インスタンスがリークする containerd",
            says: &[
                "containerd {containerd} は cgroup v2 でコンテナが再起動するたびに inotify インスタンスを 1 つリークします。",
            ],
            why: "これらのバージョンの shim は、コンテナの cgroup がなくなっても inotify インスタンスを閉じません。Pod 内でコンテナが再起動するたびに 1 つ残るため、\
                  クラッシュループが続くと、上限をいくら上げても root の分を使い切ります。",
            fix: "containerd を 1.5.12 以降の 1.5 系、または 1.6.0 以降に更新してください。すでにリークした分は、その Pod を削除するまで解放されません。",
            notes: on_pages(&[
                "バージョン番号で判断しています。\
                 ディストリビューションが古いバージョンに修正をバックポートしている場合があります。",
                "inotify の元記事（https://qiita.com/superbrothers/items/d13762c1b4853049135c）は containerd \
                 のプルリクエスト 6504 を修正として挙げています。実際にインスタンスを閉じるようにしたのは \
                 containerd/cgroups 1.0.3（プルリクエスト 212）で、containerd では 1.5.12 と 1.6.0 から含まれます。\
                 6504 はそれに伴う警告を抑えるものです。",
            ]),
        },
        zh: Text {
            title: "会泄漏 inotify 实例的 containerd",
            says: &["containerd {containerd} 在 cgroup v2 上每次重启容器都会泄漏一个 inotify 实例。"],
            why: "这些版本的 shim 在容器的 cgroup 消失后不会关闭 inotify 实例。Pod 内每次重启都会留下一个，因此只要有反复崩溃的容器，上限再高，root 的额度也会被用完。",
            fix: "把 containerd 升级到 1.5.12、1.6.0 或更高版本。已有 shim 泄漏的实例要等对应的 Pod 删除后才会释放。",
            notes: on_pages(&[
                "仅根据版本号判断，发行版可能已把修复移植到旧版本。",
                "关于 inotify 的原文章（https://qiita.com/superbrothers/items/d13762c1b4853049135c）把 containerd \
                 的 PR 6504 当作修复。真正关闭实例的是 containerd/cgroups 1.0.3（PR 212），containerd 从 1.5.12 和 \
                 1.6.0 起包含；6504 只是消除由此产生的一条警告。",
            ]),
        },
    },
    setting: None,
    remedy: "\
sudo find /proc/[0-9]*/fd -lname 'anon_inode:inotify' 2>/dev/null | cut -d/ -f3 | sort | uniq -c | sort -rn | head
",
    links: &["https://github.com/containerd/containerd/issues/5670", "https://github.com/containerd/cgroups/pull/212"],
    check,
}
.of_texts();

fn check(facts: &Facts, settings: &Settings) -> Vec<Finding> {
    let on_v2 = |containerd: &Found<Version>| {
        facts.cgroups.modes.iter().find(|mode| mode.value == CgroupMode::V2 && mode.may_share_node(containerd))
    };
    let stated = facts.cgroups.modes.is_empty() && settings.node.mode(&facts.cgroups) == Some(CgroupMode::V2);
    let leaking = facts.versions.containerd.iter().filter(|found| found.value.containerd_leaks_inotify() == Some(true));
    let found = leaking.map(|found| (found, on_v2(found))).find(|(_, mode)| mode.is_some() || stated);
    let Some((containerd, mode)) = found else {
        return Vec::new();
    };
    let mut finding = RULE.finding();
    finding.evidence = vec![Evidence::new(&containerd.place, format!("containerd {}", containerd.value), ">= 1.5.12")];
    finding.evidence.extend(mode.map(|mode| Evidence::new(&mode.place, "cgroup v2", "")));
    finding.values.insert("containerd".into(), containerd.value.text.clone());
    vec![finding]
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::facts::{CgroupMode, Facts};
    use crate::fixture::{findings, found, version};
    use crate::settings::{NodeProfile, Settings};

    /// containerd issue 5670; containerd/cgroups commit 35b5b55 is vendored from 1.5.12 and 1.6.0 on.
    #[test]
    fn leaking_versions_on_v2_fire() {
        for (containerd, mode, fires) in [
            ("1.4.13", Some(CgroupMode::V2), 1),
            ("1.5.11", Some(CgroupMode::V2), 1),
            ("1.5.12", Some(CgroupMode::V2), 0),
            ("1.6.12", Some(CgroupMode::V2), 0),
            ("1.5.11", Some(CgroupMode::V1), 0),
            ("1.5.11", None, 0),
        ] {
            let mut facts = Facts::default();
            facts.versions.containerd = vec![version(containerd)];
            facts.cgroups.modes = mode.map(found).into_iter().collect();
            assert_eq!(findings(&RULE, &facts).len(), fires, "{containerd} {mode:?}");
        }
    }

    #[test]
    fn a_stated_v2_fires_where_no_mode_was_read() {
        let node = NodeProfile { cgroups: Some(CgroupMode::V2), ..NodeProfile::default() };
        let settings = Settings { node, ..Settings::default() };
        let mut facts = Facts::default();
        facts.versions.containerd = vec![version("1.5.11")];
        assert_eq!(RULE.findings(&facts, &settings).len(), 1);
        facts.cgroups.modes = vec![found(CgroupMode::V1)];
        assert!(RULE.findings(&facts, &settings).is_empty());
    }
}
