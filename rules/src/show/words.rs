//! The words around the rules' own: names of risks, states, inputs and headings, in every language.

use crate::report::{Report, Risk, Severity, Status, Verdict, Wanted, Why};
use crate::rules::Lang;

/// A few words in each language; a missing one does not compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// English.
    pub en: &'static str,
    /// Japanese.
    pub ja: &'static str,
    /// Chinese (simplified).
    pub zh: &'static str,
}

impl Label {
    /// The words in one language.
    #[must_use]
    pub const fn text(&self, lang: Lang) -> &'static str {
        match lang {
            Lang::En => self.en,
            Lang::Ja => self.ja,
            Lang::Zh => self.zh,
        }
    }
}

/// The answer for the whole input, as one sentence.
#[must_use]
pub fn verdict(report: &Report) -> Label {
    match report.verdict {
        Verdict::AtRisk => Label {
            en: "At risk: this can take a node down.",
            ja: "リスクあり: このままではノードが停止するおそれがあります。",
            zh: "有风险：当前状况可能导致节点故障。",
        },
        Verdict::CannotJudge if report.risks.values().any(|risk| risk.status == Status::Undecided) => Label {
            en: "Cannot judge yet: an input that decides is missing.",
            ja: "まだ判断できません: 判断に必要な情報が足りません。",
            zh: "暂时无法判断：缺少关键信息。",
        },
        Verdict::CannotJudge => Label {
            en: "Cannot judge: nothing here decides any of the four risks.",
            ja: "判断できません: 4 つのリスクのどれも、この内容だけでは決まりません。",
            zh: "无法判断：这些内容不足以判断四类风险中的任何一类。",
        },
        Verdict::NoRiskFound => Label {
            en: "No risk found in what was read.",
            ja: "読み取れた範囲では、リスクは見つかりませんでした。",
            zh: "在已读取的内容中未发现风险。",
        },
    }
}

/// Name of a risk.
#[must_use]
pub const fn risk(risk: Risk) -> Label {
    match risk {
        Risk::MemoryVolume => {
            Label { en: "memory-backed emptyDir", ja: "メモリを使う emptyDir", zh: "基于内存的 emptyDir" }
        }
        Risk::Inotify => Label { en: "inotify limits", ja: "inotify の上限", zh: "inotify 上限" },
        Risk::CgroupCleanup => {
            Label {
                en: "cgroup clean-up by kubelet", ja: "kubelet による cgroup の削除", zh: "kubelet 清理 cgroup"
            }
        }
        Risk::Memcg => Label { en: "memory cgroups", ja: "memory cgroup", zh: "内存 cgroup" },
    }
}

/// What is known about a risk.
#[must_use]
pub const fn status(status: Status) -> Label {
    match status {
        Status::AtRisk => Label { en: "at risk", ja: "リスクあり", zh: "有风险" },
        Status::Undecided => Label { en: "undecided", ja: "判断保留", zh: "待定" },
        Status::Ok => Label { en: "ok", ja: "問題なし", zh: "正常" },
        Status::NoEvidence => {
            Label { en: "nothing about it here", ja: "関連する情報なし", zh: "无相关信息" }
        }
    }
}

/// How bad a finding is.
#[must_use]
pub const fn severity(severity: Severity) -> Label {
    match severity {
        Severity::Error => Label { en: "error", ja: "エラー", zh: "错误" },
        Severity::Warning => Label { en: "warning", ja: "警告", zh: "警告" },
        Severity::Info => Label { en: "info", ja: "情報", zh: "提示" },
    }
}

