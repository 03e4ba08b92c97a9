//! The page in a real browser: the static shell of `index.html`, the app on top of it, and single components.

#![cfg(target_arch = "wasm32")]
// Clippy knows a test by `#[test]` alone.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::rc::Rc;

use gloo::utils::{document, document_element, window};
use js_sys::{Array, Function, Object, Reflect};
use playground::checking::Checked;
use playground::components::app::{App, AppProps};
use playground::components::report_view::{Page, ReportView, Target};
use playground::enforcement::Mode;
use playground::examples::TOPICS;
use playground::exports::{Format, export};
use playground::fragment;
use playground::inputs::{EDITABLE, Inputs, Source};
use playground::job::{Job, Task};
use playground::redact::Redact;
use playground::sharing::Choice;
use playground::shell::{self, Shell};
use playground::worker::{Core, Done, Lost};
use rules::facts::CgroupMode;
use rules::kubernetes::inotify::Runtime;
use rules::report::{Evidence, Finding, Place as Found, ReadLines, Report, Risk, RiskState, Severity, Span, Status};
use rules::report::{Unread, Verdict, Wanted, Why};
use rules::rules::Lang;
use rules::settings::{NodeProfile, Settings};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{Blob, DataTransfer, DragEvent, DragEventInit, Element, Event, File};
use web_sys::{HtmlElement, HtmlSelectElement, HtmlTextAreaElement};
use yew::platform::time::sleep;
use yew::prelude::*;
use yew::scheduler::flush;

wasm_bindgen_test_configure!(run_in_browser);

/// The static page in the test's document; gone with all its listeners when dropped.
struct Stage {
    root: Element,
    app: Option<yew::AppHandle<App>>,
}

impl Stage {
    fn new() -> Self {
        let html = include_str!("../../index.html");
        let (_, body) = html.split_once("<body>").unwrap();
        let (body, _) = body.split_once("</body>").unwrap();
        let root = document().create_element("div").unwrap();
        root.set_inner_html(body);
        document().body().unwrap().append_child(&root).unwrap();
        document_element().set_attribute("lang", "en").unwrap();
        document_element().set_attribute("data-theme", "system").unwrap();
        window().location().set_hash("").unwrap();
        Self { root, app: None }
    }

    async fn started() -> Self {
        let mut stage = Self::new();
        stage.start().await;
        stage
    }

    async fn start(&mut self) {
        self.start_with(within()).await;
    }

    async fn start_with(&mut self, core: Core) {
        let shell = Shell::find().unwrap();
        let root = shell.report.clone();
        self.app = Some(yew::Renderer::<App>::with_root_and_props(root, AppProps { shell, core }).render());
        flush().await;
    }

    fn input(&self) -> HtmlTextAreaElement {
        self.find("#input").unchecked_into()
    }

    fn find(&self, selector: &str) -> HtmlElement {
        let found = self.root.query_selector(selector).unwrap();
        found.unwrap_or_else(|| panic!("no {selector} in {}", self.root.inner_html())).unchecked_into()
    }

    fn has(&self, selector: &str) -> bool {
        self.root.query_selector(selector).unwrap().is_some()
    }

    fn text(&self, selector: &str) -> String {
        self.find(selector).text_content().unwrap()
    }

    fn button(&self, label: &str) -> HtmlElement {
        let buttons = self.root.query_selector_all("button").unwrap();
        let mut buttons = (0..buttons.length()).filter_map(|index| buttons.get(index));
        let found = buttons.find(|button| button.text_content().as_deref() == Some(label));
        found.unwrap_or_else(|| panic!("no button {label}")).unchecked_into()
    }

    async fn click(&self, label: &str) {
        self.button(label).click();
        flush().await;
    }

    async fn choose(&self, list: &str, value: &str) {
        let list: HtmlSelectElement = self.find(list).unchecked_into();
        list.set_value(value);
        list.dispatch_event(&bubbling("change")).unwrap();
        flush().await;
    }

    /// As the browser does when the user pastes or types.
    async fn enter(&self, text: &str, how: &str) {
        self.input().set_value(text);
        let init = web_sys::InputEventInit::new();
        init.set_input_type(how);
        init.set_bubbles(true);
        let event = web_sys::InputEvent::new_with_event_init_dict("input", &init).unwrap();
        self.input().dispatch_event(&event).unwrap();
        flush().await;
    }
}

/// The rule core as part of the test.
fn within() -> Core {
    let work = |answer: fn(&Job) -> Option<String>| {
        Callback::from(move |(job, done): (Job, Done)| {
            let message = job.to_message();
            let answer = move |message: &Array| {
                done.emit(Job::from_message(message).and_then(|job| answer(&job)).ok_or(Lost::Died));
            };
            if message.iter().any(|part| part.has_type::<Blob>()) {
                spawn_local(async move { answer(&read(message).await) });
            } else {
                answer(&message);
            }
        })
    };
    Core { checker: work(Job::checked), tools: work(Job::done), wake: Callback::noop() }
}

/// The message with a string in place of each blob, as `worker.js` makes it.
async fn read(message: Array) -> Array {
    let read = Array::new();
    for part in message.iter() {
        read.push(&match part.dyn_ref::<Blob>() {
            Some(blob) => JsFuture::from(blob.text()).await.unwrap(),
            None => part,
        });
    }
    read
}

impl Drop for Stage {
    fn drop(&mut self) {
        if let Some(app) = self.app.take() {
            app.destroy();
        }
        self.root.remove();
    }
}

fn bubbling(name: &str) -> Event {
    let init = web_sys::EventInit::new();
    init.set_bubbles(true);
    Event::new_with_event_init_dict(name, &init).unwrap()
}

/// A property of a browser object that is another one until this is dropped.
struct Instead {
    object: Object,
    name: JsValue,
    /// What was defined on the object itself; undefined when that was its prototype.
    before: JsValue,
}

