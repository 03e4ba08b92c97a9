//! Versions of kubelet, runc, containerd and Linux, and the tables that say which of them misbehave.

use std::fmt;

/// No program prints a longer version; a longer word is not read to its end.
const LONGEST: usize = 128;

/// A version as printed by the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// As read, without a leading `v`: `1.25.8-eks-c05fe32`, `3.10.0-693.17.1.el7.x86_64`.
    pub text: String,
    /// Major, minor, patch; a missing patch is `None`.
    pub numbers: (u32, u32, Option<u32>),
}

impl Version {
    /// Read a version at the start of `text`: an optional `v`, two or three numbers, and whatever follows up to a
    /// blank, comma or quote. `None` when `text` does not start with two numbers.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
        let text = text.get(..text.floor_char_boundary(LONGEST)).unwrap_or_default();
        let end = text
            .find(|c: char| {
                c.is_whitespace() || matches!(c, ',' | '"' | '\'' | ')' | '(' | ']' | '|' | '`' | ';' | '<')
            })
            .unwrap_or(text.len());
        let text = text.get(..end)?.trim_end_matches(['.', ':']);
        let (major, rest) = number(text)?;
        let (minor, rest) = number(rest.strip_prefix('.')?)?;
        let patch = rest.strip_prefix('.').and_then(number).map(|(patch, _)| patch);
        Some(Self { text: text.to_owned(), numbers: (major, minor, patch) })
    }

    /// What follows the numbers: `-eks-c05fe32`, `+k3s2`, `-rc10+dev`; empty for a plain version.
    #[must_use]
    pub fn suffix(&self) -> &str {
        self.text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.')
    }

    /// Major and minor.
    const fn minor(&self) -> (u32, u32) {
        (self.numbers.0, self.numbers.1)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The number that `text` starts with, and what follows it.
fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end)?;
    Some((digits.parse().ok()?, rest))
}

/// kubelet, and the misc controller that the libcontainer built into it may not know.
impl Version {
    /// The first kubelet of this one's minor whose libcontainer (1.1.6 or later) removes misc cgroups. Minors up to
    /// 1.23 ended before that, so their first fixed kubelet is one of the next minor.
    ///
    /// Source: kubernetes/kubernetes CHANGELOG-1.24 to CHANGELOG-1.27, dependency `opencontainers/runc`.
    #[must_use]
    pub const fn first_kubelet_that_knows_misc(&self) -> &'static str {
        match self.minor() {
            (1, 25) => "1.25.10",
            (1, 26) => "1.26.5",
            (1, 27) => "1.27.2",
            (0, _) | (1, ..=24) => "1.24.14",
            _ => "1.28.0",
        }
    }

    /// Whether a kubelet of this version removes misc cgroups; `None` when the patch that decides is missing.
    #[must_use]
    pub fn kubelet_knows_misc(&self) -> Option<bool> {
        let fixed = Self::parse(self.first_kubelet_that_knows_misc())?;
        match self.minor().cmp(&fixed.minor()) {
            std::cmp::Ordering::Less => Some(false),
            std::cmp::Ordering::Greater => Some(true),
            std::cmp::Ordering::Equal if fixed.numbers.2 == Some(0) => Some(true),
            std::cmp::Ordering::Equal => Some(self.numbers.2? >= fixed.numbers.2?),
        }
    }

    /// A vendor's own build (`-eks-`, `-gke.`, `+k3s`, `+rke2r`…), which may carry a fix earlier than upstream. Only
    /// upstream's pre-releases have a suffix of their own.
    #[must_use]
    pub fn is_vendor_build(&self) -> bool {
        let suffix = self.suffix();
        let upstream = ["-alpha.", "-beta.", "-rc."].iter().any(|pre_release| suffix.starts_with(pre_release));
        !suffix.is_empty() && !upstream
    }
}

/// kubelet, as far as the memory of pods goes.
impl Version {
    /// Whether a kubelet of this version gives memory volumes a size; before, a tmpfs is as large as half of the node's
    /// memory, and `sizeLimit` only evicts.
    ///
    /// Source: KEP-1967, `SizeMemoryBackedVolumes`: alpha and off in 1.20, on from 1.22.
    #[must_use]
    pub fn kubelet_sizes_memory_volumes(&self) -> bool {
        self.minor() >= (1, 22)
    }

