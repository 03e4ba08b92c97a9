//! The platform of a node, told by its OS image or by names that only that platform gives.

use crate::kubernetes::platform::{MARKS, Platform};
use crate::read::{Notes, Reader};
use crate::text::{Block, Needles};

/// See the module's text.
pub(super) static READER: Reader = Reader { kind: "platform", read };

static NEEDLES: Needles = Needles::new(MARKS);

/// The other readers have more to say about such a line, so this one comes last and its claim rarely counts.
fn read(block: &Block, notes: &mut Notes) {
    for line in block.all_lines() {
        let Some(mark) = NEEDLES.first_in(&line.text) else { continue };
        let Some(platform) = line.text.get(mark.clone()).and_then(Platform::of_text) else { continue };
        notes.claim(READER.kind, line);
        let found = notes.found(platform, block.paste, line, mark);
        notes.facts.nodes.platforms.push(found);
    }
}

#[cfg(test)]
mod tests {
    use crate::kubernetes::platform::Platform;
    use crate::{Input, read};

    #[test]
    fn os_images_are_read_from_tables_and_descriptions() {
        let facts = |text: &str| read::texts(&[Input::new("paste", text)]).facts;
        let table = "NAME STATUS ROLES AGE VERSION INTERNAL-IP EXTERNAL-IP OS-IMAGE KERNEL-VERSION CONTAINER-RUNTIME\n\
                     w1 Ready <none> 2d v1.30.1 10.0.0.1 <none> Talos (v1.7.4) 6.6.32-talos containerd://1.7.16\n";
        assert_eq!(facts(table).nodes.platforms.len(), 1);
        assert_eq!(facts(table).platform(), Some(Platform::Talos));
        let description = " OS Image:                   Bottlerocket OS 1.20.3 (aws-k8s-1.29)\n";
        assert_eq!(facts(description).platform(), Some(Platform::Bottlerocket));
        assert_eq!(facts(&format!("{table}{description}")).platform(), None, "two kinds of nodes");
        assert_eq!(facts(" OS Image: Ubuntu 22.04.4 LTS\n").platform(), None);
    }
}
