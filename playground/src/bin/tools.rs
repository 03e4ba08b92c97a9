//! The whole rule core: reports to save, fixes, policies.

use js_sys::Array;
use playground::job::Job;
use wasm_bindgen::prelude::wasm_bindgen;

/// The result of a job; see [`Job::done`].
#[wasm_bindgen]
#[must_use]
pub fn answer(message: &Array) -> Option<String> {
    Job::from_message(message)?.done()
}

fn main() {}
