//! No memory cgroup id is left, or nearly none.

use std::collections::BTreeSet;

use crate::facts::{Facts, Found, Versions};
use crate::kubernetes::version::Version;
use crate::report::{Evidence, Finding, Risk, Severity, Values};
use crate::risks::memcg::{
    EXHAUSTED, MAX_IDS, commands_left_to_boot, ids_given_back, left_to_boot, left_to_do, what_is_left,
    what_is_left_to_boot,
};
use crate::rules::{Rule, Text, Words, on_pages};
use crate::settings::Settings;

/// See the module.
pub static RULE: Rule = Rule {
    id: "memcg-ids-exhausted",
    risk: Risk::Memcg,
    severity: Severity::Error,
    words: Words {
        en: Text {
            title: "No new memory cgroup can be created",
            says: &[
                "{cgroups} of {max} memory cgroup ids are taken.",
                "The kernel could not create a memory cgroup: {error}.",
            ],
            why: "The kernel numbers memory cgroups with 16 bits, on cgroup v1 and v2 alike. When no number is left, \
                  or when a RHEL 7 kernel has leaked its kernel-memory accounting, no container with a memory \
                  limit starts on this node any more. mkdir then says ENOSPC before Linux 4.7, ENOMEM from 4.7 to \
                  5.6, ENOSPC from 5.7 and EBUSY from 6.12: \"no space left on device\" is not about the disk here, \
                  and \"cannot allocate memory\" is not about free memory. On RHEL 7 the count in /proc/cgroups can \
                  be low although the ids are gone.",
            fix: concat!(
                what_is_left_to_boot!(en),
                "\n{if leaked} A RHEL 7 kernel and signs of kernel-memory accounting ({leaked}): leaked accounting is the \
                  likely cause, not a lack of ids.\n\
                  To get the node working: drain it and reboot, or try echo 3 > /proc/sys/vm/drop_caches, which \
                  frees ids that only page cache holds.\n",
                what_is_left!(en),
                "\n{if accounted} cgroup.memory=nokmem stops the leak of kernel memory but does not lift the limit of \
                  {max} ids.\n\
                  {if nokmem} cgroup.memory=nokmem is in force already; it does not lift the limit of {max} ids.",
            ),
            notes: on_pages(&[
                "52000 ids (80 %) already count as used up, which is this rule's threshold and not the kernel's.",
                "The article behind this rule takes the error beside a count below 65535 for proof of the leak. \
                 That holds on RHEL 7 kernels, where the count drops with rmdir although the id stays taken; later \
                 kernels count a cgroup until it is gone for good.",
                "It also expects that without kernel-memory accounting there is no limit. The ids are 16 bits wide \
                 to this day (mm/memcontrol.c), with nokmem too. Its path /sys/fs/cgroups is /sys/fs/cgroup on a \
                 node.",
            ]),
        },
        ja: Text {
            title: "memory cgroup を新しく作成できない",
            says: &[
                "memory cgroup の ID が {max} 個中 {cgroups} 個使用されています。",
                "カーネルが memory cgroup を作成できませんでした: {error}",
            ],
            why: "カーネルは memory cgroup に 16 ビットの ID を付けます。これは cgroup v1 でも v2 でも同じです。ID が尽きるか、RHEL 7 のカーネルで\
                  カーネルメモリアカウンティングがリークすると、メモリ制限付きのコンテナはこのノードで起動できなくなります。\
                  mkdir が返すエラーは、Linux 4.7 より前では ENOSPC、4.7〜5.6 では ENOMEM、5.7 以降では ENOSPC、6.12 以降では EBUSY です。\
                  ここでの「no space left on device」はディスクの空き容量とも、「cannot allocate memory」は空きメモリとも関係ありません。\
                  RHEL 7 では ID が尽きていても /proc/cgroups の値は小さいことがあります。",
            fix: concat!(
                what_is_left_to_boot!(ja),
                "\n{if leaked} RHEL 7 のカーネルで、カーネルメモリアカウンティングの兆候（{leaked}）があります。原因は ID の不足ではなく、アカウンティングのリークと考えられます。\n\
                  復旧するには、drain して再起動するか、echo 3 > /proc/sys/vm/drop_caches を試してください（ページキャッシュだけが保持している ID が解放されます）。\n",
                what_is_left!(ja),
                "\n{if accounted} cgroup.memory=nokmem はカーネルメモリのリークを止めますが、{max} 個という上限はなくなりません。\n\
                  {if nokmem} cgroup.memory=nokmem はすでに有効ですが、{max} 個という上限はなくなりません。",
            ),
            notes: on_pages(&[
                "使用数が 52000（80%）に達した時点で枯渇とみなします。これはこのルールのしきい値で、\
                 カーネルのものではありません。",
                "元の記事は、エラーが出ているのに数が 65535 より小さければリークと断定できるとしています。\
                 これが成り立つのは RHEL 7 のカーネルで、ID が残っていても rmdir の時点で数が減ります。\
                 新しいカーネルでは、cgroup が完全に解放されるまで数に含まれます。",
                "また、カーネルメモリアカウンティングを無効にすれば上限はなくなるとしていますが、ID は現在も 16 \
                 ビットで（mm/memcontrol.c）、nokmem でも変わりません。記事中のパス /sys/fs/cgroups は、実際には \
                 /sys/fs/cgroup です。",
            ]),
        },
        zh: Text {
            title: "无法创建新的内存 cgroup",
            says: &["内存 cgroup 的 ID 已占用 {cgroups} 个，上限为 {max} 个。", "内核无法创建内存 cgroup：{error}"],
            why: "内核用 16 位的 ID 标识内存 cgroup，cgroup v1 和 v2 都一样。ID 用尽，或者 RHEL 7 内核的内核内存记账发生泄漏后，带内存限制的容器就无法在该节点启动。\
                  mkdir 的错误码：4.7 之前为 ENOSPC，4.7 到 5.6 为 ENOMEM，5.7 起为 ENOSPC，6.12 起为 EBUSY。\
                  因此这里的“no space left on device”与磁盘无关，“cannot allocate memory”也与空闲内存无关。\
                  在 RHEL 7 上，即使 ID 已用尽，/proc/cgroups 中的数字也可能很小。",
            fix: concat!(
                what_is_left_to_boot!(zh),
                "\n{if leaked} RHEL 7 内核上有内核内存记账的迹象（{leaked}）：原因很可能是记账泄漏，而不是 ID 不足。\n\
                  恢复节点：腾空（drain）后重启，或尝试 echo 3 > /proc/sys/vm/drop_caches，它会释放只被页缓存占住的 ID。\n",
                what_is_left!(zh),
                "\n{if accounted} cgroup.memory=nokmem 能阻止内核内存泄漏，但不会取消 {max} 个 ID 的上限。\n\
                  {if nokmem} cgroup.memory=nokmem 已经生效，但它不会取消 {max} 个 ID 的上限。",
            ),
            notes: on_pages(&[
                "达到 52000 个 ID（80%）即视为耗尽，这是本规则的阈值，不是内核的。",
                "原文章认为：出现错误而计数低于 65535，就可以确认是泄漏。这只适用于 RHEL 7 内核，那里 rmdir \
                 之后计数就会减少，ID 却仍被占用；较新的内核会一直计数到 cgroup 彻底释放。",
                "原文章还认为关闭内核内存记账后就没有上限。但 ID 至今仍是 16 位（mm/memcontrol.c），使用 nokmem \
                 也一样。文中的路径 /sys/fs/cgroups 实际为 /sys/fs/cgroup。",
            ]),
        },
    },
    setting: None,
    remedy: concat!(
        "\
{if count_on_v1}
grep memory /proc/cgroups # on the node
find /sys/fs/cgroup/memory -type d | wc -l # on the node

{if count_on_v2}
grep descendants /sys/fs/cgroup/cgroup.stat # on the node, with cgroup v2

sync; echo 3 | sudo tee /proc/sys/vm/drop_caches # on the node
kubectl drain {node} --ignore-daemonsets --delete-emptydir-data

",
        commands_left_to_boot!(written),
        "
{if old_el_kernel}
sudo yum -y update kernel # on the node

sudo reboot # on the node

{if configured}
cat /proc/cmdline # on the node, after the reboot

kubectl uncordon {node} # after the reboot
"
    ),
    links: &[
        "https://github.com/torvalds/linux/commit/73f576c04b94",
        "https://github.com/torvalds/linux/commit/11d6761218d1",
        "https://github.com/kubernetes/kubernetes/issues/61937",
        "https://bugzilla.redhat.com/show_bug.cgi?id=1507149",
    ],
    check,
}
.of_texts();

