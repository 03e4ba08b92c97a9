//! Names of hosts.

use std::collections::HashMap;
use std::net::IpAddr;

use super::{REDACTED, documents, indent_of, key_value, runs};

/// A text with other names of hosts: the ones that stand where names of hosts stand, wherever else they are repeated.
pub(super) fn hosts(text: &str) -> String {
    let known = numbered(&host_names(text));
    if known.is_empty() {
        return text.to_owned();
    }
    let shown = runs(text, &is_part, &mut |before, run| {
        let bare = run.trim_end_matches('.');
        if let Some(number) = known.get(bare) {
            // A plain word may mean something else elsewhere, and be what a verdict hangs on.
            if !is_distinctive(bare) && !is_place_of_host(text, before, bare) {
                return None;
            }
            return Some(format!("host-{number}{}", run.get(bare.len()..).unwrap_or_default()));
        }
        let (label, domain) = run.split_once('.')?;
        Some(format!("host-{}.{domain}", known.get(label)?))
    });
    without_users(&shown)
}

/// Each name of a host with its number. A short name has that of the first full name that begins with it: one machine must
/// not become two.
fn numbered<'a>(names: &[&'a str]) -> HashMap<&'a str, usize> {
    let names = || names.iter().copied().filter(|name| is_name(name) && !is_public(name));
    let mut full: HashMap<&str, &str> = HashMap::new();
    for name in names() {
        if let Some((label, _)) = name.split_once('.') {
            full.entry(label).or_insert(name);
        }
    }
    let mut known = HashMap::new();
    let mut count = 0;
    for name in names() {
        let name = full.get(name).copied().unwrap_or(name);
        known.entry(name).or_insert_with(|| {
            count += 1;
            count
        });
    }
    for name in names() {
        if let Some(number) = full.get(name).and_then(|full| known.get(full)).copied() {
            known.insert(name, number);
        }
    }
    known
}

/// A text whose hosts have other names already, without the users before them; everybody has the user `root`.
fn without_users(text: &str) -> String {
    /// What stands between a user and the other name of a host.
    const AT: &str = "@host-";
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(AT) {
        let around = before.trim_end_matches(is_part);
        let mut user = before.get(around.len()..).unwrap_or_default();
        // The end of a colour, as in `ESC[01;32mroot@`, is not part of the name.
        if around.ends_with(['[', ';'])
            && let Some((colour, name)) = user.split_once('m')
            && colour.chars().all(|c| c.is_ascii_digit())
        {
            user = name;
        }
        shown.push_str(before.strip_suffix(user).unwrap_or_default());
        shown.push_str(if user.is_empty() || [REDACTED, "root"].contains(&user) { user } else { "user" });
        shown.push_str(AT);
        rest = behind;
    }
    shown + rest
}

/// Whether a character may be a part of the name of a host.
fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '-')
}

/// Whether a word that stands where names of hosts stand is one.
fn is_name(word: &str) -> bool {
    let is_other = ["localhost", "sha256", "sha512"].contains(&word) || word.ends_with(".service");
    word.contains(|c: char| c.is_ascii_alphabetic()) && !is_other
}

