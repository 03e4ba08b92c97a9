//! What was read: typed facts, each with the place it came from. Rules see nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::kubernetes::limit_range::LimitRange;
use crate::kubernetes::node_memory::Reservations;
use crate::kubernetes::platform::{Family, Platform};
use crate::kubernetes::pod::PodTemplate;
use crate::kubernetes::version::Version;
use crate::report::Place;

/// A value and where it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Found<T> {
    /// The value.
    pub value: T,
    /// Where it was read.
    pub place: Place,
    /// The machine that it is about.
    pub host: Host,
}

impl<T> Found<T> {
    /// True when the text says which machine the value is about.
    pub(crate) fn has_host(&self) -> bool {
        self.host != Host::default()
    }

    /// Whether this was read later than `earlier`, perhaps on the same machine.
    pub(crate) fn is_since<U>(&self, earlier: &Found<U>) -> bool {
        self.may_share_node(earlier) && self.place.is_after(&earlier.place)
    }

    /// False when the text says that the two values are about different machines.
    pub fn may_share_node<U>(&self, other: &Found<U>) -> bool {
        self.host.may_be(other.host)
    }
}

/// A machine that a value is about, as far as a prompt, a heading or a row names one. The default is an unknown one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Host(u64);

impl Host {
    /// The machine of that name or IP address; `n1.example.com` is `n1` as well. What can be no name is an unknown one.
    #[must_use]
    pub fn named(name: &str) -> Self {
        if name.is_empty()
            || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_'))
        {
            return Self::default();
        }
        let address = name.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let label = if address { name } else { name.split('.').next().unwrap_or(name) };
        let mut hasher = DefaultHasher::new();
        label.to_ascii_lowercase().hash(&mut hasher);
        Self(hasher.finish())
    }

    /// False when the two are known to differ.
    #[must_use]
    pub fn may_be(self, other: Self) -> bool {
        self == other || [self, other].contains(&Self::default())
    }
}

/// All facts of one check, in reading order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// Every pod template of every object, `Pod` itself included.
    pub pods: Vec<PodTemplate>,
    /// Pieces that speak of memory volumes but are no whole manifest.
    pub sketches: Vec<Found<Sketch>>,
    /// What the cluster gives to pods or asks of them.
    pub cluster: Cluster,
    /// What nodes have room for.
    pub nodes: Nodes,
    /// inotify limits, use and errors.
    pub inotify: Inotify,
    /// cgroup mode, v1 controllers, and deletions that failed.
    pub cgroups: Cgroups,
    /// Whether a log names another machine than the one that it was shown on, so that its errors and the values read there
    /// need not belong together.
    pub foreign_log: bool,
    /// Memory cgroups and kernel-memory accounting.
    pub memcg: Memcg,
    /// Versions of what runs on the node.
    pub versions: Versions,
    /// What each machine has one of at a time; the worst counts where several are looked at as one.
    pub readings: BTreeMap<(Gauge, Host), Found<u64>>,
    /// Names of machines.
    pub names: BTreeMap<Host, String>,
    /// Names of nodes as the cluster has them: a prompt may show another form. None where two of them begin alike.
    pub nodes_by_host: BTreeMap<Host, Option<String>>,
    /// The machines whose own shell or log was seen.
    pub visited: BTreeSet<Host>,
}

/// What a node has one value of at a time: the last one read counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gauge {
    /// [`Inotify::max_instances`].
    MaxInstances,
    /// [`Inotify::max_watches`].
    MaxWatches,
    /// [`Inotify::intended_instances`].
    IntendedInstances,
    /// [`Inotify::intended_watches`].
    IntendedWatches,
    /// [`Inotify::earlier_watches`].
    EarlierWatches,
    /// [`Memcg::num_cgroups`].
    MemoryCgroups,
    /// [`Memcg::directories`].
    Directories,
    /// [`Memcg::containers`].
    Containers,
}

impl Gauge {
    /// Whether `known` is worse than `other`: a lower limit, a higher count.
    pub(crate) fn is_worse(self, known: &Found<u64>, other: &Found<u64>) -> bool {
        match self {
            Self::MaxInstances | Self::MaxWatches | Self::IntendedInstances | Self::IntendedWatches => {
                known.value < other.value
            }
            Self::EarlierWatches | Self::MemoryCgroups | Self::Directories | Self::Containers => {
                known.value > other.value
            }
        }
    }
}

