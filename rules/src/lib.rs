//! noderisk's rule core: text or a Kubernetes object goes in, a report about four ways a node dies comes out.

pub mod admission;
pub mod facts;
pub mod fix;
#[cfg(test)]
mod fixture;
pub mod kubernetes;
mod machines;
pub mod names;
pub mod order;
pub mod patch;
mod read;
pub mod report;
mod risks;
pub mod rules;
pub mod settings;
pub mod show;
mod text;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

use crate::facts::Facts;
use crate::machines::Machine;
use crate::read::Reading;
use crate::report::{Finding, Missing, ReadLines, Report, Risk, RiskState, Severity, Span, Status, Unread, Verdict};
use crate::rules::Rule;
use crate::settings::{Action, Settings};

/// Version of noderisk and of its set of rules: `0.1.0 (rules 0c9d2a41)`.
#[must_use]
pub fn version() -> String {
    format!("{} (rules {})", env!("CARGO_PKG_VERSION"), rules::revision())
}

/// One text to check: a file, a paste, standard input.
#[derive(Clone, Debug)]
pub struct Input<'a> {
    /// Name to show, such as a file name.
    pub name: Cow<'a, str>,
    /// The text as it came.
    pub text: Cow<'a, str>,
    /// The kind of input that it is, one of [`kinds`], when somebody knows; otherwise the text tells.
    pub kind: Option<&'static str>,
}

impl<'a> Input<'a> {
    /// A text with a name.
    pub fn new(name: impl Into<Cow<'a, str>>, text: impl Into<Cow<'a, str>>) -> Self {
        Self { name: name.into(), text: text.into(), kind: None }
    }

    /// The same input, to be read as this kind alone.
    #[must_use]
    pub fn of_kind(self, kind: Option<&'static str>) -> Self {
        Self { kind, ..self }
    }
}

/// The kinds of input, as [`ReadLines::kind`] names them; [`show::words::kind`] has their names for people.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    show::words::kinds()
}

/// What is known of an object beside the object itself.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The request's namespace, for objects that do not name one.
    pub namespace: Option<String>,
}

/// Check texts. Never fails: what cannot be read is listed in [`Report::unread`].
#[must_use]
pub fn check(inputs: &[Input], settings: &Settings) -> Report {
    let mut reading = read::texts(inputs);
    reading.facts.pods.iter_mut().for_each(|pod| settings.exempt(pod));
    let (read, unread) = (std::mem::take(&mut reading.read), std::mem::take(&mut reading.unread));
    let machines = machines::apart(&reading.facts, settings);
    let mut report = run(&reading.facts, &machines, settings, read, unread);
    point_into_text(&mut report, &reading);
    report
}

/// The Kubernetes objects of a text, those of lists one by one, each with the 1-based first line of its document. What
/// cannot be read is left out; [`check`] tells of it.
#[must_use]
pub fn objects(input: &Input) -> Vec<(usize, Value)> {
    read::texts(std::slice::from_ref(input)).objects()
}

/// Replace the pointers' provisional spans (the first line of their document) by where they really lead.
fn point_into_text(report: &mut Report, reading: &Reading) {
    let places = || report.findings.iter().flat_map(|finding| &finding.evidence).map(|evidence| &evidence.place);
    let mut wanted: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
    for place in places() {
        if let (Some(document), Some(pointer)) = (reading.document(place), place.pointer.as_deref()) {
            wanted.entry(document).or_default().insert(pointer);
        }
    }
    let spans: BTreeMap<usize, HashMap<String, Span>> =
        wanted.iter().map(|(&document, pointers)| (document, reading.locate(document, pointers))).collect();
    for evidence in report.findings.iter_mut().flat_map(|finding| &mut finding.evidence) {
        let Some(document) = reading.document(&evidence.place) else { continue };
        let pointer = evidence.place.pointer.as_deref().unwrap_or_default();
        if let Some(span) = spans.get(&document).and_then(|spans| spans.get(pointer)) {
            evidence.place.span = Some(*span);
        }
    }
}

/// Run a single reader over a text, for fuzzing.
#[cfg(fuzzing)]
pub fn read_with(kind: &str, text: &str) {
    read::with(kind, text);
}

/// Check one Kubernetes object, as an admission request carries it.
#[must_use]
pub fn check_object(object: &Value, context: &Context, settings: &Settings) -> Report {
    run(&exempted(read::object(object, context), settings), &[], settings, Vec::new(), Vec::new())
}

/// The findings of [`check_object`] that the policy does something about; rules whose findings it ignores are not run.
pub(crate) fn object_findings(object: &Value, context: &Context, settings: &Settings) -> Vec<Finding> {
    let counts = |rule: &Rule| settings.action(rule.id, rule.severity) != Action::Off;
    let facts = exempted(read::object_for_rules(object, context), settings);
    findings(counts, |rule| rule.findings(&facts, settings))
}

/// The facts without what the settings exempt.
fn exempted(mut facts: Facts, settings: &Settings) -> Facts {
    facts.pods.iter_mut().for_each(|pod| settings.exempt(pod));
    facts
}

/// Facts to report: run every rule, on each of several machines, then judge each risk and the whole.
fn run(facts: &Facts, machines: &[Machine], settings: &Settings, read: Vec<ReadLines>, unread: Vec<Unread>) -> Report {
    let findings = findings(|_| true, |rule| machines::findings(rule, facts, machines, settings));
    let state = |risk| (risk, risk_state(risk, &findings, || machines::state(risk, facts, machines, &settings.node)));
    let mut risks = BTreeMap::new();
    risks.extend(Risk::ALL.into_iter().map(state));
    let verdict = verdict(&risks);
    Report { version: 1, verdict, risks, findings, read, unread }
}

/// What the rules that `run` names find, worst first; within a severity in the order of the rules and of what they saw,
/// which does not depend on spans, so that the text path and the object path agree.
fn findings(run: impl Fn(&Rule) -> bool, find: impl Fn(&Rule) -> Vec<Finding>) -> Vec<Finding> {
    let rules = |severity| rules::RULES.iter().filter(move |rule| rule.severity == severity);
    Severity::WORST_FIRST.into_iter().flat_map(rules).filter(|rule| run(rule)).flat_map(|rule| find(rule)).collect()
}

/// The state of a risk: at risk by its findings, else as `quiet` says.
fn risk_state(risk: Risk, findings: &[Finding], quiet: impl Fn() -> (Status, Vec<Missing>)) -> RiskState {
    let severity = findings.iter().filter(|finding| finding.risk == risk).map(|finding| finding.severity).max();
    if severity >= Some(Severity::Warning) {
        return RiskState { status: Status::AtRisk, severity, missing: Vec::new() };
    }
    let (status, missing) = quiet();
    RiskState { status, severity, missing }
}

fn verdict(risks: &BTreeMap<Risk, RiskState>) -> Verdict {
    let any = |status| risks.values().any(|risk| risk.status == status);
    if any(Status::AtRisk) {
        Verdict::AtRisk
    } else if any(Status::Undecided) || !any(Status::Ok) {
        Verdict::CannotJudge
    } else {
        Verdict::NoRiskFound
    }
}
