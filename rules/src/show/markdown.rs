//! A report and a rule as Markdown (CommonMark with GitHub's tables), to be pasted into a ticket.
//!
//! Whatever comes from the input stands in code spans and code blocks whose fences are longer than any run of backticks
//! in it, on one line, so that it can neither end them nor become HTML, a link or a mention. Only plain quantities
//! (`245`, `64Mi`) stand between the words.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::{self, Display};

use super::source::Source;
use super::words::{self, Label};
use super::{
    LISTED, elsewhere, fill, lines, missing, on_platforms, open_values, remedy, seen, short, subject, to_do,
    unread_worst_first, values, visible,
};
use crate::Input;
use crate::report::{Evidence, Finding, Place, Report, Risk, Severity, Status, Why};
use crate::rules::{self, Lang, Rule};

/// A report, to be written in one language beside the texts that it is about.
pub struct Markdown<'a> {
    report: &'a Report,
    sources: Vec<Source<'a>>,
    lang: Lang,
}

impl<'a> Markdown<'a> {
    /// The Markdown form of `report`. `inputs` are the ones that were checked, in the same order; without them nothing
    /// is quoted.
    #[must_use]
    pub fn new(report: &'a Report, inputs: &'a [Input], lang: Lang) -> Self {
        Self { report, sources: inputs.iter().map(Source::new).collect(), lang }
    }
}

impl Display for Markdown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "# noderisk\n\n**{}**", prose(words::verdict(self.report).text(self.lang)))?;
        self.risks(f)?;
        let mut told = BTreeSet::new();
        for finding in &self.report.findings {
            self.finding(f, finding, &mut told)?;
        }
        self.paste_next(f)?;
        self.read(f)?;
        self.unread(f)?;
        // Whoever reads a ticket months later can tell by which rules it was judged.
        writeln!(f, "\n*noderisk {}*", crate::version())
    }
}

