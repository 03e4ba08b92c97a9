//! Memory cgroups or kernel memory were refused, and later values of the node say that this is over.

use crate::facts::Facts;
use crate::report::{Evidence, Finding, Risk, Severity};
use crate::risks::memcg::{MAX_IDS, accounting_ended, ids_given_back};
use crate::rules::{Rule, Text, Words, on_pages};
use crate::settings::Settings;

/// A log can hold thousands of errors; so many places are enough to look at.
const MOST_PLACES: usize = 3;

/// See the module.
pub static RULE: Rule = Rule {
    id: "memcg-recovered",
    risk: Risk::Memcg,
    severity: Severity::Info,
    words: Words {
        en: Text {
            title: "Earlier errors of memory cgroups are over",
            says: &[
                "The kernel could not create a memory cgroup before ({error}); since then {cgroups} of {max} ids are taken, so it can again.",
                "Kernel-memory accounting failed before; since then the node runs with {ended_by}.",
            ],
            why: "The errors stand above the newer values, so they tell of the node as it was. Whatever has used up \
                  ids or kernel memory can do so again.",
            fix: "{if cgroups} Nothing has to be done at once. Find what used up the ids, lest it come back: watch the \
                  count over a day, and look for what creates many cgroups (crash loops, CronJobs, CI jobs) and for \
                  what holds removed ones (page cache, files in tmpfs).\n\
                  {if ended_by} Messages about kernel memory from before the boot with {ended_by} need no action; \
                  one that comes now does.",
            notes: on_pages(&[
                "What stands further down in the text counts as later. On kernels before 4.7, that of RHEL 7 among \
                 them, a low count proves nothing: it drops with rmdir although the id stays taken. An error is taken \
                 for a present one as well without any sign of the kernel, or where a log names another machine than \
                 the prompt above it.",
                "A boot with cgroup.memory=nokmem counts where /proc/cmdline was seen without it before.",
            ]),
        },
        ja: Text {
            title: "以前の memory cgroup のエラーは解消済み",
            says: &[
                "以前カーネルが memory cgroup を作成できませんでしたが（{error}）、その後の ID の使用数は {max} 個中 {cgroups} 個で、再び作成できる状態です。",
                "以前カーネルメモリアカウンティングの異常がありましたが、その後ノードは {ended_by} で稼働しています。",
            ],
            why: "エラーは新しい値より上にあるため、以前の状態を示しています。ID やカーネルメモリを使い切った原因が残っていれば、再発します。",
            fix: "{if cgroups} すぐに必要な作業はありません。再発を防ぐため、ID を使い切った原因を調べてください。1 日ほど数の推移を見て、\
                  cgroup を大量に作るもの（クラッシュループ、CronJob、CI ジョブ）と、削除済みの cgroup を保持するもの（ページキャッシュ、tmpfs のファイル）を探します。\n\
                  {if ended_by} {ended_by} での起動より前に出たカーネルメモリのメッセージは対応不要です。今後新たに出る場合は調査が必要です。",
            notes: on_pages(&[
                "テキストの下にあるものほど新しいとみなします。4.7 より前のカーネル（RHEL 7 を含む）では、\
                 ID が残っていても rmdir の時点で数が減るため、数が小さくても根拠になりません。カーネルが分からない場合や、\
                 ログのホスト名がプロンプトと異なる場合も、エラーは現在のものとして扱います。",
                "cgroup.memory=nokmem での起動は、それ以前に設定のない /proc/cmdline があるときだけ認めます。",
            ]),
        },
        zh: Text {
            title: "此前的内存 cgroup 错误已解除",
            says: &[
                "内核此前无法创建内存 cgroup（{error}），但之后 ID 只占用了 {cgroups} 个，上限为 {max} 个，现在可以重新创建。",
                "内核内存记账此前出现异常，但节点之后运行的是 {ended_by}。",
            ],
            why: "错误出现在较新的数值之前，反映的是节点以前的状态。用尽 ID 或内核内存的原因如果还在，就会再次发生。",
            fix: "{if cgroups} 目前无需立即处理。为避免复发，请查明是什么用尽了 ID：观察一天内数量的变化，查找大量创建 cgroup 的来源（反复崩溃的容器、CronJob、CI 任务），\
                  以及占住已删除 cgroup 的东西（页缓存、tmpfs 中的文件）。\n\
                  {if ended_by} 以 {ended_by} 启动之前的内核内存日志无需处理；如果之后再次出现，则需要排查。",
            notes: on_pages(&[
                "文本中靠后的内容视为较新。在 4.7 之前的内核（包括 RHEL 7）上，ID 仍被占用时计数也会随 rmdir 减少，\
                 因此数字小不能说明问题。如果看不出内核版本，或日志中的主机名与提示符不同，也把错误当作当前的错误。",
                "只有此前出现过不带该参数的 /proc/cmdline，才认为之后以 cgroup.memory=nokmem 启动过。",
            ]),
        },
    },
    setting: None,
    remedy: "",
    links: &[
        "https://github.com/torvalds/linux/commit/73f576c04b94",
        "https://github.com/kubernetes/kubernetes/issues/61937",
    ],
    check,
}
.of_texts();

