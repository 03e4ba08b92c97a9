//! Takes out of a text what strangers should not read, before it goes into a link: credentials, addresses, names.
//!
//! Nothing here can know every secret, so the page shows the result before it is shared. Lines stay where they are, so
//! that findings point at the same ones.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What stands in place of a value.
const REDACTED: &str = "REDACTED";

/// What to take out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Redact {
    /// Values of Secrets.
    pub secrets: bool,
    /// Values of environment variables.
    pub environment: bool,
    /// Bearer tokens, JWTs, passwords in options and addresses, private keys.
    pub tokens: bool,
    /// IP addresses.
    pub addresses: bool,
    /// Names of hosts.
    pub hosts: bool,
}

impl Default for Redact {
    /// All of it.
    fn default() -> Self {
        Self { secrets: true, environment: true, tokens: true, addresses: true, hosts: true }
    }
}

/// The text without what `redact` names.
#[must_use]
pub fn redact(text: &str, redact: Redact) -> String {
    let mut text = text.to_owned();
    if redact.secrets || redact.environment {
        text = documents(&text).map(|document| values(document, redact)).collect();
    }
    if redact.tokens {
        text = tokens(&text);
    }
    if redact.hosts {
        text = hosts(&text);
    }
    if redact.addresses {
        text = addresses(&text);
    }
    text
}

/// The documents of a text, each with the mark that ends it.
fn documents(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut end = 0;
        for line in rest.split_inclusive('\n') {
            end += line.len();
            if line.trim_end() == "---" {
                break;
            }
        }
        let (document, behind) = rest.split_at_checked(end)?;
        rest = behind;
        Some(document)
    })
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

