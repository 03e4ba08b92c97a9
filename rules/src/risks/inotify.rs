//! inotify: what was counted against which limit, and what decides when nothing fired.

use std::collections::{BTreeMap, BTreeSet};

use crate::facts::{Facts, Found, InUse, Inotify, InotifyError, Whose};
use crate::kubernetes::inotify::{
    BASE, DEFAULT_MAX_INSTANCES, DEFAULT_MAX_PODS, ENOUGH_INSTANCES, ENOUGH_WATCHES, instances_of_full_node,
    instances_of_pod,
};
use crate::kubernetes::pod::Role;
use crate::order;
use crate::report::{Evidence, Missing, Place, Status, Wanted};
use crate::settings::{NodeProfile, Settings};

/// From this share of the limit on, the next pods will fail: nothing is left to act on.
pub(crate) const EXHAUSTED_PERCENT: u64 = 95;

/// From this share of the limit on, a busy day is enough.
pub(crate) const LOW_PERCENT: u64 = 80;

pub(super) fn state(facts: &Facts, node: &NodeProfile) -> (Status, Vec<Missing>) {
    let inotify = &facts.inotify;
    if leaks_perhaps(facts, node) {
        return (Status::Undecided, vec![Wanted::CgroupMode.missing()]);
    }
    // No rule fired, so a limit that was read is high enough.
    if instance_limits(inotify).next().is_some() {
        return (Status::Ok, Vec::new());
    }
    let counted = !inotify.instances_used.is_empty() || !inotify.watches_used.is_empty();
    let counted = counted || !inotify.inflated_counts.is_empty();
    let intended = inotify.intended_instances.is_some() || inotify.intended_watches.is_some();
    if counted || intended || inotify.max_watches.is_some() {
        return (Status::Undecided, vec![Wanted::InotifyLimits.missing()]);
    }
    (Status::NoEvidence, Vec::new())
}

/// A containerd that leaks instances on cgroup v2, on a node whose mode is unknown.
fn leaks_perhaps(facts: &Facts, node: &NodeProfile) -> bool {
    let leaks = facts.versions.containerd.iter().any(|version| version.value.containerd_leaks_inotify() == Some(true));
    leaks && node.mode(&facts.cgroups).is_none()
}

/// What a node needs, and for which pods.
pub(crate) struct Need<'a> {
    pub(crate) instances: u64,
    pub(crate) pods: PodsOfNode<'a>,
}

impl Need<'_> {
    /// How many pods this need takes for granted because nothing tells how many the node may take.
    pub(crate) fn assumed_pods(&self, settings: &Settings) -> Option<u64> {
        match self.pods {
            PodsOfNode::Max(pods, None) if settings.node.max_pods.is_none() => Some(pods),
            _ => None,
        }
    }
}

/// The pods that a need was computed for.
pub(crate) enum PodsOfNode<'a> {
    /// As many as run on one node.
    Running(u64),
    /// As many as a node may take, and where that was read.
    Max(u64, Option<&'a Place>),
}

impl PodsOfNode<'_> {
    /// How many pods.
    pub(crate) const fn count(&self) -> u64 {
        match self {
            Self::Running(pods) | Self::Max(pods, _) => *pods,
        }
    }
}

/// What this node needs: for the pods that it runs, when all of them were shown; else for all that it may take, or what
/// runs if that is more already.
pub(crate) fn need<'a>(facts: &'a Facts, settings: &Settings) -> Need<'a> {
    let read = facts.nodes.max_pods.iter().max_by_key(|found| found.value).filter(|_| settings.node.max_pods.is_none());
    let max_pods = settings.node.max_pods.or(read.map(|found| found.value)).unwrap_or(DEFAULT_MAX_PODS);
    let full = Need {
        instances: instances_of_full_node(settings.node.mode(&facts.cgroups), max_pods),
        pods: PodsOfNode::Max(max_pods, read.map(|found| &found.place)),
    };
    match fullest_node(facts, &settings.node) {
        Some(node) if node.is_complete() && settings.node.max_pods.is_none() || node.need() > full.instances => {
            Need { instances: node.need(), pods: PodsOfNode::Running(node.pods) }
        }
        _ => full,
    }
}

