//! How many inotify instances a node needs, and the limits that kernels and kubelet come with.

use crate::facts::CgroupMode;

/// `fs.inotify.max_user_instances` of every kernel (`fs/notify/inotify/inotify_user.c`, `inotify_user_setup`).
pub const DEFAULT_MAX_INSTANCES: u64 = 128;

/// `fs.inotify.max_user_watches` of kernels before 5.11, and of later ones on machines with very little memory.
pub const OLD_MAX_WATCHES: u64 = 8192;

/// What most distributions for Kubernetes set: EKS, Bottlerocket, OpenShift, Talos, kOps.
pub const ENOUGH_INSTANCES: u64 = 8192;

/// What EKS and Bottlerocket set, and guides advise.
pub const ENOUGH_WATCHES: u64 = 524_288;

/// kubelet's `maxPods` (`pkg/kubelet/apis/config/v1beta1/defaults.go`).
pub const DEFAULT_MAX_PODS: u64 = 110;

/// Instances of root on a node before any pod runs: systemd, udev, kubelet with cAdvisor, containerd, the usual agents.
pub const BASE: u64 = 25;

/// What watches containers for memory events on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runtime {
    /// containerd's shim, which also watches the pause container. An unknown runtime counts as this one.
    Containerd,
    /// CRI-O's conmon, one for each container; pods have no pause container unless they need one.
    Crio,
}

impl Runtime {
    /// Both runtimes with the names that users give them by.
    pub const ALL: [(Self, &'static str); 2] = [(Self::Containerd, "containerd"), (Self::Crio, "cri-o")];
}

/// Instances that a pod with so many running containers needs. On cgroup v2 there is one per container; on v1 eventfd
/// does the work (containerd `pkg/oom/v2`, containerd/cgroups `memory.go`, conmon `src/cgroup.c`). An unknown mode counts
/// as v2.
#[must_use]
pub const fn instances_of_pod(mode: Option<CgroupMode>, runtime: Runtime, containers: u64) -> u64 {
    match (mode, runtime) {
        (Some(CgroupMode::V1), _) => 0,
        (_, Runtime::Containerd) => containers.saturating_add(1),
        (_, Runtime::Crio) => containers,
    }
}

/// Instances that a node needs for as many pods as it may take, at two for each: one container and what watches the pod
/// around it, or two containers.
#[must_use]
pub const fn instances_of_full_node(mode: Option<CgroupMode>, max_pods: u64) -> u64 {
    max_pods.saturating_mul(instances_of_pod(mode, Runtime::Containerd, 1)).saturating_add(BASE)
}

#[cfg(test)]
mod tests {
    use super::{DEFAULT_MAX_PODS, Runtime, instances_of_full_node, instances_of_pod};
    use crate::facts::CgroupMode;

    /// On v2, containerd's shim takes one per container and one for the pause container (`pkg/oom/v2` up to 2.2,
    /// `internal/oom/watcher.go` from 2.3 on), conmon one per container (`src/cgroup.c`, `setup_oom_handling_cgroup_v2`);
    /// on v1 both use eventfd (containerd/cgroups `memory.go`).
    #[test]
    fn instances_by_mode_runtime_and_containers() {
        let (v1, v2) = (Some(CgroupMode::V1), Some(CgroupMode::V2));
        for (mode, runtime, containers, instances) in [
            (v2, Runtime::Containerd, 1, 2),
            (v2, Runtime::Containerd, 2, 3),
            (v2, Runtime::Containerd, 6, 7),
            (None, Runtime::Containerd, 3, 4),
            (v1, Runtime::Containerd, 3, 0),
            (v2, Runtime::Crio, 1, 1),
            (v2, Runtime::Crio, 3, 3),
            (v1, Runtime::Crio, 3, 0),
        ] {
            assert_eq!(instances_of_pod(mode, runtime, containers), instances, "{mode:?} {runtime:?} {containers}");
        }
        assert_eq!(instances_of_pod(v2, Runtime::Containerd, u64::MAX), u64::MAX);
    }

    /// 110 pods are kubelet's default; with two instances each they need 220, and the system takes some itself.
    #[test]
    fn a_full_node_needs_two_per_pod_and_what_the_system_takes() {
        assert_eq!(instances_of_full_node(None, DEFAULT_MAX_PODS), 245);
        assert_eq!(instances_of_full_node(Some(CgroupMode::V2), 250), 525);
        assert_eq!(instances_of_full_node(Some(CgroupMode::V1), DEFAULT_MAX_PODS), 25);
        assert_eq!(instances_of_full_node(None, u64::MAX), u64::MAX);
    }
}