impl Instead {
    fn of(object: impl Into<JsValue>, name: &str, getter: &str) -> Self {
        let (object, name) = (object.into().unchecked_into(), name.into());
        let before = Object::get_own_property_descriptor(&object, &name);
        let instead = Self { object, name, before };
        let descriptor = Object::new();
        Reflect::set(&descriptor, &"configurable".into(), &true.into()).unwrap();
        Reflect::set(&descriptor, &"get".into(), &Function::new_no_args(getter)).unwrap();
        Object::define_property(&instead.object, &instead.name, &descriptor);
        instead
    }
}

impl Drop for Instead {
    fn drop(&mut self) {
        // What is defined on the prototype shows up again.
        Reflect::delete_property(&self.object, &self.name).unwrap();
        if let Some(before) = self.before.dyn_ref() {
            Object::define_property(&self.object, &self.name, before);
        }
    }
}

const PASTE: &str = "# 😀 node\r\nfs.inotify.max_user_instances = 128\r\nsome chatter";

fn span(line: usize, column: usize, end_column: usize) -> Span {
    Span { line, column, end_column }
}

/// A report as the core would give it for [`PASTE`], with one state of each kind.
fn report() -> Report {
    let evidence = Evidence {
        place: Found { input: 0, pointer: None, span: Some(span(2, 1, 36)) },
        observed: "fs.inotify.max_user_instances = 128".into(),
        expected: ">= 245".into(),
    };
    let finding = Finding {
        rule: "inotify-instances-low".into(),
        risk: Risk::Inotify,
        severity: Severity::Warning,
        object: None,
        container: None,
        volume: None,
        evidence: vec![evidence],
        values: [("need".into(), "245".into())].into(),
        patch: Vec::new(),
    };
    let at_risk = RiskState { status: Status::AtRisk, severity: Some(Severity::Warning), missing: Vec::new() };
    let undecided =
        RiskState { status: Status::Undecided, severity: None, missing: vec![Wanted::RuncVersion.missing()] };
    let ok = RiskState { status: Status::Ok, severity: None, missing: Vec::new() };
    Report {
        version: 1,
        verdict: Verdict::AtRisk,
        risks: [
            (Risk::MemoryVolume, RiskState::default()),
            (Risk::Inotify, at_risk),
            (Risk::CgroupCleanup, undecided),
            (Risk::Memcg, ok),
        ]
        .into(),
        findings: vec![finding],
        read: vec![ReadLines { input: 0, first_line: 1, last_line: 2, kind: "sysctl".into() }],
        unread: vec![Unread { input: 0, first_line: 3, last_line: 3, why: Why::NotRecognised }],
    }
}

#[derive(Clone, PartialEq, Properties)]
struct ReportProps {
    lang: Lang,
    report: Report,
    input: HtmlTextAreaElement,
}

/// A report beside the textarea that holds its text.
#[component]
fn Reported(props: &ReportProps) -> Html {
    let input = props.input.clone();
    let reader = input.clone();
    let select = Callback::from(move |target: Target| shell::select(&input, target.place));
    let inputs = Callback::from(move |()| Inputs::default().saved(&reader.value()));
    let settings = Rc::new(Settings::default());
    let page = Page {
        revision: 1,
        held: Rc::default(),
        lang: props.lang,
        select,
        inputs,
        names: Rc::from([]),
        line: Callback::from(|()| 1),
        apply: Callback::noop(),
        settings,
        core: within(),
    };
    let text = props.input.value();
    let checked = Checked::new(props.report.clone(), &[rules::Input::new("stdin", text)], props.lang);
    html! {
        <ReportView checked={Rc::new(checked)} current={None::<usize>} {page} />
    }
}

async fn reported(report: Report, lang: Lang) -> Stage {
    let stage = Stage::new();
    let input = stage.input();
    input.set_value(PASTE);
    let root = stage.find("#report").into();
    yew::Renderer::<Reported>::with_root_and_props(root, ReportProps { lang, report, input }).render();
    flush().await;
    stage
}

#[wasm_bindgen_test]
async fn the_verdict_the_risks_and_the_findings_are_shown() {
    let stage = reported(report(), Lang::En).await;
    assert!(stage.text(".verdict h2").starts_with("At risk"));
    assert_eq!(stage.text(".counts"), "1 warning");
    assert!(stage.text("[data-risk=inotify] .status").contains("at risk"));
    assert!(stage.text("[data-risk=memcg] .status").contains("ok"));
    let article = stage.text("article");
    for part in ["warning", "inotify-instances-low", "line 2", "fs.inotify.max_user_instances = 128", ">= 245"] {
        assert!(article.contains(part), "{part} is missing in {article}");
    }
    assert_eq!(stage.text("article mark"), "fs.inotify.max_user_instances = 128");
    assert!(stage.text(".detected").contains("lines 1–2"));
    assert!(stage.text(".unused").contains("line 3"));
}

#[wasm_bindgen_test]
async fn verdict_and_risk_are_marked_as_their_worst_finding() {
    for (severity, class) in [(Severity::Warning, ".warning"), (Severity::Error, ".error")] {
        let mut marked = report();
        marked.risks.get_mut(&Risk::Inotify).unwrap().severity = Some(severity);
        marked.findings[0].severity = severity;
        let stage = reported(marked, Lang::En).await;
        for place in [".verdict", "[data-risk=inotify]", "article"] {
            assert!(stage.has(&format!("{place}{class}")), "{place}{class}");
        }
    }
}

#[wasm_bindgen_test]
async fn an_undecided_risk_names_the_command_to_paste_next() {
    let stage = reported(report(), Lang::En).await;
    assert_eq!(stage.text("[data-next=cgroup-cleanup] .command code"), "runc --version");
    assert!(!stage.has("[data-next=memcg]"));
}

