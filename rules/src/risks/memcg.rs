//! Memory cgroups: the numbers they are judged by, what is left to do on a kernel, and what decides when nothing fired.

use crate::facts::{CgroupMode, Facts, Found, Versions};
use crate::kubernetes::platform::Family;
use crate::kubernetes::version::{MemcgIds, Version};
use crate::report::{Missing, Status, Values, Wanted};
use crate::settings::NodeProfile;

/// Ids of memory cgroups are 16 bits wide, on cgroup v1 and v2 alike (`mm/memcontrol.c`, `MEM_CGROUP_ID_MAX`).
pub(crate) const MAX_IDS: u64 = 65_535;

/// A node with 110 pods has fewer than 1,500 memory cgroups; this is far beyond it.
pub(crate) const MANY: u64 = 10_000;

/// Four fifths of [`MAX_IDS`]: a few days of crash loops from the end.
pub(crate) const EXHAUSTED: u64 = 52_000;

pub(super) fn state(facts: &Facts) -> (Status, Vec<Missing>) {
    let memcg = &facts.memcg;
    let missing = |wanted: &[Wanted]| (Status::Undecided, wanted.iter().map(|wanted| wanted.missing()).collect());
    let kernels = || facts.versions.kernel.iter().map(|kernel| &kernel.value);
    // RHEL 7 frees the count of a removed cgroup but may keep its id, so a low count alone proves nothing there.
    let el7 = kernels().any(|kernel| kernel.el7_build().is_some());
    if memcg.num_cgroups.is_some() && !(el7 && memcg.runs_without_kmem() != Some(true)) {
        return (Status::Ok, Vec::new());
    }
    if memcg.num_cgroups.is_some() {
        let open = [
            (memcg.runs_without_kmem().is_none(), Wanted::KernelCommandLine),
            (facts.versions.runc.is_empty(), Wanted::RuncVersion),
            (facts.versions.kubelet.is_empty(), Wanted::KubeletVersion),
            // Where accounting is on, only what the kernel refuses tells.
            (true, Wanted::KubeletLog),
        ];
        // Slabs leak only where something switches the accounting on.
        if runc_without_kmem(facts).is_some() && kubelet_without_kmem(facts).is_some() {
            return (Status::Ok, Vec::new());
        }
        return missing(&open.into_iter().filter_map(|(open, wanted)| open.then_some(wanted)).collect::<Vec<_>>());
    }
    if !memcg.nokmem_intended.is_empty() || !memcg.kmem_in_use.is_empty() {
        let open = [
            (memcg.nokmem.is_empty(), Wanted::KernelCommandLine),
            (true, Wanted::ProcCgroups),
            (facts.versions.kernel.is_empty(), Wanted::KernelVersion),
        ];
        return missing(&open.into_iter().filter_map(|(open, wanted)| open.then_some(wanted)).collect::<Vec<_>>());
    }
    let old = kernels().any(|kernel| kernel.numbers.0 < 5);
    if old || memcg.directories.is_some() {
        return missing(&[Wanted::ProcCgroups]);
    }
    (Status::NoEvidence, Vec::new())
}

/// A low count that was read since the kernel last refused a memory cgroup: its ids are not used up any more. A count of
/// a kernel before 4.7, as that of RHEL 7, says nothing, and neither does one of a machine that may run it.
pub(crate) fn ids_given_back(facts: &Facts) -> Option<&Found<u64>> {
    let memcg = &facts.memcg;
    let Versions { kernel, earlier_kernels, .. } = &facts.versions;
    let few = |count: &&Found<u64>| count.value < MANY;
    let count =
        memcg.num_cgroups.as_ref().filter(few).filter(|_| memcg.directories.as_ref().is_none_or(|live| few(&live)))?;
    let mut kernels = kernel.iter().chain(earlier_kernels).peekable();
    // Kernels that can do without cgroup v1 are newer than that.
    let is_known = kernels.peek().is_some() || facts.cgroups.v2().is_some();
    let counts = is_known && kernels.all(|kernel| kernel.value.numbers >= COUNTS_THE_DYING) && !facts.foreign_log;
    (counts && !memcg.mkdir_errors.is_empty() && is_since_all(count, &memcg.mkdir_errors)).then_some(count)
}

