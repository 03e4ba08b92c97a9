//! The memory that pods may use on a node.

/// Memory that kubelet keeps from pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reservations {
    /// `kubeReserved`, in bytes.
    pub kube: u128,
    /// `systemReserved`, in bytes.
    pub system: u128,
    /// `evictionHard` for `memory.available`.
    pub eviction: Eviction,
}

/// An eviction threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eviction {
    /// Bytes.
    Bytes(u128),
    /// Percent of the capacity.
    Percent(u64),
}

impl Reservations {
    /// Allocatable memory of a node with this capacity: what is left after both reservations and the threshold.
    ///
    /// Source: `GetNodeAllocatableReservation` in `pkg/kubelet/cm/node_container_manager_linux.go`.
    #[must_use]
    pub fn allocatable(&self, capacity: u128) -> u128 {
        let eviction = match self.eviction {
            Eviction::Bytes(bytes) => bytes,
            Eviction::Percent(percent) => capacity.saturating_mul(percent.into()) / 100,
        };
        capacity.saturating_sub(self.kube).saturating_sub(self.system).saturating_sub(eviction)
    }
}

#[cfg(test)]
mod tests {
    use super::{Eviction, Reservations};

    /// The example of "Reserve Compute Resources for System Daemons": 32Gi, of which 2Gi, 1Gi and 500Mi are kept back.
    #[test]
    fn allocatable_is_what_is_left() {
        let reservations = Reservations { kube: 2 << 30, system: 1 << 30, eviction: Eviction::Bytes(500 << 20) };
        assert_eq!(reservations.allocatable(32 << 30), (29 << 30) - (500 << 20));
        let share = Reservations { kube: 0, system: 0, eviction: Eviction::Percent(5) };
        assert_eq!(share.allocatable(1000), 950);
        assert_eq!(reservations.allocatable(1 << 30), 0);
    }
}