#[wasm_bindgen_test]
async fn a_report_that_decides_nothing_names_what_to_start_with() {
    let nothing = rules::check(&[rules::Input::new("paste", "hello")], &Settings::default());
    let stage = reported(nothing, Lang::En).await;
    assert!(stage.text(".risks .next").contains("sysctl fs.inotify"));
}

#[wasm_bindgen_test]
async fn a_report_is_shown_in_japanese_and_chinese() {
    let japanese = reported(report(), Lang::Ja).await;
    assert!(japanese.text(".verdict h2").starts_with("リスクあり"));
    assert!(japanese.text(".detected").contains("1–2 行目"));
    drop(japanese);
    let chinese = reported(report(), Lang::Zh).await;
    assert!(chinese.text(".verdict h2").starts_with("有风险"));
    assert!(chinese.text(".detected").contains("第 1–2 行"));
}

#[wasm_bindgen_test]
async fn hostile_text_is_shown_as_text() {
    let hostile = "<img src=x onerror=alert(1)><script>alert(2)</script>";
    let mut report = report();
    for finding in &mut report.findings {
        finding.object = Some(hostile.into());
        finding.container = Some(hostile.into());
        finding.rule = hostile.into();
        finding.evidence[0].observed = hostile.into();
    }
    report.read[0].kind = hostile.into();
    report.unread[0].why = Why::Broken { message: hostile.into() };
    let stage = reported(report, Lang::En).await;
    assert!(!stage.has("#report img") && !stage.has("#report script"));
    for place in ["article h3", ".names", ".evidence", ".detected", ".unused"] {
        assert!(stage.text(place).contains(hostile), "{place}");
    }
}

#[wasm_bindgen_test]
async fn a_place_selects_its_text_behind_astral_characters_and_crlf() {
    let stage = reported(report(), Lang::En).await;
    let selected = || {
        let input = stage.input();
        let units: Vec<u16> = input.value().encode_utf16().collect();
        let start = input.selection_start().unwrap().unwrap() as usize;
        let end = input.selection_end().unwrap().unwrap() as usize;
        String::from_utf16(&units[start..end]).unwrap()
    };
    stage.click("line 2").await;
    assert_eq!(selected(), "fs.inotify.max_user_instances = 128");
    assert_eq!(document().active_element().unwrap().id(), "input");
    stage.click("lines 1–2").await;
    assert_eq!(selected(), "# 😀 node\nfs.inotify.max_user_instances = 128");
    stage.click("line 3").await;
    assert_eq!(selected(), "some chatter");
}

#[wasm_bindgen_test]
async fn a_refused_clipboard_is_harmless() {
    let _clipboard = Instead::of(window().navigator(), "clipboard", "return undefined");
    let _command = Instead::of(document(), "execCommand", "return () => { throw new Error('refused') }");
    let stage = reported(report(), Lang::En).await;
    stage.find("[data-next=cgroup-cleanup] .copy").click();
    sleep(std::time::Duration::ZERO).await;
    flush().await;
    assert!(stage.text("[data-next=cgroup-cleanup] .copy").contains("refused"));
    assert!(stage.has("article"));
}

/// What the command would read.
fn pasted(stage: &Stage) -> [rules::Input<'static>; 1] {
    [rules::Input::new("stdin", stage.input().value())]
}

#[wasm_bindgen_test]
async fn a_report_that_cannot_be_copied_stands_in_a_field() {
    let _clipboard = Instead::of(window().navigator(), "clipboard", "return undefined");
    let _command = Instead::of(document(), "execCommand", "return () => false");
    let stage = reported(report(), Lang::En).await;
    stage.click("Copy as Markdown").await;
    sleep(std::time::Duration::ZERO).await;
    flush().await;
    let field: HtmlTextAreaElement = stage.find(".menu textarea").unchecked_into();
    let expected = export(&pasted(&stage), &Settings::default(), Lang::En, Format::Markdown).unwrap();
    assert_eq!(field.value(), expected);
    field.focus().unwrap();
    assert_eq!(field.selection_end().unwrap(), Some(field.text_length()));
}

#[wasm_bindgen_test]
async fn a_report_is_saved_byte_for_byte() {
    let saved = Rc::new(std::cell::RefCell::new(None));
    let keep = {
        let saved = Rc::clone(&saved);
        Closure::<dyn Fn(web_sys::Blob) -> String>::new(move |blob| {
            *saved.borrow_mut() = Some(blob);
            "#".to_owned()
        })
    };
    Reflect::set(&window(), &"keepFile".into(), keep.as_ref()).unwrap();
    let url = Reflect::get(&window(), &"URL".into()).unwrap();
    let _url = Instead::of(url, "createObjectURL", "return window.keepFile");
    let stage = reported(report(), Lang::En).await;
    for (button, format) in
        [("Save Markdown", Format::Markdown), ("Save JSON", Format::Json), ("Save SARIF", Format::Sarif)]
    {
        stage.click(button).await;
        let blob = saved.take().unwrap();
        let text = JsFuture::from(blob.text()).await.unwrap().as_string().unwrap();
        let expected = export(&pasted(&stage), &Settings::default(), Lang::En, format).unwrap();
        assert_eq!((text, blob.type_()), (expected, format.media_type().to_owned()));
    }
}

const POD: &str = "\
kind: Pod # 😀
apiVersion: v1
metadata: {name: web}
spec:
  containers:
  - name: one
    volumeMounts: [{name: v, mountPath: /v}]
  - name: two
    volumeMounts: [{name: v, mountPath: /v}]
  volumes: [{name: v, emptyDir: {medium: Memory}}]
";

fn undo() {
    document().dyn_into::<web_sys::HtmlDocument>().unwrap().exec_command("undo").unwrap();
}

