//! Values of Secrets and of environment variables, in YAML, JSON and the output of `kubectl describe`.

use super::{REDACTED, Redact, indent_of, is_block_sign, key_value, string_length};

/// A document without the values of Secrets and of environment variables.
pub(super) fn values(document: &str, redact: Redact) -> String {
    // An object in an annotation or in a list counts as well, so that every mention makes the document a secret one.
    let is_secret = redact.secrets && document.split(['\n', ',', '{']).any(is_kind_secret);
    let part = |key: &str| match key {
        "data" | "stringData" if is_secret => Some(Part::Secret),
        "env" if redact.environment => Some(Part::Environment),
        "Environment" if redact.environment => Some(Part::Described),
        _ => None,
    };
    let mut shown = String::with_capacity(document.len());
    let mut block: Option<Block> = None;
    for line in json_values(document, &part).split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        block = block.filter(|block| block.goes_on(line));
        match &mut block {
            Some(block) => shown += &block.line(line),
            None => {
                block = Block::start(line, &part);
                shown += &block.as_ref().map_or_else(|| line.to_owned(), |block| block.first(line));
            }
        }
        shown += end;
    }
    shown
}

/// Where values start and which of them to take out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// `data` and `stringData` of a Secret: all values.
    Secret,
    /// `env` of a container: what stands under `value`.
    Environment,
    /// `Environment` in the output of `kubectl describe`: all values.
    Described,
}

/// `kind: Secret` or `SecretList`, as YAML or JSON, escaped or not, with or without a tag or an anchor.
fn is_kind_secret(text: &str) -> bool {
    let bare: String = text.chars().filter(|c| !matches!(c, '"' | '\'' | '\\')).collect();
    let Some((key, value)) = bare.split_once(':') else { return false };
    let kind = value.split_whitespace().find(|word| !word.starts_with(['!', '&'])).unwrap_or_default();
    let name = kind.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    key.trim_matches([' ', '\t', '-', '?', '}']) == "kind" && ["Secret", "SecretList"].contains(&name)
}

/// A YAML mapping, or list of them, whose values are taken out.
struct Block {
    part: Part,
    /// Indentation of the key above it.
    indent: usize,
    /// Indentation of what is being taken out as a whole: lines deeper than this.
    inside: Option<usize>,
}

impl Block {
    /// The block that starts below this line; none where flow style starts, which has been seen to.
    fn start(line: &str, part: &dyn Fn(&str) -> Option<Part>) -> Option<Self> {
        let (indent, key, value) = key_value(line)?;
        if value.starts_with(['{', '[']) {
            return None;
        }
        Some(Self { part: part(key)?, indent, inside: None })
    }

    /// The line that starts it; it may hold a value in flow style.
    fn first(&self, line: &str) -> String {
        match key_value(line) {
            Some((_, _, value)) if !value.is_empty() && !value.starts_with('#') => match self.part {
                // The output of `kubectl describe` says `<none>` here.
                Part::Environment | Part::Described => line.to_owned(),
                Part::Secret => redacted_behind(line, value),
            },
            _ => line.to_owned(),
        }
    }

    /// Whether a line belongs to it.
    fn goes_on(&self, line: &str) -> bool {
        let item = self.part == Part::Environment && line.trim_start().starts_with("- ");
        line.trim().is_empty() || indent_of(line) > self.indent || (item && indent_of(line) == self.indent)
    }

    /// A line of it without its value.
    fn line(&mut self, line: &str) -> String {
        let indent = indent_of(line);
        if line.trim().is_empty() {
            return line.to_owned();
        }
        if self.inside.is_some_and(|inside| indent > inside) {
            return format!("{}{REDACTED}", line.get(..indent).unwrap_or_default());
        }
        self.inside = None;
        match (self.part, key_value(line)) {
            (Part::Environment, _) if line.contains('{') => flow(line),
            (Part::Environment, Some((column, "value", value))) => {
                self.inside = Some(column);
                redacted_behind(line, value)
            }
            (Part::Environment, _) => line.to_owned(),
            (_, Some((column, _, value))) => {
                self.inside = Some(column);
                redacted_behind(line, value)
            }
            (_, None) => format!("{}{REDACTED}", line.get(..indent).unwrap_or_default()),
        }
    }
}

