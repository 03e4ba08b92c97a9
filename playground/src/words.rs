//! The page's own words. What the report says comes from the rule core (`rules::show`).

use rules::facts::CgroupMode;
use rules::kubernetes::inotify::Runtime;
use rules::kubernetes::quantity;
use rules::names::name_of;
use rules::report::{Report, Risk, Severity};
use rules::rules::Lang;
use rules::settings::NodeProfile;
use rules::show::visible;
use rules::show::words::{Label, NOTHING_TO_FIX, REFORMATTED, kind, severity, verdict};

use crate::capacity::{Amount, What};
use crate::examples::Example;
use crate::exports::NAME;
use crate::fixes::Fixed;
use crate::inputs::{EDITABLE, MOST};
use crate::preferences::Theme;
use crate::share::{Fault, INFLATED, LONG, TEXTS, TOO_LONG};
use crate::state::{Phase, Refused, State};
use crate::worker::Lost;

/// Under the name.
pub const TAGLINE: Label = Label {
    en: "Will this take a node down?",
    ja: "そのままで、ノードは落ちませんか？",
    zh: "这样下去，节点会不会挂？",
};

/// Label of the textarea.
pub const INPUT: Label = Label {
    en: "Paste a manifest, command output or log",
    ja: "マニフェスト、コマンドの出力、ログを貼り付けてください",
    zh: "粘贴清单、命令输出或日志",
};

/// The same where the text is only to be read.
pub const TO_READ: Label =
    Label { en: "The text that is checked", ja: "チェック対象のテキスト", zh: "被检查的文本" };

/// Shown in the empty textarea.
pub const PLACEHOLDER: Label = Label {
    en: "Paste here, or drop a file anywhere on the page.",
    ja: "ここに貼り付けるか、ページ上にファイルをドロップしてください。",
    zh: "粘贴到这里，或把文件拖放到页面任意位置。",
};

/// Shown in the empty textarea, when a kind of input is asked for.
#[must_use]
pub fn placeholder(lang: Lang, wanted: Option<&str>) -> String {
    let Some(kind) = wanted.and_then(kind) else {
        return PLACEHOLDER.text(lang).to_owned();
    };
    let kind = kind.text(lang);
    match lang {
        Lang::En => format!("Paste here: {kind}"),
        Lang::Ja => format!("ここに貼り付け: {kind}"),
        Lang::Zh => format!("粘贴到这里：{kind}"),
    }
}

/// Opens the page without the page around.
pub const FULL_PAGE: Label = Label { en: "Open full page", ja: "全画面で開く", zh: "打开完整页面" };

/// The promise under the textarea.
pub const PRIVACY: Label = Label {
    en: "Checked in your browser. Nothing you paste leaves this page.",
    ja: "チェックはブラウザー内で完結します。貼り付けた内容が外部に送信されることはありません。",
    zh: "检查完全在浏览器中进行，粘贴的内容不会离开本页面。",
};

/// The same where nothing can be pasted.
pub const PRIVACY_TO_READ: Label = Label {
    en: "Checked in your browser. The text does not leave this page.",
    ja: "チェックはブラウザー内で完結します。テキストが外部に送信されることはありません。",
    zh: "检查完全在浏览器中进行，文本不会离开本页面。",
};

/// Jumps over the input.
pub const SKIP: Label = Label { en: "Skip to the report", ja: "結果へ移動", zh: "跳到检查结果" };

/// Name of the report's part of the page.
pub const REPORT: Label = Label { en: "Report", ja: "チェック結果", zh: "检查结果" };

/// Name of the language choice.
pub const LANGUAGE: Label = Label { en: "Language", ja: "言語", zh: "语言" };

/// Name of the theme choice.
pub const THEME: Label = Label { en: "Theme", ja: "テーマ", zh: "主题" };

/// First entry of the list of examples.
pub const EXAMPLES: Label = Label { en: "Examples", ja: "サンプル", zh: "示例" };

/// Above a few examples.
pub const TRY: Label = Label { en: "Try an example:", ja: "サンプルで試す:", zh: "看个示例：" };

/// Puts the chosen example into the textarea.
pub const LOAD: Label = Label { en: "Load example", ja: "サンプルを読み込む", zh: "载入示例" };

/// An example on which the rule fires.
pub const RISKY: Label = Label { en: "risky", ja: "リスクあり", zh: "有风险" };

/// An example on which the rule does not fire.
pub const SAFE: Label = Label { en: "safe", ja: "問題なし", zh: "正常" };