#[wasm_bindgen_test]
async fn a_fix_is_one_step_that_the_browsers_undo_takes_back() {
    let stage = Stage::started().await;
    stage.enter(POD, "insertFromPaste").await;
    stage.click("Apply fix").await;
    let limit = "    resources:\n      limits:\n        memory: 256Mi\n";
    assert_eq!(stage.input().value(), POD.replacen("  - name: two", &format!("{limit}  - name: two"), 1));
    assert!(stage.text("#status").starts_with("Fixed lines 8–10; “Undo (Ctrl+Z)” takes it back. 13 lines checked."));
    assert_eq!(document().active_element().unwrap().id(), "input");
    undo();
    assert_eq!(stage.input().value(), POD);
}

#[wasm_bindgen_test]
async fn all_fixes_are_one_step() {
    let stage = Stage::started().await;
    stage.enter(POD, "insertFromPaste").await;
    stage.click("Apply all fixes").await;
    assert!(stage.text("#status").starts_with("Applied 2 fixes in lines 8–15; “Undo (Ctrl+Z)” takes it back."));
    assert!(!stage.has("article"), "{}", stage.text("#report"));
    undo();
    assert_eq!(stage.input().value(), POD);
}

#[wasm_bindgen_test]
async fn all_fixes_of_a_rule_are_one_step() {
    let stage = Stage::started().await;
    stage.enter(POD, "insertFromPaste").await;
    stage.click("Apply all 2 of this rule").await;
    assert_eq!(stage.input().value().matches("memory: 256Mi").count(), 2);
    assert!(!stage.has("article"), "{}", stage.text("#report"));
    undo();
    assert_eq!(stage.input().value(), POD);
}

/// Three findings: an error, a warning and an info.
fn three() -> Report {
    let mut report = report();
    let finding = report.findings.remove(0);
    report.findings = [Severity::Error, Severity::Warning, Severity::Info]
        .map(|severity| Finding { severity, ..finding.clone() })
        .into();
    report
}

fn press(key: &str, shift: bool) {
    let init = web_sys::KeyboardEventInit::new();
    init.set_key(key);
    init.set_shift_key(shift);
    init.set_bubbles(true);
    let event = web_sys::KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &init).unwrap();
    document().active_element().unwrap().dispatch_event(&event).unwrap();
}

#[wasm_bindgen_test]
async fn severities_are_hidden_and_shown_without_changing_the_order() {
    let stage = reported(three(), Lang::En).await;
    let ids = || {
        let articles = stage.root.query_selector_all("article").unwrap();
        (0..articles.length()).map(|at| articles.get(at).unwrap().unchecked_into::<Element>().id()).collect::<Vec<_>>()
    };
    assert_eq!(stage.text(".filters label:nth-of-type(2)"), "1 warning");
    let warnings = stage.find(".filters label:nth-of-type(2) input");
    warnings.click();
    flush().await;
    assert_eq!(ids(), ["finding-0", "finding-2"]);
    warnings.click();
    flush().await;
    assert_eq!(ids(), ["finding-0", "finding-1", "finding-2"]);
}

#[wasm_bindgen_test]
async fn one_severity_leaves_nothing_to_choose() {
    assert!(!reported(report(), Lang::En).await.has(".filters"));
}

#[wasm_bindgen_test]
async fn keys_lead_from_finding_to_finding() {
    let stage = Stage::started().await;
    stage.enter(POD, "insertFromPaste").await;
    let focused = || document().active_element().unwrap().id();
    stage.input().focus().unwrap();
    press("n", false);
    assert_eq!(focused(), "input", "a letter is typed there");
    for (key, shift, finding) in
        [("F8", false, "finding-0"), ("n", false, "finding-1"), ("F8", false, "finding-0"), ("F8", true, "finding-1")]
    {
        press(key, shift);
        assert_eq!(focused(), finding);
    }
    press("p", false);
    assert_eq!(focused(), "finding-0");
}

#[wasm_bindgen_test]
async fn the_cursors_line_leads_to_its_finding() {
    let stage = Stage::started().await;
    stage.enter("# node\nfs.inotify.max_user_instances = 128", "insertFromPaste").await;
    let input = stage.input();
    input.focus().unwrap();
    input.set_selection_range(9, 9).unwrap();
    while !stage.has("#here button") {
        sleep(std::time::Duration::from_millis(20)).await;
        flush().await;
    }
    assert!(stage.has("#finding-0[aria-current]"));
    assert!(stage.text("#here").starts_with("line 2 → "));
    stage.find("#here button").click();
    assert_eq!(document().active_element().unwrap().id(), "finding-0");
}

#[wasm_bindgen_test]
async fn a_capacity_is_a_picture_with_a_name_and_a_description() {
    let stage = Stage::started().await;
    stage.enter("fs.inotify.max_user_instances = 128", "insertFromPaste").await;
    let picture = stage.find("article svg[role=img]");
    let ids = picture.get_attribute("aria-labelledby").unwrap();
    let said: Vec<_> = ids.split(' ').map(|id| stage.text(&format!("#{id}"))).collect();
    assert_eq!(said[0], "inotify instances");
    assert!(said[1].starts_with("limit 128, needed "), "{said:?}");
    let width = |class: &str| -> u32 { stage.find(class).get_attribute("width").unwrap().parse().unwrap() };
    assert!(width("rect.room") < width("rect.need"), "the need is above the limit");
    assert!(!stage.has("rect.used"), "nobody said how many are used");
    assert!(!stage.has("[style]"), "the content security policy would drop it");
}

