//! What a user can set: the policy's settings, and what is known of the node beside the paste.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};
use wildmatch::WildMatch;

use crate::facts::{CgroupMode, Cgroups, Versions};
use crate::kubernetes::inotify::Runtime;
use crate::kubernetes::pod::{Container, PodTemplate, Volume};
use crate::kubernetes::quantity;
use crate::report::Severity;
use crate::rules;

/// Settings of the policy and of the command's `--settings`. Every field is optional; a wrong one is refused with a
/// message that names the field, its value and what is allowed. Quantities are in bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Value", rename_all = "camelCase")]
pub struct Settings {
    /// The policy gives this size to memory volumes without one.
    pub default_size_limit: Option<u128>,
    /// Largest size a memory volume may have.
    pub max_size_limit: Option<u128>,
    /// The policy gives this memory limit to containers that leave a memory volume unlimited.
    pub default_memory_limit: Option<u128>,
    /// Largest memory limit a container may have.
    pub max_memory_limit: Option<u128>,
    /// Containers with these images are judged as if they were not there.
    pub exempt_images: Vec<Glob>,
    /// Volumes with these names are judged as if they were not there.
    pub exempt_volumes: Vec<Glob>,
    /// What the policy does with a rule's findings, by rule id; a rule that is not named follows its severity.
    pub rules: BTreeMap<String, Action>,
    /// What the policy does with findings about a Node.
    pub node_findings: NodeFindings,
    /// The policy asks the cluster for the namespace's LimitRanges, whose defaults then count for pod templates.
    pub read_limit_ranges: bool,
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

/// What the policy does with findings about a Node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeFindings {
    /// Warn at most. A rejected Node object is a node that cannot join the cluster.
    #[default]
    Warn,
    /// Reject. For a policy in mode `monitor`, whose rejections end up in audit reports and hold nothing back.
    Reject,
}

/// A pattern in which `*` stands for any characters, `/` included, and `?` for one.
#[derive(Clone, Debug, PartialEq)]
pub struct Glob(WildMatch);

impl Serialize for Glob {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// What is known of the node beside the paste.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeProfile {
    /// kubelet's `maxPods`; 110 when `None` (kubelet v1beta1 default).
    pub max_pods: Option<u64>,
    /// Allocatable memory in bytes.
    pub memory: Option<u128>,
    /// The container runtime, where no version tells.
    pub runtime: Option<Runtime>,
    /// How cgroups are mounted, where nothing else tells.
    pub cgroups: Option<CgroupMode>,
}

impl NodeProfile {
    /// The cgroup mode that decides how many instances pods need: v1 only when nothing that was read speaks of v2, and
    /// what is stated when nothing was read.
    pub(crate) fn mode(&self, cgroups: &Cgroups) -> Option<CgroupMode> {
        match (cgroups.v1(), cgroups.v2()) {
            (_, Some(_)) => Some(CgroupMode::V2),
            (Some(_), None) => Some(CgroupMode::V1),
            (None, None) => self.cgroups,
        }
    }

    /// The runtime whose version was read, else the one that is stated, else containerd.
    pub(crate) fn runtime(&self, versions: &Versions) -> Runtime {
        match (&versions.containerd[..], &versions.crio[..]) {
            ([], [_, ..]) => Runtime::Crio,
            ([], []) => self.runtime.unwrap_or(Runtime::Containerd),
            _ => Runtime::Containerd,
        }
    }
}

impl Settings {
    /// What the policy does with findings of a rule: what is set for the rule, else what its severity says.
    #[must_use]
    pub fn action(&self, rule: &str, severity: Severity) -> Action {
        self.rules.get(rule).copied().unwrap_or(match severity {
            Severity::Error => Action::Deny,
            Severity::Warning => Action::Warn,
            Severity::Info => Action::Off,
        })
    }

    /// Whether the policy may change objects.
    #[must_use]
    pub fn change_objects(&self) -> bool {
        self.default_size_limit.is_some() || self.default_memory_limit.is_some()
    }