/// The kinds of input: ids as readers have them, in the order of reading, and names.
const KINDS: [(&str, Label); 15] = [
    ("manifest", Label { en: "Kubernetes manifest", ja: "Kubernetes マニフェスト", zh: "Kubernetes 清单" }),
    ("sysctl", Label { en: "sysctl values", ja: "sysctl の値", zh: "sysctl 参数" }),
    ("proc-cgroups", Label { en: "/proc/cgroups", ja: "/proc/cgroups", zh: "/proc/cgroups" }),
    (
        "membership",
        Label {
            en: "cgroups of a process (/proc/PID/cgroup)",
            ja: "プロセスの cgroup（/proc/PID/cgroup）",
            zh: "进程的 cgroup（/proc/PID/cgroup）",
        },
    ),
    ("mounts", Label { en: "mounts", ja: "マウント一覧", zh: "挂载列表" }),
    ("inotify-usage", Label { en: "inotify use", ja: "inotify の使用状況", zh: "inotify 使用情况" }),
    ("cgroup-tree", Label { en: "cgroup tree", ja: "cgroup 階層", zh: "cgroup 层级" }),
    ("leftovers", Label { en: "what is left of pods", ja: "Pod の残存物", zh: "Pod 的残留" }),
    ("kernel-command-line", Label { en: "kernel command line", ja: "カーネルの起動パラメーター", zh: "内核启动参数" }),
    ("kubectl-tables", Label { en: "kubectl output", ja: "kubectl の出力", zh: "kubectl 输出" }),
    (
        "node-description",
        Label { en: "description of a node", ja: "ノードの describe 出力", zh: "节点的 describe 输出" },
    ),
    (
        "pod-generator",
        Label {
            en: "settings of a tool that creates pods", ja: "Pod を作るツールの設定", zh: "创建 Pod 的工具的配置"
        },
    ),
    ("log", Label { en: "log", ja: "ログ", zh: "日志" }),
    ("versions", Label { en: "versions", ja: "バージョン情報", zh: "版本信息" }),
    ("platform", Label { en: "operating system", ja: "OS の情報", zh: "操作系统信息" }),
];

/// Ids of the kinds of input, in the order of reading.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    KINDS.into_iter().map(|(id, _)| id)
}

/// Name of a kind of input; `None` for an id that this build does not know.
#[must_use]
pub fn kind(id: &str) -> Option<Label> {
    KINDS.into_iter().find(|(known, _)| *known == id).map(|(_, name)| name)
}

/// Why lines were not used. A parser's own message ([`Why::Broken`]) is not part of it.
#[must_use]
pub const fn why_unread(why: &Why) -> Label {
    match why {
        Why::NotRecognised => Label { en: "not recognised", ja: "認識できません", zh: "无法识别" },
        Why::Empty => Label { en: "no text", ja: "テキストがありません", zh: "没有文本" },
        Why::Binary => Label {
            en: "not text (it holds NUL bytes)",
            ja: "テキストではありません（NUL バイトを含みます）",
            zh: "不是文本（含有 NUL 字节）",
        },
        Why::Broken { .. } => Label {
            en: "not valid YAML or JSON",
            ja: "YAML または JSON として解釈できません",
            zh: "不是有效的 YAML 或 JSON",
        },
        Why::Template => Label {
            en: "a template: render it first (helm template, kustomize build)",
            ja: "展開前のテンプレートです。先に helm template や kustomize build で展開してください",
            zh: "尚未渲染的模板，请先用 helm template 或 kustomize build 渲染",
        },
        Why::Diff => Label {
            en: "a diff or patch: paste the whole manifest",
            ja: "差分またはパッチです。マニフェスト全体を貼り付けてください",
            zh: "diff 或补丁，请粘贴完整的清单",
        },
        Why::Fragment => Label {
            en: "a part of a manifest: paste the whole",
            ja: "マニフェストの一部です。全体を貼り付けてください",
            zh: "清单片段，请粘贴完整的清单",
        },
        Why::IndentationLost => Label {
            en: "YAML that lost its indentation: copy it from the file itself",
            ja: "インデントが失われた YAML です。元のファイルからコピーしてください",
            zh: "缩进已丢失的 YAML，请从原文件复制",
        },
        Why::Cut => Label {
            en: "log lines cut before the pod's name: print them whole (journalctl --no-pager)",
            ja: "Pod 名の手前で切れたログです。journalctl --no-pager で行全体を出力してください",
            zh: "日志行在 Pod 名称之前被截断，请用 journalctl --no-pager 输出整行",
        },
        Why::Intended => Label {
            en: "a value written down for later, not the present one",
            ja: "ファイルに書かれただけの設定で、現在の値ではありません",
            zh: "写入文件、稍后才生效的值，不是当前值",
        },
        Why::Irrelevant => {
            Label {
                en: "says nothing about the four risks", ja: "4 つのリスクとは無関係です", zh: "与四类风险无关"
            }
        }
    }
}