/// Whether what stands behind `before` in `text` is the name of a host there.
fn is_place_of_host(text: &str, before: &str, name: &str) -> bool {
    /// Times and dates before the host in a log, or columns before the node of a pod, in bytes.
    const START: usize = 128;
    /// What only the name of a host or of a cluster stands behind.
    const SIGNS: [&str; 6] = ["@", "ssh ", "Node/", "Linux ", "--context ", "--context="];
    if SIGNS.iter().any(|sign| before.ends_with(sign)) {
        return true;
    }
    let near = before.as_bytes().get(before.len().saturating_sub(START)..).unwrap_or_default();
    let column = match near.iter().rposition(|byte| *byte == b'\n') {
        Some(end) => near.len() - end - 1,
        None if near.len() == before.len() => near.len(),
        None => return false,
    };
    let line = text.get(before.len() - column..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    let is_first = || [host_of_log(line), node_of_table(line), host_of_prompt(line)].contains(&Some(name));
    (is_first() && line.find(name) == Some(column))
        || (before.ends_with([' ', '/'])
            && (node_of_pod(line) == Some(name)
                || nodes_of_command(line).contains(&name)
                || hosts_of_command(line).contains(&name)))
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

/// Whether `word` is the name of a host under any domain, with a port behind it.
fn has_port(name: &str, word: &str) -> bool {
    let port = word.strip_prefix(name).and_then(|behind| behind.strip_prefix(':')).unwrap_or_default();
    let is_domain =
        name.rsplit('.').next().is_some_and(|last| last.len() > 1 && last.chars().all(|c| c.is_ascii_lowercase()));
    is_domain && name.matches('.').count() >= 2 && port.parse::<u16>().is_ok()
}

/// The host that an image is pulled from, also one that bears another name already; `None` where Docker's own is meant.
fn registry(image: &str) -> Option<&str> {
    let (host, _) = image.split_once("://").map_or(image, |(_, image)| image).split_once('/')?;
    (host.contains(['.', ':']) || host.starts_with("host-")).then(|| until_sign(host))
}

/// What stands where names of hosts stand; may hold more than names.
fn host_names(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for document in documents(text) {
        if document.contains("\"Node\"") || document.contains("\"nodeName\"") {
            names.extend(nodes_of_json(document));
        }
        names.extend(objects(document).filter_map(node_of_yaml));
        for line in document.lines() {
            names.extend(node_of_table(line));
            names.extend(node_of_pod(line));
            names.extend(host_of_log(line));
            names.extend(host_of_prompt(line));
            names.extend(nodes_of_command(line));
            names.extend(hosts_of_command(line));
            names.extend(line.strip_prefix("Linux ").and_then(of_uname));
            if let Some((_, key, value)) = key_value(line.trim_end_matches(',')) {
                if IN_KEYS.contains(&key) || matches!(key, "hostname" | "Hostname" | "Node") {
                    let value = value.trim_matches(['"', '\'']);
                    // `kubectl describe pod` writes the address behind the name.
                    names.extend(value.split('/').next());
                }
                if matches!(key, "image" | "Image" | "imageID" | "Image ID") {
                    names.extend(registry(value.trim_matches(['"', '\''])));
                }
            }
            for word in line.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '@' | '/' | ':'))) {
                names.extend(word.split_once('@').map(|(_, host)| until_sign(host)));
                names.extend(word.split_once("://").map(|(_, host)| until_sign(host)));
                let bare = until_sign(word);
                // A group of an API or a key of an annotation has a slash behind it, as the image of a registry has.
                let is_host = (is_full_name(bare) && !word.contains('/')) || has_port(bare, word);
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

/// Keys of Kubernetes objects whose value is the name of a host.
const IN_KEYS: [&str; 2] = ["nodeName", "kubernetes.io/hostname"];

/// The host of a prompt that names no user: `worker-7:~ #` and `[worker-7 ~]#`.
fn host_of_prompt(line: &str) -> Option<&str> {
    let is_end =
        |rest: &str| rest.strip_prefix(['#', '$']).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    let (name, is_prompt) = match line.strip_prefix('[') {
        Some(rest) => {
            let (name, rest) = rest.split_once(' ')?;
            let (folder, rest) = rest.split_once(']')?;
            (name, !folder.contains(' ') && is_end(rest))
        }
        None => {
            let (name, rest) = line.split_once(':')?;
            let path = rest.get(..rest.find([' ', '#', '$'])?)?;
            let rest = rest.get(path.len()..)?;
            let is_path = path.starts_with(['~', '/']) && !path.starts_with("//");
            (name, is_path && is_end(rest.strip_prefix(' ').unwrap_or(rest)))
        }
    };
    (is_prompt && name.len() > 1 && name.chars().all(is_part)).then_some(name)
}

/// The nodes that a command such as `kubectl describe node NAME` or `kubectl drain NAME` is about, and those that its
/// answer names as `node/NAME`.
fn nodes_of_command(line: &str) -> Vec<&str> {
    /// Options that take the word behind them.
    const WITH_VALUE: [&str; 13] = [
        "-o",
        "--output",
        "-l",
        "--selector",
        "-n",
        "--namespace",
        "--context",
        "--kubeconfig",
        "--timeout",
        "--grace-period",
        "--sort-by",
        "--type",
        "-v",
    ];
    /// What stands between two commands of a line.
    const SIGNS: [char; 8] = ['|', ';', '&', '<', '>', '(', ')', '`'];
    // A change such as `disk-` takes a label away.
    let is_node = |name: &&str| !name.is_empty() && name.chars().all(is_part) && !name.ends_with('-');
    let mut nodes: Vec<&str> =
        line.split_whitespace().filter_map(|word| word.strip_prefix("node/")).filter(is_node).collect();
    for command in line.split(SIGNS) {
        let mut words = command.split_whitespace();
        if words.all(|word| !matches!(word.rsplit('/').next(), Some("kubectl" | "oc" | "k"))) {
            continue;
        }
        // Options may stand anywhere.
        let mut is_value = false;
        let mut words = words.filter(|word| {
            let is_wanted = !word.starts_with('-') && !is_value;
            is_value = WITH_VALUE.contains(word);
            is_wanted
        });
        let is_about_nodes = match words.next() {
            Some("drain" | "cordon" | "uncordon") => true,
            Some("get" | "describe" | "top" | "label" | "annotate" | "taint" | "edit" | "delete" | "patch") => {
                matches!(words.next(), Some("node" | "nodes" | "no"))
            }
            _ => false,
        };
        if is_about_nodes {
            nodes.extend(words.map(|word| word.trim_matches(['\'', '"', ';'])).take_while(is_node));
        }
    }
    nodes
}

/// The hosts that `ssh`, `scp` and `rsync` of a line go to, and the cluster that it names as its context.
fn hosts_of_command<'a>(line: &'a str) -> Vec<&'a str> {
    /// Options of `ssh` and `scp` that take the word behind them, which is no host.
    const WITH_VALUE: [&str; 12] = ["-b", "-c", "-D", "-E", "-F", "-i", "-L", "-l", "-o", "-p", "-P", "-R"];
    let mut hosts = Vec::new();
    let mut words = line.split_whitespace();
    let mut copies = false;
    while let Some(word) = words.next() {
        match word.rsplit('/').next() {
            Some("ssh") => {
                while let Some(word) = words.next() {
                    if WITH_VALUE.contains(&word) {
                        words.next();
                    } else if word == "-J" {
                        hosts.extend(words.next());
                    } else if !word.starts_with('-') {
                        hosts.push(word);
                        break;
                    }
                }
            }
            Some("scp" | "rsync") => copies = true,
            Some("--context" | "use-context") => hosts.extend(words.next()),
            _ if copies && !word.starts_with(['-', '/']) => hosts.extend(word.split_once(':').map(|(host, _)| host)),
            _ => hosts.extend(word.strip_prefix("--context=")),
        }
    }
    let bare = |host: &'a str| until_sign(host.rsplit('@').next().unwrap_or(host).trim_matches(['\'', '"', ';']));
    hosts.into_iter().map(bare).filter(|host| host.chars().all(is_part)).collect()
}

