//! Pod templates in any object, reduced to what the rules look at.
//!
//! Any map with a `containers` list is taken for a pod spec, wherever it stands, so that custom kinds
//! (LeaderWorkerSet, RayCluster, Rollout, a Knative Service…) are covered without a list of kinds.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::{Map, Value};

use crate::facts::Sketch;
use crate::kubernetes::quantity;
use crate::patch;
use crate::report::{Place, Span};

/// Nesting below which an object is not walked any further. Parsers stop at 128 levels; this bounds the recursion for
/// values that were built by hand.
const DEEPEST: usize = 256;

/// What a document says about memory volumes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Walk {
    /// Pod templates, in document order.
    pub pods: Vec<PodTemplate>,
    /// Pointers to memory volumes outside of any whole pod spec, and what they are part of.
    pub sketches: Vec<(String, Sketch)>,
}

/// Walk a whole document: an object, a `List`, or a piece of one.
#[must_use]
pub fn walk(document: &Value) -> Walk {
    Walker::<true>::over(document)
}

/// The pod templates of a document alone, which is faster.
#[must_use]
pub fn pods(document: &Value) -> Vec<PodTemplate> {
    Walker::<false>::over(document).pods
}

/// A pod template: the spec of a Pod, or of whatever creates pods.
#[derive(Clone, Debug, PartialEq)]
pub struct PodTemplate {
    /// Index of the input it was read from.
    pub input: usize,
    /// First line of its document in the input (1-based); 0 when an object was checked instead of text.
    pub document_line: usize,
    /// `Kind/namespace/name` of the object that holds it.
    pub object: String,
    /// Kind of the object that holds it; empty when the text does not say.
    pub kind: String,
    /// Namespace of the object, when it says.
    pub namespace: Option<String>,
    /// True for a Pod itself: the API server has already applied its defaults, or will before admission.
    pub is_pod: bool,
    /// JSON pointer to the pod spec within the document.
    pub pointer: String,
    /// `replicas` (or parallelism) of the object.
    pub replicas: Option<u64>,
    /// The node that a Pod runs on; absent for templates, and for Pods that wait or have ended.
    pub node: Option<String>,
    /// `spec.resources.limits.memory` of the Pod (KEP-2837).
    pub pod_limit: Amount,
    /// `spec.resources.requests.memory` of the Pod (KEP-2837).
    pub pod_request: Amount,
    /// The ResourceQuota that refuses pods of this template as long as a container has no memory limit.
    pub refused_by: Option<String>,
    /// Attempts to set limits of inotify.
    pub inotify_settings: Vec<InotifySetting>,
    /// Regular, init, sidecar and ephemeral containers, in that order of their lists in the object.
    pub containers: Vec<Container>,
    /// Volumes.
    pub volumes: Vec<Volume>,
}

impl PodTemplate {
    /// A place in this template's document. On the text path the span is the document's first line until
    /// [`crate::check`] has looked up where the pointer leads.
    #[must_use]
    pub fn place(&self, pointer: String) -> Place {
        let span = (self.document_line > 0).then_some(Span { line: self.document_line, column: 1, end_column: 1 });
        Place { input: self.input, pointer: Some(pointer), span }
    }

    /// Where a container's memory limit stands: in the container, or in a LimitRange.
    #[must_use]
    pub fn limit_place(&self, container: &Container) -> Place {
        let own = || self.place(format!("{}/resources/limits/memory", container.pointer));
        container.limit_given_by.clone().unwrap_or_else(own)
    }

    /// Fill in [`Volume::writers`]; to be done again when containers were taken out. A name that is used twice stands
    /// for the first volume of that name; the API server refuses the second.
    pub(crate) fn find_writers(&mut self) {
        let mut writers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, container) in self.containers.iter().enumerate() {
            for mount in container.mounts.iter().filter(|mount| !mount.read_only) {
                let writers = writers.entry(&mount.volume).or_default();
                if writers.last() != Some(&index) {
                    writers.push(index);
                }
            }
        }
        for volume in &mut self.volumes {
            volume.writers = writers.remove(volume.name.as_str()).unwrap_or_default();
        }
    }
}