    /// Take the exempt containers and volumes out of a pod template, so that no rule sees them.
    pub fn exempt(&self, pod: &mut PodTemplate) {
        if self.exempt_images.is_empty() && self.exempt_volumes.is_empty() {
            return;
        }
        let matches = |globs: &[Glob], name: &str| globs.iter().any(|glob| glob.0.matches(name));
        pod.containers.retain(|Container { image, .. }| !matches(&self.exempt_images, image));
        pod.volumes.retain(|Volume { name, .. }| !matches(&self.exempt_volumes, name));
        pod.find_writers();
    }
}

/// Names of the settings, for messages.
const NAMES: &str = "defaultSizeLimit, maxSizeLimit, defaultMemoryLimit, maxMemoryLimit, exemptImages, exemptVolumes, \
                     rules, nodeFindings, readLimitRanges";

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
            let faults = &mut faults;
            match name.as_str() {
                "defaultSizeLimit" => settings.default_size_limit = bytes(&name, &value, faults),
                "maxSizeLimit" => settings.max_size_limit = bytes(&name, &value, faults),
                "defaultMemoryLimit" => settings.default_memory_limit = bytes(&name, &value, faults),
                "maxMemoryLimit" => settings.max_memory_limit = bytes(&name, &value, faults),
                "exemptImages" => settings.exempt_images = globs(&name, value, "._-:@/", faults),
                "exemptVolumes" => settings.exempt_volumes = globs(&name, value, "-", faults),
                "rules" => settings.rules = actions(value, faults),
                "nodeFindings" => settings.node_findings = choice(&name, &value, "\"warn\", \"reject\"", faults),
                "readLimitRanges" => settings.read_limit_ranges = choice(&name, &value, "true, false", faults),
                _ => faults.push(format!("unknown setting `{name}`; allowed: {NAMES}")),
            }
        }
        for (low, high, names) in [
            (settings.default_size_limit, settings.max_size_limit, ["defaultSizeLimit", "maxSizeLimit"]),
            (settings.default_memory_limit, settings.max_memory_limit, ["defaultMemoryLimit", "maxMemoryLimit"]),
        ] {
            faults.extend(contradiction(low, high, names));
        }
        if faults.is_empty() { Ok(settings) } else { Err(faults.join("; ")) }
    }
}

/// Smallest size that makes sense, in bytes: one page. Less is a typo such as `64m` (64 thousandths of a byte).
const SMALLEST: i128 = 4096;

/// A memory quantity. Kubernetes knows none above 2^63-1.
fn bytes(name: &str, value: &Value, faults: &mut Vec<String>) -> Option<u128> {
    let parsed = match value {
        // A form's field that was left empty.
        Value::String(text) if text.is_empty() => return None,
        Value::String(text) => quantity::parse(text),
        Value::Number(number) => quantity::parse(&number.to_string()),
        _ => Err("it must be a string or a number".to_owned()),
    };
    let fault = match parsed {
        Ok(bytes) if bytes < SMALLEST => "it is less than 4Ki".to_owned(),
        Ok(bytes) if bytes > i128::from(i64::MAX) => "it is more than 2^63-1 bytes".to_owned(),
        Ok(bytes) => return u128::try_from(bytes).ok(),
        Err(fault) => fault,
    };
    faults.push(format!("{name}: {value} is no size: {fault}; allowed: quantities such as 64Mi, 1Gi"));
    None
}

fn contradiction(default: Option<u128>, max: Option<u128>, [low, high]: [&str; 2]) -> Option<String> {
    let (default, max) = default.zip(max).filter(|(default, max)| default > max)?;
    Some(format!(
        "{low}: {} is larger than {high}, {}; allowed: at most {high}",
        quantity::format(default),
        quantity::format(max)
    ))
}

/// A list of patterns. One with a character that no such name has (`marks` beside letters and digits) can only be
/// meant in another syntax.
fn globs(name: &str, value: Value, marks: &str, faults: &mut Vec<String>) -> Vec<Glob> {
    let Value::Array(items) = value else {
        faults.push(format!("{name}: {value} is no list; allowed: a list of names in which * and ? are wildcards"));
        return Vec::new();
    };
    let mut globs = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let known = |c: char| c.is_ascii_alphanumeric() || marks.contains(c) || matches!(c, '*' | '?');
        match item.as_str().filter(|text| !text.is_empty() && text.chars().all(known)) {
            Some(text) => globs.push(Glob(WildMatch::new(text))),
            None => faults.push(format!(
                "{name}[{index}]: {item} fits no name; allowed: letters, digits, {}, and the wildcards * and ?",
                marks.chars().map(String::from).collect::<Vec<_>>().join(" ")
            )),
        }
    }
    globs
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

