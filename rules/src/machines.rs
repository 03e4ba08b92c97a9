//! Several machines in one text: what was seen on one is not held against another.

use std::collections::{BTreeMap, BTreeSet};

use crate::facts::{Cgroups, Facts, Found, Gauge, Host, Inotify, Memcg, Nodes, Versions};
use crate::kubernetes::pod::PodTemplate;
use crate::order;
use crate::report::{Finding, Missing, Risk, Status};
use crate::risks::{self, cgroup_cleanup::old_kubelets};
use crate::rules::Rule;
use crate::settings::{NodeProfile, Settings};

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

/// The machines that a text tells apart; none when it is about a single one, or about none in particular.
pub(crate) fn apart(facts: &Facts) -> Vec<Machine> {
    let mut named = BTreeSet::new();
    facts.of_hosts(&mut |host| {
        named.insert(host);
        false
    });
    named.extend(facts.readings.keys().map(|(_, host)| *host));
    named.remove(&Host::default());
    let mut visited: Vec<Host> = facts.visited.iter().copied().filter(|host| named.contains(host)).collect();
    if named.len() < 2 || visited.is_empty() || visited.len() > MOST {
        return Vec::new();
    }
    order::sort_by(&mut visited, |a, b| facts.names.get(a).cmp(&facts.names.get(b)));
    let mut machines: Vec<Machine> =
        visited.iter().map(|host| Machine { name: facts.names.get(host).cloned(), facts: on(*host, facts) }).collect();
    machines.push(Machine { name: None, facts: elsewhere(facts, &visited) });
    machines
}

/// What is known of a machine: its own values, and those that do not say whose they are.
fn on(host: Host, facts: &Facts) -> Facts {
    let mut own = facts.of_hosts(&mut |other| host.may_be(other));
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
                    known.evidence.extend(finding.evidence.into_iter().take(room));
                }
                (_, node) => {
                    finding.object = node.or(finding.object);
                    all.push(finding);
                }
            }
        }
    }
    all
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
                ..Inotify::default()
            },
            cgroups: Cgroups {
                modes: kept(&cgroups.modes, keep),
                v1_controllers: kept(&cgroups.v1_controllers, keep),
                misc: kept(&cgroups.misc, keep),
                delete_errors: kept(&cgroups.delete_errors, keep),
                orphans: kept(&cgroups.orphans, keep),
                stuck_processes: kept(&cgroups.stuck_processes, keep),
            },
            memcg: Memcg {
                mkdir_errors: kept(&memcg.mkdir_errors, keep),
                kmem_errors: kept(&memcg.kmem_errors, keep),
                kmem_in_use: kept(&memcg.kmem_in_use, keep),
                nokmem: kept(&memcg.nokmem, keep),
                nokmem_intended: kept(&memcg.nokmem_intended, keep),
                drop_caches: kept(&memcg.drop_caches, keep),
                ..Memcg::default()
            },
            versions: Versions {
                kubelet: kept(&versions.kubelet, keep),
                runc: kept(&versions.runc, keep),
                containerd: kept(&versions.containerd, keep),
                crio: kept(&versions.crio, keep),
                kernel: kept(&versions.kernel, keep),
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
    use crate::settings::Settings;
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

    #[test]
    fn a_single_machine_and_its_row_are_not_named() {
        let text = "$ kubectl get nodes\nNAME   STATUS   ROLES    AGE   VERSION\nw1     Ready    <none>   10d   v1.27.1\n\
            root@w1.example.com:~# sysctl fs.inotify.max_user_instances\nfs.inotify.max_user_instances = 128\n";
        assert_eq!(fired(text), ["inotify-instances-low "]);
    }
}
