//! What comes out: the report, its findings, and the places they point at.
//!
//! A finding holds facts, not sentences. The words are looked up by rule id and language when a report is shown
//! (`crate::show`), so that hosts can compare reports with `==`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::patch::Set;

/// Everything one check found out. Its JSON form is the public contract of `noderisk --format json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Version of this shape; it changes only when a reader of the old shape would misread the new one.
    pub version: u32,
    /// The answer for the whole input.
    pub verdict: Verdict,
    /// The state of each of the four risks; all four are always present.
    pub risks: BTreeMap<Risk, RiskState>,
    /// What fired, worst first.
    pub findings: Vec<Finding>,
    /// Which lines were understood, and as what.
    pub read: Vec<ReadLines>,
    /// Which lines were not used, and why. Nothing pasted is dropped silently.
    pub unread: Vec<Unread>,
}

impl Report {
    /// The state of one risk.
    #[must_use]
    pub fn risk(&self, risk: Risk) -> RiskState {
        self.risks.get(&risk).cloned().unwrap_or_default()
    }
}

/// The answer for the whole input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// At least one risk is at risk.
    AtRisk,
    /// Nothing fired, but a deciding input is missing or nothing was understood.
    CannotJudge,
    /// What was read decides, and nothing fired.
    NoRiskFound,
}

/// The four ways a node dies. Ids are public and stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Risk {
    /// A memory-backed emptyDir without a memory limit fills the node's memory.
    MemoryVolume,
    /// inotify instances or watches run out.
    Inotify,
    /// kubelet loops on cgroups it cannot delete.
    CgroupCleanup,
    /// Memory cgroup ids run out, or kernel-memory accounting leaks.
    Memcg,
}

impl Risk {
    /// All four, in the order in which they are shown.
    pub const ALL: [Self; 4] = [Self::MemoryVolume, Self::Inotify, Self::CgroupCleanup, Self::Memcg];

    /// The public id, as in the JSON report.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::MemoryVolume => "memory-volume",
            Self::Inotify => "inotify",
            Self::CgroupCleanup => "cgroup-cleanup",
            Self::Memcg => "memcg",
        }
    }
}

/// State of one risk, and what would decide it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RiskState {
    /// See [`Status`].
    pub status: Status,
    /// The worst severity among this risk's findings, `Info` included.
    pub severity: Option<Severity>,
    /// What to paste next, most telling first; filled only when the status is `undecided`.
    pub missing: Vec<Missing>,
}

/// What is known about one risk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// A finding of `Warning` or `Error`.
    AtRisk,
    /// Something relevant was seen, but a deciding input is missing.
    Undecided,
    /// The deciding evidence was read and nothing fired.
    Ok,
    /// Nothing about it in the input.
    #[default]
    NoEvidence,
}

/// How bad it is. A property of the rule: two levels means two rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Worth knowing; the policy is silent about it.
    Info,
    /// The node can get into trouble; the policy warns.
    Warning,
    /// The node is in trouble or one workload can bring it there; the policy denies.
    Error,
}

impl Severity {
    /// All severities, the worst first.
    pub const WORST_FIRST: [Self; 3] = [Self::Error, Self::Warning, Self::Info];
}

/// Quantities by the name of their placeholder.
pub type Values = BTreeMap<Cow<'static, str>, String>;

/// One rule that fired at one place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Rule id; [`crate::rules::find`] gives its words.
    pub rule: Cow<'static, str>,
    /// The risk that the rule belongs to.
    pub risk: Risk,
    /// The rule's severity.
    pub severity: Severity,
    /// `Kind/namespace/name` (or `Kind/name`) of the object, when the finding is about one.
    pub object: Option<String>,
    /// Container name, when the finding is about one.
    pub container: Option<String>,
    /// Volume name, when the finding is about one.
    pub volume: Option<String>,
    /// What was seen and what should have been, most telling first.
    pub evidence: Vec<Evidence>,
    /// The quantities that the rule's words speak of, by the name of their placeholder.
    pub values: Values,
    /// Edits that remove the finding; empty where no mechanical fix exists.
    pub patch: Vec<Set>,
}

/// One observation: where, what was seen, what should be there. Language-neutral: quotes, numbers and units only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Where it was read.
    pub place: Place,
    /// What was read, for example `fs.inotify.max_user_instances = 128`.
    pub observed: String,
    /// What should be there, for example `>= 245`; empty when the observation itself is the fault.
    pub expected: String,
}

impl Evidence {
    /// An observation at a place, and what should be there.
    #[must_use]
    pub fn new(place: &Place, observed: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { place: place.clone(), observed: observed.into(), expected: expected.into() }
    }
}