/// Pods seen to run on one node.
#[derive(Default)]
struct NodeLoad<'a> {
    instances: u64,
    pods: u64,
    namespaces: BTreeSet<Option<&'a str>>,
}

impl NodeLoad<'_> {
    fn need(&self) -> u64 {
        self.instances.saturating_add(BASE)
    }

    /// A listing of one namespace leaves out others, which every node has: kube-system runs on all of them.
    fn is_complete(&self) -> bool {
        self.namespaces.len() > 1
    }
}

/// The node whose pods were seen to need most.
fn fullest_node<'a>(facts: &'a Facts, node: &NodeProfile) -> Option<NodeLoad<'a>> {
    let (mode, runtime) = (node.mode(&facts.cgroups), node.runtime(&facts.versions));
    let mut nodes: BTreeMap<&str, NodeLoad> = BTreeMap::new();
    for pod in &facts.pods {
        let Some(node) = pod.node.as_deref() else { continue };
        let runs = pod.containers.iter().filter(|container| matches!(container.role, Role::Regular | Role::Sidecar));
        let containers = u64::try_from(runs.count()).unwrap_or(u64::MAX);
        let load = nodes.entry(node).or_default();
        load.instances = load.instances.saturating_add(instances_of_pod(mode, runtime, containers));
        load.pods = load.pods.saturating_add(1);
        load.namespaces.insert(pod.namespace.as_deref());
    }
    nodes.into_values().max_by_key(|load| load.instances)
}

/// A limit on instances that ends the trouble: what distributions set, what the node needs, and never less than twice
/// what was not enough.
pub(crate) fn target_instances(inotify: &Inotify, need: &Need) -> u64 {
    let present = instance_limits(inotify).map(|(limit, _)| limit).max().unwrap_or(0);
    need.instances.max(present.saturating_mul(2)).max(ENOUGH_INSTANCES)
}

/// A limit on watches that ends the trouble: what distributions set, and never less than twice what was not enough.
pub(crate) fn target_watches(inotify: &Inotify) -> u64 {
    let known = inotify.max_watches.iter().chain(&inotify.earlier_watches).map(|limit| limit.value);
    known.max().unwrap_or(0).saturating_mul(2).max(ENOUGH_WATCHES)
}

/// The limit under which instances suffice since the kernel refused one: it was raised after that, or a count that was
/// made after that is well below it.
pub(crate) fn recovered<'a>(facts: &'a Facts, need: &Need) -> Option<Recovered<'a>> {
    let inotify = &facts.inotify;
    let limit = inotify.max_instances.as_ref().filter(|limit| limit.value >= need.instances)?;
    let loads = instance_loads(inotify);
    if loads.iter().any(|load| load.percent() >= LOW_PERCENT) {
        return None;
    }
    let Some(refusal) = last_refusal(inotify) else {
        return overcome(inotify, InotifyError::Instances).next().map(|_| Recovered { limit, used: None });
    };
    let is_proof =
        |load: &&Load| !load.used.value.at_least && load.may_be_of_root() && load.used.place.is_after(refusal);
    let used = loads.iter().find(is_proof).filter(|_| !facts.foreign_log)?.used;
    limit.place.is_after(refusal).then_some(Recovered { limit, used: Some(used) })
}

/// The limit under which watches suffice since the kernel refused one: it was raised after that.
pub(crate) fn watches_recovered(inotify: &Inotify) -> Option<&Found<u64>> {
    let is_low = refused(inotify, InotifyError::Watches)
        || watch_loads(inotify).iter().any(|load| load.percent() >= LOW_PERCENT);
    let limit = inotify.max_watches.as_ref().filter(|limit| !is_low && limit.value >= ENOUGH_WATCHES)?;
    overcome(inotify, InotifyError::Watches).next().map(|_| limit)
}