fn check(facts: &Facts, settings: &Settings) -> Vec<Finding> {
    let memcg = &facts.memcg;
    let mut finding = RULE.finding();
    for (label, count) in [("num_cgroups", &memcg.num_cgroups), ("find -type d", &memcg.directories)] {
        if let Some(count) = count.as_ref().filter(|count| count.value >= EXHAUSTED) {
            let observed = format!("{label} = {}", count.value);
            finding.evidence.push(Evidence::new(&count.place, observed, format!("< {EXHAUSTED}")));
            finding.values.entry("cgroups".into()).or_insert_with(|| count.value.to_string());
        }
    }
    if finding.evidence.is_empty() && ids_given_back(facts).is_some() {
        return Vec::new();
    }
    for error in &memcg.mkdir_errors {
        finding.evidence.push(Evidence::new(&error.place, error.value.as_str(), ""));
        finding.values.entry("error".into()).or_insert_with(|| error.value.clone());
    }
    if finding.evidence.is_empty() {
        return Vec::new();
    }
    // What a kernel answers when ids are gone tells exhausted ids from other causes.
    let mut known = BTreeSet::new();
    let kernels = kernels_of_errors(facts).into_iter().filter(|kernel| known.insert(kernel.value.text.as_str()));
    finding.evidence.extend(kernels.map(|kernel| {
        Evidence::new(&kernel.place, format!("{}: {}", kernel.value, kernel.value.kernel_memcg_errno()), "")
    }));
    finding.values.extend(left_to_do(facts, &settings.node));
    if !finding.values.contains_key("cgroups") {
        leaked_accounting(facts, &mut finding.values);
    }
    finding.values.insert("max".into(), MAX_IDS.to_string());
    vec![finding]
}

