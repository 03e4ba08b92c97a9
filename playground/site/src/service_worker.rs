//! The service worker: its own text behind the names of the files that it keeps and their version.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::{fs, io};

/// Name of the worker in the built page.
pub(crate) const NAME: &str = "service-worker.js";

/// The worker for what is in `folder`. Folders in it are left out: what is there is kept when it is read.
pub(crate) fn of(folder: &Path, worker: &str) -> io::Result<String> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // The browser looks after the worker itself; the other script is for the pages around.
        if path.is_file() && ![NAME, "noderisk-embed.js"].contains(&&*name) {
            files.insert(name, fs::read(path)?);
        }
    }
    Ok(text(&files, worker))
}

fn text(files: &BTreeMap<String, Vec<u8>>, worker: &str) -> String {
    // The hasher has fixed keys: the same files give the same version.
    let mut version = DefaultHasher::new();
    (files, worker).hash(&mut version);
    let names: Vec<&String> = files.keys().collect();
    format!("const VERSION = \"{:016x}\";\nconst FILES = {names:?};\n\n{worker}", version.finish())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::text;

    #[test]
    fn the_version_changes_with_any_file_and_with_the_worker_alone() {
        let files =
            |boot: &str| BTreeMap::from([("boot.js".to_owned(), boot.into()), ("index.html".to_owned(), vec![])]);
        let first = text(&files("1"), "work();");
        assert!(first.ends_with("\nconst FILES = [\"boot.js\", \"index.html\"];\n\nwork();"), "{first}");
        assert_eq!(text(&files("1"), "work();"), first);
        let version = |text: &str| text.lines().next().unwrap().to_owned();
        assert_ne!(version(&text(&files("2"), "work();")), version(&first));
        assert_ne!(version(&text(&files("1"), "rest();")), version(&first));
    }
}
