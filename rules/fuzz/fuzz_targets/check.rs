//! Any bytes, decoded as the command does it, through the whole of `check`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rules::settings::Settings;
use rules::{Input, check};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let inputs = [Input::new("fuzz", text)];
    let report = check(&inputs, &Settings::default());
    assert_eq!(report, check(&inputs, &Settings::default()));
});
