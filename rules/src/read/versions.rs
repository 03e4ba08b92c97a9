//! Versions of kubelet, runc, containerd, CRI-O and Linux, in the many ways they are printed and told.

use std::ops::Range;

use crate::facts::{Found, Versions};
use crate::kubernetes::version::Version;
use crate::order;
use crate::read::{Notes, Reader};
use crate::text::{Block, Line, Needles, Role};

/// See the module's text.
pub(super) static READER: Reader = Reader { kind: "versions", read };

/// What a word in front of a version speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Program {
    Kubelet,
    Runc,
    Containerd,
    Crio,
    Kernel,
}

/// Needles that stand right in front of a version, in lower case, and what each speaks of.
static WORDS: Needles = Needles::new(&[
    "kubeletversion",
    "kubelet version",
    "kubelet",
    "kubernetes",
    "kubernetes version",
    "k3s version",
    "rke2 version",
    "k8s",
    "runc version",
    "runc",
    "containerd.io",
    "containerd",
    "cri-o",
    "crio",
    "kernel version",
    "kernelversion",
    "kernel-version",
    "kernel",
]);

/// What the word of [`WORDS`] at `index` speaks of.
fn program(index: usize) -> Program {
    match index {
        0..=7 => Program::Kubelet,
        8 | 9 => Program::Runc,
        10 | 11 => Program::Containerd,
        12 | 13 => Program::Crio,
        _ => Program::Kernel,
    }
}

/// Needles of lines that speak of another program (the client, the API server, Kustomize, kubeadm), or of what somebody
/// plans, advises or once had. None of that is what runs on the node now.
static ELSEWHERE: Needles = Needles::new(&[
    "client version",
    "server version",
    "kustomize version",
    "kubeadm",
    "upgrad",
    "downgrad",
    "update to",
    "fixed in",
    "fix is in",
    "workaround",
    "moved from",
    "previously",
    "before:",
    "requires",
    "アップグレード",
    "修正",
    "升级",
    "修复",
]);

/// Endings that only a distribution's kernel release has.
static KERNEL_MARKS: Needles =
    Needles::new(&["-generic", ".el7", ".el8", ".el9", ".amzn2", "-aws", "-azure", "-gke", "-cloud-amd64", "-amd64"]);

fn read(block: &Block, notes: &mut Notes) {
    let command = block.command_text();
    let mut heading = None;
    let mut answered = None;
    // A row of `kubectl get nodes` has been read by column; its words must not be read once more.
    for line in
        block.all_lines().filter(|line| line.role == Role::Command || !notes.is_claimed(line)).collect::<Vec<_>>()
    {
        heading = heading_of(&line.text, command).or(heading.filter(|_| !line.text.trim_end().ends_with(':')));
        if let Some(version) = apiserver(&line.text) {
            notes.claim(READER.kind, line);
            notes.facts.versions.apiserver = Some(version);
        }
        let mut hits = line_versions(&line.text);
        if hits.is_empty() {
            hits.extend(bare_output(block, line));
            hits.extend(heading.and_then(|program| below_heading(program, &line.text)));
        }
        for (program, version, range) in hits {
            notes.claim(READER.kind, line);
            let found = notes.found(version, block.paste, line, range);
            answered = Some(found.host);
            list(&mut notes.facts.versions, program).push(found);
        }
    }
    if let Some(host) = answered.filter(|_| !command.is_empty()) {
        notes.answer(block, host);
    }
}

/// What `kubectl version` says of kube-apiserver: `Server Version: v1.26.3`, and up to 1.27 a whole `version.Info`. Docker
/// prints its own without a `v`.
fn apiserver(text: &str) -> Option<Version> {
    let rest = text.trim_start().strip_prefix("Server Version:")?.trim_start();
    let version = rest.split_once("GitVersion:\"").map_or(rest, |(_, version)| version);
    version.starts_with('v').then(|| Version::parse(version)).flatten()
}