    /// Whether a kubelet of this version, and an API server that it fits, can know limits of a whole pod.
    ///
    /// Source: KEP-2837, `PodLevelResources`: alpha in 1.32, on from 1.34. An API server without it drops the field.
    #[must_use]
    pub fn kubelet_knows_pod_limits(&self) -> bool {
        self.minor() >= (1, 32)
    }
}

/// runc, as far as the misc controller goes.
impl Version {
    /// Whether this runc creates misc cgroups: 1.1.6 and later of the 1.1 branch, and everything from 1.2.0-rc.1 on;
    /// `None` when the patch that decides is missing.
    ///
    /// Source: opencontainers/runc commit e4ce94e29, in tags v1.1.6 and v1.2.0-rc.1.
    #[must_use]
    pub fn runc_creates_misc(&self) -> Option<bool> {
        match self.minor() {
            (0, _) | (1, 0) => Some(false),
            (1, 1) => Some(self.numbers.2? >= 6),
            _ => Some(true),
        }
    }
}

/// runc and kubelet, as far as the accounting of kernel memory goes.
impl Version {
    /// Whether this runc switches kernel-memory accounting on for every container: 1.0.0-rc3 to rc93. Earlier ones only
    /// where a limit was asked for.
    ///
    /// Source: opencontainers/runc commits fe898e786 (rc3) and 52390d680 (rc94).
    #[must_use]
    pub fn runc_accounts_kernel_memory(&self) -> bool {
        let candidate = self.text.strip_prefix("1.0.0-rc").and_then(number).map(|(candidate, _)| candidate);
        candidate.is_some_and(|candidate| (3..94).contains(&candidate))
    }

    /// Whether this kubelet may switch kernel-memory accounting on for every pod: before 1.22, which brought runc
    /// 1.0.0-rc95. Builds with the tag `nokmem` do not.
    ///
    /// Source: kubernetes issue 61937, `go.mod` of 1.22.0.
    #[must_use]
    pub fn kubelet_accounts_kernel_memory(&self) -> bool {
        self.minor() < (1, 22)
    }
}

/// The first patch of a containerd minor that comes with each runc, in ascending order.
type FirstPatches = &'static [(u32, &'static str)];

/// runc by containerd release: for each minor, the first patch that comes with each runc.
///
/// Source: `script/setup/runc-version` at each containerd tag. The `cri-containerd` bundles ship that runc; packages
/// of distributions need not.
#[rustfmt::skip]
const BUNDLED_RUNC: [((u32, u32), FirstPatches); 8] = [
    ((1, 4), &[(0, "1.0.0-rc92"), (5, "1.0.0-rc94"), (6, "1.0.0-rc95"), (7, "1.0.0"), (9, "1.0.1"), (10, "1.0.2"),
               (13, "1.0.3")]),
    ((1, 5), &[(0, "1.0.0-rc93"), (1, "1.0.0-rc94"), (2, "1.0.0-rc95"), (3, "1.0.0"), (5, "1.0.1"), (6, "1.0.2"),
               (9, "1.0.3"), (12, "1.1.2"), (14, "1.1.4")]),
    ((1, 6), &[(0, "1.1.0"), (3, "1.1.1"), (5, "1.1.2"), (7, "1.1.3"), (9, "1.1.4"), (20, "1.1.5"), (21, "1.1.7"),
               (22, "1.1.8"), (24, "1.1.9"), (25, "1.1.10"), (27, "1.1.11"), (28, "1.1.12"), (34, "1.1.13"),
               (36, "1.1.14"), (37, "1.2.5"), (39, "1.3.0")]),
    ((1, 7), &[(0, "1.1.4"), (1, "1.1.7"), (3, "1.1.8"), (4, "1.1.9"), (9, "1.1.10"), (12, "1.1.11"), (13, "1.1.12"),
               (19, "1.1.13"), (22, "1.1.14"), (24, "1.2.2"), (25, "1.2.4"), (26, "1.2.5"), (28, "1.3.0"),
               (29, "1.3.3"), (30, "1.3.4"), (31, "1.3.5"), (33, "1.3.6")]),
    ((2, 0), &[(0, "1.2.1"), (1, "1.2.3"), (2, "1.2.4"), (3, "1.2.5"), (5, "1.2.6"), (6, "1.3.0"), (7, "1.3.3"),
               (10, "1.3.6")]),
    ((2, 1), &[(0, "1.3.0"), (5, "1.3.3"), (6, "1.3.4"), (7, "1.3.5"), (9, "1.3.6")]),
    ((2, 2), &[(0, "1.3.3"), (1, "1.3.4"), (3, "1.3.5"), (5, "1.3.6")]),
    ((2, 3), &[(0, "1.4.2"), (2, "1.4.3")]),
];

