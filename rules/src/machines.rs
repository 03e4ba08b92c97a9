//! Several machines in one text: what was seen on one is not held against another.

use std::collections::{BTreeMap, BTreeSet};

use crate::facts::{Cgroups, Facts, Found, Gauge, Host, Inotify, InotifyError, Memcg, Nodes, Versions};
use crate::kubernetes::pod::PodTemplate;
use crate::order;
use crate::report::{Evidence, Finding, Missing, Risk, Severity, Status};
use crate::risks::memcg::MANY;
use crate::risks::{self, cgroup_cleanup::old_kubelets};
use crate::rules::{RULES, Rule, placeholders};
use crate::settings::{NodeProfile, Settings};
use crate::show::NODE;

/// More machines than this are looked at together, as one: the work would grow with their number.
const MOST: usize = 20;

/// Places that a finding about several machines points at.
const MOST_PLACES: usize = 10;

/// A machine, or all those together that were only named in a table.
#[derive(Debug)]
pub(crate) struct Machine {
    /// Its name; `None` for those of tables.
    name: Option<String>,
    /// What is known of it.
    facts: Facts,
}

/// The machines that a text tells apart; none when it is about a single one and typed on no other, or about none in
/// particular.
pub(crate) fn apart(facts: &Facts, settings: &Settings) -> Vec<Machine> {
    let mut named = BTreeSet::new();
    facts.of_hosts(&mut |host| {
        named.insert(host);
        false
    });
    named.extend(facts.readings.keys().map(|(_, host)| *host));
    named.remove(&Host::default());
    let mut visited: Vec<Host> = facts.visited.iter().copied().filter(|host| named.contains(host)).collect();
    // A jump host, of which nothing is known but its prompt, makes a single node one of two machines.
    if named.len().max(facts.visited.len()) < 2 || visited.is_empty() || visited.len() > MOST {
        return Vec::new();
    }
    order::sort_by(&mut visited, |a, b| facts.names.get(a).cmp(&facts.names.get(b)));
    let mut machines: Vec<Machine> =
        visited.iter().map(|host| Machine { name: facts.names.get(host).cloned(), facts: on(*host, facts) }).collect();
    let mut others = elsewhere(facts, &visited);
    let stray = facts.of_hosts(&mut |host| host == Host::default());
    for topic in Topic::ALL.into_iter().filter(|topic| topic.has_errors(&stray)) {
        let is_only = machines.len() == 1;
        let meant = |machine: &&mut Machine| {
            topic.is_borne_out(&machine.facts, settings) || is_only && !topic.is_measured(&machine.facts)
        };
        let mut meant = machines.iter_mut().filter(meant).map(|machine| &mut machine.facts).peekable();
        if meant.peek().is_none() {
            topic.add_errors(&stray, &mut others);
        }
        meant.for_each(|facts| topic.add_errors(&stray, facts));
    }
    machines.push(Machine { name: None, facts: others });
    machines
}

/// What errors are about. Those that name no machine, such as what `kubectl logs` shows on a jump host, count for the
/// machines whose own values bear them out, else for none in particular.
#[derive(Clone, Copy)]
enum Topic {
    Instances,
    Watches,
    Memory,
    Cleanup,
}

impl Topic {
    const ALL: [Self; 4] = [Self::Instances, Self::Watches, Self::Memory, Self::Cleanup];

    /// Whether a machine would be warned of without these errors.
    fn is_borne_out(self, own: &Facts, settings: &Settings) -> bool {
        let contradicts = |count: &Found<u64>| matches!(self, Self::Memory) && count.value < MANY;
        let concerns = |rule: &Rule| match self {
            Self::Instances => rule.id.starts_with("inotify-instances"),
            Self::Watches => rule.id.starts_with("inotify-watches"),
            Self::Memory => rule.risk == Risk::Memcg,
            Self::Cleanup => rule.risk == Risk::CgroupCleanup,
        };
        let warns = |rule: &&&Rule| rule.severity >= Severity::Warning && concerns(rule);
        !own.memcg.num_cgroups.as_ref().is_some_and(contradicts)
            && RULES.iter().filter(warns).any(|rule| !rule.findings(own, settings).is_empty())
    }