/// An input that can decide an undecided risk.
#[must_use]
pub const fn wanted(wanted: Wanted) -> Label {
    match wanted {
        Wanted::Manifest => Label {
            en: "the whole manifest with its containers",
            ja: "コンテナを含むマニフェスト全体",
            zh: "包含容器定义的完整清单",
        },
        Wanted::RenderedManifest => Label {
            en: "the manifest as Helm or Kustomize renders it",
            ja: "Helm や Kustomize で展開した後のマニフェスト",
            zh: "Helm 或 Kustomize 渲染后的清单",
        },
        Wanted::InotifyLimits => {
            Label {
                en: "the node's inotify limits", ja: "ノードの inotify 上限値", zh: "节点的 inotify 上限"
            }
        }
        Wanted::InotifyUsage => Label {
            en: "inotify instances in use, per user",
            ja: "ユーザーごとの inotify インスタンス使用数",
            zh: "每个用户正在使用的 inotify 实例数",
        },
        Wanted::CgroupMode => Label {
            en: "the node's cgroup version (tmpfs is v1, cgroup2fs is v2)",
            ja: "ノードの cgroup バージョン（tmpfs なら v1、cgroup2fs なら v2）",
            zh: "节点的 cgroup 版本（tmpfs 为 v1，cgroup2fs 为 v2）",
        },
        Wanted::MiscController => Label {
            en: "whether the misc controller is mounted",
            ja: "misc コントローラーがマウントされているか",
            zh: "misc 控制器是否已挂载",
        },
        Wanted::KubeletVersion => Label {
            en: "the version of kubelet on the node",
            ja: "ノードの kubelet のバージョン",
            zh: "节点上的 kubelet 版本",
        },
        Wanted::RuncVersion => {
            Label {
                en: "the version of runc on the node", ja: "ノードの runc のバージョン", zh: "节点上的 runc 版本"
            }
        }
        Wanted::ProcCgroups => {
            Label { en: "the number of memory cgroups", ja: "memory cgroup の数", zh: "内存 cgroup 的数量" }
        }
        Wanted::KernelVersion => Label {
            en: "the version of the running kernel",
            ja: "稼働中のカーネルのバージョン",
            zh: "正在运行的内核版本",
        },
        Wanted::KernelCommandLine => Label {
            en: "the command line of the running kernel",
            ja: "稼働中のカーネルの起動パラメーター",
            zh: "正在运行的内核的启动参数",
        },
        Wanted::KubeletLog => Label {
            en: "some minutes of kubelet's log: cgroups that it could not delete or create, inotify errors",
            ja: "直近数分間の kubelet のログ（cgroup の作成・削除の失敗、inotify のエラー）",
            zh: "kubelet 最近几分钟的日志：无法删除或创建的 cgroup、inotify 错误",
        },
    }
}