/// The line with the mark in place of `value`, its end. An empty value and the sign of a longer one stay.
fn redacted_behind(line: &str, value: &str) -> String {
    if value.is_empty() || is_block_sign(value) {
        return line.to_owned();
    }
    let before = line.trim_end().strip_suffix(value).unwrap_or_default();
    format!("{before}{REDACTED}")
}

/// A line in flow style, `{name: a, value: b}`, without what stands behind `value:`.
fn flow(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("value:") {
        let (before, behind) = rest.split_at(at + "value:".len());
        let value = behind.trim_start();
        let end = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                value.get(1..).and_then(|inner| inner.find(quote)).map_or(value.len(), |end| end + 2)
            }
            _ => value.find([',', '}', ']']).unwrap_or(value.len()),
        };
        shown.push_str(before);
        shown.push(' ');
        shown.push_str(REDACTED);
        rest = value.get(end..).unwrap_or_default();
    }
    shown + rest
}

/// A document without values in JSON or in YAML's flow style; JSON may itself stand escaped in a string.
fn json_values(document: &str, part: &dyn Fn(&str) -> Option<Part>) -> String {
    let mut shown = String::with_capacity(document.len());
    let mut rest = document;
    // The brackets open in the part that is being taken out.
    let mut within: Option<(Part, usize)> = None;
    let mut key = "";
    let mut string_before = "";
    let mut is_value = false;
    while let Some(at) = rest.find(['"', '{', '[', '}', ']', ':', ',']) {
        let (before, found) = rest.split_at(at);
        let takes = is_value && within.is_some_and(|(part, _)| part != Part::Environment || key == "value");
        if takes
            && before.trim_start().starts_with('\'')
            && let Some(length) = single_quoted(before, rest)
        {
            let start = indent_of(before);
            shown.push_str(before.get(..start).unwrap_or_default());
            shown += &format!("'{REDACTED}'");
            rest = rest.get(start + length..).unwrap_or_default();
            continue;
        }
        let escapes = before.len() - before.trim_end_matches('\\').len();
        if let Some(behind) = found.strip_prefix('"') {
            let Some(quote) = rest.get(at - escapes..=at) else { break };
            let Some(length) = string_length(behind, quote) else {
                shown.push_str(before);
                shown.push('"');
                rest = behind;
                continue;
            };
            let (string, behind) = behind.split_at(length);
            let content = string.strip_suffix(quote).unwrap_or(string);
            shown.push_str(before);
            shown.push('"');
            if takes {
                shown.push_str(REDACTED);
                shown.push_str(quote);
            } else {
                shown.push_str(string);
            }
            if !is_value {
                key = content;
            }
            string_before = content;
            rest = behind;
            // Escaped text in a string is looked through as well.
            if within.is_none() && escapes == 0 && content.contains("\\\"") {
                let inner = json_values(content, part);
                shown.truncate(shown.len() - string.len());
                shown.push_str(&inner);
                shown.push_str(quote);
            }
            continue;
        }
        let (sign, behind) = found.split_at(1);
        let word = before.rsplit('\n').next().unwrap_or_default().trim().trim_start_matches("- ");
        match (sign, &mut within) {
            (":", _) => {
                if within.is_none() || !is_value {
                    key = if word.is_empty() { string_before } else { word };
                }
                is_value = true;
            }
            (",", _) => is_value = false,
            ("{" | "[", Some((_, depth))) => {
                *depth += 1;
                is_value = false;
            }
            ("{" | "[", None) => {
                within = part(key).filter(|_| is_value).map(|part| (part, 1));
                is_value = false;
            }
            (_, Some((_, depth))) => {
                *depth -= 1;
                if *depth == 0 {
                    within = None;
                }
                is_value = false;
            }
            _ => is_value = false,
        }
        if takes {
            shown += &bare_redacted(before);
        } else {
            shown.push_str(before);
        }
        shown.push_str(sign);
        rest = behind;
    }
    shown + rest
}

/// Length of the string in single quotation marks that starts where `before`, the start of `rest`, is not blank.
fn single_quoted(before: &str, rest: &str) -> Option<usize> {
    let string = rest.get(indent_of(before) + 1..)?;
    string_length(string, "'").map(|length| length + 1)
}

