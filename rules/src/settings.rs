//! What a user can set: the policy's settings, and what is known of the node beside the paste.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Settings of the policy and of the command's `--settings`. Every field is optional; unknown fields are refused.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Settings {
    /// Severity per rule id as the policy acts on it.
    pub rules: BTreeMap<String, Action>,
    /// What is known of the node beside the paste; given by flags or form fields, never by the policy's settings.
    #[serde(skip)]
    pub node: NodeProfile,
}

/// What the policy does with a rule's findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Reject the request.
    Deny,
    /// Accept with a warning.
    Warn,
    /// Say nothing.
    Off,
}

/// What is known of the node beside the paste.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeProfile {
    /// kubelet's `maxPods`; 110 when `None` (kubelet v1beta1 default).
    pub max_pods: Option<u64>,
    /// Allocatable memory in bytes.
    pub memory: Option<u128>,
}
