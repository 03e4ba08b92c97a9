//! The runtime creates misc cgroups that kubelet does not remove.

use crate::facts::Facts;
use crate::kubernetes::platform::Family;
use crate::kubernetes::version::Version;
use crate::order;
use crate::report::{Evidence, Finding, Risk, Severity, Values};
use crate::risks::cgroup_cleanup::{MiscMismatch, Proof, misc_mismatches};
use crate::rules::{Rule, Text, Words, on_pages};
use crate::settings::Settings;

/// See the module.
pub static RULE: Rule = Rule {
    id: "misc-cgroup-mismatch",
    risk: Risk::CgroupCleanup,
    severity: Severity::Error,
    words: Words {
        en: Text {
            title: "kubelet does not know the misc cgroup",
            says: &[
                "kubelet {kubelet} most likely cannot remove the misc cgroups that the runtime creates (judged by {judged_by}); upstream, {fixed} is the first that can.",
                "kubelet {kubelet} cannot remove the misc cgroups that runc {runc} creates; {fixed} is the first that can.",
                "kubelet {kubelet} cannot remove the misc cgroups that pods have here; {fixed} is the first that can.",
            ],
            why: "runc 1.1.6 and later create a directory for every pod in the cgroup v1 misc tree (Linux 5.13 and \
                  later). kubelet finds dead pods by looking through all trees, but removes only those that the runc \
                  library built into it knows, and its library is older. So it tries the same pods again every few \
                  seconds, for ever: kubelet, systemd and dbus take more and more CPU and memory until the node stops \
                  answering.",
            fix: "{if any_release} Update kubelet to a release that is still supported and no newer than \
                  kube-apiserver: all from 1.28 on have the fix, and {fixed} is the least that helps.\n\
                  {if apiserver} Update kubelet to {fixed} or later, but to no minor release beyond that of \
                  kube-apiserver {apiserver}.\n\
                  {if old_apiserver} Kubelet must not be newer than kube-apiserver, which is {old_apiserver}: update \
                  the control plane first, then kubelet to {fixed} or later.\n\
                  Moving the node to cgroup v2 ends this kind of problem altogether. Going \
                  back to runc 1.1.5 works too but gives up later security fixes. Directories under \
                  /sys/fs/cgroup/misc/kubepods* of pods that are gone confirm it; they go away with the update or a \
                  reboot.",
            notes: on_pages(&[
                "A vendor's kubelet (-eks-, -gke., +k3s) may have the fix earlier, as v1.25.8-eks-c05fe32 has, and \
                 containerd may be installed beside another runc than it is released with. The sentence then says \
                 most likely.",
                "First fixed upstream: 1.24.14, 1.25.10, 1.26.5, 1.27.2, and 1.28.0. The talk behind this rule \
                 gives 1.26.4; the changelog has the update of runc in 1.26.5.",
            ]),
        },
        ja: Text {
            title: "kubelet が misc cgroup を認識しない",
            says: &[
                "kubelet {kubelet} は、ランタイムが作る misc cgroup を削除できない可能性が高いと考えられます（{judged_by} から判断）。アップストリームでは {fixed} から削除できます。",
                "kubelet {kubelet} は、runc {runc} が作る misc cgroup を削除できません。削除できるのは {fixed} からです。",
                "kubelet {kubelet} は、Pod が使っている misc cgroup を削除できません。削除できるのは {fixed} からです。",
            ],
            why: "runc 1.1.6 以降は cgroup v1 の misc 階層（Linux 5.13 以降）にも Pod ごとのディレクトリを作ります。kubelet は全階層を調べて\
                  終了した Pod を見つけますが、削除できるのは組み込まれた runc ライブラリが知っている階層だけで、このライブラリは古いままです。\
                  そのため同じ Pod の削除を数秒おきに延々と繰り返し、kubelet、systemd、dbus の CPU とメモリが増え続け、やがてノードが応答しなくなります。",
            fix: "{if any_release} サポート中で、kube-apiserver より新しくないリリースの kubelet に更新してください。1.28 以降ではすべて修正済みで、少なくとも {fixed} が必要です。\n\
                  {if apiserver} kubelet を {fixed} 以降に更新してください。ただし、kube-apiserver {apiserver} より新しいマイナーバージョンにはできません。\n\
                  {if old_apiserver} kubelet は kube-apiserver（{old_apiserver}）より新しくできないため、先にコントロールプレーンを更新してから、kubelet を {fixed} 以降に更新してください。\n\
                  cgroup v2 に移行すれば、この種の問題は根本的になくなります。runc を 1.1.5 に戻す方法もありますが、それ以降のセキュリティ修正が失われます。\
                  /sys/fs/cgroup/misc/kubepods* に終了した Pod のディレクトリが残っていれば、この問題と断定できます。kubelet \
                  の更新またはノードの再起動で消えます。",
            notes: on_pages(&[
                "ベンダー版の kubelet（-eks-、-gke.、+k3s）には、v1.25.8-eks-c05fe32 \
                 のように早く修正が入っていることがあります。また containerd と一緒に、リリースに同梱のものとは別の \
                 runc が入っていることもあります。その場合は「可能性が高い」と表示します。",
                "アップストリームで最初に修正されたのは 1.24.14、1.25.10、1.26.5、1.27.2、1.28.0 です。元の発表では \
                 1.26.4 とされていますが、CHANGELOG で runc が更新されたのは 1.26.5 です。",
            ]),
        },
        zh: Text {
            title: "kubelet 无法识别 misc cgroup",
            says: &[
                "kubelet {kubelet} 很可能无法删除运行时创建的 misc cgroup（依据：{judged_by}）；上游从 {fixed} 起可以删除。",
                "kubelet {kubelet} 无法删除 runc {runc} 创建的 misc cgroup；从 {fixed} 起可以删除。",
                "kubelet {kubelet} 无法删除 Pod 在此使用的 misc cgroup；从 {fixed} 起可以删除。",
            ],
            why: "runc 1.1.6 及以上版本会在 cgroup v1 的 misc 层级（Linux 5.13 起）中为每个 Pod 创建目录。kubelet 通过遍历所有层级来发现已结束的 Pod，\
                  但只会删除其内置 runc 库能识别的层级，而这个库版本较旧。于是它每隔几秒就对同一批 Pod 重试，永不停止：\
                  kubelet、systemd 和 dbus 的 CPU 与内存不断上升，直到节点失去响应。",
            fix: "{if any_release} 把 kubelet 升级到仍在维护、且不高于 kube-apiserver 的版本：1.28 及以上都已修复，最低需要 {fixed}。\n\
                  {if apiserver} 把 kubelet 升级到 {fixed} 或更高版本，但次版本号不能高于 kube-apiserver {apiserver}。\n\
                  {if old_apiserver} kubelet 不能比 kube-apiserver（{old_apiserver}）新：请先升级控制平面，再把 kubelet 升级到 {fixed} 或更高版本。\n\
                  把节点迁移到 cgroup v2 可以彻底避免这类问题。回退到 runc 1.1.5 也可以，但会失去之后的安全修复。\
                  如果 /sys/fs/cgroup/misc/kubepods* 下还有已结束 Pod 的目录，即可确认；升级或重启后它们会消失。",
            notes: on_pages(&[
                "厂商的 kubelet（-eks-、-gke.、+k3s）可能更早包含修复，例如 v1.25.8-eks-c05fe32；与 containerd \
                 一同安装的 runc 也可能不是其发布时附带的版本。这时会说“很可能”。",
                "上游最早的修复版本是 1.24.14、1.25.10、1.26.5、1.27.2 和 1.28.0。原演讲写的是 1.26.4，而 CHANGELOG \
                 显示 1.26.5 才更新 runc。",
            ]),
        },
    },
    setting: None,
    remedy: "\
find /sys/fs/cgroup/misc -maxdepth 3 -name '*pod[0-9a-f]*' | head # on the node

{if update}
kubectl drain {node} --ignore-daemonsets --delete-emptydir-data

{if apt}
sudo apt-get install -y --allow-change-held-packages kubelet='{fixed}-*' # Debian, Ubuntu: on the node

{if yum}
sudo yum install -y --disableexcludes=kubernetes 'kubelet-{fixed}-*' # RHEL, CentOS: on the node

{if by_vendor}
# update kubelet, or replace the node, as its vendor has it

{if packaged}
sudo systemctl daemon-reload && sudo systemctl restart kubelet # on the node

{if update}
kubectl uncordon {node}
",
    links: &[
        "https://github.com/kubernetes/kubernetes/issues/117647",
        "https://github.com/opencontainers/runc/issues/3849",
        "https://github.com/opencontainers/runc/pull/3823",
        "https://github.com/kubernetes/kubernetes/blob/master/CHANGELOG/CHANGELOG-1.24.md",
        "https://github.com/kubernetes/kubernetes/blob/master/CHANGELOG/CHANGELOG-1.25.md",
        "https://github.com/kubernetes/kubernetes/blob/master/CHANGELOG/CHANGELOG-1.26.md",
        "https://github.com/kubernetes/kubernetes/blob/master/CHANGELOG/CHANGELOG-1.27.md",
    ],
    check,
}
.of_texts();

