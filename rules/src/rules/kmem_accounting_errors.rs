//! Kernel-memory accounting at its end, or on where it leaks.

use crate::facts::Facts;
use crate::kubernetes::platform::Setting;
use crate::kubernetes::version::MemcgIds;
use crate::report::{Evidence, Finding, Risk, Severity, Values};
use crate::risks::memcg::{
    accounting_ended, commands_left_to_boot, first_fixed_kernel, kubelet_without_kmem, left_to_boot, runc_without_kmem,
    what_is_left_to_boot,
};
use crate::rules::{Rule, Text, Words, on_pages};
use crate::settings::Settings;
use crate::show::NO_SETTING;

/// See the module.
pub static RULE: Rule = Rule {
    id: "kmem-accounting-errors",
    risk: Risk::Memcg,
    severity: Severity::Warning,
    words: Words {
        en: Text {
            title: "Kernel-memory accounting fails",
            says: &[
                "Kernel-memory accounting is on under {kernel}, which leaks with it.",
                "The kernel cannot allocate memory that is accounted to a container.",
            ],
            why: "\"SLUB: Unable to allocate memory\" on a node with free memory means that a container's \
                  kernel-memory account is full or broken. On RHEL and CentOS 7 the slab caches of removed containers \
                  are never freed once accounting is on, and runc (1.0.0-rc3 to rc93) and kubelet before 1.22 \
                  switch it on for every container. Allocations in the kernel then fail far below the container's \
                  limit, and in the end new containers do not start.",
            fix: concat!(
                what_is_left_to_boot!(en),
                "\nReboot the node to get rid of what has leaked.\n\
                  {if least_kernel} A newer kernel leaks less: on RHEL 7 at least {least_kernel}.\n\
                  {if patched_kernel} Kernel {patched_kernel} already has the fix of RHEL 7, yet leaks are reported \
                  with it: what ends them is to leave the accounting off.\n\
                  {if other_kernel} Kernel {other_kernel} is not known for this leak, so another kernel alone may not \
                  help.\n\
                  {if least_runc} For good, runc has to leave the accounting off: {least_runc} or later does.\n\
                  {if least_kubelet} kubelet has to leave it off as well: {least_kubelet} or later does.\n\
                  {if new_runc} runc {new_runc} already leaves it off.\n\
                  {if new_kubelet} kubelet {new_kubelet} already leaves it off.\n\
                  {if nothing_accounts} Both are as they should be: what leaked before they were updated goes with \
                  the reboot. If it comes back, something else on the node switches the accounting on.\n\
                  {if accounted} Booting with {accounted} switches it off whoever asks for it; check /proc/cmdline \
                  afterwards.\n",
                "{if in_force} {in_force} is in force already, so only messages from before this boot, or caches \
                  that belong to no container, are left to look at.",
            ),
            notes: on_pages(&[
                "Slab may grow for other reasons. Caches named after a container, such as kmalloc-64(1234:abc), \
                 belong to its account.",
                "The article on cgroup leaks takes this and the 65535 ids for one fault. They are two: ids are held \
                 by page cache, with accounting or without (kernel commit 73f576c04b94), and slab caches leak only \
                 with it (Red Hat bug 1507149). Kubelet alone built without accounting does not suffice: runc \
                 switches it on as well.",
            ]),
        },
        ja: Text {
            title: "カーネルメモリアカウンティングの異常",
            says: &[
                "{kernel} でカーネルメモリアカウンティングが有効になっており、メモリがリークします。",
                "カーネルが、コンテナに計上されるカーネルメモリを割り当てられません。",
            ],
            why: "空きメモリがあるのに「SLUB: Unable to allocate memory」が出るのは、コンテナのカーネルメモリのアカウンティングが上限に達しているか、壊れているためです。\
                  RHEL / CentOS 7 では、アカウンティングが有効だと、削除されたコンテナのスラブキャッシュが解放されません。runc（1.0.0-rc3〜rc93）と 1.22 より前の kubelet は\
                  すべてのコンテナで有効にします。そのため、コンテナの制限にまったく届かないうちにカーネル内の割り当てが失敗し、最後には新しいコンテナが起動しなくなります。",
            fix: concat!(
                what_is_left_to_boot!(ja),
                "\nリークした分は再起動で解消します。\n\
                  {if least_kernel} カーネルを更新するとリークは減ります（RHEL 7 なら {least_kernel} 以降）。\n\
                  {if patched_kernel} カーネル {patched_kernel} には RHEL 7 の修正がすでに入っていますが、それでもリークの報告があります。根本的に止めるには、アカウンティングを無効にしてください。\n\
                  {if other_kernel} カーネル {other_kernel} ではこのリークは知られていないため、カーネルを変えるだけでは解決しない可能性があります。\n\
                  {if least_runc} 恒久対策として、アカウンティングを有効にしない runc {least_runc} 以降に更新してください。\n\
                  {if least_kubelet} kubelet も、アカウンティングを有効にしない {least_kubelet} 以降が必要です。\n\
                  {if new_runc} runc {new_runc} はアカウンティングを有効にしません。\n\
                  {if new_kubelet} kubelet {new_kubelet} はアカウンティングを有効にしません。\n\
                  {if nothing_accounts} どちらも対応済みなので、更新前にリークした分は再起動でなくなります。再発する場合は、ノード上のほかの何かがアカウンティングを有効にしています。\n\
                  {if accounted} {accounted} を付けて起動すると、何が有効にしようとしても無効になります（起動後に /proc/cmdline で確認してください）。\n",
                "{if in_force} {in_force} はすでに有効です。残る可能性は、今回の起動より前のメッセージか、コンテナに属さないキャッシュです。",
            ),
            notes: on_pages(&[
                "スラブはほかの理由でも増えます。kmalloc-64(1234:abc) のようにコンテナ名の付いたキャッシュが、\
                 アカウンティングによるものです。",
                "cgroup リークの元記事は、これと 65535 個の ID を同じ問題として扱っていますが、別の問題です。ID \
                 はアカウンティングの有無にかかわらずページキャッシュが保持し（カーネルコミット 73f576c04b94）、\
                 スラブキャッシュはアカウンティングが有効なときだけリークします（Red Hat バグ 1507149）。また、runc \
                 もアカウンティングを有効にするため、kubelet だけをビルドし直しても足りません。",
            ]),
        },
        zh: Text {
            title: "内核内存记账异常",
            says: &["内核内存记账在 {kernel} 上处于启用状态，会发生泄漏。", "内核无法分配计入容器的内核内存。"],
            why: "节点仍有空闲内存却出现“SLUB: Unable to allocate memory”，说明某个容器的内核内存记账已达上限或已损坏。\
                  在 RHEL / CentOS 7 上，一旦启用记账，已删除容器的 slab 缓存就不会释放，而 runc（1.0.0-rc3 到 rc93）和 1.22 之前的 kubelet 会为每个容器启用它。\
                  于是远未达到容器限制时内核分配就会失败，最终新容器无法启动。",
            fix: concat!(
                what_is_left_to_boot!(zh),
                "\n重启节点可清除已泄漏的部分。\n\
                  {if least_kernel} 较新的内核泄漏较少：RHEL 7 至少 {least_kernel}。\n\
                  {if patched_kernel} 内核 {patched_kernel} 已包含 RHEL 7 的修复，但仍有泄漏的报告：关闭记账才能根治。\n\
                  {if other_kernel} 没有已知报告表明内核 {other_kernel} 存在这种泄漏，只换内核未必有用。\n\
                  {if least_runc} 根治：runc 需要关闭记账，{least_runc} 及以上版本不再启用。\n\
                  {if least_kubelet} kubelet 也需要关闭记账，{least_kubelet} 及以上版本不再启用。\n\
                  {if new_runc} runc {new_runc} 已不再启用记账。\n\
                  {if new_kubelet} kubelet {new_kubelet} 已不再启用记账。\n\
                  {if nothing_accounts} 两者都已符合要求：升级之前泄漏的部分会随重启消失；如果再次出现，则是节点上的其他程序启用了记账。\n\
                  {if accounted} 用 {accounted} 启动后，无论谁要求都不会记账；启动后请在 /proc/cmdline 中确认。\n",
                "{if in_force} {in_force} 已经生效，剩下的可能只有本次启动之前的日志，或不属于任何容器的缓存。",
            ),
            notes: on_pages(&[
                "slab 增长也可能另有原因。名称带有容器的缓存（如 kmalloc-64(1234:abc)）才属于内核内存记账。",
                "关于 cgroup 泄漏的原文章把它与 65535 个 ID 当作同一个问题，其实是两个：ID 由页缓存占住，\
                 与是否记账无关（内核提交 73f576c04b94）；slab 缓存只有在记账时才泄漏（Red Hat bug 1507149）。runc \
                 同样会启用记账，因此只重新编译 kubelet 并不够。",
            ]),
        },
    },
    setting: Some(Setting::kernel_argument("cgroup.memory", "nokmem")),
    remedy: concat!("sudo slabtop -o | head -20 # on the node\n\n", commands_left_to_boot!()),
    links: &[
        "https://github.com/kubernetes/kubernetes/issues/61937",
        "https://github.com/opencontainers/runc/issues/1921",
        "https://bugzilla.redhat.com/show_bug.cgi?id=1507149",
    ],
    check,
}
.of_texts();

