//! The pages of `rules/docs/` as HTML, each with links that open its examples. They need no script.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Parser, Tag, TagEnd, html};
use rules::rules::{Lang, RULES, Rule};
use rules::show::words::{BAD_HEADING, GOOD_HEADING, Label, RULES_HEADING};

use crate::shell::Shell;

/// Opens an example on the page.
const TRY: Label = Label { en: "Try it", ja: "ページで試す", zh: "在页面中试试" };

/// Name of the choice of languages.
const LANGUAGE: Label = Label { en: "Language", ja: "言語", zh: "语言" };

/// Each language's name for itself.
const OWN_NAME: Label = Label { en: "English", ja: "日本語", zh: "中文" };

/// Neither script nor request: only the stylesheet and the icon.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'";

/// Every page by its path, `rules/en/inotify-instances-low.html`.
pub(crate) fn pages(repository: &Path, shell: &Shell) -> io::Result<BTreeMap<String, String>> {
    let mut pages = BTreeMap::new();
    for (lang, tag) in Lang::ALL {
        let source = |name: &str| fs::read_to_string(repository.join(format!("rules/docs/{tag}/{name}.md")));
        let index = Page { lang, name: "index", title: RULES_HEADING.text(lang), shell };
        pages.insert(index.path(), index.html(&source("index")?, &[]));
        for rule in RULES {
            let tries = tries(repository, rule, lang)?;
            let page = Page { lang, name: rule.id, title: rule.words.text(lang).title, shell };
            pages.insert(page.path(), page.html(&source(rule.id)?, &tries));
        }
    }
    Ok(pages)
}

/// A heading, and the address of the example below it.
type Try = (&'static str, String);

/// The examples that the page of a rule shows: the first bad and the first good one. The page knows no settings, so the
/// examples that need some cannot be tried there.
fn tries(repository: &Path, rule: &Rule, lang: Lang) -> io::Result<Vec<Try>> {
    let folder = repository.join("examples").join(rule.id);
    if folder.join("settings.yaml").exists() {
        return Ok(Vec::new());
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.extend(entry?.file_name().into_string());
    }
    names.sort();
    let first = |kind: &str| names.iter().find(|name| name.starts_with(kind));
    let shown = [(BAD_HEADING, first("bad-")), (GOOD_HEADING, first("good-"))];
    let address = |name| format!("../../index.html?lang={}#example={}/{name}", lang.tag(), rule.id);
    Ok(shown.into_iter().filter_map(|(heading, name)| Some((heading.text(lang), address(name?)))).collect())
}

struct Page<'a> {
    lang: Lang,
    name: &'static str,
    title: &'static str,
    shell: &'a Shell,
}

impl Page<'_> {
    fn path(&self) -> String {
        format!("rules/{}/{}.html", self.lang.tag(), self.name)
    }

    fn html(&self, markdown: &str, tries: &[Try]) -> String {
        let Self { lang, name, title, shell: Shell { style, icon, mark } } = self;
        let (tag, rules) = (lang.tag(), RULES_HEADING.text(*lang));
        let current = if *name == "index" { " aria-current=\"page\"" } else { "" };
        let (language, languages) = (LANGUAGE.text(*lang), self.languages());
        let content = content(markdown, *lang, tries);
        format!(
            r#"<!doctype html>
<html lang="{tag}" data-theme="system">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="{POLICY}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="referrer" content="no-referrer">
    <title>{title} · noderisk</title>
    {icon}
    <link rel="stylesheet" href="../../{style}">
    <link rel="stylesheet" href="../pages.css">
  </head>
  <body>
    <header class="top">
      <p class="brand"><a href="../../index.html?lang={tag}">{mark} noderisk</a></p>
      <nav><a href="index.html"{current}>{rules}</a></nav>
      <nav class="languages" aria-label="{language}">{languages}</nav>
    </header>
    <main class="document">
{content}    </main>
  </body>
</html>
"#
        )
    }

    /// Links to the same page in every language.
    fn languages(&self) -> String {
        let link = |(lang, tag): (Lang, &str)| {
            let current = if lang == self.lang { " aria-current=\"true\"" } else { "" };
            let (name, own) = (self.name, OWN_NAME.text(lang));
            format!(r#"<a href="../{tag}/{name}.html" lang="{tag}" hreflang="{tag}"{current}>{own}</a>"#)
        };
        Lang::ALL.map(link).join(" ")
    }
}