/// Whether a rule fires on an example, and what tells it from the rule's other ones. File names are English.
#[must_use]
pub fn example(lang: Lang, example: &Example) -> String {
    let kind = if example.is_bad() { RISKY } else { SAFE }.text(lang);
    match lang {
        Lang::En => format!("{kind}: {}", example.name()),
        Lang::Ja | Lang::Zh => format!("{kind} {}", example.number()),
    }
}

/// Opens the file dialog.
pub const OPEN: Label = Label { en: "Open file…", ja: "ファイルを開く…", zh: "打开文件…" };

/// Adds an empty input.
pub const ADD: Label = Label { en: "Add another input", ja: "入力を追加", zh: "再添加一份输入" };

/// Name of the list of inputs.
pub const INPUTS: Label = Label { en: "Inputs", ja: "入力", zh: "输入" };

/// Name of the first text that was pasted. Reports call it as the command calls its standard input.
const PASTED: Label = Label { en: "Pasted text", ja: "貼り付けたテキスト", zh: "粘贴的文本" };

/// More of a name is not shown, in characters.
const LONGEST_NAME: usize = 80;

/// Name of an input as it is shown.
#[must_use]
pub fn input_name(lang: Lang, name: &str) -> String {
    if name == NAME || name.trim().is_empty() {
        return PASTED.text(lang).to_owned();
    }
    match name.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("{}…", visible(name.get(..end).unwrap_or_default())),
        None => visible(name).into_owned(),
    }
}

/// All findings are filtered out.
pub const ALL_HIDDEN: Label = Label {
    en: "All findings are hidden by the filter.",
    ja: "すべての指摘がフィルターで非表示になっています。",
    zh: "所有问题都已被筛选条件隐藏。",
};

/// The text tells of what kind it is.
pub const AUTO: Label = Label { en: "Read as: auto", ja: "種類: 自動判別", zh: "类型：自动识别" };

/// A text is too long for the textarea.
pub const HELD: Label = Label {
    en: "Too long to be edited here, but checked. Lines around what was found:",
    ja: "長すぎるためここでは編集できませんが、チェックします。指摘のあった箇所の前後:",
    zh: "文本过长，无法在此编辑，但仍会检查。问题前后的内容：",
};

/// A part of the page is on its way.
pub const LOADING: Label = Label { en: "Working…", ja: "処理しています…", zh: "正在处理…" };

/// A part of the page did not arrive, or stopped.
pub const NO_ANSWER: Label = Label {
    en: "This part of the page could not be loaded or has stopped. Your text is still here; try again. If that does not help, copy the text and reload the page.",
    ja: "この機能を読み込めなかったか、途中で停止しました。テキストは残っています。もう一度試してください。それでもだめなら、テキストをコピーしてからページを再読み込みしてください。",
    zh: "该功能加载失败或中途停止。文本仍在，请重试。如果仍然失败，请先复制文本，再重新加载页面。",
};

/// Some texts do not go into the link.
pub const LEFT_OUT: Label = Label {
    en: "Texts too long to be edited are left out of the link; save the report and send that.",
    ja: "編集できないほど長いテキストはリンクに含まれません。レポートを保存して送ってください。",
    zh: "过长而无法编辑的文本不会包含在链接中，请保存报告后发送。",
};

/// Some texts do not go into the whole page.
pub const NOT_TAKEN_ALONG: Label = Label {
    en: "Texts too long to be edited do not go along; open them there again.",
    ja: "編集できないほど長いテキストは引き継がれません。移動先でもう一度開いてください。",
    zh: "过长而无法编辑的文本不会带过去，请在那里重新打开。",
};

/// Empties the page.
pub const CLEAR: Label = Label { en: "Clear", ja: "クリア", zh: "清空" };

/// Puts the replaced text back.
pub const BRING_BACK: Label =
    Label { en: "Bring my text back", ja: "前のテキストに戻す", zh: "恢复之前的文本" };

/// Shown while a file is held over the page.
pub const DROP: Label =
    Label {
        en: "Drop the file to check it", ja: "ここにドロップするとチェックします", zh: "松开鼠标即可检查文件"
    };

/// Copies what stands beside it.
pub const COPY: Label = Label { en: "Copy", ja: "コピー", zh: "复制" };

/// It was copied.
pub const COPIED: Label = Label { en: "Copied", ja: "コピーしました", zh: "已复制" };

/// The browser did not allow it.
pub const NOT_COPIED: Label = Label {
    en: "The browser refused: select and copy by hand",
    ja: "ブラウザーに拒否されました。選択してコピーしてください",
    zh: "浏览器不允许复制，请手动选择后复制",
};