/// The objects of a document: the items of a list one by one, else all of it.
fn objects(document: &str) -> impl Iterator<Item = &str> {
    let mut lines = document.lines().skip_while(|line| line.trim_end() != "items:").skip(1);
    let first = lines.next().filter(|line| line.trim_start().starts_with("- "));
    let mark = first.and_then(|line| line.get(..indent_of(line) + 2));
    let mut rest = document;
    std::iter::from_fn(move || {
        let mut end = 0;
        for line in rest.split_inclusive('\n') {
            if end > 0 && mark.is_some_and(|mark| line.starts_with(mark)) {
                break;
            }
            end += line.len();
        }
        let (object, behind) = rest.split_at_checked(end).filter(|_| end > 0)?;
        rest = behind;
        Some(object)
    })
}

/// The name of a node that is written in YAML.
fn node_of_yaml(object: &str) -> Option<&str> {
    let item = indent_of(object.lines().next()?);
    let keys = || object.lines().filter_map(key_value);
    let mut names = keys().filter(|(column, key, _)| *key == "name" && *column <= item + 4);
    let is_node = keys().any(|(_, key, value)| (key, value) == ("kind", "Node"));
    names.next().map(|(_, _, name)| name.trim_matches(['"', '\''])).filter(|_| is_node)
}

/// The node of a row of `kubectl get pods -o wide`: it stands behind the address, which a pod that starts has not got yet.
fn node_of_pod(line: &str) -> Option<&str> {
    let is_count = |word: &str| word.split_once('/').is_some_and(|(ready, all)| is_number(ready) && is_number(all));
    let mut words = line.split_whitespace().skip(1);
    // The name of the namespace may stand before that of the pod.
    words.by_ref().take(2).find(|word| is_count(word))?;
    words.find(|word| *word == "<none>" || word.parse::<IpAddr>().is_ok())?;
    words.next().filter(|node| node.chars().all(is_part))
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_digit())
}

