//! kubelet keeps failing to delete the cgroups of the same pod.

use std::collections::BTreeMap;

use crate::facts::{CgroupMode, DeleteCause, DeleteError, Facts, Found};
use crate::order;
use crate::report::{Evidence, Finding, Place, Risk, Severity, Values};
use crate::risks::cgroup_cleanup::{
    is_told, kubelets_know_misc, kubelets_maybe_too_old, misc_mismatches, unknown_controllers,
};
use crate::rules::{Rule, Text, Words, on_pages};
use crate::settings::{NodeProfile, Settings};

/// One failure may be a race that the next attempt wins; from this many lines for one pod on it is a loop.
const LOOP: usize = 2;

/// A journal can hold thousands of pods; so many places are enough to look at.
const MOST_PLACES: usize = 10;

/// See the module.
pub static RULE: Rule = Rule {
    id: "cgroup-delete-errors",
    risk: Risk::CgroupCleanup,
    severity: Severity::Warning,
    words: Words {
        en: Text {
            title: "kubelet cannot delete a pod's cgroups",
            says: &[
                "kubelet cannot delete the cgroups of pod {pod} (lines: {times}): kubelet {kubelet} does not know the misc cgroups of its runtime, {fixed} does.",
                "kubelet cannot delete the cgroups of pod {pod} (lines: {times}) while process {process} is stuck in state D.",
                "kubelet cannot delete the cgroups of pod {pod} (lines: {times}): process {left} is still in its slice.",
                "kubelet cannot delete the cgroups of pod {pod} (lines: {times}): find shows its directories under {misc_tree} alone, which kubelet does not clean.",
                "kubelet cannot delete the cgroups of pod {pod} (lines: {times}): it does not know the cgroup v1 controller {controller}.",
                "kubelet cannot delete the cgroups of pod {pod} (lines: {times}): a child of the cgroup v2 slice is still there ({busy}).",
                "kubelet cannot delete the cgroups of pod {pod} (lines: {times}): kubelet {old_kubelet} may be too old for its runtime, {fixed} is not.",
                "kubelet cannot delete the cgroups of pod {pod} (lines: {times}), and the mounts and versions ({seen}) do not explain it: look for what is left in its slice.",
                "kubelet cannot delete the cgroups of pod {pod} (lines: {times}), and nothing pasted explains why; the mounts and the versions of kubelet and runc may.",
            ],
            why: "kubelet tries again at every clean-up of pods, every few seconds and for each such pod. It costs CPU \
                  and memory in kubelet, systemd and dbus, and on a busy node it grows until the node is NotReady. \
                  The message has several causes: a cgroup v1 controller that kubelet does not know (misc, files), a \
                  process in state D that cannot be killed, a child cgroup left behind on v2, or an old kubelet.",
            fix: "{if kubelet} Update kubelet to {fixed} or later: what is left under /sys/fs/cgroup/misc goes away with \
                  the update or a reboot.\n\
                  {if process} A process in state D waits for storage or the kernel, and no signal ends it: mend what \
                  it waits for, or reboot the node.\n\
                  {if left} Process {left} keeps the slice: see whether crictl ps still lists its container and stop \
                  it there, else end the process. One that no signal ends is in state D: reboot the node.\n\
                  {if misc_tree} The tree {misc_tree} alone keeps the pod's slice, so kubelet is too old for its \
                  runtime. All releases from 1.28 on have the fix, of older ones 1.24.14, 1.25.10, 1.26.5 and 1.27.2 \
                  are the first: update kubelet, and what is left goes away then or with a reboot.\n\
                  {if controller} Unmount the tree of {controller}, or keep it from being mounted with the kernel \
                  argument cgroup_no_v1={controller}, unless something needs it.\n\
                  {if look} Look into the pod's slice: systemd-cgls shows processes that are left, and find shows which \
                  tree still has directories. A process in state D waits for storage or the kernel: mend that, or \
                  reboot.\n\
                  {if may_be_misc} Directories in /sys/fs/cgroup/misc alone mean the misc mismatch: update kubelet.\n\
                  {if may_be_v2} On cgroup v2 an empty child can be removed with rmdir, children first.",
            notes: on_pages(&[
                "Two lines for the same pod count as a loop. A single one may be a race that kubelet wins at its \
                 next attempt.",
                "Lines that were cut before the pod's name are not counted but listed as not used, and no line tells \
                 whether kubelet succeeded later.",
            ]),
        },
        ja: Text {
            title: "kubelet が Pod の cgroup を削除できない",
            says: &[
                "kubelet が Pod {pod} の cgroup を削除できません（ログ {times} 行）。kubelet {kubelet} はランタイムが作る misc cgroup を認識しません（{fixed} で対応）。",
                "kubelet が Pod {pod} の cgroup を削除できません（ログ {times} 行）。プロセス {process} が D 状態のまま止まっています。",
                "kubelet が Pod {pod} の cgroup を削除できません（ログ {times} 行）。プロセス {left} がまだスライスに残っています。",
                "kubelet が Pod {pod} の cgroup を削除できません（ログ {times} 行）。find の結果では {misc_tree} にだけディレクトリが残っており、kubelet はこれを削除しません。",
                "kubelet が Pod {pod} の cgroup を削除できません（ログ {times} 行）。cgroup v1 のコントローラー {controller} を認識しないためです。",
                "kubelet が Pod {pod} の cgroup を削除できません（ログ {times} 行）。cgroup v2 のスライスに子 cgroup が残っています（{busy}）。",
                "kubelet が Pod {pod} の cgroup を削除できません（ログ {times} 行）。kubelet {old_kubelet} がランタイムに対して古すぎる可能性があります（{fixed} で対応）。",
                "kubelet が Pod {pod} の cgroup を削除できません（ログ {times} 行）。マウントとバージョン（{seen}）に原因は見当たりません。スライスに何が残っているかを調べてください。",
                "kubelet が Pod {pod} の cgroup を削除できません（ログ {times} 行）。貼り付けられた内容からは原因を特定できません。マウント一覧と kubelet、runc のバージョンがあれば分かることがあります。",
            ],
            why: "kubelet は Pod をクリーンアップするたびに（数秒おきに）、該当するすべての Pod で削除を再試行します。そのつど kubelet、systemd、dbus の CPU とメモリを消費し、\
                  Pod の入れ替わりが多いノードでは対象が増え続け、最後には NotReady になります。このメッセージの原因は 1 つではありません。\
                  kubelet が認識しない cgroup v1 コントローラー（misc、files）、終了できない D 状態のプロセス、cgroup v2 に残った子 cgroup、古い kubelet などです。",
            fix: "{if kubelet} kubelet を {fixed} 以降に更新してください。/sys/fs/cgroup/misc に残ったディレクトリは、更新またはノードの再起動で消えます。\n\
                  {if process} D 状態のプロセスはストレージやカーネルの処理を待っており、シグナルでは終了しません。待っている原因を取り除くか、ノードを再起動してください。\n\
                  {if left} プロセス {left} がスライスを使っています。crictl ps にコンテナが残っていればそれを停止し、なければプロセスを終了させてください。シグナルで終了しない場合は D 状態なので、ノードを再起動します。\n\
                  {if misc_tree} 残っているのは {misc_tree} だけなので、kubelet がランタイムに対して古すぎます。1.28 以降はすべて修正済みで、それより前では 1.24.14、1.25.10、1.26.5、1.27.2 が最初の修正版です。\
                  kubelet を更新してください。残ったディレクトリは更新またはノードの再起動で消えます。\n\
                  {if controller} 必要がなければ {controller} の階層をアンマウントするか、カーネルの起動パラメーター cgroup_no_v1={controller} でマウントされないようにしてください。\n\
                  {if look} その Pod のスライスを調べてください。残っているプロセスは systemd-cgls で、ディレクトリが残っている階層は find で確認できます。\
                  D 状態のプロセスはストレージやカーネルの処理を待っているため、その原因を取り除くか、ノードを再起動します。\
                  \n\
                  {if may_be_misc} /sys/fs/cgroup/misc にだけ残っている場合は misc の不整合なので、kubelet を更新してください。\n\
                  {if may_be_v2} cgroup v2 では、空の子 cgroup を下の階層から rmdir で削除できます。",
            notes: on_pages(&[
                "同じ Pod の行が 2 行以上あればループとみなします。1 行だけなら一時的な競合で、\
                 次の試行で削除できることがあります。",
                "Pod の名前より手前で切れた行は数えず、「使わなかった行」に示します。また、その後削除に成功したかどうかは、\
                 これらの行からは分かりません。",
            ]),
        },
        zh: Text {
            title: "kubelet 无法删除 Pod 的 cgroup",
            says: &[
                "kubelet 无法删除 Pod {pod} 的 cgroup（日志 {times} 行）：kubelet {kubelet} 无法识别运行时创建的 misc cgroup，{fixed} 起支持。",
                "kubelet 无法删除 Pod {pod} 的 cgroup（日志 {times} 行）：进程 {process} 卡在 D 状态。",
                "kubelet 无法删除 Pod {pod} 的 cgroup（日志 {times} 行）：进程 {left} 仍在其 slice 中。",
                "kubelet 无法删除 Pod {pod} 的 cgroup（日志 {times} 行）：find 显示只有 {misc_tree} 下还有其目录，而 kubelet 不会清理该层级。",
                "kubelet 无法删除 Pod {pod} 的 cgroup（日志 {times} 行）：它无法识别 cgroup v1 控制器 {controller}。",
                "kubelet 无法删除 Pod {pod} 的 cgroup（日志 {times} 行）：cgroup v2 的 slice 中还有子 cgroup（{busy}）。",
                "kubelet 无法删除 Pod {pod} 的 cgroup（日志 {times} 行）：kubelet {old_kubelet} 相对运行时可能过旧，{fixed} 起支持。",
                "kubelet 无法删除 Pod {pod} 的 cgroup（日志 {times} 行），从挂载和版本（{seen}）看不出原因，请查看其 slice 中还残留什么。",
                "kubelet 无法删除 Pod {pod} 的 cgroup（日志 {times} 行），粘贴的内容无法说明原因，补充挂载列表以及 kubelet 和 runc 的版本或许可以判断。",
            ],
            why: "kubelet 每次清理 Pod 时（每隔几秒）都会对所有这类 Pod 重试删除，消耗 kubelet、systemd 和 dbus 的 CPU 与内存。在 Pod \
                  变动频繁的节点上，开销会不断增长，直到节点变为 NotReady。这条日志有多种原因：kubelet 无法识别的 cgroup v1 控制器（misc、files）、\
                  无法杀死的 D 状态进程、cgroup v2 上残留的子 cgroup，或过旧的 kubelet。",
            fix: "{if kubelet} 请把 kubelet 升级到 {fixed} 或更高版本；升级或重启节点后，/sys/fs/cgroup/misc 下残留的目录会消失。\n\
                  {if process} D 状态的进程在等待存储或内核，任何信号都无法结束它：请先排除它所等待的原因，或重启节点。\n\
                  {if left} 进程 {left} 占用着该 slice：如果 crictl ps 中还有它的容器，请在那里停止，否则直接结束该进程；信号无法结束的进程处于 D 状态，需要重启节点。\n\
                  {if misc_tree} 只有 {misc_tree} 占住该 Pod 的 slice，说明 kubelet 相对运行时过旧。1.28 及以上都已修复，更早的分支从 1.24.14、1.25.10、1.26.5、1.27.2 起修复：\
                  请升级 kubelet，残留的目录会在升级或重启后消失。\n\
                  {if controller} 如果不需要，请卸载 {controller} 层级，或用内核启动参数 cgroup_no_v1={controller} 禁止挂载。\n\
                  {if look} 检查该 Pod 的 slice：用 systemd-cgls 查看残留的进程，用 find 查看哪个层级还有目录。D 状态的进程在等待存储或内核，请先排除其原因，或重启节点。\
                  \n\
                  {if may_be_misc} 如果只有 /sys/fs/cgroup/misc 下有残留，就是 misc 不匹配，请升级 kubelet。\n\
                  {if may_be_v2} 在 cgroup v2 上，空的子 cgroup 可以自下而上用 rmdir 删除。",
            notes: on_pages(&[
                "同一个 Pod 出现两行以上即视为循环。只有一行时可能只是竞争，下次重试就会成功。",
                "在 Pod 名称之前就被截断的行不计入，而是列在“未使用”中；之后是否删除成功，从这些行也看不出来。",
            ]),
        },
    },
    setting: None,
    remedy: "\
{if kubelet}
find /sys/fs/cgroup/misc -maxdepth 3 -name '*pod[0-9a-f]*' | head

{if process}
sudo cat /proc/PID/stack # what it waits for

{if left}
sudo crictl ps -a

{if misc_tree}
kubelet --version

{if look}
systemd-cgls -u kubepods.slice
find /sys/fs/cgroup -maxdepth 4 -name '*pod[0-9a-f]*' | sort
ps -eo pid,stat,wchan:32,cmd | awk '$2 ~ /^D/'
",
    links: &[
        "https://github.com/kubernetes/kubernetes/issues/117647",
        "https://github.com/kubernetes/kubernetes/issues/123766",
        "https://github.com/kubernetes/kubernetes/issues/128975",
        "https://github.com/opencontainers/runc/issues/4181",
    ],
    check,
}
.of_texts();