/// A document without the values of Secrets and of environment variables.
fn values(document: &str, redact: Redact) -> String {
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

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Column, key and value of a line `key: value` or `- key: value`.
fn key_value(line: &str) -> Option<(usize, &str, &str)> {
    let mut start = indent_of(line);
    let mut rest = line.get(start..)?;
    while let Some(item) = rest.strip_prefix("- ") {
        start += rest.len() - item.trim_start().len();
        rest = item.trim_start();
    }
    let (key, value) = rest.split_once(':')?;
    let key = key.trim_end().trim_matches(['"', '\'']);
    (value.is_empty() || value.starts_with([' ', '\t', '\r'])).then(|| (start, key, value.trim()))
}

/// The line with the mark in place of `value`, its end. An empty value and the sign of a longer one stay.
fn redacted_behind(line: &str, value: &str) -> String {
    if value.is_empty() || is_block_sign(value) {
        return line.to_owned();
    }
    let before = line.trim_end().strip_suffix(value).unwrap_or_default();
    format!("{before}{REDACTED}")
}

/// `|` or `>` with its indicators: the value stands on the lines below.
fn is_block_sign(value: &str) -> bool {
    value.strip_prefix(['|', '>']).is_some_and(|rest| {
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-')).trim_start();
        rest.is_empty() || rest.starts_with('#')
    })
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

/// Length of a string behind its opening quotation mark, the closing one included; it must end on its line.
fn string_length(text: &str, quote: &str) -> Option<usize> {
    let line = text.split('\n').next()?;
    if quote == "'" {
        let twice = |at: usize| line.get(at + 1..).is_some_and(|behind| behind.starts_with('\''));
        let mut quotes = line.match_indices('\'').map(|(at, _)| at);
        while let Some(at) = quotes.next() {
            if !twice(at) {
                return Some(at + 1);
            }
            quotes.next();
        }
        return None;
    }
    // Each level of escaping doubles the backslashes and adds one.
    let depth = quote.len() - 1;
    let mut from = 0;
    for (at, _) in line.match_indices('"') {
        let before = line.get(from..at)?;
        let escapes = before.len() - before.trim_end_matches('\\').len();
        if escapes % (2 * (depth + 1)) == depth {
            return Some(at + 1);
        }
        from = at + 1;
    }
    None
}

/// Ends of names of options and keys that hold a credential.
const CREDENTIALS: [&str; 19] = [
    "password",
    "passwd",
    "passphrase",
    "_pass",
    "-pass",
    "_pwd",
    "token",
    "secret",
    "api_key",
    "apikey",
    "api-key",
    "secret_key",
    "secretkey",
    "access_key",
    "accesskey",
    "private_key",
    "privatekey",
    "client-key-data",
    ".dockerconfigjson",
];

/// Starts of tokens whose form tells what they are.
const TOKENS: [&str; 11] =
    ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "xoxa-", "xoxs-"];

/// The shortest word that is taken for a token behind `Bearer`; shorter ones are prose.
const SHORTEST_TOKEN: usize = 16;

/// A text without bearer tokens, JWTs, passwords and private keys.
fn tokens(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut in_key = false;
    let mut is_value = false;
    let mut inside: Option<usize> = None;
    for line in text.split_inclusive('\n') {
        let body = line.trim_end_matches(['\n', '\r']);
        let end = line.get(body.len()..).unwrap_or_default();
        inside = inside.filter(|inside| body.trim().is_empty() || indent_of(body) > *inside);
        if (in_key && !body.contains("-----END")) || (inside.is_some() && !body.trim().is_empty()) {
            shown.push_str(body.get(..indent_of(body)).unwrap_or_default());
            shown.push_str(REDACTED);
        } else if is_value {
            shown += &item_redacted(body);
        } else {
            shown += &tokens_of_line(&without_keys(body));
        }
        in_key = (in_key || body.contains("PRIVATE KEY-----")) && !body.contains("-----END");
        is_value = is_option_alone(body);
        inside = inside.or_else(|| block_of_credential(body));
        shown.push_str(end);
    }
    shown
}

fn is_credential(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    // A path is where a credential lies, not its name.
    !name.starts_with('/') && (lower == "pass" || CREDENTIALS.iter().any(|end| lower.ends_with(end)))
}

/// Whether an item of a list names an option whose value is the next item.
fn is_option_alone(line: &str) -> bool {
    let item = line.trim();
    let option = item.strip_prefix("- ").unwrap_or(item).trim().trim_matches(['"', '\'', ',']);
    option.starts_with("--") && !option.contains([' ', '=']) && is_credential(option)
}

/// An item of a list with the mark in its place.
fn item_redacted(line: &str) -> String {
    let is_around = |c: char| matches!(c, ' ' | '\t' | '"' | '\'' | ',');
    let value = line.trim_start();
    let value = value.strip_prefix("- ").unwrap_or(value).trim_matches(is_around);
    let start = line.len() - line.trim_start_matches(|c| is_around(c) || c == '-').len();
    let before = line.get(..start).unwrap_or_default();
    let behind = line.get(line.trim_end_matches(is_around).len()..).unwrap_or_default();
    if value.is_empty() { line.to_owned() } else { format!("{before}{REDACTED}{behind}") }
}

/// Column of a key of a credential whose value stands on the lines below.
fn block_of_credential(line: &str) -> Option<usize> {
    let (column, key, value) = key_value(line)?;
    (is_credential(key) && is_block_sign(value)).then_some(column)
}

/// A line without the private keys that start on it.
fn without_keys(line: &str) -> String {
    const MARK: &str = "PRIVATE KEY-----";
    let mut shown = String::new();
    let mut rest = line;
    while let Some((before, behind)) = rest.split_once(MARK) {
        shown += before;
        shown += MARK;
        let end = behind.find("-----END").unwrap_or(behind.len());
        let (key, behind) = behind.split_at(end);
        if !key.trim().is_empty() {
            shown += REDACTED;
        }
        // The end of the key bears the same mark.
        rest = behind;
        if let Some((end, other)) = behind.split_once(MARK) {
            shown += end;
            shown += MARK;
            rest = other;
        }
    }
    shown + rest
}

/// What has been read of a line on the way to a name.
#[derive(Default)]
struct Read {
    /// The quotation mark that is open.
    open: Option<char>,
    last: Option<char>,
    /// The last command that takes a password in a short option.
    command: Option<&'static str>,
    bearer: bool,
}

impl Read {
    fn pass(&mut self, text: &str) {
        for c in text.chars() {
            let is_apostrophe = c == '\'' && self.last.is_some_and(char::is_alphanumeric);
            if matches!(c, '"' | '\'') && self.last != Some('\\') {
                self.open = match self.open {
                    None if !is_apostrophe => Some(c),
                    Some(open) if open == c => None,
                    open => open,
                };
            }
            self.last = Some(c);
        }
    }
}

fn tokens_of_line(line: &str) -> String {
    let line = without_user_info(line);
    let is_part =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | '/' | '~' | '$' | '!' | '%');
    let mut shown = String::with_capacity(line.len());
    let mut rest = line.as_str();
    let mut read = Read::default();
    while let Some(start) = rest.find(is_part) {
        let (before, text) = rest.split_at(start);
        shown.push_str(before);
        read.pass(before);
        let (run, behind) = text.split_at(text.find(|c| !is_part(c)).unwrap_or(text.len()));
        let value = option_of_command(&read, run, text).or_else(|| {
            let (start, end) = value_behind(&read, &shown, run, behind)?;
            Some((run.len() + start, run.len() + end))
        });
        if let Some((start, end)) = value {
            let kept = text.get(..start).unwrap_or_default();
            shown.push_str(kept);
            shown.push_str(REDACTED);
            read.pass(kept);
            read.last = Some('D');
            read.bearer = false;
            rest = text.get(end..).unwrap_or_default();
            continue;
        }
        let is_token = is_token(run) || (read.bearer && run.len() >= SHORTEST_TOKEN);
        shown.push_str(if is_token { REDACTED } else { run });
        read.bearer = run.eq_ignore_ascii_case("bearer");
        read.last = run.chars().last();
        let name = run.rsplit('/').next().unwrap_or_default();
        read.command = ["mysql", "mysqldump", "mysqladmin", "mariadb", "sshpass", "curl"]
            .into_iter()
            .find(|command| *command == name)
            .or(read.command.filter(|_| name != "ssh"));
        rest = behind;
    }
    shown + rest
}