/// The node of a row of `kubectl get nodes`.
fn node_of_table(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let (name, status) = (words.next()?, words.next()?);
    ["Ready", "NotReady", "Unknown"].contains(&status.split(',').next()?).then_some(name)
}

/// The nodes that JSON names, whichever way it is laid out, and also when it is cut: as objects, and where others refer to
/// them.
fn nodes_of_json(text: &str) -> Vec<&str> {
    /// Nothing of Kubernetes is that deep.
    const DEEPEST: usize = 64;
    let mut nodes = Vec::new();
    let mut around: Vec<Object> = Vec::new();
    // Where the present string begins, whether its next character is escaped, the last string, and the key of what comes.
    let (mut string, mut escaped, mut last, mut key) = (None, false, "", "");
    for (at, byte) in text.bytes().enumerate() {
        match (string, byte) {
            // No string goes on in the next line: what stands around JSON may have lonely quotation marks.
            (_, b'\n') => (string, escaped, key) = (None, false, ""),
            (Some(_), _) if escaped => escaped = false,
            (Some(_), b'\\') => escaped = true,
            (Some(start), b'"') => {
                string = None;
                last = text.get(start..at).unwrap_or_default();
                match (key, around.last_mut()) {
                    ("kind", Some(object)) => object.is_node = last == "Node",
                    ("name", Some(object)) => object.name = Some(last),
                    (key, _) if IN_KEYS.contains(&key) => nodes.push(last),
                    _ => {}
                }
            }
            (Some(_), _) => {}
            (None, b'"') => string = Some(at + 1),
            (None, b':') => key = last,
            (None, b',') => key = "",
            (None, b'{' | b'[') => {
                if around.len() == DEEPEST {
                    around.clear();
                }
                around.push(Object { key, name: None, is_node: false });
                key = "";
            }
            (None, b'}' | b']') => {
                nodes.extend(close(&mut around));
                key = "";
            }
            (None, _) => {}
        }
    }
    while !around.is_empty() {
        nodes.extend(close(&mut around));
    }
    nodes
}

/// What is known of an object or a list of JSON before it ends.
struct Object<'a> {
    /// The key that it stands behind.
    key: &'a str,
    /// Its name, or that in its metadata.
    name: Option<&'a str>,
    is_node: bool,
}

/// End the innermost object; its name when it is a node.
fn close<'a>(around: &mut Vec<Object<'a>>) -> Option<&'a str> {
    let ended = around.pop()?;
    if ended.key == "metadata"
        && let Some(parent) = around.last_mut()
    {
        parent.name = ended.name;
    }
    ended.name.filter(|_| ended.is_node)
}

/// How programs say how grave a line of their log is.
const LEVELS: [&str; 10] =
    ["trace", "debug", "info", "notice", "warn", "warning", "error", "critical", "fatal", "panic"];

