//! How many inotify instances a node needs, and the limits that kernels and kubelet come with.

use crate::facts::CgroupMode;

/// `fs.inotify.max_user_instances` of every kernel (`fs/notify/inotify/inotify_user.c`, `inotify_user_setup`).
pub const DEFAULT_MAX_INSTANCES: u64 = 128;

/// `fs.inotify.max_user_watches` of kernels before 5.11, and of later ones on machines with very little memory.
pub const OLD_MAX_WATCHES: u64 = 8192;

/// kubelet's `maxPods` (`pkg/kubelet/apis/config/v1beta1/defaults.go`).
pub const DEFAULT_MAX_PODS: u64 = 110;

/// Instances of root on a node before any pod runs: systemd, udev, kubelet with cAdvisor, containerd, the usual agents.
const BASE: u64 = 25;

/// Instances that root needs on a node with `max_pods` pods. On cgroup v2 containerd's shim holds one per container,
/// the pause container included, so two for the smallest pod; on v1 it uses eventfd and holds none (containerd
/// `pkg/oom/v2`, containerd/cgroups `memory.go`). An unknown mode counts as v2.
#[must_use]
pub const fn needed_instances(mode: Option<CgroupMode>, max_pods: u64) -> u64 {
    match mode {
        Some(CgroupMode::V1) => BASE,
        Some(CgroupMode::V2) | None => max_pods.saturating_mul(2).saturating_add(BASE),
    }
}

#[cfg(test)]
mod tests {
    use super::{DEFAULT_MAX_PODS, needed_instances};
    use crate::facts::CgroupMode;

    /// containerd `EventChan`: one instance per container and one for the pause container; 110 pods is kubelet's default.
    #[test]
    fn two_per_pod_on_v2_and_none_on_v1() {
        assert_eq!(needed_instances(None, DEFAULT_MAX_PODS), 245);
        assert_eq!(needed_instances(Some(CgroupMode::V2), 250), 525);
        assert_eq!(needed_instances(Some(CgroupMode::V1), DEFAULT_MAX_PODS), 25);
        assert_eq!(needed_instances(None, u64::MAX), u64::MAX);
    }
}