/// Puts a finding's fix into the text.
pub const APPLY: Label = Label { en: "Apply fix", ja: "修正を適用", zh: "应用修复" };

/// Puts all fixes into the text, and those that they bring to light.
pub const APPLY_ALL: Label =
    Label { en: "Apply all fixes", ja: "すべての修正を適用", zh: "应用全部修复" };

/// Name of the choice of severities.
pub const SHOWN: Label = Label { en: "Severities shown", ja: "表示する重要度", zh: "显示的级别" };

/// Keys that lead through the findings, and from the text to them.
pub const KEYS: Label = Label {
    en: "F8 / Shift+F8, in a finding n / p: next / previous. Esc in the text: back",
    ja: "F8 / Shift+F8（指摘内は n / p）で次／前へ、テキストで Esc: 戻る",
    zh: "F8 / Shift+F8（问题内 n / p）：下一个 / 上一个，文本中 Esc：返回",
};

/// Unfolds what can be said of the node.
pub const NODE: Label = Label { en: "About the node", ja: "ノードの情報", zh: "节点信息" };

/// What is known of the node, which counts in every check. `None` when nothing is.
#[must_use]
pub fn known_of_node(lang: Lang, node: &NodeProfile) -> Option<String> {
    let pods = node.max_pods.map(|pods| match lang {
        Lang::En => format!("max pods {pods}"),
        Lang::Ja | Lang::Zh => format!("最大 Pod 数 {pods}"),
    });
    let memory = node.memory.map(quantity::format).map(|memory| match lang {
        Lang::En => format!("memory {memory}"),
        Lang::Ja => format!("メモリ {memory}"),
        Lang::Zh => format!("内存 {memory}"),
    });
    let runtime = node.runtime.map(|runtime| name_of(runtime, &Runtime::ALL).to_owned());
    let cgroups = node.cgroups.map(|mode| format!("cgroup {}", name_of(mode, &CgroupMode::ALL)));
    let known: Vec<String> = [pods, memory, runtime, cgroups].into_iter().flatten().collect();
    let known = Some(known.join(COMMA.text(lang))).filter(|known| !known.is_empty())?;
    Some(match lang {
        Lang::En => format!("{known} (set here)"),
        Lang::Ja => format!("{known}（ここで指定）"),
        Lang::Zh => format!("{known}（在此指定）"),
    })
}

/// Name of kubelet's `maxPods`.
pub const MAX_PODS: Label = Label { en: "Max pods", ja: "最大 Pod 数", zh: "最大 Pod 数" };

/// Name of the node's memory.
pub const NODE_MEMORY: Label =
    Label {
        en: "Allocatable memory", ja: "割り当て可能（allocatable）メモリ", zh: "可分配内存（allocatable）"
    };

/// Name of what runs containers.
pub const RUNTIME: Label = Label { en: "Container runtime", ja: "コンテナランタイム", zh: "容器运行时" };

/// Name of how cgroups are mounted.
pub const CGROUPS: Label = Label { en: "cgroup version", ja: "cgroup のバージョン", zh: "cgroup 版本" };

/// Chosen in a list whose other choices state something.
pub const NOT_KNOWN: Label = Label { en: "not known", ja: "不明", zh: "未知" };

/// What was typed is no number of pods.
pub const NO_PODS: Label = Label {
    en: "Write a whole number above 0, such as 110.",
    ja: "110 のように 1 以上の整数を入力してください。",
    zh: "请输入大于 0 的整数，例如 110。",
};

/// What was typed is no amount of memory.
pub const NO_MEMORY: Label = Label {
    en: "Write a Kubernetes quantity, such as 16Gi.",
    ja: "16Gi のように Kubernetes の Quantity 形式で入力してください。",
    zh: "请按 Kubernetes Quantity 格式输入，例如 16Gi。",
};

/// Unfolds what makes a link.
pub const SHARE: Label = Label { en: "Share link…", ja: "リンクで共有…", zh: "分享链接…" };

/// What a link does.
pub const SHARE_HINT: Label = Label {
    en: "The link itself carries the text below; no server stores it. Whoever has the link can read it.",
    ja: "下のテキストはリンクそのものに含まれ、サーバーには保存されません。リンクを知っている人は誰でも読めます。",
    zh: "下面的文本包含在链接本身之中，不会存到任何服务器。得到链接的人都能看到这些内容。",
};