fn check(facts: &Facts, _: &Settings) -> Vec<Finding> {
    let mut mismatches: Vec<MiscMismatch> = misc_mismatches(facts).collect();
    order::sort_by(&mut mismatches, |a, b| a.kubelet.value.text.cmp(&b.kubelet.value.text));
    mismatches.dedup_by(|a, b| a.kubelet.value.text == b.kubelet.value.text);
    let mut findings = Vec::new();
    for MiscMismatch { kubelet, misc, proof } in mismatches {
        let fixed = kubelet.value.first_kubelet_that_knows_misc();
        let mut finding = RULE.finding();
        finding.evidence = vec![
            Evidence::new(&kubelet.place, format!("kubelet {}", kubelet.value), format!(">= {fixed}")),
            proof_evidence(proof),
            Evidence::new(&misc.place, "misc", ""),
        ];
        finding.values.insert("kubelet".into(), kubelet.value.text.clone());
        finding.values.insert("fixed".into(), fixed.to_owned());
        if let Proof::Runc(runc) = proof {
            finding.values.insert("runc".into(), runc.value.text.clone());
        }
        finding.values.extend(left_to_update(facts, &kubelet.value, fixed));
        finding.values.extend(judged_by(&kubelet.value, proof).map(|judged_by| ("judged_by".into(), judged_by)));
        findings.push(finding);
    }
    findings
}

