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

    /// containerd `EventChan`: one instance per container and one for the pause container; 110 pods is kubelet's default.
    #[test]
    fn two_per_pod_on_v2_and_none_on_v1() {
        assert_eq!(instances_of_full_node(None, DEFAULT_MAX_PODS), 245);
        assert_eq!(instances_of_full_node(Some(CgroupMode::V2), 250), 525);
        assert_eq!(instances_of_full_node(Some(CgroupMode::V1), DEFAULT_MAX_PODS), 25);
        assert_eq!(instances_of_full_node(None, u64::MAX), u64::MAX);
    }

    /// conmon's `setup_oom_handling_cgroup_v2` takes one per container.
    #[test]
    fn the_pause_container_counts_with_containerd_alone() {
        assert_eq!(instances_of_pod(Some(CgroupMode::V2), Runtime::Containerd, 3), 4);
        assert_eq!(instances_of_pod(Some(CgroupMode::V2), Runtime::Crio, 3), 3);
        assert_eq!(instances_of_pod(Some(CgroupMode::V1), Runtime::Crio, 3), 0);
    }
}