fn check(facts: &Facts, _: &Settings) -> Vec<Finding> {
    // What a boot has ended since is history.
    let present = |signs| if accounting_ended(facts, signs).is_some() { &[] } else { signs };
    let (errors, in_use) = (present(&facts.memcg.kmem_errors[..]), present(&facts.memcg.kmem_in_use[..]));
    let mut finding = RULE.finding();
    finding.evidence = errors.iter().map(|error| Evidence::new(&error.place, "SLUB", "")).collect();
    // On other kernels accounting is on by default and harmless.
    let leaking = facts.versions.kernel.iter().find(|kernel| kernel.value.el7_build().is_some());
    if let (Some(kernel), Some(in_use)) = (leaking, in_use.first()) {
        finding.evidence.push(Evidence::new(&in_use.place, "memory.kmem", ""));
        finding.evidence.push(Evidence::new(&kernel.place, kernel.value.text.as_str(), ""));
        if errors.is_empty() {
            finding.values.insert("kernel".into(), kernel.value.text.clone());
        }
    }
    if finding.evidence.is_empty() {
        return Vec::new();
    }
    left_to_do(facts, &mut finding.values);
    vec![finding]
}

/// What is left to do on this node: what switches the accounting on has to be replaced, unless it is off already.
fn left_to_do(facts: &Facts, values: &mut Values) {
    let mut tell = |name: &'static str, value: &str| drop(values.insert(name.into(), value.to_owned()));
    let versions = &facts.versions;
    match versions.kernel.iter().map(|kernel| &kernel.value).find(|kernel| kernel.el7_build().is_some()) {
        Some(kernel) if kernel.kernel_memcg_ids() == MemcgIds::MayLeak => tell("patched_kernel", &kernel.text),
        Some(kernel) => tell("least_kernel", first_fixed_kernel(kernel)),
        None => match versions.kernel.first() {
            Some(kernel) => tell("other_kernel", &kernel.value.text),
            None => tell("least_kernel", "3.10.0-1062.4.1"),
        },
    }
    let (runc, kubelet) = (runc_without_kmem(facts), kubelet_without_kmem(facts));
    match (runc, kubelet) {
        (Some(_), Some(_)) => tell("nothing_accounts", ""),
        (Some(_), None) => tell("least_kubelet", "1.22"),
        (None, Some(_)) => tell("least_runc", "1.0.0-rc94"),
        (None, None) => {
            tell("least_runc", "1.0.0-rc94");
            tell("least_kubelet", "1.22");
        }
    }
    runc.into_iter().for_each(|runc| tell("new_runc", &runc.text));
    kubelet.into_iter().for_each(|kubelet| tell("new_kubelet", &kubelet.text));
    if facts.memcg.runs_without_kmem() == Some(true) {
        tell("in_force", "cgroup.memory=nokmem");
        tell(NO_SETTING, "");
    } else {
        tell("accounted", "cgroup.memory=nokmem");
        let configured = left_to_boot(facts);
        if !configured.is_empty() {
            tell(NO_SETTING, "");
            // The kernel that is there does.
            ["least_kernel", "patched_kernel", "accounted"].iter().for_each(|name| drop(values.remove(*name)));
        }
        values.extend(configured);
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::facts::Facts;
    use crate::fixture::{findings, found, says, version};
    use crate::rules::Lang;
    use crate::show::said;

    #[test]
    fn failed_allocations_fire_on_every_kernel() {
        let mut facts = Facts::default();
        facts.memcg.kmem_errors = vec![found(())];
        facts.versions.kernel = vec![version("4.4.58")];
        assert_eq!(says(&RULE, &facts), "The kernel cannot allocate memory that is accounted to a container.");
    }

    /// kubernetes issue 61937: accounting leaks on RHEL 7; later kernels account by default.
    #[test]
    fn accounting_alone_fires_on_rhel_7_only() {
        let mut facts = Facts::default();
        facts.memcg.kmem_in_use = vec![found(())];
        assert!(findings(&RULE, &facts).is_empty());
        facts.versions.kernel = vec![version("5.4.0")];
        assert!(findings(&RULE, &facts).is_empty());
        facts.versions.kernel = vec![version("3.10.0-1160.el7.x86_64")];
        assert!(says(&RULE, &facts).contains("is on under 3.10.0-1160.el7.x86_64"));
    }

    /// What is said to do where these versions run, and the remedy.
    fn to_do(kernel: &str, runc: &str, kubelet: &str, nokmem: bool) -> (String, String) {
        let mut facts = Facts::default();
        facts.memcg.kmem_errors = vec![found(())];
        facts.memcg.nokmem = vec![found(nokmem)];
        facts.versions.kernel = vec![version(kernel)];
        facts.versions.runc = vec![version(runc)];
        facts.versions.kubelet = vec![version(kubelet)];
        let said = said(&findings(&RULE, &facts)[0], Lang::En).unwrap();
        (said.fix, said.remedy)
    }

    #[test]
    fn nothing_is_advised_that_the_node_has() {
        let (fix, remedy) = to_do("3.10.0-1160.88.1.el7.x86_64", "1.1.7", "1.24.17", false);
        assert!(fix.contains("Kernel 3.10.0-1160.88.1.el7.x86_64 already has the fix of RHEL 7"), "{fix}");
        assert!(fix.contains("runc 1.1.7 already leaves it off. kubelet 1.24.17 already leaves it off."), "{fix}");
        assert!(!["1062", "rc94", "1.22 or"].iter().any(|version| fix.contains(version)), "{fix}");
        assert!(remedy.contains("--args=cgroup.memory=nokmem"), "{remedy}");

        let (fix, remedy) = to_do("3.10.0-1160.88.1.el7.x86_64", "1.1.7", "1.24.17", true);
        assert!(fix.ends_with("are left to look at.") && !remedy.contains("nokmem"), "{fix} {remedy}");
    }

    /// The boot loader's file alone does nothing.
    #[test]
    fn what_is_configured_is_to_be_booted() {
        let remedy = |kernel: &str, running: Option<bool>, configured: bool| {
            let mut facts = Facts::default();
            facts.memcg.kmem_errors = vec![found(())];
            facts.memcg.nokmem = running.map(found).into_iter().collect();
            facts.memcg.nokmem_configured = Some(found(())).filter(|_| configured).into_iter().collect();
            facts.versions.kernel = vec![version(kernel)];
            let said = said(&findings(&RULE, &facts)[0], Lang::En).unwrap();
            assert_eq!(said.fix.contains("stands in /etc/default/grub already"), said.remedy.contains("sudo reboot"));
            said.remedy
        };
        let holds = |remedy: &str| ["grubby", "update-grub", "grub2-mkconfig"].map(|tool| remedy.contains(tool));
        const EL7: &str = "3.10.0-1160.88.1.el7.x86_64";
        assert_eq!(holds(&remedy(EL7, Some(false), true)), [false, false, true]);
        assert_eq!(holds(&remedy("4.19.0-20-amd64", Some(false), true)), [false, true, false]);
        assert_eq!(holds(&remedy("4.19.90", Some(false), true)), [false, true, true]);
        assert_eq!(holds(&remedy(EL7, None, true)), [true, false, false], "perhaps it is in force");
        assert_eq!(holds(&remedy(EL7, Some(false), false)), [true, false, false]);
        assert_eq!(holds(&remedy("4.19.0-20-amd64", None, false)), [false, true, false]);
    }

    #[test]
    fn what_is_too_old_is_to_be_updated() {
        let (fix, _) = to_do("3.10.0-693.el7.x86_64", "1.0.0-rc10", "1.24.17", false);
        for words in ["at least 3.10.0-1062.4.1.el7", "1.0.0-rc94 or later", "kubelet 1.24.17 already leaves it off"] {
            assert!(fix.contains(words), "{fix}");
        }
        let (fix, _) = to_do("4.19.90-23.8.oe1.x86_64", "1.1.7", "1.20.2", false);
        for words in ["4.19.90-23.8.oe1.x86_64 is not known for this leak", "1.22 or later", "runc 1.1.7 already"] {
            assert!(fix.contains(words), "{fix}");
        }
    }
}
