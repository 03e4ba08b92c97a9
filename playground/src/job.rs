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
use crate::excerpt::excerpt;
use crate::exports::{Format, export};
use crate::fixes::{change, change_all};
use crate::inputs::{Inputs, Source, Text};
use crate::node_profile;

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// Check; gives a [`Checked`].
    Check,
    /// Write the report; gives its text.
    Export(Format),
    /// Put fixes into an input; gives a [`crate::fixes::Change`], or null when nothing would change.
    Fix {
        /// Number of the input.
        input: usize,
        /// Numbers of the findings, in the order of the report; none for all that there are and come to light.
        findings: Vec<usize>,
    },
    /// Leave out what the report does not need; gives the texts, or null when that is nothing.
    Excerpt,
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
            Task::Export(format) => export(&self.texts(), &self.settings(), self.lang, *format),
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
            Task::Excerpt => json(&excerpt(&self.texts(), &self.settings())),
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
const NAMED: [(Task, &str); 7] = [
    (Task::Check, "check"),
    (Task::Excerpt, "excerpt"),
    (Task::Export(Format::Markdown), "markdown"),
    (Task::Export(Format::Json), "json"),
    (Task::Export(Format::Sarif), "sarif"),
    (Task::Enforce(Mode::Reject), "reject"),
    (Task::Enforce(Mode::GiveLimits), "give-limits"),
];

// Strings and blobs, which need no code to be taken apart. The names of the parts before the inputs are those of
// variables in `to_message`; behind them stand name, kind and text of each input.
impl Job {
    /// As a message to the core.
    #[must_use]
    pub fn to_message(&self) -> Array {
        let (task, findings) = match &self.task {
            Task::Fix { input, findings } => {
                let numbers = std::iter::once(input).chain(findings).map(usize::to_string);
                ("", numbers.collect::<Vec<_>>().join(" "))
            }
            named => (NAMED.iter().find(|(task, _)| task == named).map_or("", |(_, name)| name), String::new()),
        };
        let lang = name_of(self.lang, &Lang::ALL);
        let max_pods = self.node.max_pods.map(|pods| pods.to_string()).unwrap_or_default();
        let memory = self.node.memory.map(quantity::format).unwrap_or_default();
        let runtime = self.node.runtime.map(|runtime| name_of(runtime, &Runtime::ALL)).unwrap_or_default();
        let cgroups = self.node.cgroups.map(|mode| name_of(mode, &CgroupMode::ALL)).unwrap_or_default();
        let message = [task, &findings, lang, &max_pods, &memory, runtime, cgroups];
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
        let [task, findings, lang] = [part(0)?, part(1)?, part(2)?];
        let [max_pods, memory, runtime, cgroups] = [part(3)?, part(4)?, part(5)?, part(6)?];
        let mut numbers = findings.split(' ').filter_map(|number| number.parse().ok());
        let task = match numbers.next() {
            Some(input) => Task::Fix { input, findings: numbers.collect() },
            None => NAMED.into_iter().find(|(_, name)| *name == task)?.0,
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
