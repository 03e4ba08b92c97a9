//! The service worker: its own text behind the names of the files that it keeps and their version.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::{fs, io};

/// Name of the worker in the built page.
pub(crate) const NAME: &str = "service-worker.js";

/// Where wasm-bindgen puts the scripts that the page's Wasm brings along.
const SNIPPETS: &str = "snippets";

/// The worker for what is in `folder`, `core` being the names of the builds of the core. Other folders are left out: what
/// is there is kept when it is read.
pub(crate) fn of(folder: &Path, core: &[String], worker: &str) -> io::Result<String> {
    let mut files = BTreeMap::new();
    add(folder, "", &mut files)?;
    // The browser looks after the worker itself; the other script is for the pages around.
    files.retain(|name, _| ![NAME, "noderisk-embed.js"].contains(&&**name));
    Ok(text(&files, core, worker))
}

fn add(folder: &Path, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = format!("{prefix}{}", path.file_name().unwrap_or_default().to_string_lossy());
        if path.is_file() {
            files.insert(name, fs::read(path)?);
        } else if name.starts_with(SNIPPETS) {
            add(&path, &format!("{name}/"), files)?;
        }
    }
    Ok(())
}

fn text(files: &BTreeMap<String, Vec<u8>>, core: &[String], worker: &str) -> String {
    // The hasher has fixed keys: the same files give the same version.
    let mut version = DefaultHasher::new();
    (files, worker).hash(&mut version);
    let is_core = |name: &&String| core.iter().any(|build| name.starts_with(build));
    let (core, start): (Vec<&String>, Vec<&String>) = files.keys().partition(is_core);
    let version = version.finish();
    format!("const VERSION = \"{version:016x}\";\nconst FILES = {start:?};\nconst CORE = {core:?};\n\n{worker}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::text;

    #[test]
    fn the_version_changes_with_any_file_and_with_the_worker_alone() {
        let files = |boot: &str, core: &str| {
            let files = [("boot.js", boot), ("index.html", ""), ("checker-1.js", core), ("checker-1_bg.wasm", "")];
            BTreeMap::from(files.map(|(name, text)| (name.to_owned(), text.into())))
        };
        let text = |boot: &str, core: &str, worker: &str| text(&files(boot, core), &["checker-1".to_owned()], worker);
        let first = text("1", "1", "work();");
        let rest = "\nconst FILES = [\"boot.js\", \"index.html\"];\n\
                    const CORE = [\"checker-1.js\", \"checker-1_bg.wasm\"];\n\nwork();";
        assert!(first.ends_with(rest), "{first}");
        assert_eq!(text("1", "1", "work();"), first);
        let version = |text: &str| text.lines().next().unwrap().to_owned();
        for other in [text("2", "1", "work();"), text("1", "2", "work();"), text("1", "1", "rest();")] {
            assert_ne!(version(&other), version(&first));
        }
    }
}
