//! What there is to do with the inputs, done on the page's own thread or in a worker: plain data in, a text out.

use js_sys::Array;
use rules::Input;
use rules::kubernetes::quantity;
use rules::rules::Lang;
use rules::settings::{NodeProfile, Settings};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, FileReaderSync};

use crate::checking::{self, Checked};
use crate::exports::{Format, export};
use crate::inputs::{Inputs, Source, Text};
use crate::node_profile;
use crate::preferences::{name_of, named};

/// Texts longer than this, in bytes, are worth a worker: shorter ones are checked before it would have started.
const SHORT: u32 = 64 * 1024;

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Check; the result is a [`Checked`] as JSON.
    Check,
    /// Write the report.
    Export(Format, Lang),
}

/// Something to do with inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// What to do.
    pub task: Task,
    /// What is known of the node beside the inputs.
    pub node: NodeProfile,
    /// The inputs.
    pub inputs: Inputs,
}

impl Job {
    /// Whether it would hold up the page.
    #[must_use]
    pub fn is_long(&self) -> bool {
        self.inputs.size() > SHORT
    }

    /// Check here and now. An input whose text is held elsewhere counts as empty: see [`Job::read`].
    #[must_use]
    pub fn check(&self) -> Checked {
        checking::check(&self.texts(), &self.settings())
    }

    /// Do it here and now; `None` when the result cannot be written, which no text causes.
    #[must_use]
    pub fn result(&self) -> Option<String> {
        match self.task {
            Task::Check => serde_json::to_string(&self.check()).ok(),
            Task::Export(format, lang) => export(&self.texts(), &self.settings(), lang, format),
        }
    }

    fn settings(&self) -> Settings {
        Settings { node: self.node.clone(), ..Settings::default() }
    }

    fn texts(&self) -> Vec<Input<'_>> {
        let text = |source: &'_ Source| source.typed_text().unwrap_or_default().to_owned();
        self.inputs.list().iter().map(|source| Input::new(&*source.name, text(source)).of_kind(source.kind)).collect()
    }

    /// The same with all texts in memory; `None` when the browser cannot read one.
    pub async fn read(mut self) -> Option<Self> {
        let mut list = self.inputs.list().to_vec();
        for source in &mut list {
            if let Text::Held { blob, .. } = &source.text {
                let text = JsFuture::from(blob.text()).await.ok()?.as_string()?;
                source.text = Text::Typed(text.into());
            }
        }
        self.inputs = Inputs::of(list);
        Some(self)
    }
}

// To and from a worker: strings and blobs, which need no code to be taken apart.
impl Job {
    /// As a message.
    #[must_use]
    pub fn to_message(&self) -> Array {
        let (format, lang) = match self.task {
            Task::Check => ("", ""),
            Task::Export(format, lang) => (format.name(), name_of(lang, &Lang::ALL)),
        };
        let max_pods = self.node.max_pods.map(|pods| pods.to_string()).unwrap_or_default();
        let memory = self.node.memory.map(quantity::format).unwrap_or_default();
        let message: Array = [format, lang, &max_pods, &memory].into_iter().map(JsValue::from).collect();
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

    /// From a message, within a worker. `None` when the browser cannot read a blob.
    #[must_use]
    pub fn from_message(message: &Array) -> Option<Self> {
        let part = |index| message.get(index).as_string().unwrap_or_default();
        let format = Format::ALL.into_iter().find(|format| format.name() == part(0));
        let lang = named(&part(1), &Lang::ALL).unwrap_or_default();
        let task = format.map_or(Task::Check, |format| Task::Export(format, lang));
        let node = NodeProfile {
            max_pods: node_profile::max_pods(&part(2)).unwrap_or_default(),
            memory: node_profile::memory(&part(3)).unwrap_or_default(),
        };
        let mut list = Vec::new();
        for index in (4..message.length()).step_by(3) {
            let kind = part(index + 1);
            let kind = rules::kinds().find(|known| **known == kind);
            let text = match message.get(index + 2).dyn_into::<Blob>() {
                Ok(blob) => FileReaderSync::new().ok()?.read_as_text(&blob).ok()?,
                Err(text) => text.as_string()?,
            };
            list.push(Source { kind, ..Source::typed(&part(index), &text) });
        }
        Some(Self { task, node, inputs: Inputs::of(list) })
    }
}
