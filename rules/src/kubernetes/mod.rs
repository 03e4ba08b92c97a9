//! What Kubernetes, kubelet and the container runtimes do, decided once: quantities, pod templates, defaults, versions.

pub(crate) mod defaulting;
pub mod inotify;
pub mod limit_range;
pub mod memory;
pub mod node_memory;
pub mod platform;
pub mod pod;
pub mod quantity;
pub mod shape;
pub mod tmpfs;
pub mod version;