/// How far kubelet may be updated, as values: `any_release`, `apiserver` or `old_apiserver`. Where it may be at all,
/// `update`, and `by_vendor`, or `packaged` with `apt` or `yum` by the distribution.
fn left_to_update(facts: &Facts, kubelet: &Version, fixed: &str) -> Values {
    let mut values = Values::new();
    let mut tell = |name: &'static str, value: &str| drop(values.insert(name.into(), value.to_owned()));
    let release = |version: &Version| (version.numbers.0, version.numbers.1);
    match &facts.versions.apiserver {
        // kubelet must not be of a newer minor release (https://kubernetes.io/releases/version-skew-policy/).
        Some(apiserver) if Version::parse(fixed).is_some_and(|fixed| release(apiserver) < release(&fixed)) => {
            tell("old_apiserver", &apiserver.text);
            return values;
        }
        Some(apiserver) => tell("apiserver", &apiserver.text),
        None => tell("any_release", ""),
    }
    tell("update", "");
    if kubelet.is_vendor_build() || facts.platform().is_some() {
        tell("by_vendor", "");
        return values;
    }
    tell("packaged", "");
    for (family, name) in [(Family::Debian, "apt"), (Family::RedHat, "yum")] {
        if facts.family().is_none_or(|known| known == family) {
            tell(name, "");
        }
    }
    values
}

fn proof_evidence(proof: Proof) -> Evidence {
    match proof {
        Proof::Runc(runc) => Evidence::new(&runc.place, format!("runc {}", runc.value), ""),
        Proof::Pods(place) => Evidence::new(place, "misc: kubepods", ""),
        Proof::Containerd(containerd, runc) => {
            Evidence::new(&containerd.place, format!("containerd {} (runc {runc})", containerd.value), "")
        }
    }
}

