//! `/proc/cgroups`, whole or a grepped row, with tabs, blanks or pipes (kernel `kernel/cgroup/cgroup-v1.c`).

use std::ops::Range;

use crate::facts::{CgroupMode, Gauge, Misc};
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
        }
        let before = rows.len();
        rows.extend(rows_of(&line.text).map(|row| (line, row)));
        if rows.len() > before {
            notes.claim(READER.kind, line);
        }
    }
    table(block, &rows, notes);
    if asks_for_number(block.command_text())
        && let Some((line, number)) = block.lines().find_map(|line| Some((line, number::bare(&line.text)?)))
    {
        notes.claim(READER.kind, line);
        let found = notes.found(number, block.paste, line, 0..line.text.len());
        notes.gauge(Gauge::MemoryCgroups, found);
    }
}

/// `awk '/memory/ {print $3}' /proc/cgroups` and `grep memory /proc/cgroups | cut -f3` print num_cgroups alone.
fn asks_for_number(command: &str) -> bool {
    let words = ["/proc/cgroups", "memory"].iter().all(|word| command.contains(word));
    words && ["$3", "-f3", "-f 3"].iter().any(|column| command.contains(column))
}

/// One row: `memory 4 64734 1`.
struct Row {
    name: &'static str,
    hierarchy: u64,
    num_cgroups: u64,
    range: Range<usize>,
}

/// The rows of a line: one, or several where line breaks were lost.
fn rows_of(text: &str) -> impl Iterator<Item = Row> {
    let mut fields = fields(text).peekable();
    std::iter::from_fn(move || {
        loop {
            let (name, range) = fields.next()?;
            let Some(name) = CONTROLLERS.iter().find(|controller| **controller == name) else { continue };
            let mut number = || fields.next_if(|(field, _)| number::bare(field).is_some());
            let (Some((hierarchy, _)), Some((num_cgroups, _)), Some((enabled, last))) = (number(), number(), number())
            else {
                continue;
            };
            if let (Some(hierarchy), Some(num_cgroups), "0" | "1") =
                (number::bare(hierarchy), number::bare(num_cgroups), enabled)
            {
                return Some(Row { name, hierarchy, num_cgroups, range: range.start..last.end });
            }
        }
    })
}

/// The fields of a line between blanks, tabs and table bars, and where each stands.
fn fields(text: &str) -> impl Iterator<Item = (&str, Range<usize>)> {
    text.split([' ', '\t', '|']).filter(|field| !field.is_empty()).map(|field| {
        let start = field.as_ptr().addr().saturating_sub(text.as_ptr().addr());
        (field, start..start + field.len())
    })
}

fn table(block: &Block, rows: &[(&Line, Row)], notes: &mut Notes) {
    let Some((first, _)) = rows.first() else { return };
    if let Some((line, row)) = rows.iter().find(|(_, row)| row.hierarchy > 0) {
        let mode = notes.found(CgroupMode::V1, block.paste, line, row.range.clone());
        notes.facts.cgroups.modes.push(mode);
    } else if rows.len() >= WHOLE {
        let mode = notes.found(CgroupMode::V2, block.paste, first, 0..first.text.len());
        notes.facts.cgroups.modes.push(mode);
    }
    for (line, row) in rows {
        let whole = row.range.clone();
        if row.hierarchy > 0 {
            let controller = notes.found(row.name.to_owned(), block.paste, line, whole.clone());
            notes.facts.cgroups.v1_controllers.push(controller);
        }
        match row.name {
            "memory" => {
                let found = notes.found(row.num_cgroups, block.paste, line, whole);
                notes.gauge(Gauge::MemoryCgroups, found);
            }
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
            "#subsys_name hierarchy num_cgroups enabled cpuset 2 18 1 cpu 3 108 1 memory 4 64734 1 pids 6 18 1",
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
