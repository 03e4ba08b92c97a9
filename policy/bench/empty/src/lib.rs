//! A policy that accepts every request unseen: what a call costs before a policy does anything.

use kubewarden_policy_sdk::wapc_guest::{CallResult, register_function};
use kubewarden_policy_sdk::{accept_request, protocol_version_guest};

/// Called by the waPC host once per instance.
#[unsafe(no_mangle)]
pub extern "C" fn wapc_init() {
    register_function("validate", validate);
    register_function("protocol_version", protocol_version_guest);
}

fn validate(_: &[u8]) -> CallResult {
    accept_request()
}