#[wasm_bindgen_test]
async fn what_is_said_of_the_node_counts_at_once_and_nonsense_is_told() {
    let stage = Stage::started().await;
    stage.enter("fs.inotify.max_user_instances = 128", "insertFromPaste").await;
    assert!(stage.has("article"));
    let field: web_sys::HtmlInputElement = stage.find("#max-pods").unchecked_into();
    let say = async |typed: &str| {
        field.set_value(typed);
        field.dispatch_event(&bubbling("change")).unwrap();
        flush().await;
    };
    say("20").await;
    assert!(!stage.has("article"), "{}", stage.text("#report"));
    say("some").await;
    assert_eq!(field.get_attribute("aria-invalid").as_deref(), Some("true"));
    assert!(stage.text("#max-pods-hint").contains("110"));
    assert!(!stage.has("article"), "what was known before still counts");
    say("").await;
    assert!(stage.has("article") && !field.has_attribute("aria-invalid"));
}

#[wasm_bindgen_test]
async fn runtime_and_cgroup_version_are_stated_where_the_text_does_not_tell() {
    let stage = Stage::started().await;
    stage.enter("fs.inotify.max_user_instances = 128", "insertFromPaste").await;
    let choose = async |list: &str, name: &str| {
        let list: web_sys::HtmlSelectElement = stage.find(list).unchecked_into();
        list.set_value(name);
        list.dispatch_event(&bubbling("change")).unwrap();
        flush().await;
    };
    // Pods need no instances on cgroup v1.
    choose("#cgroups", "v1").await;
    assert!(!stage.has("article"), "{}", stage.text("#report"));
    choose("#runtime", "cri-o").await;
    assert!(!stage.has("article"), "one choice keeps the other");
    choose("#cgroups", "").await;
    assert!(stage.has("article"));
}

#[wasm_bindgen_test]
async fn a_shared_link_carries_the_redacted_text_and_what_was_said_of_the_node() {
    let stage = Stage::started().await;
    stage.enter("  nodeName: node-7\n10.1.2.3 fs.inotify.max_user_instances = 128", "insertFromPaste").await;
    let pods: web_sys::HtmlInputElement = stage.find("#max-pods").unchecked_into();
    pods.set_value("200");
    pods.dispatch_event(&bubbling("change")).unwrap();
    flush().await;
    stage.click("Share link…").await;
    let preview = || stage.find(".panel textarea").unchecked_into::<HtmlTextAreaElement>().value();
    assert_eq!(preview(), "  nodeName: host-1\n192.0.2.1 fs.inotify.max_user_instances = 128");
    stage.find(".panel label:last-of-type input").click();
    flush().await;
    assert!(preview().contains("node-7"), "host names are a choice");

    let _clipboard = Instead::of(window().navigator(), "clipboard", "return undefined");
    let _command = Instead::of(document(), "execCommand", "return () => false");
    stage.click("Copy link").await;
    sleep(std::time::Duration::ZERO).await;
    flush().await;
    let link = stage.find(".panel textarea:last-of-type").unchecked_into::<HtmlTextAreaElement>().value();
    let (_, fragment) = link.split_once('#').unwrap();
    drop(stage);

    let mut stage = Stage::new();
    window().location().set_hash(fragment).unwrap();
    stage.start().await;
    assert!(stage.input().value().starts_with("  nodeName: node-7\n192.0.2.1 "));
    assert_eq!(stage.find("#max-pods").unchecked_into::<web_sys::HtmlInputElement>().value(), "200");
    assert!(fragment::read().starts_with("#v1.d="), "a reload opens it again");
    stage.enter("mine", "insertText").await;
    assert_eq!(fragment::read(), "");
}

#[wasm_bindgen_test]
async fn a_broken_link_is_told_and_takes_nothing_away() {
    let stage = Stage::started().await;
    stage.enter("uname -r", "insertFromPaste").await;
    for (fragment, said) in [("#v1.d=AAAA", "damaged"), ("#v9.x=AAAA", "newer version")] {
        window().location().set_hash(fragment).unwrap();
        while !stage.text("#status").contains(said) {
            sleep(std::time::Duration::from_millis(5)).await;
            flush().await;
        }
        assert_eq!(stage.input().value(), "uname -r");
        assert!(stage.has(".verdict"));
    }
}

#[wasm_bindgen_test]
async fn a_policy_is_made_and_its_answer_shown() {
    let stage = Stage::started().await;
    stage.enter(POD, "insertFromPaste").await;
    stage.click("Enforce this…").await;
    assert!(stage.text(".answers").starts_with("DeniedPod/web"));
    assert!(stage.text(".panel .code pre").contains("kind: ClusterAdmissionPolicy"));
    stage.find(".panel label:last-of-type input").click();
    flush().await;
    assert!(stage.text(".answers").starts_with("Accepted and changedPod/web"));
    assert!(stage.text(".answers pre").contains("+ spec.containers[1].resources.limits.memory: 256Mi"));
    assert!(stage.text(".panel .code pre").contains("defaultMemoryLimit: 256Mi"));
}

#[wasm_bindgen_test]
async fn there_is_nothing_to_enforce_about_a_node() {
    let stage = Stage::started().await;
    stage.enter("fs.inotify.max_user_instances = 128", "insertFromPaste").await;
    assert!(!stage.text(".menu").contains("Enforce"));
}

#[wasm_bindgen_test]
async fn text_typed_before_the_start_is_checked() {
    let mut stage = Stage::new();
    stage.input().set_value("fs.inotify.max_user_instances = 128\nuname -r");
    stage.start().await;
    assert!(stage.text("#status").starts_with("2 lines checked."));
    assert!(stage.has(".verdict"));
}

#[wasm_bindgen_test]
async fn a_paste_is_checked_at_once_and_typing_after_a_pause() {
    let stage = Stage::started().await;
    assert!(stage.has(".welcome"));
    stage.enter("uname -r", "insertFromPaste").await;
    assert!(stage.text("#status").starts_with("1 line checked."));
    stage.enter("uname -r\n5.4.0", "insertText").await;
    assert_eq!(stage.text("#status"), "Checking…");
    while stage.text("#status") == "Checking…" {
        sleep(std::time::Duration::from_millis(20)).await;
        flush().await;
    }
    assert!(stage.text("#status").starts_with("2 lines checked."));
}