/// An attempt of a pod to set a limit of inotify, which is the node's and not the pod's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InotifySetting {
    /// The init container whose command tries; `None` for `securityContext.sysctls`, which kubelet would set.
    pub container: Option<String>,
    /// That container is privileged, so that it can write to the node's `/proc/sys`.
    pub privileged: bool,
    /// What it tries to set, as written.
    pub text: String,
    /// JSON pointer to the place within the document.
    pub pointer: String,
}

/// One container.
#[derive(Clone, Debug, PartialEq)]
pub struct Container {
    /// Its name; empty when missing.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// Its image; empty when missing.
    pub image: String,
    /// `resources.limits.memory`, or what a LimitRange gives instead.
    pub memory_limit: Amount,
    /// `resources.requests.memory`, or what a LimitRange gives instead.
    pub memory_request: Amount,
    /// The LimitRange that gave the limit.
    pub limit_given_by: Option<Place>,
    /// Volumes that it mounts.
    pub mounts: Vec<Mount>,
    /// JSON pointer to the container within the document.
    pub pointer: String,
}

/// The part a container plays in its pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// In `containers`.
    Regular,
    /// In `initContainers`: runs to completion before the regular ones.
    Init,
    /// In `initContainers` with `restartPolicy: Always` (KEP-753).
    Sidecar,
    /// In `ephemeralContainers`: added to a running pod, may not carry resources.
    Ephemeral,
}

/// One volume mount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Name of the volume.
    pub volume: String,
    /// `readOnly: true`.
    pub read_only: bool,
}

/// One volume.
#[derive(Clone, Debug, PartialEq)]
pub struct Volume {
    /// Its name; empty when missing.
    pub name: String,
    /// What it is stored on.
    pub medium: Medium,
    /// `emptyDir.sizeLimit`.
    pub size_limit: Amount,
    /// `medium` and `sizeLimit` that stand beside `emptyDir` instead of in it, where they have no effect.
    pub misplaced: Vec<Misplaced>,
    /// Those of the template's containers that mount it writable, by index.
    pub writers: Vec<usize>,
    /// JSON pointer to the volume within the document.
    pub pointer: String,
}

/// A field that stands beside `emptyDir` instead of in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Misplaced {
    /// `medium` or `sizeLimit`.
    pub field: &'static str,
    /// Its value.
    pub value: Value,
    /// `emptyDir` has the field as well.
    pub repeated: bool,
}

/// What a volume is stored on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Medium {
    /// No emptyDir at all.
    NotEmptyDir,
    /// emptyDir on the node's disk.
    Disk,
    /// emptyDir on tmpfs.
    Memory,
    /// emptyDir on huge pages, which are limited by their own resource.
    HugePages,
    /// A medium that kubelet refuses ("unknown storage medium").
    Unknown(String),
}

/// A memory quantity in a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Amount {
    /// The field is missing, so defaults may fill it in.
    Unset,
    /// Zero, or null, which decodes to zero: nothing is limited or reserved, and no default replaces it.
    Zero,
    /// Bytes, rounded up; always above zero.
    Bytes(u128),
    /// Not a quantity; the text as written.
    Invalid(String),
}

impl fmt::Display for Amount {
    /// As it counts: `-` for a field that is missing, `0` for null.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unset => f.write_str("-"),
            Self::Zero => f.write_str("0"),
            Self::Bytes(bytes) => f.write_str(&quantity::format(*bytes)),
            Self::Invalid(text) => f.write_str(text),
        }
    }
}

impl Amount {
    /// The bytes, when it is a valid quantity above zero.
    #[must_use]
    pub fn bytes(&self) -> Option<u128> {
        match self {
            Self::Bytes(bytes) => Some(*bytes),
            Self::Unset | Self::Zero | Self::Invalid(_) => None,
        }
    }

    /// Whether something above zero is written there, be it readable or not.
    #[must_use]
    pub fn is_set(&self) -> bool {
        matches!(self, Self::Bytes(_) | Self::Invalid(_))
    }
}

