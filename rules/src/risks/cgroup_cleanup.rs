//! kubelet's endless cgroup clean-up: which runtime creates what kubelet does not know, and what decides when nothing
//! fired.

use crate::facts::{CgroupMode, Facts, Found, Host, Misc};
use crate::kubernetes::version::Version;
use crate::report::{Missing, Place, Status, Wanted};
use crate::settings::NodeProfile;

/// v1 controllers whose trees the libcontainer in kubelet removes (opencontainers/cgroups `fs/fs.go`, `systemd/v1.go`);
/// `misc` has its own rule.
const KNOWN_V1_CONTROLLERS: [&str; 15] = [
    "blkio",
    "cpu",
    "cpuacct",
    "cpuset",
    "devices",
    "freezer",
    "hugetlb",
    "memory",
    "misc",
    "net_cls",
    "net_prio",
    "perf_event",
    "pids",
    "rdma",
    "systemd",
];

pub(super) fn state(facts: &Facts, node: &NodeProfile) -> (Status, Vec<Missing>) {
    let cgroups = &facts.cgroups;
    let mode = node.mode(cgroups);
    let on_v1 = cgroups.v1().is_some() || mode == Some(CgroupMode::V1);
    let missing = missing(facts, mode);
    if !cgroups.delete_errors.is_empty() || !cgroups.orphans.is_empty() {
        // Whole lines tell a loop from a race that was won; the rest explains it.
        return undecided([vec![Wanted::KubeletLog], missing].concat());
    }
    let runtime = runtime(facts, |_| true);
    let creates_misc = matches!(runtime, Runtime::CreatesMisc(Proof::Runc(_) | Proof::Pods(_)));
    let old_kubelet = old_kubelets(facts).next().is_some();
    let misc = cgroups.misc.last().map(|misc| misc.value);
    if !on_v1 {
        // Versions alone are on every node; only a fitting pair is a reason to ask for the mode.
        return match (mode, misc) {
            (None, None) if creates_misc && old_kubelet => undecided([missing, vec![Wanted::KubeletLog]].concat()),
            (None, None) => (Status::NoEvidence, Vec::new()),
            _ => (Status::Ok, Vec::new()),
        };
    }
    let runtime_without_misc = matches!(runtime, Runtime::DoesNot);
    if misc == Some(Misc::Absent) || kubelets_know_misc(facts) || runtime_without_misc || kernels_without_misc(facts) {
        return (Status::Ok, Vec::new());
    }
    // cgroup v1 alone is on many nodes, too.
    if misc.is_none() && !creates_misc && !old_kubelet {
        return (Status::NoEvidence, Vec::new());
    }
    // All is there, but of different nodes.
    let missing = if missing.is_empty() { vec![Wanted::MiscController, Wanted::RuncVersion] } else { missing };
    undecided([missing, vec![Wanted::KubeletLog]].concat())
}

fn undecided(missing: Vec<Wanted>) -> (Status, Vec<Missing>) {
    (Status::Undecided, missing.into_iter().map(Wanted::missing).collect())
}

/// What would complete the misc case, most telling first; nothing on a node that is only known to be on cgroup v2.
fn missing(facts: &Facts, mode: Option<CgroupMode>) -> Vec<Wanted> {
    let cgroups = &facts.cgroups;
    if cgroups.v1().is_none() && mode == Some(CgroupMode::V2) {
        return Vec::new();
    }
    let open = [
        (cgroups.v1().is_none() && mode.is_none(), Wanted::CgroupMode),
        (cgroups.misc.is_empty() && !kernels_without_misc(facts), Wanted::MiscController),
        (matches!(runtime(facts, |_| true), Runtime::Unknown), Wanted::RuncVersion),
        (!kubelets_know_misc(facts) && old_kubelets(facts).next().is_none(), Wanted::KubeletVersion),
    ];
    open.into_iter().filter_map(|(open, wanted)| open.then_some(wanted)).collect()
}

/// Nothing else could show the misc mismatch: mounts and versions are known.
pub(crate) fn is_told(facts: &Facts, node: &NodeProfile) -> bool {
    missing(facts, node.mode(&facts.cgroups)).is_empty()
}

/// What is known of the runtime and the misc controller.
enum Runtime<'a> {
    CreatesMisc(Proof<'a>),
    DoesNot,
    Unknown,
}

