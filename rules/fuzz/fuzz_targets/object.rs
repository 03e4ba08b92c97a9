//! Any JSON as an object and as an admission request.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rules::settings::Settings;
use rules::{Context, admission, check_object};

fuzz_target!(|bytes: &[u8]| {
    let Ok(value) = serde_json::from_slice(bytes) else { return };
    let settings = Settings::default();
    let _ = check_object(&value, &Context::default(), &settings);
    let _ = admission::decide(&value, &settings);
});
