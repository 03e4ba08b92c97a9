//! inotify instances or watches were refused, and suffice since.

use crate::facts::{Facts, Found, Inotify, InotifyError};
use crate::kubernetes::platform::Setting;
use crate::report::{Evidence, Finding, Risk, Severity};
use crate::risks::inotify::{Recovered, need, overcome, recovered, watches_recovered};
use crate::rules::{Rule, Text, Words, on_pages};
use crate::settings::Settings;
use crate::show::NO_SETTING;

/// A log can hold thousands of refusals; so many places are enough to look at.
const MOST_PLACES: usize = 3;

/// See the module.
pub static RULE: Rule = Rule {
    id: "inotify-recovered",
    risk: Risk::Inotify,
    severity: Severity::Info,
    words: Words {
        en: Text {
            title: "inotify limits suffice again",
            says: &[
                "The kernel refused inotify instances before; since then {used} of {limit} are in use.",
                "The kernel refused inotify instances before; since then the limit was raised to {limit}, which is enough.",
                "The kernel refused inotify watches before; since then the limit was raised to {watches}, which is enough for most nodes.",
            ],
            why: "The errors stand above the newer values, so they tell of the node as it was. A program that was \
                  refused an instance or a watch does not ask again by itself: it follows no log and sees no change of a file, \
                  and a shim misses the OOM kills of its container.",
            fix: "Nothing more is to be raised. Restart what has failed since the first error and still runs: kubectl \
                  logs -f, journalctl -f, programs that watch files, and the pods whose OOM kills have to be \
                  noticed.\n\
                  {if value} Nothing shows that the limit is kept for the next boot: unless a file under /etc/sysctl.d has it, write it down.\n\
                  {if limit} If the error comes back, count the instances of each user.\n\
                  {if watches} If the error comes back, look for the process that holds most watches.",
            notes: on_pages(&[
                "What stands further down in the text counts as later. A limit on instances that was only read and \
                 not raised needs a count below 80 % beside it. Watches count as enough from a raise to 524288 on."
            ]),
        },
        ja: Text {
            title: "inotify の上限不足は解消済み",
            says: &[
                "以前カーネルが inotify インスタンスの作成を拒否しましたが、その後の使用数は {limit} 個中 {used} 個です。",
                "以前カーネルが inotify インスタンスの作成を拒否しましたが、その後上限が {limit} に引き上げられ、十分な値になっています。",
                "以前カーネルが inotify ウォッチの追加を拒否しましたが、その後上限が {watches} に引き上げられ、ほとんどのノードで足りる値になっています。",
            ],
            why: "エラーは新しい値より上にあるため、以前の状態を示しています。インスタンスやウォッチを得られなかったプログラムは、自分から再試行しません。\
                  ログの追跡やファイルの変更検知は止まったままで、shim はコンテナの OOM kill を検知できません。",
            fix: "これ以上の引き上げは不要です。最初のエラー以降に失敗し、そのまま動いているものを再起動してください（kubectl logs -f、journalctl -f、ファイルを監視するプログラム、OOM kill の検知が必要な Pod）。\n\
                  {if value} 上限が再起動後も保たれるかどうかは確認できませんでした。/etc/sysctl.d などのファイルになければ書き込んでください。\n\
                  {if limit} エラーが再び出る場合は、ユーザーごとのインスタンス数を数えてください。\n\
                  {if watches} エラーが再び出る場合は、ウォッチを多く使っているプロセスを調べてください。",
            notes: on_pages(&[
                "テキストの下にあるものほど新しいとみなします。引き上げではなく読み取っただけのインスタンスの上限は、\
                 使用数が 80% 未満と分かる場合に限り十分とみなします。ウォッチは 524288 以上への引き上げで十分とみなします。",
            ]),
        },
        zh: Text {
            title: "inotify 上限不足已解除",
            says: &[
                "内核此前拒绝过创建 inotify 实例，但之后已使用 {used} 个，上限为 {limit} 个。",
                "内核此前拒绝过创建 inotify 实例，但之后上限已调高到 {limit}，足够使用。",
                "内核此前拒绝过添加 inotify watch，但之后上限已调高到 {watches}，对大多数节点足够。",
            ],
            why: "错误出现在较新的数值之前，反映的是节点以前的状态。没能得到实例或 watch 的程序不会自行重试：\
                  日志不再跟踪，文件变化无法感知，shim 也收不到容器的 OOM 事件。",
            fix: "无需再调高上限。请重启自第一次报错以来失败且仍在运行的程序：kubectl logs -f、journalctl -f、监视文件的程序，以及需要感知 OOM 的 Pod。\n\
                  {if value} 没有看到该上限已保存：如果 /etc/sysctl.d 等处的文件中还没有，请写入，否则重启后会失效。\n\
                  {if limit} 如果错误再次出现，请统计每个用户的实例数。\n\
                  {if watches} 如果错误再次出现，请找出占用 watch 最多的进程。",
            notes: on_pages(&[
                "文本中靠后的内容视为较新。如果实例上限只是读到的而不是刚调高的，还需要有低于 80% 的使用数才算足够。\
                 watch 上限调高到 524288 及以上即视为足够。",
            ]),
        },
    },
    setting: Some(Setting::kept_sysctl("{sysctl}", "{value}")),
    remedy: "",
    links: &[
        "https://man7.org/linux/man-pages/man7/inotify.7.html",
        "https://github.com/torvalds/linux/blob/v6.12/fs/notify/inotify/inotify_user.c",
    ],
    check,
}
.of_texts();