fn check(facts: &Facts, settings: &Settings) -> Vec<Finding> {
    // A process that is seen to be stuck explains a single line, too.
    let enough = if facts.cgroups.stuck_processes.is_empty() { LOOP } else { 1 };
    let mut loops: Vec<_> = by_pod(facts).into_iter().filter(|(_, lines)| lines.len() >= enough).collect();
    order::sort_by(&mut loops, |(_, a), (_, b)| b.len().cmp(&a.len()));
    // One that something explains tells more.
    let explained = loops.iter().take(MOST_PLACES).find(|(pod, _)| left_of_pod(facts, pod).is_some());
    let Some((pod, lines)) = explained.or(loops.first()) else {
        return Vec::new();
    };
    let mut finding = RULE.finding();
    finding.values = likely_cause(facts, &settings.node, pod, lines);
    finding.values.insert("pod".into(), (*pod).to_owned());
    finding.values.insert("times".into(), lines.len().to_string());
    finding.evidence = loops
        .iter()
        .take(MOST_PLACES)
        .filter_map(|(pod, lines)| {
            Some(Evidence::new(&lines.first()?.place, format!("{pod}: {}×", lines.len()), format!("< {LOOP}×")))
        })
        .chain(
            facts
                .cgroups
                .stuck_processes
                .iter()
                .map(|process| Evidence::new(&process.place, process.value.as_str(), "")),
        )
        .chain(left_of_pod(facts, pod).map(|(_, left, place)| Evidence::new(place, left, "")))
        .collect();
    vec![finding]
}

