//! What the page asks of the rule core, which is not part of its own Wasm: plain data in, a text out.

use js_sys::Array;
use rules::Input;
use rules::facts::CgroupMode;
use rules::kubernetes::inotify::Runtime;
use rules::kubernetes::quantity;
use rules::names::{name_of, named};
use rules::report::Finding;
use rules::rules::Lang;
use rules::settings::{NodeProfile, Settings};
use serde::Serialize;
use wasm_bindgen::JsValue;

use crate::checking::{self, Checked};
use crate::enforcement::{Mode, enforced};
use crate::exports::{Format, export};
use crate::fixes::{change, change_all};
use crate::inputs::{Inputs, Source, Text};
use crate::node_profile;
use crate::redact::Redact;
use crate::sharing::{Choice, link};

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// Check; gives a [`Checked`].
    Check,
    /// Write the report; gives its text.
    Export {
        /// In this form.
        format: Format,
        /// Without secrets, addresses and names of hosts.
        redacted: bool,
    },
    /// Put fixes into an input; gives a [`crate::fixes::Change`], or null when nothing would change.
    Fix {
        /// Number of the input.
        input: usize,
        /// Numbers of the findings, in the order of the report; none for all that there are and come to light.
        findings: Vec<usize>,
    },
    /// Make a link for others; gives a [`crate::sharing::Link`].
    Share(Choice),
    /// Make a policy for the findings; gives an [`crate::enforcement::Enforced`].
    Enforce(Mode),
}

/// Something to do with inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// What to do.
    pub task: Task,
    /// Language of all words.
    pub lang: Lang,
    /// What is known of the node beside the inputs.
    pub node: NodeProfile,
    /// The inputs.
    pub inputs: Inputs,
}

impl Job {
    /// Check, whatever the task is: all that is needed for a first verdict.
    #[must_use]
    pub fn checked(&self) -> Option<String> {
        json(&self.check())
    }

    /// Do the task. What is not a text already is JSON. `None` when it cannot be written, which no text causes.
    #[must_use]
    pub fn done(&self) -> Option<String> {
        match &self.task {
            Task::Check => self.checked(),
            Task::Export { format, redacted: false } => export(&self.texts(), &self.settings(), self.lang, *format),
            Task::Export { format, redacted: true } => {
                let told = Self { inputs: self.inputs.clone().redacted(Redact::default()), ..self.clone() };
                export(&told.texts(), &self.settings(), self.lang, *format)
            }
            Task::Fix { input, findings } if findings.is_empty() => {
                json(&change_all(&self.texts(), *input, &self.settings()))
            }
            Task::Fix { input, findings } => {
                let texts = self.texts();
                let report = rules::check(&texts, &self.settings());
                let wanted = findings.iter().filter_map(|number| report.findings.get(*number).cloned());
                let wanted: Vec<Finding> = wanted.collect();
                json(&change(&texts.get(*input)?.text, &wanted))
            }
            Task::Share(choice) => json(&link(&self.inputs, &self.texts(), &self.settings(), choice)),
            Task::Enforce(mode) => json(&enforced(&self.texts(), &self.settings(), *mode)),
        }
    }

    /// Check here and now.
    #[must_use]
    pub fn check(&self) -> Checked {
        checking::check(&self.texts(), &self.settings(), self.lang)
    }

    fn settings(&self) -> Settings {
        Settings { node: self.node.clone(), ..Settings::default() }
    }

    /// A text that the page holds as a blob has become a string on the way here, see `worker.js`.
    fn texts(&self) -> Vec<Input<'_>> {
        let text = |source: &'_ Source| source.typed_text().unwrap_or_default().to_owned();
        self.inputs.list().iter().map(|source| Input::new(&*source.name, text(source)).of_kind(source.kind)).collect()
    }
}

fn json(value: &impl Serialize) -> Option<String> {
    serde_json::to_string(value).ok()
}

/// Tasks that need no more than their name.
const NAMED: [(Task, &str); 9] = [
    (Task::Check, "check"),
    (Task::Export { format: Format::Markdown, redacted: false }, "markdown"),
    (Task::Export { format: Format::Json, redacted: false }, "json"),
    (Task::Export { format: Format::Sarif, redacted: false }, "sarif"),
    (Task::Export { format: Format::Markdown, redacted: true }, "markdown-redacted"),
    (Task::Export { format: Format::Json, redacted: true }, "json-redacted"),
    (Task::Export { format: Format::Sarif, redacted: true }, "sarif-redacted"),
    (Task::Enforce(Mode::Reject), "reject"),
    (Task::Enforce(Mode::GiveLimits), "give-limits"),
];

