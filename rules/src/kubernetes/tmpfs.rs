//! How large kubelet makes the tmpfs of a memory volume, and how much files in it may take.

use std::collections::BTreeSet;

use crate::kubernetes::pod::{Amount, Container, PodTemplate, Role, Volume};

impl Volume {
    /// The size that kubelet gives to a memory volume, as far as the pod decides it: its `sizeLimit` or the limit of
    /// the pod's cgroup, whichever is less. `None` when only the node's allocatable memory bounds it.
    ///
    /// Source: `calculateEmptyDirMemorySize` in `pkg/volume/emptydir/empty_dir.go` (KEP-1967, on since Kubernetes 1.22).
    #[must_use]
    pub fn tmpfs_size(&self, cgroup_limit: Option<u128>) -> Option<u128> {
        self.size_limit.bytes().into_iter().chain(cgroup_limit).min()
    }
}

impl PodTemplate {
    /// The memory limit of the pod's cgroup: what the pod itself says (KEP-2837), else what its containers may need at
    /// the same time when each has a limit. `None` when one has none. (Kubelets up to 1.27 looked at regular containers
    /// alone; a limit on all of them is right for every version.)
    ///
    /// Source: `ResourceConfigForPod` in `pkg/kubelet/cm/helpers_linux.go` with `PodLimits` of
    /// `k8s.io/component-helpers/resource`.
    #[must_use]
    pub fn cgroup_limit(&self) -> Option<u128> {
        if let Some(limit) = self.pod_limit.bytes() {
            return Some(limit);
        }
        self.together(|container| container.memory_limit.bytes()).filter(|limit| *limit > 0)
    }

    /// The memory that the scheduler reserves: what the pod itself requests (KEP-2837), else what its containers do, each
    /// of which requests its limit unless it says otherwise, else the pod's limit.
    #[must_use]
    pub fn memory_request(&self) -> u128 {
        let requested = self.together(|container| match &container.memory_request {
            Amount::Unset => Some(container.memory_limit.bytes().unwrap_or(0)),
            request => Some(request.bytes().unwrap_or(0)),
        });
        let requested = requested.filter(|request| *request > 0);
        self.pod_request.bytes().or(requested).or(self.pod_limit.bytes()).unwrap_or(0)
    }

    /// Memory volumes that a container can write to.
    pub fn written_memory_volumes(&self) -> impl Iterator<Item = &Volume> {
        self.memory_volumes().filter(|volume| self.writers(volume).next().is_some())
    }

    /// The most memory that files in the memory volumes of one pod can take, as far as the pod decides it: the sizes of
    /// all, or what their writers may use. Kubelets that give no size make each volume `unsized_tmpfs` bytes large.
    #[must_use]
    pub fn files_bound(&self, unsized_tmpfs: Option<u128>) -> Option<u128> {
        let limit = self.cgroup_limit();
        let sizes = sum(self.written_memory_volumes().map(|volume| unsized_tmpfs.or_else(|| volume.tmpfs_size(limit))));
        let mut writers: BTreeSet<&usize> = BTreeSet::new();
        writers.extend(self.memory_volumes().flat_map(|volume| &volume.writers));
        let writers = writers.into_iter().filter_map(|index| self.containers.get(*index));
        let limitable = writers.filter(|writer| writer.role != Role::Ephemeral);
        let limits = sum(limitable.map(|writer| writer.memory_limit.bytes()));
        [sizes, limits, limit].into_iter().flatten().min().filter(|bound| *bound > 0)
    }

    /// The most that containers need at the same time; `None` when one has no `amount`.
    fn together(&self, amount: impl Fn(&Container) -> Option<u128>) -> Option<u128> {
        let (mut regular, mut sidecars, mut starting) = (0_u128, 0_u128, 0_u128);
        for container in self.limitable_containers() {
            let amount = amount(container)?;
            match container.role {
                Role::Regular => regular = regular.saturating_add(amount),
                Role::Sidecar => sidecars = sidecars.saturating_add(amount),
                // An init container runs beside the sidecars that were started before it.
                Role::Init | Role::Ephemeral => starting = starting.max(sidecars.saturating_add(amount)),
            }
        }
        Some(regular.saturating_add(sidecars).max(starting))
    }
}

/// The sum of amounts that are all known.
fn sum(mut amounts: impl Iterator<Item = Option<u128>>) -> Option<u128> {
    amounts.try_fold(0_u128, |sum, amount| Some(sum.saturating_add(amount?)))
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
        assert_eq!(limit(json!([container(json!("1Gi"))]), json!([container(json!(null))])), None, "an init container");
        assert_eq!(limit(json!([]), json!([])), None);
    }

    #[test]
    fn the_smaller_of_size_and_cgroup_counts() {
        let size = |size: Value, memory: Value| {
            let pod = pod(json!({
                "containers": [container(memory)],
                "volumes": [{"name": "v", "emptyDir": {"medium": "Memory", "sizeLimit": size}}],
            }));
            pod.volumes[0].tmpfs_size(pod.cgroup_limit())
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

    #[test]
    fn files_take_no_more_than_their_sizes_or_their_writers_may() {
        let bound = |memory: Value, sizes: [Value; 2], unsized_tmpfs| {
            let [v, w] = sizes.map(|size| json!({"medium": "Memory", "sizeLimit": size}));
            let writer = json!({
                "name": "w", "resources": {"limits": {"memory": memory}}, "volumeMounts": [{"name": "v"}, {"name": "w"}],
            });
            let pod = pod(json!({
                "containers": [writer, {"name": "unlimited"}],
                "volumes": [{"name": "v", "emptyDir": v}, {"name": "w", "emptyDir": w}, {"name": "unused", "emptyDir": {"medium": "Memory"}}],
            }));
            pod.files_bound(unsized_tmpfs).map(|bytes| bytes >> 20)
        };
        assert_eq!(bound(json!(null), [json!("1Gi"), json!("1Gi")], None), Some(2048), "each has a size of its own");
        assert_eq!(bound(json!("256Mi"), [json!("1Gi"), json!("1Gi")], None), Some(256));
        assert_eq!(bound(json!("256Mi"), [json!(null), json!("1Gi")], None), Some(256));
        assert_eq!(bound(json!(null), [json!(null), json!("1Gi")], None), None);
        assert_eq!(bound(json!(null), [json!("1Gi"), json!("1Gi")], Some(8 << 30)), Some(16384));
    }

    /// `PodRequests` of `k8s.io/component-helpers/resource`, after `SetDefaults_Pod`.
    #[test]
    fn requests_follow_limits_unless_they_say_otherwise() {
        let request = |spec: Value| pod(spec).memory_request() >> 20;
        let container = |resources: Value| json!({"name": "c", "resources": resources});
        assert_eq!(request(json!({"containers": [container(json!({"limits": {"memory": "1Gi"}}))]})), 1024);
        let zero = json!({"limits": {"memory": "1Gi"}, "requests": {"memory": 0}});
        assert_eq!(request(json!({"containers": [container(zero)]})), 0);
        let less = json!({"limits": {"memory": "1Gi"}, "requests": {"memory": "64Mi"}});
        assert_eq!(request(json!({"containers": [container(less.clone()), container(less)]})), 128);
        let of_pod = json!({"limits": {"memory": "2Gi"}});
        assert_eq!(request(json!({"resources": of_pod, "containers": [container(json!(null))]})), 2048);
    }
}
