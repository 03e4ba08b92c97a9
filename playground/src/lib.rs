//! The noderisk page: paste what a node or a manifest says, see whether it takes the node down.
//!
//! The flow goes one way. Text stays in the textarea of the static shell ([`shell`]); a hook reads it when it changes
//! ([`hooks::use_checker`]) and asks the rule core ([`job`]), which is a program of its own in a worker ([`worker`]). It
//! checks ([`checking`]), the result becomes state ([`state`]), and the components only show that state. What is not
//! about the browser is pure and tested natively.
//!
//! Text from the paste reaches the document as text nodes alone, no request leaves the page, and a browser that refuses
//! storage, clipboard or history never stops it.

pub mod capacity;
pub mod checking;
pub mod clipboard;
pub mod components;
pub mod download;
pub mod embed;
pub mod enforcement;
pub mod examples;
pub mod excerpt;
pub mod exports;
pub mod files;
pub mod fixes;
pub mod fragment;
pub mod gutter;
pub mod hooks;
pub mod inputs;
pub mod job;
pub mod jumps;
pub mod node_profile;
pub mod places;
pub mod preferences;
pub mod redact;
pub mod sharing;
pub mod shell;
pub mod state;
pub mod words;
pub mod worker;

pub use share;
