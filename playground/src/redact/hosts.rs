//! Names of hosts.

use std::collections::HashMap;

use super::{documents, key_value, runs};

/// A text with other names of hosts: the ones that stand where names of hosts stand, wherever else they are repeated.
pub(super) fn hosts(text: &str) -> String {
    let mut known: HashMap<&str, usize> = HashMap::new();
    for name in host_names(text) {
        let next = known.len() + 1;
        if is_name(name) && !is_public(name) {
            known.entry(name).or_insert(next);
        }
    }
    if known.is_empty() {
        return text.to_owned();
    }
    runs(text, &is_part, &mut |before, run| {
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
    })
}

/// Whether a character may be a part of the name of a host.
fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '-')
}

/// Whether a word that stands where names of hosts stand is one.
fn is_name(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_alphabetic()) && !["localhost", "sha256", "sha512"].contains(&word)
}

/// Whether what stands behind `before` in `text` is the name of a host there.
fn is_place_of_host(text: &str, before: &str, name: &str) -> bool {
    /// Times and dates before the host in a log, in bytes.
    const START: usize = 64;
    if before.ends_with('@') || before.ends_with("ssh ") || before.ends_with("Node/") || before.ends_with("Linux ") {
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
        || (before.ends_with([' ', '/']) && nodes_of_command(line).contains(&name))
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
        let is_node = document.lines().any(|line| matches!(key_value(line), Some((_, "kind", "Node"))));
        for line in document.lines() {
            names.extend(node_of_table(line));
            names.extend(host_of_log(line));
            names.extend(host_of_prompt(line));
            names.extend(nodes_of_command(line));
            names.extend(
                line.split_once("ssh ").and_then(|(_, rest)| rest.split(' ').find(|word| !word.starts_with('-'))),
            );
            names.extend(line.strip_prefix("Linux ").and_then(|rest| rest.split(' ').next()));
            if let Some((column, key, value)) = key_value(line.trim_end_matches(',')) {
                let is_name = IN_KEYS.contains(&key) || matches!(key, "hostname" | "Hostname" | "Node");
                if is_name || (is_node && key == "name" && column <= 4) {
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
            nodes.extend(words.map(|word| word.trim_matches(['\'', '"'])).take_while(is_node));
        }
    }
    nodes
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
            "[root@host-1 ~]# uname -a\nLinux host-1 5.4.0\nNov 30 02:41:13 host-2 kubelet[1]: host-1 is up\n  nodeName: host-3\n"
        );
        assert_eq!(redact(&[text], Redact { hosts: false, ..Redact::default() }).concat(), text);
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
            "root@host-1:~# cat x\n[ops@host-3 ~]$ ssh host-2 uname\nname: web jump\nNov 30 02:41:13 host-1 kubelet[1]: web"
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
        ] {
            assert_eq!(all(text), shown);
        }
        let nodes =
            "NAME     STATUS   ROLES    AGE   VERSION\nworker1  Ready    <none>   1d    v1.27.1\n\nworker1 again";
        assert_eq!(all(nodes), nodes.replace("worker1", "host-1"));
    }
}
