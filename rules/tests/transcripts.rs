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