/// The first release whose count of cgroups is known to hold those that are removed and still have their id.
const COUNTS_THE_DYING: (u32, u32, Option<u32>) = (4, 7, None);

/// The running kernel's command line, when a boot without the accounting of kernel memory has ended it since all `signs`
/// of it: it had not been switched off before.
pub(crate) fn accounting_ended<'a>(facts: &'a Facts, signs: &[Found<()>]) -> Option<&'a Found<bool>> {
    let nokmem = &facts.memcg.nokmem;
    let (before, since) = nokmem.split_at(nokmem.iter().position(|found| found.value)?);
    let first = since.first()?;
    let is_boot = before.iter().any(|found| first.is_since(found)) && since.iter().all(|found| found.value);
    (is_boot && is_since_all(first, signs) && !facts.foreign_log).then_some(first)
}

/// What is left to do where `cgroup.memory=nokmem` is configured and the kernel runs without it, as values of a finding:
/// `configured`, and `written` where the boot loader knows it; else `unwritten`, and `update_grub` or `grub2_mkconfig`
/// by the family of the distribution, or both.
pub(crate) fn left_to_boot(facts: &Facts) -> Values {
    let mut values = Values::new();
    // No object tells of a command line.
    if !cfg!(feature = "texts") {
        return values;
    }
    let running = facts.memcg.nokmem.last().filter(|running| !running.value);
    let configured = |running| facts.memcg.nokmem_configured.iter().find(|it| it.may_share_node(running));
    if let Some(configured) = running.and_then(configured) {
        values.insert("configured".into(), "cgroup.memory=nokmem".to_owned());
        if facts.memcg.boot_loader_written.iter().any(|written| written.is_since(configured)) {
            values.insert("written".into(), String::new());
            return values;
        }
        values.insert("unwritten".into(), String::new());
        for (family, name) in [(Family::Debian, "update_grub"), (Family::RedHat, "grub2_mkconfig")] {
            if facts.family().is_none_or(|known| known == family) {
                values.insert(name.into(), String::new());
            }
        }
    }
    values
}

/// The line of `fix` about the values of [`left_to_boot`].
macro_rules! what_is_left_to_boot {
    (en) => {
        "{if unwritten} {configured} stands in /etc/default/grub already, but the node was booted without it. All that \
         is missing: write the boot loader's configuration anew, unless that was done, and reboot.\n\
         {if written} {configured} stands in /etc/default/grub, and the boot loader's configuration was written anew. \
         All that is missing is a reboot."
    };
    (ja) => {
        "{if unwritten} {configured} は /etc/default/grub に書かれていますが、今回の起動には反映されていません。残る作業は、ブートローダーの設定の再生成（未実施の場合）と再起動だけです。\n\
         {if written} {configured} は /etc/default/grub に書かれ、ブートローダーの設定も再生成済みです。残る作業は再起動だけです。"
    };
    (zh) => {
        "{if unwritten} {configured} 已写入 /etc/default/grub，但本次启动没有生效。只差两步：重新生成引导配置（如果还没有做），然后重启。\n\
         {if written} {configured} 已写入 /etc/default/grub，引导配置也已重新生成，只差重启。"
    };
}
pub(crate) use what_is_left_to_boot;

/// The commands of a remedy about the values of [`left_to_boot`]: what is to be written, or all of them.
macro_rules! commands_left_to_boot {
    (written) => {
        "{if update_grub}
sudo update-grub # on the node: Debian, Ubuntu

{if grub2_mkconfig}
sudo grub2-mkconfig -o /etc/grub2.cfg # on the node: RHEL, CentOS; with UEFI: /etc/grub2-efi.cfg
"
    };
    () => {
        concat!(
            commands_left_to_boot!(written),
            "
{if configured}
sudo reboot # on the node
cat /proc/cmdline # on the node, after the reboot
"
        )
    };
}
pub(crate) use commands_left_to_boot;

