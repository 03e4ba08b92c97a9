//! How much of something there is, is used and is needed, as far as a finding gives the numbers.

use rules::kubernetes::quantity;
use rules::report::Finding;

/// What runs out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// inotify instances of one user.
    InotifyInstances,
    /// inotify watches of one user.
    InotifyWatches,
    /// Memory cgroups of one kernel.
    MemoryCgroups,
    /// Memory of one node, in bytes.
    NodeMemory,
}

/// Which of the amounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// How much is taken now.
    Used,
    /// How much there is.
    Limit,
    /// How much will or may be taken.
    Need,
}

impl Amount {
    /// The class that gives it its colour.
    #[must_use]
    pub const fn class(self) -> &'static str {
        match self {
            Self::Used => "used",
            Self::Limit => "limit",
            Self::Need => "need",
        }
    }
}

/// Amounts to compare; at least one of `used` and `need` is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// What they are amounts of.
    pub what: What,
    /// How much there is; never 0.
    pub limit: u128,
    /// How much is taken now.
    pub used: Option<u128>,
    /// How much will or may be taken.
    pub need: Option<u128>,
}

impl Capacity {
    /// Width of a whole picture, in its own units.
    pub const WIDTH: u128 = 1000;

    /// The amounts that a finding speaks of; `None` when they do not make a picture.
    #[must_use]
    pub fn of(finding: &Finding) -> Option<Self> {
        let what = match &*finding.rule {
            "inotify-instances-exhausted" | "inotify-instances-low" => What::InotifyInstances,
            "inotify-watches-exhausted" | "inotify-watches-low" => What::InotifyWatches,
            "memcg-ids-exhausted" | "memcg-ids-growing" => What::MemoryCgroups,
            "memory-volume-overcommits-node" => What::NodeMemory,
            _ => return None,
        };
        let value = |name: &str| amount(finding.values.get(name)?);
        let (limit, used, need) = match what {
            What::InotifyInstances | What::InotifyWatches => {
                (value("limit").or_else(|| value("low_limit")), value("used"), value("need"))
            }
            What::MemoryCgroups => (value("max"), value("cgroups"), None),
            What::NodeMemory => (value("allocatable"), None, value("total").or_else(|| value("bound"))),
        };
        let limit = limit.filter(|limit| *limit > 0)?;
        used.or(need)?;
        Some(Self { what, limit, used, need })
    }

    /// Where an amount ends in a picture that shows all of them.
    #[must_use]
    pub fn end(&self, amount: u128) -> u128 {
        let whole = [Some(self.limit), self.used, self.need].into_iter().flatten().max().unwrap_or(1).max(1);
        // Memory of a node times the width fits into 128 bits by far; nothing else is that large.
        amount.saturating_mul(Self::WIDTH).checked_div(whole).unwrap_or(Self::WIDTH).min(Self::WIDTH)
    }

    /// An amount as people read it.
    #[must_use]
    pub fn shown(&self, amount: u128) -> String {
        match self.what {
            What::NodeMemory => quantity::format(amount),
            _ => amount.to_string(),
        }
    }
}

fn amount(value: &str) -> Option<u128> {
    u128::try_from(quantity::parse(value).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use rules::Input;
    use rules::settings::Settings;

    use super::{Capacity, What};

    fn of(text: &str) -> Vec<Capacity> {
        let report = rules::check(&[Input::new("stdin", text)], &Settings::default());
        report.findings.iter().filter_map(Capacity::of).collect()
    }

    #[test]
    fn a_low_inotify_limit_is_held_against_the_need() {
        let [capacity] = of("fs.inotify.max_user_instances = 128")[..] else { panic!("one picture") };
        assert_eq!((capacity.what, capacity.limit, capacity.used), (What::InotifyInstances, 128, None));
        assert!(capacity.need > Some(128));
        assert_eq!(capacity.end(capacity.need.unwrap()), Capacity::WIDTH, "the largest amount fills the picture");
        assert!(capacity.end(128) < Capacity::WIDTH);
    }

    #[test]
    fn memory_cgroups_are_held_against_their_ids() {
        let capacities = of("#subsys_name\thierarchy\tnum_cgroups\tenabled\nmemory\t8\t65000\t1\n");
        assert!(capacities.contains(&Capacity {
            what: What::MemoryCgroups,
            limit: 65_535,
            used: Some(65_000),
            need: None
        }));
    }

    #[test]
    fn memory_of_a_node_is_held_against_what_volumes_may_take() {
        let text = "\
kind: Node
apiVersion: v1
metadata: {name: w}
status: {allocatable: {memory: 15Gi}}
---
kind: Deployment
apiVersion: apps/v1
metadata: {name: d}
spec:
  replicas: 4
  template:
    spec:
      containers:
      - name: app
        volumeMounts: [{name: v, mountPath: /v}]
      volumes: [{name: v, emptyDir: {medium: Memory, sizeLimit: 4Gi}}]
";
        let gib = |count: u128| count << 30;
        let expected = Capacity { what: What::NodeMemory, limit: gib(15), used: None, need: Some(gib(16)) };
        assert!(of(text).contains(&expected), "{:?}", of(text));
        assert_eq!(expected.shown(gib(15)), "15Gi");
    }

    #[test]
    fn a_limit_of_nothing_makes_no_picture_and_huge_amounts_do_not_overflow() {
        let capacity = Capacity { what: What::NodeMemory, limit: 1, used: None, need: Some(u128::MAX) };
        assert_eq!(capacity.end(u128::MAX), 1);
        assert_eq!(of("uname -r"), []);
    }
}