/// Name of the choice of what to take out.
pub const TAKE_OUT: Label = Label { en: "Take out first:", ja: "伏せる内容:", zh: "先隐去：" };

/// Values of Secrets.
pub const SECRETS: Label = Label { en: "Secret data", ja: "Secret の値", zh: "Secret 的值" };

/// Values of environment variables.
pub const ENVIRONMENT: Label = Label { en: "environment values", ja: "環境変数の値", zh: "环境变量的值" };

/// Credentials.
pub const TOKENS: Label =
    Label { en: "tokens and passwords", ja: "トークンとパスワード", zh: "令牌和密码" };

/// IP addresses.
pub const ADDRESSES: Label = Label { en: "IP addresses", ja: "IP アドレス", zh: "IP 地址" };

/// Names of hosts.
pub const HOSTS: Label = Label { en: "host names", ja: "ホスト名", zh: "主机名" };

/// Part of what is taken out of a text that is shared: what its findings do not stand on.
pub const REST: Label =
    Label { en: "lines without findings", ja: "指摘に関係しない行", zh: "与问题无关的行" };

/// Name of the text that goes into the link.
pub const PREVIEW: Label =
    Label { en: "The text in the link", ja: "リンクに含まれるテキスト", zh: "链接中的文本" };

/// Copies the link.
pub const COPY_LINK: Label = Label { en: "Copy link", ja: "リンクをコピー", zh: "复制链接" };

/// Unfolds a policy made for the findings.
pub const ENFORCE: Label =
    Label { en: "Enforce this…", ja: "クラスターで強制…", zh: "在集群中强制执行…" };

/// What the policy is and what is shown with it.
pub const ENFORCE_HINT: Label = Label {
    en: "A Kubewarden policy against the memory findings above, and what it would answer if these objects were created. \
         LimitRanges do not count here.",
    ja: "上のメモリに関する指摘を防ぐ Kubewarden ポリシーと、これらのオブジェクトを作成したときの判定結果です。\
         LimitRange は考慮されません。",
    zh: "针对上述内存问题的 Kubewarden 策略，以及创建这些对象时策略会给出的结果。这里不考虑 LimitRange。",
};

/// Before the rules whose present findings the policy does not prevent.
pub const UNCOVERED: Label = Label {
    en: "Not prevented, as no object shows it alone:",
    ja: "防げない指摘（オブジェクト単体では判断できません）:",
    zh: "无法阻止（仅凭对象本身无法判断）：",
};

/// The policy keeps risky objects out.
pub const REJECT: Label = Label { en: "Reject", ja: "拒否する", zh: "拒绝" };

/// The policy mends risky objects.
pub const GIVE_LIMITS: Label = Label {
    en: "Give limits where there are none, reject the rest",
    ja: "制限がなければ補い、それ以外は拒否する",
    zh: "没有限制的补上限制，其余拒绝",
};

/// The policy lets an object pass.
pub const ACCEPTED: Label = Label { en: "Accepted", ja: "許可", zh: "允许" };

/// The policy lets an object pass and warns.
pub const WARNED: Label =
    Label { en: "Accepted with a warning", ja: "警告付きで許可", zh: "允许，但给出警告" };

/// The policy changes an object.
pub const CHANGED: Label = Label { en: "Accepted and changed", ja: "変更して許可", zh: "修改后允许" };

/// The policy keeps an object out.
pub const DENIED: Label = Label { en: "Denied", ja: "拒否", zh: "拒绝" };

/// Copies the report.
pub const COPY_MARKDOWN: Label =
    Label { en: "Copy as Markdown", ja: "Markdown でコピー", zh: "复制为 Markdown" };

/// Takes out of a report what a link leaves out at first.
pub const HIDE: Label = Label {
    en: "hide secrets, addresses and host names",
    ja: "機密情報・IP アドレス・ホスト名を伏せる",
    zh: "隐去机密、IP 地址和主机名",
};

/// Between the amounts of a capacity.
pub const COMMA: Label = Label { en: ", ", ja: "、", zh: "，" };

/// Heading of the empty report.
pub const WHAT_TO_PASTE: Label = Label {
    en: "Four ways a node dies, and what tells",
    ja: "ノードが落ちる 4 つの原因と、その調べ方",
    zh: "节点挂掉的四种原因，以及如何判断",
};

/// Under the heading of the empty report.
pub const HOW_TO_PASTE: Label = Label {
    en: "Paste one or all of these, prompts, logs and chatter included.",
    ja: "一つでも、まとめてでもかまいません。プロンプトやログ、会話が混ざったままで読み取れます。",
    zh: "粘贴其中一项或全部都可以，夹带提示符、日志或聊天内容也没关系。",
};

