//! One user has no inotify instance left.

use crate::facts::{Facts, Found, InotifyError};
use crate::kubernetes::platform::Setting;
use crate::report::{Evidence, Finding, Risk, Severity};
use crate::risks::inotify::{EXHAUSTED_PERCENT, instance_loads, last_refusal, need, recovered, target_instances};
use crate::rules::{Rule, Text, Words, on_pages};
use crate::settings::Settings;
use crate::show::NO_SETTING;

/// See the module.
pub static RULE: Rule = Rule {
    id: "inotify-instances-exhausted",
    risk: Risk::Inotify,
    severity: Severity::Error,
    words: Words {
        en: Text {
            title: "inotify instances used up",
            says: &[
                "inotify: {used} of {limit} instances used by {user}.",
                "inotify: {used} of {limit} instances used, all users taken together.",
                "The kernel refused a new inotify instance, yet the limit of {enough} per user is enough by now.",
                "The kernel refused a new inotify instance at the limit of {low_limit} per user.",
                "The kernel refused a new inotify instance: one user has reached its limit.",
            ],
            why: "The kernel counts inotify instances per user id, and everything on a node that runs as root shares \
                  one budget: systemd, udev, kubelet, containerd and its shims, and every container that runs as \
                  root. Beyond it inotify_init fails with EMFILE, which reads \"too many open files\" but has nothing \
                  to do with ulimit, LimitNOFILE or fs.file-max. kubectl logs -f and journalctl -f stop following, \
                  OOM kills go unnoticed by the shim, and a kubelet that restarts does not come up again.",
            fix: "{if target} Raise fs.inotify.max_user_instances now and for good.\n\
                  {if known} At least {least} are needed here, {target} leave room.\n\
                  {if assumed_pods} Nothing pasted tells how many pods the node takes: with kubelet's default of \
                  {assumed_pods} it needs at least {least}, and {target} leave room.\n\
                  {if target} An instance costs kernel memory only once it is created, so a high limit is free. Raising \
                  max_user_watches does not help here.\n\
                  {if enough} The limit of {enough}, which was read after the errors, is enough here: it was probably \
                  raised since. Restart what failed and see whether the error comes back; if it does, count the \
                  instances of each user.",
            notes: on_pages(&[
                "A sum over all users is held against the limit only where no complete count of one user was \
                 pasted: it may be high although nobody is near the limit.",
                "\"too many open files\" can also mean the limit on open files of one process. Only messages that \
                 name inotify or fsnotify count here.",
                "The article behind this rule (https://qiita.com/superbrothers/items/d13762c1b4853049135c) counts \
                 with find /proc/*/fd over all users. The limit is per user id (kernel/ucount.c), so root's \
                 instances have to be counted apart.",
            ]),
        },
        ja: Text {
            title: "inotify インスタンスの枯渇",
            says: &[
                "{user} が inotify インスタンスを {limit} 個中 {used} 個使用しています。",
                "inotify インスタンスが全ユーザー合計で {limit} 個中 {used} 個使用されています。",
                "カーネルが新しい inotify インスタンスの作成を拒否しましたが、ユーザーあたりの上限は現在 {enough} で、十分な値です。",
                "ユーザーあたりの上限 {low_limit} に達したため、カーネルが新しい inotify インスタンスの作成を拒否しました。",
                "あるユーザーが上限に達したため、カーネルが新しい inotify インスタンスの作成を拒否しました。",
            ],
            why: "カーネルは inotify インスタンスを UID ごとに数えます。ノード上で root として動くもの（systemd、udev、kubelet、containerd とその shim、\
                  root で動くすべてのコンテナ）は 1 つの上限を共有します。上限を超えると inotify_init は EMFILE を返します。\
                  メッセージは「too many open files」ですが、ulimit や LimitNOFILE、fs.file-max とは関係ありません。\
                  kubectl logs -f や journalctl -f で追跡できなくなり、shim は OOM kill を検知できず、kubelet は再起動すると立ち上がらなくなります。",
            fix: "{if target} fs.inotify.max_user_instances を今すぐ、かつ恒久的に引き上げてください。\n\
                  {if known} 少なくとも {least} が必要です。余裕を見て {target} にすることを推奨します。\n\
                  {if assumed_pods} maxPods が分からないため kubelet の既定値（{assumed_pods} Pod）で計算すると、少なくとも {least} が必要です。余裕を見て {target} にすることを推奨します。\n\
                  {if target} カーネルメモリを使うのは実際に作成されたインスタンスだけなので、上限を高くしても負担はありません。\
                  max_user_watches を上げても解決しません。\n\
                  {if enough} エラーの後に読み取った上限 {enough} は、ここでは十分な値です。エラーの後に引き上げられたと考えられます。失敗したものを再起動し、\
                  エラーが再び出るか確認してください。再び出る場合は、ユーザーごとのインスタンス数を数えてください。",
            notes: on_pages(&[
                "全ユーザーの合計は、特定のユーザーの使用数がすべて分かる場合には上限と比較しません。\
                 合計が大きくても、どのユーザーも上限に近いとは限らないためです。",
                "「too many open files」は、プロセスごとのオープンファイル数の上限でも出ます。ここでは inotify \
                 または fsnotify を示すメッセージだけを対象とします。",
                "元の記事（https://qiita.com/superbrothers/items/d13762c1b4853049135c）では find /proc/*/fd \
                 で全ユーザーの合計を数えていますが、上限は UID ごとなので（kernel/ucount.c）、root \
                 の分だけを数える必要があります。",
            ]),
        },
        zh: Text {
            title: "inotify 实例耗尽",
            says: &[
                "inotify 实例：{user} 已使用 {used} 个，上限为 {limit} 个。",
                "inotify 实例：所有用户合计已使用 {used} 个，上限为 {limit} 个。",
                "内核曾拒绝创建新的 inotify 实例，但现在每用户的上限为 {enough}，已经足够。",
                "已达到每用户 {low_limit} 个的上限，内核拒绝创建新的 inotify 实例。",
                "某个用户已达到上限，内核拒绝创建新的 inotify 实例。",
            ],
            why: "内核按 UID 统计 inotify 实例，节点上所有以 root 运行的程序（systemd、udev、kubelet、containerd 及其 shim，以及所有以 root 运行的容器）共用一份额度。\
                  超出后 inotify_init 返回 EMFILE，提示是“too many open files”，但与 ulimit、LimitNOFILE、fs.file-max 无关。\
                  kubectl logs -f 和 journalctl -f 无法继续跟踪，shim 收不到 OOM 事件，kubelet 一旦重启就无法再启动。",
            fix: "{if target} 立即并永久调高 fs.inotify.max_user_instances。\n\
                  {if known} 这里至少需要 {least}，留出余量可设为 {target}。\n\
                  {if assumed_pods} 粘贴的内容中没有 maxPods，按 kubelet 默认的 {assumed_pods} 个 Pod 计算，至少需要 {least}，留出余量可设为 {target}。\n\
                  {if target} 实例只有创建后才占用内核内存，\
                  上限设高没有代价。调高 max_user_watches 在这里没有用。\n\
                  {if enough} 错误之后读到的上限 {enough} 在这里已经足够，可能是后来调高的。请重启出错的程序，看错误是否再次出现；\
                  如果再次出现，请统计每个用户的实例数。",
            notes: on_pages(&[
                "如果已粘贴某个用户的完整计数，就不再用所有用户的合计与上限比较：合计很大时，\
                 也可能没有任何用户接近上限。",
                "“too many open files”也可能是单个进程的打开文件数达到上限。这里只看明确提到 inotify 或 fsnotify \
                 的信息。",
                "原文章（https://qiita.com/superbrothers/items/d13762c1b4853049135c）用 find /proc/*/fd \
                 统计的是所有用户的合计。上限是按 UID 计算的（kernel/ucount.c），需要单独统计 root 的实例。",
            ]),
        },
    },
    setting: Some(Setting::sysctl("fs.inotify.max_user_instances", "{target}")),
    remedy: "",
    links: &[
        "https://man7.org/linux/man-pages/man7/inotify.7.html",
        "https://github.com/torvalds/linux/blob/v6.12/fs/notify/inotify/inotify_user.c",
        "https://github.com/torvalds/linux/blob/v6.12/kernel/ucount.c",
        "https://github.com/kubernetes/kubernetes/issues/58081",
    ],
    check,
}
.of_texts();