/// How it is known that the runtime creates misc cgroups.
#[derive(Clone, Copy)]
pub(crate) enum Proof<'a> {
    /// runc's own version.
    Runc(&'a Found<Version>),
    /// Pods have directories in the misc tree.
    Pods(&'a Place),
    /// The containerd release bundles this runc. Packages of distributions may hold another one, so this makes it
    /// likely and no more; and a bundle without misc proves nothing at all.
    Containerd(&'a Found<Version>, &'static str),
}

/// Whether the runtime creates misc cgroups, on the hosts asked for.
fn runtime(facts: &Facts, on: impl Fn(Host) -> bool) -> Runtime<'_> {
    let versions = &facts.versions;
    let runc = |creates: bool| {
        versions.runc.iter().find(|runc| on(runc.host) && runc.value.runc_creates_misc() == Some(creates))
    };
    if let Some(runc) = runc(true) {
        return Runtime::CreatesMisc(Proof::Runc(runc));
    }
    if let Some(misc) = facts.cgroups.misc.iter().find(|misc| on(misc.host) && misc.value == Misc::UsedByPods) {
        return Runtime::CreatesMisc(Proof::Pods(&misc.place));
    }
    if runc(false).is_some() {
        return Runtime::DoesNot;
    }
    let bundle = versions.containerd.iter().filter(|containerd| on(containerd.host)).find_map(|containerd| {
        let runc = containerd.value.containerd_bundles_runc()?;
        let creates_misc = Version::parse(runc)?.runc_creates_misc() == Some(true);
        creates_misc.then_some(Proof::Containerd(containerd, runc))
    });
    bundle.map_or(Runtime::Unknown, Runtime::CreatesMisc)
}

/// kubelets that do not remove misc cgroups.
pub(crate) fn old_kubelets(facts: &Facts) -> impl Iterator<Item = &Found<Version>> {
    facts.versions.kubelet.iter().filter(|kubelet| kubelet.value.kubelet_knows_misc() == Some(false))
}

/// kubelets that do not remove misc cgroups, on nodes whose runtime may create some: nothing seen says that it does not.
pub(crate) fn kubelets_maybe_too_old(facts: &Facts) -> impl Iterator<Item = &Found<Version>> {
    old_kubelets(facts).filter(|kubelet| !matches!(runtime(facts, |host| kubelet.host.may_be(host)), Runtime::DoesNot))
}

/// Every kubelet that was seen removes misc cgroups.
pub(crate) fn kubelets_know_misc(facts: &Facts) -> bool {
    let kubelets = &facts.versions.kubelet;
    !kubelets.is_empty() && kubelets.iter().all(|kubelet| kubelet.value.kubelet_knows_misc() == Some(true))
}

/// Every kernel that was seen is too old for the misc controller.
fn kernels_without_misc(facts: &Facts) -> bool {
    let kernels = &facts.versions.kernel;
    !kernels.is_empty() && kernels.iter().all(|kernel| !kernel.value.kernel_may_have_misc())
}

/// The mismatch on one node: a misc tree, a runtime that creates cgroups in it, and a kubelet that does not remove them.
pub(crate) struct MiscMismatch<'a> {
    pub(crate) kubelet: &'a Found<Version>,
    pub(crate) misc: &'a Found<Misc>,
    pub(crate) proof: Proof<'a>,
}

/// The mismatches of all nodes.
pub(crate) fn misc_mismatches(facts: &Facts) -> impl Iterator<Item = MiscMismatch<'_>> {
    old_kubelets(facts).filter_map(|kubelet| {
        let misc = facts.cgroups.misc.iter().rfind(|misc| misc.may_share_node(kubelet))?;
        match runtime(facts, |host| kubelet.host.may_be(host)) {
            Runtime::CreatesMisc(proof) if misc.value != Misc::Absent => Some(MiscMismatch { kubelet, misc, proof }),
            _ => None,
        }
    })
}

/// v1 controllers that kubelet has never known, such as openEuler's `files`. Named hierarchies are no controllers.
pub(crate) fn unknown_controllers(facts: &Facts) -> impl Iterator<Item = &Found<String>> {
    facts.cgroups.v1_controllers.iter().filter(|controller| {
        let name = controller.value.as_str();
        !name.starts_with("name=") && !KNOWN_V1_CONTROLLERS.contains(&name)
    })
}

#[cfg(test)]
mod tests {
    use super::state as state_on;
    use crate::facts::{CgroupMode, DeleteCause, DeleteError, Facts, Misc};
    use crate::fixture::{found, version};
    use crate::report::{Missing, Status, Wanted};
    use crate::settings::NodeProfile;

    fn state(facts: &Facts) -> (Status, Vec<Missing>) {
        state_on(facts, &NodeProfile::default())
    }

    fn facts(mode: Option<CgroupMode>, misc: Option<Misc>) -> Facts {
        let mut facts = Facts::default();
        facts.cgroups.modes = mode.map(found).into_iter().collect();
        facts.cgroups.misc = misc.map(found).into_iter().collect();
        facts
    }

    fn wanted(facts: &Facts) -> Vec<Wanted> {
        let (status, missing) = state(facts);
        assert_eq!(status, Status::Undecided);
        missing.into_iter().map(|missing| missing.what).collect()
    }

    #[test]
    fn cgroup_v2_or_no_misc_tree_decides() {
        assert_eq!(state(&facts(Some(CgroupMode::V2), None)).0, Status::Ok);
        assert_eq!(state(&facts(Some(CgroupMode::V1), Some(Misc::Absent))).0, Status::Ok);
        assert_eq!(state(&facts(None, Some(Misc::Absent))).0, Status::Ok);
    }

