//! A link that carries the text: the part of the address behind `#`, which never reaches a server.
//!
//! `#v1.d=` stands before the state as JSON, deflated (RFC 1951) and written in base64url (RFC 4648) without padding.
//! Links live long: a later version gets another prefix, and this one stays readable. `#v2.d=` is the same with more
//! than a single text or with what version 1 does not know of a node, which a page that knows version 1 alone would lose.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};
use rules::facts::CgroupMode;
use rules::kubernetes::inotify::Runtime;
use rules::kubernetes::quantity;
use rules::names::{name_of, named};
use rules::settings::NodeProfile;
use serde_json::{Map, Value};

/// Before the state, in version 1.
const PREFIX: &str = "#v1.d=";

/// Before the state, in version 2.
const FURTHER: &str = "#v2.d=";

/// The most that a link may inflate to, in bytes. Deflate shrinks a thousandfold, so a short link could hold up the page.
pub const INFLATED: usize = 2 * 1024 * 1024;

/// The most texts that a link may carry: each takes a row of the page.
pub const TEXTS: usize = 100;

/// Links longer than this, in characters, are cut by some chat tools.
pub const LONG: usize = 2_000;

/// Longer links are not made: browsers and tools begin to refuse them.
pub const TOO_LONG: usize = 30_000;

/// Deflate's level that takes the most time and the least room.
const SMALLEST: u8 = 9;

/// What a link carries. In the JSON each field has its name in camel case; what is not said is left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shared {
    /// The first text.
    pub text: String,
    /// Its name, when it is another one than that of a paste.
    pub name: Option<String>,
    /// Id of the kind that the user says it is of.
    pub kind: Option<String>,
    /// Further texts, in their order.
    pub more: Vec<Part>,
    /// kubelet's `maxPods`, as far as it was given by hand.
    pub max_pods: Option<u64>,
    /// Allocatable memory of the node, a Kubernetes quantity, as far as it was given by hand.
    pub node_memory: Option<String>,
    /// The container runtime, as far as it was given by hand.
    pub runtime: Option<Runtime>,
    /// How cgroups are mounted, as far as it was given by hand.
    pub cgroups: Option<CgroupMode>,
    /// How many texts stand before the one on show; nothing is the first.
    pub shown: Option<usize>,
    /// The 1-based line that the cursor is in, in the text on show.
    pub line: Option<usize>,
}

/// A further text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Id of the kind that the user says it is of.
    pub kind: Option<String>,
    /// The text.
    pub text: String,
}

impl Part {
    fn to_json(&self) -> Value {
        let mut fields = Map::new();
        fields.insert("name".to_owned(), self.name.as_str().into());
        fields.insert("text".to_owned(), self.text.as_str().into());
        if let Some(kind) = &self.kind {
            fields.insert("kind".to_owned(), kind.as_str().into());
        }
        Value::Object(fields)
    }

    fn from_json(value: &Value) -> Option<Self> {
        Some(Self { name: string(value, "name")?, kind: string(value, "kind"), text: string(value, "text")? })
    }
}

fn string(value: &Value, field: &str) -> Option<String> {
    value.get(field).and_then(Value::as_str).map(str::to_owned)
}

impl Shared {
    /// A text with what is known of the node.
    #[must_use]
    pub fn new(text: String, node: &NodeProfile, line: Option<usize>) -> Self {
        Self {
            text,
            max_pods: node.max_pods,
            node_memory: node.memory.map(quantity::format),
            runtime: node.runtime,
            cgroups: node.cgroups,
            line,
            ..Self::default()
        }
    }

    /// What is known of the node. Values that say nothing are left out.
    #[must_use]
    pub fn node(&self) -> NodeProfile {
        let bytes = |memory: &String| u128::try_from(quantity::parse(memory).ok()?).ok();
        let memory = self.node_memory.as_ref().and_then(bytes).filter(|bytes| *bytes > 0);
        let max_pods = self.max_pods.filter(|pods| *pods > 0);
        NodeProfile { max_pods, memory, runtime: self.runtime, cgroups: self.cgroups }
    }

