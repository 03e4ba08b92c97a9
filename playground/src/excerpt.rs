//! The lines of texts that their report stands on: a link that carries these alone is short, and tells strangers less.

use rules::order;
use rules::report::{Report, Span};
use rules::settings::Settings;
use rules::{Input, check};

/// The texts with all lines empty that the report does not need, so that what is left keeps its places. `None` when the
/// report needs every line, or when nothing less gives the same one.
#[must_use]
pub fn excerpt(inputs: &[Input], settings: &Settings) -> Option<Vec<String>> {
    let report = check(inputs, settings);
    let same = |texts: &Vec<String>| {
        let texts =
            inputs.iter().zip(texts).map(|(input, text)| Input::new(input.name.clone(), &**text).of_kind(input.kind));
        says_the_same(&check(&texts.collect::<Vec<_>>(), settings), &report)
    };
    // A line of a log speaks for itself, one of a manifest does not; and a prompt far above may tell whose line it is.
    let (found, read) = (lines_of_findings(&report, inputs.len()), lines_read(&report, inputs.len()));
    let prompts = lines_of_prompts(inputs);
    let choices = [found.clone(), with(found, &prompts), read.clone(), with(read, &prompts)];
    let some = choices.iter().filter(|lines| lines.iter().any(|runs| !runs.is_empty()));
    let mut choices: Vec<Vec<String>> = some.map(|lines| kept(inputs, lines)).collect();
    let size = |texts: &Vec<String>| texts.iter().map(String::len).sum::<usize>();
    order::sort_by(&mut choices, |one, other| size(one).cmp(&size(other)));
    let whole = inputs.iter().map(|input| input.text.len()).sum();
    choices.into_iter().find(same).filter(|texts| size(texts) < whole)
}

fn says_the_same(one: &Report, other: &Report) -> bool {
    (one.verdict, &one.risks, &one.findings) == (other.verdict, &other.risks, &other.findings)
}

/// Runs of lines of each input: 1-based first and last one.
type Lines = Vec<Vec<(usize, usize)>>;

fn lines_of_findings(report: &Report, inputs: usize) -> Lines {
    let mut lines = vec![Vec::new(); inputs];
    for place in report.findings.iter().flat_map(|finding| &finding.evidence).map(|evidence| &evidence.place) {
        if let (Some(Span { line, .. }), Some(lines)) = (place.span, lines.get_mut(place.input)) {
            lines.push((line, line));
        }
    }
    lines
}

fn lines_read(report: &Report, inputs: usize) -> Lines {
    let mut lines = vec![Vec::new(); inputs];
    for read in &report.read {
        if let Some(lines) = lines.get_mut(read.input) {
            lines.push((read.first_line, read.last_line));
        }
    }
    lines
}

/// Lines that may be typed at a prompt.
fn lines_of_prompts(inputs: &[Input]) -> Lines {
    /// The longest prompt, in bytes.
    const PROMPT: usize = 80;
    let is_prompt = |line: &str| {
        let start = line.as_bytes().get(..PROMPT).unwrap_or(line.as_bytes());
        start.windows(2).any(|pair| matches!(pair, b"$ " | b"# " | b"> " | b"% "))
    };
    let prompts = |input: &Input| {
        let lines = input.text.split('\n').enumerate().filter(|(_, line)| is_prompt(line));
        lines.map(|(index, _)| (index + 1, index + 1)).collect()
    };
    inputs.iter().map(prompts).collect()
}

fn with(mut lines: Lines, others: &Lines) -> Lines {
    for (lines, others) in lines.iter_mut().zip(others) {
        lines.extend_from_slice(others);
    }
    lines
}