/// Messages of a limit that was raised later.
pub(crate) fn overcome(inotify: &Inotify, limit: InotifyError) -> impl Iterator<Item = &Place> {
    inotify.overcome.iter().filter(move |error| error.value == limit).map(|error| &error.place)
}

/// See [`recovered`].
pub(crate) struct Recovered<'a> {
    pub(crate) limit: &'a Found<u64>,
    pub(crate) used: Option<&'a Found<InUse>>,
}

/// The last message that says an instance was refused.
pub(crate) fn last_refusal(inotify: &Inotify) -> Option<&Place> {
    let refusals = inotify.errors.iter().filter(|error| error.value == InotifyError::Instances);
    refusals.map(|error| &error.place).max()
}

/// One user has, or a sum over all has, nearly reached the limit on instances, or the kernel refused one.
pub(crate) fn instances_exhausted(inotify: &Inotify) -> bool {
    exhausted(&instance_loads(inotify)) || refused(inotify, InotifyError::Instances)
}

/// The same of watches.
pub(crate) fn watches_exhausted(inotify: &Inotify) -> bool {
    exhausted(&watch_loads(inotify)) || refused(inotify, InotifyError::Watches)
}

fn exhausted(loads: &[Load]) -> bool {
    loads.iter().any(|load| load.percent() >= EXHAUSTED_PERCENT)
}

fn refused(inotify: &Inotify, limit: InotifyError) -> bool {
    inotify.errors.iter().any(|error| error.value == limit)
}

/// Limits on instances with their places: the live sysctl, else whatever a count was printed with.
pub(crate) fn instance_limits(inotify: &Inotify) -> impl Iterator<Item = (u64, &Place)> {
    let live = inotify.max_instances.iter().map(|limit| (limit.value, &limit.place));
    let printed = inotify.instances_used.iter().filter_map(|used| Some((used.value.limit?, &used.place)));
    live.chain(printed.filter(|_| inotify.max_instances.is_none()))
}

/// A count and the limit that it is held against.
pub(crate) struct Load<'a> {
    pub(crate) used: &'a Found<InUse>,
    pub(crate) limit: u64,
}

/// Instances in use against their limit, fullest first. Without any limit in the paste nothing is assumed, unless the
/// kernel refused an instance: then the default that every kernel has is in force.
pub(crate) fn instance_loads(inotify: &Inotify) -> Vec<Load<'_>> {
    let refused = refused(inotify, InotifyError::Instances);
    let live = inotify.max_instances.as_ref().map(|limit| limit.value);
    loads(&inotify.instances_used, live, refused.then_some(DEFAULT_MAX_INSTANCES))
}

/// Watches in use against their limit, fullest first.
pub(crate) fn watch_loads(inotify: &Inotify) -> Vec<Load<'_>> {
    loads(&inotify.watches_used, inotify.max_watches.as_ref().map(|limit| limit.value), None)
}

fn loads(counts: &[Found<InUse>], live: Option<u64>, assumed: Option<u64>) -> Vec<Load<'_>> {
    let mut loads: Vec<Load> = counts
        .iter()
        .filter_map(|used| Some(Load { used, limit: live.or(used.value.limit).or(assumed)? }))
        .filter(|load| load.limit > 0)
        .collect();
    // The kernel counts per user, so a sum over all users says little next to complete counts of each of them.
    let complete = loads.iter().any(|load| load.is_of_one_user() && !load.used.value.at_least);
    loads.retain(|load| load.is_of_one_user() || !complete);
    order::sort_by(&mut loads, |a, b| b.percent().cmp(&a.percent()));
    loads
}

