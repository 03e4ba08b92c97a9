//! One user has no inotify watch left.

use crate::facts::{Facts, InotifyError};
use crate::kubernetes::platform::Setting;
use crate::report::{Evidence, Finding, Risk, Severity};
use crate::risks::inotify::{EXHAUSTED_PERCENT, target_watches, watch_loads};
use crate::rules::{Rule, Text, Words, on_pages};
use crate::settings::Settings;

/// See the module.
pub static RULE: Rule = Rule {
    id: "inotify-watches-exhausted",
    risk: Risk::Inotify,
    severity: Severity::Error,
    words: Words {
        en: Text {
            title: "inotify watches used up",
            says: &[
                "inotify: {used} of {limit} watches used by {user}.",
                "inotify: {used} of {limit} watches used, all users taken together.",
                "The kernel refused a new inotify watch: one user has reached its limit.",
            ],
            why: "Beyond it inotify_add_watch fails with ENOSPC, which reads \"no space left on device\" but is not about \
                  the disk. kubelet and cAdvisor watch every cgroup directory, so they fail to start or lose sight \
                  of new pods; applications stop noticing changed files. Like instances, watches are counted per \
                  user id, and root's are shared by the whole node.",
            fix: "Raise fs.inotify.max_user_watches, here to {target}; take care not to lower a value that is \
                  higher already. A watch costs about 1 KiB of kernel memory only while it is in use. Then look for \
                  the process that holds most of them: a file indexer or security agent can take thousands. Raising \
                  max_user_instances does not help here.",
            notes: on_pages(&[
                "\"no space left on device\" counts only where the message names inotify or a watch: a full disk \
                 reads the same.",
                "lsof shows descriptors, not watches, and says nothing about this limit.",
            ]),
        },
        ja: Text {
            title: "inotify ウォッチの枯渇",
            says: &[
                "{user} が inotify ウォッチを {limit} 個中 {used} 個使用しています。",
                "inotify ウォッチが全ユーザー合計で {limit} 個中 {used} 個使用されています。",
                "あるユーザーが上限に達したため、カーネルが新しい inotify ウォッチの追加を拒否しました。",
            ],
            why: "上限に達すると inotify_add_watch は ENOSPC を返します。メッセージは「no space left on device」ですが、ディスクの問題ではありません。\
                  kubelet と cAdvisor はすべての cgroup ディレクトリを監視するため、起動に失敗したり新しい Pod を見失ったりします。\
                  アプリケーションもファイルの変更に気づけなくなります。ウォッチもインスタンスと同じく UID ごとに数えられ、root の分はノード全体で共有されます。",
            fix: "fs.inotify.max_user_watches を {target} に引き上げてください。現在の値のほうが大きい場合は、下げてしまわないように注意してください。\
                  カーネルメモリを使うのは使用中のウォッチだけで、1 個あたり約 1 KiB です。あわせて、\
                  ウォッチを多く使っているプロセスを調べてください。ファイルのインデクサーやセキュリティエージェントが数千個使うことがあります。\
                  max_user_instances を上げても解決しません。",
            notes: on_pages(&[
                "「no space left on device」は、inotify またはウォッチに関するメッセージだけを対象とします。\
                 ディスクが一杯のときも同じ文言が出るためです。",
                "lsof に出るのはファイルディスクリプターで、ウォッチではありません。この上限との比較には使えません。",
            ]),
        },
        zh: Text {
            title: "inotify watch 耗尽",
            says: &[
                "inotify watch：{user} 已使用 {used} 个，上限为 {limit} 个。",
                "inotify watch：所有用户合计已使用 {used} 个，上限为 {limit} 个。",
                "某个用户已达到上限，内核拒绝添加新的 inotify watch。",
            ],
            why: "达到上限后 inotify_add_watch 返回 ENOSPC，提示是“no space left on device”，但与磁盘无关。\
                  kubelet 和 cAdvisor 会监视每个 cgroup 目录，因此会启动失败或看不到新的 Pod；应用也无法感知文件变化。\
                  与实例一样，watch 按 UID 统计，root 的额度由整个节点共用。",
            fix: "把 fs.inotify.max_user_watches 调高到 {target}；如果当前值更大，注意不要改小。watch 只有在使用时才占用内核内存，每个约 1 KiB。\
                  然后找出占用最多的进程：文件索引程序或安全代理可能占用数千个。调高 max_user_instances 在这里没有用。",
            notes: on_pages(&[
                "“no space left on device”只有在信息明确提到 inotify 或 watch 时才算数，磁盘写满时的提示完全一样。",
                "lsof 列出的是文件描述符而不是 watch，不能用来与该上限比较。",
            ]),
        },
    },
    setting: Some(Setting::sysctl("fs.inotify.max_user_watches", "{target}")),
    remedy: "\
sudo grep -c ^inotify /proc/[0-9]*/fdinfo/* 2>/dev/null | sort -t: -k2 -rn | head
",
    links: &[
        "https://man7.org/linux/man-pages/man7/inotify.7.html",
        "https://github.com/torvalds/linux/blob/v6.12/fs/notify/inotify/inotify_user.c",
        "https://github.com/google/cadvisor/issues/1581",
    ],
    check,
}
.of_texts();