    /// Through the JSON value that the page uses anyway: derived code would make the Wasm larger.
    fn to_json(&self) -> String {
        let mut fields = Map::new();
        fields.insert("text".to_owned(), self.text.as_str().into());
        let others = [
            ("maxPods", self.max_pods.map(Value::from)),
            ("nodeMemory", self.node_memory.as_deref().map(Value::from)),
            ("runtime", self.runtime.map(|runtime| name_of(runtime, &Runtime::ALL).into())),
            ("cgroups", self.cgroups.map(|mode| name_of(mode, &CgroupMode::ALL).into())),
            ("shown", self.shown.map(Value::from)),
            ("line", self.line.map(Value::from)),
            ("name", self.name.as_deref().map(Value::from)),
            ("kind", self.kind.as_deref().map(Value::from)),
            ("more", Some(self.more.iter().map(Part::to_json).collect()).filter(|_| !self.more.is_empty())),
        ];
        fields.extend(others.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        Value::Object(fields).to_string()
    }

    /// `None` when it is no such JSON. Fields that are not known are passed over.
    fn from_json(json: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(json).ok()?;
        let count =
            |field: &str| value.get(field).and_then(Value::as_u64).and_then(|count| usize::try_from(count).ok());
        Some(Self {
            text: string(&value, "text")?,
            name: string(&value, "name"),
            kind: string(&value, "kind"),
            more: value
                .get("more")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(Part::from_json)
                .collect(),
            max_pods: value.get("maxPods").and_then(Value::as_u64),
            node_memory: string(&value, "nodeMemory"),
            runtime: string(&value, "runtime").and_then(|name| named(&name, &Runtime::ALL)),
            cgroups: string(&value, "cgroups").and_then(|name| named(&name, &CgroupMode::ALL)),
            shown: count("shown"),
            line: count("line"),
        })
    }
}

/// Why a link cannot be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It was cut or changed on the way.
    Damaged,
    /// It inflates to more than the page takes.
    TooLarge,
    /// It was made by a later version of the page.
    Newer,
}

/// Whether the link that carries `shared` would be refused where it is opened, so that there is no use in making it.
#[must_use]
pub fn is_too_large(shared: &Shared) -> bool {
    exceeds(shared.to_json().len(), shared)
}

/// Asked on both sides: what one refuses, the other must not make.
fn exceeds(inflated: usize, shared: &Shared) -> bool {
    inflated > INFLATED || shared.more.len() >= TEXTS
}

/// The fragment that carries `shared`.
#[must_use]
pub fn encode(shared: &Shared) -> String {
    let is_single = shared.name.is_none() && shared.kind.is_none() && shared.more.is_empty();
    let prefix = if is_single && shared.runtime.is_none() && shared.cgroups.is_none() { PREFIX } else { FURTHER };
    prefix.to_owned() + &URL_SAFE_NO_PAD.encode(compress_to_vec(shared.to_json().as_bytes(), SMALLEST))
}

/// Whether a fragment is a link of this kind, readable or not.
#[must_use]
pub fn is_link(fragment: &str) -> bool {
    let version = fragment.strip_prefix("#v").and_then(|rest| rest.split_once('.'));
    version.is_some_and(|(version, _)| !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit()))
}

/// What a fragment carries; `None` when it is no link of this kind.
#[must_use]
pub fn decode(fragment: &str) -> Option<Result<Shared, Fault>> {
    match fragment.strip_prefix(PREFIX).or_else(|| fragment.strip_prefix(FURTHER)) {
        Some(data) => Some(inflate(data)),
        None if fragment.starts_with("#v1.") || fragment.starts_with("#v2.") => Some(Err(Fault::Damaged)),
        None => is_link(fragment).then_some(Err(Fault::Newer)),
    }
}

fn inflate(data: &str) -> Result<Shared, Fault> {
    // Tools append what they take for a part of a sentence.
    let data = data.trim_end_matches(['.', ',', ')', '>', '=']);
    let deflated = URL_SAFE_NO_PAD.decode(data).map_err(|_| Fault::Damaged)?;
    let json = decompress_to_vec_with_limit(&deflated, INFLATED).map_err(|error| match error.status {
        TINFLStatus::HasMoreOutput => Fault::TooLarge,
        _ => Fault::Damaged,
    })?;
    let shared = str::from_utf8(&json).ok().and_then(Shared::from_json).ok_or(Fault::Damaged)?;
    if exceeds(json.len(), &shared) { Err(Fault::TooLarge) } else { Ok(shared) }
}