/// One of a few values.
fn choice<T: Default + for<'a> Deserialize<'a>>(
    name: &str,
    value: &Value,
    allowed: &str,
    faults: &mut Vec<String>,
) -> T {
    T::deserialize(value).unwrap_or_else(|_| {
        faults.push(format!("{name}: {value} is not known; allowed: {allowed}"));
        T::default()
    })
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

    use super::{Action, NodeFindings, Settings};
    use crate::fixture::manifest;

    fn read(settings: Value) -> Result<Settings, String> {
        Settings::try_from(settings)
    }

    #[test]
    fn nothing_set_is_the_default() {
        let nulls = json!({
            "defaultSizeLimit": null, "maxSizeLimit": null, "defaultMemoryLimit": null, "maxMemoryLimit": null,
            "exemptImages": null, "exemptVolumes": null, "rules": null, "nodeFindings": null, "readLimitRanges": null,
        });
        let empty = json!({"defaultSizeLimit": "", "maxMemoryLimit": "", "exemptImages": [], "rules": {}});
        for nothing in [json!(null), json!({}), nulls, empty] {
            assert_eq!(read(nothing), Ok(Settings::default()));
        }
    }

    #[test]
    fn quantities_are_strings_or_numbers_of_bytes() {
        let settings = read(json!({"defaultSizeLimit": "64Mi", "maxSizeLimit": 1_073_741_824})).unwrap();
        assert_eq!(settings.default_size_limit, Some(64 << 20));
        assert_eq!(settings.max_size_limit, Some(1 << 30));
        let settings = read(json!({"defaultMemoryLimit": "0.5Gi", "maxMemoryLimit": "8G"})).unwrap();
        assert_eq!(settings.default_memory_limit, Some(512 << 20));
        assert_eq!(settings.max_memory_limit, Some(8_000_000_000));
    }

    #[test]
    fn what_is_no_size_is_refused_with_the_reason() {
        for (value, reason) in [
            (json!("64MB"), "\"64MB\" is no size: `64MB` has the unknown suffix `MB`"),
            (json!("lots"), "\"lots\" is no size: `lots` is not a number"),
            (json!("64m"), "\"64m\" is no size: it is less than 4Ki"),
            (json!(0), "0 is no size: it is less than 4Ki"),
            (json!("-1Gi"), "\"-1Gi\" is no size: it is less than 4Ki"),
            (json!("10E"), "\"10E\" is no size: it is more than 2^63-1 bytes"),
            (json!(true), "true is no size: it must be a string or a number"),
            (json!(["1Gi"]), "[\"1Gi\"] is no size: it must be a string or a number"),
        ] {
            for name in ["defaultSizeLimit", "maxSizeLimit", "defaultMemoryLimit", "maxMemoryLimit"] {
                let fault = read(json!({name: value})).unwrap_err();
                assert!(fault.starts_with(&format!("{name}: {reason}")), "{fault}");
                assert!(fault.ends_with("; allowed: quantities such as 64Mi, 1Gi"), "{fault}");
            }
        }
    }

    #[test]
    fn a_default_above_its_maximum_is_refused() {
        assert_eq!(
            read(
                json!({"defaultSizeLimit": "2Gi", "maxSizeLimit": "1Gi", "defaultMemoryLimit": 1e12, "maxMemoryLimit": "8Gi"})
            ),
            Err("defaultSizeLimit: 2Gi is larger than maxSizeLimit, 1Gi; allowed: at most maxSizeLimit; \
                 defaultMemoryLimit: 1T is larger than maxMemoryLimit, 8Gi; allowed: at most maxMemoryLimit"
                .into())
        );
        assert!(read(json!({"defaultSizeLimit": "1Gi", "maxSizeLimit": "1024Mi"})).is_ok());
    }

    #[test]
    fn exempt_containers_and_volumes_are_taken_out() {
        let settings = read(json!({
            "exemptImages": ["registry.k8s.io/*", "*/proxy:v?"],
            "exemptVolumes": ["linkerd-identity-end-entity"],
        }))
        .unwrap();
        let container = |image: &str| json!({"name": image, "image": image});
        let mut pod = manifest(json!({"kind": "Pod", "apiVersion": "v1", "spec": {
            "containers": [
                container("registry.k8s.io/sig-storage/csi@sha256:00"), container("registry.k8s.io.example/x"),
                container("ghcr.io/mesh/proxy:v2"), container("ghcr.io/mesh/proxy:v22"), {"name": "none"},
            ],
            "volumes": [{"name": "linkerd-identity-end-entity"}, {"name": "linkerd-identity"}],
        }}))
        .pods
        .remove(0);
        settings.exempt(&mut pod);
        let names: Vec<&str> = pod.containers.iter().map(|container| container.name.as_str()).collect();
        assert_eq!(names, ["registry.k8s.io.example/x", "ghcr.io/mesh/proxy:v22", "none"]);
        let names: Vec<&str> = pod.volumes.iter().map(|volume| volume.name.as_str()).collect();
        assert_eq!(names, ["linkerd-identity"]);
    }

    #[test]
    fn patterns_that_fit_no_name_are_refused() {
        assert_eq!(
            read(json!({"exemptImages": ["nginx", "ngin[xy]", 5], "exemptVolumes": "cache"})),
            Err(
                "exemptImages[1]: \"ngin[xy]\" fits no name; allowed: letters, digits, . _ - : @ /, and the wildcards \
                 * and ?; exemptImages[2]: 5 fits no name; allowed: letters, digits, . _ - : @ /, and the wildcards * \
                 and ?; exemptVolumes: \"cache\" is no list; allowed: a list of names in which * and ? are wildcards"
                    .into()
            )
        );
        let fault = read(json!({"exemptVolumes": ["", "a/b"]})).unwrap_err();
        assert!(fault.starts_with("exemptVolumes[0]: \"\" fits no name; allowed: letters, digits, -, and"), "{fault}");
        assert!(fault.contains("exemptVolumes[1]: \"a/b\" fits no name"), "{fault}");
    }

    #[test]
    fn an_action_per_rule() {
        let settings = read(json!({"rules": {"memory-volume-size-limit-only": "deny"}})).unwrap();
        assert_eq!(settings.rules.get("memory-volume-size-limit-only"), Some(&Action::Deny));
    }

    #[test]
    fn switches() {
        let settings = read(json!({"nodeFindings": "reject", "readLimitRanges": true})).unwrap();
        assert_eq!((settings.node_findings, settings.read_limit_ranges), (NodeFindings::Reject, true));
        assert_eq!(
            read(json!({"nodeFindings": "deny", "readLimitRanges": "yes"})),
            Err("nodeFindings: \"deny\" is not known; allowed: \"warn\", \"reject\"; \
                 readLimitRanges: \"yes\" is not known; allowed: true, false"
                .into())
        );
    }

    #[test]
    fn a_fault_names_the_field_its_value_and_what_is_allowed() {
        let unknown = read(json!({"sizeLimit": "1Gi"})).unwrap_err();
        assert!(
            unknown.starts_with("unknown setting `sizeLimit`; allowed: defaultSizeLimit, maxSizeLimit, "),
            "{unknown}"
        );
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
        assert!(faults.starts_with("unknown setting `mode`; allowed: "), "{faults}");
        assert!(faults.ends_with("; rules: 2 is no map of names to values"), "{faults}");
    }

    #[test]
    fn serde_reads_settings_the_same_way_and_writes_what_it_reads() {
        let settings = read(json!({
            "defaultSizeLimit": "64Mi", "maxSizeLimit": "1Gi", "defaultMemoryLimit": "256Mi", "maxMemoryLimit": "8Gi",
            "exemptImages": ["registry.k8s.io/*"], "exemptVolumes": ["cache-?"],
            "rules": {"inotify-instances-low": "off"}, "nodeFindings": "reject", "readLimitRanges": true,
        }))
        .unwrap();
        let written = serde_json::to_value(&settings).unwrap();
        assert_eq!(serde_json::from_value::<Settings>(written).unwrap(), settings);
        assert!(
            serde_yaml::from_str::<Settings>("nope: 1").unwrap_err().to_string().contains("unknown setting `nope`")
        );
    }
}