fn is_since_all<T, U>(found: &Found<T>, earlier: &[Found<U>]) -> bool {
    earlier.iter().all(|earlier| found.is_since(earlier))
}

/// runc, when all that were seen leave kernel memory unaccounted.
pub(crate) fn runc_without_kmem(facts: &Facts) -> Option<&Version> {
    all_leave_off(&facts.versions.runc, Version::runc_accounts_kernel_memory)
}

/// kubelet, when all that were seen leave kernel memory unaccounted.
pub(crate) fn kubelet_without_kmem(facts: &Facts) -> Option<&Version> {
    all_leave_off(&facts.versions.kubelet, Version::kubelet_accounts_kernel_memory)
}

fn all_leave_off(versions: &[Found<Version>], accounts: fn(&Version) -> bool) -> Option<&Version> {
    let first = versions.first().map(|found| &found.value);
    first.filter(|_| versions.iter().all(|found| !accounts(&found.value)))
}

/// The first kernel of the same line that does not leak.
pub(crate) fn first_fixed_kernel(kernel: &Version) -> &'static str {
    if kernel.el7_build().is_some() { "3.10.0-1062.4.1.el7" } else { "4.7" }
}

/// What is left to do about ids that are not given back, as values of a finding: `any_kernel` where none is known,
/// `old_kernel` and `least_kernel` where an update helps, `patched_kernel` where RHEL 7 has its fix, `fixed_kernel`
/// where an update does not help; `uncounted`, `counted`, `leftovers` or `removed` by what was counted; `accounted` or
/// `nokmem`. For the commands `old_el_kernel` where yum has the update, and `count_on_v1` and `count_on_v2` where
/// counting would tell.
pub(crate) fn left_to_do(facts: &Facts, node: &NodeProfile) -> Values {
    let mut values = Values::new();
    kernel(facts, &mut values);
    let memcg = &facts.memcg;
    let live = memcg.directories.as_ref().map(|live| live.value);
    let counted = memcg.num_cgroups.as_ref().map(|counted| counted.value);
    let (name, value) = match (live, counted) {
        (Some(live), _) if live >= MANY && live >= counted.unwrap_or(0) / 2 => ("leftovers", live.to_string()),
        (Some(live), Some(counted)) if live < counted / 2 => ("removed", live.to_string()),
        (Some(live), Some(_)) => ("counted", live.to_string()),
        _ => ("uncounted", "find -type d".to_owned()),
    };
    values.insert(name.into(), value);
    // RHEL 7 is too old for cgroup v2.
    let el7 = facts.versions.kernel.iter().any(|kernel| kernel.value.el7_build().is_some());
    let mode = node.mode(&facts.cgroups).or_else(|| el7.then_some(CgroupMode::V1));
    for (other, name) in [(CgroupMode::V2, "count_on_v1"), (CgroupMode::V1, "count_on_v2")] {
        if values.contains_key("uncounted") && mode != Some(other) {
            values.insert(name.into(), String::new());
        }
    }
    let nokmem = if memcg.runs_without_kmem() == Some(true) { "nokmem" } else { "accounted" };
    values.insert(nokmem.into(), "cgroup.memory=nokmem".to_owned());
    values
}

fn kernel(facts: &Facts, values: &mut Values) {
    let kernels = || facts.versions.kernel.iter().map(|kernel| &kernel.value);
    // RHEL 7 has builds of which nobody knows whether they leak, but none that is newer.
    let is_old = |kernel: &&Version| match kernel.kernel_memcg_ids() {
        MemcgIds::Leak => true,
        MemcgIds::MayLeak => kernel.el7_build().is_none(),
        MemcgIds::NotKnownToLeak => false,
    };
    let (name, kernel) = if let Some(old) = kernels().find(is_old) {
        values.insert("least_kernel".into(), first_fixed_kernel(old).to_owned());
        if old.el7_build().is_some() {
            values.insert("old_el_kernel".into(), old.text.clone());
        }
        ("old_kernel", old)
    } else if let Some(patched) = kernels().find(|kernel| kernel.el7_build().is_some()) {
        ("patched_kernel", patched)
    } else if let Some(fixed) = kernels().find(|kernel| kernel.numbers >= (4, 7, None)) {
        ("fixed_kernel", fixed)
    } else {
        values.insert("any_kernel".into(), "4.7".to_owned());
        return;
    };
    values.insert(name.into(), kernel.text.clone());
}