/// A JWT, or a token that says by its start what it is.
fn is_token(run: &str) -> bool {
    let of_form = |word: &str| {
        let is_known = TOKENS.iter().any(|start| word.strip_prefix(start).is_some_and(|rest| rest.len() >= 8));
        let is_upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit();
        is_known
            || (word.len() == 20
                && (word.starts_with("AKIA") || word.starts_with("ASIA"))
                && word.chars().all(is_upper))
    };
    (run.starts_with("eyJ") && run.matches('.').count() >= 2)
        || run.split(['/', '.', '+', '~', '$', '!', '%']).any(of_form)
}

/// Where the password in a short option of a command stands: `mysql -pS`, `sshpass -p S`, `curl -u me:S`.
fn option_of_command(read: &Read, run: &str, text: &str) -> Option<(usize, usize)> {
    let command = read.command?;
    let option = match command {
        "curl" if run == "--user" => "--user",
        "curl" => "-u",
        _ => "-p",
    };
    let behind = text.strip_prefix(option)?;
    let value = if command.starts_with('m') { behind } else { behind.trim_start_matches([' ', '=']) };
    let start = text.len() - value.len();
    let end = shell_end(value, read.open);
    (end > 0).then_some((start, start + end))
}

/// Where the value of a credential stands in what follows its name: start and end.
fn value_behind(read: &Read, before: &str, name: &str, behind: &str) -> Option<(usize, usize)> {
    let lower = name.to_ascii_lowercase();
    let is_header = lower.ends_with("authorization");
    let in_query = before.ends_with(['?', '&']);
    let is_signature = in_query && (lower == "sig" || lower.ends_with("signature"));
    let bare = behind.trim_start_matches(['"', '\'', '\\']);
    let is_quoted = bare.len() < behind.len();
    if !(is_credential(name) || is_header || is_signature || (is_quoted && lower == "auth")) {
        return None;
    }
    let sign = bare.trim_start_matches([' ', '\t']);
    let is_option = name.starts_with('-') && !sign.starts_with(['=', ':']);
    let after = if is_option {
        let listed = sign.strip_prefix(',').map(|rest| rest.trim_start_matches([' ', '\t']));
        match listed {
            Some(rest) => Some(rest).filter(|rest| is_quoted && rest.trim_start_matches('\\').starts_with(['"', '\''])),
            None => Some(sign).filter(|sign| sign.len() < bare.len()),
        }?
    } else if let Some(after) = sign.strip_prefix(':') {
        Some(after).filter(|after| is_quoted || after.trim_start_matches('\\').starts_with([' ', '\t', '"', '\'']))?
    } else {
        sign.strip_prefix('=').filter(|after| !after.starts_with('='))?
    };
    let is_key = !is_option && sign.starts_with(':');
    let value = after.trim_start_matches([' ', '\t']);
    let start = behind.len() - value.len();
    if is_header {
        return header(value).map(|(from, to)| (start + from, start + to));
    }
    if is_key && (value.starts_with(['{', '[']) || is_block_sign(value.trim_end())) {
        return None;
    }
    let (from, to) = quoted(value, !is_key).unwrap_or_else(|| {
        let opener = before.trim_end_matches([' ', '\t', '-', '"', '\'', '\\']);
        let end = if in_query {
            value.find(|c: char| c.is_whitespace() || matches!(c, '&' | '#' | '"' | '\''))
        } else if !is_key && read.open.is_some_and(|open| before.ends_with(open)) {
            value.find(|c| Some(c) == read.open)
        } else if !is_key {
            Some(shell_end(value, read.open))
        } else if opener.ends_with(['{', ',']) {
            value.find([',', '}'])
        } else if opener.is_empty() {
            None
        } else {
            value.find(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '"' | '\'' | '}' | '\\'))
        };
        (0, value.get(..end.unwrap_or(value.len())).unwrap_or_default().trim_end().len())
    });
    let found = value.get(from..to)?;
    let says_nothing = found.is_empty() || (is_key && matches!(found, "true" | "false" | "null" | "~" | ","));
    (!says_nothing).then_some((start + from, start + to))
}

