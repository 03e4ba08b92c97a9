//! Undo hard wraps: terminals and mails break long log lines at a fixed width, in the middle of words.

use std::collections::HashMap;

use crate::text::{Line, prompt};

/// Nobody's terminal is narrower, so shorter lines end where their writer ended them.
const NARROWEST: usize = 72;

/// A record that goes over more lines than this is no wrapped line.
const MOST_PIECES: usize = 16;

/// Join the pieces of wrapped log records. Only what starts like a log record is ever joined: tables and documents have
/// lines of equal width for their own reasons.
pub(super) fn unwrap(lines: Vec<Line<'_>>) -> Vec<Line<'_>> {
    if !lines.iter().any(|line| line.text.len() >= NARROWEST && starts_record(&line.text)) {
        return lines;
    }
    let widths = Widths::of(&lines);
    let mut joined = Vec::with_capacity(lines.len());
    let mut skip = 0;
    for index in 0..lines.len() {
        if skip > 0 {
            skip -= 1;
            continue;
        }
        let Some((line, rest)) = lines.get(index..).and_then(<[Line]>::split_first) else { break };
        let pieces = if starts_record(&line.text) { widths.pieces(line, rest) } else { 0 };
        let mut line = line.clone();
        for next in rest.iter().take(pieces) {
            line.append(next);
        }
        skip = pieces;
        joined.push(line);
    }
    joined
}

/// How many lines have each width. Lines that were wrapped share one.
struct Widths(HashMap<usize, usize>);

impl Widths {
    fn of(lines: &[Line]) -> Self {
        let mut counts = HashMap::new();
        for line in lines {
            *counts.entry(width(&line.text)).or_insert(0) += 1;
        }
        Self(counts)
    }

    /// How many of the lines behind `line` are pieces of it.
    fn pieces(&self, line: &Line, rest: &[Line]) -> usize {
        let continuations = rest.iter().take(MOST_PIECES).take_while(|next| continues(&next.text)).count();
        // Full lines of the same width, up to the first shorter one.
        let full = width(&line.text);
        if full >= NARROWEST && self.0.get(&full).is_some_and(|&count| count > 1) {
            let whole = rest.iter().take(continuations).take_while(|next| width(&next.text) == full).count();
            return (whole + 1).min(continuations);
        }
        // A single wrap in a paste: a quoted value that the next line closes.
        if full >= NARROWEST && quotes(&line.text) % 2 == 1 {
            let mut open = quotes(&line.text);
            for (index, next) in rest.iter().take(continuations).enumerate() {
                open += quotes(&next.text);
                if open.is_multiple_of(2) {
                    return index + 1;
                }
            }
        }
        0
    }
}

fn width(text: &str) -> usize {
    text.chars().count()
}

fn quotes(text: &str) -> usize {
    memchr::memchr_iter(b'"', text.as_bytes()).count()
}

/// True when a line may be the rest of the record before it.
fn continues(text: &str) -> bool {
    !text.trim().is_empty()
        && !text.starts_with("```")
        && !starts_record(text)
        && prompt::command_start(text, false).is_none()
}

/// True when a line starts like a log record: klog, syslog and journald, ISO 8601, logrus, kernel messages.
fn starts_record(text: &str) -> bool {
    const MONTHS: [&str; 12] =
        ["Jan ", "Feb ", "Mar ", "Apr ", "May ", "Jun ", "Jul ", "Aug ", "Sep ", "Oct ", "Nov ", "Dec "];
    let digits = |from: usize, count: usize| {
        text.as_bytes().get(from..from + count).is_some_and(|bytes| bytes.iter().all(u8::is_ascii_digit))
    };
    text.starts_with(['I', 'W', 'E', 'F']) && digits(1, 4)
        || MONTHS.iter().any(|month| text.starts_with(month))
        || digits(0, 4) && text.as_bytes().get(4) == Some(&b'-')
        || text.starts_with("time=\"")
        || text.starts_with('[') && digits(1, 1)
}

#[cfg(test)]
mod tests {
    use crate::text::Paste;

    /// The clean lines of `text` after wrapping it at `width` characters.
    fn lines(text: &str, width: usize) -> Vec<String> {
        let wrapped: Vec<String> = text
            .lines()
            .flat_map(|line| {
                let chars: Vec<char> = line.chars().collect();
                chars.chunks(width).map(|chunk| chunk.iter().collect::<String>()).collect::<Vec<_>>()
            })
            .collect();
        Paste::new(&wrapped.join("\n")).lines.into_iter().map(|line| line.text.into_owned()).collect()
    }

    const FIRST: &str = "May 02 21:33:54 node-a kubelet[1378]: I0502 21:33:54.838225    1378 x.go:191] \"Failed to delete \
                         cgroup paths\" cgroupName=[kubepods pode84798a6-0000] err=\"unable to destroy cgroup paths\"";
    const SECOND: &str = "May 02 21:33:55 node-a kubelet[1378]: I0502 21:33:54.442010    1378 y.go:306] \"Path does not \
                          exist\" path=\"/var/lib/kubelet/pods/411999be-0000/volumes\"";

    #[test]
    fn records_wrapped_in_the_middle_of_words_are_whole_again() {
        for width in [80, 90, 101, 132] {
            assert_eq!(lines(&format!("{FIRST}\n{SECOND}"), width), [FIRST, SECOND], "{width}");
        }
    }

    #[test]
    fn one_wrap_is_seen_by_its_open_quote() {
        let text = "Aug 31 05:03:23 a kubelet[1]: \"Failed to delete cgroup paths\" err=\"unable to destroy cgroup \
                    paths for c\ngroup [kubepods]: busy\"\nServer Version: v1.22.11";
        let lines = Paste::new(text).lines;
        assert_eq!(lines.len(), 2);
        assert!(lines[0].text.contains("for cgroup [kubepods]"));
        assert_eq!((lines[0].number, lines[0].last, lines[1].number), (1, 2, 3));
    }

    #[test]
    fn whole_records_tables_and_documents_stay() {
        for text in [
            format!("{FIRST}\n{FIRST}\n$ uname -r\n5.15.0"),
            format!("{FIRST}\nfs.inotify.max_user_instances = 128\n"),
            "cgroup on /sys/fs/cgroup/cpu type cgroup (rw,nosuid,nodev,noexec,relatime,cpuset,a)\n".repeat(3),
        ] {
            let want: Vec<&str> = text.split('\n').collect();
            let lines = Paste::new(&text).lines;
            assert_eq!(lines.iter().map(|line| line.text.as_ref()).collect::<Vec<_>>(), want);
        }
    }
}
