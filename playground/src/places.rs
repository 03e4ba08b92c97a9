//! From lines and columns to positions in a textarea, which counts UTF-16 code units and knows only line feeds.

use rules::report::Span;

/// What a click on a place selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A stretch of one line.
    Span(Span),
    /// Whole lines, 1-based and inclusive.
    Lines(usize, usize),
}

impl Place {
    /// The first line, 1-based.
    #[must_use]
    pub const fn line(self) -> usize {
        match self {
            Self::Span(span) => span.line,
            Self::Lines(first, _) => first,
        }
    }

    /// The first column, 1-based.
    #[must_use]
    pub const fn column(self) -> usize {
        match self {
            Self::Span(span) => span.column,
            Self::Lines(..) => 1,
        }
    }

    /// Start and end of the selection in `text`, in UTF-16 code units. The text may have changed since the check, so
    /// everything is kept within it.
    #[must_use]
    pub fn range(self, text: &str) -> (u32, u32) {
        match self {
            Self::Span(span) => {
                let (start, end) = line_range(text, span.line);
                let at = |column: usize| start.saturating_add(units(column.saturating_sub(1))).min(end);
                (at(span.column), at(span.end_column).max(at(span.column)))
            }
            Self::Lines(first, last) => (line_range(text, first).0, line_range(text, last.max(first)).1),
        }
    }
}

/// Id of the element that shows a line of a text outside of the textarea.
#[must_use]
pub fn held_id(line: usize) -> String {
    format!("held-{line}")
}

/// The 1-based line that a position in UTF-16 code units is in.
#[must_use]
pub fn line_at(text: &str, position: u32) -> usize {
    let mut left = position;
    let mut line = 1;
    for c in text.chars() {
        // A surrogate pair counts as two, and nothing stands between its halves.
        let Some(rest) = left.checked_sub(if c.len_utf16() == 1 { 1 } else { 2 }) else {
            break;
        };
        line += usize::from(c == '\n');
        left = rest;
    }
    line
}

/// Start and end of a line without its line feed; the end of the text when there are fewer lines.
fn line_range(text: &str, line: usize) -> (u32, u32) {
    let mut start = 0_u32;
    for (index, content) in text.split('\n').enumerate() {
        let end = start.saturating_add(units(content.encode_utf16().count()));
        if index.saturating_add(1) >= line {
            return (start, end);
        }
        start = end.saturating_add(1);
    }
    (start.saturating_sub(1), start.saturating_sub(1))
}

fn units(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use rules::report::Span;

    use super::{Place, line_at};

    /// What a textarea would select.
    fn selected(text: &str, place: Place) -> String {
        let (start, end) = place.range(text);
        let units: Vec<u16> = text.encode_utf16().collect();
        String::from_utf16(&units[start as usize..end as usize]).unwrap()
    }

    const TEXT: &str = "# 😀 node\nfs.inotify.max_user_instances = 128\n上限 𠮷 = 8\n";

    #[test]
    fn a_span_selects_its_columns() {
        let span = Span { line: 2, column: 33, end_column: 36 };
        assert_eq!(selected(TEXT, Place::Span(span)), "128");
        let behind_astral = Span { line: 3, column: 4, end_column: 6 };
        assert_eq!(selected(TEXT, Place::Span(behind_astral)), "𠮷");
    }

    #[test]
    fn lines_are_selected_without_the_last_line_feed() {
        assert_eq!(selected(TEXT, Place::Lines(1, 1)), "# 😀 node");
        assert_eq!(selected(TEXT, Place::Lines(2, 3)), "fs.inotify.max_user_instances = 128\n上限 𠮷 = 8");
        assert_eq!(selected(TEXT, Place::Lines(3, 2)), "上限 𠮷 = 8");
    }

    #[test]
    fn a_position_is_in_the_line_that_it_would_select() {
        for (place, line) in [(Place::Lines(1, 1), 1), (Place::Lines(2, 2), 2), (Place::Lines(3, 3), 3)] {
            let (start, end) = place.range(TEXT);
            assert_eq!((line_at(TEXT, start), line_at(TEXT, end)), (line, line));
        }
        assert_eq!(line_at("", 0), 1);
        assert_eq!(line_at("a\n", u32::MAX), 2);
    }

    #[test]
    fn a_place_that_is_no_longer_there_stays_within_the_text() {
        assert_eq!(selected("one", Place::Lines(7, 9)), "");
        assert_eq!(selected("one", Place::Span(Span { line: 1, column: 3, end_column: 90 })), "e");
        assert_eq!(selected("one", Place::Span(Span { line: 1, column: 3, end_column: 1 })), "");
        assert_eq!(selected("", Place::Span(Span { line: 0, column: 0, end_column: 0 })), "");
        let huge = Span { line: 1, column: usize::MAX, end_column: usize::MAX };
        assert_eq!(selected("one", Place::Span(huge)), "");
    }
}