/// Where the credential of an `Authorization` header stands behind its scheme.
fn header(value: &str) -> Option<(usize, usize)> {
    let bare = value.trim_start_matches(['"', '\'', '\\']);
    let (scheme, rest) = bare.split_once(' ')?;
    if !["basic", "token", "apikey", "negotiate"].contains(&scheme.to_ascii_lowercase().as_str()) {
        return None;
    }
    let word = rest.trim_start();
    let start = value.len() - word.len();
    let end = word.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\' | ',')).unwrap_or(word.len());
    (end > 0).then_some((start, start + end))
}

/// Where the content of a quoted value stands; to the end of the line if it is not closed there. In a shell, a value
/// whose quotes end in its midst is none.
fn quoted(value: &str, in_shell: bool) -> Option<(usize, usize)> {
    let string = value.trim_start_matches('\\');
    let start = value.len() - string.len() + 1;
    if !string.starts_with(['"', '\'']) {
        return None;
    }
    let quote = value.get(..start)?;
    let content = value.get(start..)?;
    let length = string_length(content, if quote.ends_with('\'') { "'" } else { quote });
    let Some(length) = length else { return Some((start, value.len())) };
    let behind = content.get(length..)?;
    let goes_on =
        in_shell && !behind.is_empty() && !behind.starts_with([' ', '\t', ',', ']', '}', ')', ';', '"', '\'', '\\']);
    let end = start + length - if quote.ends_with('\'') { 1 } else { quote.len() };
    (!goes_on).then_some((start, end))
}

/// Length of a word of a shell: to the blank outside of quotes, or to the quotation mark that is open around it.
fn shell_end(text: &str, open: Option<char>) -> usize {
    let mut quote: Option<char> = None;
    let mut is_escaped = false;
    let mut end = text.len();
    for (at, c) in text.char_indices() {
        if is_escaped {
            is_escaped = false;
        } else if (quote.is_none() && c.is_whitespace()) || Some(c) == open {
            end = at;
            break;
        } else if c == '\\' && quote != Some('\'') {
            is_escaped = true;
        } else if quote == Some(c) {
            quote = None;
        } else if quote.is_none() && matches!(c, '"' | '\'') {
            quote = Some(c);
        }
    }
    text.get(..end).unwrap_or_default().trim_end_matches([',', ']', '}', ')', ';']).len()
}

/// A line without user and password in addresses such as `https://user:password@host`.
fn without_user_info(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, behind)) = rest.split_once("://") {
        shown += before;
        shown += "://";
        let end = behind.find(|c: char| c == '/' || c.is_whitespace()).unwrap_or(behind.len());
        let (authority, _) = behind.split_at(end);
        rest = match authority.rsplit_once('@') {
            Some((user, _)) => {
                shown += REDACTED;
                behind.get(user.len()..).unwrap_or_default()
            }
            None => behind,
        };
    }
    shown + rest
}

/// A text with other addresses: those that are set apart for documents (RFC 5737, RFC 3849), the same one for the same.
fn addresses(text: &str) -> String {
    let mut known: HashMap<IpAddr, usize> = HashMap::new();
    let mut replace = |address: IpAddr| {
        if address.is_loopback() || address.is_unspecified() {
            return None;
        }
        let next = known.len();
        let number = *known.entry(address).or_insert(next);
        Some(match address {
            IpAddr::V4(_) => documentation_v4(number).to_string(),
            IpAddr::V6(_) => Ipv6Addr::from((0x2001_0db8_u128 << 96) + number as u128 + 1).to_string(),
        })
    };
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_');
    let text = runs(text, &is_part, &mut |run, _| {
        let bare = run.trim_end_matches('.');
        let dots = run.get(bare.len()..).unwrap_or_default();
        // `node_10.1.2.3`, but not the version `el8_4.18.0.1`, whose word ends in a number.
        let (word, number) = bare.rsplit_once('_').unwrap_or(("", bare));
        let is_name = word.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
        let address: Ipv4Addr = number.parse().ok().filter(|_| is_name)?;
        let before = bare.get(..bare.len() - number.len())?;
        Some(format!("{before}{}{dots}", replace(address.into())?))
    });
    let mut cards: HashMap<String, usize> = HashMap::new();
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | ':');
    runs(&text, &is_part, &mut |run, _| {
        let bare = run.trim_end_matches(['.', ':']);
        if is_mac(bare) {
            let next = cards.len();
            let number = *cards.entry(bare.to_ascii_lowercase()).or_insert(next);
            // Those that are set apart for documents (RFC 7042); the last one for all that are beyond.
            let last = u8::try_from(number).unwrap_or(u8::MAX);
            return Some(format!("00:00:5e:00:53:{last:02x}{}", run.get(bare.len()..).unwrap_or_default()));
        }
        let address: Ipv6Addr = bare.parse().ok().filter(|_| bare.len() > 2)?;
        Some(replace(address.into())? + run.get(bare.len()..).unwrap_or_default())
    })
}