/// Whether nobody waits for the answer to one message once another one is sent: a link or a policy is shown in one place,
/// and only the newest.
#[must_use]
pub fn is_outdated(older: &Array, newer: &Array) -> bool {
    let task = |message: &Array| message.get(0).as_string().unwrap_or_default();
    ["share", "reject", "give-limits"].contains(&&*task(newer)) && task(older) == task(newer)
}

/// A choice as numbers: what is taken out, whether it is shortened, what is on show, and what is held.
fn numbers_of(choice: &Choice) -> Vec<usize> {
    let Choice { redact, shorten, shown, held } = choice;
    let Redact { secrets, environment, tokens, addresses, hosts } = *redact;
    let flags = [secrets, environment, tokens, addresses, hosts, *shorten].map(usize::from);
    flags.into_iter().chain([*shown]).chain(held.iter().copied()).collect()
}

fn choice_of(numbers: &[usize]) -> Option<Choice> {
    let (flags, rest) = numbers.split_first_chunk::<6>()?;
    let [secrets, environment, tokens, addresses, hosts, shorten] = flags.map(|flag| flag == 1);
    let (shown, held) = rest.split_first()?;
    let redact = Redact { secrets, environment, tokens, addresses, hosts };
    Some(Choice { redact, shorten, shown: *shown, held: held.to_vec() })
}

// Strings and blobs, which need no code to be taken apart. The names of the parts before the inputs are those of
// variables in `to_message`; behind them stand name, kind and text of each input.
impl Job {
    /// As a message to the core.
    #[must_use]
    pub fn to_message(&self) -> Array {
        let (task, numbers) = match &self.task {
            Task::Fix { input, findings } => ("fix", std::iter::once(input).chain(findings).copied().collect()),
            Task::Share(choice) => ("share", numbers_of(choice)),
            named => (NAMED.iter().find(|(task, _)| task == named).map_or("", |(_, name)| name), Vec::new()),
        };
        let numbers = numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
        let lang = name_of(self.lang, &Lang::ALL);
        let max_pods = self.node.max_pods.map(|pods| pods.to_string()).unwrap_or_default();
        let memory = self.node.memory.map(quantity::format).unwrap_or_default();
        let runtime = self.node.runtime.map(|runtime| name_of(runtime, &Runtime::ALL)).unwrap_or_default();
        let cgroups = self.node.cgroups.map(|mode| name_of(mode, &CgroupMode::ALL)).unwrap_or_default();
        let message = [task, &numbers, lang, &max_pods, &memory, runtime, cgroups];
        let message: Array = message.into_iter().map(JsValue::from).collect();
        for source in self.inputs.list() {
            message.push(&JsValue::from(&*source.name));
            message.push(&JsValue::from(source.kind.unwrap_or_default()));
            message.push(&match &source.text {
                Text::Typed(text) => JsValue::from(&**text),
                Text::Held { blob, .. } => JsValue::from(blob),
            });
        }
        message
    }

    /// From a message whose blobs have become strings; `None` when it is none.
    #[must_use]
    pub fn from_message(message: &Array) -> Option<Self> {
        let part = |index| message.get(index).as_string();
        let [task, numbers, lang] = [part(0)?, part(1)?, part(2)?];
        let [max_pods, memory, runtime, cgroups] = [part(3)?, part(4)?, part(5)?, part(6)?];
        let numbers: Vec<usize> = numbers.split(' ').filter_map(|number| number.parse().ok()).collect();
        let task = match (task.as_str(), &numbers[..]) {
            ("fix", [input, findings @ ..]) => Task::Fix { input: *input, findings: findings.to_vec() },
            ("share", numbers) => Task::Share(choice_of(numbers)?),
            (task, _) => NAMED.into_iter().find(|(_, name)| *name == task)?.0,
        };
        let node = NodeProfile {
            max_pods: node_profile::max_pods(&max_pods).unwrap_or_default(),
            memory: node_profile::memory(&memory).unwrap_or_default(),
            runtime: named(&runtime, &Runtime::ALL),
            cgroups: named(&cgroups, &CgroupMode::ALL),
        };
        let mut list = Vec::new();
        for index in (7..message.length()).step_by(3) {
            let kind = part(index + 1)?;
            let kind = rules::kinds().find(|known| **known == kind);
            list.push(Source { kind, ..Source::typed(&part(index)?, &part(index + 2)?) });
        }
        Some(Self { task, lang: named(&lang, &Lang::ALL)?, node, inputs: Inputs::of(list) })
    }
}