    /// Whether a machine's own value is known, which would show what the errors are about.
    const fn is_measured(self, own: &Facts) -> bool {
        match self {
            Self::Instances => own.inotify.max_instances.is_some(),
            Self::Watches => own.inotify.max_watches.is_some(),
            Self::Memory => own.memcg.num_cgroups.is_some(),
            Self::Cleanup => false,
        }
    }

    fn has_errors(self, facts: &Facts) -> bool {
        let Facts { inotify, cgroups, memcg, .. } = facts;
        match self {
            Self::Instances => inotify.errors.iter().any(|error| error.value == InotifyError::Instances),
            Self::Watches => inotify.errors.iter().any(|error| error.value == InotifyError::Watches),
            Self::Memory => !memcg.mkdir_errors.is_empty() || !memcg.kmem_errors.is_empty(),
            Self::Cleanup => {
                !cgroups.delete_errors.is_empty() || !cgroups.orphans.is_empty() || !cgroups.stuck_processes.is_empty()
            }
        }
    }

    fn add_errors(self, from: &Facts, to: &mut Facts) {
        let inotify = |about| from.inotify.errors.iter().filter(move |error| error.value == about).cloned();
        match self {
            Self::Instances => to.inotify.errors.extend(inotify(InotifyError::Instances)),
            Self::Watches => to.inotify.errors.extend(inotify(InotifyError::Watches)),
            Self::Memory => {
                to.memcg.mkdir_errors.extend_from_slice(&from.memcg.mkdir_errors);
                to.memcg.kmem_errors.extend_from_slice(&from.memcg.kmem_errors);
            }
            Self::Cleanup => {
                to.cgroups.delete_errors.extend_from_slice(&from.cgroups.delete_errors);
                to.cgroups.orphans.extend_from_slice(&from.cgroups.orphans);
                to.cgroups.stuck_processes.extend_from_slice(&from.cgroups.stuck_processes);
            }
        }
    }
}

/// What is known of a machine: its own values, and those that do not say whose they are. Errors that do not say it are
/// left out.
fn on(host: Host, facts: &Facts) -> Facts {
    let mut own = facts.of_hosts(&mut |other| host.may_be(other));
    own.drop_stray_errors();
    // Its own mode is surer than a path in a message from anywhere.
    if own.cgroups.modes.iter().any(Found::has_host) {
        own.cgroups.modes.retain(Found::has_host);
    }
    let has_own = |gauge| facts.readings.contains_key(&(gauge, host));
    own.readings = readings(facts, &|gauge, other| other == host || other == Host::default() && !has_own(gauge));
    own.pods = pods(facts, &|node| node == Some(host));
    own.settle();
    own
}

/// What is known of machines that nobody has visited, and pods that may run on any.
fn elsewhere(facts: &Facts, visited: &[Host]) -> Facts {
    let is_elsewhere = |host| host != Host::default() && !visited.contains(&host);
    let mut others = facts.of_hosts(&mut |host| is_elsewhere(host));
    others.readings = readings(facts, &|_, host| is_elsewhere(host));
    others.pods = pods(facts, &|node| node.is_none_or(|node| !visited.contains(&node)));
    others.settle();
    others
}

fn readings(facts: &Facts, keep: &dyn Fn(Gauge, Host) -> bool) -> BTreeMap<(Gauge, Host), Found<u64>> {
    let mut kept = BTreeMap::new();
    for (&(gauge, host), found) in facts.readings.iter().filter(|((gauge, host), _)| keep(*gauge, *host)) {
        kept.insert((gauge, host), found.clone());
    }
    kept
}

fn pods(facts: &Facts, keep: &dyn Fn(Option<Host>) -> bool) -> Vec<PodTemplate> {
    facts.pods.iter().filter(|pod| keep(pod.node.as_deref().map(Host::named))).cloned().collect()
}

/// What `rule` finds on each machine, with the machine's name. The same on several machines is one finding.
pub(crate) fn findings(rule: &Rule, whole: &Facts, machines: &[Machine], settings: &Settings) -> Vec<Finding> {
    let mut findings = of_machines(rule, whole, machines, settings);
    // Commands that need the node's name.
    if placeholders(rule.remedy).any(|name| name == NODE) {
        for finding in &mut findings {
            let node = node_of(finding, whole, machines).map(|node| (NODE.into(), node.to_owned()));
            finding.values.extend(node);
        }
    }
    findings
}