/// Before the kinds of input that were found.
pub const DETECTED: Label = Label { en: "Detected", ja: "検出した入力", zh: "识别到" };

/// Heading of the list of risks.
pub const RISKS: Label = Label { en: "The four risks", ja: "4 つのリスク", zh: "四类风险" };

/// Heading of the list of findings.
pub const FINDINGS: Label = Label { en: "Findings", ja: "指摘事項", zh: "发现的问题" };

/// Before links to where the facts come from.
pub const SOURCES: Label = Label { en: "Sources", ja: "参考資料", zh: "参考资料" };

/// What a risk does to a node.
#[must_use]
pub const fn danger(risk: Risk) -> Label {
    match risk {
        Risk::MemoryVolume => Label {
            en: "A volume kept in memory and bounded by nothing fills the node's RAM.",
            ja: "上限のないメモリ上のボリュームが、ノードのメモリを使い切ります。",
            zh: "没有上限的内存卷会占满节点内存。",
        },
        Risk::Inotify => Label {
            en: "inotify instances or watches run out; log streaming and kubelet stop working.",
            ja: "inotify のインスタンスやウォッチが枯渇し、ログの追跡や kubelet が動かなくなります。",
            zh: "inotify 实例或 watch 耗尽，日志跟踪和 kubelet 无法工作。",
        },
        Risk::CgroupCleanup => Label {
            en: "kubelet tries forever to delete the cgroups of pods that are gone.",
            ja: "削除済みの Pod の cgroup を kubelet が消せず、際限なく再試行します。",
            zh: "kubelet 删不掉已消失 Pod 的 cgroup，无休止地重试。",
        },
        Risk::Memcg => Label {
            en: "Memory cgroups pile up until no container can start.",
            ja: "memory cgroup が溜まり続け、コンテナを起動できなくなります。",
            zh: "内存 cgroup 不断堆积，直到任何容器都无法启动。",
        },
    }
}

/// Name of a theme.
#[must_use]
pub const fn theme(theme: Theme) -> Label {
    match theme {
        Theme::System => Label { en: "System", ja: "システム", zh: "跟随系统" },
        Theme::Light => Label { en: "Light", ja: "ライト", zh: "浅色" },
        Theme::Dark => Label { en: "Dark", ja: "ダーク", zh: "深色" },
    }
}

/// A language's name for itself.
#[must_use]
pub const fn own_name(lang: Lang) -> &'static str {
    match lang {
        Lang::En => "English",
        Lang::Ja => "日本語",
        Lang::Zh => "中文",
    }
}

/// The lines from `first` to `last`.
#[must_use]
pub fn lines(lang: Lang, first: usize, last: usize) -> String {
    match (lang, first == last) {
        (Lang::En, true) => format!("line {first}"),
        (Lang::En, false) => format!("lines {first}–{last}"),
        (Lang::Ja, true) => format!("{first} 行目"),
        (Lang::Ja, false) => format!("{first}–{last} 行目"),
        (Lang::Zh, true) => format!("第 {first} 行"),
        (Lang::Zh, false) => format!("第 {first}–{last} 行"),
    }
}

/// Takes an input away.
#[must_use]
pub fn remove(lang: Lang, name: &str) -> String {
    match lang {
        Lang::En => format!("Remove {name}"),
        Lang::Ja => format!("{name} を削除"),
        Lang::Zh => format!("移除 {name}"),
    }
}

/// Name of the choice of how an input is read.
#[must_use]
pub fn read_as(lang: Lang, name: &str) -> String {
    match lang {
        Lang::En => format!("How {name} is read"),
        Lang::Ja => format!("{name} の種類"),
        Lang::Zh => format!("{name} 的类型"),
    }
}

/// So many lines of a kind.
#[must_use]
pub fn lines_of(lang: Lang, kind: &str, count: usize) -> String {
    match lang {
        Lang::En if count == 1 => format!("{kind} (1 line)"),
        Lang::En => format!("{kind} ({count} lines)"),
        Lang::Ja => format!("{kind}（{count} 行）"),
        Lang::Zh => format!("{kind}（{count} 行）"),
    }
}