/// containerd: the runc it is released with, and its inotify leak.
impl Version {
    /// The runc that this containerd's release bundles carry; for a patch newer than the table, that of the newest
    /// known one. `None` for an unknown minor or a missing patch.
    #[must_use]
    pub fn containerd_bundles_runc(&self) -> Option<&'static str> {
        let patch = self.numbers.2?;
        let (_, rows) = BUNDLED_RUNC.iter().find(|(minor, _)| *minor == self.minor())?;
        rows.iter().rev().find(|(first, _)| *first <= patch).map(|(_, runc)| *runc)
    }

    /// Whether this containerd's shims leak an inotify instance per container restart on cgroup v2; `None` when the
    /// patch that decides is missing.
    ///
    /// Fixed by containerd/cgroups commit 35b5b55 (v1.0.3), which containerd vendors from 1.5.12 and 1.6.0 on.
    #[must_use]
    pub fn containerd_leaks_inotify(&self) -> Option<bool> {
        match self.minor() {
            (1, 4) => Some(true),
            (1, 5) => Some(self.numbers.2? <= 11),
            _ => Some(false),
        }
    }
}

/// What a kernel does with the ids of removed memory cgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemcgIds {
    /// It is known to keep them.
    Leak,
    /// It depends on the patch level, or reports contradict each other.
    MayLeak,
    /// It is outside of the windows in which a leak is known.
    NotKnownToLeak,
}

/// The `errno` of `mkdir` under the memory controller when no id is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errno {
    /// "No space left on device".
    Enospc,
    /// "Cannot allocate memory".
    Enomem,
    /// "Device or resource busy".
    Ebusy,
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Enospc => "ENOSPC (No space left on device)",
            Self::Enomem => "ENOMEM (Cannot allocate memory)",
            Self::Ebusy => "EBUSY (Device or resource busy)",
        })
    }
}

/// Linux, as far as memory cgroups go.
impl Version {
    /// What this kernel does with the ids of removed memory cgroups.
    ///
    /// Mainline: the fix 73f576c04b94 is in 4.7 and in unknown 4.4 to 4.6 stable releases; its follow-ups are tagged
    /// for 3.19 and later. RHEL 7: below 3.10.0-1062.4.1 leaks are reported throughout, later builds are reported both
    /// as good and as leaking (Red Hat bug 1507149, docker/for-linux issue 841).
    #[must_use]
    pub fn kernel_memcg_ids(&self) -> MemcgIds {
        if let Some(build) = self.el7_build() {
            return if build < vec![1062, 4, 1] { MemcgIds::Leak } else { MemcgIds::MayLeak };
        }
        match self.minor() {
            (3, 19..) | (4, ..=3) => MemcgIds::Leak,
            (4, 4..=6) => MemcgIds::MayLeak,
            _ => MemcgIds::NotKnownToLeak,
        }
    }

    /// Whether this kernel can have the misc controller: Linux 5.13 and later, and RHEL 8 and later, whose older version
    /// numbers say nothing about what was ported back.
    ///
    /// Source: kernel commit a72232eabdfc, merged for 5.13.
    #[must_use]
    pub fn kernel_may_have_misc(&self) -> bool {
        let rhel = self.text.split_once(".el").and_then(|(_, release)| number(release));
        self.minor() >= (5, 13) || rhel.is_some_and(|(release, _)| release >= 8)
    }

    /// The `errno` of `mkdir` when this kernel has no memory cgroup id left.
    ///
    /// Source: kernel commits 73f576c04b94 (4.7) and 11d6761218d1 (5.7), `mm/memcontrol.c` of 6.12; RHEL 7 carries the
    /// first one from 3.10.0-957 on.
    #[must_use]
    pub fn kernel_memcg_errno(&self) -> Errno {
        let reports_enomem = match self.el7_build() {
            Some(build) => build >= vec![957],
            None => ((4, 7)..(5, 7)).contains(&self.minor()),
        };
        if reports_enomem {
            Errno::Enomem
        } else if self.minor() >= (6, 12) {
            Errno::Ebusy
        } else {
            Errno::Enospc
        }
    }

