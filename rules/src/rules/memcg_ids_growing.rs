//! Many more memory cgroups than the node has use for.

use crate::facts::Facts;
use crate::report::{Evidence, Finding, Risk, Severity};
use crate::risks::memcg::{EXHAUSTED, MANY, MAX_IDS, left_to_do, what_is_left};
use crate::rules::{Rule, Text, Words, on_pages};
use crate::settings::Settings;

/// Removed cgroups linger for a while on every kernel; below this count a multiple of few is no leak.
const FEW: u64 = 1_000;

/// How many memory cgroups per live directory or container are too many.
const MULTIPLE: u64 = 5;

/// See the module.
pub static RULE: Rule = Rule {
    id: "memcg-ids-growing",
    risk: Risk::Memcg,
    severity: Severity::Warning,
    words: Words {
        en: Text {
            title: "Memory cgroups pile up",
            says: &[
                "The kernel counts {cgroups} memory cgroups but only {live} are alive.",
                "The kernel counts {cgroups} memory cgroups; a node with 110 pods has fewer than 1500.",
            ],
            why: "Removed memory cgroups stay in the kernel while page cache, tmpfs files or slab objects are still \
                  charged to them. Each takes memory and one of {max} ids; when those are gone, no container with a \
                  memory limit starts on this node. CronJobs, CI jobs and crash loops speed it up.",
            fix: concat!(
                "Watch the number over a day. If it only grows, drain and reboot the node in time, or drop caches \
                  as a stopgap.\n",
                what_is_left!(en),
            ),
            notes: on_pages(&[
                "10000 cgroups, or five times what is alive, is this rule's threshold and not the kernel's: many \
                 short-lived pods can reach it for a while on a healthy node.",
                "The column is called num_cgroups (the article behind this rule writes num_groups). On cgroup v2 it \
                 counts the whole tree in every row, and cgroup.stat tells nr_dying_descendants.",
            ]),
        },
        ja: Text {
            title: "memory cgroup の蓄積",
            says: &[
                "カーネルが数える memory cgroup は {cgroups} 個ですが、実在するのは {live} 個だけです。",
                "カーネルが数える memory cgroup は {cgroups} 個です。110 Pod のノードでも通常は 1500 個未満です。",
            ],
            why: "削除された memory cgroup は、ページキャッシュや tmpfs のファイル、スラブオブジェクトが計上されている間カーネルに残ります。\
                  1 つごとにメモリを消費し、{max} 個しかない ID も 1 つ占有します。ID が尽きると、メモリ制限付きのコンテナはこのノードで起動できません。\
                  CronJob、CI ジョブ、クラッシュループがあると、より早く尽きます。",
            fix: concat!(
                "1 日ほど推移を見てください。増え続けるなら、尽きる前に drain して再起動するか、応急処置としてキャッシュを解放してください。\n",
                what_is_left!(ja),
            ),
            notes: on_pages(&[
                "10000 個、または実在する数の 5 倍というしきい値はこのルールのもので、カーネルのものではありません。\
                 短命な Pod が多いと、正常なノードでも一時的に超えることがあります。",
                "列名は num_cgroups です（元の記事では num_groups）。cgroup v2 ではどの行も階層全体の数になります。\
                 cgroup.stat の nr_dying_descendants でも確認できます。",
            ]),
        },
        zh: Text {
            title: "内存 cgroup 不断堆积",
            says: &[
                "内核统计到 {cgroups} 个内存 cgroup，但实际存在的只有 {live} 个。",
                "内核统计到 {cgroups} 个内存 cgroup；运行 110 个 Pod 的节点一般不到 1500 个。",
            ],
            why: "被删除的内存 cgroup 只要还有页缓存、tmpfs 文件或 slab 对象记在它名下，就会留在内核里。每个都占用内存和 {max} 个 ID 中的一个；\
                  ID 用尽后，带内存限制的容器无法在该节点启动。CronJob、CI 任务和反复崩溃的容器会加快这一过程。",
            fix: concat!(
                "观察一天内的变化。如果只增不减，请在用尽之前腾空并重启节点，或临时用 drop_caches 缓解。\n",
                what_is_left!(zh),
            ),
            notes: on_pages(&[
                "10000 个或存活数的五倍是本规则的阈值，不是内核的。短生命周期的 Pod 很多时，正常节点也可能暂时超过。",
                "该列的名称是 num_cgroups（原文章写作 num_groups）。在 cgroup v2 上，每一行都是整棵树的数量，\
                 也可以查看 cgroup.stat 中的 nr_dying_descendants。",
            ]),
        },
    },
    setting: None,
    remedy: "\
{if count_on_v1}
grep memory /proc/cgroups
find /sys/fs/cgroup/memory -type d | wc -l

{if count_on_v2}
grep descendants /sys/fs/cgroup/cgroup.stat # on cgroup v2

sync; echo 3 | sudo tee /proc/sys/vm/drop_caches
",
    links: &[
        "https://github.com/torvalds/linux/commit/73f576c04b94",
        "https://docs.kernel.org/admin-guide/cgroup-v1/memory.html",
        "https://github.com/kubernetes/kubernetes/issues/61937",
    ],
    check,
}
.of_texts();