impl Amount {
    /// Read a quantity as the API server does: a string, a bare number, or null, which is zero to it
    /// (`Quantity.UnmarshalJSON`).
    #[must_use]
    pub fn read(value: Option<&Value>) -> Self {
        let text = match value {
            None => return Self::Unset,
            Some(Value::Null) => return Self::Zero,
            Some(Value::String(text)) => text.trim().to_owned(),
            Some(other) => other.to_string(),
        };
        match quantity::parse(&text) {
            Ok(0) => Self::Zero,
            Ok(bytes) => u128::try_from(bytes).map_or(Self::Invalid(text), Self::Bytes),
            Err(_) => Self::Invalid(text),
        }
    }
}

/// The object that a pod template belongs to.
#[derive(Clone, Copy, Debug, Default)]
struct Owner<'a> {
    kind: &'a str,
    namespace: Option<&'a str>,
    name: &'a str,
    replicas: Option<u64>,
    /// How deep it stands in the document.
    depth: usize,
    /// The node that it runs on.
    node: Option<&'a str>,
    /// The template asks an admission webhook to add containers that are not in the text.
    injected: bool,
}

impl<'a> Owner<'a> {
    /// `object` as an owner, when it looks like a Kubernetes object; `kind` is what its list says of its items.
    fn of(object: &'a Map<String, Value>, kind: Option<&'a str>, depth: usize) -> Option<Self> {
        let kind = text(object, "kind").or(kind)?;
        if !object.contains_key("metadata") && !object.contains_key("apiVersion") {
            return None;
        }
        let metadata = object.get("metadata").and_then(Value::as_object);
        let field = |name| metadata.and_then(|metadata| text(metadata, name));
        let spec = object.get("spec").and_then(Value::as_object);
        let count = |name| spec.and_then(|spec| spec.get(name)).and_then(Value::as_u64);
        Some(Self {
            kind,
            namespace: field("namespace"),
            name: field("name").or_else(|| field("generateName")).unwrap_or_default(),
            replicas: count("replicas").or_else(|| count("parallelism")),
            depth,
            node: node(object),
            injected: false,
        })
    }

    /// `Kind/namespace/name`, leaving out what the object does not say.
    fn label(&self) -> String {
        let kind = if self.kind.is_empty() { "PodSpec" } else { self.kind };
        let parts = [Some(kind), self.namespace, Some(self.name)];
        parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
    }
}

/// One step of the way from the document to a value. Only few places are pointed at, so JSON pointers are written for
/// those alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

/// With `SKETCHES` it looks into every text for memory volumes, not for pod templates alone.
struct Walker<'a, const SKETCHES: bool> {
    walk: Walk,
    path: Vec<Step<'a>>,
}

impl<'a, const SKETCHES: bool> Walker<'a, SKETCHES> {
    fn over(document: &'a Value) -> Walk {
        let mut walker = Self { walk: Walk::default(), path: Vec::new() };
        walker.visit(document, Owner::default());
        walker.walk
    }