fn check(facts: &Facts, _: &Settings) -> Vec<Finding> {
    let memcg = &facts.memcg;
    let mut finding = RULE.finding();
    if let (Some(count), Some(error)) = (ids_given_back(facts), memcg.mkdir_errors.first()) {
        finding.evidence.push(Evidence::new(&count.place, format!("num_cgroups = {}", count.value), ""));
        let errors = memcg.mkdir_errors.iter().take(MOST_PLACES);
        finding.evidence.extend(errors.map(|error| Evidence::new(&error.place, error.value.as_str(), "")));
        finding.values.insert("error".into(), error.value.clone());
        finding.values.insert("cgroups".into(), count.value.to_string());
        finding.values.insert("max".into(), MAX_IDS.to_string());
    }
    let ended = accounting_ended(facts, &memcg.kmem_errors).filter(|_| !memcg.kmem_errors.is_empty());
    if let Some(booted) = ended {
        let ended_by = "cgroup.memory=nokmem";
        finding.evidence.push(Evidence::new(&booted.place, ended_by, ""));
        let errors = memcg.kmem_errors.iter().take(MOST_PLACES);
        finding.evidence.extend(errors.map(|error| Evidence::new(&error.place, "SLUB", "")));
        finding.values.insert("ended_by".into(), ended_by.to_owned());
    }
    if finding.evidence.is_empty() { Vec::new() } else { vec![finding] }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::Lang;
    use crate::settings::Settings;
    use crate::show::said;
    use crate::{Input, check};

    const REFUSED: &str = "root@w1:~# dmesg | tail -1\n\
                           [9.6] runc: mkdir /sys/fs/cgroup/memory/kubepods/burstable/podabc: cannot allocate memory\n";
    const SLUB: &str = "root@w1:~# dmesg | tail -1\n[9.1] SLUB: Unable to allocate memory on node -1\n";
    const WITHOUT: &str = "root@w1:~# cat /proc/cmdline\nBOOT_IMAGE=/vmlinuz root=/dev/sda1 cgroup.memory=nokmem\n";
    const EL7: &str = "3.10.0-1160.88.1.el7.x86_64";

    fn kernel(version: &str) -> String {
        format!("root@w1:~# uname -r\n{version}\n")
    }

    fn count(cgroups: u32) -> String {
        format!("root@w1:~# grep memory /proc/cgroups\nmemory\t5\t{cgroups}\t1\n")
    }

    /// The rules about errors of memory cgroups that fired, each with what it says.
    fn told(parts: &[&str]) -> Vec<(String, String)> {
        let report = check(&[Input::new("paste", parts.concat())], &Settings::default());
        let findings = report.findings.iter();
        let findings =
            findings.filter(|finding| finding.rule.starts_with("memcg-") || finding.rule.starts_with("kmem-"));
        findings.map(|finding| (finding.rule.to_string(), said(finding, Lang::En).unwrap().says)).collect()
    }

    fn rules(parts: &[&str]) -> Vec<String> {
        told(parts).into_iter().map(|(rule, _)| rule).collect()
    }

    #[test]
    fn a_low_count_below_the_error_ends_it() {
        let parts = [&kernel("4.19.0-20-amd64"), REFUSED, &count(65_412), &kernel("5.10.0-30-amd64"), &count(142)];
        let says = "The kernel could not create a memory cgroup before (cannot allocate memory); since then 142 of \
                    65535 ids are taken, so it can again.";
        assert_eq!(told(&parts), [(RULE.id.to_owned(), says.to_owned())]);
        let directories = "root@w1:~# find /sys/fs/cgroup/memory -type d | wc -l\n65300\n";
        assert_eq!(rules(&[&kernel("4.19.0"), directories, REFUSED, &count(142)]), [RULE.id], "counted before");
        let stat = "root@w1:~# cat /sys/fs/cgroup/cgroup.stat\nnr_descendants 140\nnr_dying_descendants 2\n";
        assert_eq!(rules(&[&kernel("6.1.0-18-amd64"), REFUSED, stat]), [RULE.id]);
    }

    /// kubernetes issue 61937: on 3.10.0 `num_cgroups` drops at rmdir although the ids stay taken.
    #[test]
    fn a_count_that_proves_nothing_does_not() {
        let exhausted = ["memcg-ids-exhausted"];
        for old in [EL7, "3.10.0-1160.21.1.vz7.174.13", "3.10.108", "4.6.7"] {
            assert_eq!(rules(&[&kernel(old), REFUSED, &count(142)])[..1], exhausted, "{old}");
        }
        assert_eq!(
            rules(&[&kernel(EL7), REFUSED, &kernel("5.10.0-30-amd64"), &count(142)]),
            exhausted,
            "may be another"
        );
        assert_eq!(rules(&[REFUSED, &count(142)]), exhausted, "it may be RHEL 7");
        assert_eq!(rules(&[&kernel("4.19.0"), &count(142), REFUSED]), exhausted, "counted before");
        assert_eq!(rules(&[&kernel("4.19.0"), REFUSED, &count(60_000)]), exhausted);
        assert_eq!(rules(&[&kernel("4.19.0"), REFUSED, &count(10_000)])[..1], exhausted);
        let slice =
            "root@w1:~# cat /sys/fs/cgroup/system.slice/cgroup.stat\nnr_descendants 40\nnr_dying_descendants 2\n";
        assert_eq!(rules(&[&kernel("6.1.0-18-amd64"), REFUSED, slice]), exhausted, "of one slice");
        let foreign = "root@w1:~# grep mkdir /var/log/all\nNov 30 03:24:51 w2 kubelet[14]: \
                       mkdir /sys/fs/cgroup/memory/kubepods/poda: cannot allocate memory\n";
        assert_eq!(rules(&[&kernel("4.19.0"), foreign, &count(142)]), exhausted, "of another machine");
    }

    #[test]
    fn a_boot_that_ends_the_accounting_ends_its_errors() {
        const WITH: &str = "root@w1:~# cat /proc/cmdline\nBOOT_IMAGE=/vmlinuz root=/dev/sda1\n";
        let kmem = ["kmem-accounting-errors"];
        let says = "Kernel-memory accounting failed before; since then the node runs with cgroup.memory=nokmem.";
        let told = |parts: &[&str]| told(parts).into_iter().map(|(_, says)| says).collect::<Vec<_>>();
        assert_eq!(told(&[&kernel(EL7), WITH, SLUB, WITHOUT]), [says]);
        assert_eq!(told(&[&kernel(EL7), SLUB, WITH, WITHOUT]), [says]);
        assert_eq!(rules(&[&kernel(EL7), SLUB, WITHOUT])[..1], kmem, "of this boot, for all that is known");
        assert_eq!(rules(&[&kernel(EL7), WITHOUT, SLUB, WITHOUT])[..1], kmem, "it was in force before");
        assert_eq!(rules(&[&kernel(EL7), WITHOUT, SLUB, WITH])[..1], kmem, "newest first");
        let longer = WITHOUT.replace("nokmem", "nokmemory");
        assert_eq!(rules(&[&kernel(EL7), WITH, SLUB, &longer])[..1], kmem);
        let both = WITH.replace("cmdline", "cmdline /etc/kernel/cmdline") + "root=/dev/sda1 cgroup.memory=nokmem\n";
        assert_eq!(rules(&[&kernel(EL7), WITH, SLUB, &both])[..1], kmem, "of the next boot");
        assert_eq!(rules(&[&kernel(EL7), SLUB, &kernel("5.10.0-30-amd64")])[..1], kmem, "it may only be installed");
    }
}
