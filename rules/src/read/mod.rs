//! From text or an object to facts: one file per kind of input.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use serde_json::Value;

use crate::facts::{Facts, Found, Gauge, Host, Versions};
use crate::kubernetes::version::Version;
use crate::kubernetes::{defaulting, pod};
use crate::order;
use crate::report::{Place, ReadLines, Span, Unread, Why};
use crate::text::{Block, Line, Paste, Role};
use crate::{Context, Input};

mod cgroup_tree;
mod cluster;
mod documents;
mod generators;
mod inotify_usage;
mod kernel_command_line;
mod kubectl_tables;
mod kubelet_config;
mod leftovers;
mod locate;
mod log;
mod manifest;
mod membership;
mod mounts;
mod node;
mod node_description;
mod platform;
mod proc_cgroups;
mod sysctl;
mod versions;

pub(crate) use manifest::parse;

/// The readers of lines, in the order in which they get to see a block. Manifests come before all of them.
static READERS: &[&Reader] = &[
    &sysctl::READER,
    &proc_cgroups::READER,
    &membership::READER,
    &mounts::READER,
    &inotify_usage::READER,
    &cgroup_tree::READER,
    &leftovers::READER,
    &kernel_command_line::READER,
    &kubectl_tables::READER,
    &node_description::READER,
    &generators::READER,
    &log::READER,
    &versions::READER,
    &platform::READER,
];

/// A reader of one kind of input: data and one function.
#[derive(Debug)]
struct Reader {
    /// Id as shown in [`ReadLines::kind`].
    kind: &'static str,
    /// Take what it understands from a block, and claim those lines.
    read: fn(&Block, &mut Notes),
}

/// What reading gave.
#[derive(Debug, Default)]
pub(crate) struct Reading<'a> {
    /// The facts.
    pub(crate) facts: Facts,
    /// Lines that were understood.
    pub(crate) read: Vec<ReadLines>,
    /// Lines that were not used.
    pub(crate) unread: Vec<Unread>,
    /// The inputs as clean lines.
    pub(crate) pastes: Vec<Paste<'a>>,
    /// Manifests, so that pointers can be looked up later.
    pub(crate) documents: Vec<Document>,
}

/// A YAML or JSON document within an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Document {
    /// Index of the input.
    pub(crate) input: usize,
    /// Its clean lines, by index.
    pub(crate) lines: Range<usize>,
}

impl Reading<'_> {
    /// The document that a place with a pointer is in: the one its provisional span names the first line of.
    pub(crate) fn document(&self, place: &Place) -> Option<usize> {
        let (Some(_), Some(span), Some(paste)) = (&place.pointer, place.span, self.pastes.get(place.input)) else {
            return None;
        };
        let starts = |document: &Document| {
            let line = paste.lines.get(document.lines.start).map_or(0, |line| line.number);
            (document.input, line)
        };
        self.documents.binary_search_by_key(&(place.input, span.line), starts).ok()
    }

    /// The objects of all documents, those of lists one by one, each with the first raw line of its document.
    pub(crate) fn objects(&self) -> Vec<(usize, Value)> {
        let mut objects = Vec::new();
        for document in &self.documents {
            let paste = self.pastes.get(document.input);
            let lines = paste.and_then(|paste| paste.lines.get(document.lines.clone())).unwrap_or_default();
            let line = lines.first().map_or(1, |line| line.number);
            let text = lines.iter().map(|line| line.text.as_ref()).collect::<Vec<_>>().join("\n");
            objects.extend(parse(&text).map(items).unwrap_or_default().into_iter().map(|object| (line, object)));
        }
        objects
    }

    /// Where pointers into a document lead in its text.
    pub(crate) fn locate(&self, document: usize, pointers: &BTreeSet<&str>) -> HashMap<String, Span> {
        let Some(document) = self.documents.get(document) else { return HashMap::new() };
        let Some(paste) = self.pastes.get(document.input) else { return HashMap::new() };
        let spans = locate::locate(paste, document.lines.clone(), pointers);
        spans.into_iter().map(|(pointer, span)| (pointer.to_owned(), span)).collect()
    }
}

