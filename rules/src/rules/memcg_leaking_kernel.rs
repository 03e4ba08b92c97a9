//! A kernel that is known to keep the ids of removed memory cgroups.

use crate::facts::Facts;
use crate::kubernetes::version::MemcgIds;
use crate::report::{Evidence, Finding, Risk, Severity};
use crate::risks::memcg::{commands_left_to_boot, first_fixed_kernel, left_to_boot, what_is_left_to_boot};
use crate::rules::{Rule, Text, Words, on_pages};
use crate::settings::Settings;

/// See the module.
pub static RULE: Rule = Rule {
    id: "memcg-leaking-kernel",
    risk: Risk::Memcg,
    severity: Severity::Warning,
    words: Words {
        en: Text {
            title: "Kernel that leaks memory cgroups",
            says: &["Kernel {kernel} is known to leak memory cgroups; the fix came with {fixed}."],
            why: "This kernel does not give back everything that a removed memory cgroup held. Linux 3.19 to 4.3 \
                  keep its id while page cache is charged to it, and there are only 65535 ids. RHEL and CentOS 7 \
                  before 3.10.0-1062.4.1 also leak slab caches once kernel-memory accounting is on, which runc and \
                  kubelet up to 1.21 switch on for every container. After weeks of pods coming and going, new \
                  containers fail with \"no space left on device\" or \"cannot allocate memory\".",
            fix: concat!(
                what_is_left_to_boot!(en),
                "\nUpdate the kernel to {fixed} or later.\n\
                  {if slabs} Until then boot with {slabs} (check it in /proc/cmdline afterwards, a changed grub file \
                  alone does nothing), or drop caches on a schedule. Later RHEL 7 kernels leak less, but leaks are \
                  reported there too, so keep an eye on /proc/cgroups.\n",
                "{if page_cache} Until then drop caches on a schedule, which frees the ids that page cache holds; \
                  cgroup.memory=nokmem does not help against this leak.",
            ),
            notes: on_pages(&[
                "Linux 4.4 to 4.6 are not reported: whether they have the fix depends on the patch level. What \
                 other distributions ported back to older kernels is not known here.",
                "The article behind this rule gives 4.6.7 as the first fixed kernel. The commit is in 4.7; which \
                 stable releases of 4.4 to 4.6 carry it differs. RHEL 7.8 and RHSA-2019:3055, its other remedies, \
                 make the leak rarer, yet it is reported on later builds as well. The kernel setting that is \
                 missing from its text is cgroup.memory=nokmem.",
            ]),
        },
        ja: Text {
            title: "memory cgroup がリークするカーネル",
            says: &[
                "カーネル {kernel} には memory cgroup がリークする既知の問題があります。{fixed} で修正されました。",
            ],
            why: "このカーネルは、削除された memory cgroup が保持していたものの一部を解放しません。Linux 3.19〜4.3 では、ページキャッシュが計上されている間は ID も残りますが、\
                  ID は 65535 個しかありません。3.10.0-1062.4.1 より前の RHEL / CentOS 7 では、カーネルメモリアカウンティングが有効になるとスラブキャッシュもリークします。\
                  runc と 1.21 までの kubelet はこれを全コンテナで有効にします。Pod の作成と削除が数週間続くと、新しいコンテナが\
                  「no space left on device」や「cannot allocate memory」で失敗するようになります。",
            fix: concat!(
                what_is_left_to_boot!(ja),
                "\nカーネルを {fixed} 以降に更新してください。\n\
                  {if slabs} それまでは {slabs} を付けて起動するか（起動後に /proc/cmdline で確認してください。grub のファイルを変えただけでは効きません）、\
                  定期的に drop_caches を実行します。それ以降の RHEL 7 カーネルでもリークの報告はあるため、/proc/cgroups の監視を続けてください。\n",
                "{if page_cache} それまでは定期的に drop_caches を実行してください（ページキャッシュが保持している ID が解放されます）。\
                  このリークに cgroup.memory=nokmem は効きません。",
            ),
            notes: on_pages(&[
                "Linux 4.4〜4.6 は、修正の有無がパッチレベルによって異なるため対象外です。\
                 ほかのディストリビューションが古いカーネルにバックポートした修正も、ここでは分かりません。",
                "元の記事は 4.6.7 以降を修正済みとしていますが、このコミットが入ったのは 4.7 です。4.4〜4.6 の \
                 stable リリースに含まれるかどうかはまちまちです。記事が挙げる RHEL 7.8 や RHSA-2019:3055 \
                 ではリークが減りますが、それより新しいビルドでも報告があります。記事で抜けている起動パラメーターは \
                 cgroup.memory=nokmem です。",
            ]),
        },
        zh: Text {
            title: "会泄漏内存 cgroup 的内核",
            says: &["内核 {kernel} 存在已知的内存 cgroup 泄漏，{fixed} 起修复。"],
            why: "该内核不会完全释放已删除的内存 cgroup 所占用的资源。Linux 3.19 到 4.3 在仍有页缓存记在其名下时会一直占用其 ID，而 ID 只有 65535 个。\
                  3.10.0-1062.4.1 之前的 RHEL / CentOS 7 在启用内核内存记账后还会泄漏 slab 缓存，而 runc 和 1.21 及以下的 kubelet 会为每个容器启用它。\
                  Pod 反复创建和删除数周之后，新容器会因“no space left on device”或“cannot allocate memory”而创建失败。",
            fix: concat!(
                what_is_left_to_boot!(zh),
                "\n把内核升级到 {fixed} 或更高版本。\n\
                  {if slabs} 在此之前，用 {slabs} 启动（之后在 /proc/cmdline 中确认，只改 grub 文件并不生效），或定期执行 drop_caches。\
                  更新的 RHEL 7 内核泄漏较少，但仍有泄漏的报告，请继续关注 /proc/cgroups。\n",
                "{if page_cache} 在此之前，请定期执行 drop_caches，它会释放被页缓存占住的 ID；cgroup.memory=nokmem 对这种泄漏无效。",
            ),
            notes: on_pages(&[
                "Linux 4.4 到 4.6 是否包含修复取决于补丁级别，因此不报告。其他发行版移植到旧内核的修复，\
                 这里也无从得知。",
                "原文章认为 4.6.7 起已修复。该提交实际在 4.7 中，4.4 到 4.6 的 stable 版本是否包含则各不相同。\
                 文中提到的 RHEL 7.8 和 RHSA-2019:3055 会减少泄漏，但更新的版本上仍有报告。文中缺失的内核启动参数是 \
                 cgroup.memory=nokmem。",
            ]),
        },
    },
    setting: None,
    remedy: concat!(
        "{if slabs}
sudo yum -y update kernel

{if unset}
sudo grubby --update-kernel=ALL --args={slabs}
cat /proc/cmdline # after the reboot

",
        commands_left_to_boot!(),
        "
{if page_cache}
sync; echo 3 | sudo tee /proc/sys/vm/drop_caches # from cron, for example every hour
"
    ),
    links: &[
        "https://github.com/torvalds/linux/commit/73f576c04b94",
        "https://bugzilla.redhat.com/show_bug.cgi?id=1507149",
        "https://github.com/kubernetes/kubernetes/issues/61937",
        "https://github.com/opencontainers/runc/issues/1921",
    ],
    check,
}
.of_objects();