#[wasm_bindgen_test]
async fn every_word_follows_the_language_even_when_storage_is_refused() {
    let _storage = Instead::of(window(), "localStorage", "throw new DOMException('refused', 'SecurityError')");
    let stage = Stage::started().await;
    stage.enter("uname -r", "insertFromPaste").await;
    stage.choose("#lang", "ja").await;
    assert_eq!(document_element().get_attribute("lang").as_deref(), Some("ja"));
    for place in ["#tagline", "#input-label", "#privacy", "#status", ".verdict", "#tools", ".risks"] {
        let text = stage.text(place);
        assert!(text.chars().any(|c| ('\u{3041}'..='\u{30ff}').contains(&c)), "{place} is not Japanese: {text}");
    }
    stage.choose("#theme", "dark").await;
    assert_eq!(document_element().get_attribute("data-theme").as_deref(), Some("dark"));
}

#[wasm_bindgen_test]
async fn cleared_text_can_be_brought_back() {
    let stage = Stage::started().await;
    stage.enter("my own text", "insertText").await;
    stage.click("Clear").await;
    assert_eq!(stage.input().value(), "");
    assert!(stage.has(".welcome"));
    stage.click("Bring my text back").await;
    assert_eq!(stage.input().value(), "my own text");
    assert!(stage.text("#status").starts_with("1 line checked."));
}

#[wasm_bindgen_test]
async fn a_text_that_is_too_long_to_be_edited_is_told_with_a_way_out() {
    let stage = Stage::started().await;
    stage.enter("uname -r", "insertFromPaste").await;
    stage.enter(&"x".repeat(EDITABLE as usize + 1), "insertFromPaste").await;
    assert!(stage.text("#status").contains("open the text as a file"));
    assert!(!stage.has(".verdict"));
}

#[wasm_bindgen_test]
async fn an_example_is_checked_at_once_named_in_the_address_and_takes_nothing_away() {
    let example = TOPICS[0].examples().next().unwrap();
    let stage = Stage::started().await;
    stage.enter("my own text", "insertText").await;
    stage.choose("#examples", &example.address()).await;
    assert_eq!(stage.input().value(), "my own text", "a choice alone changes nothing");
    stage.click("Load example").await;
    assert_eq!(stage.input().value(), example.text);
    assert!(stage.text("article .rule").contains(example.rule));
    assert_eq!(fragment::read(), fragment::of(example));
    document().dyn_into::<web_sys::HtmlDocument>().unwrap().exec_command("undo").unwrap();
    assert_eq!(stage.input().value(), "my own text", "the browser's own undo");

    stage.choose("#examples", &example.address()).await;
    stage.click("Load example").await;
    stage.click("Bring my text back").await;
    assert_eq!(stage.input().value(), "my own text", "the page's button");
    assert_eq!(fragment::read(), "");
}

#[wasm_bindgen_test]
async fn the_address_opens_an_example_but_never_over_typed_text() {
    let example = TOPICS[0].examples().next().unwrap();
    let mut stage = Stage::new();
    window().location().set_hash(&fragment::of(example)).unwrap();
    stage.start().await;
    assert_eq!(stage.input().value(), example.text);
    assert!(stage.has(".verdict"));
    let list: HtmlSelectElement = stage.find("#examples").unchecked_into();
    assert_eq!(list.value(), example.address());
    drop(stage);

    let mut stage = Stage::new();
    window().location().set_hash(&fragment::of(example)).unwrap();
    stage.input().set_value("uname -r");
    stage.start().await;
    assert_eq!(stage.input().value(), "uname -r");
}

/// Drop files on the page, and wait until there are so many inputs.
async fn drop_files(stage: &Stage, files: &[(&str, &str)], inputs: u32) {
    let transfer = DataTransfer::new().unwrap();
    for (name, text) in files {
        let file = File::new_with_str_sequence(&js_sys::Array::of1(&(*text).into()), name).unwrap();
        transfer.items().add_with_file(&file).unwrap();
    }
    let init = DragEventInit::new();
    init.set_bubbles(true);
    init.set_cancelable(true);
    init.set_data_transfer(Some(&transfer));
    let event = DragEvent::new_with_event_init_dict("drop", &init).unwrap();
    stage.find(".top").dispatch_event(&event).unwrap();
    assert!(event.default_prevented(), "the browser would leave the page");
    while stage.root.query_selector_all(".inputs > li").unwrap().length() != inputs {
        sleep(std::time::Duration::from_millis(5)).await;
        flush().await;
    }
}

const LIMIT_RANGE: &str = "\
apiVersion: v1
kind: LimitRange
metadata: {name: l}
spec: {limits: [{type: Container, default: {memory: 1Gi}}]}
";

#[wasm_bindgen_test]
async fn dropped_files_are_inputs_that_are_checked_together() {
    let stage = Stage::started().await;
    drop_files(&stage, &[("a.yaml", "fs.inotify.max_user_instances = 128\n"), ("b.yaml", POD)], 2).await;
    assert_eq!(stage.input().value(), "fs.inotify.max_user_instances = 128\n");
    assert!(stage.text(".inputs").contains("sysctl values (1 line)"), "{}", stage.text(".inputs"));
    assert!(stage.text("article").contains("b.yaml · line"), "{}", stage.text("article"));
    stage.find("article .place").click();
    flush().await;
    assert_eq!(stage.input().value(), POD, "the input that the finding is in");
    assert_eq!(stage.text(".inputs [aria-current]"), "b.yaml");
    stage.click("Apply fix").await;
    assert!(stage.input().value().contains("memory: 256Mi"));
    stage.click("a.yaml").await;
    assert!(stage.input().value().starts_with("fs.inotify"));
    stage.click("b.yaml").await;
    assert!(stage.input().value().contains("memory: 256Mi"), "what was changed is still there");
}