/// The items of a list, or the one object that is none. Items of a list that names their kind (`PodList`) may leave it
/// out themselves.
fn items(mut object: Value) -> Vec<Value> {
    let kind = object.get("kind").and_then(Value::as_str).and_then(|kind| kind.strip_suffix("List")).map(str::to_owned);
    let version = object.get("apiVersion").cloned();
    let items = match (kind.is_some(), object.get_mut("items")) {
        (true, Some(Value::Array(items))) => std::mem::take(items),
        _ => return vec![object],
    };
    let named = kind.filter(|kind| !kind.is_empty()).map(Value::String).zip(version);
    let complete = |mut item: Value| {
        if let (Some((kind, version)), Some(fields)) = (&named, item.as_object_mut()) {
            fields.entry("kind").or_insert_with(|| kind.clone());
            fields.entry("apiVersion").or_insert_with(|| version.clone());
        }
        item
    };
    items.into_iter().map(complete).collect()
}

/// Read texts.
pub(crate) fn texts<'a>(inputs: &'a [Input]) -> Reading<'a> {
    let mut reading = Reading::default();
    for (index, input) in inputs.iter().enumerate() {
        let mut paste = Paste::new(&input.text);
        let mut notes = Notes::new(index, &paste, std::mem::take(&mut reading.facts));
        if let Some(why) = unreadable(&input.text) {
            notes.unread(1, paste.line_count(), why);
        } else {
            if input.kind.is_none_or(|kind| kind == manifest::KIND) {
                let documents = manifest::read(&mut paste, &mut notes);
                reading.documents.extend(documents.into_iter().map(|lines| Document { input: index, lines }));
            }
            notes.lines(&paste, input.kind);
        }
        notes.finish(&paste, &mut reading);
        reading.pastes.push(paste);
    }
    reading.facts.settle();
    defaulting::complete(&mut reading.facts);
    reading
}

/// Run the reader of one kind over a text.
#[cfg(fuzzing)]
pub(crate) fn with(kind: &str, text: &str) {
    let mut paste = Paste::new(text);
    let mut notes = Notes::new(0, &paste, Facts::default());
    if kind == manifest::KIND {
        manifest::read(&mut paste, &mut notes);
    }
    for reader in READERS.iter().filter(|reader| reader.kind == kind) {
        paste.blocks().for_each(|block| (reader.read)(&block, &mut notes));
    }
    notes.finish(&paste, &mut Reading::default());
}

/// Read one Kubernetes object.
pub(crate) fn object(object: &Value, context: &Context) -> Facts {
    let mut facts = Facts::default();
    manifest::document(object, 0, 0, &mut facts);
    completed(facts, context)
}

/// Read what the rules look at in one Kubernetes object; what the verdict looks at as well ([`Facts::sketches`]) is left
/// out.
pub(crate) fn object_for_rules(object: &Value, context: &Context) -> Facts {
    let mut facts = Facts { pods: pod::pods(object), ..Facts::default() };
    cluster::read(object, 0, None, &mut facts);
    completed(facts, context)
}

fn completed(mut facts: Facts, context: &Context) -> Facts {
    for pod in &mut facts.pods {
        if pod.namespace.is_none() {
            pod.namespace.clone_from(&context.namespace);
        }
    }
    defaulting::complete(&mut facts);
    facts
}

/// Why a whole input cannot be read, if so.
fn unreadable(text: &str) -> Option<Why> {
    if text.trim().is_empty() {
        Some(Why::Empty)
    } else if memchr::memchr(0, text.as_bytes()).is_some() {
        Some(Why::Binary)
    } else {
        None
    }
}

/// What the readers write down while they go over one input.
#[derive(Debug)]
pub(crate) struct Notes {
    /// The facts so far, those of earlier inputs included.
    pub(crate) facts: Facts,
    input: usize,
    /// The host whose shell the lines come from, by the prompts so far.
    host: Host,
    /// Where descriptions of nodes start in the block that is being read, by line number.
    described: BTreeMap<usize, Host>,
    /// The last value of each gauge on each host.
    latest: BTreeMap<(Gauge, Host), Found<u64>>,
    /// Limits that somebody has typed and that nothing bears out yet.
    raises: BTreeMap<(Gauge, Host), Found<u64>>,
    /// The machines whose own shell the text shows, or that it logs into.
    shells: BTreeSet<Host>,
    /// The lines that answered a question about versions last, by command and host.
    answers: BTreeMap<(String, Host), Range<usize>>,
    /// First and last lines of older answers.
    outdated: BTreeMap<usize, usize>,
    /// Which reader claimed each raw line.
    claims: Vec<Option<Claim>>,
    unread: Vec<Unread>,
}

