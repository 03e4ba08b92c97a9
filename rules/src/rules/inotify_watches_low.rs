//! The limit on inotify watches is too low for a node, nearly used, or about to be lowered.

use crate::facts::Facts;
use crate::kubernetes::inotify::{ENOUGH_WATCHES, OLD_MAX_WATCHES};
use crate::kubernetes::platform::Setting;
use crate::report::{Evidence, Finding, Risk, Severity};
use crate::risks::inotify::{EXHAUSTED_PERCENT, LOW_PERCENT, target_watches, watch_loads, watches_exhausted};
use crate::rules::{Rule, Text, Words, on_pages};
use crate::settings::Settings;

/// See the module.
pub static RULE: Rule = Rule {
    id: "inotify-watches-low",
    risk: Risk::Inotify,
    severity: Severity::Warning,
    words: Words {
        en: Text {
            title: "Too few inotify watches for a node",
            says: &[
                "Setting the limit on inotify watches to {new} lowers it from {old}.",
                "A limit of {low_limit} inotify watches is too low for a node.",
                "inotify: {used} of {limit} watches used.",
            ],
            why: "kubelet's cAdvisor alone watches one directory per cgroup, on cgroup v1 in every tree, and log \
                  shippers, ingress controllers and development servers watch whole file trees. All that runs as root \
                  shares one limit. 8192 was fixed in kernels before 5.11; later ones choose 1 % of memory, between \
                  8192 and 1048576. So 524288, the value that guides often give, is a raise on old or small nodes \
                  and a cut on large new ones.",
            fix: "Set fs.inotify.max_user_watches to {target}, but never below the value that the kernel chose. An \
                  unused watch costs nothing, one in use about 1 KiB.",
            notes: on_pages(&[
                "How many watches a node needs depends on the file trees that its programs watch and cannot be told \
                 from its pods. Anything above 8192 passes as long as less than 80 % are in use.",
                "The article behind this rule (https://qiita.com/superbrothers/items/d13762c1b4853049135c) shows \
                 8192 for Ubuntu 20.04 and 22.04. From Linux 5.11 on the kernel computes the limit (commit \
                 92890123749b), so that on 22.04 (5.15) only machines with about 1 GiB of memory have 8192.",
            ]),
        },
        ja: Text {
            title: "ノードには低すぎる inotify ウォッチの上限",
            says: &[
                "inotify ウォッチの上限を {new} にすると、{old} からの引き下げになります。",
                "inotify ウォッチの上限 {low_limit} はノードには低すぎます。",
                "inotify ウォッチが {limit} 個中 {used} 個使用されています。",
            ],
            why: "kubelet の cAdvisor だけでも cgroup ごとに 1 つ（cgroup v1 では階層ごとに）ディレクトリを監視します。\
                  ログ転送、Ingress コントローラー、開発サーバーはディレクトリツリー全体を監視します。root で動くものはすべて 1 つの上限を共有します。\
                  上限のデフォルトは、5.11 より前のカーネルでは 8192 固定、それ以降はメモリの 1% 相当（8192〜1048576）です。\
                  そのため、よく紹介される 524288 は、古いノードや小さいノードでは引き上げでも、大きな新しいノードでは引き下げになります。\
                  ",
            fix: "fs.inotify.max_user_watches を {target} に設定してください。ただし、カーネルが決めた値より下げないでください。\
                  未使用のウォッチはメモリを消費せず、使用中のものは 1 個あたり約 1 KiB です。",
            notes: on_pages(&[
                "必要なウォッチ数は、プログラムが監視するディレクトリツリーの大きさで決まり、Pod \
                 からは計算できません。そのため 8192 を超えていて使用率が 80% 未満なら警告しません。",
                "元の記事（https://qiita.com/superbrothers/items/d13762c1b4853049135c）では Ubuntu 20.04 と 22.04 \
                 の値が 8192 となっています。Linux 5.11 以降はカーネルがメモリ量から計算するため（コミット \
                 92890123749b）、22.04（5.15）で 8192 になるのはメモリが 1 GiB 程度のマシンだけです。",
            ]),
        },
        zh: Text {
            title: "节点的 inotify watch 上限过低",
            says: &[
                "把 inotify watch 上限设为 {new}，反而低于原来的 {old}。",
                "inotify watch 上限 {low_limit} 对节点来说过低。",
                "inotify watch：已使用 {used} 个，上限为 {limit} 个。",
            ],
            why: "仅 kubelet 的 cAdvisor 就会为每个 cgroup 监视一个目录（cgroup v1 上每个层级各一个），日志采集、Ingress 控制器和开发服务器会监视整棵目录树。\
                  以 root 运行的进程共用一份上限。5.11 之前的内核固定为 8192，之后为内存的 1%（介于 8192 和 1048576 之间）。\
                  因此教程里常见的 524288 在旧节点或小节点上是调高，在较新的大内存节点上却是调低。\
                  ",
            fix: "把 fs.inotify.max_user_watches 设为 {target}，但不要低于内核选定的值。未使用的 watch 不占内存，使用中的每个约占 1 KiB。",
            notes: on_pages(&[
                "需要多少 watch 取决于程序监视的目录树，无法由 Pod 推算。因此只要大于 8192 且使用率低于 80%，\
                 就不会提示。",
                "原文章（https://qiita.com/superbrothers/items/d13762c1b4853049135c）列出 Ubuntu 20.04 和 22.04 \
                 的值为 8192。从 Linux 5.11 起内核按内存计算上限（提交 92890123749b），22.04（5.15）上只有内存约 1 \
                 GiB 的机器才是 8192。",
            ]),
        },
    },
    setting: Some(Setting::sysctl("fs.inotify.max_user_watches", "{target}")),
    remedy: "",
    links: &[
        "https://github.com/torvalds/linux/commit/92890123749b",
        "https://man7.org/linux/man-pages/man7/inotify.7.html",
        "https://github.com/google/cadvisor/blob/master/lib/container/raw/watcher.go",
    ],
    check,
}
.of_texts();

