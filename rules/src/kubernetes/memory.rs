//! Memory limits of a pod, and what they mean for its memory volumes.
//!
//! kubelet sizes a memory volume to the smallest of node allocatable, the pod's memory limit and `sizeLimit`
//! (`pkg/volume/emptydir/empty_dir.go`, `calculateEmptyDirMemorySize`). The pages count against the container that
//! wrote them, so the limit of the writer is what keeps them off the rest of the node.

use crate::kubernetes::pod::{Container, Medium, PodTemplate, Role, Volume};

/// The limit to suggest for a container that has none; enough for what is usually kept in memory volumes (keys,
/// sockets, small caches), small enough to be harmless on any node.
const SUGGESTED_LIMIT: u128 = 256 << 20;

impl PodTemplate {
    /// Volumes on tmpfs.
    pub fn memory_volumes(&self) -> impl Iterator<Item = &Volume> {
        self.volumes.iter().filter(|volume| volume.medium == Medium::Memory)
    }

    /// Containers that can carry a memory limit: all but ephemeral ones.
    pub fn limitable_containers(&self) -> impl Iterator<Item = &Container> {
        self.containers.iter().filter(|container| container.role != Role::Ephemeral)
    }

    /// Containers that can write to a volume and can carry a memory limit.
    pub fn writers(&self, volume: &Volume) -> impl Iterator<Item = &Container> {
        let writers = volume.writers.iter().filter_map(|index| self.containers.get(*index));
        writers.filter(|container| container.role != Role::Ephemeral)
    }

    /// Whether a limit of its own, or of the whole pod (KEP-2837), bounds a container's memory. A limit that cannot be
    /// read counts: it is wrong, not absent.
    #[must_use]
    pub fn is_limited(&self, container: &Container) -> bool {
        container.memory_limit.is_set() || self.pod_limit.is_set()
    }

    /// Whether a container can come to run without any limit: a quota would refuse its pod.
    #[must_use]
    pub fn can_run_unlimited(&self, container: &Container) -> bool {
        !self.is_limited(container) && self.refused_by.is_none()
    }

    /// Every memory volume with each of its writers that no limit bounds.
    pub fn unlimited_writers(&self) -> impl Iterator<Item = (&Volume, &Container)> {
        self.memory_volumes().flat_map(|volume| {
            self.writers(volume).filter(|writer| self.can_run_unlimited(writer)).map(move |writer| (volume, writer))
        })
    }

    /// The memory that the writers of a volume may take together: the sum of their limits, or the pod's when that is
    /// less. `None` when a writer has no limit at all, or when nothing writes.
    #[must_use]
    pub fn writers_limit(&self, volume: &Volume) -> Option<u128> {
        let limits: Vec<Option<u128>> = self.writers(volume).map(|writer| writer.memory_limit.bytes()).collect();
        if limits.is_empty() {
            return None;
        }
        let sum = limits.into_iter().try_fold(0_u128, |sum, limit| Some(sum.saturating_add(limit?)));
        sum.into_iter().chain(self.pod_limit.bytes()).min()
    }
}

impl Container {
    /// A memory limit to give to this container that also leaves room for `volume` bytes of files.
    #[must_use]
    pub fn suggested_limit(&self, volume: u128) -> u128 {
        SUGGESTED_LIMIT.max(volume).max(self.memory_request.bytes().unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::fixture::manifest;
    use crate::kubernetes::pod::PodTemplate;

    fn pod(spec: serde_json::Value) -> PodTemplate {
        manifest(json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec})).pods.remove(0)
    }

    #[test]
    fn readers_and_ephemeral_containers_are_no_writers() {
        let mount = |read_only| json!([{"name": "v", "mountPath": "/v", "readOnly": read_only}]);
        let pod = pod(json!({
            "containers": [{"name": "reader", "volumeMounts": mount(true)}, {"name": "writer", "volumeMounts": mount(false)}],
            "initContainers": [{"name": "setup", "volumeMounts": mount(false)}],
            "ephemeralContainers": [{"name": "debug", "volumeMounts": mount(false)}],
            "volumes": [{"name": "v", "emptyDir": {"medium": "Memory"}}, {"name": "disk", "emptyDir": {}}],
        }));
        let writers: Vec<&str> = pod.unlimited_writers().map(|(_, writer)| writer.name.as_str()).collect();
        assert_eq!(writers, ["writer", "setup"]);
    }

    /// KEP-2837: the pod's own limit bounds all of its containers together.
    #[test]
    fn writers_share_their_limits_up_to_that_of_the_pod() {
        let writer = |memory: &str| json!({"name": "w", "resources": {"limits": {"memory": memory}}, "volumeMounts": [{"name": "v"}]});
        let volumes = json!([{"name": "v", "emptyDir": {"medium": "Memory"}}]);
        let limit = |spec| {
            let pod = pod(spec);
            pod.writers_limit(&pod.volumes[0])
        };
        assert_eq!(limit(json!({"containers": [writer("1Mi"), writer("2Mi")], "volumes": volumes})), Some(3 << 20));
        assert_eq!(limit(json!({"containers": [writer("1Mi"), writer("0")], "volumes": volumes})), None);
        assert_eq!(
            limit(json!({
                "resources": {"limits": {"memory": "2Mi"}},
                "containers": [writer("4Mi"), writer("0")],
                "volumes": volumes,
            })),
            Some(2 << 20)
        );
        assert_eq!(limit(json!({"containers": [], "volumes": volumes})), None);
    }
}
