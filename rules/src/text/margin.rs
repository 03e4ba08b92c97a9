//! Take away the margin that tools put in front of every line of a file: the line numbers of `cat -n`, `grep -n ''`,
//! `bat` and editors, the `+` of a file that a diff adds, the frame of a terminal's pane.

use std::ops::Range;

use crate::text::Line;

/// Fewer lines in a row are no file.
const SHORTEST: usize = 3;

/// How a manifest's lines start. Other output has numbers and bars of its own, so a margin is taken from nothing else.
const KEYS: &[&str] = &["apiVersion:", "containers:", "emptyDir:", "initContainers:", "kind:", "spec:", "volumes:"];

/// Take the margins away in place.
pub(super) fn remove(lines: &mut [Line<'_>]) {
    let mut index = 0;
    while index < lines.len() {
        index = match lines.get(index).and_then(|line| margin(&line.text)) {
            Some(first) => run(lines, index, first),
            None => index + 1,
        };
    }
}

/// Go over the lines from `start` on that share a margin, take it away when they are a manifest, and return the line
/// behind them.
fn run(lines: &mut [Line<'_>], start: usize, first: Margin) -> usize {
    let mut inner = vec![first.inner.clone()];
    let mut last = first;
    for line in lines.iter().skip(start + 1) {
        let Some(next) = margin(&line.text).filter(|next| next.sign.follows(last.sign)) else { break };
        inner.push(next.inner.clone());
        last = next;
    }
    let end = start + inner.len();
    let around = [start.checked_sub(1), Some(end)].map(|index| index.and_then(|index| lines.get(index)));
    // Among lines that stay and lines that go, those that a diff adds are no whole file.
    let part = last.sign == Sign::Added && around.iter().flatten().any(|line| line.text.starts_with([' ', '-']));
    let lines = lines.get_mut(start..end).unwrap_or_default();
    let manifest = |(line, inner): (&Line, &Range<usize>)| {
        let text = line.text.get(inner.clone()).unwrap_or_default().trim_start();
        let text = text.strip_prefix("- ").unwrap_or(text);
        KEYS.iter().any(|key| text.starts_with(key))
    };
    if inner.len() >= SHORTEST && !part && lines.iter().zip(&inner).any(manifest) {
        for (line, inner) in lines.iter_mut().zip(inner) {
            line.keep(inner);
        }
    }
    end
}

/// The margin of one line.
struct Margin {
    sign: Sign,
    /// The bytes of the line without it.
    inner: Range<usize>,
}

/// What the margin consists of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// The line's number.
    Number(u32),
    /// The `+` of a diff.
    Added,
    /// The side of a frame.
    Frame,
}

impl Sign {
    fn follows(self, before: Self) -> bool {
        match (before, self) {
            (Self::Number(before), Self::Number(number)) => before.checked_add(1) == Some(number),
            (before, sign) => before == sign,
        }
    }
}

fn margin(text: &str) -> Option<Margin> {
    let length = text.len();
    if let Some(rest) = text.strip_prefix('+') {
        return Some(Margin { sign: Sign::Added, inner: length - rest.len()..length });
    }
    if let Some(rest) = text.strip_prefix(['│', '┃', '║', '|']) {
        let from = length - rest.len();
        let inner = rest.trim_end_matches(['│', '┃', '║', '|']).trim_end();
        return Some(Margin { sign: Sign::Frame, inner: from..from + inner.len() });
    }
    let number = text.trim_start_matches(' ');
    let digits = number.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = number.split_at_checked(digits)?;
    let sign = Sign::Number(digits.parse().ok()?);
    let after_blanks = rest.trim_start_matches(' ');
    // `1 | key`, `1 │ key`, then `1<tab>key`, `1:key` and `1-key` (a context line of grep), then `1 key`.
    let inner = match after_blanks.strip_prefix(['│', '|']) {
        Some(inner) => inner.strip_prefix(' ').unwrap_or(inner),
        None if rest.is_empty() => rest,
        None => rest.strip_prefix(['\t', ':', '-', ' '])?,
    };
    Some(Margin { sign, inner: length - inner.len()..length })
}

#[cfg(test)]
mod tests {
    use crate::text::Paste;

    const POD: &str = "kind: Pod\n\nspec:\n  containers:\n  - name: a\n";

    fn clean(raw: &str) -> String {
        Paste::new(raw).lines.iter().map(|line| format!("{}\n", line.text)).collect()
    }

    #[test]
    fn numbers_marks_and_frames_go() {
        for (name, raw) in [
            ("cat -n", "     8\tkind: Pod\n     9\t\n    10\tspec:\n    11\t  containers:\n    12\t  - name: a\n"),
            ("grep -n", "8:kind: Pod\n9-\n10:spec:\n11:  containers:\n12:  - name: a\n"),
            ("bat", "   8   │ kind: Pod\n   9   │\n  10   │ spec:\n  11   │   containers:\n  12   │   - name: a\n"),
            ("vim", "  8 kind: Pod\n  9\n 10 spec:\n 11   containers:\n 12   - name: a\n"),
            ("added", "+kind: Pod\n+\n+spec:\n+  containers:\n+  - name: a\n"),
            (
                "pane",
                "│kind: Pod        │\n│                 │\n│spec:            │\n│  containers:    │\n│  - name: a      │\n",
            ),
        ] {
            assert_eq!(clean(raw), format!("{POD}\n"), "{name}");
        }
    }

    #[test]
    fn places_stay_those_of_the_paste() {
        let paste = Paste::new("before\n 1 kind: Pod\n 2 spec:\n 3   containers:\n");
        let span = paste.span(&paste.lines[3], 2..12);
        assert_eq!((span.line, span.column, span.end_column), (4, 6, 16));
    }

    #[test]
    fn what_is_no_manifest_keeps_its_margin() {
        for raw in [
            "1:name=systemd:/\n2:cpu:/\n3:memory:/\n",
            "| kernel | 5.4.0 |\n| runc | 1.1.7 |\n| kubelet | 1.26.3 |\n",
            "1 kind: Pod\n3 spec:\n7 volumes:\n",
            "+kind: Pod\n+spec:\n",
            " a: b\n+kind: Pod\n+spec:\n+  volumes:\n- x\n",
        ] {
            assert_eq!(clean(raw), format!("{raw}\n"), "{raw}");
        }
    }
}