    fn visit(&mut self, value: &'a Value, owner: Owner<'a>) {
        if self.path.len() > DEEPEST {
            return;
        }
        match value {
            Value::Object(object) => self.visit_object(object, owner),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.below(Step::Index(index), |walker| walker.visit(item, owner));
                }
            }
            Value::String(text) if SKETCHES && mentions_memory_volume(text) => self.sketch(Sketch::Values),
            _ => {}
        }
    }

    fn visit_object(&mut self, object: &'a Map<String, Value>, owner: Owner<'a>) {
        let mut owner = Owner::of(object, None, self.path.len()).unwrap_or(owner);
        owner.injected |= SKETCHES && asks_for_injection(object);
        let spec = object.get("containers").and_then(Value::as_array).is_some_and(|list| !is_pattern(list));
        if spec {
            self.pod(object, owner);
        } else if SKETCHES && is_memory_volume(object) {
            self.sketch(Sketch::Fragment);
        }
        let item_kind = owner.kind.strip_suffix("List").filter(|kind| !kind.is_empty());
        for (key, child) in object {
            let step = Step::Key(key);
            match (key.as_str(), child) {
                // The copy that `kubectl apply` keeps, and field ownership, repeat the object itself.
                ("managedFields" | "kubectl.kubernetes.io/last-applied-configuration", _) => {}
                ("volumes", _) if spec => {}
                // There is no pod within a pod, but there may be a manifest in a command.
                ("containers" | "initContainers" | "ephemeralContainers", _) if spec && !SKETCHES => {}
                // Spark on Kubernetes turns its scratch space into memory volumes.
                ("spark.kubernetes.local.dirs.tmpfs", value)
                    if SKETCHES && (value == "true" || value == &Value::Bool(true)) =>
                {
                    self.below(step, |walker| walker.sketch(Sketch::Values));
                }
                ("items", Value::Array(items)) if item_kind.is_some() => {
                    self.below(step, |walker| walker.items(items, item_kind, owner));
                }
                _ => self.below(step, |walker| walker.visit(child, owner)),
            }
        }
    }

    /// The items of a list whose kind names its items' kind (`ReplicaSetList`): items carry neither kind nor
    /// apiVersion.
    fn items(&mut self, items: &'a [Value], kind: Option<&'a str>, owner: Owner<'a>) {
        for (index, item) in items.iter().enumerate() {
            self.below(Step::Index(index), |walker| {
                let own = item.as_object().and_then(|object| Owner::of(object, kind, walker.path.len()));
                walker.visit(item, own.unwrap_or(owner));
            });
        }
    }

    fn below(&mut self, step: Step<'a>, visit: impl FnOnce(&mut Self)) {
        self.path.push(step);
        visit(self);
        self.path.pop();
    }

    /// JSON pointer to the value that is being visited.
    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for step in &self.path {
            pointer.push('/');
            match step {
                Step::Key(key) => pointer.push_str(&patch::escape(key)),
                Step::Index(index) => pointer.push_str(&index.to_string()),
            }
        }
        pointer
    }

    fn sketch(&mut self, sketch: Sketch) {
        self.walk.sketches.push((self.pointer(), sketch));
    }

    fn pod(&mut self, spec: &Map<String, Value>, owner: Owner) {
        let pointer = self.pointer();
        let mut containers = Vec::new();
        for (list, role) in
            [("containers", Role::Regular), ("initContainers", Role::Init), ("ephemeralContainers", Role::Ephemeral)]
        {
            for (index, container) in items(spec, list).enumerate() {
                containers.push(read_container(container, role, format!("{pointer}/{list}/{index}")));
            }
        }
        let volumes: Vec<Volume> = items(spec, "volumes")
            .enumerate()
            .map(|(index, volume)| read_volume(volume, format!("{pointer}/volumes/{index}")))
            .collect();
        if SKETCHES {
            self.sketch_volumes(spec, &containers, &volumes, owner);
        }
        let is_pod = owner.kind == "Pod" && self.path.get(owner.depth..) == Some(&[Step::Key("spec")]);
        self.walk.pods.push(PodTemplate {
            input: 0,
            document_line: 0,
            object: owner.label(),
            kind: owner.kind.to_owned(),
            namespace: owner.namespace.map(str::to_owned),
            is_pod,
            replicas: owner.replicas,
            node: owner.node.filter(|_| is_pod).map(str::to_owned),
            pod_limit: memory(spec, "limits"),
            pod_request: memory(spec, "requests"),
            refused_by: None,
            inotify_settings: inotify_settings(spec, &pointer),
            pointer,
            containers,
            volumes,
        });
        if let Some(pod) = self.walk.pods.last_mut() {
            pod.find_writers();
        }
    }

    /// The memory volumes of a pod spec that only the API server or an admission webhook can tell more about.
    fn sketch_volumes(
        &mut self,
        spec: &Map<String, Value>,
        containers: &[Container],
        volumes: &[Volume],
        owner: Owner,
    ) {
        let pointer = self.pointer();
        // `medium：Memory` with a full-width colon is a text, which the API server refuses.
        let refused = items(spec, "volumes").enumerate().filter(|(_, volume)| {
            volume.get("emptyDir").and_then(Value::as_str).is_some_and(|text| text.contains("Memory"))
        });
        let refused = refused.map(|(index, _)| (format!("{pointer}/volumes/{index}/emptyDir"), Sketch::Broken));
        self.walk.sketches.extend(refused);
        if owner.injected {
            let mut mounted = BTreeSet::new();
            mounted
                .extend(containers.iter().flat_map(|container| &container.mounts).map(|mount| mount.volume.as_str()));
            let memory = volumes.iter().filter(|volume| volume.medium == Medium::Memory);
            let unmounted = memory.filter(|volume| !mounted.contains(volume.name.as_str()));
            self.walk.sketches.extend(unmounted.map(|volume| (volume.pointer.clone(), Sketch::Injected)));
        }
    }
}