fn check(facts: &Facts, _: &Settings) -> Vec<Finding> {
    let inotify = &facts.inotify;
    let mut finding = RULE.finding();
    let mut target = target_watches(inotify);
    let live = inotify.max_watches.as_ref();
    let proposed = live.zip(inotify.intended_watches.as_ref());
    let lowered = inotify.earlier_watches.as_ref().zip(live);
    if let Some((old, new)) = lowered.or(proposed).filter(|(old, new)| new.value < old.value) {
        finding.evidence.push(Evidence::new(&new.place, new.value.to_string(), format!(">= {}", old.value)));
        // What was there sufficed, as far as is known; it only has to stay.
        target = old.value.max(ENOUGH_WATCHES);
        finding.values.insert("old".into(), old.value.to_string());
        finding.values.insert("new".into(), new.value.to_string());
    }
    // Exhausted watches have the same remedy.
    let low = live.filter(|limit| limit.value <= OLD_MAX_WATCHES && !watches_exhausted(inotify));
    if let Some(limit) = low {
        let observed = format!("fs.inotify.max_user_watches = {}", limit.value);
        finding.evidence.push(Evidence::new(&limit.place, observed, format!("> {OLD_MAX_WATCHES}")));
        finding.values.insert("low_limit".into(), limit.value.to_string());
    }
    let loads = watch_loads(inotify);
    if let Some(load) = loads.first().filter(|load| (LOW_PERCENT..EXHAUSTED_PERCENT).contains(&load.percent())) {
        finding.evidence.push(load.evidence(LOW_PERCENT));
        finding.values.insert("used".into(), load.used.value.count.to_string());
        finding.values.insert("limit".into(), load.limit.to_string());
    }
    finding.values.insert("target".into(), target.to_string());
    if finding.evidence.is_empty() { Vec::new() } else { vec![finding] }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::facts::{Facts, InUse, Whose};
    use crate::fixture::{findings, found, says};

    fn limited(limit: u64) -> Facts {
        let mut facts = Facts::default();
        facts.inotify.max_watches = Some(found(limit));
        facts
    }

    /// 8192 is the fixed limit of kernels before 5.11 (commit 92890123749b).
    #[test]
    fn the_old_fixed_limit_is_low() {
        assert_eq!(says(&RULE, &limited(8192)), "A limit of 8192 inotify watches is too low for a node.");
        assert!(findings(&RULE, &limited(8193)).is_empty());
    }

    #[test]
    fn lowering_a_higher_limit_is_told() {
        let mut facts = limited(1_009_491);
        facts.inotify.intended_watches = Some(found(524_288));
        let proposed = "Setting the limit on inotify watches to 524288 lowers it from 1009491.";
        assert_eq!(says(&RULE, &facts), proposed);
        facts.inotify.intended_watches = Some(found(2_097_152));
        assert!(findings(&RULE, &facts).is_empty());

        let mut facts = limited(524_288);
        facts.inotify.earlier_watches = Some(found(1_009_491));
        assert_eq!(says(&RULE, &facts), proposed);
    }

    #[test]
    fn four_fifths_used_are_low() {
        let mut facts = limited(65_536);
        let count = |count| vec![found(InUse { count, whose: Whose::Uid(0), at_least: true, limit: None })];
        facts.inotify.watches_used = count(53_000);
        assert_eq!(says(&RULE, &facts), "inotify: 53000 of 65536 watches used.");
        facts.inotify.watches_used = count(181);
        assert!(findings(&RULE, &facts).is_empty());
    }
}
