//! The limit on inotify watches is too low for a node, nearly used, or about to be lowered.

use crate::facts::Facts;
use crate::kubernetes::inotify::OLD_MAX_WATCHES;
use crate::report::{Evidence, Finding, Risk, Severity};
use crate::risks::inotify::{EXHAUSTED_PERCENT, LOW_PERCENT, target_watches, watch_loads};
use crate::rules::{Rule, Text, Words};
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
                "The setting {new} lowers the limit on inotify watches, which is {old} now.",
                "A limit of {low_limit} inotify watches is too low for a node.",
                "inotify: {used} of {limit} watches used.",
            ],
            why: "kubelet's cAdvisor alone watches one directory per cgroup, on cgroup v1 in every tree, and log \
                  shippers, ingress controllers and development servers watch whole file trees. All that runs as root \
                  shares one limit. 8192 was fixed in kernels before 5.11; later ones choose 1 % of memory, between \
                  8192 and 1048576. So 524288, the value that guides often give, is a raise on old or small nodes \
                  and a cut on large new ones. (The article behind this rule shows 8192 for Ubuntu 22.04; that is \
                  right only for small machines.)",
            fix: "Set fs.inotify.max_user_watches to 524288 or to the present value, whichever is higher. An unused watch costs nothing, one in use about 1 KiB.",
        },
        ja: Text {
            title: "ノードには少なすぎる inotify ウォッチ上限",
            says: &[
                "{new} に設定すると、inotify ウォッチの上限が現在の {old} より下がります。",
                "inotify ウォッチの上限 {low_limit} はノードには低すぎます。",
                "inotify ウォッチが {limit} 個中 {used} 個使用されています。",
            ],
            why: "kubelet の cAdvisor だけでも cgroup ごとに 1 つ（cgroup v1 では階層ごとに）ディレクトリを監視します。\
                  ログ転送、Ingress コントローラー、開発サーバーはディレクトリツリー全体を監視します。root で動くものはすべて 1 つの上限を共有します。\
                  上限のデフォルトは、5.11 より前のカーネルでは 8192 固定、それ以降はメモリの 1% 相当（8192〜1048576）です。\
                  そのため、よく紹介される 524288 は、古いノードや小さいノードでは引き上げでも、大きな新しいノードでは引き下げになります。\
                  （元の記事では Ubuntu 22.04 で 8192 と表示されていますが、そうなるのはメモリの少ないマシンだけです。）",
            fix: "fs.inotify.max_user_watches を、524288 と現在値のうち大きいほうに設定してください。未使用のウォッチはメモリを消費せず、使用中のものは 1 個あたり約 1 KiB です。",
        },
        zh: Text {
            title: "节点的 inotify watch 上限过低",
            says: &[
                "设置为 {new} 会降低 inotify watch 上限（当前为 {old}）。",
                "inotify watch 上限 {low_limit} 对节点来说过低。",
                "inotify watch：已使用 {used} 个，上限为 {limit} 个。",
            ],
            why: "仅 kubelet 的 cAdvisor 就会为每个 cgroup 监视一个目录（cgroup v1 上每个层级各一个），日志采集、Ingress 控制器和开发服务器会监视整棵目录树。\
                  以 root 运行的进程共用一份上限。5.11 之前的内核固定为 8192，之后为内存的 1%（介于 8192 和 1048576 之间）。\
                  因此教程里常见的 524288 在旧节点或小节点上是调高，在较新的大内存节点上却是调低。\
                  （原文章显示 Ubuntu 22.04 为 8192，这只适用于小内存机器。）",
            fix: "把 fs.inotify.max_user_watches 设为 524288 与当前值中较大的一个。未使用的 watch 不占内存，使用中的每个约占 1 KiB。",
        },
    },
    remedy: "\
sysctl fs.inotify.max_user_watches
sudo sysctl -w fs.inotify.max_user_watches={target}
echo 'fs.inotify.max_user_watches = {target}' | sudo tee /etc/sysctl.d/90-inotify.conf
",
    links: &[
        "https://github.com/torvalds/linux/commit/92890123749b",
        "https://man7.org/linux/man-pages/man7/inotify.7.html",
        "https://github.com/google/cadvisor/blob/master/lib/container/raw/watcher.go",
    ],
    check,
};

fn check(facts: &Facts, _: &Settings) -> Vec<Finding> {
    let inotify = &facts.inotify;
    let mut finding = RULE.finding();
    let live = inotify.max_watches.as_ref();
    let proposed = live.zip(inotify.intended_watches.as_ref());
    let lowered = inotify.earlier_watches.as_ref().zip(live);
    if let Some((old, new)) = lowered.or(proposed).filter(|(old, new)| new.value < old.value) {
        finding.evidence.push(Evidence::new(&new.place, new.value.to_string(), format!(">= {}", old.value)));
        finding.values.insert("old".into(), old.value.to_string());
        finding.values.insert("new".into(), new.value.to_string());
    }
    if let Some(limit) = live.filter(|limit| limit.value <= OLD_MAX_WATCHES) {
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
    finding.values.insert("target".into(), target_watches(inotify).to_string());
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
        let proposed = "The setting 524288 lowers the limit on inotify watches, which is 1009491 now.";
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
