//! `/proc/cgroups`, whole or a grepped row, with tabs, blanks or pipes (kernel `kernel/cgroup/cgroup-v1.c`).

use crate::facts::{CgroupMode, Misc};
use crate::read::{Notes, Reader};
use crate::text::{Block, Line, number};

/// See the module's text.
pub(super) static READER: Reader = Reader { kind: "proc-cgroups", read };

/// Legacy names of the controllers (`include/linux/cgroup_subsys.h`), and two that other kernels add: `files`
/// (openEuler) and `dmem` (6.14).
pub(super) const CONTROLLERS: &[&str] = &[
    "cpuset",
    "cpu",
    "cpuacct",
    "blkio",
    "io",
    "memory",
    "devices",
    "freezer",
    "net_cls",
    "perf_event",
    "net_prio",
    "hugetlb",
    "pids",
    "rdma",
    "misc",
    "debug",
    "files",
    "dmem",
];

/// A table with this many rows is a whole one: what it does not list is not there.
const WHOLE: usize = 8;

fn read(block: &Block, notes: &mut Notes) {
    let mut rows: Vec<(&Line, Row)> = Vec::new();
    for line in block.all_lines() {
        if line.text.contains("#subsys_name") {
            notes.claim(READER.kind, line);
            // The last table of a paste counts, so each is judged on its own.
            table(block, &std::mem::take(&mut rows), notes);
        } else if let Some(row) = row(&line.text) {
            notes.claim(READER.kind, line);
            rows.push((line, row));
        }
    }
    table(block, &rows, notes);
}

/// One row: `memory 4 64734 1`.
struct Row {
    name: &'static str,
    hierarchy: u64,
    num_cgroups: u64,
}

fn row(text: &str) -> Option<Row> {
    let mut fields = text.split([' ', '\t', '|']).filter(|field| !field.is_empty());
    let name = fields.next()?;
    let name = CONTROLLERS.iter().find(|controller| **controller == name)?;
    let (hierarchy, num_cgroups) = (number::bare(fields.next()?)?, number::bare(fields.next()?)?);
    (matches!(fields.next()?, "0" | "1") && fields.next().is_none()).then_some(Row { name, hierarchy, num_cgroups })
}

fn table(block: &Block, rows: &[(&Line, Row)], notes: &mut Notes) {
    let Some((first, _)) = rows.first() else { return };
    if let Some((line, _)) = rows.iter().find(|(_, row)| row.hierarchy > 0) {
        let mode = notes.found(CgroupMode::V1, block.paste, line, 0..line.text.len());
        notes.facts.cgroups.modes.push(mode);
    } else if rows.len() >= WHOLE {
        let mode = notes.found(CgroupMode::V2, block.paste, first, 0..first.text.len());
        notes.facts.cgroups.modes.push(mode);
    }
    for (line, row) in rows {
        let whole = 0..line.text.len();
        if row.hierarchy > 0 {
            let controller = notes.found(row.name.to_owned(), block.paste, line, whole.clone());
            notes.facts.cgroups.v1_controllers.push(controller);
        }
        match row.name {
            "memory" => notes.facts.memcg.num_cgroups = Some(notes.found(row.num_cgroups, block.paste, line, whole)),
            "misc" => {
                let misc = if row.hierarchy > 0 { Misc::Mounted } else { Misc::Absent };
                let found = notes.found(misc, block.paste, line, whole);
                notes.facts.cgroups.misc.push(found);
            }
            _ => {}
        }
    }
    if rows.len() >= WHOLE && !rows.iter().any(|(_, row)| row.name == "misc") {
        let absent = notes.found(Misc::Absent, block.paste, first, 0..first.text.len());
        notes.facts.cgroups.misc.push(absent);
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::{CgroupMode, Facts, Misc};
    use crate::{Input, read};

    fn facts(text: &str) -> Facts {
        read::texts(&[Input::new("paste", text)]).facts
    }

    #[test]
    fn a_grepped_row_is_enough() {
        for text in [
            "memory\t4\t64734\t1",
            "memory        4     64734    1",
            "| memory | 4 | 64734 | 1 |",
            "$ grep memory /proc/cgroups\r\nmemory 4 64,734 1\r\n",
        ] {
            assert_eq!(facts(text).memcg.num_cgroups.map(|found| found.value), Some(64_734), "{text}");
        }
    }

    #[test]
    fn the_last_table_counts() {
        let head = "#subsys_name\thierarchy\tnum_cgroups\tenabled\n";
        let text = format!("{head}memory\t4\t60000\t1\n{head}memory\t4\t70\t1\n");
        assert_eq!(facts(&text).memcg.num_cgroups.map(|found| found.value), Some(70));
    }

    #[test]
    fn a_whole_table_decides_mode_and_misc() {
        let table = |hierarchy: u8, last: &str| {
            ["cpuset", "cpu", "blkio", "memory", "devices", "freezer", "pids", last]
                .map(|name| format!("{name}\t{hierarchy}\t9\t1\n"))
                .concat()
        };
        let mode = |text: &str| facts(text).cgroups.modes.iter().map(|found| found.value).collect::<Vec<_>>();
        let misc = |text: &str| facts(text).cgroups.misc.last().map(|found| found.value);
        assert_eq!(mode(&table(3, "misc")), [CgroupMode::V1]);
        assert_eq!(misc(&table(3, "misc")), Some(Misc::Mounted));
        assert_eq!(misc(&table(3, "rdma")), Some(Misc::Absent));
        assert_eq!(mode(&table(0, "misc")), [CgroupMode::V2]);
    }
}