/// The host of a line of syslog or journal: `Nov 30 02:41:13 HOST kubelet[123]: …`, or with the time as in ISO 8601.
fn host_of_log(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let (first, second, third) = (words.next()?, words.next()?, words.next()?);
    if is_iso_time(first) {
        // Programs write how grave a line is where the journal writes its host, and a thread as `[main]` behind that.
        let is_source = third.contains(['[', ':']) && !third.starts_with('[');
        return (is_source && !LEVELS.iter().any(|level| second.eq_ignore_ascii_case(level))).then_some(second);
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

/// The host in what `uname -a` prints behind the name of the system. `uname -sr` prints none, but the kernel at once.
fn of_uname(rest: &str) -> Option<&str> {
    let (host, kernel) = rest.split_once(' ')?;
    kernel.starts_with(|c: char| c.is_ascii_digit()).then_some(host)
}

#[cfg(test)]
mod tests {
    use crate::redact::{Redact, all, redact};

    #[test]
    fn nodes_of_json_go_and_other_objects_keep_their_names() {
        let node = r#"{"kind":"Node","apiVersion":"v1","metadata":{"annotations":{"a":"{\"name\":\"no-1\"}"},"name":"worker-7","uid":"u-1"},"status":{"images":[{"names":["app-1"]}]}}"#;
        let pod = r#"{"kind":"Pod","metadata":{"name":"web-7","ownerReferences":[{"kind":"Node","name":"worker-9"}]},"spec":{"nodeName":"worker-7","containers":[{"name":"app-1"}]}}"#;
        let list = format!("$ echo \"\n{{\"items\":[{pod},{node}]}}");
        let shown = |text: &str| text.replace("worker-9", "host-1").replace("worker-7", "host-2");
        assert_eq!(all(&list), shown(&list));
        assert_eq!(all(node), node.replace("worker-7", "host-1"));
        let cut = &node[..node.find(r#","uid""#).unwrap()];
        assert_eq!(all(cut), cut.replace("worker-7", "host-1"));
        let spread = "{\n  \"items\": [\n    {\n      \"metadata\": {\n        \"name\": \"worker-7\"\n      },\n      \"kind\": \"Node\"\n    }\n  ]\n}";
        assert_eq!(all(spread), spread.replace("worker-7", "host-1"));
    }

    #[test]
    fn deep_json_is_passed_over() {
        let deep = "[".repeat(100_000) + r#"{"kind":"Node","metadata":{"name":"worker-7"#;
        let whole = deep.clone() + "\"";
        assert_eq!(all(&whole), whole.replace("worker-7", "host-1"));
        assert_eq!(all(&deep), deep, "a name that has not ended");
    }

    #[test]
    fn names_of_hosts_go_wherever_they_are_repeated() {
        let text = "[root@node-7 ~]# uname -a\nLinux node-7 5.4.0\nNov 30 02:41:13 node-7.shop kubelet[1]: node-7 is up\n  nodeName: ip-10-0-0-1.ec2.internal\n";
        assert_eq!(
            all(text),
            "[root@host-1 ~]# uname -a\nLinux host-1 5.4.0\nNov 30 02:41:13 host-1 kubelet[1]: host-1 is up\n  nodeName: host-2\n"
        );
        assert_eq!(redact(&[text], Redact { hosts: false, ..Redact::default() }).concat(), text);
        // The kernel, which decides, and not a host.
        for kernel in ["Linux 4.3.0-1-amd64", "Linux 4.3.0-1-amd64 #1 SMP x86_64"] {
            assert_eq!(all(kernel), kernel);
        }
        assert_eq!(
            all("2026-11-30T04:19:56+00:00 prod-node-7 kernel: x\ndial db7.corp.example.com:5432, prod-node-7"),
            "2026-11-30T04:19:56+00:00 host-1 kernel: x\ndial host-2:5432, host-1"
        );
        assert_eq!(
            all("image: registry.acme.io/team/app:1.2\nImage ID: docker-pullable://hub-7:5000/x\ndial db.acme.io:5432"),
            "image: host-1/team/app:1.2\nImage ID: docker-pullable://host-2:5000/x\ndial host-3:5432"
        );
        // Plain words go where they name a host, and stay where they may mean something else.
        assert_eq!(
            all(
                "root@web:~# cat x\n[ops@jump ~]$ ssh gke-pool-5 uname\nname: web jump\nNov 30 02:41:13 web kubelet[1]: web"
            ),
            "root@host-1:~# cat x\n[user@host-3 ~]$ ssh host-2 uname\nname: web jump\nNov 30 02:41:13 host-1 kubelet[1]: web"
        );
        assert_eq!(all("worker   Ready    <none>   1d\nworker"), "host-1   Ready    <none>   1d\nworker");
        for kept in [
            "image: nginx@sha256:0123 sha256",
            "root@localhost:~#",
            "image: busybox:1.36 pod_workers.go:190 main.a.b:12",
            "image: library/nginx",
            "image: registry.k8s.io/pause:3.9",
            "pull https://registry.k8s.io/v2/ failed",
            "docker.io/library/nginx quay.io/a/b ghcr.io/a/b",
            "apiVersion: rbac.authorization.k8s.io/v1",
            "apiVersion: monitoring.coreos.com/v1",
            "node.alpha.kubernetes.io/ttl: \"0\"",
            "kubectl describe pod web-7\nkubectl get deployment,node web-7\nkubectl exec node -- node server-1",
            "kubectl get node -o wide\nkubectl get pods -n node web-7\npod/web-7 evicted deployment.apps/web-7",
            "- nodes/proxy\nimage:/a-1 text\nhttp-1://x # a\nkey-1: /a # b\n[web-7 said a]# b",
            "2026-11-30T02:41:07.480Z WARN  [main-1] a.b.c - x\n2026-11-30T02:41:07Z INFO a.Main: x",
            "systemd[1]: Started getty@tty1.service",
            "apiVersion: v1\nitems:\n- kind: Deployment\n  metadata:\n    name: gpu-rerank\n- kind: Node\nkind: List",
            "3.10.0-862.14.4.el7.x86_64 libc.so.6 a.tar.gz config.h.in 1.2.dev",
        ] {
            assert_eq!(all(kept), kept);
        }
        for (text, shown) in [
            ("kubectl describe node worker-7\nName: worker-7", "kubectl describe node host-1\nName: host-1"),
            ("$ kubectl get no -o yaml worker", "$ kubectl get no -o yaml host-1"),
            (
                "# k drain --ignore-daemonsets w-7 w-8 --force | tee w-7",
                "# k drain --ignore-daemonsets host-1 host-2 --force | tee host-1",
            ),
            ("kubectl -n kube-system cordon worker", "kubectl -n kube-system cordon host-1"),
            (
                "kubectl uncordon 'w-7'; date\nnode/w-7 uncordoned",
                "kubectl uncordon 'host-1'; date\nnode/host-1 uncordoned",
            ),
            ("kubectl label nodes w-7 disk-ssd- a=b-7", "kubectl label nodes host-1 disk-ssd- a=b-7"),
            ("kubectl debug node/worker -it --image=busybox-1", "kubectl debug node/host-1 -it --image=busybox-1"),
            (
                "worker-7:~ # uname -r\nworker:/var/log # ls\nworker-7:~#",
                "host-1:~ # uname -r\nhost-2:/var/log # ls\nhost-1:~#",
            ),
            ("[worker-7 ~]# ls\n[worker log]$ ls", "[host-1 ~]# ls\n[host-2 log]$ ls"),
            ("  Hostname:    worker-7\n", "  Hostname:    host-1\n"),
            (
                "web-1  1/1  Running  2 (3d ago)  3d  10.244.9.12  w-9.fra1.acme.io  <none>  <none>",
                "web-1  1/1  Running  2 (3d ago)  3d  192.0.2.1  host-1  <none>  <none>",
            ),
            (
                "shop  web-3  0/1  ContainerCreating  0  3s  <none>  worker  <none>  <none>",
                "shop  web-3  0/1  ContainerCreating  0  3s  <none>  host-1  <none>  <none>",
            ),
            ("web-3  1/1  Running  0  3d  10.244.9.14  node23", "web-3  1/1  Running  0  3d  192.0.2.1  host-1"),
            ("$ scp -P 22 wrk-10:/tmp/x . # wrk-10", "$ scp -P 22 host-1:/tmp/x . # host-1"),
            ("$ ssh -i key -J jump-1 wrk-10 uname -r", "$ ssh -i key -J host-1 host-2 uname -r"),
            ("$ kubectl --context prod-fra1 get po", "$ kubectl --context host-1 get po"),
            ("$ kubectl --context=prod get po", "$ kubectl --context=host-1 get po"),
            (
                "mkoval@w1:~$ x\n\u{1b}[01;32mmkoval@w1\u{1b}[0m:~$",
                "user@host-1:~$ x\n\u{1b}[01;32muser@host-1\u{1b}[0m:~$",
            ),
            // The machine is one, whichever way it is named; two of the same short name stay two.
            ("ssh w-1.a.example.com\nroot@w-1:~# w", "ssh host-1\nroot@host-1:~# w"),
            ("root@w-1:~# ssh w-1.a.example.com; ssh w-1.b.example.com", "root@host-1:~# ssh host-1; ssh host-2"),
        ] {
            assert_eq!(all(text), shown);
        }
        let list = "items:\n- kind: Service\n  metadata:\n    name: web-7\n- kind: Node\n  metadata:\n    name: w-7\n";
        assert_eq!(all(list), list.replace("w-7", "host-1"));
        let nodes =
            "NAME     STATUS   ROLES    AGE   VERSION\nworker1  Ready    <none>   1d    v1.27.1\n\nworker1 again";
        assert_eq!(all(nodes), nodes.replace("worker1", "host-1"));
    }
}