#[wasm_bindgen_test]
async fn files_come_behind_own_text_and_a_removed_input_can_be_brought_back() {
    let stage = Stage::started().await;
    stage.enter(POD, "insertText").await;
    drop_files(&stage, &[("limits.yaml", LIMIT_RANGE)], 2).await;
    assert!(!stage.text("#report").contains("memory-volume-unlimited-writer"), "{}", stage.text("#report"));
    stage.find(".inputs li:last-child .remove").click();
    flush().await;
    assert_eq!(stage.input().value(), POD);
    assert!(stage.text("#report").contains("memory-volume-unlimited-writer"));
    stage.click("Bring my text back").await;
    assert_eq!(stage.root.query_selector_all(".inputs > li").unwrap().length(), 2);
}

#[wasm_bindgen_test]
async fn another_input_can_be_added_and_its_kind_chosen() {
    let stage = Stage::started().await;
    stage.enter("fs.inotify.max_user_instances = 128", "insertFromPaste").await;
    stage.click("Add another input").await;
    assert_eq!(stage.input().value(), "");
    stage.enter("uname -r\n5.4.0\n", "insertFromPaste").await;
    assert!(stage.has("article"), "the first one still counts");
    stage.choose(".inputs li:first-child select", "mounts").await;
    assert!(!stage.has("article"), "read as something else");
    stage.choose(".inputs li:first-child select", "").await;
    assert!(stage.has("article"));
}

#[wasm_bindgen_test]
async fn a_paste_too_long_for_the_textarea_is_held_beside_it() {
    let stage = Stage::started().await;
    let text = format!("{}fs.inotify.max_user_instances = 128\n", "some chatter\n".repeat(100_000));
    let pastes = Function::new_with_args(
        "text",
        "const event = new Event('paste', { bubbles: true, cancelable: true });
         event.clipboardData = { getData: () => text };
         document.getElementById('input').dispatchEvent(event);
         return event.defaultPrevented;",
    );
    let prevented = pastes.call1(&JsValue::NULL, &text.into()).unwrap();
    assert_eq!(prevented, JsValue::TRUE);
    stage.wait_for_status("100001 lines checked. At risk").await;
    assert!(stage.input().hidden());
    assert!(stage.text(".held").contains("1.2 MB"), "{}", stage.text(".held"));
    assert!(stage.text(".held li:last-child").contains("100001fs.inotify.max_user_instances = 128"));
    stage.find("article .place").click();
    flush().await;
    assert_eq!(document().active_element().unwrap().id(), "held-100001");
    let short = pastes.call1(&JsValue::NULL, &"uname -r".into()).unwrap();
    assert_eq!(short, JsValue::FALSE, "left to the browser");
}

/// Has the page start this script in place of `worker.js`, until it is dropped.
struct WorkerScript(Element);

impl WorkerScript {
    fn new(script: &str) -> Self {
        let options = web_sys::BlobPropertyBag::new();
        options.set_type("text/javascript");
        let parts = Array::of1(&script.into());
        let script = Blob::new_with_str_sequence_and_options(&parts, &options).unwrap();
        let tag = document().create_element("script").unwrap();
        tag.set_attribute("type", "text/plain").unwrap();
        // What the page appends becomes a fragment.
        let base = web_sys::Url::create_object_url_with_blob(&script).unwrap() + "#";
        for (name, value) in [("base", &*base), ("wasm", "app.wasm"), ("checker", "checker-1"), ("tools", "tools-1")] {
            tag.set_attribute(&format!("data-{name}"), value).unwrap();
        }
        document().body().unwrap().append_child(&tag).unwrap();
        Self(tag)
    }
}

impl Drop for WorkerScript {
    fn drop(&mut self) {
        self.0.remove();
    }
}

impl Stage {
    /// With whatever stands in place of `worker.js`.
    async fn beside() -> Self {
        let mut stage = Self::new();
        stage.start_with(Core::beside()).await;
        stage
    }

    async fn wait_for_status(&self, said: &str) {
        for _ in 0..500 {
            if self.text("#status").contains(said) {
                return;
            }
            sleep(std::time::Duration::from_millis(10)).await;
            flush().await;
        }
        panic!("{said} is never said, but {}", self.text("#status"));
    }
}

/// The answer of a checker, as a string in a script.
fn answer() -> String {
    let checked = Checked::new(report(), &[rules::Input::new("stdin", PASTE)], Lang::En);
    serde_json::to_string(&serde_json::to_string(&checked).unwrap()).unwrap()
}

#[wasm_bindgen_test]
async fn a_text_is_checked_by_a_worker() {
    let check = "onmessage = ({ data }) => data[0] === 'check' && data[9] === 'uname -r' && postMessage(ANSWER); \
                 postMessage(null)";
    let _worker = WorkerScript::new(&check.replace("ANSWER", &answer()));
    let stage = Stage::beside().await;
    stage.enter("uname -r", "insertFromPaste").await;
    assert_eq!(stage.text("#status"), "Checking…");
    stage.wait_for_status("3 lines checked. At risk").await;
}

#[wasm_bindgen_test]
async fn a_worker_that_dies_is_told_and_another_one_takes_its_place() {
    let deaths = "onmessage = ({ data }) => { throw new Error(data[0]) }; postMessage(null)";
    let worker = WorkerScript::new(deaths);
    let stage = Stage::beside().await;
    stage.enter("uname -r", "insertFromPaste").await;
    stage.wait_for_status("internal error").await;
    assert_eq!(stage.input().value(), "uname -r");
    drop(worker);
    let _worker = WorkerScript::new(&format!("onmessage = () => postMessage({}); postMessage(null)", answer()));
    stage.enter("uname -a", "insertFromPaste").await;
    stage.wait_for_status("3 lines checked.").await;
}