/// The texts with those lines alone, each run with the line before it: a prompt tells what printed it.
fn kept(inputs: &[Input], lines: &Lines) -> Vec<String> {
    let kept = |(input, runs): (&Input, &Vec<(usize, usize)>)| {
        let mut runs = runs.clone();
        runs.sort_unstable();
        let mut runs = runs.into_iter().peekable();
        let mut text = String::new();
        for (index, line) in input.text.split('\n').enumerate() {
            if index > 0 {
                text.push('\n');
            }
            while runs.next_if(|(_, last)| *last <= index).is_some() {}
            // The first run that ends here or later starts at the next line or before it.
            if runs.peek().is_some_and(|(first, _)| *first <= index + 2) {
                text.push_str(line);
            }
        }
        text
    };
    inputs.iter().zip(lines).map(kept).collect()
}

// Files are read by the tests.
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use rules::settings::Settings;
    use rules::{Input, check};

    use super::{excerpt, says_the_same};
    use crate::examples::EXAMPLES;

    fn of(text: &str) -> Option<String> {
        excerpt(&[Input::new("a", text)], &Settings::default()).map(|texts| texts.concat())
    }

    #[test]
    fn a_long_log_keeps_its_telling_lines_in_their_places() {
        let noise = "Nov 30 02:41:13 node-7 kubelet[1]: I1130 something happened\n".repeat(3);
        let line = "Nov 30 02:41:14 node-7 kubelet[1]: failed to create fsnotify watcher: too many open files";
        let before = "Nov 30 02:41:13 node-7 kubelet[1]: I1130 something happened";
        assert_eq!(of(&format!("{noise}{line}\n{noise}")), Some(format!("\n\n{before}\n{line}\n\n\n\n")));
    }

    #[test]
    fn all_settings_shrink_to_the_one_that_is_too_low() {
        let others = "net.ipv4.ip_forward = 1\n".repeat(1000);
        let shown = of(&format!("{others}fs.inotify.max_user_instances = 128\n{others}")).unwrap();
        assert_eq!(shown.trim(), "net.ipv4.ip_forward = 1\nfs.inotify.max_user_instances = 128");
        assert_eq!(shown.matches('\n').count(), 2001);
    }

    #[test]
    fn a_manifest_stays_whole_and_what_stands_around_it_goes() {
        let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: c\n    image: x\n    volumeMounts: [{name: m, mountPath: /m}]\n  volumes:\n  - name: m\n    emptyDir: {medium: Memory}\n";
        assert_eq!(of(pod), None, "every line is needed");
        let shown = of(&format!("Hi all,\nsee this:\n\n---\n{pod}---\nBye\nfor now\n")).unwrap();
        assert!(shown.contains(pod.trim_end()), "{shown}");
        assert!(!shown.contains("Hi all") && !shown.contains("for now"), "{shown}");
    }

    #[test]
    fn the_prompt_that_tells_whose_line_it_is_stays() {
        let chatter = "chatter\n".repeat(9);
        let text = format!(
            "root@n1:~# sh x\n{chatter}fs.inotify.max_user_instances = 128\n\
             root@n2:~# sh x\n{chatter}fs.inotify.max_user_instances = 8192\n"
        );
        let shown = of(&text).unwrap();
        assert!(shown.contains("root@n1") && shown.contains("root@n2"), "{shown}");
        assert!(shown.matches("chatter").count() <= 2, "{shown}");
    }

    #[test]
    fn what_nobody_could_read_stays() {
        assert_eq!(of("hello\nworld\n"), None);
        assert_eq!(of(""), None);
    }

    #[test]
    fn each_input_keeps_its_own_lines() {
        let texts = ["a\nb\n\nfs.inotify.max_user_instances = 128\n", "c\nd\n"];
        let inputs = texts.map(|text| Input::new("a", text));
        let shown = excerpt(&inputs, &Settings::default()).unwrap();
        assert_eq!(shown, ["\n\n\nfs.inotify.max_user_instances = 128\n", "\n\n"]);
    }

    #[test]
    fn nothing_is_left_out_that_changes_the_report_of_an_example() {
        for example in EXAMPLES {
            let settings = Settings::default();
            if let Some(text) = of(example.text) {
                let report = |text: &str| check(&[Input::new("a", text)], &settings);
                assert!(says_the_same(&report(&text), &report(example.text)), "{}", example.address());
                assert!(text.len() < example.text.len(), "{}", example.address());
            }
        }
    }
}
