//! Any text through one reader, so that no other reader's claims hide a line from it.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| rules::read_with(env!("CARGO_BIN_NAME"), text));