fn check(facts: &Facts, settings: &Settings) -> Vec<Finding> {
    of_instances(facts, settings).into_iter().chain(of_watches(&facts.inotify)).collect()
}

fn of_instances(facts: &Facts, settings: &Settings) -> Option<Finding> {
    let inotify = &facts.inotify;
    let Recovered { limit, used } = recovered(facts, &need(facts, settings))?;
    let mut finding = RULE.finding();
    if let Some(used) = used {
        finding.evidence.push(Evidence::new(&used.place, used.value.count.to_string(), ""));
        finding.values.insert("used".into(), used.value.count.to_string());
    }
    finding.evidence.push(Evidence::new(&limit.place, format!("fs.inotify.max_user_instances = {}", limit.value), ""));
    finding.values.insert("limit".into(), limit.value.to_string());
    keep(&mut finding, "fs.inotify.max_user_instances", limit, inotify.intended_instances.as_ref());
    let refused = inotify.errors.iter().filter(|error| error.value == InotifyError::Instances);
    let places = refused.map(|error| &error.place).chain(overcome(inotify, InotifyError::Instances));
    let error = |place| Evidence::new(place, "inotify_init: EMFILE (Too many open files)", "");
    finding.evidence.extend(places.take(MOST_PLACES).map(error));
    Some(finding)
}

fn of_watches(inotify: &Inotify) -> Option<Finding> {
    let limit = watches_recovered(inotify)?;
    let mut finding = RULE.finding();
    finding.evidence.push(Evidence::new(&limit.place, format!("fs.inotify.max_user_watches = {}", limit.value), ""));
    finding.values.insert("watches".into(), limit.value.to_string());
    keep(&mut finding, "fs.inotify.max_user_watches", limit, inotify.intended_watches.as_ref());
    let places = overcome(inotify, InotifyError::Watches).take(MOST_PLACES);
    let error = |place| Evidence::new(place, "inotify_add_watch: ENOSPC (No space left on device)", "");
    finding.evidence.extend(places.map(error));
    Some(finding)
}