impl Markdown<'_> {
    fn risks(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n| {} | {} |\n|---|---|", words::RISK.text(self.lang), words::STATE.text(self.lang))?;
        for risk in Risk::ALL {
            let status = self.report.risk(risk).status;
            let (name, state) = (words::risk(risk).text(self.lang), words::status(status).text(self.lang));
            let mark = if status == Status::AtRisk { "**" } else { "" };
            writeln!(f, "| {name} | {mark}{state}{mark} |")?;
        }
        Ok(())
    }

    /// One finding. `told` holds the rules and remedies that were already explained: many findings share them.
    fn finding(&self, f: &mut fmt::Formatter<'_>, finding: &Finding, told: &mut BTreeSet<String>) -> fmt::Result {
        let rule = rules::find(&finding.rule);
        let title = rule.map_or("", |rule| rule.words.text(self.lang).title);
        heading(f, finding.severity, title, &finding.rule, self.lang)?;
        let values = values(finding, inline);
        if let Some(rule) = rule {
            writeln!(f, "\n{}", fill(&prose(rule.words.text(self.lang).form(&values)), &values))?;
        }
        writeln!(f)?;
        for (label, name) in subject(finding) {
            writeln!(f, "- {}{}", self.label(label), code(&short(name)))?;
        }
        for evidence in &finding.evidence {
            self.evidence(f, evidence)?;
        }
        let Some(rule) = rule else { return Ok(()) };
        let words = rule.words.text(self.lang);
        let first_of_rule = told.insert(finding.rule.to_string());
        let colon = words::COLON.text(self.lang);
        let mut tell = |label: Label, template: &str| {
            writeln!(f, "\n**{}**{colon}{}", label.text(self.lang), fill(&prose(template), &values))
        };
        if first_of_rule {
            tell(words::WHY, words.why)?;
        }
        let to_do = to_do(words, &values, self.lang);
        if told.insert(fill(&to_do, &values)) {
            tell(words::FIX, &to_do)?;
        }
        let remedy = remedy(rule, &super::values(finding, |value| visible(value).into_owned()));
        if !remedy.is_empty() && told.insert(remedy.clone()) {
            block(f, "", &remedy)?;
        }
        if first_of_rule {
            if let Some(platforms) = elsewhere(rule, &finding.values) {
                writeln!(f, "\n{platforms}{colon}{}", code(&format!("noderisk explain {}", rule.id)))?;
            }
            links(f, rule)?;
        }
        Ok(())
    }

    fn evidence(&self, f: &mut fmt::Formatter<'_>, evidence: &Evidence) -> fmt::Result {
        let seen: Vec<String> =
            seen(evidence).map(|(label, what)| format!("{}{}", self.label(label), code(&short(what)))).collect();
        match self.place(&evidence.place) {
            Some(place) if seen.is_empty() => writeln!(f, "- {place}"),
            Some(place) => writeln!(f, "- {place}\\\n  {}", seen.join(" · ")),
            None if seen.is_empty() => Ok(()),
            None => writeln!(f, "- {}", seen.join(" · ")),
        }
    }

    /// Where it was seen, with the line itself.
    fn place(&self, place: &Place) -> Option<String> {
        let Some(span) = place.span else {
            return place.pointer.as_deref().map(|pointer| code(&short(pointer)));
        };
        let source = self.sources.get(place.input)?;
        let at = code(&format!("{}:{}:{}", source.name, span.line, span.column));
        let quote = source.excerpt(span).map(|excerpt| excerpt.text());
        Some(match quote.as_deref().map(str::trim) {
            None | Some("") => at,
            Some(quote) => format!("{at}{}{}", words::COLON.text(self.lang), code(quote)),
        })
    }

    fn label(&self, label: Label) -> String {
        format!("{}{}", label.text(self.lang), words::COLON.text(self.lang))
    }

    fn paste_next(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let missing = missing(self.report);
        if missing.is_empty() {
            return Ok(());
        }
        writeln!(f, "\n## {}\n", words::PASTE_NEXT.text(self.lang))?;
        for missing in missing {
            let what = words::wanted(missing.what).text(self.lang);
            writeln!(f, "- {}\\\n  {}", code(&visible(&missing.command)), prose(what))?;
        }
        Ok(())
    }

    fn read(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let read = &self.report.read;
        if read.is_empty() {
            return Ok(());
        }
        writeln!(f, "\n## {}\n", words::READ.text(self.lang))?;
        for run in read.iter().take(LISTED) {
            let kind =
                words::kind(&run.kind).map_or_else(|| code(&visible(&run.kind)), |l| prose(l.text(self.lang)).into());
            writeln!(f, "- {} {kind}", code(&lines(&self.sources, run.input, run.first_line, run.last_line)))?;
        }
        self.more(f, read.len())
    }

    fn unread(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unread = unread_worst_first(self.report);
        if unread.is_empty() {
            return Ok(());
        }
        writeln!(f, "\n## {}\n", words::UNREAD.text(self.lang))?;
        for run in unread.iter().take(LISTED) {
            let why = prose(words::why_unread(&run.why).text(self.lang));
            write!(f, "- {} {why}", code(&lines(&self.sources, run.input, run.first_line, run.last_line)))?;
            if let Why::Broken { message } = &run.why {
                write!(f, "{}{}", words::COLON.text(self.lang), code(&short(message)))?;
            }
            writeln!(f)?;
        }
        self.more(f, unread.len())
    }

    fn more(&self, f: &mut fmt::Formatter<'_>, all: usize) -> fmt::Result {
        match all.saturating_sub(LISTED) {
            0 => Ok(()),
            more => {
                let values = [("count".into(), more.to_string())].into();
                writeln!(f, "- {}", fill(words::MORE.text(self.lang), &values))
            }
        }
    }
}

/// What there is to know about a rule, without its title, in one language. Placeholders stand as `<name>`.
pub struct RulePage {
    /// The rule.
    pub rule: &'static Rule,
    /// The language.
    pub lang: Lang,
    /// Whether to tell its notes as well. Not every host carries them, so that forms of the report, which are the same
    /// from every host, leave them out.
    pub notes: bool,
}