/// What became of a raw line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Claim {
    /// Understood by the reader of this kind.
    Read(&'static str),
    /// Listed in `unread` already.
    Unread,
    /// Nobody's.
    Open,
}

impl Notes {
    fn new(input: usize, paste: &Paste, facts: Facts) -> Self {
        Self {
            facts,
            input,
            host: Host::default(),
            described: BTreeMap::new(),
            latest: BTreeMap::new(),
            raises: BTreeMap::new(),
            shells: BTreeSet::new(),
            answers: BTreeMap::new(),
            outdated: BTreeMap::new(),
            claims: vec![None; paste.line_count()],
            unread: Vec::new(),
        }
    }

    /// Let every reader go over every block.
    fn lines(&mut self, paste: &Paste, kind: Option<&str>) {
        // What stands before the first prompt that names a host was printed there as well.
        let first = paste.blocks().find_map(|block| block.shell_host().or_else(|| block.host()));
        self.host = first.map_or(Host::default(), |name| self.visit(name));
        self.shells = paste.blocks().filter_map(|block| block.host()).map(Host::named).collect();
        for block in paste.blocks() {
            if let Some(name) = block.shell_host() {
                self.visit(name);
            }
            if let Some(name) = block.host() {
                self.host = self.visit(name);
            }
            let shell = self.host;
            if let Some(node) = block.asked_node() {
                self.facts.know_node(node);
                self.host = Host::named(node);
            }
            // An event about a pod is told by the kubelet of its node.
            self.described = BTreeMap::new();
            for (line, name) in block.nodes_of_pods() {
                self.facts.know_node(name);
                let host = self.visit(name);
                self.described.insert(line, host);
            }
            for (line, name) in block.described_nodes() {
                self.facts.know_node(name);
                self.described.insert(line, Host::named(name));
            }
            for reader in READERS.iter().filter(|reader| kind.is_none_or(|kind| kind == reader.kind)) {
                (reader.read)(&block, self);
            }
            if block.command.is_some() {
                self.claim_rest(&block);
            }
            self.host = shell;
        }
    }

    /// A machine whose own shell or log is in the text.
    fn visit(&mut self, name: &str) -> Host {
        let host = self.name(name);
        if host != Host::default() {
            self.facts.visited.insert(host);
        }
        host
    }

    /// A machine that is named.
    fn name(&mut self, name: &str) -> Host {
        let host = Host::named(name);
        if host != Host::default() {
            self.facts.names.entry(host).or_insert_with(|| name.to_owned());
        }
        host
    }

    /// The output of a command is understood as a whole: lines between or right behind claimed ones go with them.
    fn claim_rest(&mut self, block: &Block) {
        let mut kind = None;
        let mut open: Vec<&Line> = Vec::new();
        let mut gap = false;
        for line in block.lines() {
            if !line.says_something() {
                gap = true;
                continue;
            }
            match self.claims.get(line.number.saturating_sub(1)) {
                Some(Some(Claim::Read(claimed))) => {
                    let claimed = *claimed;
                    kind = Some(claimed);
                    gap = false;
                    open.drain(..).for_each(|line| self.claim(claimed, line));
                }
                _ => match kind {
                    Some(kind) if !gap => self.claim(kind, line),
                    Some(_) => open.push(line),
                    None => {}
                },
            }
        }
    }

    /// This line was understood as `kind`; the first claim counts.
    pub(crate) fn claim(&mut self, kind: &'static str, line: &Line) {
        for claim in self.claims.iter_mut().take(line.last).skip(line.number.saturating_sub(1)) {
            claim.get_or_insert(Claim::Read(kind));
        }
    }

    /// True when a reader has claimed this line.
    pub(crate) fn is_claimed(&self, line: &Line) -> bool {
        matches!(self.claims.get(line.number.saturating_sub(1)), Some(Some(_)))
    }

    /// A value read at `range` of a line.
    pub(crate) fn found<T>(&mut self, value: T, paste: &Paste, line: &Line, range: Range<usize>) -> Found<T> {
        let host = self.host_of(line, range.start);
        Found { value, place: Place { input: self.input, pointer: None, span: Some(paste.span(line, range)) }, host }
    }