/// The lines of `fix` that the values of [`left_to_do`] choose from. A macro, because the words of a rule are put
/// together when it is compiled.
macro_rules! what_is_left {
    (en) => {
        "{if uncounted} If find shows as many directories as /proc/cgroups counts, they are real leftovers: \
                  remove the empty ones.\n\
                  {if leftovers} find counts {leftovers} directories, so they are leftovers that the container \
                  runtime did not remove: remove the empty ones, the deepest first.\n\
                  {if removed} find counts only {removed} directories: the other cgroups are removed already, and \
                  the kernel still holds them.\n\
                  {if any_kernel} For good: a kernel of 4.7 or later, on RHEL 7 at least 3.10.0-1062.4.1.\n\
                  {if old_kernel} For good, update kernel {old_kernel} to {least_kernel} or later.\n\
                  {if patched_kernel} Kernel {patched_kernel} already has the fix of RHEL 7, yet leaks are reported \
                  with it: plan the move to a later release of the distribution, and until then drop caches on a \
                  schedule or reboot the nodes in turn.\n\
                  {if fixed_kernel} Kernel {fixed_kernel} already has the fix of Linux 4.7, so an update is not the \
                  remedy. Look for what creates so many cgroups (crash loops, CronJobs, CI jobs) and for what holds \
                  the removed ones (page cache, files in tmpfs)."
    };
    (ja) => {
        "{if uncounted} find で数えたディレクトリ数が /proc/cgroups と同じなら、ディレクトリが実際に残っているので、空のものを削除します。\n\
                  {if leftovers} find で {leftovers} 個のディレクトリが見つかっており、コンテナランタイムが削除しなかったものです。空のものを下の階層から削除してください。\n\
                  {if removed} find で見つかるディレクトリは {removed} 個だけです。残りの cgroup は削除済みですが、カーネルがまだ保持しています。\n\
                  {if any_kernel} 恒久対策はカーネル 4.7 以降、RHEL 7 なら 3.10.0-1062.4.1 以降への更新です。\n\
                  {if old_kernel} 恒久対策は、カーネル {old_kernel} を {least_kernel} 以降に更新することです。\n\
                  {if patched_kernel} カーネル {patched_kernel} には RHEL 7 の修正がすでに入っていますが、それでもリークの報告があります。\
                  新しいメジャーリリースへの移行を計画し、それまでは drop_caches を定期的に実行するか、ノードを順に再起動してください。\n\
                  {if fixed_kernel} カーネル {fixed_kernel} には Linux 4.7 の修正がすでに入っているため、更新では解決しません。\
                  cgroup を大量に作っているもの（クラッシュループ、CronJob、CI ジョブ）と、削除済みの cgroup を保持しているもの（ページキャッシュ、tmpfs のファイル）を調べてください。"
    };
    (zh) => {
        "{if uncounted} 如果 find 数出的目录与 /proc/cgroups 一样多，那就是真实残留的目录，请删除其中的空目录。\n\
                  {if leftovers} find 数出 {leftovers} 个目录，它们是容器运行时没有删除的残留，请自下而上删除其中的空目录。\n\
                  {if removed} find 只数出 {removed} 个目录：其余 cgroup 已被删除，但内核仍未释放。\n\
                  {if any_kernel} 根治：升级到 4.7 及以上内核，RHEL 7 至少 3.10.0-1062.4.1。\n\
                  {if old_kernel} 根治：把内核 {old_kernel} 升级到 {least_kernel} 或更高版本。\n\
                  {if patched_kernel} 内核 {patched_kernel} 已包含 RHEL 7 的修复，但仍有泄漏的报告：请计划迁移到更新的发行版，在此之前定期执行 drop_caches，或轮流重启节点。\n\
                  {if fixed_kernel} 内核 {fixed_kernel} 已包含 Linux 4.7 的修复，升级内核解决不了问题。请查找是什么在大量创建 cgroup（反复崩溃的容器、CronJob、CI 任务），\
                  以及是什么占住了已删除的 cgroup（页缓存、tmpfs 中的文件）。"
    };
}
pub(crate) use what_is_left;

