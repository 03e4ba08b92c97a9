//! What stands beside the lines of the textarea. Only those in view are made: a long text has tens of thousands.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use rules::report::Severity;

use crate::checking::Checked;

/// Lines beyond each edge: browsers move the text before they tell of it.
const SPARE: usize = 4;

/// Digits of the longest number; the longest text that can be edited has no more lines.
const DIGITS: RangeInclusive<usize> = 3..=7;

/// What is seen of the textarea, in CSS pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct View {
    /// How far the text is scrolled.
    pub top: f64,
    /// Height of what is in view.
    pub height: f64,
    /// Height of one line as the browser lays it out, which at some zooms is a bit less than the stylesheet says.
    pub line: f64,
}

impl View {
    /// The 1-based lines in view, and a few around them, of a text of `count` lines.
    #[must_use]
    pub fn lines(&self, count: usize) -> RangeInclusive<usize> {
        let above = |pixels: f64| whole(pixels / self.line.max(1.0));
        let first = above(self.top).saturating_sub(SPARE).saturating_add(1).min(count);
        let last = above(self.top + self.height).saturating_add(1).saturating_add(SPARE).min(count);
        first..=last
    }

    /// How far a list that starts with line `first` is scrolled to stand beside the text.
    #[must_use]
    pub fn offset(&self, first: usize) -> f64 {
        let above = u32::try_from(first.saturating_sub(1)).unwrap_or(u32::MAX);
        self.top - f64::from(above) * self.line
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // The cast saturates.
fn whole(number: f64) -> usize {
    number as usize
}

/// How many digits there must be room for.
#[must_use]
pub fn digits(count: usize) -> usize {
    let digits = count.checked_ilog10().map_or(1, |zeros| zeros as usize + 1);
    digits.clamp(*DIGITS.start(), *DIGITS.end())
}

/// The worst finding about a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Its number in the report.
    pub finding: usize,
    /// How bad it is.
    pub severity: Severity,
}

/// The marks of the input with that number, by 1-based line.
#[must_use]
pub fn marks(checked: &Checked, input: usize) -> BTreeMap<usize, Mark> {
    let mut marks = BTreeMap::new();
    for (number, finding) in checked.report.findings.iter().enumerate() {
        let here = finding.evidence.iter().map(|evidence| &evidence.place).filter(|place| place.input == input);
        for span in here.filter_map(|place| place.span) {
            // The worst findings come first.
            marks.entry(span.line).or_insert(Mark { finding: number, severity: finding.severity });
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use rules::Input;
    use rules::report::Severity;
    use rules::rules::Lang;
    use rules::settings::Settings;

    use super::{Mark, View, digits, marks};
    use crate::checking::check;

    const VIEW: View = View { top: 0.0, height: 400.0, line: 20.0 };

    #[test]
    fn only_lines_in_view_and_a_few_around_them_are_made() {
        assert_eq!(VIEW.lines(50_000), 1..=25);
        assert_eq!(View { top: 200_000.0, ..VIEW }.lines(50_000), 9_997..=10_025);
        assert_eq!(View { top: 9.0, ..VIEW }.lines(3), 1..=3);
    }

    #[test]
    fn a_view_that_is_not_known_or_behind_the_end_shows_little() {
        assert_eq!(View::default().lines(1_000_000), 1..=5);
        assert_eq!(View { top: 200_000.0, ..VIEW }.lines(7), 7..=7);
        assert_eq!(View { top: f64::NAN, ..VIEW }.lines(7), 1..=5);
    }

    #[test]
    fn a_line_stands_where_the_text_has_it() {
        // Line 9,997 starts 199,920 pixels below the first.
        assert!((View { top: 200_005.5, ..VIEW }.offset(9_997) - 85.5).abs() < 1e-6);
        let zoomed = View { top: 199_900.0, line: 19.99, ..VIEW };
        assert!((zoomed.offset(10_001) - 0.0).abs() < 1e-6);
    }

    #[test]
    fn numbers_have_room_for_their_digits() {
        assert_eq!([digits(1), digits(999), digits(1_000), digits(99_999), digits(1_048_577)], [3, 3, 4, 5, 7]);
    }

    #[test]
    fn every_line_that_a_finding_points_at_is_marked_with_the_worst() {
        let pod = "kind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: c\n    \
                   volumeMounts: [{name: v, mountPath: /v}]\n  volumes: [{name: v, emptyDir: {medium: Memory}}]\n";
        let inputs = [Input::new("sysctl", "# node\nfs.inotify.max_user_instances = 128"), Input::new("pod", pod)];
        let checked = check(&inputs, &Settings::default(), Lang::En);
        let first = marks(&checked, 0);
        assert_eq!(first.keys().copied().collect::<Vec<_>>(), [2]);
        assert_eq!(first.get(&2).map(|mark| mark.severity), Some(Severity::Warning));
        let second = marks(&checked, 1);
        assert_eq!(second.get(&7), Some(&Mark { finding: 0, severity: Severity::Error }));
        assert!(!second.contains_key(&2), "line 2 of the first input is none of the second");
        assert!(marks(&checked, 2).is_empty());
    }

    #[test]
    fn of_several_findings_about_a_line_the_worst_counts() {
        let input = Input::new("stdin", "fs.inotify.max_user_instances = 128");
        let mut checked = check(&[input], &Settings::default(), Lang::En);
        let found = checked.report.findings.first().cloned().unwrap();
        let of = |severity| rules::report::Finding { severity, ..found.clone() };
        checked.report.findings = [Severity::Error, Severity::Info].map(of).into();
        assert_eq!(marks(&checked, 0).get(&1), Some(&Mark { finding: 0, severity: Severity::Error }));
    }
}
