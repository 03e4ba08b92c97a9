//! The pages in `docs/` are what the rules and their examples say. `UPDATE=1 cargo test` writes them anew.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rules::report::Risk;
use rules::rules::{Lang, RULES, Rule};
use rules::show::markdown::{RulePage, block};
use rules::show::words::{self, Label};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The settings under which the examples of `rule` are checked, where they need any; relative to the repository.
fn settings(rule: &Rule) -> Option<String> {
    let path = format!("examples/{}/settings.yaml", rule.id);
    repository().join(&path).exists().then_some(path)
}

/// What the command prints about one example, with the command line above it.
fn session(rule: &Rule, example: &str, lang: Lang) -> String {
    let mut arguments = Vec::new();
    if lang != Lang::En {
        arguments.extend(["--lang".to_owned(), lang.tag().to_owned()]);
    }
    arguments.extend(settings(rule).into_iter().flat_map(|path| ["--settings".to_owned(), path]));
    arguments.push(example.to_owned());
    let output = Command::new(env!("CARGO_BIN_EXE_noderisk"))
        .args(&arguments)
        .current_dir(repository())
        .env("LC_ALL", "C.UTF-8")
        .output()
        .unwrap();
    format!("$ noderisk {}\n{}", arguments.join(" "), String::from_utf8(output.stdout).unwrap())
}

/// The first example of `rule` whose name starts with `kind`, relative to the repository.
fn example(rule: &Rule, kind: &str) -> String {
    let folder = format!("examples/{}", rule.id);
    let entries = fs::read_dir(repository().join(&folder)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let name = names.filter(|name| name.starts_with(kind)).min();
    format!("{folder}/{}", name.unwrap_or_else(|| panic!("{folder} has no {kind} example")))
}

fn page(rule: &'static Rule, lang: Lang) -> String {
    let mut page = format!("# {}\n\n{}", rule.words.text(lang).title, RulePage { rule, lang, notes: true });
    for (heading, kind) in [(words::BAD_HEADING, "bad-"), (words::GOOD_HEADING, "good-")] {
        let example = example(rule, kind);
        let session = session(rule, &example, lang);
        assert_eq!(session.contains(&format!("[{}]", rule.id)), kind == "bad-", "{session}");
        write!(page, "\n## {}\n", heading.text(lang)).unwrap();
        let language = example.rsplit_once('.').map_or("", |(_, extension)| extension);
        block(&mut page, language, &read(&example)).unwrap();
        if let Some(settings) = settings(rule) {
            block(&mut page, "yaml", &format!("# {settings}\n{}", read(&settings))).unwrap();
        }
        block(&mut page, "console", &session).unwrap();
    }
    page
}

fn read(path: &str) -> String {
    fs::read_to_string(repository().join(path)).unwrap()
}

fn index(lang: Lang) -> String {
    let cell = |label: Label| label.text(lang).to_owned();
    let mut page = format!("# {}\n", words::RULES_HEADING.text(lang));
    for risk in Risk::ALL {
        write!(page, "\n## {} `{}`\n\n", words::risk(risk).text(lang), risk.id()).unwrap();
        for rule in RULES.iter().filter(|rule| rule.risk == risk) {
            let (severity, title) = (cell(words::severity(rule.severity)), rule.words.text(lang).title);
            writeln!(page, "- [{title}]({}.md) `{}` · {severity}", rule.id, rule.id).unwrap();
        }
    }
    page
}

/// Every page by its path below `docs/`.
fn pages() -> BTreeMap<String, String> {
    let of_language = |(lang, tag): (Lang, &str)| {
        let rules = RULES.iter().map(move |rule| (format!("{tag}/{}.md", rule.id), page(rule, lang)));
        rules.chain([(format!("{tag}/index.md"), index(lang))]).collect::<Vec<_>>()
    };
    Lang::ALL.into_iter().flat_map(of_language).collect()
}

#[test]
fn pages_are_what_the_rules_and_examples_say() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let pages = pages();
    if std::env::var_os("UPDATE").is_some() {
        let _ = fs::remove_dir_all(&docs);
        for (path, page) in &pages {
            let path = docs.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, page).unwrap();
        }
    }
    let stale: Vec<&String> = pages
        .iter()
        .filter(|(path, page)| fs::read_to_string(docs.join(path)).ok().as_ref() != Some(page))
        .map(|(path, _)| path)
        .collect();
    assert!(stale.is_empty(), "run `UPDATE=1 cargo test` for {stale:#?}");
    let files = Lang::ALL.into_iter().flat_map(|(_, tag)| {
        let entries = fs::read_dir(docs.join(tag)).unwrap();
        entries.map(move |entry| format!("{tag}/{}", entry.unwrap().file_name().to_string_lossy()))
    });
    assert_eq!(files.collect::<BTreeSet<_>>(), pages.into_keys().collect(), "a page about no rule");
}

#[test]
fn readmes_of_all_languages_show_the_same_commands_and_every_flag() {
    let commands = |name: &str| -> Vec<String> {
        let text = read(name);
        let lines = text.lines().filter(|line| line.starts_with("$ ") || line.starts_with("| `--"));
        // What stands behind a command or flag is prose in the language of the page.
        lines.map(|line| line.split("  ").next().unwrap().split("` |").next().unwrap().to_owned()).collect()
    };
    let english = commands("README.md");
    assert!(english.len() >= 10, "{english:#?}");
    for name in ["README.ja.md", "README.zh.md"] {
        assert_eq!(commands(name), english, "{name}");
    }
    let help = Command::new(env!("CARGO_BIN_EXE_noderisk")).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let flags =
        help.split_whitespace().filter(|word| word.starts_with("--") && !["--help", "--version"].contains(word));
    for flag in flags.map(|flag| flag.trim_end_matches(',')) {
        assert!(english.iter().any(|line| line.contains(flag)), "README.md does not name {flag}");
    }
}
