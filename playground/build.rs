//! Lists the examples that the page offers, so that a new file in `examples/` needs no further line anywhere, and what it
//! must know of the rules without carrying them: titles and version.

use std::cmp::Reverse;
use std::path::Path;
use std::{env, fs, io};

use rules::rules::RULES;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=../examples");
    println!("cargo::rustc-env=NODERISK_VERSION={}", rules::version());
    let root = fs::canonicalize(env::var("CARGO_MANIFEST_DIR")?)?.with_file_name("examples");
    let mut rules = RULES.to_vec();
    rules.sort_by_key(|rule| (rule.risk, Reverse(rule.severity), rule.id));
    let (mut topics, mut list) = (String::new(), String::new());
    for rule in rules {
        let folder = root.join(rule.id);
        // The page knows no settings, so the rules that ask for one never fire on it.
        if folder.join("settings.yaml").exists() {
            continue;
        }
        let [en, ja, zh] = [rule.words.en.title, rule.words.ja.title, rule.words.zh.title];
        let title = format!("Label {{ en: {en:?}, ja: {ja:?}, zh: {zh:?} }}");
        topics += &format!("Topic {{ rule: {:?}, risk: Risk::{:?}, title: {title} }},\n", rule.id, rule.risk);
        for file in entries(&folder)?.iter().filter(|name| name.starts_with("bad") || name.starts_with("good")) {
            let path = folder.join(file);
            list += &format!("Example {{ rule: {:?}, file: {file:?}, text: include_str!({path:?}) }},\n", rule.id);
        }
    }
    let out = env::var("OUT_DIR")?;
    fs::write(Path::new(&out).join("topics.rs"), format!("&[{topics}]"))?;
    fs::write(Path::new(&out).join("examples.rs"), format!("&[{list}]"))?;
    Ok(())
}

/// Names in a folder, sorted.
fn entries(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.extend(entry?.file_name().into_string().ok());
    }
    names.sort();
    Ok(names)
}