// The generator of cases is not made for the browser.
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use std::fs;
    use std::path::Path;

    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use miniz_oxide::deflate::compress_to_vec;
    use proptest::prelude::*;
    use rules::facts::CgroupMode;
    use rules::kubernetes::inotify::Runtime;
    use rules::rules::RULES;
    use rules::settings::NodeProfile;

    use super::{Fault, INFLATED, Part, Shared, TEXTS, decode, encode, is_too_large};

    /// Made by hand with Python: `base64url(zlib.compressobj(9, wbits=-15))`. They must open for ever.
    #[allow(clippy::type_complexity)] // A function, because a text of its own cannot be a constant.
    const GOLDEN: [(&str, fn() -> Shared); 3] = [
        ("#v1.d=q1YqSa0oUbJSSivWy8zLL8lMq9TLTayILy1OLYrPzCsuScxLTi1WsFUwNLKIyVOqBQA", || Shared {
            text: "fs.inotify.max_user_instances = 128\n".into(),
            ..Shared::default()
        }),
        (
            "#v1.d=q1YqSa0oUbJSUlb4MH9Gg8Lj5r7HzXseN3fG5GVn5qVYKQTkp8TkKeko5SZWAJnFSlZGpgY6Snn5Kam-qbn5RZVArYZm7plAFTmZealA6VoA",
            || Shared {
                text: "# 😀 ノード\nkind: Pod\n".into(),
                max_pods: Some(250),
                node_memory: Some("16Gi".into()),
                line: Some(2),
                ..Shared::default()
            },
        ),
        (
            "#v2.d=q1YqSa0oUbJSMlTSUcpLzE0FMhP1KhNzc4D83PwiID-6GiaRpFcCVKsD02IEZGZn5qUAmcWVxcklOUq1sTpKxRn55XlKVoa1AA",
            || Shared {
                text: "1".into(),
                name: Some("a.yaml".into()),
                more: vec![Part { name: "b.txt".into(), text: "2".into(), kind: Some("sysctl".into()) }],
                shown: Some(1),
                ..Shared::default()
            },
        ),
    ];

    #[test]
    fn links_of_earlier_days_open() {
        for (link, shared) in GOLDEN {
            assert_eq!(decode(link), Some(Ok(shared())), "{link}");
        }
    }

    #[test]
    fn examples_come_back_and_stay_below_the_length_that_is_refused() {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        for example in RULES.iter().flat_map(|rule| fs::read_dir(examples.join(rule.id)).unwrap()) {
            let path = example.unwrap().path();
            let shared = Shared::new(fs::read_to_string(&path).unwrap(), &NodeProfile::default(), None);
            let link = encode(&shared);
            assert!(link.len() < super::TOO_LONG, "{}: {}", path.display(), link.len());
            assert_eq!(decode(&link), Some(Ok(shared)));
        }
    }

    #[test]
    fn a_bomb_is_refused_before_it_inflates() {
        let bomb = |size| format!("#v1.d={}", URL_SAFE_NO_PAD.encode(compress_to_vec(&vec![b' '; size], 9)));
        assert!(bomb(64 * INFLATED).len() < 200_000);
        assert_eq!(decode(&bomb(64 * INFLATED)), Some(Err(Fault::TooLarge)));
        assert_eq!(decode(&bomb(INFLATED + 1)), Some(Err(Fault::TooLarge)));
        assert_eq!(decode(&bomb(INFLATED)), Some(Err(Fault::Damaged)), "inflates, but is no JSON");
    }

    #[test]
    fn what_is_refused_where_a_link_is_opened_is_known_where_it_is_made() {
        let part = Part { name: "a".into(), kind: None, text: "x".into() };
        let texts = |count: usize| Shared { more: vec![part.clone(); count - 1], ..Shared::default() };
        // A quotation mark takes two bytes in JSON, and the braces and the name of the field take 11.
        let bytes = |count: usize| Shared { text: "\"".repeat((count - 11) / 2) + " ", ..Shared::default() };
        for (largest, larger) in [(texts(TEXTS), texts(TEXTS + 1)), (bytes(INFLATED), bytes(INFLATED + 2))] {
            assert!(!is_too_large(&largest) && is_too_large(&larger));
            assert_eq!(decode(&encode(&larger)), Some(Err(Fault::TooLarge)));
            assert_eq!(decode(&encode(&largest)), Some(Ok(largest)));
        }
    }

    #[test]
    fn what_is_broken_newer_or_no_link_is_told_apart() {
        let link = encode(&Shared { text: "kind: Pod\n".repeat(20), ..Shared::default() });
        assert_eq!(decode(&link[..link.len() - 9]), Some(Err(Fault::Damaged)), "cut");
        assert_eq!(decode(&format!("{link}.")).unwrap().unwrap().text.len(), 200, "the end of a sentence");
        for broken in ["#v1.d=", "#v1.d=%", "#v1.d=AAAA", "#v1.x=AAAA"] {
            assert_eq!(decode(broken), Some(Err(Fault::Damaged)), "{broken}");
        }
        assert_eq!(decode("#v2.z=AAAA"), Some(Err(Fault::Damaged)));
        assert_eq!(decode("#v3.d=AAAA"), Some(Err(Fault::Newer)));
        for other in ["", "#", "#example=a/b.txt", "#report", "#v", "#v.", "#volumes.x"] {
            assert_eq!(decode(other), None, "{other}");
        }
    }

    #[test]
    fn several_texts_come_back_with_their_names_and_kinds() {
        let further = |kind: Option<&str>| Part { name: "b.txt".into(), kind: kind.map(Into::into), text: "2".into() };
        let named = Shared { text: "1".into(), name: Some("a.yaml".into()), ..Shared::default() };
        for shared in [
            named.clone(),
            Shared { kind: Some("manifest".into()), ..named.clone() },
            Shared { more: vec![further(None), further(Some("sysctl"))], shown: Some(2), line: Some(1), ..named },
        ] {
            let link = encode(&shared);
            assert!(link.starts_with("#v2.d="), "a page of version 1 would lose something");
            assert_eq!(decode(&link), Some(Ok(shared)));
        }
    }

    #[test]
    fn values_that_say_nothing_are_left_out() {
        let shared = Shared { max_pods: Some(0), node_memory: Some("lots".into()), ..Shared::default() };
        assert_eq!(shared.node(), NodeProfile::default());
        let unknown = r#"{"text": "", "runtime": "podman", "cgroups": 2}"#;
        assert_eq!(Shared::from_json(unknown).unwrap().node(), NodeProfile::default());
    }

    #[test]
    fn what_is_stated_of_the_node_comes_back() {
        for (runtime, cgroups) in [(Runtime::Crio, CgroupMode::V1), (Runtime::Containerd, CgroupMode::V2)] {
            let (runtime, cgroups) = (Some(runtime), Some(cgroups));
            let node = NodeProfile { max_pods: Some(30), memory: Some(3 << 29), runtime, cgroups };
            let link = encode(&Shared::new(String::new(), &node, None));
            assert!(link.starts_with("#v2.d="), "a page of version 1 would lose something");
            assert_eq!(decode(&link).unwrap().unwrap().node(), node);
        }
    }

    proptest! {
        #[test]
        fn every_state_comes_back(
            text in "\\PC{0,200}",
            max_pods in proptest::option::of(1_u64..),
            node_memory in proptest::option::of("[0-9]{1,3}Gi"),
            line in proptest::option::of(1_usize..10_000),
        ) {
            let shared = Shared { text, max_pods, node_memory, line, ..Shared::default() };
            prop_assert!(encode(&shared).starts_with("#v1.d="));
            prop_assert_eq!(decode(&encode(&shared)), Some(Ok(shared)));
        }

        #[test]
        fn no_fragment_makes_it_panic(fragment in "#v1\\.d=[A-Za-z0-9_-]{0,80}|\\PC{0,40}") {
            let _ = decode(&fragment);
        }
    }
}