impl Facts {
    /// Of several machines the worst reading decides, and of several versions on one machine the last that was read.
    pub(crate) fn settle(&mut self) {
        let Versions { kubelet, runc, containerd, crio, kernel, earlier_kernels, .. } = &mut self.versions;
        for versions in [kubelet, runc, containerd, crio] {
            keep_last_of_each_host(versions);
        }
        earlier_kernels.extend(keep_last_of_each_host(kernel));
        let (inotify, memcg) = (&mut self.inotify, &mut self.memcg);
        // Those of another choice of machines must not stay.
        for kept in [
            &mut inotify.max_instances,
            &mut inotify.max_watches,
            &mut inotify.intended_instances,
            &mut inotify.intended_watches,
            &mut inotify.earlier_watches,
            &mut memcg.num_cgroups,
            &mut memcg.directories,
            &mut memcg.containers,
        ] {
            *kept = None;
        }
        for (&(gauge, _), found) in &self.readings {
            let kept = match gauge {
                Gauge::MaxInstances => &mut inotify.max_instances,
                Gauge::MaxWatches => &mut inotify.max_watches,
                Gauge::IntendedInstances => &mut inotify.intended_instances,
                Gauge::IntendedWatches => &mut inotify.intended_watches,
                Gauge::EarlierWatches => &mut inotify.earlier_watches,
                Gauge::MemoryCgroups => &mut memcg.num_cgroups,
                Gauge::Directories => &mut memcg.directories,
                Gauge::Containers => &mut memcg.containers,
            };
            if !kept.as_ref().is_some_and(|known| gauge.is_worse(known, found)) {
                *kept = Some(found.clone());
            }
        }
        // The kernel counts every directory, so a count of far fewer cgroups is of a time when they were gone.
        let is_outdated = |live: &mut Found<u64>| {
            memcg.num_cgroups.as_ref().is_some_and(|all| all.value < live.value / 2 && all.is_since(live))
        };
        memcg.directories.take_if(is_outdated);
    }

    /// The family of distributions that all kernels which were seen are built by; `None` when one is not known.
    pub(crate) fn family(&self) -> Option<Family> {
        let mut families = self.versions.kernel.iter().map(|found| Family::of_kernel(&found.value));
        let first = families.next()??;
        families.all(|family| family == Some(first)).then_some(first)
    }

    /// The cluster has a node of this name.
    pub(crate) fn know_node(&mut self, name: &str) {
        let host = Host::named(name);
        // Commands alone name it, and a policy shows none.
        if cfg!(feature = "texts") && host != Host::default() {
            // Two nodes of one host name are told apart by nothing else.
            let known = self.nodes_by_host.entry(host).or_insert_with(|| Some(name.to_owned()));
            known.take_if(|known| *known != name);
        }
    }

    /// What all nodes that were seen are installed from; `None` when nothing tells, or when they differ.
    #[must_use]
    pub fn platform(&self) -> Option<Platform> {
        let kubelets = self.versions.kubelet.iter().filter_map(|found| Platform::of_kubelet(&found.value));
        let kernels = self.versions.kernel.iter().filter_map(|found| Platform::of_kernel(&found.value));
        let mut platforms = self.nodes.platforms.iter().map(|found| found.value).chain(kubelets).chain(kernels);
        let first = platforms.next()?;
        platforms.all(|platform| platform == first).then_some(first)
    }
}

/// What is not known to be of one machine stays. Returns the others.
fn keep_last_of_each_host(versions: &mut Vec<Found<Version>>) -> Vec<Found<Version>> {
    let mut seen = BTreeSet::new();
    versions.reverse();
    let is_earlier = |version: &mut Found<Version>| version.has_host() && !seen.insert(version.host);
    let earlier = versions.extract_if(.., is_earlier).collect();
    versions.reverse();
    earlier
}

/// A piece that speaks of a memory volume but cannot be judged as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sketch {
    /// Helm, Go or Jinja template: render it first.
    Template,
    /// A diff or a strategic-merge patch: parts of two versions.
    Diff,
    /// Volumes without the containers that mount them, or the other way round.
    Fragment,
    /// YAML whose indentation was lost in copying.
    IndentationLost,
    /// YAML or JSON that its parser refuses, yet a memory volume is named in it.
    Broken,
    /// Values of a chart or another tool's own schema, which only later become a pod.
    Values,
    /// A memory volume that no container in the text mounts, in a template that asks a webhook to inject containers.
    Injected,
    /// Output of `kubectl describe`, which shows volumes without the manifest.
    Described,
}

/// What the cluster gives to pods or asks of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cluster {
    /// Names of namespaces.
    pub namespaces: Vec<Found<String>>,
    /// Memory defaults for containers.
    pub limit_ranges: Vec<Found<LimitRange>>,
    /// Quotas that refuse pods without memory limits.
    pub memory_quotas: Vec<Found<MemoryQuota>>,
}

