//! What there is to do with the inputs, done on the page's own thread or in a worker: plain data in, a text out.

use std::rc::Rc;

use js_sys::Array;
use rules::Input;
use rules::kubernetes::quantity;
use rules::settings::{NodeProfile, Settings};
use wasm_bindgen::JsValue;

use crate::checking::{self, Checked};
use crate::exports::NAME;
use crate::node_profile;

/// Texts longer than this, in bytes, are worth a worker: shorter ones are checked before it would have started.
pub const SHORT: usize = 64 * 1024;

/// A check of inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// What is known of the node beside the inputs.
    pub node: NodeProfile,
    /// The text.
    pub text: Rc<str>,
}

impl Job {
    /// Check here and now.
    #[must_use]
    pub fn check(&self) -> Checked {
        let settings = Settings { node: self.node.clone(), ..Settings::default() };
        checking::check(&[Input::new(NAME, &*self.text)], &settings)
    }
}

// To and from a worker.
impl Job {
    /// As a message: strings, which need no code to be taken apart.
    #[must_use]
    pub fn to_message(&self) -> Array {
        let NodeProfile { max_pods, memory } = &self.node;
        let max_pods = max_pods.map(|pods| pods.to_string()).unwrap_or_default();
        let memory = memory.map(quantity::format).unwrap_or_default();
        [max_pods.as_str(), &memory, &self.text].into_iter().map(JsValue::from).collect()
    }

    /// From a message.
    #[must_use]
    pub fn from_message(message: &Array) -> Self {
        let part = |index| message.get(index).as_string().unwrap_or_default();
        let node = NodeProfile {
            max_pods: node_profile::max_pods(&part(0)).unwrap_or_default(),
            memory: node_profile::memory(&part(1)).unwrap_or_default(),
        };
        Self { node, text: part(2).into() }
    }

    /// The result as a worker sends it; `None` when it cannot be written, which no text causes.
    #[must_use]
    pub fn result(&self) -> Option<String> {
        serde_json::to_string(&self.check()).ok()
    }
}