/// The node that a Pod object runs on. One that has ended holds nothing any more.
fn node(pod: &Map<String, Value>) -> Option<&str> {
    let ended = pod.get("status").and_then(|status| status.get("phase")).and_then(Value::as_str);
    let node = pod.get("spec").and_then(|spec| spec.get("nodeName")).and_then(Value::as_str);
    node.filter(|node| !node.is_empty() && !matches!(ended, Some("Succeeded" | "Failed")))
}

/// Attempts of a pod to set limits of inotify: in `securityContext.sysctls`, or by the command of an init container.
fn inotify_settings(spec: &Map<String, Value>, pointer: &str) -> Vec<InotifySetting> {
    let sysctls = spec.get("securityContext").and_then(|context| context.get("sysctls")).and_then(Value::as_array);
    let by_kubelet = sysctls.into_iter().flatten().enumerate().filter_map(|(index, sysctl)| {
        // kubelet takes slashes for dots.
        let name = sysctl.get("name").and_then(Value::as_str)?.replace('/', ".");
        let value = sysctl.get("value").and_then(Value::as_str).unwrap_or_default();
        INOTIFY_LIMITS.iter().any(|limits| name.starts_with(limits)).then(|| InotifySetting {
            container: None,
            privileged: false,
            text: format!("{name}={value}"),
            pointer: format!("{pointer}/securityContext/sysctls/{index}"),
        })
    });
    let by_command = items(spec, "initContainers").enumerate().filter_map(|(index, container)| {
        let container = container.as_object()?;
        let (list, setting) = ["command", "args"].into_iter().find_map(|list| {
            let mut words = items(container, list).filter_map(Value::as_str);
            Some((list, words.find_map(sets_inotify)?))
        })?;
        Some(InotifySetting {
            container: Some(text(container, "name").unwrap_or_default().to_owned()),
            privileged: container.get("securityContext").and_then(|context| context.get("privileged"))
                == Some(&Value::Bool(true)),
            text: setting.to_owned(),
            pointer: format!("{pointer}/initContainers/{index}/{list}"),
        })
    });
    by_kubelet.chain(by_command).collect()
}

/// What kernel parameters for inotify start with.
const INOTIFY_LIMITS: [&str; 2] = ["fs.inotify.", "user.max_inotify_"];

/// The part of a command that sets a limit of inotify: `fs.inotify.…=1` after `sysctl -w`, or a file in `/proc/sys`
/// after `>`.
fn sets_inotify(command: &str) -> Option<&str> {
    let mut written = false;
    command.split(|c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|' | '"' | '\'')).find_map(|part| {
        let file = part.trim_start_matches('>');
        written |= file.len() < part.len();
        let set = INOTIFY_LIMITS.iter().any(|limits| part.starts_with(limits)) && part.contains('=');
        let found = set || written && file.starts_with("/proc/sys/fs/inotify/");
        written &= file.is_empty();
        found.then_some(file)
    })
}