#[cfg(test)]
mod tests {
    use super::state;
    use crate::facts::Facts;
    use crate::fixture::{found, version};
    use crate::report::{Status, Wanted};

    fn with_kernel(kernel: &str) -> Facts {
        let mut facts = Facts::default();
        facts.versions.kernel = vec![version(kernel)];
        facts
    }

    #[test]
    fn a_small_count_decides() {
        let mut facts = Facts::default();
        facts.memcg.num_cgroups = Some(found(52));
        assert_eq!(state(&facts), (Status::Ok, Vec::new()));
    }

    #[test]
    fn old_kernels_ask_for_the_count_and_new_ones_say_nothing() {
        let count = (Status::Undecided, vec![Wanted::ProcCgroups.missing()]);
        for kernel in ["4.4.0-36-generic", "4.10.0-24-generic", "4.18.0-477.el8.x86_64", "3.10.0-1160.88.1.el7.x86_64"]
        {
            assert_eq!(state(&with_kernel(kernel)), count, "{kernel}");
        }
        assert_eq!(state(&with_kernel("5.15.0-71-generic")), (Status::NoEvidence, Vec::new()));
        assert_eq!(state(&Facts::default()), (Status::NoEvidence, Vec::new()));
    }

    /// kubernetes issue 61937: on 3.10.0 `num_cgroups` drops at rmdir although the ids stay taken.
    #[test]
    fn a_small_count_is_not_enough_on_rhel_7() {
        let mut facts = with_kernel("3.10.0-1160.88.1.el7.x86_64");
        facts.memcg.num_cgroups = Some(found(300));
        let wanted = |facts: &Facts| state(facts).1.into_iter().map(|missing| missing.what).collect::<Vec<_>>();
        let all = [Wanted::KernelCommandLine, Wanted::RuncVersion, Wanted::KubeletVersion, Wanted::KubeletLog];
        assert_eq!(wanted(&facts), all);
        facts.memcg.nokmem = vec![found(false)];
        facts.versions.kubelet = vec![version("1.20.2")];
        assert_eq!(wanted(&facts), [Wanted::RuncVersion, Wanted::KubeletLog], "what was pasted is not asked for");
        facts.memcg.nokmem = vec![found(true)];
        assert_eq!(state(&facts).0, Status::Ok);
    }

    /// runc from 1.0.0-rc94 and kubelet from 1.22 on leave the accounting off.
    #[test]
    fn nothing_leaks_on_rhel_7_without_accounting() {
        let mut facts = with_kernel("3.10.0-1160.88.1.el7.x86_64");
        facts.memcg.num_cgroups = Some(found(300));
        facts.versions.runc = vec![version("1.1.7")];
        facts.versions.kubelet = vec![version("1.24.17")];
        assert_eq!(state(&facts), (Status::Ok, Vec::new()));
        facts.versions.runc = vec![version("1.0.0-rc10")];
        assert_eq!(state(&facts).0, Status::Undecided);
    }

    #[test]
    fn nokmem_in_a_file_asks_for_the_running_command_line() {
        let mut facts = Facts::default();
        facts.memcg.nokmem_intended = vec![found(())];
        assert_eq!(state(&facts).1.first(), Some(&Wanted::KernelCommandLine.missing()));
    }
}