/// How long a text is, and whether it is only the start of a longer one.
#[must_use]
pub fn size(lang: Lang, bytes: u32, cut: bool) -> String {
    let megabytes = f64::from(bytes) / f64::from(1024 * 1024);
    match (lang, cut) {
        (_, false) => format!("{megabytes:.1} MB"),
        (Lang::En, true) => format!("only the first {megabytes:.1} MB are checked"),
        (Lang::Ja, true) => format!("先頭の {megabytes:.1} MB のみチェックします"),
        (Lang::Zh, true) => format!("只检查前 {megabytes:.1} MB"),
    }
}

/// So many findings are not shown yet.
#[must_use]
pub fn more(lang: Lang, count: usize) -> String {
    match lang {
        Lang::En => format!("Show more ({count})"),
        Lang::Ja => format!("さらに表示（残り {count} 件）"),
        Lang::Zh => format!("显示更多（还有 {count} 个）"),
    }
}

/// Puts the fixes of all `count` findings of a rule into the text.
#[must_use]
pub fn apply_rule(lang: Lang, count: usize) -> String {
    match lang {
        Lang::En => format!("Apply all {count} of this rule"),
        Lang::Ja => format!("このルールの {count} 件をすべて適用"),
        Lang::Zh => format!("应用该规则的全部 {count} 处修复"),
    }
}

/// How long a link is, and what that means.
#[must_use]
pub fn link_length(lang: Lang, length: usize) -> String {
    let said = match lang {
        Lang::En => format!("The link has {length} characters."),
        Lang::Ja => format!("リンクの長さは {length} 文字です。"),
        Lang::Zh => format!("链接长度为 {length} 个字符。"),
    };
    match (lang, length) {
        (Lang::En, TOO_LONG..) => format!(
            "{said} More than {TOO_LONG} do not get through everywhere: keep only the part around the problem, or save \
             the report and send that."
        ),
        (Lang::Ja, TOO_LONG..) => format!(
            "{said}{TOO_LONG} 文字を超えるリンクは届かないことがあります。問題の前後だけを残すか、レポートを保存して送ってください。"
        ),
        (Lang::Zh, TOO_LONG..) => {
            format!("{said}超过 {TOO_LONG} 个字符的链接不一定能打开。请只保留问题前后的部分，或保存报告后发送。")
        }
        (Lang::En, LONG..) => format!("{said} Some chat tools cut links this long."),
        (Lang::Ja, LONG..) => format!("{said}チャットツールによっては途中で切れることがあります。"),
        (Lang::Zh, LONG..) => format!("{said}有些聊天工具会截断这么长的链接。"),
        _ => said,
    }
}

/// The texts are more than a link may carry.
#[must_use]
pub fn too_large_for_a_link(lang: Lang) -> String {
    let size = INFLATED / (1024 * 1024);
    match lang {
        Lang::En => format!(
            "A link with more than {TEXTS} texts or {size} MB cannot be opened: remove what is not needed, or save the \
             report and send that."
        ),
        Lang::Ja => format!(
            "テキストが {TEXTS} 件または {size} MB を超えるリンクは開けません。不要なものを減らすか、レポートを保存して送ってください。"
        ),
        Lang::Zh => format!("超过 {TEXTS} 份文本或 {size} MB 的链接无法打开。请删去不需要的内容，或保存报告后发送。"),
    }
}

/// Saves the report in a form of that name.
#[must_use]
pub fn save(lang: Lang, form: &str) -> String {
    match lang {
        Lang::En => format!("Save {form}"),
        Lang::Ja => format!("{form} を保存"),
        Lang::Zh => format!("保存 {form}"),
    }
}

/// What a capacity is of.
#[must_use]
pub const fn capacity(what: What) -> Label {
    match what {
        What::InotifyInstances => {
            Label { en: "inotify instances", ja: "inotify インスタンス", zh: "inotify 实例" }
        }
        What::InotifyWatches => Label { en: "inotify watches", ja: "inotify ウォッチ", zh: "inotify watch" },
        What::MemoryCgroups => Label { en: "memory cgroup ids", ja: "memory cgroup の ID", zh: "内存 cgroup ID" },
        What::NodeMemory => Label { en: "node memory", ja: "ノードのメモリ", zh: "节点内存" },
    }
}

/// One amount of a capacity.
#[must_use]
pub fn amount(lang: Lang, what: What, amount: Amount, shown: &str) -> String {
    let label = match (amount, what) {
        (Amount::Used, _) => Label { en: "used", ja: "使用中", zh: "已用" },
        (Amount::Limit, What::NodeMemory) => Label { en: "allocatable", ja: "割り当て可能", zh: "可分配" },
        (Amount::Limit, _) => Label { en: "limit", ja: "上限", zh: "上限" },
        (Amount::Need, What::NodeMemory) => {
            Label {
                en: "memory volumes may take", ja: "メモリボリュームの最大使用量", zh: "内存卷最多占用"
            }
        }
        (Amount::Need, _) => Label { en: "needed", ja: "必要数", zh: "需要" },
    };
    format!("{} {shown}", label.text(lang))
}