impl Load<'_> {
    /// How full the limit is.
    pub(crate) fn percent(&self) -> u64 {
        self.used.value.count.saturating_mul(100).checked_div(self.limit).unwrap_or(0)
    }

    /// The smallest limit under which this use would not be called low.
    pub(crate) fn least_limit(&self) -> u64 {
        self.used.value.count.saturating_mul(100) / LOW_PERCENT + 1
    }

    /// False for a sum over all users, which is only an upper bound for each of them.
    pub(crate) fn is_of_one_user(&self) -> bool {
        self.used.value.whose != Whose::Everyone
    }

    /// Whether it counts those of root, who runs kubelet and the shims.
    fn may_be_of_root(&self) -> bool {
        match &self.used.value.whose {
            Whose::Everyone => true,
            Whose::Uid(uid) => *uid == 0,
            Whose::User(name) => name == "root",
        }
    }

    /// `UID 0` or `root`; `None` for all users together.
    pub(crate) fn user(&self) -> Option<String> {
        match &self.used.value.whose {
            Whose::Uid(uid) => Some(format!("UID {uid}")),
            Whose::User(name) => Some(name.clone()),
            Whose::Everyone => None,
        }
    }

    /// The count as read: `UID 0: 127/128`, with `Σ UID` for all users together and `>=` for a partial list.
    pub(crate) fn evidence(&self, percent: u64) -> Evidence {
        let whose = self.user().unwrap_or_else(|| "Σ UID".to_owned());
        let at_least = if self.used.value.at_least { ">= " } else { "" };
        let allowed = u128::from(self.limit) * u128::from(percent);
        let allowed = allowed.div_ceil(100);
        let observed = format!("{whose}: {at_least}{}/{}", self.used.value.count, self.limit);
        Evidence::new(&self.used.place, observed, format!("< {allowed} ({percent}%)"))
    }
}

#[cfg(test)]
mod tests {
    use super::state as state_on;
    use crate::facts::{CgroupMode, Facts, InUse, Whose};
    use crate::fixture::{found, version};
    use crate::report::{Missing, Status, Wanted};
    use crate::settings::NodeProfile;

    fn state(facts: &Facts) -> (Status, Vec<Missing>) {
        state_on(facts, &NodeProfile::default())
    }

    fn used(count: u64, limit: Option<u64>) -> InUse {
        InUse { count, whose: Whose::Everyone, at_least: false, limit }
    }

    #[test]
    fn a_limit_that_is_high_enough_decides() {
        let mut facts = Facts::default();
        facts.inotify.max_instances = Some(found(8192));
        assert_eq!(state(&facts).0, Status::Ok);

        let mut facts = Facts::default();
        facts.inotify.instances_used = vec![found(used(18, Some(8192)))];
        assert_eq!(state(&facts).0, Status::Ok);
    }

    #[test]
    fn counts_watches_and_intended_values_alone_ask_for_the_limits() {
        let limits = (Status::Undecided, vec![Wanted::InotifyLimits.missing()]);
        let mut facts = Facts::default();
        facts.inotify.instances_used = vec![found(used(17, None))];
        assert_eq!(state(&facts), limits);

        let mut facts = Facts::default();
        facts.inotify.max_watches = Some(found(524_288));
        assert_eq!(state(&facts), limits);

        let mut facts = Facts::default();
        facts.inotify.intended_instances = Some(found(8192));
        assert_eq!(state(&facts), limits);
    }

    #[test]
    fn a_leaking_containerd_asks_for_the_mode() {
        let mut facts = Facts::default();
        facts.versions.containerd = vec![version("1.5.8")];
        assert_eq!(state(&facts), (Status::Undecided, vec![Wanted::CgroupMode.missing()]));
        facts.cgroups.modes = vec![found(CgroupMode::V1)];
        assert_eq!(state(&facts).0, Status::NoEvidence);
    }

    #[test]
    fn nothing_is_no_evidence() {
        let mut facts = Facts::default();
        facts.cgroups.modes = vec![found(CgroupMode::V1)];
        facts.versions.containerd = vec![version("1.7.2")];
        assert_eq!(state(&facts).0, Status::NoEvidence);
    }
}