/// The lines of each pod. A line that was cut before the pod's name cannot be counted for any; one that was cut within
/// it belongs to the pod whose name goes on.
fn by_pod(facts: &Facts) -> Vec<(&str, Vec<&Found<DeleteError>>)> {
    let mut pods: BTreeMap<&str, Vec<&Found<DeleteError>>> = BTreeMap::new();
    for error in facts.cgroups.delete_errors.iter().filter(|error| !error.value.pod.is_empty()) {
        pods.entry(error.value.pod.as_str()).or_default().push(error);
    }
    let mut whole: Vec<(&str, Vec<_>)> = Vec::new();
    for (pod, lines) in pods {
        match whole.last_mut() {
            Some((cut, known)) if pod.starts_with(*cut) => {
                *cut = pod;
                known.extend(lines);
            }
            _ => whole.push((pod, lines)),
        }
    }
    whole
}

/// The quantities of the likeliest cause, which choose the form of the sentence and what to do. Where nothing is sure,
/// `look` and what the cause may still be.
fn likely_cause(facts: &Facts, node: &NodeProfile, pod: &str, lines: &[&Found<DeleteError>]) -> Values {
    let mut cause = Values::new();
    let mut tell = |name: &'static str, value: &str| {
        cause.insert(name.into(), value.to_owned());
    };
    let process = facts.cgroups.stuck_processes.first();
    if let Some(process) = process {
        tell("process", &process.value);
    }
    if let Some(mismatch) = misc_mismatches(facts).next() {
        let kubelet = &mismatch.kubelet.value;
        tell("kubelet", &kubelet.text);
        tell("fixed", kubelet.first_kubelet_that_knows_misc());
        return cause;
    } else if process.is_some() {
        return cause;
    } else if let Some((name, value, _)) = left_of_pod(facts, pod) {
        tell(name, value);
        return cause;
    } else if let Some(controller) = unknown_controllers(facts).next() {
        tell("controller", &controller.value);
        return cause;
    }
    let mode = node.mode(&facts.cgroups);
    let busy = lines.iter().any(|line| line.value.cause == DeleteCause::BusyV2);
    tell("look", "systemd-cgls");
    if busy || mode != Some(CgroupMode::V1) {
        tell("may_be_v2", "rmdir");
    }
    if !busy && !kubelets_know_misc(facts) && mode != Some(CgroupMode::V2) {
        tell("may_be_misc", "misc");
    }
    if busy {
        tell("busy", "EBUSY");
    } else if let Some(kubelet) = kubelets_maybe_too_old(facts).next().filter(|_| mode != Some(CgroupMode::V2)) {
        tell("old_kubelet", &kubelet.value.text);
        tell("fixed", kubelet.value.first_kubelet_that_knows_misc());
    } else if is_told(facts, node) {
        tell("seen", &seen(facts, mode));
    }
    cause
}