/// What is to be written down for the next boot, unless a file has it.
fn keep(finding: &mut Finding, sysctl: &'static str, limit: &Found<u64>, intended: Option<&Found<u64>>) {
    if intended.is_some() {
        finding.values.insert(NO_SETTING.into(), String::new());
    } else {
        finding.values.insert("sysctl".into(), sysctl.to_owned());
        finding.values.insert("value".into(), limit.value.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::Lang;
    use crate::settings::Settings;
    use crate::show::said;
    use crate::{Input, check};

    const REFUSED: &str =
        "root@n1:~# journalctl -fu kubelet\nInsufficient watch descriptors available. Reverting to -n.\n";
    const LIMIT: &str = "root@n1:~# sysctl fs.inotify.max_user_instances\nfs.inotify.max_user_instances = 8192\n";
    const COUNT: &str = "root@n1:~# find /proc/*/fd -lname anon_inode:inotify 2>/dev/null | wc -l\n";

    /// The rules about inotify that fired, and what is said to do about the first.
    fn told(text: &str) -> (Vec<String>, String) {
        let report = check(&[Input::new("paste", text)], &Settings::default());
        let findings = report.findings.iter().filter(|finding| finding.rule.starts_with("inotify"));
        let findings: Vec<_> = findings.collect();
        let fix = findings.first().and_then(|finding| said(finding, Lang::En)).map(|said| said.fix);
        (findings.iter().map(|finding| finding.rule.to_string()).collect(), fix.unwrap_or_default())
    }

    #[test]
    fn a_low_count_below_the_errors_is_the_end_of_them() {
        let (rules, fix) = told(&format!("{REFUSED}{LIMIT}{COUNT}143\n"));
        assert_eq!(rules, [RULE.id]);
        assert!(fix.starts_with("Nothing more is to be raised. Restart") && fix.contains("/etc/sysctl.d"), "{fix}");
        assert_eq!(told(&format!("{REFUSED}{COUNT}143\n{LIMIT}")).0, [RULE.id]);
        let saved =
            format!("{LIMIT}{COUNT}143\nroot@n1:~# cat /etc/sysctl.d/9.conf\nfs.inotify.max_user_instances=8192\n");
        assert!(!told(&format!("{REFUSED}{saved}")).1.contains("/etc/sysctl.d"));
    }

    #[test]
    fn an_error_below_the_values_or_a_high_count_is_no_end() {
        let exhausted = ["inotify-instances-exhausted"];
        assert_eq!(told(&format!("{LIMIT}{COUNT}143\n{REFUSED}")).0, exhausted);
        assert_eq!(told(&format!("{REFUSED}{LIMIT}{COUNT}7000\n")).0, exhausted);
        assert_eq!(told(&format!("{COUNT}143\n{REFUSED}{LIMIT}")).0, exhausted, "counted before");
        assert_eq!(told(&format!("{REFUSED}{LIMIT}")).0, exhausted, "nothing was counted");
        let find = "root@n1:~# find /proc/*/fd -lname anon_inode:inotify";
        for part in ["-user app 2>/dev/null | wc -l\n3\n", "-printf '%U\\n' | sort | uniq -c | tail -1\n 12 1000\n"] {
            assert_eq!(told(&format!("{REFUSED}{LIMIT}{find} {part}")).0, exhausted, "{part}");
        }
        let own = format!("{LIMIT}{}2\n", COUNT.replace("root@n1:~#", "ops@n1:~$"));
        assert_eq!(told(&format!("{REFUSED}{own}")).0, exhausted, "of one's own processes alone");
        let foreign = "root@n1:~# grep notify /var/log/all\n\
                       Nov 30 03:24:51 n2 kubelet[14]: inotify_init: too many open files\n";
        assert_eq!(told(&format!("{foreign}{LIMIT}{COUNT}143\n")).0, exhausted, "of another machine");
    }

    /// On cgroup v2, 110 pods need 245 instances.
    #[test]
    fn a_raise_to_what_the_node_needs_is_enough() {
        let raised = |to: u32| {
            format!(
                "{REFUSED}root@n1:~# sysctl -w fs.inotify.max_user_instances={to}\nfs.inotify.max_user_instances = {to}\n"
            )
        };
        assert_eq!(told(&raised(8192)).0, [RULE.id]);
        assert_eq!(told(&raised(200)).0, ["inotify-instances-low"]);
    }

    /// The mistyped command is no file either.
    #[test]
    fn a_limit_that_no_file_is_seen_to_keep_is_to_be_saved() {
        let typo = format!("{REFUSED}root@n1:~# systctl -w fs.inotify.max_user_instances=1024\n");
        let raise = "root@n1:~# sysctl -w fs.inotify.max_user_instances=1024\nfs.inotify.max_user_instances = 1024\n";
        let remedy = |text: String| {
            let report = check(&[Input::new("paste", text)], &Settings::default());
            said(report.findings.first().unwrap(), Lang::En).unwrap().remedy
        };
        let save = "echo 'fs.inotify.max_user_instances = 1024' | sudo tee \
                    /etc/sysctl.d/99-fs.inotify.max_user_instances.conf\n";
        assert_eq!(remedy(format!("{typo}{raise}")), save);
        let saves = format!("root@n1:~# {save}fs.inotify.max_user_instances = 1024\n");
        assert_eq!(remedy(format!("{typo}{raise}{saves}")), "");
    }

    /// `sysctl -w` prints what it has set; without that line, or a later reading, nothing is known to be raised.
    #[test]
    fn a_raise_has_to_be_borne_out_on_the_same_node() {
        const ERROR: &str =
            "Nov 30 02:41:10 n1 kubelet[1]: E1130 \"Failed to create fsnotify watcher\" err=\"too many open files\"\n";
        const PRINTED: &str = "fs.inotify.max_user_instances = 8192\n";
        let typed =
            |command: &str, printed: &str| told(&format!("{ERROR}a@n1:~$ {command}{printed}a@n1:~$ uptime\n")).0;
        const SET: &str = "sudo sysctl -w fs.inotify.max_user_instances=8192\n";
        let exhausted = ["inotify-instances-exhausted"];
        assert_eq!(typed(SET, PRINTED), [RULE.id]);
        assert_eq!(typed(SET, &format!("a@n1:~$ sysctl -a\n{PRINTED}")), [RULE.id]);
        assert_eq!(typed("echo 8192 > /proc/sys/fs/inotify/max_user_instances\n", ""), [RULE.id]);
        assert_eq!(typed(SET, ""), exhausted);
        assert_eq!(typed(SET, &format!("{ERROR}a@n1:~$ sysctl -a\n{PRINTED}")), exhausted, "refused after it");
        assert_eq!(typed(SET, "Sorry, try again.\nsudo: 3 incorrect password attempts\n"), exhausted);
        assert_eq!(typed("# sysctl -w fs.inotify.max_user_instances=8192\n", ""), exhausted);
        assert_eq!(typed("ssh n2 sysctl -w fs.inotify.max_user_instances=8192\n", PRINTED), exhausted);
        let from_outside = format!("{ERROR}a@bastion:~$ ssh n1 {SET}{PRINTED}");
        assert_eq!(told(&from_outside).0, [RULE.id]);
        assert_eq!(told(&from_outside.replace("ssh n1", "ssh n2")).0, exhausted);
    }

    #[test]
    fn watches_suffice_after_a_raise_to_what_distributions_set() {
        const REFUSED: &str = "root@n1:~# tail f\ntail: inotify resources exhausted\n";
        let raised = |to: u32| {
            format!(
                "{REFUSED}root@n1:~# sysctl -w fs.inotify.max_user_watches={to}\nfs.inotify.max_user_watches = {to}\n"
            )
        };
        let (rules, fix) = told(&raised(524_288));
        assert_eq!(rules, [RULE.id]);
        assert!(fix.contains("process that holds most watches") && !fix.contains("count the instances"), "{fix}");
        let exhausted = ["inotify-watches-exhausted"];
        assert_eq!(told(&raised(16_384)).0, exhausted);
        assert_eq!(told(&format!("{}{REFUSED}", raised(524_288))).0, exhausted, "refused again");
        let read = "root@n1:~# sysctl fs.inotify.max_user_watches\nfs.inotify.max_user_watches = 524288\n";
        assert_eq!(told(&format!("{REFUSED}{read}")).0, exhausted, "it may not have sufficed");
    }
}