    #[test]
    fn a_stated_mode_stands_in_for_one_that_was_not_read() {
        let on = |mode| NodeProfile { cgroups: Some(mode), ..NodeProfile::default() };
        assert_eq!(state_on(&facts(None, None), &on(CgroupMode::V2)).0, Status::Ok);
        assert_eq!(state_on(&facts(None, None), &on(CgroupMode::V1)).0, Status::NoEvidence);
        let mut pair = facts(None, None);
        pair.versions.kubelet = vec![version("v1.23.4")];
        pair.versions.runc = vec![version("1.1.7")];
        assert_eq!(state(&pair).0, Status::Undecided);
        assert_eq!(state_on(&pair, &on(CgroupMode::V2)).0, Status::Ok);
        let missing = state_on(&pair, &on(CgroupMode::V1)).1;
        assert_eq!(missing, [Wanted::MiscController, Wanted::KubeletLog].map(Wanted::missing));
        let read = facts(Some(CgroupMode::V1), None);
        assert_eq!(state_on(&read, &on(CgroupMode::V2)), state(&read), "what was read counts more");
    }

    #[test]
    fn a_misc_tree_asks_for_whatever_is_unknown() {
        let mut facts = facts(Some(CgroupMode::V1), Some(Misc::Mounted));
        assert_eq!(wanted(&facts), [Wanted::RuncVersion, Wanted::KubeletVersion, Wanted::KubeletLog]);
        facts.versions.containerd = vec![version("1.6.8")];
        let versions = [Wanted::RuncVersion, Wanted::KubeletVersion, Wanted::KubeletLog];
        assert_eq!(wanted(&facts), versions, "a bundle proves no absence");
        facts.versions.runc = vec![version("1.1.7")];
        assert_eq!(wanted(&facts), [Wanted::KubeletVersion, Wanted::KubeletLog]);
        facts.versions.kubelet = vec![version("1.27.2")];
        assert_eq!(state(&facts).0, Status::Ok);
    }

    #[test]
    fn an_old_runc_or_a_new_kubelet_is_enough() {
        let mut old_runc = facts(Some(CgroupMode::V1), Some(Misc::Mounted));
        old_runc.versions.runc = vec![version("1.1.5")];
        old_runc.versions.kubelet = vec![version("1.20.9")];
        assert_eq!(state(&old_runc).0, Status::Ok);

        let mut new_kubelet = facts(Some(CgroupMode::V1), None);
        new_kubelet.versions.kubelet = vec![version("1.29.1")];
        assert_eq!(state(&new_kubelet).0, Status::Ok);
    }

    #[test]
    fn cgroup_v1_without_anything_that_fits_is_no_evidence() {
        let mut facts = facts(Some(CgroupMode::V1), None);
        assert_eq!(state(&facts).0, Status::NoEvidence);
        facts.versions.kubelet = vec![version("1.27.1")];
        assert_eq!(wanted(&facts), [Wanted::MiscController, Wanted::RuncVersion, Wanted::KubeletLog]);
        facts.versions.kernel = vec![version("3.10.0-1160.88.1.el7.x86_64")];
        assert_eq!(state(&facts).0, Status::Ok, "misc came with Linux 5.13");
    }

    #[test]
    fn one_old_kubelet_among_new_ones_keeps_it_open() {
        let mut facts = facts(Some(CgroupMode::V1), Some(Misc::Mounted));
        facts.versions.kubelet = vec![version("1.27.2"), version("1.27.1")];
        assert_eq!(wanted(&facts), [Wanted::RuncVersion, Wanted::KubeletLog]);
    }

    #[test]
    fn versions_alone_are_no_evidence_unless_they_fit() {
        let mut facts = facts(None, None);
        facts.versions.kubelet = vec![version("1.27.1")];
        facts.versions.containerd = vec![version("1.7.2")];
        assert_eq!(state(&facts).0, Status::NoEvidence);
        facts.versions.runc = vec![version("1.1.7")];
        assert_eq!(wanted(&facts), [Wanted::CgroupMode, Wanted::MiscController, Wanted::KubeletLog]);
    }

    #[test]
    fn unexplained_delete_errors_ask_for_what_may_explain_them() {
        let error = DeleteError { pod: "kubepods burstable pod1".into(), cause: DeleteCause::Other };
        let mut facts = facts(None, None);
        facts.cgroups.delete_errors = vec![found(error)];
        assert_eq!(
            wanted(&facts),
            [
                Wanted::KubeletLog,
                Wanted::CgroupMode,
                Wanted::MiscController,
                Wanted::RuncVersion,
                Wanted::KubeletVersion
            ]
        );
        facts.cgroups.modes = vec![found(CgroupMode::V2)];
        assert_eq!(wanted(&facts), [Wanted::KubeletLog]);
    }
}