/// The program that the lines below a heading are about: ` runc:` of `docker version`, `Server:` of `ctr version`,
/// `RuntimeName:  containerd` of `crictl version`.
fn heading_of(text: &str, command: &str) -> Option<Program> {
    match text.trim() {
        "containerd:" => Some(Program::Containerd),
        "runc:" => Some(Program::Runc),
        "Server:" if command.contains("ctr ") => Some(Program::Containerd),
        text => match text.strip_prefix("RuntimeName:")?.trim() {
            "containerd" => Some(Program::Containerd),
            "cri-o" => Some(Program::Crio),
            _ => None,
        },
    }
}

/// `Version:  1.1.8` and `RuntimeVersion:  v1.5.8` below such a heading.
fn below_heading(program: Program, text: &str) -> Option<Hit> {
    let trimmed = text.trim_start();
    let rest = trimmed.strip_prefix("Version:").or_else(|| trimmed.strip_prefix("RuntimeVersion:"))?.trim_start();
    let version = Version::parse(rest)?;
    let end = text.len() - rest.len() + usize::from(rest.starts_with('v')) + version.text.len();
    Some((program, version, text.len() - trimmed.len()..end))
}

fn list(versions: &mut Versions, program: Program) -> &mut Vec<Found<Version>> {
    match program {
        Program::Kubelet => &mut versions.kubelet,
        Program::Runc => &mut versions.runc,
        Program::Containerd => &mut versions.containerd,
        Program::Crio => &mut versions.crio,
        Program::Kernel => &mut versions.kernel,
    }
}

/// A version in a line: whose, which, and the bytes from its word to its end.
type Hit = (Program, Version, Range<usize>);

fn line_versions(text: &str) -> Vec<Hit> {
    let mut hits: Vec<Hit> = Vec::new();
    // Without a digit, a dot and a digit there is no version; most lines of a log end here.
    if !text.as_bytes().windows(3).any(|w| matches!(w, [a, b'.', b] if a.is_ascii_digit() && b.is_ascii_digit())) {
        return hits;
    }
    let lower = text.to_ascii_lowercase();
    if ELSEWHERE.any_in(&lower) {
        return hits;
    }
    for (index, word) in WORDS.all_in(&lower) {
        let program = program(index);
        let hit = stands_alone(&lower, word.start, program).then(|| version_after(text, word.end)).flatten();
        // kubelet's and runc's fixes are told by the patch number; two numbers are a series, not a version.
        if let Some((version, start)) = hit.filter(|(version, _)| version.numbers.2.is_some()) {
            let end = start + version.text.len();
            hits.push((program, version, word.start..end));
        }
    }
    // "kubelet version" and "kubelet" find the same number; the longer word is the one to point at.
    order::sort_by(&mut hits, |(_, _, a), (_, _, b)| (a.end, a.start).cmp(&(b.end, b.start)));
    hits.dedup_by_key(|(_, _, range)| range.end);
    hits.extend(klog_version(text));
    hits.extend(uname(text));
    let distribution = distribution_kernel(text)
        .filter(|(_, _, range)| !hits.iter().any(|(_, _, known)| known.start < range.end && range.start < known.end));
    hits.extend(distribution);
    hits
}

/// True when the word at `at` is not part of another one. `github.com/opencontainers/runc v1.1.4` is what a program was
/// built with, not what is installed; `github.com/containerd/containerd v1.6.12` is how containerd prints its own.
fn stands_alone(lower: &str, at: usize, program: Program) -> bool {
    let before = lower.get(..at).unwrap_or_default();
    match before.chars().next_back() {
        None => true,
        Some('/') => program == Program::Containerd && ["/containerd/", "/k3s-io/"].iter().any(|p| before.ends_with(p)),
        Some(last) => !last.is_ascii_alphanumeric() && last != '-' && last != '.',
    }
}