fn read_container(value: &Value, role: Role, pointer: String) -> Container {
    let empty = Map::new();
    let container = value.as_object().unwrap_or(&empty);
    let role =
        if role == Role::Init && text(container, "restartPolicy") == Some("Always") { Role::Sidecar } else { role };
    let mounts = items(container, "volumeMounts").filter_map(Value::as_object).map(|mount| Mount {
        volume: text(mount, "name").unwrap_or_default().to_owned(),
        read_only: mount.get("readOnly") == Some(&Value::Bool(true)),
    });
    Container {
        name: text(container, "name").unwrap_or_default().to_owned(),
        role,
        image: text(container, "image").unwrap_or_default().to_owned(),
        memory_limit: memory(container, "limits"),
        memory_request: memory(container, "requests"),
        limit_given_by: None,
        mounts: mounts.collect(),
        pointer,
    }
}

fn read_volume(value: &Value, pointer: String) -> Volume {
    let empty = Map::new();
    let volume = value.as_object().unwrap_or(&empty);
    let has_empty_dir = volume.contains_key("emptyDir");
    let empty_dir = volume.get("emptyDir").and_then(Value::as_object).unwrap_or(&empty);
    Volume {
        name: text(volume, "name").unwrap_or_default().to_owned(),
        medium: if has_empty_dir { read_medium(empty_dir.get("medium")) } else { Medium::NotEmptyDir },
        size_limit: Amount::read(empty_dir.get("sizeLimit")),
        misplaced: if has_empty_dir { misplaced(volume, empty_dir) } else { Vec::new() },
        writers: Vec::new(),
        pointer,
    }
}

fn misplaced(volume: &Map<String, Value>, empty_dir: &Map<String, Value>) -> Vec<Misplaced> {
    let fields = ["medium", "sizeLimit"].into_iter();
    let found = fields.filter_map(|field| Some((field, volume.get(field).filter(|value| !value.is_null())?)));
    found
        .map(|(field, value)| {
            let repeated = empty_dir.get(field).is_some_and(|value| !value.is_null());
            Misplaced { field, value: value.clone(), repeated }
        })
        .collect()
}

/// The medium as kubelet's emptyDir plugin reads it (`pkg/volume/emptydir/empty_dir.go`, `SetUpAt`).
fn read_medium(value: Option<&Value>) -> Medium {
    match value {
        None | Some(Value::Null) => Medium::Disk,
        Some(Value::String(medium)) => match medium.as_str() {
            "" => Medium::Disk,
            "Memory" => Medium::Memory,
            "HugePages" => Medium::HugePages,
            huge if huge.starts_with("HugePages-") => Medium::HugePages,
            other => Medium::Unknown(other.to_owned()),
        },
        Some(other) => Medium::Unknown(other.to_string()),
    }
}

/// `resources.<list>.memory` of a container or of a pod spec.
fn memory(holder: &Map<String, Value>, list: &str) -> Amount {
    Amount::read(holder.get("resources").and_then(|resources| resources.get(list)).and_then(|list| list.get("memory")))
}

/// A string field.
fn text<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    object.get(name).and_then(Value::as_str)
}

/// The items of a list field; none when it is missing, null, or no list.
fn items<'a>(object: &'a Map<String, Value>, name: &str) -> impl Iterator<Item = &'a Value> {
    object.get(name).and_then(Value::as_array).into_iter().flatten()
}

/// A map that is, or was meant to be, a memory volume: `emptyDir: {medium: Memory}`, or both keys side by side.
fn is_memory_volume(object: &Map<String, Value>) -> bool {
    object.get("emptyDir").is_some_and(|empty_dir| {
        [empty_dir.get("medium"), object.get("medium")].into_iter().flatten().any(|medium| medium == "Memory")
    })
}

/// Containers of a Kyverno policy, which are named by an anchor (`(name): "*"`): they match or change those of pods.
fn is_pattern(containers: &[Value]) -> bool {
    let mut containers = containers.iter().filter_map(Value::as_object);
    containers.any(|container| !container.contains_key("name") && container.keys().any(|key| key.ends_with(')')))
}