/// Between a heading and what it heads.
pub const COLON: Label = Label { en: ": ", ja: ": ", zh: "：" };
/// Before what was seen.
pub const OBSERVED: Label = Label { en: "observed", ja: "検出値", zh: "实际值" };
/// Before what should be there.
pub const EXPECTED: Label = Label { en: "expected", ja: "期待値", zh: "期望值" };
/// Before the reason why it matters.
pub const WHY: Label = Label { en: "why", ja: "理由", zh: "原因" };
/// Before what to do.
pub const FIX: Label = Label { en: "what to do", ja: "対処", zh: "处理方法" };
/// Before the object, such as `Deployment/shop/web`.
pub const OBJECT: Label = Label { en: "object", ja: "オブジェクト", zh: "对象" };
/// Before a container's name.
pub const CONTAINER: Label = Label { en: "container", ja: "コンテナ", zh: "容器" };
/// Before a volume's name.
pub const VOLUME: Label = Label { en: "volume", ja: "ボリューム", zh: "卷" };
/// Above the column of risks.
pub const RISK: Label = Label { en: "risk", ja: "リスク", zh: "风险" };
/// Above the column of their states.
pub const STATE: Label = Label { en: "state", ja: "状態", zh: "状态" };
/// Above the sentences that a rule can say.
pub const SAYS_HEADING: Label = Label { en: "What it says", ja: "表示されるメッセージ", zh: "提示内容" };
/// Above the reason why a rule matters.
pub const WHY_HEADING: Label =
    Label { en: "Why it matters on a node", ja: "ノードへの影響", zh: "对节点的影响" };
/// Above what to do about a finding.
pub const FIX_HEADING: Label = Label { en: "What to do", ja: "対処方法", zh: "处理方法" };
/// Above the known limits of a rule, and where it departs from the articles that it comes from.
pub const NOTES_HEADING: Label =
    Label { en: "Known limits and remarks", ja: "既知の制約と補足", zh: "已知局限与说明" };
/// Above an example that fires a rule.
pub const BAD_HEADING: Label =
    Label { en: "An example that fires", ja: "検出される例", zh: "会触发的示例" };
/// Above an example that does not fire a rule.
pub const GOOD_HEADING: Label =
    Label { en: "An example that does not", ja: "検出されない例", zh: "不会触发的示例" };
/// Above the sources of a rule's facts.
pub const LINKS_HEADING: Label = Label { en: "Sources", ja: "参考資料", zh: "参考资料" };
/// Above the list of all rules.
pub const RULES_HEADING: Label = Label { en: "Rules", ja: "ルール一覧", zh: "规则一览" };
/// Above the commands whose output would decide.
pub const PASTE_NEXT: Label = Label {
    en: "To decide, paste the output of",
    ja: "判断するには、次のコマンドの出力を貼り付けてください",
    zh: "要得出结论，请粘贴以下命令的输出",
};
/// Above the lines that were understood.
pub const READ: Label = Label { en: "Read", ja: "読み取った行", zh: "已读取" };
/// Above the lines that were not used.
pub const UNREAD: Label = Label { en: "Not used", ja: "使わなかった行", zh: "未使用" };
/// Below a list that was cut; `{count}` entries are not shown.
pub const MORE: Label = Label { en: "and {count} more", ja: "ほか {count} 件", zh: "另有 {count} 项" };
/// On a terminal, before the paste is read.
pub const PASTE_HERE: Label = Label {
    en: "Paste manifests, command output or logs here, then press Enter and Ctrl-D (Windows: Ctrl-Z, Enter).",
    ja: "マニフェスト、コマンドの出力、ログを貼り付け、Enter の後に Ctrl-D を押してください（Windows では Ctrl-Z、Enter）。",
    zh: "请粘贴清单、命令输出或日志，然后按 Enter 和 Ctrl-D（Windows：Ctrl-Z 后按 Enter）。",
};
/// What `--fix` says about a document that it could not edit in place.
pub const REFORMATTED: Label = Label {
    en: "this document was written anew; comments and layout are lost",
    ja: "このドキュメントは全体を書き直しました（コメントと書式は失われます）",
    zh: "该文档已整体重写，注释和排版会丢失",
};
/// What `--fix` says when no finding has a patch.
pub const NOTHING_TO_FIX: Label = Label {
    en: "nothing here can be fixed automatically",
    ja: "自動で修正できる箇所はありません",
    zh: "没有可以自动修复的内容",
};