/// The name of the node that a finding is about, as the cluster has it: ssh and prompts may call the machine otherwise.
fn node_of<'a>(finding: &'a Finding, whole: &'a Facts, machines: &[Machine]) -> Option<&'a str> {
    let name = match finding.object.as_deref() {
        Some(object) => {
            let name = object.strip_prefix("Node/").filter(|name| !name.contains(", "))?;
            whole.nodes_by_host.get(&Host::named(name))?.as_ref()?
        }
        // The only machine whose shell the text shows.
        None => {
            let mut visited = whole.visited.iter();
            let only = visited.next().filter(|_| machines.is_empty() && visited.next().is_none())?;
            whole.nodes_by_host.get(only)?.as_ref()?
        }
    };
    // It becomes an argument of a command.
    Some(name.as_str()).filter(|name| is_name_of_node(name))
}

/// A DNS subdomain (RFC 1123), as all names of nodes are.
fn is_name_of_node(name: &str) -> bool {
    let is_label = |label: &str| {
        let is_end = |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
        let is_inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        is_end(label.chars().next()) && is_end(label.chars().next_back()) && label.chars().all(is_inner)
    };
    name.split('.').all(is_label)
}

/// What `rule` finds on each machine, without the names that its commands need.
fn of_machines(rule: &Rule, whole: &Facts, machines: &[Machine], settings: &Settings) -> Vec<Finding> {
    // Pods come to run on any node.
    if machines.is_empty() || rule.risk == Risk::MemoryVolume {
        return rule.findings(whole, settings);
    }
    let mut all: Vec<Finding> = Vec::new();
    for machine in machines {
        for mut finding in rule.findings(&machine.facts, settings) {
            let node = machine.name.as_ref().filter(|_| finding.object.is_none()).map(|name| format!("Node/{name}"));
            let same =
                all.iter_mut().find(|known| node.is_some() && is_of_node(known) && known.values == finding.values);
            match (same, node) {
                (Some(known), Some(node)) => {
                    known.object = known.object.take().map(|nodes| format!("{nodes}, {node}"));
                    let room = MOST_PLACES.saturating_sub(known.evidence.len());
                    let mut more: Vec<Evidence> = finding.evidence.into_iter().take(MOST_PLACES).collect();
                    more.retain(|evidence| !known.evidence.contains(evidence));
                    known.evidence.extend(more.into_iter().take(room));
                }
                (_, node) => {
                    let row = || nodes_of_rows(&finding, &machine.facts, &whole.names);
                    finding.object = node.or_else(|| finding.object.clone()).or_else(row);
                    all.push(finding);
                }
            }
        }
    }
    for finding in all.iter_mut().filter(|finding| is_of_node(finding)) {
        let nodes = finding.object.as_deref().unwrap_or_default();
        if nodes.contains(", ") {
            finding.values.insert("nodes".into(), nodes.replace("Node/", ""));
        }
    }
    all
}

/// The nodes whose rows in a table a finding points at.
fn nodes_of_rows(finding: &Finding, facts: &Facts, names: &BTreeMap<Host, String>) -> Option<String> {
    let Versions { kubelet, containerd, crio, kernel, .. } = &facts.versions;
    let mut nodes: Vec<String> = Vec::new();
    for evidence in Some(&finding.evidence).filter(|evidence| evidence.len() <= MOST_PLACES)? {
        let mut rows = [kubelet, containerd, crio, kernel].into_iter().flatten();
        let row = rows.find(|found| found.place == evidence.place);
        let node = row.and_then(|row| names.get(&row.host)).map(|name| format!("Node/{name}"));
        nodes.extend(node.filter(|node| !nodes.contains(node)));
    }
    (!nodes.is_empty()).then(|| nodes.join(", "))
}

fn is_of_node(finding: &Finding) -> bool {
    finding.object.as_ref().is_some_and(|object| object.starts_with("Node/"))
}