fn check(facts: &Facts, settings: &Settings) -> Vec<Finding> {
    let inotify = &facts.inotify;
    let loads = instance_loads(inotify);
    let full: Vec<_> = loads.iter().filter(|load| load.percent() >= EXHAUSTED_PERCENT).collect();
    let counts = full.iter().map(|load| load.evidence(EXHAUSTED_PERCENT));
    let refused = inotify.errors.iter().filter(|error| error.value == InotifyError::Instances);
    let errors = refused.map(|error| Evidence::new(&error.place, "inotify_init: EMFILE (Too many open files)", ""));
    let mut evidence: Vec<Evidence> = counts.chain(errors).collect();
    if evidence.is_empty() {
        return Vec::new();
    }
    let need = need(facts, settings);
    if full.is_empty() && recovered(facts, &need).is_some() {
        return Vec::new();
    }
    let mut finding = RULE.finding();
    let least = full.iter().map(|load| load.least_limit()).max().unwrap_or(0).max(need.instances);
    let is_since = |limit: &Found<u64>| last_refusal(inotify).is_none_or(|refusal| limit.place.is_after(refusal));
    let is_enough = |limit: &&Found<u64>| full.is_empty() && limit.value >= need.instances && is_since(limit);
    if let Some(limit) = inotify.max_instances.as_ref().filter(is_enough) {
        finding.values.insert("enough".into(), limit.value.to_string());
        finding.values.insert(NO_SETTING.into(), String::new());
    } else {
        finding.values.insert("least".into(), least.to_string());
        let (name, pods) = match need.assumed_pods(settings).filter(|_| least == need.instances) {
            Some(pods) => ("assumed_pods", pods.to_string()),
            None => ("known", least.to_string()),
        };
        finding.values.insert(name.into(), pods);
        finding.values.insert("target".into(), target_instances(inotify, &need).to_string());
    }
    // One user's count tells more than a sum over all of them.
    if let Some(load) = full.iter().find(|load| load.is_of_one_user()).or(full.first()) {
        finding.values.insert("used".into(), load.used.value.count.to_string());
        finding.values.insert("limit".into(), load.limit.to_string());
        finding.values.extend(load.user().map(|user| ("user".into(), user)));
    }
    if let Some(limit) = &inotify.max_instances {
        // A limit that looks sufficient was probably raised after the error, so the error was not about it.
        let low = limit.value < need.instances;
        let expected = if low { format!(">= {}", need.instances) } else { String::new() };
        let observed = format!("fs.inotify.max_user_instances = {}", limit.value);
        evidence.push(Evidence::new(&limit.place, observed, expected));
        if low {
            finding.values.insert("low_limit".into(), limit.value.to_string());
        }
    }
    finding.evidence = evidence;
    vec![finding]
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::facts::{Facts, InUse, InotifyError, Whose};
    use crate::fixture::{findings, found, says};
    use crate::rules::Lang;
    use crate::show::said;

    fn used(count: u64, whose: Whose) -> InUse {
        InUse { count, whose, at_least: false, limit: None }
    }

    fn facts(limit: Option<u64>, counts: Vec<InUse>) -> Facts {
        let mut facts = Facts::default();
        facts.inotify.max_instances = limit.map(found);
        facts.inotify.instances_used = counts.into_iter().map(found).collect();
        facts
    }

    #[test]
    fn a_sum_over_all_users_at_the_limit_is_reported_as_such() {
        let facts = facts(Some(128), vec![used(128, Whose::Everyone)]);
        assert_eq!(says(&RULE, &facts), "inotify: 128 of 128 instances used, all users taken together.");
        assert_eq!(findings(&RULE, &facts)[0].evidence[0].observed, "Σ UID: 128/128");
    }

    #[test]
    fn one_users_count_decides_where_it_is_known() {
        let root = |count| used(count, Whose::User("root".into()));
        assert_eq!(
            says(&RULE, &facts(Some(128), vec![used(133, Whose::Everyone), root(127)])),
            "inotify: 127 of 128 instances used by root."
        );
        let spread = facts(Some(128), vec![used(133, Whose::Everyone), root(90), used(43, Whose::Uid(1000))]);
        assert!(findings(&RULE, &spread).is_empty(), "133 in all, but no user is near its own limit");
    }

    #[test]
    fn a_partial_list_does_not_hide_the_sum() {
        let shims = InUse { at_least: true, ..used(69, Whose::User("root".into())) };
        assert_eq!(findings(&RULE, &facts(Some(128), vec![used(128, Whose::Everyone), shims])).len(), 1);
    }

    #[test]
    fn a_limit_printed_with_the_count_is_enough() {
        let printed = InUse { limit: Some(128), ..used(129, Whose::Uid(0)) };
        assert_eq!(says(&RULE, &facts(None, vec![printed])), "inotify: 129 of 128 instances used by UID 0.");
    }

    #[test]
    fn below_95_percent_or_without_a_limit_nothing_is_said() {
        assert!(findings(&RULE, &facts(Some(128), vec![used(121, Whose::Uid(0))])).is_empty());
        assert_eq!(findings(&RULE, &facts(Some(128), vec![used(122, Whose::Uid(0))])).len(), 1);
        assert!(findings(&RULE, &facts(None, vec![used(128, Whose::Uid(0))])).is_empty());
        assert!(findings(&RULE, &facts(Some(0), vec![used(1, Whose::Uid(0))])).is_empty());
    }

    /// 128 is the default of every kernel (`inotify_user_setup`), so it may be assumed once an instance was refused.
    #[test]
    fn a_refused_instance_is_enough_and_makes_128_the_limit() {
        let mut facts = facts(None, vec![used(127, Whose::Uid(0))]);
        facts.inotify.errors = vec![found(InotifyError::Instances)];
        assert_eq!(says(&RULE, &facts), "inotify: 127 of 128 instances used by UID 0.");
        facts.inotify.instances_used.clear();
        assert_eq!(says(&RULE, &facts), "The kernel refused a new inotify instance: one user has reached its limit.");
        facts.inotify.max_instances = Some(found(128));
        assert_eq!(says(&RULE, &facts), "The kernel refused a new inotify instance at the limit of 128 per user.");
        facts.inotify.errors = vec![found(InotifyError::Watches)];
        assert!(findings(&RULE, &facts).is_empty(), "watches are another limit");
    }

    /// kubelet takes 110 pods unless it is configured otherwise (`pkg/kubelet/apis/config/v1beta1/defaults.go`).
    #[test]
    fn the_pods_that_a_need_was_computed_for_are_named_where_they_were_assumed() {
        let fix = |facts: &Facts| said(&findings(&RULE, facts)[0], Lang::En).unwrap().fix;
        let mut facts = facts(None, Vec::new());
        facts.inotify.errors = vec![found(InotifyError::Instances)];
        assert!(fix(&facts).contains("with kubelet's default of 110 it needs at least 245"), "{}", fix(&facts));
        facts.nodes.max_pods = vec![found(250)];
        assert!(fix(&facts).contains("At least 525 are needed here"), "{}", fix(&facts));
        let full = self::facts(Some(512), vec![used(512, Whose::Uid(0))]);
        assert!(fix(&full).contains("At least 641 are needed here"), "{}", fix(&full));
    }
}