#[wasm_bindgen_test]
async fn where_workers_are_refused_the_page_does_their_work() {
    let forbidden = Instead::of(window(), "Worker", "return function () { throw new Error('forbidden') }");
    let script = format!("export const start = async (build) => async () => build === 'checker-1' ? {} : 1", answer());
    let here = WorkerScript::new(&script);
    let stage = Stage::beside().await;
    stage.enter("uname -r", "insertFromPaste").await;
    stage.wait_for_status("3 lines checked. At risk").await;
    drop((stage, forbidden, here));

    // A worker that cannot be started says so later on.
    let _here = WorkerScript::new(&format!("if (self.document === undefined) throw 'refused'; {script}"));
    let stage = Stage::beside().await;
    stage.enter("uname -r", "insertFromPaste").await;
    stage.wait_for_status("3 lines checked. At risk").await;
}

#[wasm_bindgen_test]
async fn a_core_that_cannot_be_loaded_is_told_and_tried_again() {
    let stage = Stage::beside().await;
    stage.enter("uname -r", "insertFromPaste").await;
    stage.wait_for_status("could not be loaded").await;
    let _worker = WorkerScript::new(&format!("onmessage = () => postMessage({}); postMessage(null)", answer()));
    stage.enter("uname -a", "insertFromPaste").await;
    stage.wait_for_status("3 lines checked.").await;
}

#[wasm_bindgen_test]
async fn the_answer_about_an_older_text_is_dropped() {
    let slow = "onmessage = ({ data }) => data[7] === 'old' \
                ? setTimeout(() => postMessage('{}'), 50) : postMessage(ANSWER); postMessage(null)";
    let _worker = WorkerScript::new(&slow.replace("ANSWER", &answer()));
    let stage = Stage::beside().await;
    stage.enter("old", "insertFromPaste").await;
    stage.enter("new", "insertFromPaste").await;
    stage.wait_for_status("3 lines checked.").await;
    sleep(std::time::Duration::from_millis(300)).await;
    flush().await;
    assert!(stage.text("#status").starts_with("3 lines checked."));
}

#[wasm_bindgen_test]
async fn jobs_for_the_tools_wait_for_each_other() {
    let tools = Tools::started();
    for format in [Format::Markdown, Format::Json, Format::Json] {
        tools.ask(Task::Export { format, redacted: false });
    }
    assert_eq!(tools.answers(3).await, ["markdown", "json", "json"]);
}

#[wasm_bindgen_test]
async fn of_the_links_that_wait_for_the_tools_only_the_newest_is_made() {
    let share = |shown| {
        let redact = Redact::default();
        Task::Share(Choice { redact, shorten: true, shown, held: Vec::new() })
    };
    let tools = Tools::started();
    // Nothing has begun before the worker is there.
    tools.ask(share(1));
    tools.ask(Task::Enforce(Mode::Reject));
    tools.ask(share(2));
    assert_eq!(tools.answers(2).await, ["reject", "share 1 1 1 1 1 1 2"]);
    // The first of these has begun, so its answer is waited for.
    for shown in 3..6 {
        tools.ask(share(shown));
    }
    assert_eq!(tools.answers(4).await[2..], ["share 1 1 1 1 1 1 3", "share 1 1 1 1 1 1 5"]);
}

/// A worker that answers what it was asked.
struct Tools {
    core: Core,
    heard: Rc<std::cell::RefCell<Vec<String>>>,
    _worker: WorkerScript,
}

impl Tools {
    fn started() -> Self {
        let script = "onmessage = ({ data: [task, numbers] }) => \
                      setTimeout(() => postMessage(`${task} ${numbers}`.trim()), 20); postMessage(null)";
        Self { _worker: WorkerScript::new(script), core: Core::beside(), heard: Rc::default() }
    }

    fn ask(&self, task: Task) {
        let job = Job { task, lang: Lang::En, node: NodeProfile::default(), inputs: Inputs::default() };
        let heard = Rc::clone(&self.heard);
        let hear = move |answer: Result<String, Lost>| heard.borrow_mut().push(answer.unwrap());
        self.core.tools.emit((job, hear.into()));
    }

    /// All answers, once there are `count` and no more come.
    async fn answers(&self, count: usize) -> Vec<String> {
        while self.heard.borrow().len() < count {
            sleep(std::time::Duration::from_millis(5)).await;
        }
        sleep(std::time::Duration::from_millis(100)).await;
        self.heard.borrow().clone()
    }
}

#[wasm_bindgen_test]
fn a_job_arrives_as_it_was_sent() {
    let node = NodeProfile {
        max_pods: Some(30),
        memory: Some(16 << 30),
        runtime: Some(Runtime::Crio),
        cgroups: Some(CgroupMode::V1),
    };
    let redact = Redact { secrets: true, environment: false, tokens: true, addresses: false, hosts: true };
    let choice = Choice { redact, shorten: true, shown: 1, held: vec![0, 2] };
    let other = Choice { redact: Redact::default(), shorten: false, shown: 0, held: Vec::new() };
    let sources = vec![Source::typed("a.yaml", "kind: Pod"), Source { kind: Some("sysctl"), ..Source::typed("b", "") }];
    for task in [
        Task::Check,
        Task::Export { format: Format::Json, redacted: true },
        Task::Fix { input: 1, findings: vec![0, 3] },
        Task::Fix { input: 0, findings: Vec::new() },
        Task::Share(choice),
        Task::Share(other),
        Task::Enforce(Mode::GiveLimits),
    ] {
        let job = Job { task, lang: Lang::Ja, node: node.clone(), inputs: Inputs::of(sources.clone()) };
        assert_eq!(Job::from_message(&job.to_message()), Some(job));
    }
    let unknown = ["explode", "", "en", "", "", "", ""].into_iter().map(JsValue::from).collect();
    assert_eq!(Job::from_message(&unknown), None);
}