impl Display for RulePage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rule, words) = (self.rule, self.rule.words.text(self.lang));
        let values = open_values(rule, self.lang, code);
        let section = |f: &mut fmt::Formatter<'_>, label: Label| writeln!(f, "\n## {}\n", label.text(self.lang));
        writeln!(
            f,
            "`{}` · {} · {}",
            rule.id,
            words::severity(rule.severity).text(self.lang),
            words::risk(rule.risk).text(self.lang)
        )?;
        section(f, words::SAYS_HEADING)?;
        for form in words.says {
            writeln!(f, "- {}", fill(&prose(form), &values))?;
        }
        section(f, words::WHY_HEADING)?;
        writeln!(f, "{}", fill(&prose(words.why), &values))?;
        section(f, words::FIX_HEADING)?;
        let lines: Vec<&str> = rules::that_apply(words.fix, "\n", |_| true).collect();
        let mark = if lines.len() > 1 { "- " } else { "" };
        lines.iter().try_for_each(|line| writeln!(f, "{mark}{}", fill(&prose(line), &values)))?;
        let open = open_values(rule, self.lang, str::to_owned);
        if !rule.remedy.is_empty() {
            let blocks: Vec<&str> = rules::that_apply(rule.remedy, "\n\n", |_| true).collect();
            block(f, "", &fill(&blocks.join("\n"), &open))?;
        }
        for (platform, form) in on_platforms(rule) {
            writeln!(f, "\n{}{}", platform.name(), words::COLON.text(self.lang).trim_end())?;
            block(f, "", &fill(&form, &open))?;
        }
        if self.notes && !words.notes.is_empty() {
            section(f, words::NOTES_HEADING)?;
            for note in words.notes {
                writeln!(f, "- {}", fill(&prose(note), &values))?;
            }
        }
        section(f, words::LINKS_HEADING)?;
        for link in rule.links {
            writeln!(f, "- <{link}>")?;
        }
        Ok(())
    }
}

fn heading(f: &mut fmt::Formatter<'_>, severity: Severity, title: &str, id: &str, lang: Lang) -> fmt::Result {
    let severity = words::severity(severity).text(lang);
    writeln!(f, "\n## {severity}{}{} {}", words::COLON.text(lang), prose(title), code(&visible(id)))
}

fn links(f: &mut fmt::Formatter<'_>, rule: &Rule) -> fmt::Result {
    writeln!(f)?;
    rule.links.iter().try_for_each(|link| writeln!(f, "- <{link}>"))
}

/// A code block in a language (`yaml`, or nothing). The text may have several lines, each of which is shown as it is.
///
/// # Errors
/// Those of the writer.
pub fn block(f: &mut impl fmt::Write, language: &str, text: &str) -> fmt::Result {
    let fence = "`".repeat(longest_run(text).saturating_add(1).max(3));
    writeln!(f, "\n{fence}{language}\n{}\n{fence}", text.trim_end_matches('\n'))
}