/// What makes the finding likely instead of certain: a vendor's kubelet may have the fix, and a containerd may be
/// installed beside another runc than the one it is released with.
fn judged_by(kubelet: &Version, proof: Proof) -> Option<String> {
    match proof {
        Proof::Containerd(containerd, _) => Some(format!("containerd {}", containerd.value)),
        Proof::Runc(_) | Proof::Pods(_) => kubelet.is_vendor_build().then(|| kubelet.text.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::facts::{CgroupMode, Facts, Misc};
    use crate::fixture::{findings, found, says, version};
    use crate::rules::Lang;
    use crate::show::said;

    fn facts(misc: Option<Misc>, runc: Option<&str>, kubelet: &[&str]) -> Facts {
        let mut facts = Facts::default();
        facts.cgroups.modes = vec![found(CgroupMode::V1)];
        facts.cgroups.misc = misc.map(found).into_iter().collect();
        facts.versions.runc = runc.map(version).into_iter().collect();
        facts.versions.kubelet = kubelet.iter().map(|kubelet| version(kubelet)).collect();
        facts
    }

    /// The node of kubernetes issue 117647 and of the talk: runc 1.1.7, kubelet 1.27.1, fixed by 1.27.2.
    #[test]
    fn an_old_kubelet_beside_a_new_runc_fires_and_names_both() {
        assert_eq!(
            says(&RULE, &facts(Some(Misc::Mounted), Some("1.1.7"), &["1.27.1"])),
            "kubelet 1.27.1 cannot remove the misc cgroups that runc 1.1.7 creates; 1.27.2 is the first that can."
        );
    }

    /// What is said to do, and the commands.
    fn to_do(kubelet: &str, apiserver: Option<&str>, kernel: &str) -> (String, String) {
        let mut facts = facts(Some(Misc::Mounted), Some("1.1.7"), &[kubelet]);
        facts.versions.apiserver = apiserver.map(|text| version(text).value);
        facts.versions.kernel = vec![version(kernel)];
        let said = said(&findings(&RULE, &facts)[0], Lang::En).unwrap();
        (said.fix, said.remedy)
    }

    /// https://kubernetes.io/releases/version-skew-policy/: kubelet must not be newer than kube-apiserver.
    #[test]
    fn kubelet_is_not_to_be_newer_than_the_control_plane() {
        let (fix, remedy) = to_do("1.26.3", Some("1.26.3"), "5.15.0-71-generic");
        assert!(fix.starts_with("Update kubelet to 1.26.5 or later, but to no minor release beyond"), "{fix}");
        assert!(remedy.contains("kubelet='1.26.5-*'"), "{remedy}");
        let (fix, remedy) = to_do("1.22.2", Some("1.23.6"), "5.15.0-71-generic");
        assert!(fix.starts_with("Kubelet must not be newer than kube-apiserver, which is 1.23.6"), "{fix}");
        assert!(!remedy.contains("drain"), "{remedy}");
        assert!(to_do("1.26.3", None, "5.15.0-71-generic").0.contains("no newer than kube-apiserver: all from 1.28"));
    }

    #[test]
    fn the_update_is_told_as_the_node_has_its_packages() {
        let tools = |kubelet: &str, kernel: &str| {
            let remedy = to_do(kubelet, None, kernel).1;
            assert!(remedy.contains("kubectl drain NODE") && remedy.ends_with("kubectl uncordon NODE\n"), "{remedy}");
            ["apt-get", "yum", "restart kubelet", "vendor"].map(|tool| remedy.contains(tool))
        };
        assert_eq!(tools("1.26.3", "5.15.0-71-generic"), [true, false, true, false]);
        assert_eq!(tools("1.26.3", "5.14.0-284.el9.x86_64"), [false, true, true, false]);
        assert_eq!(tools("1.26.3", "5.15.0"), [true, true, true, false]);
        assert_eq!(tools("1.26.3-eks-a5565ad", "5.15.0"), [false, false, false, true]);
    }

    #[test]
    fn each_part_alone_decides_against_it() {
        for (misc, runc, kubelet) in [
            (None, Some("1.1.7"), "1.27.1"),
            (Some(Misc::Absent), Some("1.1.7"), "1.27.1"),
            (Some(Misc::Mounted), None, "1.27.1"),
            (Some(Misc::Mounted), Some("1.1.5"), "1.27.1"),
            (Some(Misc::Mounted), Some("1.1.7"), "1.27.2"),
            (Some(Misc::Mounted), Some("1.1.7"), "1.26.5"),
        ] {
            assert!(findings(&RULE, &facts(misc, runc, &[kubelet])).is_empty(), "{misc:?} {runc:?} {kubelet}");
        }
        assert!(findings(&RULE, &facts(Some(Misc::Mounted), Some("1.1.7"), &[])).is_empty());
    }

    #[test]
    fn pods_in_the_misc_tree_prove_the_runtime() {
        assert_eq!(
            says(&RULE, &facts(Some(Misc::UsedByPods), None, &["1.24.9"])),
            "kubelet 1.24.9 cannot remove the misc cgroups that pods have here; 1.24.14 is the first that can."
        );
    }

    /// containerd 1.7.1 is released with runc 1.1.7, 1.6.8 with 1.1.3 (`script/setup/runc-version`).
    #[test]
    fn containerd_makes_it_likely_or_leaves_it_open() {
        let mut facts = facts(Some(Misc::Mounted), None, &["1.27.1"]);
        facts.versions.containerd = vec![version("1.7.1")];
        assert!(says(&RULE, &facts).contains("most likely cannot remove"), "{}", says(&RULE, &facts));
        facts.versions.containerd = vec![version("1.6.8")];
        assert!(findings(&RULE, &facts).is_empty());
    }

    /// v1.25.8-eks-c05fe32 was reported to carry the fix (bottlerocket issue 3057).
    #[test]
    fn a_vendor_build_is_likely_and_no_more() {
        let says = says(&RULE, &facts(Some(Misc::Mounted), Some("1.1.7"), &["1.25.8-eks-c05fe32"]));
        assert!(says.contains("most likely") && says.contains("1.25.10"), "{says}");
    }

    #[test]
    fn nodes_with_one_kubelet_are_one_finding() {
        let found =
            findings(&RULE, &facts(Some(Misc::Mounted), Some("1.1.7"), &["1.27.1", "1.26.4", "1.27.1", "1.28.0"]));
        let kubelets: Vec<&String> = found.iter().filter_map(|finding| finding.values.get("kubelet")).collect();
        assert_eq!(kubelets, ["1.26.4", "1.27.1"]);
    }
}