fn check(facts: &Facts, settings: &Settings) -> Vec<Finding> {
    let memcg = &facts.memcg;
    let Some(counted) = memcg.num_cgroups.as_ref().or(memcg.directories.as_ref()) else {
        return Vec::new();
    };
    let live = memcg.directories.as_ref().or(memcg.containers.as_ref());
    let too_many = |live: u64| counted.value > live.saturating_mul(MULTIPLE) && counted.value >= FEW;
    let live = live.filter(|live| too_many(live.value));
    if counted.value >= EXHAUSTED || (counted.value < MANY && live.is_none()) {
        return Vec::new();
    }
    let mut finding = RULE.finding();
    let allowed = live.map_or(MANY, |live| live.value.saturating_mul(MULTIPLE));
    let observed = format!("memory cgroups: {}", counted.value);
    finding.evidence.push(Evidence::new(&counted.place, observed, format!("<= {allowed}")));
    finding.values.insert("cgroups".into(), counted.value.to_string());
    finding.values.insert("max".into(), MAX_IDS.to_string());
    finding.values.extend(left_to_do(facts, &settings.node));
    if let Some(live) = live {
        finding.evidence.push(Evidence::new(&live.place, live.value.to_string(), ""));
        finding.values.insert("live".into(), live.value.to_string());
    }
    vec![finding]
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::facts::Facts;
    use crate::fixture::{findings, found, says, version};
    use crate::rules::Lang;
    use crate::show::said;

    fn facts(counted: u64, directories: Option<u64>, containers: Option<u64>) -> Facts {
        let mut facts = Facts::default();
        facts.memcg.num_cgroups = Some(found(counted));
        facts.memcg.directories = directories.map(found);
        facts.memcg.containers = containers.map(found);
        facts
    }

    #[test]
    fn ten_thousand_are_many_and_exhaustion_is_another_rule() {
        for (count, fires) in [(9_999, 0), (10_000, 1), (51_999, 1), (52_000, 0)] {
            assert_eq!(findings(&RULE, &facts(count, None, None)).len(), fires, "{count}");
        }
    }

    #[test]
    fn more_than_five_per_live_one_is_a_leak() {
        assert_eq!(
            says(&RULE, &facts(3_001, Some(600), None)),
            "The kernel counts 3001 memory cgroups but only 600 are alive."
        );
        assert_eq!(findings(&RULE, &facts(3_001, None, Some(40))).len(), 1);
        assert!(findings(&RULE, &facts(3_000, Some(600), None)).is_empty());
        assert!(findings(&RULE, &facts(900, Some(10), None)).is_empty(), "too few to be a leak");
        assert!(findings(&RULE, &facts(9_000, Some(9_000), Some(10))).is_empty(), "directories tell more");
    }

    #[test]
    fn a_kernel_that_has_the_fix_is_not_to_be_updated() {
        let mut facts = facts(12_000, Some(600), None);
        facts.versions.kernel = vec![version("5.15.0-71-generic")];
        let fix = said(&findings(&RULE, &facts)[0], Lang::En).unwrap().fix;
        assert!(
            fix.contains("find counts only 600 directories") && fix.contains("an update is not the remedy"),
            "{fix}"
        );
    }
}