    /// The build numbers of a RHEL or CentOS 7 kernel: 693, 17, 1 of `3.10.0-693.17.1.el7.x86_64`.
    #[must_use]
    pub fn el7_build(&self) -> Option<Vec<u32>> {
        let (build, _) = self.text.strip_prefix("3.10.0-")?.split_once(".el7")?;
        build.split('.').map(|part| part.parse().ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Errno, MemcgIds, Version};

    fn version(text: &str) -> Version {
        Version::parse(text).unwrap()
    }

    /// kubernetes CHANGELOG-1.24 (#117892), -1.25 (#117682), -1.26 (#117691), -1.27: "opencontainers/runc: → v1.1.6".
    #[test]
    fn kubelets_that_know_misc() {
        for (text, knows, first) in [
            ("1.9.0", Some(false), "1.24.14"),
            ("1.23.17", Some(false), "1.24.14"),
            ("1.24.13", Some(false), "1.24.14"),
            ("1.24.14", Some(true), "1.24.14"),
            ("1.25.9", Some(false), "1.25.10"),
            ("1.25.10", Some(true), "1.25.10"),
            ("1.26.4", Some(false), "1.26.5"),
            ("1.26.5", Some(true), "1.26.5"),
            ("1.27.1", Some(false), "1.27.2"),
            ("v1.27.2", Some(true), "1.27.2"),
            ("1.27", None, "1.27.2"),
            ("1.28.0", Some(true), "1.28.0"),
            ("1.28", Some(true), "1.28.0"),
            ("1.35.1", Some(true), "1.28.0"),
        ] {
            let version = version(text);
            assert_eq!(version.kubelet_knows_misc(), knows, "{text}");
            assert_eq!(version.first_kubelet_that_knows_misc(), first, "{text}");
        }
    }

    /// KEP-1967 (`SizeMemoryBackedVolumes`) and KEP-2837 (`PodLevelResources`), their `kep.yaml`.
    #[test]
    fn kubelets_that_size_memory_volumes_and_know_limits_of_pods() {
        for (text, sizes, pod_limits) in [
            ("1.19.16", false, false),
            ("1.20.0", false, false),
            ("1.21.14", false, false),
            ("1.22.0", true, false),
            ("1.31.9", true, false),
            ("1.32.0", true, true),
            ("1.34.1", true, true),
        ] {
            assert_eq!(version(text).kubelet_sizes_memory_volumes(), sizes, "{text}");
            assert_eq!(version(text).kubelet_knows_pod_limits(), pod_limits, "{text}");
        }
    }

    /// opencontainers/runc tags v1.0.0-rc2 to v1.0.0-rc94; kubernetes v1.21 and v1.22.0.
    #[test]
    fn runtimes_that_account_kernel_memory() {
        for (text, accounts) in [
            ("1.0.0-rc2", false),
            ("1.0.0-rc3", true),
            ("1.0.0-rc10+dev", true),
            ("1.0.0-rc93", true),
            ("1.0.0-rc94", false),
            ("1.0.0", false),
            ("1.1.7", false),
        ] {
            assert_eq!(version(text).runc_accounts_kernel_memory(), accounts, "{text}");
        }
        assert!(version("1.21.14").kubelet_accounts_kernel_memory());
        assert!(!version("1.22.0").kubelet_accounts_kernel_memory());
    }

    /// Version strings as EKS, GKE, k3s, RKE2 and OpenShift print them; pre-releases are upstream's own.
    #[test]
    fn vendor_builds() {
        for text in ["1.25.8-eks-c05fe32", "1.27.1-gke.400", "1.29.1+k3s2", "1.26.4+rke2r1", "1.25.4+a34b9e9"] {
            assert!(version(text).is_vendor_build(), "{text}");
        }
        for text in ["1.27.1", "1.28.0-alpha.3", "1.28.0-beta.0", "1.27.0-rc.1"] {
            assert!(!version(text).is_vendor_build(), "{text}");
        }
    }

    /// opencontainers/runc tags: commit e4ce94e29 is in v1.1.6 and v1.2.0-rc.1, not in v1.1.5.
    #[test]
    fn runcs_that_create_misc() {
        for (text, creates) in [
            ("1.0.0-rc93", Some(false)),
            ("1.0.3-0-gf46b6ba", Some(false)),
            ("1.1.0-rc.1", Some(false)),
            ("1.1.5", Some(false)),
            ("1.1.6", Some(true)),
            ("1.1.12", Some(true)),
            ("1.1", None),
            ("1.2.0-rc.1", Some(true)),
            ("1.4.3", Some(true)),
        ] {
            assert_eq!(version(text).runc_creates_misc(), creates, "{text}");
        }
    }

    /// `script/setup/runc-version` at every containerd tag: patches from the first to the second come with this runc.
    #[test]
    fn runc_that_containerd_bundles() {
        type Releases = &'static [(u32, u32, &'static str)];
        let tags: [(&str, Releases); 8] = [
            (
                "1.4",
                &[
                    (0, 4, "1.0.0-rc92"),
                    (5, 5, "1.0.0-rc94"),
                    (6, 6, "1.0.0-rc95"),
                    (7, 8, "1.0.0"),
                    (9, 9, "1.0.1"),
                    (10, 12, "1.0.2"),
                    (13, 13, "1.0.3"),
                ],
            ),
            (
                "1.5",
                &[
                    (0, 0, "1.0.0-rc93"),
                    (1, 1, "1.0.0-rc94"),
                    (2, 2, "1.0.0-rc95"),
                    (3, 4, "1.0.0"),
                    (5, 5, "1.0.1"),
                    (6, 8, "1.0.2"),
                    (9, 11, "1.0.3"),
                    (12, 13, "1.1.2"),
                    (14, 18, "1.1.4"),
                ],
            ),
            (
                "1.6",
                &[
                    (0, 2, "1.1.0"),
                    (3, 4, "1.1.1"),
                    (5, 6, "1.1.2"),
                    (7, 8, "1.1.3"),
                    (9, 19, "1.1.4"),
                    (20, 20, "1.1.5"),
                    (21, 21, "1.1.7"),
                    (22, 23, "1.1.8"),
                    (24, 24, "1.1.9"),
                    (25, 26, "1.1.10"),
                    (27, 27, "1.1.11"),
                    (28, 33, "1.1.12"),
                    (34, 35, "1.1.13"),
                    (36, 36, "1.1.14"),
                    (37, 38, "1.2.5"),
                    (39, 39, "1.3.0"),
                ],
            ),
            (
                "1.7",
                &[
                    (0, 0, "1.1.4"),
                    (1, 2, "1.1.7"),
                    (3, 3, "1.1.8"),
                    (4, 8, "1.1.9"),
                    (9, 11, "1.1.10"),
                    (12, 12, "1.1.11"),
                    (13, 18, "1.1.12"),
                    (19, 21, "1.1.13"),
                    (22, 23, "1.1.14"),
                    (24, 24, "1.2.2"),
                    (25, 25, "1.2.4"),
                    (26, 27, "1.2.5"),
                    (28, 28, "1.3.0"),
                    (29, 29, "1.3.3"),
                    (30, 30, "1.3.4"),
                    (31, 32, "1.3.5"),
                    (33, 34, "1.3.6"),
                ],
            ),
            (
                "2.0",
                &[
                    (0, 0, "1.2.1"),
                    (1, 1, "1.2.3"),
                    (2, 2, "1.2.4"),
                    (3, 4, "1.2.5"),
                    (5, 5, "1.2.6"),
                    (6, 6, "1.3.0"),
                    (7, 9, "1.3.3"),
                    (10, 11, "1.3.6"),
                ],
            ),
            ("2.1", &[(0, 4, "1.3.0"), (5, 5, "1.3.3"), (6, 6, "1.3.4"), (7, 8, "1.3.5"), (9, 9, "1.3.6")]),
            ("2.2", &[(0, 0, "1.3.3"), (1, 2, "1.3.4"), (3, 4, "1.3.5"), (5, 7, "1.3.6")]),
            ("2.3", &[(0, 1, "1.4.2"), (2, 4, "1.4.3")]),
        ];
        for (minor, releases) in tags {
            for &(first, last, runc) in releases {
                for patch in first..=last {
                    let containerd = version(&format!("{minor}.{patch}"));
                    assert_eq!(containerd.containerd_bundles_runc(), Some(runc), "{containerd}");
                }
            }
        }
        assert_eq!(version("1.7.11-k3s2").containerd_bundles_runc(), Some("1.1.10"));
        assert_eq!(version("1.3.9").containerd_bundles_runc(), None);
        assert_eq!(version("1.7").containerd_bundles_runc(), None);
    }

    /// The bundles of containerd 1.6.21, 1.7.1 and all of 2.x carry a runc that creates misc cgroups.
    #[test]
    fn misc_by_bundle_starts_with_1_6_21_and_1_7_1() {
        for (containerd, creates) in [
            ("1.5.18", false),
            ("1.6.8", false),
            ("1.6.20", false),
            ("1.6.21", true),
            ("1.7.0", false),
            ("1.7.1", true),
        ] {
            let runc = version(version(containerd).containerd_bundles_runc().unwrap());
            assert_eq!(runc.runc_creates_misc(), Some(creates), "{containerd}");
        }
    }

    /// containerd/cgroups commit 35b5b55 as vendored at the containerd tags (`isCgroupEmpty` is absent in v1.5.11).
    #[test]
    fn containerds_that_leak_inotify() {
        for (text, leaks) in [
            ("1.3.9", Some(false)),
            ("1.4.0", Some(true)),
            ("1.4.13", Some(true)),
            ("1.5.11", Some(true)),
            ("1.5", None),
            ("1.5.12", Some(false)),
            ("1.6.0", Some(false)),
            ("2.3.4", Some(false)),
        ] {
            assert_eq!(version(text).containerd_leaks_inotify(), leaks, "{text}");
        }
    }

    /// Kernel commit 73f576c04b94 (4.7); kubernetes issue 61937 and moby issue 35601 for RHEL 7 builds 514 and 693; Red
    /// Hat bug 1507149 and docker/for-linux issue 841 for 1062.4.1.
    #[test]
    fn kernels_that_leak_memcg_ids() {
        for (text, ids) in [
            ("2.6.32-754.el6.x86_64", MemcgIds::NotKnownToLeak),
            ("3.16.0-4-amd64", MemcgIds::NotKnownToLeak),
            ("3.19.0-25-generic", MemcgIds::Leak),
            ("4.2.0-42-generic", MemcgIds::Leak),
            ("4.3.6", MemcgIds::Leak),
            ("4.4.0-36-generic", MemcgIds::MayLeak),
            ("4.6.7", MemcgIds::MayLeak),
            ("4.7.0", MemcgIds::NotKnownToLeak),
            ("4.18.0-477.el8.x86_64", MemcgIds::NotKnownToLeak),
            ("5.15.0-71-generic", MemcgIds::NotKnownToLeak),
            ("3.10.0-327.36.3.el7.x86_64", MemcgIds::Leak),
            ("3.10.0-514.10.2.el7.x86_64", MemcgIds::Leak),
            ("3.10.0-693.17.1.el7.x86_64", MemcgIds::Leak),
            ("3.10.0-957.el7.x86_64", MemcgIds::Leak),
            ("3.10.0-1062.el7.x86_64", MemcgIds::Leak),
            ("3.10.0-1062.4.1.el7.x86_64", MemcgIds::MayLeak),
            ("3.10.0-1127.el7.x86_64", MemcgIds::MayLeak),
            ("3.10.0-1160.88.1.el7.x86_64", MemcgIds::MayLeak),
        ] {
            assert_eq!(version(text).kernel_memcg_ids(), ids, "{text}");
        }
    }

    /// Kernel commit a72232eabdfc is in 5.13.
    #[test]
    fn kernels_that_may_have_misc() {
        for (text, may) in [
            ("3.10.0-1160.88.1.el7.x86_64", false),
            ("5.4.0-150-generic", false),
            ("5.10.0-9-amd64", false),
            ("5.13.0-52-generic", true),
            ("6.1.0-18-amd64", true),
            ("4.18.0-477.el8.x86_64", true),
            ("5.14.0-362.el9.x86_64", true),
        ] {
            assert_eq!(version(text).kernel_may_have_misc(), may, "{text}");
        }
    }

    /// Kernel commits 73f576c04b94 (4.7, its message quotes ENOSPC before) and 11d6761218d1 (5.7), `mm/memcontrol.c` 6.12.
    #[test]
    fn errno_when_ids_run_out() {
        for (text, errno) in [
            ("3.10.0-693.17.1.el7.x86_64", Errno::Enospc),
            ("3.10.0-957.el7.x86_64", Errno::Enomem),
            ("4.4.0-36-generic", Errno::Enospc),
            ("4.7.0", Errno::Enomem),
            ("5.6.19", Errno::Enomem),
            ("5.7.0", Errno::Enospc),
            ("6.1.0-18-amd64", Errno::Enospc),
            ("6.12.9", Errno::Ebusy),
        ] {
            assert_eq!(version(text).kernel_memcg_errno(), errno, "{text}");
        }
    }
}
