//! `kubectl describe node`: what a node has room for. Its versions are read like those of any other text.

use std::ops::Range;

use crate::facts::Found;
use crate::kubernetes::quantity;
use crate::read::{Notes, Reader};
use crate::text::{Block, Line};

/// See the module's text.
pub(super) static READER: Reader = Reader { kind: "node-description", read };

/// The part of the description that a line belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    Capacity,
    Allocatable,
}

fn read(block: &Block, notes: &mut Notes) {
    let mut section: Option<(Section, &Line)> = None;
    for line in block.lines() {
        let resource = section.and_then(|(section, heading)| Some((section, heading, resource(&line.text)?)));
        match resource {
            Some((section, heading, resource)) => {
                notes.claim(READER.kind, heading);
                notes.claim(READER.kind, line);
                take(section, &resource, block, line, notes);
            }
            None => section = heading(&line.text).map(|section| (section, line)),
        }
    }
}

fn heading(line: &str) -> Option<Section> {
    match line.trim() {
        "Capacity:" => Some(Section::Capacity),
        "Allocatable:" => Some(Section::Allocatable),
        _ => None,
    }
}

/// A line below a heading: ` memory:             16393244Ki`.
struct Resource<'a> {
    name: &'a str,
    amount: u128,
    range: Range<usize>,
}

fn resource(line: &str) -> Option<Resource<'_>> {
    let (name, value) = line.split_once(':').filter(|_| line.starts_with([' ', '\t']))?;
    let (name, value) = (name.trim(), value.trim());
    let amount = u128::try_from(quantity::parse(value).ok()?).ok()?;
    let start = line.len() - line.trim_start().len();
    Some(Resource { name, amount, range: start..line.trim_end().len() })
}

fn take(section: Section, resource: &Resource, block: &Block, line: &Line, notes: &mut Notes) {
    let found = notes.found(resource.amount, block.paste, line, resource.range.clone());
    let nodes = &mut notes.facts.nodes;
    match (section, resource.name) {
        (_, _) if found.value == 0 => {}
        (Section::Capacity, "memory") => nodes.memory_capacity.push(found),
        (Section::Allocatable, "memory") => nodes.allocatable_memory.push(found),
        (Section::Capacity, "pods") => {
            let pods = u64::try_from(found.value).ok();
            nodes.max_pods.extend(pods.map(|pods| Found { value: pods, place: found.place, host: found.host }));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::{Facts, Nodes};
    use crate::{Input, read};

    fn facts(text: &str) -> Facts {
        read::texts(&[Input::new("paste", text)]).facts
    }

    const DESCRIPTION: &str = "Name:               w1\n\
        Capacity:\n  cpu:                4\n  ephemeral-storage:  81106868Ki\n  hugepages-2Mi:      0\n  memory:             16393244Ki\n  pods:               58\n\
        Allocatable:\n  cpu:                3920m\n  memory:             15376412Ki\n  pods:               58\n\
        System Info:\n  Kernel Version:             5.15.0-76-generic\n  Kubelet Version:            v1.27.4\n\
        Allocated resources:\n  Resource           Requests\n  memory             1Gi (6%)\n";

    #[test]
    fn room_is_read_from_both_sections() {
        let facts = facts(DESCRIPTION);
        assert_eq!(facts.nodes.max_pods[0].value, 58);
        assert_eq!(facts.nodes.memory_capacity[0].value, 16_393_244 << 10);
        let [allocatable] = facts.nodes.allocatable_memory.as_slice() else { panic!("one node") };
        assert_eq!(allocatable.value, 15_376_412 << 10);
        assert_eq!(allocatable.place.span.map(|span| (span.line, span.column, span.end_column)), Some((10, 3, 33)));
        assert_eq!(facts.versions.kubelet[0].value.text, "1.27.4");
    }

    #[test]
    fn words_that_only_look_alike_say_nothing() {
        for text in
            ["Capacity:\n", "Capacity:\nmemory: 16Gi\n", "Limits:\n  memory: 16Gi\n", "Allocatable:\n  memory: 0\n"]
        {
            assert_eq!(facts(text).nodes, Nodes::default(), "{text}");
        }
    }
}
