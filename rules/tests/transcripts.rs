//! Long transcripts as they are pasted at night: the diagnosis and a remedy that is right for this node must be there.

use rules::report::{Report, Risk, Status, Why};
use rules::rules::Lang;
use rules::settings::Settings;
use rules::show::said;
use rules::{Input, check};

fn report(text: &str) -> Report {
    check(&[Input::new("paste", text)], &Settings::default())
}

/// The rules that fired with more than `info`, each with what it is about.
fn fired(report: &Report) -> Vec<(&str, &str)> {
    let serious = report.findings.iter().filter(|finding| !finding.rule.starts_with("cgroup-v1"));
    serious.map(|finding| (&*finding.rule, finding.object.as_deref().unwrap_or_default())).collect()
}

/// What is said to do about the first finding of a rule, in English.
fn to_do(report: &Report, rule: &str) -> String {
    let finding = report.findings.iter().find(|finding| finding.rule == rule);
    finding.and_then(|finding| said(finding, Lang::En)).map(|said| said.fix).unwrap_or_default()
}

#[test]
fn a_rhel_7_node_with_every_update_is_not_told_to_update() {
    let report = report(include_str!("transcripts/rhel-7-node-of-three.txt"));
    let node = "Node/k8s-w07";
    assert_eq!(fired(&report), [("memcg-ids-exhausted", node), ("kmem-accounting-errors", node)]);
    let ids = to_do(&report, "memcg-ids-exhausted");
    assert!(ids.contains("only 402 directories") && ids.contains("already has the fix of RHEL 7"), "{ids}");
    let kmem = to_do(&report, "kmem-accounting-errors");
    assert!(kmem.contains("runc 1.1.7 already") && kmem.contains("Booting with cgroup.memory=nokmem"), "{kmem}");
    assert!(![&ids, &kmem].iter().any(|fix| fix.contains("1062") || fix.contains("rc94")), "{ids} {kmem}");
    assert!(report.risks.values().all(|risk| risk.missing.is_empty()), "everything was pasted");
}

#[test]
fn of_two_nodes_each_is_judged_by_itself_and_cut_lines_are_told() {
    let report = report(include_str!("transcripts/two-nodes.txt"));
    assert_eq!(fired(&report), [("misc-cgroup-mismatch", "Node/w1")]);
    assert_eq!(report.risk(Risk::Inotify).status, Status::Ok, "128 suffice on cgroup v1, 8192 on v2");
    let cut = report.unread.iter().find(|unread| unread.why == Why::Cut);
    assert_eq!(cut.map(|unread| (unread.first_line, unread.last_line)), Some((26, 28)));
}

const REFUSED: &str = "root@n1:~# journalctl -u kubelet | tail -1\n\
                       Nov 30 03:24:51 n1 kubelet[1422]: inotify_init: too many open files\n";
const READ: &str = "root@n1:~# sysctl fs.inotify.max_user_instances\nfs.inotify.max_user_instances = ";

#[test]
fn after_the_remedy_only_what_has_failed_is_to_be_restarted() {
    let set = "root@n1:~# sysctl -w fs.inotify.max_user_instances=8192\nfs.inotify.max_user_instances = 8192\n";
    let raised = report(&format!("{REFUSED}{READ}128\n{set}"));
    assert_eq!(fired(&raised), [("inotify-recovered", "")]);
    assert!(to_do(&raised, "inotify-recovered").starts_with("Nothing more is to be raised. Restart"));
    assert_eq!(raised.risk(Risk::Inotify).status, Status::Ok);
    let again = report(&format!("{set}{REFUSED}"));
    assert!(to_do(&again, "inotify-instances-exhausted").contains("16384 leave room"), "8192 were not enough");
}

/// 8192 are far more than the 245 that a node with 110 pods needs.
#[test]
fn a_limit_that_suffices_and_was_read_after_the_error_is_not_to_be_doubled() {
    let later = to_do(&report(&format!("{REFUSED}{READ}8192\n")), "inotify-instances-exhausted");
    assert!(later.contains("The limit of 8192") && !later.contains("Raise"), "{later}");
    let low = to_do(&report(&format!("{REFUSED}{READ}128\n")), "inotify-instances-exhausted");
    assert!(low.starts_with("Raise") && low.contains("8192 leave room"), "{low}");
}

/// Whatever comes first, the limit or the count, and however the limit is printed.
#[test]
fn a_count_is_not_taken_for_the_limit() {
    let count = "find /proc/*/fd -lname anon_inode:inotify 2>/dev/null | wc -l";
    let cat = "cat /proc/sys/fs/inotify/max_user_instances";
    let named = "fs.inotify.max_user_instances = 8192";
    for (command, output) in [
        (format!("sysctl fs.inotify.max_user_instances; {count}"), format!("{named}\n97")),
        (format!("{count}; sysctl fs.inotify.max_user_instances"), format!("97\n{named}")),
        (format!("{cat}; {count}"), "8192\n97".to_owned()),
        (format!("{count}; {cat}"), "97\n8192".to_owned()),
    ] {
        let report = report(&format!("root@n1:~# {command}\n{output}\n"));
        assert!(fired(&report).is_empty(), "{command}: {:?}", fired(&report));
        assert_eq!(report.risk(Risk::Inotify).status, Status::Ok, "{command}");
    }
}