/// So many findings of one severity.
#[must_use]
pub fn count(lang: Lang, of: Severity, count: usize) -> String {
    let name = severity(of).text(lang);
    match lang {
        Lang::En if count == 1 => format!("1 {name}"),
        Lang::En if of == Severity::Info => format!("{count} infos"),
        Lang::En => format!("{count} {name}s"),
        Lang::Ja => format!("{name} {count} 件"),
        Lang::Zh => format!("{count} 个{name}"),
    }
}

/// What the status line says; the text may be one that is only `to_read`.
#[must_use]
pub fn status(state: &State, to_read: bool) -> String {
    let lang = state.lang;
    if let Some(refused) = state.refused {
        return match refused {
            Refused::TooLong => too_long(lang),
            Refused::NotEditable => not_editable(lang),
            Refused::Unreadable => Label {
                en: "The browser could not read that file.",
                ja: "ブラウザーでこのファイルを読み取れませんでした。",
                zh: "浏览器无法读取该文件。",
            }
            .text(lang)
            .to_owned(),
            Refused::Link(fault) => link_fault(fault).text(lang).to_owned(),
        };
    }
    match (state.phase(), &state.checked) {
        (Phase::TooLong, _) => not_editable(lang),
        (Phase::Done, Some(checked)) => {
            let done = done(lang, checked.lines.iter().sum(), &checked.report);
            state.fixed.map_or_else(|| done.clone(), |outcome| format!("{}{done}", fixed(lang, outcome)))
        }
        (Phase::Empty, _) if to_read => Label {
            en: "There is no text to check yet.",
            ja: "チェックするテキストはまだありません。",
            zh: "还没有要检查的文本。",
        }
        .text(lang)
        .to_owned(),
        (Phase::Empty, _) => Label {
            en: "Ready: the answer appears as soon as you paste.",
            ja: "準備ができました。貼り付けるとすぐに結果が出ます。",
            zh: "已就绪，粘贴后立即显示结果。",
        }
        .text(lang)
        .to_owned(),
        (Phase::Failed(Lost::Unloaded), _) => Label {
            en: "The checker could not be loaded. Your text is still here; the next change tries again. If that does not help, copy the text and reload the page.",
            ja: "チェッカーを読み込めませんでした。テキストは残っています。編集するともう一度試します。それでもだめなら、テキストをコピーしてからページを再読み込みしてください。",
            zh: "检查器加载失败。文本仍在，修改后会重试。如果仍然失败，请先复制文本，再重新加载页面。",
        }
        .text(lang)
        .to_owned(),
        (Phase::Failed(_), _) => Label {
            en: "The check stopped because of an internal error. Your text is still here; the next change starts it again.",
            ja: "内部エラーのためチェックが停止しました。テキストは残っています。編集するともう一度チェックします。",
            zh: "检查因内部错误停止。文本仍在，修改后会重新检查。",
        }
        .text(lang)
        .to_owned(),
        _ => Label { en: "Checking…", ja: "チェックしています…", zh: "正在检查…" }.text(lang).to_owned(),
    }
}

/// Why a link cannot be opened, and what to do.
const fn link_fault(fault: Fault) -> Label {
    match fault {
        Fault::Damaged => Label {
            en: "This link is damaged, probably cut on its way. Ask for it again, or for the text itself.",
            ja: "リンクが壊れています（途中で切れた可能性があります）。もう一度送ってもらうか、テキストそのものを受け取ってください。",
            zh: "链接已损坏，可能在传递时被截断。请让对方重新发送，或直接发送文本。",
        },
        Fault::TooLarge => Label {
            en: "This link holds more text than the page can take.",
            ja: "リンクに含まれるテキストが大きすぎて、このページでは開けません。",
            zh: "链接包含的文本过大，本页面无法打开。",
        },
        Fault::Newer => Label {
            en: "This link was made by a newer version of this page. Reload the page, or open it where the link was made.",
            ja: "このリンクは新しいバージョンのページで作られています。ページを再読み込みするか、作成元のページで開いてください。",
            zh: "此链接由更新版本的页面生成。请重新加载页面，或在生成链接的页面中打开。",
        },
    }
}