/// Bare values with the mark in their place; blanks and escaped line breaks stay.
fn bare_redacted(text: &str) -> String {
    let is_blank = |line: &str| {
        let line = ["\\n", "\\r", "\\t"].iter().fold(line.to_owned(), |line, escape| line.replace(escape, ""));
        line.chars().all(|c| c.is_whitespace() || c == '\\')
    };
    let line = |line: &str| {
        let behind = line.get(line.trim_end().len()..).unwrap_or_default();
        let before = line.get(..indent_of(line)).unwrap_or_default();
        if is_blank(line) { line.to_owned() } else { format!("{before}{REDACTED}{behind}") }
    };
    text.split_inclusive('\n').map(line).collect()
}

#[cfg(test)]
mod tests {
    use crate::redact::all;

    #[test]
    fn values_of_secrets_go_in_every_form_and_keys_stay() {
        let yaml = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  password: aHVudGVyMg==\n  key: |\n    hunter2\n    more\ntype: Opaque\n";
        assert_eq!(
            all(yaml),
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  password: REDACTED\n  key: |\n    REDACTED\n    REDACTED\ntype: Opaque\n"
        );
        let json = "{\"kind\": \"Secret\", \"data\": {\"a\": \"hunter2\"}, \"type\": \"Opaque\"}";
        assert_eq!(all(json), json.replace("hunter2", "REDACTED"));
        let applied = "kind: Secret\nmetadata:\n  annotations:\n    x: |\n      {\"data\":{\"a\":\"hunter2\"},\"kind\":\"Secret\"}\n";
        assert_eq!(all(applied), applied.replace("hunter2", "REDACTED"));
        let escaped =
            r#"{"kind": "Secret", "x": "{\"stringData\":{\"a\":\"hun}ter2\"},\"kind\":\"Secret\"}", "y": "z"}"#;
        assert_eq!(all(escaped), escaped.replace("hun}ter2", "REDACTED"));
        for (text, shown) in [
            ("{kind: Secret, stringData: {a: S}}", "{kind: Secret, stringData: {a: REDACTED}}"),
            (
                "{kind: Secret, stringData: {a: 'S, T: U', b: V:W}}",
                "{kind: Secret, stringData: {a: 'REDACTED', b: REDACTED:REDACTED}}",
            ),
            (
                "{\n  kind: Secret,\n  data: {\n    a: S,\n    b: T\n  }\n}",
                "{\n  kind: Secret,\n  data: {\n    a: REDACTED,\n    b: REDACTED\n  }\n}",
            ),
            ("kind: Secret # mine\nstringData:\n  a: S", "kind: Secret # mine\nstringData:\n  a: REDACTED"),
            ("kind:\tSecret\nstringData:\n  a: S", "kind:\tSecret\nstringData:\n  a: REDACTED"),
            ("kind: !!str Secret\nstringData:\n  a: S", "kind: !!str Secret\nstringData:\n  a: REDACTED"),
            ("kind: \"Secret\"\nstringData:\n  a: S", "kind: \"Secret\"\nstringData:\n  a: REDACTED"),
            (
                r#"{"x": "{\"data\":{\n \"a\":\"S\\\"T\"\n},\"kind\":\"Secret\"}\n"}"#,
                r#"{"x": "{\"data\":{\n \"a\":\"REDACTED\"\n},\"kind\":\"Secret\"}\n"}"#,
            ),
        ] {
            assert_eq!(all(text), shown);
        }
        let other = "kind: ConfigMap\ndata:\n  a: b\n---\n";
        assert_eq!(all(&format!("{other}{yaml}")), format!("{other}{}", all(yaml)), "a ConfigMap beside it stays");
    }

    #[test]
    fn values_of_environment_variables_go_and_their_names_stay() {
        let yaml = "    env:\n    - name: A\n      value: hunter2\n    - name: B\n      valueFrom: {secretKeyRef: {name: s, key: k}}\n    - {name: C, value: \"hun,ter2\"}\n    - name: D\n      value: |\n        hunter2\n    image: nginx\n";
        let shown = all(yaml);
        assert!(!shown.contains("hun"), "{shown}");
        for kept in ["name: A", "secretKeyRef", "name: C, value: REDACTED}", "name: D", "    image: nginx"] {
            assert!(shown.contains(kept), "{kept} in {shown}");
        }
        let json = "{\"env\": [{\"name\": \"A\", \"value\": \"hunter2\"}], \"tolerations\": [{\"value\": \"x\"}]}";
        assert_eq!(all(json), json.replace("hunter2", "REDACTED"));
        let described = "    Environment:\n      PASSWORD:  hunter2\n    Mounts:\n      /a from b\n";
        assert_eq!(all(described), described.replace("hunter2", "REDACTED"));
    }
}
