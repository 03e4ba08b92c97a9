//! Memory volumes in the syntax of a tool that creates pods later: Terraform, GitLab Runner, Spark.

use crate::facts::Sketch;
use crate::read::{Notes, Reader};
use crate::text::{Block, Line, Needles};

/// See the module's text.
pub(super) static READER: Reader = Reader { kind: "pod-generator", read };

/// Between `empty_dir {` and its medium stand the other fields of the volume.
const REACH: usize = 4;

fn read(block: &Block, notes: &mut Notes) {
    static VOLUME: Needles = Needles::new(&["empty_dir", "emptyDir"]);
    let mut volume: Option<(&Line, usize)> = None;
    for line in block.lines() {
        if let Some(found) = VOLUME.first_in(&line.text) {
            volume = Some((line, found.start));
        }
        let Some((first, at)) = volume.filter(|(first, _)| line.number <= first.number + REACH) else { continue };
        if medium_is_memory(&line.text) && !notes.is_claimed(first) {
            let found = notes.found(Sketch::Values, block.paste, first, at..first.text.len());
            notes.facts.sketches.push(found);
            notes.claim(READER.kind, first);
            notes.claim(READER.kind, line);
            volume = None;
        }
    }
}

/// `medium = "Memory"` and `….options.medium=Memory`.
fn medium_is_memory(line: &str) -> bool {
    line.rsplit_once('=').is_some_and(|(key, value)| {
        key.trim_end().ends_with("medium") && value.trim().trim_matches(['"', '\'']) == "Memory"
    })
}

#[cfg(test)]
mod tests {
    use crate::facts::Sketch;
    use crate::{Input, read};

    #[test]
    fn memory_volumes_of_other_tools() {
        for (text, want) in [
            (
                "volume {\n  name = \"shm\"\n  empty_dir {\n    size_limit = \"1Gi\"\n    medium     = \"Memory\"\n  }\n}\n",
                1,
            ),
            (
                "[[runners.kubernetes.volumes.empty_dir]]\n  name = \"ram\"\n  mount_path = \"/r\"\n  medium = \"Memory\"\n",
                1,
            ),
            ("spark.kubernetes.executor.volumes.emptyDir.ram.options.medium=Memory\n", 1),
            ("volume {\n  empty_dir {}\n}\nquality { medium = \"Paper\" }\n", 0),
        ] {
            let inputs = [Input::new("paste", text)];
            let sketches = read::texts(&inputs).facts.sketches;
            assert_eq!(
                sketches.iter().map(|found| found.value).collect::<Vec<_>>(),
                vec![Sketch::Values; want],
                "{text}"
            );
        }
    }
}