fn check(facts: &Facts, _: &Settings) -> Vec<Finding> {
    let inotify = &facts.inotify;
    let loads = watch_loads(inotify);
    let full: Vec<_> = loads.iter().filter(|load| load.percent() >= EXHAUSTED_PERCENT).collect();
    let counts = full.iter().map(|load| load.evidence(EXHAUSTED_PERCENT));
    let refused = inotify.errors.iter().filter(|error| error.value == InotifyError::Watches);
    let errors =
        refused.map(|error| Evidence::new(&error.place, "inotify_add_watch: ENOSPC (No space left on device)", ""));
    let mut evidence: Vec<Evidence> = counts.chain(errors).collect();
    if evidence.is_empty() {
        return Vec::new();
    }
    evidence.extend(
        inotify
            .max_watches
            .iter()
            .map(|limit| Evidence::new(&limit.place, format!("fs.inotify.max_user_watches = {}", limit.value), "")),
    );
    let mut finding = RULE.finding();
    finding.evidence = evidence;
    finding.values.insert("target".into(), target_watches(inotify).to_string());
    if let Some(load) = full.iter().find(|load| load.is_of_one_user()).or(full.first()) {
        finding.values.insert("used".into(), load.used.value.count.to_string());
        finding.values.insert("limit".into(), load.limit.to_string());
        finding.values.extend(load.user().map(|user| ("user".into(), user)));
    }
    vec![finding]
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::facts::{Facts, InUse, InotifyError, Whose};
    use crate::fixture::{findings, found, says};

    fn facts(limit: u64, count: u64) -> Facts {
        let mut facts = Facts::default();
        facts.inotify.max_watches = Some(found(limit));
        facts.inotify.watches_used = vec![found(InUse { count, whose: Whose::Everyone, at_least: false, limit: None })];
        facts
    }

    #[test]
    fn nineteen_twentieths_used_fire() {
        assert_eq!(says(&RULE, &facts(8192, 7882)), "inotify: 7882 of 8192 watches used, all users taken together.");
        assert!(findings(&RULE, &facts(8192, 7000)).is_empty());
    }

    #[test]
    fn a_refused_watch_fires_and_a_refused_instance_does_not() {
        let mut facts = Facts::default();
        facts.inotify.errors = vec![found(InotifyError::Instances)];
        assert!(findings(&RULE, &facts).is_empty());
        facts.inotify.errors.push(found(InotifyError::Watches));
        assert_eq!(says(&RULE, &facts), "The kernel refused a new inotify watch: one user has reached its limit.");
    }
}