/// The browser's own undo: no button has that name, so the keys are named.
const UNDO: Label = Label { en: "Undo (Ctrl+Z)", ja: "元に戻す（Ctrl+Z）", zh: "撤销（Ctrl+Z）" };

/// What came of a fix; goes before what came of the check.
fn fixed(lang: Lang, outcome: Fixed) -> String {
    let (said, more) = match outcome {
        Fixed::Nowhere => (NOTHING_TO_FIX.text(lang).to_owned(), None),
        Fixed::Awaited => return format!("{} ", LOADING.text(lang)),
        // It ends in a full stop of its own.
        Fixed::NoAnswer => return format!("{} ", NO_ANSWER.text(lang)),
        Fixed::Lines { first, last, count, reformatted, undo } => {
            let lines = lines(lang, first, last);
            let back = if undo { UNDO } else { BRING_BACK }.text(lang);
            let done = match (lang, count) {
                (Lang::En, 0 | 1) => format!("Fixed {lines}"),
                (Lang::En, _) => format!("Applied {count} fixes in {lines}"),
                (Lang::Ja, 0 | 1) => format!("{lines}を修正しました"),
                (Lang::Ja, _) => format!("{lines}に {count} 件の修正を適用しました"),
                (Lang::Zh, 0 | 1) => format!("已修改{lines}"),
                (Lang::Zh, _) => format!("已在{lines}应用 {count} 处修复"),
            };
            let said = match lang {
                Lang::En => format!("{done}; “{back}” takes it back"),
                Lang::Ja => format!("{done}（「{back}」で取り消せます）"),
                Lang::Zh => format!("{done}，可用“{back}”恢复"),
            };
            (said, reformatted.then(|| REFORMATTED.text(lang)))
        }
    };
    let stop = Label { en: ". ", ja: "。", zh: "。" }.text(lang);
    [Some(said.as_str()), more].into_iter().flatten().flat_map(|part| [part, stop]).collect()
}

fn done(lang: Lang, lines: usize, report: &Report) -> String {
    let verdict = verdict(report).text(lang);
    match lang {
        Lang::En if lines == 1 => format!("1 line checked. {verdict}"),
        Lang::En => format!("{lines} lines checked. {verdict}"),
        Lang::Ja => format!("{lines} 行をチェックしました。{verdict}"),
        Lang::Zh => format!("已检查 {lines} 行。{verdict}"),
    }
}

fn not_editable(lang: Lang) -> String {
    let limit = EDITABLE / 1024;
    match lang {
        Lang::En => format!("Up to {limit} KB can be edited here. Add another input, or open the text as a file."),
        Lang::Ja => {
            format!("ここで編集できるのは {limit} KB までです。入力を追加するか、ファイルとして開いてください。")
        }
        Lang::Zh => format!("此处最多编辑 {limit} KB。请再添加一份输入，或以文件方式打开。"),
    }
}

fn too_long(lang: Lang) -> String {
    let limit = MOST / (1024 * 1024);
    match lang {
        Lang::En => format!(
            "Too long for this page, which checks up to {limit} MB. Keep the part around the problem, or run the \
             noderisk command on the file."
        ),
        Lang::Ja => format!(
            "このページでチェックできるのは {limit} MB までです。問題の前後だけを残すか、noderisk コマンドにファイルを\
             渡してください。"
        ),
        Lang::Zh => {
            format!("内容过长，本页面最多检查 {limit} MB。请只保留问题前后的部分，或用 noderisk 命令直接检查该文件。")
        }
    }
}

#[cfg(test)]
mod tests {
    use rules::report::Severity;
    use rules::rules::Lang;

    use super::{count, lines};

    #[test]
    fn one_line_and_several_read_differently() {
        assert_eq!(lines(Lang::En, 3, 3), "line 3");
        assert_eq!(lines(Lang::En, 3, 5), "lines 3–5");
        assert_eq!(lines(Lang::Ja, 3, 5), "3–5 行目");
        assert_eq!(lines(Lang::Zh, 3, 3), "第 3 行");
    }

    #[test]
    fn counts_read_naturally() {
        assert_eq!(count(Lang::En, Severity::Error, 1), "1 error");
        assert_eq!(count(Lang::En, Severity::Warning, 2), "2 warnings");
        assert_eq!(count(Lang::Ja, Severity::Error, 2), "エラー 2 件");
        assert_eq!(count(Lang::Zh, Severity::Info, 2), "2 个提示");
    }
}