/// The state of `risk` when nothing fired. What is missing says on which machine.
pub(crate) fn state(risk: Risk, whole: &Facts, machines: &[Machine], node: &NodeProfile) -> (Status, Vec<Missing>) {
    let Some((others, visited)) = machines.split_last().filter(|_| risk != Risk::MemoryVolume) else {
        return risks::state(risk, whole, node);
    };
    let mut wanted: Vec<(Missing, Vec<&str>)> = Vec::new();
    let mut known = false;
    for machine in visited {
        let (status, missing) = risks::state(risk, &machine.facts, node);
        known |= status != Status::NoEvidence;
        let name = machine.name.as_deref().unwrap_or_default();
        for missing in missing {
            match wanted.iter_mut().find(|(known, _)| *known == missing) {
                Some((_, names)) => names.push(name),
                None => wanted.push((missing, vec![name])),
            }
        }
    }
    if !known {
        return risks::state(risk, &others.facts, node);
    }
    // Nodes of one cluster are built alike: where one has a misc tree, an old kubelet elsewhere is worth a look.
    if risk == Risk::CgroupCleanup && wanted.is_empty() && whole.cgroups.misc_tree().is_some() {
        let old = old_kubelets(&others.facts).map(|kubelet| whole.names.get(&kubelet.host).map_or("", String::as_str));
        let names: Vec<&str> = old.filter(|name| !name.is_empty()).take(MOST).collect();
        if !names.is_empty() {
            wanted.extend(risks::state(risk, whole, node).1.into_iter().map(|missing| (missing, names.clone())));
        }
    }
    let status = if wanted.is_empty() { Status::Ok } else { Status::Undecided };
    let on = |(missing, names): (Missing, Vec<&str>)| Missing {
        command: format!("{} # {}", missing.command, names.join(", ")).into(),
        ..missing
    };
    (status, wanted.into_iter().map(on).collect())
}

impl Facts {
    fn drop_stray_errors(&mut self) {
        let Self { inotify, cgroups, memcg, .. } = self;
        inotify.errors.retain(Found::has_host);
        inotify.overcome.retain(Found::has_host);
        memcg.mkdir_errors.retain(Found::has_host);
        memcg.kmem_errors.retain(Found::has_host);
        cgroups.delete_errors.retain(Found::has_host);
        cgroups.orphans.retain(Found::has_host);
        cgroups.stuck_processes.retain(Found::has_host);
    }

    /// The values about nodes, of the hosts that `keep` accepts, wherever there may be several.
    fn of_hosts(&self, keep: &mut dyn FnMut(Host) -> bool) -> Self {
        let Self { nodes, inotify, cgroups, memcg, versions, .. } = self;
        Self {
            nodes: Nodes {
                max_pods: kept(&nodes.max_pods, keep),
                platforms: kept(&nodes.platforms, keep),
                ..Nodes::default()
            },
            inotify: Inotify {
                instances_used: kept(&inotify.instances_used, keep),
                inflated_counts: kept(&inotify.inflated_counts, keep),
                watches_used: kept(&inotify.watches_used, keep),
                errors: kept(&inotify.errors, keep),
                overcome: kept(&inotify.overcome, keep),
                ..Inotify::default()
            },
            cgroups: Cgroups {
                modes: kept(&cgroups.modes, keep),
                v1_controllers: kept(&cgroups.v1_controllers, keep),
                misc: kept(&cgroups.misc, keep),
                delete_errors: kept(&cgroups.delete_errors, keep),
                orphans: kept(&cgroups.orphans, keep),
                stuck_processes: kept(&cgroups.stuck_processes, keep),
                left_in_misc: kept(&cgroups.left_in_misc, keep),
                processes: kept(&cgroups.processes, keep),
            },
            memcg: Memcg {
                mkdir_errors: kept(&memcg.mkdir_errors, keep),
                kmem_errors: kept(&memcg.kmem_errors, keep),
                kmem_in_use: kept(&memcg.kmem_in_use, keep),
                nokmem: kept(&memcg.nokmem, keep),
                nokmem_intended: kept(&memcg.nokmem_intended, keep),
                nokmem_configured: kept(&memcg.nokmem_configured, keep),
                boot_loader_written: kept(&memcg.boot_loader_written, keep),
                drop_caches: kept(&memcg.drop_caches, keep),
                ..Memcg::default()
            },
            versions: Versions {
                kubelet: kept(&versions.kubelet, keep),
                runc: kept(&versions.runc, keep),
                containerd: kept(&versions.containerd, keep),
                crio: kept(&versions.crio, keep),
                kernel: kept(&versions.kernel, keep),
                earlier_kernels: kept(&versions.earlier_kernels, keep),
                apiserver: versions.apiserver.clone(),
            },
            ..Self::default()
        }
    }
}