/// The version that follows a word after nothing but separators, and where it starts.
fn version_after(text: &str, end: usize) -> Option<(Version, usize)> {
    let between =
        |c: char| c.is_whitespace() || matches!(c, ':' | '=' | '"' | '|' | '*' | '`' | ',' | '(' | '/' | '\\');
    let rest = text.get(end..)?;
    let mut gap = rest.trim_start_matches(between);
    if let Some(after) = gap.strip_prefix("version") {
        gap = after.trim_start_matches(between);
    }
    if gap.len() == rest.len() {
        return None;
    }
    let version = Version::parse(gap)?;
    let start = text.len() - gap.len() + usize::from(gap.starts_with(['v', 'V']));
    Some((version, start))
}

/// `I0101 00:00:00.000000 1 server.go:415] Version: v1.20.9`, which kubelet logs when it starts.
fn klog_version(text: &str) -> Option<Hit> {
    let words = "server.go:";
    let at = text.find(words)?;
    let (_, message) = text.get(at..)?.split_once("] ")?;
    let rest = message.strip_prefix("Version: ")?;
    let start = text.len() - rest.len();
    let version = Version::parse(rest)?;
    let end = start + usize::from(rest.starts_with('v')) + version.text.len();
    Some((Program::Kubelet, version, start..end))
}

/// `Linux host 5.15.0-71-generic #78-Ubuntu SMP …` (uname -a).
fn uname(text: &str) -> Option<Hit> {
    let after = text.get(text.find("Linux ")? + "Linux ".len()..)?;
    let (host, rest) = after.split_once(' ')?;
    let release = rest.split(' ').next()?;
    let built = rest.get(release.len()..)?.trim_start().starts_with('#');
    let version = Version::parse(release).filter(|_| built && !host.is_empty())?;
    let start = text.len() - rest.len();
    Some((Program::Kernel, version, start..start + release.len()))
}

/// A release that only a kernel has: `3.10.0-693.17.1.el7.x86_64`, `5.13.0-52-generic`.
fn distribution_kernel(text: &str) -> Option<Hit> {
    let mark = KERNEL_MARKS.first_in(text)?.start;
    let before = text.get(..mark)?;
    let start =
        before.rfind(|c: char| c.is_whitespace() || matches!(c, '(' | '"' | '|' | ':' | '=')).map_or(0, |at| at + 1);
    let version = Version::parse(text.get(start..)?)?;
    let kernel = version.numbers.2.is_some() && (2..=9).contains(&version.numbers.0);
    let range = start..start + version.text.len();
    kernel.then_some((Program::Kernel, version, range))
}

/// What `uname -r` prints: nothing but the release. Without the command a release needs more than three numbers to be
/// known as one (`6.1.112-flatcar`, `4.2.0-coreos`); `5.15.0` alone may be anything.
fn bare_output(block: &Block, line: &Line) -> Option<Hit> {
    let text = line.text.trim();
    let version = Version::parse(text).filter(|version| version.text == text && version.numbers.2.is_some())?;
    let asked = block.command_text().contains("uname -r");
    let kernel = (3..=9).contains(&version.numbers.0) && version.suffix().starts_with(['-', '+']);
    let start = line.text.len() - line.text.trim_start().len();
    (asked || kernel).then(|| (Program::Kernel, version, start..start + text.len()))
}

#[cfg(test)]
mod tests {
    use super::Program::{Containerd, Kernel, Kubelet, Runc};
    use super::{Program, line_versions};
    use crate::facts::{Found, Versions};
    use crate::kubernetes::version::Version;
    use crate::{Input, read};