/// The address of a network card; none that stands for all or for nothing.
fn is_mac(run: &str) -> bool {
    let is_pair = |pair: &str| pair.len() == 2 && pair.chars().all(|c| c.is_ascii_hexdigit());
    let says_something =
        run.chars().any(|c| !matches!(c, '0' | ':')) && run.chars().any(|c| !matches!(c, 'f' | 'F' | ':'));
    run.len() == 17 && says_something && run.split(':').count() == 6 && run.split(':').all(is_pair)
}

/// The address with this number among those for documents; the last one for all that are beyond.
fn documentation_v4(number: usize) -> Ipv4Addr {
    let networks = [[192, 0, 2], [198, 51, 100], [203, 0, 113]];
    let [a, b, c] = networks.get(number / 254).copied().unwrap_or([203, 0, 113]);
    let last = if number / 254 < networks.len() { number % 254 + 1 } else { 255 };
    Ipv4Addr::new(a, b, c, u8::try_from(last).unwrap_or(u8::MAX))
}

/// A text with other names of hosts: the ones that stand where names of hosts stand, wherever else they are repeated.
fn hosts(text: &str) -> String {
    let mut known: HashMap<&str, usize> = HashMap::new();
    for name in host_names(text) {
        let next = known.len() + 1;
        // A plain word may mean something else elsewhere, and be what a verdict hangs on.
        if is_distinctive(name) && !is_public(name) {
            known.entry(name).or_insert(next);
        }
    }
    if known.is_empty() {
        return text.to_owned();
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    runs(text, &is_part, &mut |run, _| {
        let bare = run.trim_end_matches('.');
        if let Some(number) = known.get(bare) {
            return Some(format!("host-{number}{}", run.get(bare.len()..).unwrap_or_default()));
        }
        let (label, domain) = run.split_once('.')?;
        Some(format!("host-{}.{domain}", known.get(label)?))
    })
}

/// Whether a word can only be a name.
fn is_distinctive(name: &str) -> bool {
    let has = |test: fn(char) -> bool| name.contains(test);
    has(|c| c.is_ascii_alphabetic()) && (has(|c| c.is_ascii_digit()) || has(|c| c == '-' || c == '.')) && name.len() > 2
}

/// Ends of names that only hosts inside a network have.
const INTERNAL: [&str; 5] = [".internal", ".local", ".lan", ".corp", ".intra"];

/// Ends of names of hosts on the internet; `io` is not among them, because most names of API groups end in it.
const DOMAINS: [&str; 19] = [
    "com", "net", "org", "edu", "gov", "cloud", "dev", "info", "biz", "eu", "de", "fr", "uk", "nl", "ch", "jp", "cn",
    "kr", "us",
];

/// Domains that everybody uses: registries of images and groups of APIs.
const PUBLIC: [&str; 16] = [
    "k8s.io",
    "kubernetes.io",
    "docker.io",
    "docker.com",
    "quay.io",
    "ghcr.io",
    "gcr.io",
    "pkg.dev",
    "github.com",
    "githubusercontent.com",
    "gitlab.com",
    "microsoft.com",
    "projectcalico.org",
    "coreos.com",
    "kernel.org",
    "redhat.com",
];

fn is_public(name: &str) -> bool {
    PUBLIC.iter().any(|domain| name.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
}

/// Whether a word is a name with three labels or more under a domain of the internet; `1.2.dev` is a version.
fn is_full_name(name: &str) -> bool {
    let is_label = |label: &str| !label.is_empty() && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let mut labels = name.rsplit('.');
    let (Some(last), Some(domain), Some(_)) = (labels.next(), labels.next(), labels.next()) else { return false };
    let has_letter = domain.chars().any(|c| c.is_ascii_alphabetic());
    DOMAINS.contains(&last) && has_letter && name.split('.').all(is_label)
}

/// What stands where names of hosts stand; may hold more than names.
fn host_names(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for document in documents(text) {
        let is_node = document.lines().any(|line| matches!(key_value(line), Some((_, "kind", "Node"))));
        for line in document.lines() {
            names.extend(node_of_table(line));
            names.extend(host_of_log(line));
            names.extend(line.strip_prefix("Linux ").and_then(|rest| rest.split(' ').next()));
            if let Some((column, key, value)) = key_value(line.trim_end_matches(',')) {
                let is_name = matches!(key, "nodeName" | "hostname" | "kubernetes.io/hostname" | "Node");
                if is_name || (is_node && key == "name" && column <= 4) {
                    let value = value.trim_matches(['"', '\'']);
                    // `kubectl describe pod` writes the address behind the name.
                    names.extend(value.split('/').next());
                }
            }
            for word in line.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '@' | '/' | ':'))) {
                names.extend(word.split_once('@').map(|(_, host)| until_sign(host)));
                names.extend(word.split_once("://").map(|(_, host)| until_sign(host)));
                let bare = until_sign(word);
                // A group of an API or a key of an annotation has a slash behind it, as the image of a registry has.
                let is_host = is_full_name(bare) && !word.contains('/');
                if is_host || INTERNAL.iter().any(|end| bare.ends_with(end)) {
                    names.push(bare);
                }
            }
        }
    }
    names
}

