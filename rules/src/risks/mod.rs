//! What decides each risk when nothing fired, and what the rules of a risk share: one file per risk.

use crate::facts::Facts;
use crate::report::{Missing, Risk, Status};
use crate::settings::NodeProfile;

pub(crate) mod cgroup_cleanup;
pub(crate) mod inotify;
pub(crate) mod memcg;
mod memory_volume;

/// The state of `risk` when none of its rules fired with `Warning` or `Error`: never `AtRisk`.
#[must_use]
pub fn state(risk: Risk, facts: &Facts, node: &NodeProfile) -> (Status, Vec<Missing>) {
    match risk {
        Risk::MemoryVolume => memory_volume::state(facts),
        Risk::Inotify => inotify::state(facts, node),
        Risk::CgroupCleanup => cgroup_cleanup::state(facts, node),
        Risk::Memcg => memcg::state(facts),
    }
}