fn kept<T: Clone>(list: &[Found<T>], keep: &mut dyn FnMut(Host) -> bool) -> Vec<Found<T>> {
    list.iter().filter(|found| keep(found.host)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use crate::report::{Report, Risk, Status};
    use crate::rules::Lang;
    use crate::settings::Settings;
    use crate::show::said;
    use crate::{Input, check};

    fn report(text: &str) -> Report {
        check(&[Input::new("paste", text)], &Settings::default())
    }

    /// The rules that fired, each with what it is about.
    fn fired(text: &str) -> Vec<String> {
        let name = |finding: &crate::report::Finding| {
            format!("{} {}", finding.rule, finding.object.as_deref().unwrap_or_default())
        };
        report(text).findings.iter().map(name).collect()
    }

    /// w1 is on cgroup v1 with a low limit that suffices there; w2 is on v2 with a limit that suffices there.
    #[test]
    fn values_of_two_machines_are_not_joined_and_findings_name_theirs() {
        let text = "root@w1:~# stat -fc %T /sys/fs/cgroup\ntmpfs\n\
            root@w1:~# sysctl fs.inotify.max_user_instances\nfs.inotify.max_user_instances = 128\n\
            root@w2:~# stat -fc %T /sys/fs/cgroup\ncgroup2fs\n\
            root@w2:~# sysctl fs.inotify.max_user_instances\nfs.inotify.max_user_instances = 8192\n";
        assert_eq!(fired(text), ["cgroup-v1-node Node/w1"]);
        assert_eq!(report(text).risk(Risk::Inotify).status, Status::Ok);
        let swapped = text.replace("cgroup2fs", "x").replace("tmpfs", "cgroup2fs").replace("\nx\n", "\ntmpfs\n");
        assert_eq!(fired(&swapped), ["inotify-instances-low Node/w1", "cgroup-v1-node Node/w2"]);
    }

    /// 60000 removed cgroups on a, 300 directories on b: the two counts are no pair.
    #[test]
    fn counts_of_two_machines_are_no_pair() {
        let text = "[root@a ~]# cat /sys/fs/cgroup/cgroup.stat\nnr_descendants 310\nnr_dying_descendants 22\n\
            [root@b ~]# grep memory /proc/cgroups\nmemory\t4\t9000\t1\n\
            [root@b ~]# find /sys/fs/cgroup/memory -type d | wc -l\n8900\n";
        assert_eq!(fired(text), ["cgroup-v1-node Node/b"]);
    }

    #[test]
    fn what_is_missing_says_on_which_machine_and_what_was_pasted_is_not_asked_for() {
        let text = "root@w1:~# grep misc /proc/cgroups\nmisc\t13\t88\t1\nroot@w1:~# kubelet --version\nKubernetes v1.27.1\n\
            root@w2:~# stat -fc %T /sys/fs/cgroup\ncgroup2fs\nroot@w2:~# runc --version\nrunc version 1.1.12\n";
        let state = report(text).risk(Risk::CgroupCleanup);
        assert_eq!(state.status, Status::Undecided);
        let commands: Vec<&str> = state.missing.iter().map(|missing| &*missing.command).collect();
        assert_eq!(commands.first(), Some(&"runc --version # w1"));
        assert!(commands.iter().all(|command| command.ends_with(" # w1")), "{commands:?}");
        assert!(!commands.iter().any(|command| command.starts_with("kubelet") || command.starts_with("cat")));
    }

    /// A bastion's prompt stands before what kubectl tells of a node.
    #[test]
    fn kubectl_tells_of_the_node_and_not_of_the_shell_that_it_is_typed_in() {
        let describe = "Name:               w1\nRoles:              <none>\n  Kernel Version:             5.15.0-71-generic\n  \
                        Kubelet Version:            v1.27.1\n";
        let node = format!(
            "root@w1:~# grep misc /proc/cgroups\nmisc\t13\t88\t1\nroot@w1:~# runc --version\nrunc version 1.1.12\n\
             ops@bastion:~$ uname -r\n6.1.0-18-amd64\nops@bastion:~$ kubectl describe nodes\n{describe}"
        );
        assert!(fired(&node).contains(&"misc-cgroup-mismatch Node/w1".to_owned()), "{:?}", fired(&node));
        let other = node.replace("Name:               w1", "Name:               w2");
        assert!(!fired(&other).iter().any(|rule| rule.starts_with("misc-cgroup-mismatch")));
    }

    const MKDIR: &str = "mkdir /sys/fs/cgroup/memory/kubepods/pod1/a: cannot allocate memory";
    const EMFILE: &str = "failed to create fsnotify watcher: too many open files";

    fn ids(node: &str, count: u32) -> String {
        format!("[root@{node} ~]# cat /proc/cgroups | grep memory\nmemory\t9\t{count}\t1\n")
    }

    fn instances(node: &str, limit: u32, used: u32) -> String {
        format!(
            "root@jump:~# ssh {node} 'sysctl fs.inotify.max_user_instances; find /proc/*/fd -lname anon_inode:inotify \
             | wc -l; stat -fc %T /sys/fs/cgroup'\nfs.inotify.max_user_instances = {limit}\n{used}\ncgroup2fs\n"
        )
    }

    /// The node that an event names: in older releases of kubectl at its source, in later ones above.
    #[test]
    fn an_event_tells_of_its_node_alone() {
        let source = format!("  Warning  FailedCreatePodSandBox  3m (x183 over 41m)  kubelet, w7  {MKDIR}\n");
        let above = format!("Name:  x\nNode:  w7/10.4.1.37\nEvents:\n  Warning  FailedCreate  3m  kubelet  {MKDIR}\n");
        for event in [source, above] {
            let text = format!("[oncall@bastion01 ~]$ kubectl describe po x\n{event}");
            let fired = |rest: &str| {
                let fired = fired(&(text.clone() + rest));
                fired.into_iter().filter(|fired| !fired.starts_with("cgroup-v1")).collect::<Vec<_>>()
            };
            assert_eq!(fired(&(ids("w7", 65_521) + &ids("w8", 243))), ["memcg-ids-exhausted Node/w7"], "{event}");
            assert_eq!(fired(&ids("w8", 243)), ["memcg-ids-exhausted Node/w7"], "{event}");
            assert_eq!(fired(""), ["memcg-ids-exhausted Node/w7"], "{event}");
        }
    }

    #[test]
    fn an_error_that_names_no_machine_is_of_those_that_bear_it_out() {
        let fired = |error: &str, rest: &str| {
            let fired = fired(&format!("root@jump:~# kubectl logs -f x\n{error}\n{rest}"));
            fired.into_iter().filter(|fired| !fired.starts_with("cgroup-v1")).collect::<Vec<_>>()
        };
        let full = "inotify-instances-exhausted Node/n4";
        assert_eq!(fired(EMFILE, &(instances("n4", 128, 128) + &instances("n5", 8192, 97))), [full]);
        assert_eq!(fired(EMFILE, &(instances("n4", 128, 20) + &instances("n5", 8192, 97))), [full]);
        let nobody = "inotify-instances-exhausted ";
        assert_eq!(fired(EMFILE, &(instances("n4", 8192, 20) + &instances("n5", 8192, 97))), [nobody]);
        assert_eq!(fired(EMFILE, &instances("n5", 8192, 97)), [nobody]);
        let kernel = |node: &str| format!("root@{node}:~# uname -r\n5.15.0-71-generic\n");
        assert_eq!(fired(EMFILE, &(kernel("n4") + &kernel("n5"))), [nobody]);
        assert_eq!(fired(EMFILE, &kernel("n4")), [full], "the only node that somebody looked at");
        assert_eq!(fired(MKDIR, &(ids("n4", 65_000) + &ids("n5", 243))), ["memcg-ids-exhausted Node/n4"]);
        assert_eq!(fired(MKDIR, &(ids("n4", 120) + &ids("n5", 243))), ["memcg-ids-exhausted "]);
    }

    #[test]
    fn a_path_in_an_error_from_anywhere_is_no_mode_of_a_machine_whose_mode_was_read() {
        let on = |node: &str, mode: &str| format!("root@{node}:~# stat -fc %T /sys/fs/cgroup\n{mode}\n");
        let text = format!("root@jump:~# kubectl logs x\n{MKDIR}\n{}{}", on("w1", "cgroup2fs"), on("w2", "tmpfs"));
        assert_eq!(fired(&text), ["memcg-ids-exhausted ", "cgroup-v1-node Node/w2"]);
    }

    #[test]
    fn names_and_nodes_of_other_commands_name_no_machine() {
        let low = "fs.inotify.max_user_instances = 128\n";
        let text = format!("root@jump:~# ssh w1\nroot@w1:~# docker info; sysctl fs.inotify\nName: x\nNode: y\n{low}");
        assert_eq!(fired(&text), ["inotify-instances-low Node/w1"]);
    }

    #[test]
    fn a_node_is_named_beside_the_jump_host() {
        let prompt = "ops@bastion:~$ ssh w1\n";
        let node = "root@w1:~# sysctl fs.inotify.max_user_instances\nfs.inotify.max_user_instances = 128\n";
        assert_eq!(fired(&format!("{prompt}{node}")), ["inotify-instances-low Node/w1"]);
        assert_eq!(fired(node), ["inotify-instances-low "], "no other is in the text");
        let jump = format!("ops@bastion:~$ kubectl get pods\n{prompt}{node}");
        assert_eq!(fired(&jump), ["inotify-instances-low Node/w1"]);
    }

    #[test]
    fn a_row_that_a_finding_stands_on_names_its_node() {
        let text = "ops@jump:~$ kubectl get nodes -o wide\n\
            NAME STATUS ROLES AGE VERSION INTERNAL-IP OS-IMAGE KERNEL-VERSION CONTAINER-RUNTIME\n\
            m1 Ready master 9d v1.16.15 10.4.1.11 CentOS 3.10.0-957.21.3.el7.x86_64 docker://18.9.9\n\
            w2 Ready <none> 9d v1.26.5 10.4.1.12 Debian 6.1.0-18-amd64 containerd://1.7.2\n\
            ops@jump:~$ ssh w2\nroot@w2:~# stat -fc %T /sys/fs/cgroup\ncgroup2fs\n";
        assert_eq!(fired(text), ["memcg-leaking-kernel Node/m1"]);
    }

    #[test]
    fn one_finding_about_two_nodes_speaks_of_both_and_cites_a_line_once() {
        let shared = "ops@jump:~$ kubectl exec agent -- cat /proc/self/cgroup\n4:memory:/kubepods/pod1\n";
        let on = |node: &str| format!("root@{node}:~# uname -r\n5.15.0-71-generic\n");
        let report = report(&(shared.to_owned() + &on("w1") + &on("w2")));
        let finding = report.findings.iter().find(|finding| finding.rule == "cgroup-v1-node").unwrap();
        assert_eq!(finding.object.as_deref(), Some("Node/w1, Node/w2"));
        assert_eq!(finding.evidence.len(), 1);
        assert_eq!(said(finding, Lang::En).unwrap().says, "These nodes use cgroup v1: w1, w2.");
    }

    #[test]
    fn the_same_on_several_machines_is_one_finding() {
        let line = |host: u32| format!("node{host}: fs.inotify.max_user_instances = 128\n");
        assert_eq!(
            fired(&(1..=3).map(line).collect::<String>()),
            ["inotify-instances-low Node/node1, Node/node2, Node/node3"]
        );
        let many: String = (1..=300).map(line).collect();
        assert_eq!(fired(&many), ["inotify-instances-low "], "so many are looked at as one");
    }

    /// Logs of several machines, as a collector shows them.
    #[test]
    fn a_journal_names_its_machines() {
        let line = |host: &str, time: u32| {
            format!(
                "Nov 08 10:00:0{time} {host} kubelet[1200]: x.go:210] \"Failed to delete cgroup paths\" \
                 cgroupName=[kubepods pod1495abbc-0b5c]\n"
            )
        };
        let twice = line("w1", 1) + &line("w1", 3);
        assert_eq!(fired(&(twice.clone() + &line("w2", 4))), ["cgroup-delete-errors Node/w1"]);
        assert_eq!(fired(&twice), ["cgroup-delete-errors "]);
    }

    /// An update in the course of a transcript.
    #[test]
    fn of_a_machines_versions_the_last_one_counts() {
        let table = |version: &str| {
            format!(
                "root@n1:~# kubectl get no\nNAME   STATUS   ROLES    AGE    VERSION\nn1     Ready    <none>   301d   {version}\n"
            )
        };
        let misc = "root@n1:~# tail -1 /proc/cgroups\nmisc\t13\t118\t1\nroot@n1:~# runc -v\nrunc version 1.1.7\n";
        let rules =
            |text: &str| report(text).findings.iter().map(|finding| finding.rule.to_string()).collect::<Vec<_>>();
        let before = table("v1.25.9") + misc;
        assert!(rules(&before).contains(&"misc-cgroup-mismatch".to_owned()), "{:?}", rules(&before));
        let after = before.clone() + &table("v1.25.10");
        assert!(!rules(&after).contains(&"misc-cgroup-mismatch".to_owned()), "{:?}", rules(&after));
        let after = before + "root@n1:~# kubelet --version\nKubernetes v1.25.10\n";
        assert!(!rules(&after).contains(&"misc-cgroup-mismatch".to_owned()), "{:?}", rules(&after));
    }

    #[test]
    fn a_node_is_drained_by_the_name_that_the_cluster_has() {
        let drained = |text: &str| {
            let report = report(text);
            let finding = report.findings.iter().find(|finding| finding.rule == "memcg-ids-exhausted").unwrap();
            let remedy = said(finding, Lang::En).unwrap().remedy;
            let drain = remedy.lines().find(|line| line.starts_with("kubectl drain")).map(str::to_owned);
            drain.unwrap().replace("kubectl drain ", "").replace(" --ignore-daemonsets --delete-emptydir-data", "")
        };
        let full = "root@w1:~# grep memory /proc/cgroups\nmemory\t9\t65000\t1\n";
        let table = |node: &str| {
            format!(
                "$ kubectl get nodes\nNAME   STATUS   ROLES    AGE   VERSION\n{node}     Ready    <none>   1d   v1.27.2\n"
            )
        };
        assert_eq!(drained(full), "NODE", "a prompt need not show the node's name");
        assert_eq!(drained(&(table("w1.example.com") + full)), "w1.example.com");
        let object = "apiVersion: v1\nkind: Node\nmetadata: {name: w1}\n---\n";
        assert_eq!(drained(&format!("{object}\n{full}")), "w1");
        let other = "ops@jump:~$ kubectl get pods\n";
        assert_eq!(drained(&format!("{other}{full}")), "NODE", "ssh or a prompt calls it w1");
        let asked = "$ kubectl get po --field-selector spec.nodeName=w1.example.com\n";
        assert_eq!(drained(&format!("{asked}{full}")), "w1.example.com");
        let event =
            "$ kubectl describe pod web\n  Normal  Scheduled  1m  x  Successfully assigned a/web to w1.example.com\n";
        assert_eq!(drained(&format!("{event}{full}")), "w1.example.com");
        assert_eq!(drained(&format!("{}{other}{full}", table("w1.example.com"))), "w1.example.com");
        assert_eq!(drained(&format!("{full}{}", full.replace("w1", "w2"))), "NODE", "of two nodes");
        assert_eq!(drained(&(table("cp1") + full)), "NODE", "another node");
        assert_eq!(drained(&(table("cp1") + "$ grep memory /proc/cgroups\nmemory\t9\t65000\t1\n")), "NODE", "any node");
        let domains = table("w1.dev.example.com") + &table("w1.example.com");
        assert_eq!(drained(&(domains + full)), "NODE", "it may be either");
        for name in ["..", "__", "Ready", "-w1"] {
            assert!(!super::is_name_of_node(name), "{name}");
        }
    }

    /// Only the jump host's prompt made two machines of one.
    #[test]
    fn an_event_of_the_node_that_was_asked_about_is_no_second_finding() {
        let low = "[root@w1 ~]# grep memory /proc/cgroups\nmemory\t9\t372\t1\n";
        let node = |command: &str, told: &str| {
            format!(
                "[ops@jump ~]$ ssh root@w1.example.com\n[root@w1 ~]# {command}\n{told}  Warning  Failed  2m  kubelet  {MKDIR}\n\
                 {low}[root@w1 ~]# docker run x\n{MKDIR}\n"
            )
        };
        let ids = |text: &str| fired(text).iter().filter(|rule| rule.starts_with("memcg-ids-exhausted")).count();
        assert_eq!(ids(&node("kubectl get pod -A --field-selector spec.nodeName=w1", "")), 1);
        let assigned = "  Normal  Scheduled  3m  default-scheduler  Successfully assigned web/a to w1\n";
        assert_eq!(ids(&node("kubectl describe pod a | tail -6", assigned)), 1);
    }

    #[test]
    fn a_single_machine_and_its_row_are_not_named() {
        let text = "$ kubectl get nodes\nNAME   STATUS   ROLES    AGE   VERSION\nw1     Ready    <none>   10d   v1.27.1\n\
            root@w1.example.com:~# sysctl fs.inotify.max_user_instances\nfs.inotify.max_user_instances = 128\n";
        assert_eq!(fired(text), ["inotify-instances-low "]);
    }
}