    /// The machine that a line tells of from byte `start` on.
    fn host_of(&mut self, line: &Line, start: usize) -> Host {
        // A prompt is surer than what a log calls the same machine, unless the log is of another one in the text.
        let named = line.host(start).or_else(|| line.event_node());
        let is_known = |name: &&str| self.host == Host::default() || self.shells.contains(&Host::named(name));
        let named = named.or_else(|| line.syslog_host().filter(is_known));
        match named {
            Some(name) => self.visit(name),
            None => self.described.range(..=line.number).next_back().map_or(self.host, |(_, host)| *host),
        }
    }

    /// Take note of a log line that names another machine than the prompt above it does, unless the text shows that one too.
    fn compare_hosts(&mut self, line: &Line) {
        let named = line.syslog_host().map_or(Host::default(), Host::named);
        self.facts.foreign_log |= !named.may_be(self.host) && !self.shells.contains(&named);
    }

    /// A reading of a gauge. Returns the one of the same host that it replaces.
    fn gauge(&mut self, gauge: Gauge, found: Found<u64>) -> Option<Found<u64>> {
        self.latest.insert((gauge, found.host), found)
    }

    /// A reading of a gauge that counts unless the same host had a higher one.
    fn gauge_at_least(&mut self, gauge: Gauge, found: Found<u64>) {
        if self.latest.get(&(gauge, found.host)).is_none_or(|known| known.value < found.value) {
            self.gauge(gauge, found);
        }
    }

    /// The command of this block has told versions of a host. What the same command told before an update is outdated.
    fn answer(&mut self, block: &Block, host: Host) {
        let Some(command) = block.command else { return };
        let first = command.line.number;
        let last = block.lines().last().map_or(first, |line| line.last);
        let older = self.answers.insert((command.text().trim().to_owned(), host), first..last + 1);
        self.outdated.extend(older.map(|older| (older.start, older.end)));
    }

    fn drop_outdated(&mut self) {
        let (input, outdated) = (self.input, std::mem::take(&mut self.outdated));
        let current = |found: &Found<Version>| {
            let line = found.place.span.filter(|_| found.place.input == input).map_or(0, |span| span.line);
            outdated.range(..=line).next_back().is_none_or(|(_, end)| line >= *end)
        };
        let Versions { kubelet, runc, containerd, crio, kernel, earlier_kernels, .. } = &mut self.facts.versions;
        for list in [kubelet, runc, containerd, crio] {
            list.retain(current);
        }
        earlier_kernels.extend(kernel.extract_if(.., |found| !current(found)));
    }

    /// Of several inputs that tell of one machine the worst reading decides.
    fn keep_latest(&mut self) {
        for ((gauge, host), found) in std::mem::take(&mut self.latest) {
            let known = self.facts.readings.get(&(gauge, host));
            if !known.is_some_and(|known| gauge.is_worse(known, &found)) {
                self.facts.readings.insert((gauge, host), found);
            }
        }
    }

    /// These raw lines (1-based, inclusive) were not used.
    pub(crate) fn unread(&mut self, first_line: usize, last_line: usize, why: Why) {
        for claim in self.claims.iter_mut().take(last_line).skip(first_line.saturating_sub(1)) {
            claim.get_or_insert(Claim::Unread);
        }
        match self.unread.last_mut().filter(|run| run.why == why && run.last_line + 1 == first_line) {
            Some(run) => run.last_line = last_line,
            None => self.unread.push(Unread { input: self.input, first_line, last_line, why }),
        }
    }

    /// Turn claims into runs of lines, and list what nobody claimed.
    fn finish(mut self, paste: &Paste, reading: &mut Reading) {
        self.keep_latest();
        self.drop_outdated();
        for line in paste.lines.iter().filter(|line| line.role == Role::Text && line.says_something()) {
            for claim in self.claims.iter_mut().take(line.last).skip(line.number.saturating_sub(1)) {
                claim.get_or_insert(Claim::Open);
            }
        }
        let input = self.input;
        // Blank lines and commands between two open lines belong to their run.
        let mut in_open_run = false;
        for (line, claim) in (1..).zip(&self.claims) {
            match claim {
                None => continue,
                Some(Claim::Unread) => {}
                Some(Claim::Open) => match self.unread.last_mut().filter(|_| in_open_run) {
                    Some(run) => run.last_line = line,
                    None => {
                        let (first_line, last_line) = (line, line);
                        self.unread.push(Unread { input, first_line, last_line, why: Why::NotRecognised });
                    }
                },
                Some(Claim::Read(kind)) => match reading.read.last_mut() {
                    Some(run) if run.input == input && run.kind == *kind && run.last_line + 1 == line => {
                        run.last_line = line;
                    }
                    _ => {
                        let kind = (*kind).into();
                        reading.read.push(ReadLines { input, first_line: line, last_line: line, kind });
                    }
                },
            }
            in_open_run = *claim == Some(Claim::Open);
        }
        order::sort_by(&mut self.unread, |a, b| a.first_line.cmp(&b.first_line));
        reading.unread.append(&mut self.unread);
        reading.facts = self.facts;
    }
}

