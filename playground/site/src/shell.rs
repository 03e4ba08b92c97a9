//! What the rule pages take over from the built `index.html`: it alone knows the hashed name of the stylesheet.

/// Parts of `index.html`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Shell {
    /// Name of the stylesheet.
    pub(crate) style: String,
    /// The tag of the icon.
    pub(crate) icon: String,
    /// The drawing beside the name.
    pub(crate) mark: String,
}

impl Shell {
    /// # Errors
    /// What is missing.
    pub(crate) fn of(index: &str) -> Result<Self, String> {
        let find = |what: &str, start: &str, end: &str| {
            let from = index.find(start).and_then(|at| index.get(at..));
            let found = from.and_then(|rest| rest.get(..rest.find(end)? + end.len()));
            found.map(str::to_owned).ok_or_else(|| format!("index.html has no {what}"))
        };
        let style = find("stylesheet", "<link rel=\"stylesheet\"", ".css\"")?;
        let style = style.rsplit_once("href=\"").map_or("", |(_, href)| href);
        Ok(Self {
            style: style.trim_start_matches("./").trim_end_matches('"').to_owned(),
            icon: find("icon", "<link rel=\"icon\"", "\">")?,
            mark: find("drawing", "<svg viewBox", "</svg>")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Shell;

    #[test]
    fn the_parts_are_found_as_trunk_leaves_them() {
        let index = r#"<link rel="icon" href="data:image/svg+xml,x">
            <link rel="stylesheet" href="./app-0123456789abcdef.css"/>
            <h1><svg viewBox="0 0 16 16"><path d="M8"/></svg> noderisk</h1>"#;
        let shell = Shell::of(index).unwrap();
        assert_eq!(shell.style, "app-0123456789abcdef.css");
        assert_eq!(shell.icon, r#"<link rel="icon" href="data:image/svg+xml,x">"#);
        assert_eq!(shell.mark, r#"<svg viewBox="0 0 16 16"><path d="M8"/></svg>"#);
        assert_eq!(Shell::of("<html>"), Err("index.html has no stylesheet".to_owned()));
    }
}
