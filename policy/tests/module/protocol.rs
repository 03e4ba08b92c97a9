//! What the module asks of its host, and the calls beside `validate`.

use serde_json::json;

use crate::host::Host;

#[test]
fn imports_nothing_but_the_protocol_and_what_the_standard_library_needs() {
    assert_eq!(
        Host::load().imports(),
        [
            "wapc.__guest_error",
            "wapc.__guest_request",
            "wapc.__guest_response",
            "wasi_snapshot_preview1.environ_get",
            "wasi_snapshot_preview1.environ_sizes_get",
            "wasi_snapshot_preview1.fd_write",
            "wasi_snapshot_preview1.proc_exit",
            "wasi_snapshot_preview1.random_get",
        ]
    );
}

#[test]
fn speaks_protocol_version_1() {
    assert_eq!(Host::load().call("protocol_version", b""), json!("v1"));
}

#[test]
fn good_settings_are_valid() {
    for settings in ["{}", "null", r#"{"rules": {"memory-volume-size-limit-only": "deny"}}"#] {
        let response = Host::load().call("validate_settings", settings.as_bytes());
        assert_eq!(response, json!({"valid": true, "message": null}), "{settings}");
    }
}

#[test]
fn bad_settings_are_refused_with_a_readable_message() {
    for (settings, message) in [
        (r#"{"nope": 1}"#, "unknown setting `nope`; allowed: rules"),
        (r#"["deny"]"#, r#"settings: ["deny"] is no map of names to values"#),
        (
            r#"{"rules": {"inotify-instances-low": "reject"}}"#,
            r#"rules.inotify-instances-low: "reject" is no action; allowed: "deny", "warn", "off""#,
        ),
        ("", "EOF while parsing a value at line 1 column 0"),
        ("{", "EOF while parsing an object at line 1 column 1"),
    ] {
        let response = Host::load().call("validate_settings", settings.as_bytes());
        assert_eq!(response, json!({"valid": false, "message": message}), "{settings}");
    }
}