/// What is different to do on RHEL 7, whose leak of kernel memory ends in the same errors with ids to spare.
fn leaked_accounting(facts: &Facts, values: &mut Values) {
    let memcg = &facts.memcg;
    let mut kernels = facts.versions.kernel.iter().map(|kernel| kernel.value.el7_build().is_some());
    if !kernels.next().is_some_and(|first| first && kernels.all(|el7| el7)) || memcg.runs_without_kmem() == Some(true) {
        return;
    }
    let signs = [("SLUB", &memcg.kmem_errors), ("memory.kmem", &memcg.kmem_in_use)];
    let sign = signs.into_iter().find(|(_, signs)| !signs.is_empty());
    values.extend(sign.map(|(name, _)| ("leaked".into(), name.to_owned())));
    let left = left_to_boot(facts);
    if !left.is_empty() {
        // The kernel that is there does, once it is booted without the accounting.
        values.retain(|name, _| !name.ends_with("_kernel") && name != "accounted");
    }
    values.extend(left);
}

/// The kernels that gave the errors: those that were read before, else the first one that was read.
fn kernels_of_errors(facts: &Facts) -> Vec<&Found<Version>> {
    let Versions { kernel, earlier_kernels, .. } = &facts.versions;
    let Some(error) = facts.memcg.mkdir_errors.first() else { return kernel.iter().collect() };
    let before: Vec<_> = kernel.iter().filter(|kernel| !kernel.is_since(error)).collect();
    let mut earlier = earlier_kernels.iter().filter(|kernel| kernel.may_share_node(error));
    let first = earlier.clone().next();
    match earlier.rfind(|kernel| !kernel.is_since(error)).or(first) {
        Some(earlier) if before.is_empty() => vec![earlier],
        None if before.is_empty() => kernel.iter().take(1).collect(),
        _ => before,
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::facts::{CgroupMode, Facts};
    use crate::fixture::{findings, found, says, version};
    use crate::rules::Lang;
    use crate::settings::Settings;
    use crate::show::said;

    #[test]
    fn four_fifths_of_the_ids_are_too_many() {
        let mut facts = Facts::default();
        facts.memcg.num_cgroups = Some(found(64_734));
        assert_eq!(says(&RULE, &facts), "64734 of 65535 memory cgroup ids are taken.");
        for (count, fires) in [(51_999, 0), (52_000, 1), (u64::MAX, 1)] {
            facts.memcg.num_cgroups = Some(found(count));
            assert_eq!(findings(&RULE, &facts).len(), fires, "{count}");
        }
    }

    #[test]
    fn live_directories_count_as_well() {
        let mut facts = Facts::default();
        facts.memcg.directories = Some(found(65_429));
        assert_eq!(findings(&RULE, &facts).len(), 1);
    }

    #[test]
    fn a_failed_mkdir_is_quoted_and_explained_by_the_kernel() {
        let mut facts = Facts::default();
        facts.memcg.mkdir_errors = vec![found("no space left on device".to_owned()), found("x".to_owned())];
        facts.versions.kernel = vec![version("3.10.0-693.17.1.el7.x86_64")];
        assert_eq!(says(&RULE, &facts), "The kernel could not create a memory cgroup: no space left on device.");
        assert_eq!(
            findings(&RULE, &facts)[0].evidence.last().unwrap().observed,
            "3.10.0-693.17.1.el7.x86_64: ENOSPC (No space left on device)"
        );
    }

    /// Commit 11d6761218d1, which is in 5.7, gave the error another number.
    #[test]
    fn an_error_is_explained_by_the_kernel_that_gave_it() {
        const OLD: &str = "root@w1:~# uname -r\n4.19.0-20-amd64\n";
        const NEW: &str = "root@w1:~# uname -r\n5.10.0-30-amd64\n";
        const ERROR: &str = "root@w1:~# dmesg\nmkdir /sys/fs/cgroup/memory/kubepods/poda: cannot allocate memory\n";
        let explained = |parts: &[&str]| {
            let report = crate::check(&[crate::Input::new("paste", parts.concat())], &Settings::default());
            let finding = report.findings.into_iter().find(|finding| finding.rule == RULE.id).unwrap();
            finding.evidence.last().unwrap().observed.clone()
        };
        let old = "4.19.0-20-amd64: ENOMEM (Cannot allocate memory)";
        assert_eq!(explained(&[OLD, ERROR, NEW]), old);
        assert_eq!(explained(&[ERROR, OLD, NEW]), old);
        assert_eq!(explained(&[ERROR, OLD]), old);
        assert_eq!(explained(&[OLD, NEW, ERROR]), "5.10.0-30-amd64: ENOSPC (No space left on device)");
    }

    /// What is said to do about a full table on such kernels.
    fn to_do(kernels: &[&str], directories: Option<u64>, nokmem: bool) -> String {
        let mut facts = Facts::default();
        facts.memcg.num_cgroups = Some(found(64_734));
        facts.memcg.directories = directories.map(found);
        facts.memcg.nokmem = vec![found(nokmem)];
        facts.versions.kernel = kernels.iter().map(|kernel| version(kernel)).collect();
        said(&findings(&RULE, &facts)[0], Lang::En).unwrap().fix
    }

    /// Commit 73f576c04b94 is in 4.7; RHEL 7 has its fix from 3.10.0-1062.4.1 on, and leaks are reported there as well.
    #[test]
    fn an_update_is_advised_where_it_helps() {
        let update = "For good, update kernel 3.10.0-693.el7.x86_64 to 3.10.0-1062.4.1.el7 or later.";
        assert!(to_do(&["3.10.0-693.el7.x86_64"], None, false).contains(update));
        assert!(to_do(&["4.4.0-36-generic"], None, false).contains("update kernel 4.4.0-36-generic to 4.7 or later"));
        assert!(to_do(&[], None, false).contains("For good: a kernel of 4.7 or later"));
        for (kernel, left) in [
            ("3.10.0-1160.88.1.el7.x86_64", "already has the fix of RHEL 7, yet leaks are reported with it"),
            ("5.15.0-71-generic", "already has the fix of Linux 4.7, so an update is not the remedy"),
            ("4.18.0-477.el8.x86_64", "already has the fix of Linux 4.7"),
        ] {
            let fix = to_do(&[kernel], None, false);
            assert!(fix.contains(left) && !fix.contains("For good"), "{kernel}: {fix}");
        }
    }

    /// On RHEL 7, yum has the kernel, and there is no cgroup v2.
    #[test]
    fn commands_fit_the_node() {
        let remedy = |kernel: &str, mode: Option<CgroupMode>| {
            let mut facts = Facts::default();
            facts.memcg.num_cgroups = Some(found(64_734));
            facts.versions.kernel = vec![version(kernel)];
            facts.cgroups.modes = mode.map(found).into_iter().collect();
            said(&findings(&RULE, &facts)[0], Lang::En).unwrap().remedy
        };
        let ubuntu = |mode| remedy("5.15.0-71-generic", mode);
        let holds =
            |remedy: &str| ["/cgroup/memory", "cgroup.stat", "yum -y update kernel"].map(|part| remedy.contains(part));
        assert_eq!(holds(&remedy("3.10.0-957.21.3.el7.x86_64", None)), [true, false, true]);
        assert_eq!(holds(&remedy("3.10.0-1160.88.1.el7.x86_64", None)), [true, false, false]);
        assert_eq!(holds(&ubuntu(None)), [true, true, false]);
        assert_eq!(holds(&ubuntu(Some(CgroupMode::V1))), [true, false, false]);
        assert_eq!(holds(&ubuntu(Some(CgroupMode::V2))), [false, true, false]);
        let end = "kubectl drain NODE --ignore-daemonsets --delete-emptydir-data\nsudo reboot # on the node\n\
                   kubectl uncordon NODE # after the reboot\n";
        assert!(ubuntu(None).ends_with(end));
    }

    /// kubernetes issue 61937: on RHEL 7 the error comes with a low count, and with messages of SLUB.
    #[test]
    fn leaked_accounting_is_told_from_a_lack_of_ids() {
        let told = |kernel: &str, count: u32, change: fn(&mut Facts)| {
            let mut facts = Facts::default();
            facts.memcg.mkdir_errors = vec![found("cannot allocate memory".to_owned())];
            facts.memcg.num_cgroups = Some(found(count.into()));
            facts.memcg.directories = Some(found(count.into()));
            facts.memcg.kmem_errors = vec![found(())];
            facts.memcg.nokmem = vec![found(false)];
            facts.versions.kernel = vec![version(kernel)];
            change(&mut facts);
            let said = said(&findings(&RULE, &facts)[0], Lang::En).unwrap();
            assert!(!said.remedy.contains("find "), "counted already: {}", said.remedy);
            (said.fix, said.remedy)
        };
        const EL7: &str = "3.10.0-957.21.3.el7.x86_64";
        let (fix, remedy) = told(EL7, 372, |_| ());
        assert!(fix.starts_with("A RHEL 7 kernel and signs of kernel-memory accounting (SLUB)"), "{fix}");
        assert!(remedy.contains("yum -y update kernel"), "{remedy}");
        assert!(!told(EL7, 372, |facts| facts.memcg.nokmem = vec![found(true)]).0.contains("leaked accounting"));
        assert!(!told("5.4.0-42-generic", 372, |_| ()).0.contains("leaked accounting"));
        assert!(!told(EL7, 65_000, |_| ()).0.contains("leaked accounting"));

        let (fix, remedy) = told(EL7, 372, |facts| facts.memcg.nokmem_configured = vec![found(())]);
        assert!(fix.starts_with("cgroup.memory=nokmem stands in /etc/default/grub already"), "{fix}");
        assert!(!fix.contains("update kernel") && !remedy.contains("yum"), "{fix} {remedy}");
        assert!(remedy.contains("grub2-mkconfig") && remedy.contains("cat /proc/cmdline"), "{remedy}");
    }

    #[test]
    fn what_was_done_is_not_asked_for_again() {
        const PASTE: &str = "[root@n1 ~]# uname -r\n3.10.0-957.21.3.el7.x86_64\n[root@n1 ~]# docker run x\n\
            mkdir /sys/fs/cgroup/memory/docker/a41b7d01c2f2: cannot allocate memory\n\
            [root@n1 ~]# cat /etc/default/grub\nGRUB_CMDLINE_LINUX=\"quiet cgroup.memory=nokmem\"\n\
            [root@n1 ~]# grub2-mkconfig -o /boot/grub2/grub.cfg\nGenerating grub configuration file ...\ndone\n\
            [root@n1 ~]# cat /proc/cmdline\nBOOT_IMAGE=/vmlinuz-3.10.0-957.21.3.el7.x86_64 ro quiet\n";
        let report = crate::check(&[crate::Input::new("paste", PASTE)], &Settings::default());
        let finding = report.findings.iter().find(|finding| finding.rule == RULE.id).unwrap();
        let said = said(finding, Lang::En).unwrap();
        assert!(said.fix.contains("All that is missing is a reboot."), "{}", said.fix);
        assert!(!said.remedy.contains("mkconfig") && said.remedy.contains("sudo reboot"), "{}", said.remedy);
    }

    #[test]
    fn directories_are_removed_where_they_are_what_fills_the_table() {
        assert!(to_do(&[], Some(64_700), false).contains("find counts 64700 directories, so they are leftovers"));
        assert!(to_do(&[], Some(402), false).contains("find counts only 402 directories"));
        assert!(to_do(&[], None, false).contains("If find shows as many directories"));
        assert!(to_do(&[], None, true).contains("nokmem is in force already"));
    }
}