fn until_sign(word: &str) -> &str {
    word.split(['/', ':', '@']).next().unwrap_or_default().trim_end_matches('.')
}

/// The node of a row of `kubectl get nodes`.
fn node_of_table(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let (name, status) = (words.next()?, words.next()?);
    ["Ready", "NotReady", "Unknown"].contains(&status.split(',').next()?).then_some(name)
}

/// The host of a line of syslog or journal: `Nov 30 02:41:13 HOST kubelet[123]: …`, or with the time as in ISO 8601.
fn host_of_log(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let (first, second, third) = (words.next()?, words.next()?, words.next()?);
    if is_iso_time(first) {
        return third.contains(['[', ':']).then_some(second);
    }
    let (day, time, host, source) = (second, third, words.next()?, words.next()?);
    let is_time = time.len() >= 8 && time.matches(':').count() == 2;
    (day.parse::<u8>().is_ok() && is_time && source.contains(['[', ':'])).then_some(host)
}

/// `2026-11-30T04:19:56+00:00`.
fn is_iso_time(word: &str) -> bool {
    word.split_once('T').is_some_and(|(date, time)| {
        let is_date = date.len() == 10 && date.split('-').all(|part| part.parse::<u16>().is_ok());
        is_date && time.len() >= 8 && time.starts_with(|c: char| c.is_ascii_digit()) && time.contains(':')
    })
}

/// The text with some of its runs replaced: the longest stretches of characters that are a part. `replace` is given each
/// run and what stands behind it. Behind pointers, because a copy for each use would make the Wasm larger.
fn runs(text: &str, is_part: &dyn Fn(char) -> bool, replace: &mut dyn FnMut(&str, &str) -> Option<String>) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        let (before, run) = rest.split_at(start);
        let end = run.find(|c| !is_part(c)).unwrap_or(run.len());
        let (run, behind) = run.split_at(end);
        shown.push_str(before);
        match replace(run, behind) {
            Some(other) => shown += &other,
            None => shown.push_str(run),
        }
        rest = behind;
    }
    shown + rest
}

