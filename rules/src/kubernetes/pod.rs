//! Pod templates in any object, reduced to what the rules look at.

/// A pod template: the spec of a Pod, or of whatever creates pods.
#[derive(Clone, Debug, PartialEq)]
pub struct PodTemplate {
    /// Index of the input it was read from.
    pub input: usize,
    /// First line of its document in the input (1-based); 0 when an object was checked instead of text.
    pub document_line: usize,
    /// `Kind/namespace/name` of the object that holds it.
    pub object: String,
    /// Kind of the object that holds it; empty when the text does not say.
    pub kind: String,
    /// Namespace of the object, when it says.
    pub namespace: Option<String>,
    /// True for a Pod itself: the API server has already applied its defaults, or will before admission.
    pub is_pod: bool,
    /// JSON pointer to the pod spec within the document.
    pub pointer: String,
    /// `replicas` (or parallelism) of the object.
    pub replicas: Option<u64>,
    /// `spec.resources.limits.memory` of the Pod (KEP-2837).
    pub pod_limit: Amount,
    /// Regular, init, sidecar and ephemeral containers, in that order of their lists in the object.
    pub containers: Vec<Container>,
    /// Volumes.
    pub volumes: Vec<Volume>,
}

/// One container.
#[derive(Clone, Debug, PartialEq)]
pub struct Container {
    /// Its name; empty when missing.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// Its image; empty when missing.
    pub image: String,
    /// `resources.limits.memory`.
    pub memory_limit: Amount,
    /// `resources.requests.memory`.
    pub memory_request: Amount,
    /// Volumes that it mounts.
    pub mounts: Vec<Mount>,
    /// JSON pointer to the container within the document.
    pub pointer: String,
}

/// The part a container plays in its pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// In `containers`.
    Regular,
    /// In `initContainers`: runs to completion before the regular ones.
    Init,
    /// In `initContainers` with `restartPolicy: Always` (KEP-753).
    Sidecar,
    /// In `ephemeralContainers`: added to a running pod, may not carry resources.
    Ephemeral,
}

/// One volume mount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Name of the volume.
    pub volume: String,
    /// `readOnly: true`.
    pub read_only: bool,
}

/// One volume.
#[derive(Clone, Debug, PartialEq)]
pub struct Volume {
    /// Its name; empty when missing.
    pub name: String,
    /// What it is stored on.
    pub medium: Medium,
    /// `emptyDir.sizeLimit`.
    pub size_limit: Amount,
    /// `medium` or `sizeLimit` stand beside `emptyDir` instead of in it.
    pub misplaced: bool,
    /// JSON pointer to the volume within the document.
    pub pointer: String,
}

/// What a volume is stored on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Medium {
    /// No emptyDir at all.
    NotEmptyDir,
    /// emptyDir on the node's disk.
    Disk,
    /// emptyDir on tmpfs.
    Memory,
    /// emptyDir on huge pages, which are limited by their own resource.
    HugePages,
    /// A medium that kubelet refuses ("unknown storage medium").
    Unknown(String),
}

/// A memory quantity in a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Amount {
    /// The field is missing, null, or zero; Kubernetes treats all three as "no limit".
    Unset,
    /// Bytes, rounded up; always above zero.
    Bytes(u128),
    /// Not a quantity; the text as written.
    Invalid(String),
}

impl Amount {
    /// The bytes, when it is a valid quantity above zero.
    #[must_use]
    pub fn bytes(&self) -> Option<u128> {
        match self {
            Self::Bytes(bytes) => Some(*bytes),
            Self::Unset | Self::Invalid(_) => None,
        }
    }
}