/// The Markdown as HTML, with a link below each heading that has an example to try.
fn content(markdown: &str, lang: Lang, tries: &[Try]) -> String {
    let mut heading = String::new();
    let events = Parser::new(markdown).flat_map(|event| {
        match &event {
            Event::Start(Tag::Heading { .. }) => heading.clear(),
            Event::Text(text) => heading.push_str(text),
            _ => {}
        }
        let link = match &event {
            Event::End(TagEnd::Heading(HeadingLevel::H2)) => tries.iter().find(|(known, _)| *known == heading),
            _ => None,
        };
        let link = link.map(|(_, address)| {
            let words = TRY.text(lang);
            Event::Html(format!("<p class=\"try\"><a href=\"{address}\">{words}</a></p>\n").into())
        });
        [Some(fitting(event)), link].into_iter().flatten()
    });
    let mut content = String::new();
    html::push_html(&mut content, events);
    content
}

/// The event as it fits the site: pages end in `.html`, wide code can be scrolled with the keyboard, and HTML in the
/// Markdown, of which there should be none, stays text.
fn fitting(event: Event) -> Event {
    match event {
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let dest_url = match dest_url.strip_suffix(".md") {
                Some(page) if !page.contains("://") => CowStr::from(format!("{page}.html")),
                _ => dest_url,
            };
            Event::Start(Tag::Link { link_type, dest_url, title, id })
        }
        Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented)) => {
            Event::Html("<pre tabindex=\"0\"><code>".into())
        }
        Event::End(TagEnd::CodeBlock) => Event::Html("</code></pre>\n".into()),
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rules::rules::{Lang, RULES};

    use super::{Shell, content, pages};
    use crate::repository;

    fn shell() -> Shell {
        let [style, icon, mark] = ["app-1.css", "<link rel=\"icon\">", "<svg></svg>"].map(str::to_owned);
        Shell { style, icon, mark }
    }

    #[test]
    fn every_rule_has_a_page_in_every_language() {
        let ids = || RULES.iter().map(|rule| rule.id).chain(["index"]);
        let expected = Lang::ALL.into_iter().flat_map(|(_, tag)| ids().map(move |id| format!("rules/{tag}/{id}.html")));
        let pages = pages(repository(), &shell()).unwrap();
        assert_eq!(pages.keys().cloned().collect::<BTreeSet<_>>(), expected.collect());
        for rule in RULES {
            for (lang, tag) in Lang::ALL {
                let page = &pages[&format!("rules/{tag}/{}.html", rule.id)];
                assert!(page.contains(&format!("<h1>{}</h1>", rule.words.text(lang).title)), "{} {tag}", rule.id);
                assert!(page.contains(&format!("<html lang=\"{tag}\"")), "{} {tag}", rule.id);
                assert!(!page.contains("<script"), "{} {tag}", rule.id);
            }
        }
    }

    #[test]
    fn links_lead_somewhere() {
        let pages = pages(repository(), &shell()).unwrap();
        let mut tried = 0;
        for (path, page) in &pages {
            let folder = path.rsplit_once('/').unwrap().0;
            for href in page.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
                if let Some(example) = href.strip_prefix("../../index.html?lang=") {
                    if let Some((_, address)) = example.split_once("#example=") {
                        assert!(repository().join("examples").join(address).exists(), "{path}: {href}");
                        tried += 1;
                    }
                } else if let Some(other) = href.strip_prefix("../").filter(|other| other.ends_with(".html")) {
                    assert!(pages.contains_key(&format!("rules/{other}")), "{path}: {href}");
                } else if href.ends_with(".html") && !href.contains("://") {
                    assert!(pages.contains_key(&format!("{folder}/{href}")), "{path}: {href}");
                } else {
                    let known = ["../../app-1.css", "../pages.css"].contains(&href) || href.starts_with("https://");
                    assert!(known, "{path}: {href}");
                }
            }
        }
        let with_settings =
            RULES.iter().filter(|rule| repository().join("examples").join(rule.id).join("settings.yaml").exists());
        assert_eq!(tried, 2 * Lang::ALL.len() * (RULES.len() - with_settings.count()));
    }

    #[test]
    fn html_in_the_markdown_stays_text() {
        let html = content("a <b>c</b>\n\n<script>x</script>\n", Lang::En, &[]);
        assert!(!html.contains("<b>") && !html.contains("<script>"), "{html}");
    }
}