/// A ResourceQuota with `limits.memory`: a pod with a container without a memory limit is refused ("must specify
/// limits.memory").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryQuota {
    /// Its name.
    pub name: String,
    /// Its namespace, when the object says.
    pub namespace: Option<String>,
}

/// What nodes are and have room for; several nodes give several entries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Nodes {
    /// kubelet's `maxPods`, from its configuration or the Node's capacity.
    pub max_pods: Vec<Found<u64>>,
    /// Allocatable memory in bytes.
    pub allocatable_memory: Vec<Found<u128>>,
    /// All of a node's memory in bytes.
    pub memory_capacity: Vec<Found<u128>>,
    /// Memory that kubelet keeps from pods.
    pub reservations: Vec<Found<Reservations>>,
    /// What nodes are installed from, where something tells.
    pub platforms: Vec<Found<Platform>>,
}

/// inotify limits, use and errors (kernel `fs/notify/inotify/inotify_user.c`, `kernel/ucount.c`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inotify {
    /// Live `fs.inotify.max_user_instances` (`user.max_inotify_instances` is the same variable in the initial user
    /// namespace); the last live value wins.
    pub max_instances: Option<Found<u64>>,
    /// Live `fs.inotify.max_user_watches`.
    pub max_watches: Option<Found<u64>>,
    /// A value that is only written down for later.
    pub intended_instances: Option<Found<u64>>,
    /// A value that is only written down for later.
    pub intended_watches: Option<Found<u64>>,
    /// Live readings of `max_user_watches` that a later, lower one replaced.
    pub earlier_watches: Option<Found<u64>>,
    /// Counts of instances in use.
    pub instances_used: Vec<Found<InUse>>,
    /// Counts that must not be compared with the limit: lsof lists a descriptor once per thread.
    pub inflated_counts: Vec<Found<()>>,
    /// Counts of watches in use.
    pub watches_used: Vec<Found<InUse>>,
    /// Messages that say a limit was hit.
    pub errors: Vec<Found<InotifyError>>,
    /// Those of a limit that was raised later.
    pub overcome: Vec<Found<InotifyError>>,
}

/// A count of inotify instances or watches in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InUse {
    /// How many.
    pub count: u64,
    /// Whose. The kernel counts per UID.
    pub whose: Whose,
    /// True when the list may leave processes out (a `grep` behind it, or one line of a longer list): the real count
    /// is at least this.
    pub at_least: bool,
    /// The limit, when the same line names it (`129/128`).
    pub limit: Option<u64>,
}

/// Whose instances or watches were counted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Whose {
    /// One user id.
    Uid(u32),
    /// One user name.
    User(String),
    /// All users together: an upper bound for each of them.
    Everyone,
}

/// Which inotify limit a message says was hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InotifyError {
    /// EMFILE from `inotify_init`: instances.
    Instances,
    /// ENOSPC from `inotify_add_watch`: watches.
    Watches,
}

/// How cgroups are mounted on the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CgroupMode {
    /// v1, or hybrid: controllers are separate trees.
    V1,
    /// v2 unified: `cgroup2` is mounted on `/sys/fs/cgroup`.
    V2,
}

impl CgroupMode {
    /// Both modes with the names that users give them by.
    pub const ALL: [(Self, &'static str); 2] = [(Self::V1, "v1"), (Self::V2, "v2")];
}

/// cgroup mode, v1 controllers, and deletions that failed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cgroups {
    /// What decides the mode; later entries do not overrule earlier ones, both may be there for two nodes.
    pub modes: Vec<Found<CgroupMode>>,
    /// v1 controllers seen mounted (a hierarchy of their own), by kernel name.
    pub v1_controllers: Vec<Found<String>>,
    /// What is known of the misc controller; the last entry counts.
    pub misc: Vec<Found<Misc>>,
    /// "Failed to delete cgroup paths" and its kin, one per log line.
    pub delete_errors: Vec<Found<DeleteError>>,
    /// kubelet has found cgroups of pods that are gone ("Orphaned pod found, removing pod cgroups").
    pub orphans: Vec<Found<()>>,
    /// Processes in state D (uninterruptible) that may hold a slice, such as `runc init`: the id of each, and in brackets
    /// where it waits or what it is, as far as known.
    pub stuck_processes: Vec<Found<String>>,
    /// Pods whose directories a listing of all trees shows in the misc tree alone.
    pub left_in_misc: Vec<Found<String>>,
    /// Processes in the slices of pods.
    pub processes: Vec<Found<ProcessOfPod>>,
}

impl Cgroups {
    /// A node on cgroup v1 was seen: its mode, or a controller with a tree of its own.
    #[must_use]
    pub fn v1(&self) -> Option<&Place> {
        let mode = self.modes.iter().find(|mode| mode.value == CgroupMode::V1).map(|mode| &mode.place);
        let controller = self.v1_controllers.first().map(|controller| &controller.place);
        mode.or(controller).or_else(|| self.misc_tree().map(|misc| &misc.place))
    }

