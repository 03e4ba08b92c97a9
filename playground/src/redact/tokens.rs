//! Tokens, passwords, private keys, and whose account they are for.

use super::{REDACTED, indent_of, is_block_sign, key_value, string_length};

/// A text without bearer tokens, JWTs, passwords and private keys.
pub(super) fn tokens(text: &str) -> String {
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

/// Column of a key of a credential whose value stands on the lines below, or goes on there.
fn block_of_credential(line: &str) -> Option<usize> {
    let (column, key, value) = key_value(line)?;
    let is_open = |quote| value.strip_prefix(quote).is_some_and(|string| string_length(string, quote).is_none());
    (is_credential(key) && (is_block_sign(value) || is_open("\"") || is_open("'"))).then_some(column)
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
    let line = without_accounts(&without_webhooks(&without_user_info(line)));
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
    let word = rest.trim_start();
    let start = value.len() - word.len();
    let end = match scheme.to_ascii_lowercase().as_str() {
        "basic" | "token" | "apikey" | "negotiate" => {
            word.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\' | ',')).unwrap_or(word.len())
        }
        // A list of quoted parameters.
        "digest" => word.trim_end_matches([' ', '"', '\'', ',']).len(),
        _ => return None,
    };
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

/// A line without what lets anybody write to a channel: the end of the address of a webhook.
fn without_webhooks(line: &str) -> String {
    /// Addresses up to where the secret begins.
    const WEBHOOKS: [&str; 5] = [
        "hooks.slack.com/services/",
        "hooks.slack.com/workflows/",
        "discord.com/api/webhooks/",
        "webhook.office.com/webhookb2/",
        "api.telegram.org/bot",
    ];
    WEBHOOKS.iter().fold(line.to_owned(), |line, webhook| {
        let mut pieces = line.split(webhook);
        let mut shown = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let end = piece.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\')).unwrap_or(piece.len());
            shown += webhook;
            shown += if end > 0 { REDACTED } else { "" };
            shown += piece.get(end..).unwrap_or_default();
        }
        shown
    })
}

/// A line without the number of an account of AWS, as ARNs and names of registries hold it.
fn without_accounts(line: &str) -> String {
    const ARN: &str = "arn:aws";
    const REGISTRY: &str = ".dkr.ecr.";
    /// As many digits as an account has, none of anybody.
    const NOBODY: &str = "000000000000";
    let is_account = |word: &str| word.len() == NOBODY.len() && word.chars().all(|c| c.is_ascii_digit());
    let mut pieces = line.split(ARN);
    let mut shown = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        // The rest of the partition, the service, the region, the account, and what it owns.
        let mut parts: Vec<&str> = piece.splitn(5, ':').collect();
        if let Some(account) = parts.get_mut(3).filter(|account| is_account(account)) {
            *account = NOBODY;
        }
        shown += ARN;
        shown += &parts.join(":");
    }
    let mut rest = shown.as_str();
    let mut known = String::with_capacity(shown.len());
    while let Some((before, behind)) = rest.split_once(REGISTRY) {
        let around = before.trim_end_matches(|c: char| c.is_ascii_digit());
        let account = before.get(around.len()..).unwrap_or_default();
        known += around;
        known += if is_account(account) { NOBODY } else { account };
        known += REGISTRY;
        rest = behind;
    }
    known + rest
}

#[cfg(test)]
mod tests {
    use crate::redact::{Redact, all, redact};

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
            ("Authorization: Digest username=\"me\", response=\"S\"".into(), "Authorization: Digest REDACTED\""),
            ("password: \"two\n  S\"\nx: y".into(), "password: \"REDACTED\n  REDACTED\nx: y"),
            ("password: 'two\n  S'\nx: y".into(), "password: 'REDACTED\n  REDACTED\nx: y"),
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
            (
                "curl 'https://hooks.slack.com/services/T0/B0/X0' x".into(),
                "curl 'https://hooks.slack.com/services/REDACTED' x",
            ),
            ("arn:aws:iam::210987654321:role/a:b".into(), "arn:aws:iam::000000000000:role/a:b"),
            (
                "arn:aws-cn:eks:cn-1:210987654321:x arn:aws:s3:::y".into(),
                "arn:aws-cn:eks:cn-1:000000000000:x arn:aws:s3:::y",
            ),
            (
                "pull 210987654321.dkr.ecr.eu-west-1.amazonaws.com/a 210987654321".into(),
                "pull 000000000000.dkr.ecr.eu-west-1.amazonaws.com/a 210987654321",
            ),
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
            assert_eq!(redact(&[&text], only).concat(), shown);
        }
        let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nAAAA\n-----END RSA PRIVATE KEY-----\nafter\n";
        assert_eq!(all(key), key.replace("MIIE", "REDACTED").replace("AAAA", "REDACTED"));
    }
}
