//! The rule core as it is needed for a verdict.

use js_sys::Array;
use playground::job::Job;
use wasm_bindgen::prelude::wasm_bindgen;

/// The result of a check; see [`Job::checked`].
#[wasm_bindgen]
#[must_use]
pub fn answer(message: &Array) -> Option<String> {
    Job::from_message(message)?.checked()
}

fn main() {}
