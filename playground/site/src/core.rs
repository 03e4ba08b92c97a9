//! The builds of the rule core beside the page's own Wasm. Trunk hashes the names of the page's own files alone; a core
//! of another version would misunderstand the page, so these get names of their content as well.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::{fs, io};

/// Programs in `playground/src/bin/`.
const BUILDS: [&str; 2] = ["checker", "tools"];

/// The tag that tells the page the names of its files; see `Trunk.toml`.
const TAG: &str = "<script type=\"module\" src=\"./boot.js\"";

/// Rename the files, and name them on the page's tag. Gives the new names, without what ends them.
pub(crate) fn name(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    let mut tag = TAG.to_owned();
    for build in BUILDS {
        let (js, wasm) = (folder.join(format!("{build}.js")), folder.join(format!("{build}_bg.wasm")));
        // The hasher has fixed keys: the same files get the same name.
        let mut hash = DefaultHasher::new();
        (fs::read(&js)?, fs::read(&wasm)?).hash(&mut hash);
        let name = format!("{build}-{:016x}", hash.finish());
        fs::rename(js, folder.join(format!("{name}.js")))?;
        fs::rename(wasm, folder.join(format!("{name}_bg.wasm")))?;
        tag += &format!(" data-{build}=\"{name}\"");
        names.push(name);
    }
    let index = folder.join("index.html");
    let html = fs::read_to_string(&index)?;
    if !html.contains(TAG) {
        return Err(io::Error::other("index.html has no tag of boot.js"));
    }
    fs::write(index, html.replacen(TAG, &tag, 1))?;
    Ok(names)
}

#[cfg(test)]
mod tests {
    use std::{env, fs};

    use super::{TAG, name};

    #[test]
    fn the_names_follow_the_content_and_the_page_knows_them() {
        let folder = env::temp_dir().join(format!("noderisk-site-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let built = |wasm: &str| {
            for (file, text) in
                [("checker.js", "1"), ("checker_bg.wasm", wasm), ("tools.js", "2"), ("tools_bg.wasm", "3")]
            {
                fs::write(folder.join(file), text).unwrap();
            }
            fs::write(folder.join("index.html"), format!("{TAG} data-base=\"./\"></script>")).unwrap();
            let names = name(&folder).unwrap();
            let html = fs::read_to_string(folder.join("index.html")).unwrap();
            assert_eq!(
                html,
                format!("{TAG} data-checker=\"{}\" data-tools=\"{}\" data-base=\"./\"></script>", names[0], names[1])
            );
            assert_eq!(fs::read_to_string(folder.join(format!("{}_bg.wasm", names[0]))).unwrap(), wasm);
            assert_eq!(fs::read_to_string(folder.join(format!("{}.js", names[1]))).unwrap(), "2");
            names
        };
        let (first, second) = (built("a"), built("b"));
        assert_ne!(first[0], second[0]);
        assert_eq!(first[1], second[1]);
        assert_eq!(built("a"), first);
        fs::remove_dir_all(&folder).unwrap();
    }
}
