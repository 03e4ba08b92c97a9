//! Kernel-memory accounting at its end, or on where it leaks.

use crate::facts::Facts;
use crate::kubernetes::platform::Setting;
use crate::report::{Evidence, Finding, Risk, Severity};
use crate::rules::{Rule, Text, Words, on_pages};
use crate::settings::Settings;

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
            fix: "Reboot the node to get rid of what has leaked. For good: a newer kernel (on RHEL 7 at least \
                  3.10.0-1062.4.1), or boot with cgroup.memory=nokmem and check /proc/cmdline, or runc 1.0.0-rc94 \
                  and kubelet 1.22 or later, which leave the accounting off. Both of them have to be off.",
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
            fix: "リークした分は再起動で解消します。恒久対策は、カーネルの更新（RHEL 7 なら 3.10.0-1062.4.1 以降）、cgroup.memory=nokmem での起動（/proc/cmdline で確認）、\
                  またはアカウンティングを有効にしない runc 1.0.0-rc94 以降と kubelet 1.22 以降への更新です。runc と kubelet の両方で無効になっている必要があります。",
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
            fix: "重启节点可清除已泄漏的部分。根治：升级内核（RHEL 7 至少 3.10.0-1062.4.1），或用 cgroup.memory=nokmem 启动并在 /proc/cmdline 中确认，\
                  或升级到不再启用记账的 runc 1.0.0-rc94 和 kubelet 1.22 及以上。两者都必须关闭。",
            notes: on_pages(&[
                "slab 增长也可能另有原因。名称带有容器的缓存（如 kmalloc-64(1234:abc)）才属于内核内存记账。",
                "关于 cgroup 泄漏的原文章把它与 65535 个 ID 当作同一个问题，其实是两个：ID 由页缓存占住，\
                 与是否记账无关（内核提交 73f576c04b94）；slab 缓存只有在记账时才泄漏（Red Hat bug 1507149）。runc \
                 同样会启用记账，因此只重新编译 kubelet 并不够。",
            ]),
        },
    },
    setting: Some(Setting::kernel_argument("cgroup.memory", "nokmem")),
    remedy: "\
sudo slabtop -o | head -20
",
    links: &[
        "https://github.com/kubernetes/kubernetes/issues/61937",
        "https://github.com/opencontainers/runc/issues/1921",
        "https://bugzilla.redhat.com/show_bug.cgi?id=1507149",
    ],
    check,
}
.of_texts();

fn check(facts: &Facts, _: &Settings) -> Vec<Finding> {
    let memcg = &facts.memcg;
    let mut finding = RULE.finding();
    finding.evidence = memcg.kmem_errors.iter().map(|error| Evidence::new(&error.place, "SLUB", "")).collect();
    // On other kernels accounting is on by default and harmless.
    let leaking = facts.versions.kernel.iter().find(|kernel| kernel.value.el7_build().is_some());
    if let (Some(kernel), Some(in_use)) = (leaking, memcg.kmem_in_use.first()) {
        finding.evidence.push(Evidence::new(&in_use.place, "memory.kmem", ""));
        finding.evidence.push(Evidence::new(&kernel.place, kernel.value.text.as_str(), ""));
        if memcg.kmem_errors.is_empty() {
            finding.values.insert("kernel".into(), kernel.value.text.clone());
        }
    }
    if finding.evidence.is_empty() { Vec::new() } else { vec![finding] }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::facts::Facts;
    use crate::fixture::{findings, found, says, version};

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
}