#[cfg(test)]
mod tests {
    use super::{READERS, manifest, texts};
    use crate::Input;
    use crate::report::{Unread, Why};
    use crate::show::words;

    #[test]
    fn every_kind_of_input_has_a_name_in_every_language() {
        let readers = READERS.iter().map(|reader| reader.kind);
        let kinds: Vec<&str> = std::iter::once(manifest::KIND).chain(readers).collect();
        assert_eq!(words::kinds().collect::<Vec<_>>(), kinds, "show/words.rs names them in the order of reading");
    }

    #[test]
    fn every_reader_is_fuzzed() {
        let programs = include_str!("../../fuzz/Cargo.toml");
        for kind in words::kinds() {
            assert!(programs.contains(&format!("name = \"{kind}\"")), "add {kind} to fuzz/Cargo.toml");
        }
    }

    #[test]
    fn every_line_is_read_or_unread() {
        let text = "hello\n\nworld\n$ sysctl -a\nfoo\nfs.inotify.max_user_instances = 1\nbar\n\nbye\n";
        let inputs = [Input::new("paste", text)];
        let reading = texts(&inputs);
        let read: Vec<_> =
            reading.read.iter().map(|read| (read.first_line, read.last_line, read.kind.as_ref())).collect();
        let unread: Vec<_> = reading.unread.iter().map(|unread| (unread.first_line, unread.last_line)).collect();
        assert_eq!(read, [(6, 7, "sysctl")]);
        assert_eq!(unread, [(1, 5), (9, 9)]);
        assert!(reading.unread.iter().all(|unread| unread.why == Why::NotRecognised));
    }

    #[test]
    fn an_input_of_a_known_kind_is_read_as_that_kind_alone() {
        let text = "kind: Pod\napiVersion: v1\nmetadata: {name: a}\n---\nfs.inotify.max_user_instances = 1\n";
        let read = |kind| {
            let inputs = [Input::new("paste", text).of_kind(kind)];
            texts(&inputs).read.iter().map(|read| read.kind.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(read(None), ["manifest", "sysctl"]);
        assert_eq!(read(Some("manifest")), ["manifest"]);
        assert_eq!(read(Some("sysctl")), ["sysctl"]);
        assert!(read(Some("mounts")).is_empty());
    }

    #[test]
    fn objects_come_one_by_one_and_items_of_a_list_get_its_kind() {
        let text = "> kind: Pod\n> apiVersion: v1\n> metadata: {name: a}\n\nthen\n\nkind: PodList\napiVersion: v1\nitems:\n\
                    - metadata: {name: b}\n- kind: Pod\n  metadata: {name: c}\n";
        let objects = texts(&[Input::new("paste", text)]).objects();
        let told: Vec<_> = objects
            .iter()
            .map(|(line, object)| {
                (*line, object["kind"].as_str().unwrap(), object["metadata"]["name"].as_str().unwrap())
            })
            .collect();
        assert_eq!(told, [(1, "Pod", "a"), (7, "Pod", "b"), (7, "Pod", "c")]);
        assert!(texts(&[Input::new("paste", "uname -r\n5.4.0")]).objects().is_empty());
    }

    #[test]
    fn inputs_without_text_say_so() {
        for (text, lines, why) in
            [("", 1, Why::Empty), (" \r\n\n", 3, Why::Empty), ("a\0b\nkind: Pod\n", 3, Why::Binary)]
        {
            let want = [Unread { input: 0, first_line: 1, last_line: lines, why }];
            assert_eq!(texts(&[Input::new("paste", text)]).unread, want, "{text:?}");
        }
    }
}
