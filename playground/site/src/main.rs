//! Adds to the page that Trunk has built what Trunk cannot make: a page per rule and language, and a service worker that
//! knows all files. Trunk runs it as a hook and names the folder in `TRUNK_STAGING_DIR`.

mod core;
mod rule_pages;
mod service_worker;
mod shell;

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use crate::shell::Shell;

fn main() -> Result<(), String> {
    let folder = env::var_os("TRUNK_STAGING_DIR").map(PathBuf::from);
    let folder = folder.ok_or("TRUNK_STAGING_DIR is not set: run `trunk build`, which runs this program")?;
    finish(&folder, repository()).map_err(|error| format!("cannot finish the page in {}: {error}", folder.display()))
}

/// Write everything into the folder of the built page.
fn finish(folder: &Path, repository: &Path) -> io::Result<()> {
    let core = core::name(folder)?;
    let shell = Shell::of(&fs::read_to_string(folder.join("index.html"))?).map_err(io::Error::other)?;
    let mut files = rule_pages::pages(repository, &shell)?;
    let source = |name: &str| fs::read_to_string(repository.join("playground").join(name));
    files.insert(service_worker::NAME.to_owned(), service_worker::of(folder, &core, &source(service_worker::NAME)?)?);
    files.insert("rules/pages.css".to_owned(), source("style/pages.css")?);
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(path, text)?;
    }
    Ok(())
}

fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}
