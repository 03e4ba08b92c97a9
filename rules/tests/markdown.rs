//! `--format markdown` as a renderer reads it: whatever the input holds becomes neither HTML nor a link nor structure.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use proptest::sample::select;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use rules::rules::{Lang, RULES};
use rules::settings::Settings;
use rules::show::markdown::Markdown;
use rules::{Input, check};

fn markdown(name: &str, text: &str, lang: Lang) -> String {
    let inputs = [Input::new(name, text)];
    let report = check(&inputs, &Settings::default());
    Markdown::new(&report, &inputs, lang).to_string()
}

/// What a renderer would show that is more than words, lists, tables, code, and links to our own sources.
fn foreign(markdown: &str) -> Vec<String> {
    let ours = |target: &str| RULES.iter().any(|rule| rule.links.contains(&target));
    let mut in_code = false;
    let foreign = |event: &Event| match event {
        Event::Start(Tag::CodeBlock(_)) | Event::End(TagEnd::CodeBlock) => {
            in_code = !in_code;
            false
        }
        Event::Html(_) | Event::InlineHtml(_) | Event::FootnoteReference(_) | Event::TaskListMarker(_) => true,
        Event::Start(Tag::Link { dest_url, .. }) => !ours(dest_url),
        Event::Start(Tag::Image { .. } | Tag::BlockQuote(_) | Tag::FootnoteDefinition(_)) => true,
        Event::Text(text) => !in_code && text.contains("evil.example"),
        _ => false,
    };
    Parser::new_ext(markdown, Options::all()).filter(foreign).map(|event| format!("{event:?}")).collect()
}

/// Pieces of Markdown and HTML that try to get out of code.
const HOSTILE: &[&str] = &[
    "`",
    "``",
    "```",
    "~~~",
    "<b>",
    "</code>",
    "<!--",
    "<script>",
    "[evil](https://evil.example)",
    "![x](evil.example)",
    "https://evil.example",
    "<https://evil.example>",
    "www.evil.example",
    "@evil.example",
    "|",
    "#",
    "*",
    "_",
    "\\",
    "\\\\`",
    "\\n",
    "\\n\\n",
    "\\t",
    "&lt;",
    " ",
    "a",
    "限",
    "> ",
    "- ",
    "1. ",
    "---",
    "[^1]",
    "[ ]",
    "$$",
];

/// A pod that fires with `name` wherever a name can stand, in YAML's double quotes.
fn pod(name: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: \"{name}\"\nspec:\n  containers:\n  - name: \"{name}\"\n    resources:\n      \
         requests: {{memory: \"{name}\"}}\n    volumeMounts:\n    - {{name: \"{name}\", mountPath: /v}}\n  volumes:\n  - name: \
         \"{name}\"\n    emptyDir: {{medium: Memory}}\n"
    )
}

proptest! {
    #[test]
    fn names_stay_in_code(pieces in prop::collection::vec(select(HOSTILE), 1..6), (lang, _) in select(&Lang::ALL[..])) {
        let name = pieces.concat();
        let text = markdown(&name, &pod(&name.replace('\\', "\\\\").replace("\\\\n", "\\n").replace('"', "")), lang);
        prop_assert!(text.contains("evil") || !name.contains("evil"), "the name is not in it: {}", text);
        prop_assert_eq!(foreign(&text), Vec::<String>::new(), "{}", text);
    }
}

#[test]
fn reports_about_all_examples_hold_nothing_foreign() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    for rule in RULES {
        for file in fs::read_dir(examples.join(rule.id)).unwrap() {
            let text = fs::read_to_string(file.unwrap().path()).unwrap();
            for (lang, _) in Lang::ALL {
                assert_eq!(foreign(&markdown("a", &text, lang)), Vec::<String>::new());
            }
        }
    }
}

/// The parser sees what the tests above look for, so that they can fail.
#[test]
fn foreign_things_are_seen() {
    for text in ["<b>x</b>", "[x](https://evil.example)", "![x](y)", "> x", "see evil.example"] {
        assert!(!foreign(text).is_empty(), "{text}");
    }
}
