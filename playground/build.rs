//! Lists the examples that the page offers, so that a new file in `examples/` needs no further line anywhere.

use std::path::Path;
use std::{env, fs, io};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=../examples");
    let root = fs::canonicalize(env::var("CARGO_MANIFEST_DIR")?)?.with_file_name("examples");
    let mut list = String::from("&[");
    // The page knows no settings, so the rules that ask for one never fire on it.
    for folder in entries(&root)?.into_iter().filter(|folder| !root.join(folder).join("settings.yaml").exists()) {
        // What else lives in `examples/` (a readme, samples of embedding) has neither `bad` nor `good` files.
        for file in
            entries(&root.join(&folder))?.iter().filter(|name| name.starts_with("bad") || name.starts_with("good"))
        {
            let path = root.join(&folder).join(file);
            list += &format!("Example {{ rule: {folder:?}, file: {file:?}, text: include_str!({path:?}) }},\n");
        }
    }
    list.push(']');
    fs::write(Path::new(&env::var("OUT_DIR")?).join("examples.rs"), list)?;
    Ok(())
}

/// Names in a folder, sorted; none when it is no folder.
fn entries(folder: &Path) -> io::Result<Vec<String>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.extend(entry?.file_name().into_string().ok());
    }
    names.sort();
    Ok(names)
}