fn check(facts: &Facts, _: &Settings) -> Vec<Finding> {
    let memcg = &facts.memcg;
    if !memcg.drop_caches.is_empty() {
        return Vec::new();
    }
    let leaking = facts.versions.kernel.iter().filter(|kernel| kernel.value.kernel_memcg_ids() == MemcgIds::Leak);
    // Without kernel-memory accounting RHEL 7 leaks no slabs. The ids that page cache pins on 3.19 to 4.3 have nothing
    // to do with it (commit 73f576c04b94).
    let leaking =
        leaking.filter(|kernel| memcg.runs_without_kmem() != Some(true) || kernel.value.el7_build().is_none());
    let mut findings: Vec<Finding> = Vec::new();
    for kernel in leaking {
        let fixed = first_fixed_kernel(&kernel.value);
        let evidence = Evidence::new(&kernel.place, kernel.value.text.as_str(), format!(">= {fixed}"));
        // Several nodes with one kernel are one finding.
        let same = findings.iter_mut().find(|finding| finding.values.get("kernel") == Some(&kernel.value.text));
        if let Some(finding) = same {
            finding.evidence.push(evidence);
            continue;
        }
        let mut finding = RULE.finding();
        finding.values.insert("kernel".into(), kernel.value.text.clone());
        finding.values.insert("fixed".into(), fixed.to_owned());
        // Page cache pins ids with accounting or without (commit 73f576c04b94).
        if kernel.value.el7_build().is_some() {
            finding.values.insert("slabs".into(), "cgroup.memory=nokmem".to_owned());
            let configured = left_to_boot(facts);
            if configured.is_empty() {
                finding.values.insert("unset".into(), String::new());
            }
            finding.values.extend(configured);
        } else {
            finding.values.insert("page_cache".into(), "drop_caches".to_owned());
        }
        finding.evidence.push(evidence);
        findings.push(finding);
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::facts::Facts;
    use crate::fixture::{findings, found, says, version};
    use crate::rules::Lang;
    use crate::show::said;

    fn facts(kernels: &[&str]) -> Facts {
        let mut facts = Facts::default();
        facts.versions.kernel = kernels.iter().map(|kernel| version(kernel)).collect();
        facts
    }

    #[test]
    fn kernels_in_the_window_fire_and_name_the_first_fixed_one() {
        assert_eq!(
            says(&RULE, &facts(&["3.10.0-693.17.1.el7.x86_64"])),
            "Kernel 3.10.0-693.17.1.el7.x86_64 is known to leak memory cgroups; the fix came with 3.10.0-1062.4.1.el7."
        );
        assert_eq!(
            says(&RULE, &facts(&["4.2.0-42-generic"])),
            "Kernel 4.2.0-42-generic is known to leak memory cgroups; the fix came with 4.7."
        );
        for kernel in ["3.16.0", "4.4.58", "4.7.0", "5.15.0", "3.10.0-1062.4.1.el7.x86_64"] {
            assert!(findings(&RULE, &facts(&[kernel])).is_empty(), "{kernel}");
        }
    }

    /// nokmem stops the leak of slabs on RHEL 7 and does nothing about ids that page cache pins.
    #[test]
    fn nokmem_is_advised_where_slabs_leak() {
        let told = |kernel: &str| {
            let said = said(&findings(&RULE, &facts(&[kernel]))[0], Lang::En).unwrap();
            (said.fix, said.remedy)
        };
        let (fix, remedy) = told("3.10.0-693.17.1.el7.x86_64");
        assert!(
            fix.contains("Until then boot with cgroup.memory=nokmem")
                && remedy.starts_with(
                    "sudo yum -y update kernel\nsudo grubby --update-kernel=ALL --args=cgroup.memory=nokmem"
                ),
            "{fix} {remedy}"
        );
        let (fix, remedy) = told("4.2.0-42-generic");
        assert!(fix.contains("nokmem does not help") && !remedy.contains("nokmem"), "{fix} {remedy}");
    }

    #[test]
    fn what_is_configured_is_to_be_booted() {
        let mut facts = facts(&["3.10.0-693.17.1.el7.x86_64"]);
        facts.memcg.nokmem = vec![found(false)];
        facts.memcg.nokmem_configured = vec![found(())];
        let said = said(&findings(&RULE, &facts)[0], Lang::En).unwrap();
        assert!(said.fix.contains("stands in /etc/default/grub already"), "{}", said.fix);
        let remedy = said.remedy;
        assert!(remedy.contains("sudo grub2-mkconfig") && remedy.contains("sudo reboot"), "{remedy}");
        assert!(!remedy.contains("grubby") && !remedy.contains("update-grub"), "{remedy}");
    }

    #[test]
    fn nodes_with_one_kernel_are_one_finding() {
        let found = findings(&RULE, &facts(&["4.2.0", "4.2.0", "3.19.0"]));
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].evidence.len(), 2);
    }

    #[test]
    fn nokmem_in_force_or_scheduled_drop_caches_mitigate() {
        let mut facts = facts(&["3.10.0-693.17.1.el7.x86_64"]);
        facts.memcg.nokmem_intended = vec![found(())];
        assert_eq!(findings(&RULE, &facts).len(), 1, "a file alone does nothing");
        facts.memcg.nokmem = vec![found(true)];
        assert!(findings(&RULE, &facts).is_empty());
        facts.memcg.nokmem = vec![found(false)];
        assert_eq!(findings(&RULE, &facts).len(), 1);
        facts.memcg.drop_caches = vec![found(())];
        assert!(findings(&RULE, &facts).is_empty());
    }
}