/// One line of text as a code span.
fn code(text: &str) -> String {
    let fence = "`".repeat(longest_run(text).saturating_add(1));
    // A span must not be empty, and blanks on both sides of one are not shown.
    let pad = if text.is_empty() || text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// The longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}

/// A value between words: a quantity as it is, all else as a code span.
fn inline(value: &str) -> String {
    let rest = value.trim_start_matches(|c: char| c.is_ascii_digit());
    let quantity = rest.len() < value.len() && rest.len() <= 2 && rest.chars().all(|c| c.is_ascii_alphabetic());
    if quantity { value.to_owned() } else { code(&visible(value)) }
}

/// Our own words, with what Markdown would take for markup escaped. Placeholders stay.
fn prose(words: &str) -> Cow<'_, str> {
    const MARKUP: &[char] = &['\\', '`', '*', '<', '[', '&'];
    if !words.contains(MARKUP) {
        return Cow::Borrowed(words);
    }
    let mut escaped = String::with_capacity(words.len() + 8);
    for c in words.chars() {
        if MARKUP.contains(&c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::{Markdown, code, inline, prose};
    use crate::Input;
    use crate::rules::Lang;
    use crate::settings::Settings;

    fn markdown(text: &str, lang: Lang) -> String {
        let inputs = [Input::new("paste.yaml", text)];
        let report = crate::check(&inputs, &Settings::default());
        Markdown::new(&report, &inputs, lang).to_string()
    }

    #[test]
    fn a_report_as_pasted_into_a_ticket() {
        let text = markdown("fs.inotify.max_user_instances = 128\n", Lang::En);
        let start = "\
# noderisk

**At risk: this can take a node down.**

| risk | state |
|---|---|
| memory-backed emptyDir | nothing about it here |
| inotify limits | **at risk** |
";
        assert!(text.starts_with(start), "{text}");
        assert!(
            text.contains("\n## warning: Too few inotify instances for a node `inotify-instances-low`\n"),
            "{text}"
        );
        assert!(
            text.contains("\n\nA limit of 128 inotify instances is too low: a node with 110 pods needs 245.\n"),
            "{text}"
        );
        assert!(
            text.contains("\n- `paste.yaml:1:33`: `fs.inotify.max_user_instances = 128`\\\n  observed: ")
                || text.contains("\n- `paste.yaml:1:1`: `fs.inotify.max_user_instances = 128`\\\n  observed: "),
            "{text}"
        );
        assert!(text.contains("\n```\nsudo sysctl -w fs.inotify.max_user_instances=8192\n"), "{text}");
        assert!(text.ends_with(&format!("\n\n*noderisk {}*\n", crate::version())), "{text}");
        assert!(markdown("", Lang::Ja).contains("\n- `sysctl fs.inotify`\\\n"));
    }

    /// 1.26.5 and 1.27.2 are the first of their minors that remove misc cgroups.
    #[test]
    fn what_to_do_is_told_again_when_it_differs() {
        let node = |name: &str, kubelet: &str| {
            format!(
                "root@{name}:~# kubelet --version\nKubernetes v{kubelet}\nroot@{name}:~# cat /proc/1/cgroup\n13:misc:/kubepods/pod1\n"
            )
        };
        for (kubelets, times) in [(["1.26.4", "1.27.1"], 2), (["1.27.0", "1.27.1"], 1)] {
            let text = markdown(&(node("n1", kubelets[0]) + &node("n2", kubelets[1])), Lang::En);
            assert_eq!(text.matches("`misc-cgroup-mismatch`\n").count(), 2, "{text}");
            assert_eq!(text.matches("\n**what to do**: Update kubelet to").count(), times, "{text}");
            assert_eq!(text.matches("\n**why**: runc 1.1.6").count(), 1, "{text}");
        }
    }

    #[test]
    fn code_spans_hold_whatever_is_in_them() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("a`b``c"), "```a`b``c```");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(code(""), "`  `");
        assert_eq!(inline("245"), "245");
        assert_eq!(inline("64Mi"), "64Mi");
        assert_eq!(inline("1.27.1"), "`1.27.1`");
        assert_eq!(inline("www.example.org"), "`www.example.org`");
        assert_eq!(inline("<b>`"), "`` <b>` ``");
        assert_eq!(prose("/misc/kubepods* > {x}"), "/misc/kubepods\\* > {x}");
    }

    /// Names that try to close the code span, to start HTML, a link, a mention, a table row or a heading.
    #[test]
    fn hostile_names_stay_in_code() {
        let hostile = "x`</p><img src=x>[y](https://evil.example) @all |#\\u2028# z";
        let pod = format!(
            "kind: Pod\napiVersion: v1\nmetadata:\n  name: \"{hostile}\"\nspec:\n  containers:\n  - name: \"{hostile}\"\n    \
             volumeMounts:\n    - {{name: \"{hostile}\", mountPath: /v}}\n  volumes:\n  - name: \"{hostile}\"\n    \
             emptyDir: {{medium: Memory}}\n"
        );
        let text = markdown(&pod, Lang::En);
        assert!(text.contains("memory-volume-unlimited-writer"), "{text}");
        let mut spans = 0;
        for line in text.lines().filter(|line| line.contains("evil.example")) {
            let outside = without_code(line);
            assert!(!outside.contains("evil") && !outside.contains('<') && !outside.contains('@'), "{line}");
            spans += 1;
        }
        assert!(spans >= 5, "{text}");
    }

    /// What is left of a line without its code spans, as CommonMark 6.1 reads them. Inside a code block (a remedy),
    /// nothing is left.
    fn without_code(line: &str) -> String {
        if line.starts_with("# container ") || line.starts_with("# volume ") {
            return String::new();
        }
        let (mut outside, mut rest) = (String::new(), line);
        while let Some(at) = rest.find('`') {
            outside.push_str(&rest[..at]);
            let fence = rest[at..].chars().take_while(|&c| c == '`').count();
            let body = &rest[at + fence..];
            let mut runs = body.match_indices('`').map(|(at, _)| at).filter(|&at| {
                body[at..].chars().take_while(|&c| c == '`').count() == fence && !body[..at].ends_with('`')
            });
            let end = runs.next().unwrap_or_else(|| panic!("open code span: {line}"));
            rest = &body[end + fence..];
        }
        outside + rest
    }
}