    #[test]
    fn forms() {
        let cases: &[(&str, &[(Program, &str)])] = &[
            ("containerd github.com/containerd/containerd v1.6.12 a05d175400b1145e5", &[(Containerd, "1.6.12")]),
            ("containerd github.com/k3s-io/containerd v1.7.11-k3s2", &[(Containerd, "1.7.11-k3s2")]),
            ("containerd containerd.io 1.5.8 1e5ef943eb76627a6d3b6de8cd1ef6537f393a71", &[(Containerd, "1.5.8")]),
            ("• CRI : containerd 1.7.1", &[(Containerd, "1.7.1")]),
            ("Container Runtime Version:  containerd://1.7.2", &[(Containerd, "1.7.2")]),
            ("runc version 1.0.3", &[(Runc, "1.0.3")]),
            ("runc : v1.1.7", &[(Runc, "1.1.7")]),
            ("• OCI Runtime : runc 1.1.7", &[(Runc, "1.1.7")]),
            (" runc version: v1.0.3-0-gf46b6ba", &[(Runc, "1.0.3-0-gf46b6ba")]),
            ("runc | version 1.0.0-rc10+dev |", &[(Runc, "1.0.0-rc10+dev")]),
            ("spec: 1.0.2-dev", &[]),
            ("Kubernetes v1.27.1 ( github.com/opencontainers/runc v1.1.4 )", &[(Kubelet, "1.27.1")]),
            ("Kubernetes v1.24.3", &[(Kubelet, "1.24.3")]),
            ("Kubernetes 1.25 で cgroup v2 が GA しました", &[]),
            ("k8s 1.32.6", &[(Kubelet, "1.32.6")]),
            ("\"Kubelet version\" kubeletVersion=\"v1.27.4\"", &[(Kubelet, "1.27.4")]),
            (" Kubelet Version:            v1.25.8-eks-c05fe32", &[(Kubelet, "1.25.8-eks-c05fe32")]),
            ("I0513 10:00:00.000000  1378 server.go:416] Version: v1.20.9", &[(Kubelet, "1.20.9")]),
            ("Client Version: v1.30.0", &[]),
            ("Kustomize Version: v5.0.4", &[]),
            ("Server Version: version.Info{Major:\"1\", Minor:\"22+\", GitVersion:\"v1.22.11-eks-18ef993\"}", &[]),
            ("Server Version: 20.10.24", &[]),
            ("    \"gitVersion\": \"v1.28.2\",", &[]),
            ("kubeadm version: &version.Info{Major:\"1\", Minor:\"28\", GitVersion:\"v1.28.0\"}", &[]),
            ("Kubernetes Version: v1.25.8+37a9a08", &[(Kubelet, "1.25.8+37a9a08")]),
            ("rke2 version v1.26.4+rke2r1 (abc)", &[(Kubelet, "1.26.4+rke2r1")]),
            ("Plan: upgrade to kubelet v1.27.3 next week.", &[]),
            ("The fix is in kubelet 1.27.2.", &[]),
            ("kubelet 1.28.0-1.1 amd64 [upgradable from: 1.26.3-1.1]", &[]),
            ("workaround: downgrade to runc 1.1.5", &[]),
            ("We moved from kernel 4.2.0 to 5.15.0 last year.", &[]),
            ("k3s version v1.29.1+k3s2 (57482a1c)", &[(Kubelet, "1.29.1+k3s2")]),
            ("Linux node-a 5.15.0-71-generic #78-Ubuntu SMP Tue Apr 18", &[(Kernel, "5.15.0-71-generic")]),
            ("Linux Kernel : 5.15.0-71-generic", &[(Kernel, "5.15.0-71-generic")]),
            ("CentOS 7, latest kernel (3.10.0-693.17.1.el7.x86_64)", &[(Kernel, "3.10.0-693.17.1.el7.x86_64")]),
            ("Ubuntu 20.04 with 5.13.0-52-generic kernel", &[(Kernel, "5.13.0-52-generic")]),
            ("kernel | 4.4.58-20171215.kylin.YUN+-generic |", &[(Kernel, "4.4.58-20171215.kylin.YUN+-generic")]),
            ("Linux 5.10, cgroup v1 - not affected", &[]),
            ("go version go1.21.6", &[]),
            ("Upgrade kubelet to 1.27.2", &[]),
        ];
        for (line, want) in cases {
            let got: Vec<(Program, String)> =
                line_versions(line).into_iter().map(|(program, version, _)| (program, version.text)).collect();
            let want: Vec<(Program, String)> = want.iter().map(|&(program, text)| (program, text.to_owned())).collect();
            assert_eq!(got, want, "{line}");
        }
    }