/// What is left of a pod and keeps its slice: `left`, a process, or `misc_tree` where kubelet may not know that one. And
/// where it was read.
fn left_of_pod<'a>(facts: &'a Facts, pod: &str) -> Option<(&'static str, &'a str, &'a Place)> {
    let cgroups = &facts.cgroups;
    if let Some(found) = cgroups.processes.iter().find(|found| found.value.pod.starts_with(pod)) {
        return Some(("left", &found.value.process, &found.place));
    }
    let alone = cgroups.left_in_misc.iter().find(|found| found.value.starts_with(pod));
    let alone = alone.filter(|_| !kubelets_know_misc(facts))?;
    Some(("misc_tree", "/sys/fs/cgroup/misc", &alone.place))
}

/// What was pasted and explains nothing: `cgroup v1, kubelet 1.25.9, runc 1.0.3`.
fn seen(facts: &Facts, mode: Option<CgroupMode>) -> String {
    let modes = CgroupMode::ALL.into_iter().filter(|(known, _)| Some(*known) == mode);
    let modes = modes.map(|(_, name)| format!("cgroup {name}"));
    let versions = [("kubelet", &facts.versions.kubelet), ("runc", &facts.versions.runc)].into_iter();
    let versions = versions.filter_map(|(name, versions)| Some(format!("{name} {}", versions.first()?.value)));
    modes.chain(versions).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::Input;
    use crate::facts::{CgroupMode, DeleteCause, DeleteError, Facts, Misc};
    use crate::fixture::{findings, found, says, version};
    use crate::rules::Lang;
    use crate::settings::Settings;
    use crate::show::said;

    fn facts(errors: &[(&str, DeleteCause)]) -> Facts {
        let mut facts = Facts::default();
        facts.cgroups.delete_errors =
            errors.iter().map(|(pod, cause)| found(DeleteError { pod: (*pod).into(), cause: *cause })).collect();
        facts
    }

    const TWICE: [(&str, DeleteCause); 2] = [("1495abbc", DeleteCause::SystemdTimeout); 2];

    #[test]
    fn the_same_pod_twice_is_a_loop() {
        let once = ("1495abbc", DeleteCause::Other);
        assert!(findings(&RULE, &facts(&[once])).is_empty());
        assert!(findings(&RULE, &facts(&[once, ("bff40d3b", DeleteCause::Other)])).is_empty());
        assert!(findings(&RULE, &facts(&[("", DeleteCause::Other); 5])).is_empty(), "perhaps five different pods");
        assert_eq!(
            says(&RULE, &facts(&[("bff40d3b", DeleteCause::Other), once, once])),
            "kubelet cannot delete the cgroups of pod 1495abbc (lines: 2), and nothing pasted explains why; the mounts and the versions of kubelet and runc may."
        );
    }

    /// kubernetes issue 123766: `runc init` in state D holds the slice.
    #[test]
    fn a_stuck_process_explains_even_a_single_line() {
        let mut facts = facts(&[("1495abbc", DeleteCause::SystemdTimeout)]);
        facts.cgroups.stuck_processes = vec![found("9917 (rpc_wait_bit_killable)".to_owned())];
        assert!(says(&RULE, &facts).ends_with("while process 9917 (rpc_wait_bit_killable) is stuck in state D."));
        let to_do = said(&findings(&RULE, &facts)[0], Lang::En).unwrap();
        assert!(to_do.fix.starts_with("A process in state D waits") && to_do.fix.ends_with("reboot the node."));
        assert_eq!(to_do.remedy.trim_end(), "sudo cat /proc/PID/stack # what it waits for");
    }

    /// 1.27.2 is the first of its minor that removes misc cgroups.
    #[test]
    fn a_kubelet_that_knows_misc_is_not_to_be_updated() {
        let mut facts = facts(&TWICE);
        for (kubelet, advised) in [("1.27.1", true), ("1.27.2", false)] {
            facts.versions.kubelet = vec![version(kubelet)];
            let fix = said(&findings(&RULE, &facts)[0], Lang::En).unwrap().fix;
            assert_eq!(fix.contains("update kubelet"), advised, "{kubelet}: {fix}");
        }
    }

    #[test]
    fn the_misc_mismatch_explains_it() {
        let mut facts = facts(&TWICE);
        facts.cgroups.misc = vec![found(Misc::Mounted)];
        facts.versions.runc = vec![version("1.1.7")];
        facts.versions.kubelet = vec![version("1.27.1")];
        assert!(says(&RULE, &facts).contains("kubelet 1.27.1 does not know the misc cgroups"));
        let to_do = said(&findings(&RULE, &facts)[0], Lang::En).unwrap();
        assert!(to_do.fix.starts_with("Update kubelet to 1.27.2 or later"), "{}", to_do.fix);
        assert!(!to_do.fix.contains("state D") && !to_do.fix.contains("cgroup v2"), "{}", to_do.fix);
        assert_eq!(to_do.remedy.trim_end(), "find /sys/fs/cgroup/misc -maxdepth 3 -name '*pod[0-9a-f]*' | head");
    }

    const KUBELET: &str = "\
W1 kubelet[1]: I1130 03:40:00.000011 1187 pod_container_manager_linux.go:191] \"Failed to delete cgroup paths\" \
cgroupName=[kubepods besteffort podb2c9de10-93a3-4d9c-8f2e-6c1fd2d40e19] err=\"unable to destroy cgroup paths for \
cgroup [kubepods besteffort podb2c9de10-93a3-4d9c-8f2e-6c1fd2d40e19] : ";

    /// What is said about two such lines with an error each, and whatever else was pasted.
    fn of_paste(error: &str, more: &str) -> String {
        let line = format!("{KUBELET}{error}\"\n");
        let report = crate::check(&[Input::new("paste", format!("{line}{line}{more}"))], &Settings::default());
        let finding = report.findings.iter().find(|finding| finding.rule == RULE.id).unwrap();
        said(finding, Lang::En).unwrap().says
    }

    const TIMEOUT: &str = "Timed out while waiting for systemd to remove \
kubepods-besteffort-podb2c9de10_93a3_4d9c_8f2e_6c1fd2d40e19.slice";

    /// What the advised commands print is read.
    #[test]
    fn what_was_advised_to_run_settles_it() {
        let kubelet = "$ kubelet --version\nKubernetes v1.25.9\n";
        let slice = "kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-podb2c9de10_93a3_4d9c_8f2e_6c1fd2d40e19.slice";
        let find = format!(
            "{kubelet}$ find /sys/fs/cgroup -maxdepth 4 -name '*pod[0-9a-f]*' | sort\n/sys/fs/cgroup/misc/{slice}\n"
        );
        assert!(of_paste(TIMEOUT, kubelet).contains("kubelet 1.25.9 may be too old"), "{}", of_paste(TIMEOUT, kubelet));
        assert!(of_paste(TIMEOUT, &find).contains("kubelet 1.25.9 does not know the misc cgroups"));
        let ps =
            "$ ps -eo pid,stat,wchan:32,cmd | awk '$2 ~ /^D/'\n   9917 D    rpc_wait_bit_killable            ls /mnt\n";
        assert!(of_paste(TIMEOUT, ps).contains("while process 9917 (rpc_wait_bit_killable) is stuck in state D"));
        let named = format!("Failed to remove paths: map[misc:/sys/fs/cgroup/misc/{slice}]");
        assert!(of_paste(&named, kubelet).contains("kubelet 1.25.9 does not know the misc cgroups"));
    }

    /// Nothing that was run is asked for again.
    #[test]
    fn what_is_left_of_the_pod_tells_where_no_version_does() {
        const POD: &str = "kubepods-besteffort-podb2c9de10_93a3_4d9c_8f2e_6c1fd2d40e19.slice";
        let misc = format!(
            "$ find /sys/fs/cgroup -maxdepth 4 -name '*pod[0-9a-f]*' | sort\n/sys/fs/cgroup/misc/kubepods.slice\n\
             /sys/fs/cgroup/misc/kubepods.slice/kubepods-besteffort.slice/{POD}\n"
        );
        let line = format!("{KUBELET}{TIMEOUT}\"\n");
        let paste = |more: &str| {
            let report = crate::check(&[Input::new("paste", format!("{line}{line}{more}"))], &Settings::default());
            let finding = report.findings.iter().find(|finding| finding.rule == RULE.id).unwrap();
            said(finding, Lang::En).unwrap()
        };
        let told = paste(&misc);
        assert!(told.says.ends_with("under /sys/fs/cgroup/misc alone, which kubelet does not clean."), "{}", told.says);
        assert!(told.fix.contains("kubelet is too old for its runtime") && !told.fix.contains("systemd-cgls"));
        assert_eq!(told.remedy.trim_end(), "kubelet --version");

        let slices = format!("$ systemd-cgls -u kubepods.slice\n└─{POD}\n  └─4411 /app --port 80\n");
        let told = paste(&(misc + &slices));
        assert!(told.says.ends_with("process 4411 (/app) is still in its slice."), "{}", told.says);
        let other = slices.replace("podb2c9", "podaaaa");
        assert!(paste(&other).says.contains("nothing pasted explains why"));
    }

    #[test]
    fn versions_and_mounts_that_explain_nothing_are_not_asked_for() {
        let mut facts = facts(&TWICE);
        facts.cgroups.modes = vec![found(CgroupMode::V1)];
        facts.cgroups.misc = vec![found(Misc::Mounted)];
        facts.versions.kubelet = vec![version("1.23.6")];
        facts.versions.runc = vec![version("1.0.3")];
        assert!(
            says(&RULE, &facts).ends_with(
                "and the mounts and versions (cgroup v1, kubelet 1.23.6, runc 1.0.3) do not explain it: look for what is left in its slice."
            ),
            "{}",
            says(&RULE, &facts)
        );
        assert!(!said(&findings(&RULE, &facts)[0], Lang::En).unwrap().fix.contains("rmdir"));
    }

    /// runc issue 4181: openEuler's `files` controller.
    #[test]
    fn another_unknown_controller_explains_it() {
        let mut facts = facts(&TWICE);
        facts.cgroups.v1_controllers = ["memory", "files"].map(|name| found(name.to_owned())).to_vec();
        assert!(says(&RULE, &facts).contains("the cgroup v1 controller files"));
    }

    /// kubernetes issue 128975: "device or resource busy" under /sys/fs/cgroup/kubepods.slice.
    #[test]
    fn a_busy_slice_on_v2_explains_it() {
        let mut facts = facts(&[("1495abbc", DeleteCause::BusyV2); 3]);
        facts.cgroups.modes = vec![found(CgroupMode::V2)];
        facts.versions.kubelet = vec![version("1.22.11-eks-18ef993")];
        assert!(says(&RULE, &facts).contains("(lines: 3): a child of the cgroup v2 slice is still there"));
    }

    #[test]
    fn an_old_kubelet_is_named_when_nothing_else_fits() {
        let mut facts = facts(&TWICE);
        facts.versions.kubelet = vec![version("1.20.9")];
        assert!(says(&RULE, &facts).contains("kubelet 1.20.9 may be too old"));
    }

    /// runc creates misc cgroups from 1.1.6 on (runc issue 3849).
    #[test]
    fn an_old_kubelet_is_not_blamed_beside_a_runtime_without_misc() {
        let mut facts = facts(&TWICE);
        facts.versions.kubelet = vec![version("1.23.6")];
        facts.versions.runc = vec![version("1.1.0")];
        assert!(says(&RULE, &facts).contains("nothing pasted explains why"));
    }

    /// Terminals of two widths, or a journal and an event, cut the same name at different places.
    #[test]
    fn a_name_that_was_cut_counts_for_the_pod_it_begins() {
        let cut = ("1495abbc-", DeleteCause::Other);
        let whole = ("1495abbc-0b5c", DeleteCause::Other);
        assert!(says(&RULE, &facts(&[whole, cut])).contains("of pod 1495abbc-0b5c (lines: 2)"));
        assert!(
            findings(&RULE, &facts(&[("1495abbc-0b5c", DeleteCause::Other), ("1495abbc-ffff", DeleteCause::Other)]))
                .is_empty()
        );
    }

    #[test]
    fn many_pods_are_one_finding_with_a_few_places() {
        let names: Vec<String> = (0..50).map(|number| format!("{number:02}abcdef")).collect();
        let errors: Vec<(&str, DeleteCause)> =
            names.iter().chain(&names).map(|pod| (pod.as_str(), DeleteCause::Other)).collect();
        let found = findings(&RULE, &facts(&errors));
        assert_eq!((found.len(), found[0].evidence.len()), (1, 10));
    }
}