    /// A node on cgroup v2 was seen.
    #[must_use]
    pub fn v2(&self) -> Option<&Place> {
        self.modes.iter().find(|mode| mode.value == CgroupMode::V2).map(|mode| &mode.place)
    }

    /// Pods were seen to use the misc tree. Every line of a log or of a listing says so; one of a machine is enough.
    pub(crate) fn pods_use_misc(&mut self, found: Found<Misc>) {
        if self.misc.last().is_none_or(|last| last.value != found.value || last.host != found.host) {
            self.misc.push(found);
        }
    }

    /// The v1 tree of the misc controller, when there is one.
    #[must_use]
    pub fn misc_tree(&self) -> Option<&Found<Misc>> {
        self.misc.last().filter(|misc| misc.value != Misc::Absent)
    }
}

/// What is known of the v1 misc controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misc {
    /// It has a v1 hierarchy.
    Mounted,
    /// Pods have directories in it, so the runtime is misc-aware.
    UsedByPods,
    /// A whole listing shows that it has no v1 hierarchy.
    Absent,
}

/// A log line that says kubelet could not delete a pod's cgroups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeleteError {
    /// The pod's id as logged, shortened where the log was cut; empty when the line does not name one.
    pub pod: String,
    /// What the error text itself says.
    pub cause: DeleteCause,
}

/// A process in the slice of a pod, as `systemd-cgls` lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessOfPod {
    /// The pod's id.
    pub pod: String,
    /// The process's id, and in brackets what it is.
    pub process: String,
}

/// What the error text of a failed deletion says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeleteCause {
    /// "Timed out while waiting for systemd to remove …slice".
    SystemdTimeout,
    /// "device or resource busy" on a v2 path.
    BusyV2,
    /// "device or resource busy" on a v1 path.
    BusyV1,
    /// No further text, or another one.
    Other,
}

/// Memory cgroups and kernel-memory accounting.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memcg {
    /// `num_cgroups` of the memory row of `/proc/cgroups`, the last table that was pasted.
    pub num_cgroups: Option<Found<u64>>,
    /// Live directories counted under the memory controller (or the v2 tree).
    pub directories: Option<Found<u64>>,
    /// Containers or pods counted on the node.
    pub containers: Option<Found<u64>>,
    /// A memory cgroup could not be created; the value is the error text.
    pub mkdir_errors: Vec<Found<String>>,
    /// "SLUB: Unable to allocate memory" and other signs of kernel-memory accounting at its end.
    pub kmem_errors: Vec<Found<()>>,
    /// `memory.kmem.slabinfo` or leftovers that show kernel-memory accounting is on.
    pub kmem_in_use: Vec<Found<()>>,
    /// The running kernel's command line, and whether `cgroup.memory=nokmem` is in it.
    pub nokmem: Vec<Found<bool>>,
    /// `cgroup.memory=nokmem` in a file that takes effect later.
    pub nokmem_intended: Vec<Found<()>>,
    /// Those of them that stand in the boot loader's own file.
    pub nokmem_configured: Vec<Found<()>>,
    /// The boot loader's own configuration was written anew, so that what its file says holds from the next boot on.
    pub boot_loader_written: Vec<Found<()>>,
    /// A scheduled `drop_caches`.
    pub drop_caches: Vec<Found<()>>,
}

impl Memcg {
    /// Whether the running kernel was booted without kernel-memory accounting; `None` when its command line was not
    /// seen. The last one counts.
    #[must_use]
    pub fn runs_without_kmem(&self) -> Option<bool> {
        self.nokmem.last().map(|found| found.value)
    }
}

/// Versions of what runs on the node; several nodes give several entries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Versions {
    /// kubelet (or the VERSION column of `kubectl get nodes`).
    pub kubelet: Vec<Found<Version>>,
    /// runc, as installed on the node (not the one kubelet was built with).
    pub runc: Vec<Found<Version>>,
    /// containerd.
    pub containerd: Vec<Found<Version>>,
    /// CRI-O.
    pub crio: Vec<Found<Version>>,
    /// Linux.
    pub kernel: Vec<Found<Version>>,
    /// Kernels that a machine ran before another one, so that it has been booted since.
    pub earlier_kernels: Vec<Found<Version>>,
    /// kube-apiserver, which is of the cluster and of no machine in particular.
    pub apiserver: Option<Version>,
}
