//! What a user can set: the policy's settings, and what is known of the node beside the paste.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::rules;

/// Settings of the policy and of the command's `--settings`. Every field is optional; a wrong one is refused with a
/// message that names the field, its value and what is allowed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Value", rename_all = "camelCase")]
pub struct Settings {
    /// What the policy does with a rule's findings, by rule id; a rule that is not named follows its severity.
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

impl TryFrom<Value> for Settings {
    type Error = String;

    /// Read settings. Null counts as not set, for the whole and for each field.
    ///
    /// # Errors
    /// Every fault found, one sentence each, joined by `; `.
    fn try_from(value: Value) -> Result<Self, String> {
        let mut settings = Self::default();
        let mut faults = Vec::new();
        for (name, value) in fields("settings", value, &mut faults) {
            match name.as_str() {
                "rules" => settings.rules = actions(value, &mut faults),
                _ => faults.push(format!("unknown setting `{name}`; allowed: rules")),
            }
        }
        if faults.is_empty() { Ok(settings) } else { Err(faults.join("; ")) }
    }
}

fn actions(value: Value, faults: &mut Vec<String>) -> BTreeMap<String, Action> {
    let mut actions = BTreeMap::new();
    for (id, value) in fields("rules", value, faults) {
        if rules::find(&id).is_none() {
            let known: Vec<&str> = rules::RULES.iter().map(|rule| rule.id).collect();
            faults.push(format!("rules: there is no rule `{id}`; allowed: {}", known.join(", ")));
        }
        match Action::deserialize(&value) {
            Ok(action) => drop(actions.insert(id, action)),
            Err(_) => faults.push(format!("rules.{id}: {value} is no action; allowed: \"deny\", \"warn\", \"off\"")),
        }
    }
    actions
}

/// The fields of a map, without those that are null.
fn fields(name: &str, value: Value, faults: &mut Vec<String>) -> Map<String, Value> {
    match value {
        Value::Null => Map::new(),
        Value::Object(mut fields) => {
            fields.retain(|_, value| !value.is_null());
            fields
        }
        other => {
            faults.push(format!("{name}: {other} is no map of names to values"));
            Map::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Action, Settings};

    fn read(settings: Value) -> Result<Settings, String> {
        Settings::try_from(settings)
    }

    #[test]
    fn nothing_set_is_the_default() {
        for nothing in [json!(null), json!({}), json!({"rules": null}), json!({"rules": {}})] {
            assert_eq!(read(nothing), Ok(Settings::default()));
        }
    }

    #[test]
    fn an_action_per_rule() {
        let settings = read(json!({"rules": {"memory-volume-size-limit-only": "deny"}})).unwrap();
        assert_eq!(settings.rules.get("memory-volume-size-limit-only"), Some(&Action::Deny));
    }

    #[test]
    fn a_fault_names_the_field_its_value_and_what_is_allowed() {
        assert_eq!(read(json!({"rule": {}})), Err("unknown setting `rule`; allowed: rules".into()));
        assert_eq!(read(json!([1])), Err("settings: [1] is no map of names to values".into()));
        assert_eq!(
            read(json!({"rules": {"memory-volume-size-limit-only": "reject"}})),
            Err("rules.memory-volume-size-limit-only: \"reject\" is no action; allowed: \"deny\", \"warn\", \"off\""
                .into())
        );
        let unknown = read(json!({"rules": {"memory-volume": "warn"}})).unwrap_err();
        assert!(unknown.starts_with("rules: there is no rule `memory-volume`; allowed: "), "{unknown}");
        assert!(unknown.contains("memory-volume-unlimited-writer"), "{unknown}");
    }

    #[test]
    fn all_faults_are_told_at_once() {
        let faults = read(json!({"mode": 1, "rules": 2})).unwrap_err();
        assert_eq!(faults, "unknown setting `mode`; allowed: rules; rules: 2 is no map of names to values");
    }

    #[test]
    fn serde_reads_settings_the_same_way_and_writes_what_it_reads() {
        let settings = read(json!({"rules": {"inotify-instances-low": "off"}})).unwrap();
        let written = serde_json::to_value(&settings).unwrap();
        assert_eq!(serde_json::from_value::<Settings>(written).unwrap(), settings);
        assert!(
            serde_yaml::from_str::<Settings>("nope: 1").unwrap_err().to_string().contains("unknown setting `nope`")
        );
    }
}