/// A place in one of the inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// Index of the input.
    pub input: usize,
    /// JSON pointer into the object, when the place is in an object.
    pub pointer: Option<String>,
    /// Lines and columns of the original text; absent when an object was checked instead of text.
    pub span: Option<Span>,
}

impl Place {
    /// Whether this stands below `earlier` in the same text: what is below was said later.
    pub(crate) fn is_after(&self, earlier: &Self) -> bool {
        let line = |place: &Self| place.span.map(|span| span.line);
        self.input == earlier.input && line(self) > line(earlier)
    }
}

/// A stretch of one line of the original text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// 1-based line.
    pub line: usize,
    /// 1-based column of the first character, in UTF-16 code units.
    pub column: usize,
    /// 1-based column behind the last character, in UTF-16 code units.
    pub end_column: usize,
}

/// A run of lines that a reader understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadLines {
    /// Index of the input.
    pub input: usize,
    /// 1-based first line.
    pub first_line: usize,
    /// 1-based last line, inclusive.
    pub last_line: usize,
    /// Id of the reader, for example `sysctl`.
    pub kind: Cow<'static, str>,
}

/// A run of lines that was not used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unread {
    /// Index of the input.
    pub input: usize,
    /// 1-based first line.
    pub first_line: usize,
    /// 1-based last line, inclusive.
    pub last_line: usize,
    /// Why they were not used.
    pub why: Why,
}

/// Why lines were not used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "reason")]
pub enum Why {
    /// No reader knows these lines.
    NotRecognised,
    /// The input has no text at all.
    Empty,
    /// The input is not text (NUL bytes).
    Binary,
    /// YAML or JSON that a parser refuses; `message` is the parser's own.
    Broken {
        /// The parser's message.
        message: String,
    },
    /// A template (Helm, Go, Jinja) that has to be rendered first.
    Template,
    /// A diff or patch, which shows only parts of two versions.
    Diff,
    /// A part of a manifest that cannot be judged alone.
    Fragment,
    /// YAML whose indentation was lost in copying.
    IndentationLost,
    /// Log lines that were cut before what counts in them: the width of a terminal, or the end of what was copied.
    Cut,
    /// Text that sets a value for later (a file being written), not the present value.
    Intended,
    /// Lines that are known and say nothing about the four risks, or that only look relevant.
    Irrelevant,
}

/// One thing to paste next, and the command that prints it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// What is missing; the words for it are looked up when shown.
    pub what: Wanted,
    /// The command that prints it.
    pub command: Cow<'static, str>,
}

/// Inputs that can decide an undecided risk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wanted {
    /// The whole manifest with its containers.
    Manifest,
    /// The manifest as rendered by Helm or Kustomize.
    RenderedManifest,
    /// `fs.inotify` limits.
    InotifyLimits,
    /// inotify instances in use per user.
    InotifyUsage,
    /// cgroup mode of the node.
    CgroupMode,
    /// Whether the misc controller is mounted.
    MiscController,
    /// kubelet's version.
    KubeletVersion,
    /// runc's version.
    RuncVersion,
    /// Rows of /proc/cgroups.
    ProcCgroups,
    /// The kernel's version.
    KernelVersion,
    /// The command line of the running kernel.
    KernelCommandLine,
    /// kubelet's log lines about cgroups and inotify.
    KubeletLog,
}

impl Wanted {
    /// This input and the command that prints it.
    #[must_use]
    pub fn missing(self) -> Missing {
        let command = match self {
            Self::Manifest => "kubectl get pod NAME -n NAMESPACE -o yaml",
            Self::RenderedManifest => "helm template RELEASE CHART",
            Self::InotifyLimits => "sysctl fs.inotify",
            Self::InotifyUsage => {
                "sudo find /proc/*/fd -lname 'anon_inode:inotify' -printf '%u\\n' 2>/dev/null | sort | uniq -c"
            }
            Self::CgroupMode => "stat -fc %T /sys/fs/cgroup",
            Self::MiscController | Self::ProcCgroups => "cat /proc/cgroups",
            Self::KubeletVersion => "kubelet --version",
            Self::RuncVersion => "runc --version",
            Self::KernelVersion => "uname -r",
            Self::KernelCommandLine => "cat /proc/cmdline",
            Self::KubeletLog => "sudo journalctl -u kubelet --no-pager --since -10min | grep -E 'cgroup|notify'",
        };
        Missing { what: self, command: Cow::Borrowed(command) }
    }
}
