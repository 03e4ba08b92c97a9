//! How large kubelet makes the tmpfs of a memory volume.

use crate::kubernetes::pod::{PodTemplate, Role, Volume};

impl PodTemplate {
    /// The size that kubelet gives to a memory volume, as far as the pod decides it: its `sizeLimit` or the pod's memory
    /// limit, whichever is less. `None` when only the node's allocatable memory bounds it.
    ///
    /// Source: `calculateEmptyDirMemorySize` in `pkg/volume/emptydir/empty_dir.go` (KEP-1967, on since Kubernetes 1.22).
    #[must_use]
    pub fn tmpfs_size(&self, volume: &Volume) -> Option<u128> {
        volume.size_limit.bytes().into_iter().chain(self.cgroup_limit()).min()
    }

    /// The memory limit of the pod's cgroup: what the pod itself says (KEP-2837), else what its containers may need at
    /// the same time when each has a limit. `None` when one has none.
    ///
    /// Source: `ResourceConfigForPod` in `pkg/kubelet/cm/helpers_linux.go` with `PodLimits` of
    /// `k8s.io/component-helpers/resource`.
    #[must_use]
    pub fn cgroup_limit(&self) -> Option<u128> {
        if let Some(limit) = self.pod_limit.bytes() {
            return Some(limit);
        }
        let (mut together, mut sidecars, mut starting) = (0_u128, 0_u128, 0_u128);
        for container in self.limitable_containers() {
            let limit = container.memory_limit.bytes()?;
            match container.role {
                Role::Regular => together = together.saturating_add(limit),
                Role::Sidecar => sidecars = sidecars.saturating_add(limit),
                // An init container runs beside the sidecars that were started before it.
                Role::Init | Role::Ephemeral => starting = starting.max(sidecars.saturating_add(limit)),
            }
        }
        let limit = together.saturating_add(sidecars).max(starting);
        (limit > 0).then_some(limit)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::fixture::manifest;
    use crate::kubernetes::pod::PodTemplate;

    fn pod(spec: Value) -> PodTemplate {
        manifest(json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec})).pods.remove(0)
    }

    fn container(memory: Value) -> Value {
        json!({"name": "c", "resources": {"limits": {"memory": memory}}})
    }

    fn sidecar(memory: &str) -> Value {
        json!({"name": "s", "restartPolicy": "Always", "resources": {"limits": {"memory": memory}}})
    }

    /// `PodLimits`: the larger of all that run together and each init container beside the sidecars before it.
    #[test]
    fn the_cgroup_holds_what_runs_at_the_same_time() {
        let limit = |regular: Value, init: Value| {
            pod(json!({"containers": regular, "initContainers": init, "ephemeralContainers": [{"name": "debug"}]}))
                .cgroup_limit()
        };
        assert_eq!(limit(json!([container(json!("1Gi")), container(json!("2Gi"))]), json!([])), Some(3 << 30));
        assert_eq!(limit(json!([container(json!("1Gi"))]), json!([container(json!("4Gi"))])), Some(4 << 30));
        assert_eq!(
            limit(json!([container(json!("1Gi"))]), json!([sidecar("1Gi"), container(json!("4Gi"))])),
            Some(5 << 30)
        );
        assert_eq!(
            limit(json!([container(json!("1Gi"))]), json!([container(json!("1Gi")), sidecar("1Gi")])),
            Some(2 << 30)
        );
        assert_eq!(limit(json!([container(json!("1Gi")), container(json!(null))]), json!([])), None);
        assert_eq!(limit(json!([container(json!("1Gi"))]), json!([container(json!(0))])), None);
        assert_eq!(limit(json!([]), json!([])), None);
    }

    #[test]
    fn the_smaller_of_size_and_cgroup_counts() {
        let size = |size: Value, memory: Value| {
            let pod = pod(json!({
                "containers": [container(memory)],
                "volumes": [{"name": "v", "emptyDir": {"medium": "Memory", "sizeLimit": size}}],
            }));
            pod.tmpfs_size(&pod.volumes[0])
        };
        assert_eq!(size(json!("1Gi"), json!("256Mi")), Some(256 << 20));
        assert_eq!(size(json!("64Mi"), json!("256Mi")), Some(64 << 20));
        assert_eq!(size(json!("64Mi"), json!(null)), Some(64 << 20));
        assert_eq!(size(json!("0"), json!("256Mi")), Some(256 << 20));
        assert_eq!(size(json!(null), json!(null)), None);
    }

    #[test]
    fn the_pods_own_limit_comes_first() {
        let pod = pod(json!({"resources": {"limits": {"memory": "512Mi"}}, "containers": [container(json!(null))]}));
        assert_eq!(pod.cgroup_limit(), Some(512 << 20));
    }
}