    fn versions(text: &str) -> Versions {
        read::texts(&[Input::new("paste", text)]).facts.versions
    }

    fn texts(found: &[Found<Version>]) -> Vec<&str> {
        found.iter().map(|found| found.value.text.as_str()).collect()
    }

    #[test]
    fn the_server_of_kubectl_is_kube_apiserver_and_no_kubelet() {
        let server = |line: &str| {
            let versions = versions(&format!("$ kubectl version\nClient Version: v1.28.2\n{line}\n"));
            assert!(versions.kubelet.is_empty(), "{line}");
            versions.apiserver.map(|version| version.text)
        };
        assert_eq!(server("Server Version: v1.26.3").as_deref(), Some("1.26.3"));
        let info =
            "Server Version: version.Info{Major:\"1\", Minor:\"23\", GitVersion:\"v1.23.6\", GoVersion:\"go1.17.9\"}";
        assert_eq!(server(info).as_deref(), Some("1.23.6"));
        assert_eq!(server(" Server Version: 20.10.7"), None, "docker info");
    }

    #[test]
    fn versions_below_a_heading() {
        let docker = versions(
            "$ docker version\nClient: Docker Engine - Community\n Version:           24.0.2\n\nServer:\n Engine:\n  \
             Version:          24.0.2\n containerd:\n  Version:          1.6.21\n  GitCommit:        3dce8eb\n \
             runc:\n  Version:          1.1.7\n docker-init:\n  Version:          0.19.0\n",
        );
        assert_eq!((texts(&docker.containerd), texts(&docker.runc)), (vec!["1.6.21"], vec!["1.1.7"]));
        let ctr = "$ ctr version\nClient:\n  Version:  v1.7.0\nServer:\n  Version:  v1.5.11\n  Revision: 3df54a8\n";
        assert_eq!(texts(&versions(ctr).containerd), ["1.5.11"]);
        let crictl = "Version:  0.1.0\nRuntimeName:  containerd\nRuntimeVersion:  v1.5.8\nRuntimeApiVersion:  v1\n";
        assert_eq!(texts(&versions(crictl).containerd), ["1.5.8"]);
    }

    #[test]
    fn a_command_asked_again_on_the_same_host_tells_what_an_update_changed() {
        let twice = "root@n1:~# kubelet --version\nKubernetes v1.26.3\nroot@n1:~# apt-get install -y kubelet\n\
                     root@n1:~# kubelet --version\nKubernetes v1.26.15\n";
        assert_eq!(texts(&versions(twice).kubelet), ["1.26.15"]);
        assert_eq!(texts(&versions(&twice.replacen("n1", "n2", 1)).kubelet), ["1.26.3", "1.26.15"]);
        assert_eq!(texts(&versions("Kubernetes v1.26.3\nKubernetes v1.26.15\n").kubelet), ["1.26.3", "1.26.15"]);
    }

    #[test]
    fn uname_r_prints_nothing_else() {
        let facts = read::texts(&[Input::new("paste", "$ uname -r\n3.10.0-514.el7.x86_64\n")]).facts;
        assert_eq!(facts.versions.kernel[0].value.text, "3.10.0-514.el7.x86_64");
        let kernels = |text: &str| read::texts(&[Input::new("paste", text)]).facts.versions.kernel.len();
        for text in ["4.2.0-coreos", "6.6.56+", "6.1.112-flatcar", "$ uname -r\n6.18.44"] {
            assert_eq!(kernels(text), 1, "{text}");
        }
        assert_eq!(kernels("1.28.0-1.1\nv1.2.3-x\n6.18.44"), 0);
    }
}