// The generator of cases is not made for the browser.
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use proptest::prelude::*;
    use rules::Input;
    use rules::settings::Settings;

    use super::{Redact, redact};
    use crate::examples::EXAMPLES;

    fn all(text: &str) -> String {
        redact(text, Redact::default())
    }

    /// What fired, and where.
    fn findings(text: &str) -> Vec<(String, Option<usize>)> {
        let report = rules::check(&[Input::new("stdin", text)], &Settings::default());
        let line = |finding: &rules::report::Finding| Some(finding.evidence.first()?.place.span?.line);
        report.findings.iter().map(|finding| (finding.rule.to_string(), line(finding))).collect()
    }

    #[test]
    fn the_report_about_every_example_stays_the_same() {
        for example in EXAMPLES {
            let redacted = all(example.text);
            assert_eq!(findings(&redacted), findings(example.text), "{}:\n{redacted}", example.address());
            assert_eq!(all(&redacted), redacted, "{}: a second time", example.address());
        }
    }

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

    #[test]
    fn credentials_go() {
        let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln";
        for (text, shown) in [
            (format!("Authorization: Bearer {jwt}"), "Authorization: Bearer REDACTED"),
            ("authorization: bearer 0123456789abcdef0123".into(), "authorization: bearer REDACTED"),
            (format!("seen {jwt}, twice"), "seen REDACTED, twice"),
            ("--bootstrap-token=abcdef.0123456789abcdef x".into(), "--bootstrap-token=REDACTED x"),
            ("kubeadm join --token abcdef.0123 x".into(), "kubeadm join --token REDACTED x"),
            ("  token: \"hunter2\"".into(), "  token: \"REDACTED\""),
            ("curl https://me:hunter2@example.com/x".into(), "curl https://REDACTED@example.com/x"),
            ("password: 'p@ss S'".into(), "password: 'REDACTED'"),
            ("password: 'it''s S' # x".into(), "password: 'REDACTED' # x"),
            ("password: \"a@b#c(S)\"".into(), "password: \"REDACTED\""),
            ("password: two S".into(), "password: REDACTED"),
            ("{password: two S, a: b}".into(), "{password: REDACTED, a: b}"),
            ("export DB_PASSWORD=\"two S\" x".into(), "export DB_PASSWORD=\"REDACTED\" x"),
            ("DB_PASSWORD=a\"two S\"b x".into(), "DB_PASSWORD=REDACTED x"),
            (r#"{"password": "a\"S"}"#.into(), r#"{"password": "REDACTED"}"#),
            (r#"{"x": "{\"password\":\"a\\\"S\"}"}"#.into(), r#"{"x": "{\"password\":\"REDACTED\"}"}"#),
            (r#"{"password" : "S"}"#.into(), r#"{"password" : "REDACTED"}"#),
            (r#"args: ["--password", "S", "x"]"#.into(), r#"args: ["--password", "REDACTED", "x"]"#),
            (r#"args: ["--password=two S", "x"]"#.into(), r#"args: ["--password=REDACTED", "x"]"#),
            ("- --password\n- S\n- x".into(), "- --password\n- REDACTED\n- x"),
            ("password: |\n  S\nx: y".into(), "password: |\n  REDACTED\nx: y"),
            ("Authorization: Basic bWU6Uw==".into(), "Authorization: Basic REDACTED"),
            ("curl -H 'authorization: token S' x".into(), "curl -H 'authorization: token REDACTED' x"),
            ("secret: S".into(), "secret: REDACTED"),
            ("clientSecret: S".into(), "clientSecret: REDACTED"),
            ("client_secret: S".into(), "client_secret: REDACTED"),
            ("secretKey: S".into(), "secretKey: REDACTED"),
            ("accessKey: S".into(), "accessKey: REDACTED"),
            ("private_key: S".into(), "private_key: REDACTED"),
            ("passphrase: S".into(), "passphrase: REDACTED"),
            ("DB_PASS=S x".into(), "DB_PASS=REDACTED x"),
            ("DB_PWD=S".into(), "DB_PWD=REDACTED"),
            ("  .dockerconfigjson: Uw==".into(), "  .dockerconfigjson: REDACTED"),
            (r#"{"auth":"S"}"#.into(), r#"{"auth":"REDACTED"}"#),
            ("x ghp_0123456789abcdef gho_0123456789".into(), "x REDACTED REDACTED"),
            ("github_pat_0123456789 glpat-0123456789".into(), "REDACTED REDACTED"),
            ("xoxb-0123456789 xoxp-0123456789".into(), "REDACTED REDACTED"),
            ("AKIAIOSFODNN7EXAMPLE AKIA".into(), "REDACTED AKIA"),
            ("GET /x?sig=S%3D&se=1&sig=T y".into(), "GET /x?sig=REDACTED&se=1&sig=REDACTED y"),
            ("mysql -u root -pS db".into(), "mysql -u root -pREDACTED db"),
            ("sshpass -p S ssh -p 22 x".into(), "sshpass -p REDACTED ssh -p 22 x"),
            ("curl -u me:S x".into(), "curl -u REDACTED x"),
            (
                r#""-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n", x"#.into(),
                r#""-----BEGIN PRIVATE KEY-----REDACTED-----END PRIVATE KEY-----\n", x"#,
            ),
            ("automountServiceAccountToken: false".into(), "automountServiceAccountToken: false"),
            ("secret: {secretName: x}".into(), "secret: {secretName: x}"),
            ("/run/token: not found".into(), "/run/token: not found"),
            ("Bearer token is missing".into(), "Bearer token is missing"),
        ] {
            let only = Redact { hosts: false, ..Redact::default() };
            assert_eq!(redact(&text, only), shown);
        }
        let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nAAAA\n-----END RSA PRIVATE KEY-----\nafter\n";
        assert_eq!(all(key), key.replace("MIIE", "REDACTED").replace("AAAA", "REDACTED"));
    }

    #[test]
    fn addresses_become_those_for_documents_and_versions_stay() {
        assert_eq!(
            all("10.1.2.3:10250 10.1.2.4-10.1.2.3. [fe80::1]:80 127.0.0.1 ::1 0.0.0.0"),
            "192.0.2.1:10250 192.0.2.2-192.0.2.1. [2001:db8::3]:80 127.0.0.1 ::1 0.0.0.0"
        );
        assert_eq!(
            all("node_10.1.2.3 00:1a:2b:3c:4d:5e 00:1a:2b:3c:4d:5f 00:1A:2B:3C:4D:5E"),
            "node_192.0.2.1 00:00:5e:00:53:00 00:00:5e:00:53:01 00:00:5e:00:53:00"
        );
        for text in [
            "4.18.0-305.25.1.el8_4.x86_64",
            "v1.27.1",
            "12:34:56.789",
            "std::fmt",
            "ff:ff:ff:ff:ff:ff",
            "1.2.3",
            "el8_4.18.0.1",
        ] {
            assert_eq!(all(text), text);
        }
    }

    #[test]
    fn names_of_hosts_go_wherever_they_are_repeated() {
        let text = "[root@node-7 ~]# uname -a\nLinux node-7 5.4.0\nNov 30 02:41:13 node-7.shop kubelet[1]: node-7 is up\n  nodeName: ip-10-0-0-1.ec2.internal\n";
        assert_eq!(
            all(text),
            "[root@host-1 ~]# uname -a\nLinux host-1 5.4.0\nNov 30 02:41:13 host-2 kubelet[1]: host-1 is up\n  nodeName: host-3\n"
        );
        assert_eq!(redact(text, Redact { hosts: false, ..Redact::default() }), text);
        assert_eq!(
            all("2026-11-30T04:19:56+00:00 prod-node-7 kernel: x\ndial db7.corp.example.com:5432, prod-node-7"),
            "2026-11-30T04:19:56+00:00 host-1 kernel: x\ndial host-2:5432, host-1"
        );
        for kept in [
            "image: registry.k8s.io/pause:3.9",
            "pull https://registry.k8s.io/v2/ failed",
            "docker.io/library/nginx quay.io/a/b ghcr.io/a/b",
            "apiVersion: rbac.authorization.k8s.io/v1",
            "apiVersion: monitoring.coreos.com/v1",
            "node.alpha.kubernetes.io/ttl: \"0\"",
            "3.10.0-862.14.4.el7.x86_64 libc.so.6 a.tar.gz config.h.in 1.2.dev",
        ] {
            assert_eq!(all(kept), kept);
        }
        let nodes =
            "NAME     STATUS   ROLES    AGE   VERSION\nworker1  Ready    <none>   1d    v1.27.1\n\nworker1 again";
        assert_eq!(all(nodes), nodes.replace("worker1", "host-1"));
    }

    proptest! {
        #[test]
        fn lines_stay_and_nothing_panics(text in "([a-z{}\\[\\]\":, \\\\\n-]|kind: Secret|data:|env:|value:|\\PC){0,80}") {
            let shown = all(&text);
            prop_assert_eq!(shown.matches('\n').count(), text.matches('\n').count());
        }

        #[test]
        fn a_password_survives_nowhere(password in "[A-Za-z][A-Za-z0-9]{15,30}") {
            for form in [
                "kind: Secret\ndata:\n  p: PASSWORD\n",
                "kind: Secret\nstringData: {p: PASSWORD}\n",
                "{\"data\":{\"p\":\"PASSWORD\"},\"kind\":\"Secret\"}",
                "apiVersion: v1\nitems:\n- apiVersion: v1\n  data:\n    p: PASSWORD\n  kind: Secret\nkind: List\n",
                "env:\n- name: P\n  value: PASSWORD\n",
                "env: [{name: P, value: PASSWORD}]",
                "\"env\": [\n  {\n    \"name\": \"P\",\n    \"value\": \"PASSWORD\"\n  }\n]",
                "password: PASSWORD", "--password=PASSWORD", "Bearer PASSWORD", "redis://:PASSWORD@cache:6379/0",
            ] {
                let shown = all(&form.replace("PASSWORD", &password));
                prop_assert!(!shown.contains(&password), "{}", shown);
            }
        }
    }
}
