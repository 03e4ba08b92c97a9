//! The options that all functions take: `{lang, settings, maxPods, nodeMemory, runtime, cgroups, line}`, each of them optional.

use rules::facts::CgroupMode;
use rules::kubernetes::inotify::Runtime;
use rules::kubernetes::quantity;
use rules::names::named;
use rules::rules::Lang;
use rules::settings::Settings;
use serde_json::Value;

/// What was chosen.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Options {
    /// Language of words for people.
    pub(crate) lang: Lang,
    /// Those of the policy, and what is known of the node.
    pub(crate) settings: Settings,
    /// The 1-based line that a link leads to.
    pub(crate) line: Option<usize>,
}

impl Options {
    /// Read them from JSON; null is no options at all, and as a field not set.
    ///
    /// # Errors
    /// One sentence that names the option, its value and what is allowed.
    pub(crate) fn read(json: &str) -> Result<Self, String> {
        let fields = match serde_json::from_str(json) {
            Ok(Value::Object(fields)) => fields,
            Ok(Value::Null) => return Ok(Self::default()),
            _ => return Err(format!("the options are an object, not {json}")),
        };
        let mut options = Self::default();
        let mut node = options.settings.node.clone();
        for (name, value) in fields.into_iter().filter(|(_, value)| !value.is_null()) {
            match name.as_str() {
                "lang" => options.lang = lang(Some(&said(&value)))?,
                "settings" => options.settings = Settings::try_from(value)?,
                "maxPods" => node.max_pods = Some(above_zero(&name, &value)?),
                "nodeMemory" => node.memory = Some(memory(&value)?),
                "runtime" => node.runtime = Some(one_of(&name, &value, &Runtime::ALL)?),
                "cgroups" => node.cgroups = Some(one_of(&name, &value, &CgroupMode::ALL)?),
                "line" => options.line = usize::try_from(above_zero(&name, &value)?).ok(),
                _ => return Err(format!("unknown option `{name}`; there are {NAMES}")),
            }
        }
        options.settings.node = node;
        Ok(options)
    }
}

const NAMES: &str = "lang, settings, maxPods, nodeMemory, runtime, cgroups and line";

/// The language with that tag; English when there is none.
///
/// # Errors
/// There are no words in it.
pub(crate) fn lang(tag: Option<&str>) -> Result<Lang, String> {
    let known = || Lang::ALL.map(|(_, tag)| format!("\"{tag}\"")).join(", ");
    tag.map_or(Ok(Lang::default()), |tag| {
        Lang::of(tag).ok_or_else(|| format!("lang is {tag:?}; there are {}", known()))
    })
}

fn above_zero(name: &str, value: &Value) -> Result<u64, String> {
    value.as_u64().filter(|number| *number > 0).ok_or_else(|| format!("{name} is {value}, not a whole number above 0"))
}

/// A Kubernetes quantity above zero, in bytes.
fn memory(value: &Value) -> Result<u128, String> {
    let bytes = quantity::parse(&said(value)).ok().and_then(|bytes| u128::try_from(bytes).ok());
    bytes.filter(|bytes| *bytes > 0).ok_or_else(|| format!("nodeMemory is {value}, not a quantity such as \"16Gi\""))
}

/// One of some values, by its name.
fn one_of<T: Copy>(name: &str, value: &Value, all: &[(T, &'static str)]) -> Result<T, String> {
    let known = || all.iter().map(|(_, known)| format!("\"{known}\"")).collect::<Vec<_>>().join(", ");
    let found = value.as_str().and_then(|value| named(value, all));
    found.ok_or_else(|| format!("{name} is {value}; there are {}", known()))
}

/// A string without its quotes, and JSON for everything else.
fn said(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use rules::facts::CgroupMode;
    use rules::kubernetes::inotify::Runtime;
    use rules::rules::Lang;
    use rules::settings::NodeProfile;

    use super::{Options, lang};

    #[test]
    fn nothing_chosen_is_the_default() {
        for nothing in ["null", "{}", r#"{"lang": null, "maxPods": null}"#] {
            assert_eq!(Options::read(nothing), Ok(Options::default()), "{nothing}");
        }
    }

    #[test]
    fn every_option_is_read() {
        let all = r#"{
            "nodeMemory": "16Gi", "lang": "zh-CN", "settings": {"maxSizeLimit": "1Gi"}, "maxPods": 30, "line": 7,
            "runtime": "cri-o", "cgroups": "v2"
        }"#;
        let options = Options::read(all).unwrap();
        assert_eq!((options.lang, options.line), (Lang::Zh, Some(7)));
        assert_eq!(options.settings.max_size_limit, Some(1 << 30));
        let (runtime, cgroups) = (Some(Runtime::Crio), Some(CgroupMode::V2));
        let node = NodeProfile { max_pods: Some(30), memory: Some(16 << 30), runtime, cgroups };
        assert_eq!(options.settings.node, node);
    }

    #[test]
    fn a_fault_names_the_option_its_value_and_what_is_allowed() {
        let fault = |json| Options::read(json).unwrap_err();
        assert_eq!(fault("7"), "the options are an object, not 7");
        assert_eq!(
            fault(r#"{"colour": 1}"#),
            "unknown option `colour`; there are lang, settings, maxPods, nodeMemory, runtime, cgroups and line"
        );
        assert_eq!(fault(r#"{"maxPods": 0}"#), "maxPods is 0, not a whole number above 0");
        assert_eq!(fault(r#"{"nodeMemory": "lots"}"#), "nodeMemory is \"lots\", not a quantity such as \"16Gi\"");
        assert_eq!(fault(r#"{"cgroups": 2}"#), r#"cgroups is 2; there are "v1", "v2""#);
        assert_eq!(fault(r#"{"runtime": "podman"}"#), r#"runtime is "podman"; there are "containerd", "cri-o""#);
        assert!(fault(r#"{"settings": {"maxSizeLimt": 1}}"#).contains("maxSizeLimt"));
        assert_eq!(lang(Some("tlh")), Err(r#"lang is "tlh"; there are "en", "ja", "zh""#.to_owned()));
        assert_eq!(fault(r#"{"lang": 7}"#), r#"lang is "7"; there are "en", "ja", "zh""#);
    }
}
