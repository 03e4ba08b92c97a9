//! Tables of kubectl: `get nodes` with its versions, and what `describe pod` says of memory volumes.

use std::ops::Range;

use crate::facts::{Found, Sketch};
use crate::kubernetes::version::Version;
use crate::read::{Notes, Reader};
use crate::text::{Block, Line};

/// See the module's text.
pub(super) static READER: Reader = Reader { kind: "kubectl-tables", read };

fn read(block: &Block, notes: &mut Notes) {
    let mut in_nodes = false;
    for line in block.lines() {
        let text = line.text.as_ref();
        if text.trim_start().starts_with("NAME") && text.contains("STATUS") && text.contains("VERSION") {
            in_nodes = true;
            notes.claim(READER.kind, line);
        } else if in_nodes && node(block, line, notes) {
            notes.claim(READER.kind, line);
        } else {
            in_nodes = false;
            if text.split_once("Medium:").is_some_and(|(_, medium)| medium.trim() == "Memory") {
                notes.claim(READER.kind, line);
                let found = notes.found(Sketch::Described, block.paste, line, 0..text.len());
                notes.facts.sketches.push(found);
            }
        }
    }
}

/// A row of `kubectl get nodes`: NAME STATUS ROLES AGE VERSION, and with `-o wide` addresses, OS-IMAGE (with blanks),
/// KERNEL-VERSION and CONTAINER-RUNTIME at the end.
fn node(block: &Block, line: &Line, notes: &mut Notes) -> bool {
    let fields: Vec<(&str, Range<usize>)> = fields(&line.text).collect();
    let version =
        |index: usize| fields.get(index).and_then(|(text, range)| Some((Version::parse(text)?, range.clone())));
    let Some((kubelet, range)) = version(4) else { return false };
    let name = fields.first().map_or("", |(name, _)| name);
    notes.facts.know_node(name);
    let host = notes.name(name);
    let found = |version, range, notes: &mut Notes| Found { host, ..notes.found(version, block.paste, line, range) };
    let kubelet = found(kubelet, range, notes);
    notes.facts.versions.kubelet.push(kubelet);
    let Some((runtime, range)) = fields.last().filter(|(text, _)| text.contains("://")) else { return true };
    if let Some((program, version)) = runtime.split_once("://").and_then(|(p, v)| Some((p, Version::parse(v)?))) {
        let found = found(version, range.clone(), notes);
        match program {
            "containerd" => notes.facts.versions.containerd.push(found),
            "cri-o" => notes.facts.versions.crio.push(found),
            _ => {}
        }
    }
    if let Some((kernel, range)) = version(fields.len().saturating_sub(2)) {
        let kernel = found(kernel, range, notes);
        notes.facts.versions.kernel.push(kernel);
    }
    true
}

/// The fields of a row between blanks, and where each stands.
fn fields(text: &str) -> impl Iterator<Item = (&str, Range<usize>)> {
    text.split_whitespace().map(|field| {
        let start = field.as_ptr().addr().saturating_sub(text.as_ptr().addr());
        (field, start..start + field.len())
    })
}

#[cfg(test)]
mod tests {
    use super::Version;
    use crate::facts::{Found, Sketch};
    use crate::{Input, read};

    #[test]
    fn get_nodes_wide() {
        let text = "$ kubectl get nodes -o wide\n\
            NAME STATUS   ROLES    AGE   VERSION   INTERNAL-IP   EXTERNAL-IP   OS-IMAGE             KERNEL-VERSION      CONTAINER-RUNTIME\n\
            w1   Ready    <none>   9d    v1.27.4   192.0.2.1     <none>        Ubuntu 22.04.2 LTS   5.15.0-76-generic   containerd://1.7.2\n\
            w2   Ready    <none>   9d    v1.27.1   192.0.2.2     <none>        Ubuntu 22.04.2 LTS   5.15.0-76-generic   cri-o://1.27.0\n";
        let versions = read::texts(&[Input::new("paste", text)]).facts.versions;
        let texts =
            |list: &[Found<Version>]| list.iter().map(|found| found.value.text.clone()).collect::<Vec<String>>();
        assert_eq!(texts(&versions.kubelet), ["1.27.4", "1.27.1"]);
        assert_eq!(texts(&versions.kernel), ["5.15.0-76-generic"; 2]);
        assert_eq!(texts(&versions.containerd), ["1.7.2"]);
        assert_eq!(texts(&versions.crio), ["1.27.0"]);
        assert_eq!(versions.kubelet[0].place.span.map(|span| (span.line, span.column)), Some((3, 30)));
    }

    #[test]
    fn describe_pod_shows_a_memory_volume() {
        let sketches = |text: &str| {
            let facts = read::texts(&[Input::new("paste", text)]).facts;
            facts.sketches.into_iter().map(|found| found.value).collect::<Vec<_>>()
        };
        let text = "Volumes:\n  shm:\n    Type:       EmptyDir (a temporary directory)\n    Medium:     Memory\n";
        assert_eq!(sketches(text), [Sketch::Described]);
        assert_eq!(sketches("    Medium:\n    Medium:     HugePages\n"), []);
    }
}