/// YAML or JSON inside a string (`values: |`) that asks for a memory volume.
fn mentions_memory_volume(text: &str) -> bool {
    // A mapping within a mapping takes a second line or a brace, which hardly any text has.
    memchr::memchr2(b'\n', b'{', text.as_bytes()).is_some()
        && memchr::memmem::find(text.as_bytes(), b"emptyDir").is_some()
        && memchr::memmem::find(text.as_bytes(), b"Memory").is_some()
}

/// Annotations that make an admission webhook add containers: Istio, Linkerd and Vault name theirs `…inject`, GKE's
/// Cloud Storage FUSE driver uses `gke-gcsfuse/volumes`.
fn asks_for_injection(object: &Map<String, Value>) -> bool {
    let annotations =
        object.get("metadata").and_then(|metadata| metadata.get("annotations")).and_then(Value::as_object);
    annotations.into_iter().flatten().any(|(key, value)| {
        (key.ends_with("inject") || key == "gke-gcsfuse/volumes")
            && matches!(value.as_str(), Some("true" | "enabled" | "ingress"))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Amount, Medium, Role, walk};
    use crate::facts::Sketch;

    #[test]
    fn a_deployment_gives_its_template() {
        let walk = walk(&json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "web", "namespace": "shop"},
            "spec": {"replicas": 3, "template": {"spec": {
                "containers": [{"name": "app", "volumeMounts": [{"name": "cache", "mountPath": "/c"}]}],
                "initContainers": [{"name": "proxy", "restartPolicy": "Always"}, {"name": "setup"}],
                "volumes": [{"name": "cache", "emptyDir": {"medium": "Memory", "sizeLimit": 0}}],
            }}},
        }));
        let [pod] = walk.pods.as_slice() else { panic!("one pod template") };
        assert_eq!(pod.object, "Deployment/shop/web");
        assert_eq!(pod.pointer, "/spec/template/spec");
        assert_eq!(pod.replicas, Some(3));
        assert!(!pod.is_pod);
        let roles: Vec<Role> = pod.containers.iter().map(|container| container.role).collect();
        assert_eq!(roles, [Role::Regular, Role::Sidecar, Role::Init]);
        assert_eq!(pod.volumes[0].medium, Medium::Memory);
        assert_eq!(pod.volumes[0].size_limit, Amount::Zero);
        assert!(walk.sketches.is_empty());
    }

    /// `Quantity.UnmarshalJSON` of apimachinery v0.27.0: blanks around are cut off, numbers may be bare, null is zero.
    #[test]
    fn amounts_are_read_as_the_api_server_does() {
        for (value, amount, shown) in [
            (Some(json!(" 1Gi ")), Amount::Bytes(1 << 30), "1Gi"),
            (Some(json!(512)), Amount::Bytes(512), "512"),
            (Some(json!(1.5)), Amount::Bytes(2), "2"),
            (Some(json!("400m")), Amount::Bytes(1), "1"),
            (Some(json!("0")), Amount::Zero, "0"),
            (Some(json!(null)), Amount::Zero, "0"),
            (Some(json!("")), Amount::Invalid(String::new()), ""),
            (Some(json!("1 Gi")), Amount::Invalid("1 Gi".into()), "1 Gi"),
            (Some(json!(-1)), Amount::Invalid("-1".into()), "-1"),
            (None, Amount::Unset, "-"),
        ] {
            assert_eq!(Amount::read(value.as_ref()), amount, "{value:?}");
            assert_eq!(amount.to_string(), shown, "{value:?}");
        }
    }

    #[test]
    fn items_of_a_typed_list_take_its_kind() {
        let walk = walk(&json!({"kind": "ReplicaSetList", "apiVersion": "apps/v1", "metadata": {}, "items": [
            {"metadata": {"name": "a", "namespace": "n"}, "spec": {"template": {"spec": {"containers": []}}}},
        ]}));
        assert_eq!(walk.pods[0].object, "ReplicaSet/n/a");
        assert_eq!(walk.pods[0].pointer, "/items/0/spec/template/spec");
    }

    #[test]
    fn volumes_without_containers_are_a_fragment() {
        let walk = walk(&json!({"volumes": [{"name": "shm", "emptyDir": {"medium": "Memory"}}]}));
        assert_eq!(walk.sketches, [("/volumes/0".to_owned(), Sketch::Fragment)]);
    }

    #[test]
    fn a_medium_behind_a_full_width_colon_is_no_field() {
        let walk =
            walk(&json!({"containers": [{"name": "a"}], "volumes": [{"name": "v", "emptyDir": "medium：Memory"}]}));
        assert_eq!(walk.sketches, [("/volumes/0/emptyDir".to_owned(), Sketch::Broken)]);
    }

    #[test]
    fn the_pattern_of_a_policy_is_no_pod() {
        let walk = walk(&json!({"patchStrategicMerge": {"spec": {
            "containers": [{"(name)": "*", "volumeMounts": [{"name": "v"}]}],
            "volumes": [{"name": "v", "emptyDir": {"medium": "Memory"}}],
        }}}));
        assert!(walk.pods.is_empty());
        let pointer = "/patchStrategicMerge/spec/volumes/0".to_owned();
        assert_eq!(walk.sketches, [(pointer, Sketch::Fragment)]);
    }

    #[test]
    fn attempts_to_set_limits_of_inotify() {
        let walk = walk(&json!({"kind": "Pod", "metadata": {}, "spec": {
            "securityContext": {"sysctls": [
                {"name": "net.core.somaxconn", "value": "1024"}, {"name": "fs/inotify/max_user_watches", "value": "1"},
            ]},
            "initContainers": [
                {"name": "a", "command": ["sysctl", "-w", "fs.inotify.max_user_instances=2"]},
                {"name": "b", "command": ["sh", "-c"], "args": ["set -e; echo 3 > /proc/sys/fs/inotify/max_user_watches"],
                 "securityContext": {"privileged": true}},
                {"name": "c", "command": ["sh", "-c", "cat /proc/sys/fs/inotify/max_user_watches; sysctl fs.inotify.max_user_watches"]},
            ],
            "containers": [{"name": "d", "command": ["sysctl", "-w", "vm.max_map_count=262144"]}],
        }}));
        let settings: Vec<_> = walk.pods[0]
            .inotify_settings
            .iter()
            .map(|setting| {
                (setting.container.as_deref(), setting.privileged, setting.text.as_str(), setting.pointer.as_str())
            })
            .collect();
        assert_eq!(
            settings,
            [
                (None, false, "fs.inotify.max_user_watches=1", "/spec/securityContext/sysctls/1"),
                (Some("a"), false, "fs.inotify.max_user_instances=2", "/spec/initContainers/0/command"),
                (Some("b"), true, "/proc/sys/fs/inotify/max_user_watches", "/spec/initContainers/1/args"),
            ]
        );
    }

    #[test]
    fn only_pods_that_run_are_on_a_node() {
        let node = |phase: &str| {
            let pod = json!({"kind": "Pod", "metadata": {}, "spec": {"containers": [], "nodeName": "w1"}, "status": {"phase": phase}});
            walk(&pod).pods[0].node.clone()
        };
        assert_eq!(node("Running").as_deref(), Some("w1"));
        assert_eq!((node("Succeeded"), node("Failed")), (None, None));
    }

    #[test]
    fn huge_pages_and_disk_are_not_memory() {
        let walk = walk(&json!({"kind": "Pod", "metadata": {}, "spec": {"containers": [], "volumes": [
            {"name": "a", "emptyDir": {"medium": "HugePages-2Mi"}}, {"name": "b", "emptyDir": {}},
            {"name": "c", "emptyDir": null, "medium": "Memory"}, {"name": "d"},
        ]}}));
        assert!(walk.pods[0].is_pod);
        let media: Vec<&Medium> = walk.pods[0].volumes.iter().map(|volume| &volume.medium).collect();
        assert_eq!(media, [&Medium::HugePages, &Medium::Disk, &Medium::Disk, &Medium::NotEmptyDir]);
        assert_eq!(walk.pods[0].volumes[2].misplaced.len(), 1);
    }
}
