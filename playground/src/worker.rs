//! How the page has its work done: the rule core is no part of the page's own Wasm but comes in files of its own, when it
//! is first needed, and answers in a worker. What holds up a worker does not hold up the page, and what stops it leaves
//! the page as it is.
//!
//! `gloo-worker` does not fit: it panics where workers are forbidden, hears no error of a worker and cannot end one.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use gloo::utils::document;
use js_sys::{Array, Function, Promise, Reflect};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Event, MessageEvent, Worker, WorkerOptions, WorkerType};
use yew::Callback;

use crate::job::{self, Job};

/// How long a worker may take to start, in milliseconds: it loads the core, maybe over a slow network.
const START: u32 = 60_000;

/// How long it may take for one answer, in milliseconds.
const ANSWER: u32 = 30_000;

/// Has jobs done, each followed by its callback.
pub type Work = Callback<(Job, Done)>;

/// Hears what came of a job.
pub type Done = Callback<Result<String, Lost>>;

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// No worker can be started here.
    Blocked,
    /// The core could not be loaded.
    Unloaded,
    /// The core stopped, or the worker did not answer in time and was ended.
    Died,
}

/// The rule core, as the page knows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Core {
    /// Checks. A new job takes the place of the one before, whose answer nobody waits for any more.
    pub checker: Work,
    /// Does everything else, one thing after the other. Of what one part of the page shows, only the newest may wait.
    pub tools: Work,
    /// Loads a build that is about to be needed.
    pub wake: Callback<Build>,
}

impl Core {
    /// The builds of the core beside the page.
    #[must_use]
    pub fn beside() -> Self {
        let [checker, tools] = [Build::Checker, Build::Tools].map(Helper::new);
        let wake = {
            let (checker, tools) = (checker.clone(), tools.clone());
            Callback::from(move |build| match build {
                Build::Checker => checker.wake(),
                Build::Tools => tools.wake(),
            })
        };
        let work = |helper: Helper| Callback::from(move |(job, done): (Job, Done)| helper.work(job.to_message(), done));
        Self { checker: work(checker), tools: work(tools), wake }
    }
}

/// A build of the core, a program in `src/bin/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    /// Checks, and does nothing else, so that the first verdict is there early.
    Checker,
    /// Does everything.
    Tools,
}

impl Build {
    /// The script that loads it, and the parameters that name its files.
    fn address(self) -> Option<(String, String)> {
        // `boot.js` knows its own tag; names and base stand there.
        let boot = document().query_selector("script[data-wasm]").ok().flatten()?;
        let name = match self {
            Self::Checker => "data-checker",
            Self::Tools => "data-tools",
        };
        Some((format!("{}worker.js", boot.get_attribute("data-base")?), boot.get_attribute(name)?))
    }
}

/// One worker with one build.
#[derive(Clone)]
struct Helper {
    build: Build,
    running: Rc<RefCell<Option<Running>>>,
    blocked: Rc<Cell<bool>>,
}

impl Helper {
    fn new(build: Build) -> Self {
        Self { build, running: Rc::default(), blocked: Rc::default() }
    }

    /// Start the worker, so that the first job finds it ready.
    fn wake(&self) {
        let mut running = self.running.borrow_mut();
        if running.is_none() && !self.blocked.get() {
            *running = self.start();
        }
    }

    /// Do a job in the worker; within the page where there can be none.
    fn work(&self, message: Array, done: Done) {
        if self.blocked.get() {
            return self.here(message, done);
        }
        let (helper, spare) = (self.clone(), message.clone());
        let answered = move |answer| match answer {
            Err(Lost::Blocked) => {
                helper.blocked.set(true);
                helper.here(spare.clone(), done.clone());
            }
            answer => done.emit(answer),
        };
        self.ask(message, answered.into());
    }

    fn ask(&self, message: Array, done: Done) {
        let mut running = self.running.borrow_mut();
        if self.build == Build::Checker {
            // One that is still at an older job is ended with it.
            if running.as_ref().is_some_and(|running| running.ready && !running.jobs.is_empty()) {
                *running = None;
            }
            if let Some(starting) = running.as_mut() {
                starting.jobs.clear();
            }
        }
        if running.is_none() {
            *running = self.start();
        }
        let Some(running) = running.as_mut() else {
            return done.emit(Err(Lost::Blocked));
        };
        running.forget_older(&message);
        running.jobs.push_back((message, done));
        if running.ready && running.jobs.len() == 1 {
            self.post(running);
        }
    }

    /// Do a job within the page.
    fn here(&self, message: Array, done: Done) {
        let helper = self.clone();
        spawn_local(async move {
            let Ok(answer) = answerer(helper.build).await else {
                // Maybe the network is gone, and nobody refuses workers.
                helper.blocked.set(false);
                return done.emit(Err(Lost::Unloaded));
            };
            let answer = match answer.call1(&JsValue::NULL, &message) {
                Ok(answer) => JsFuture::from(Promise::resolve(&answer)).await,
                Err(thrown) => Err(thrown),
            };
            done.emit(answer.ok().and_then(|answer| answer.as_string()).ok_or(Lost::Died));
        });
    }

    fn start(&self) -> Option<Running> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let (script, build) = self.build.address()?;
        let worker = Worker::new_with_options(&format!("{script}?build={build}"), &options).ok()?;
        let (hearer, loser) = (self.clone(), self.clone());
        let messages = EventListener::new(&worker, "message", move |event| hearer.hear(&data(event)));
        let errors = EventListener::new(&worker, "error", move |_| loser.lose());
        let watchdog = Some(self.watchdog(START));
        Some(Running { worker, ready: false, jobs: VecDeque::new(), watchdog, _listeners: [messages, errors] })
    }

    fn watchdog(&self, patience: u32) -> Timeout {
        let helper = self.clone();
        Timeout::new(patience, move || helper.lose())
    }

    /// Send the job that is due, if there is one.
    fn post(&self, running: &mut Running) {
        running.watchdog = running.jobs.front().map(|(message, _)| {
            // What a worker cannot be sent it does not answer, and the watchdog tells.
            let _ = running.worker.post_message(message);
            self.watchdog(ANSWER)
        });
    }

    fn hear(&self, answer: &JsValue) {
        let done = {
            let mut present = self.running.borrow_mut();
            let Some(running) = present.as_mut() else { return };
            let done = if running.ready { running.jobs.pop_front() } else { None };
            if done.is_some() {
                // It is of use here, so it is to be there without a network as well.
                let _ = keep();
            }
            running.ready = true;
            self.post(running);
            done
        };
        if let Some((_, done)) = done {
            done.emit(answer.as_string().ok_or(Lost::Died));
        }
    }

    /// End the worker: it failed or takes too long.
    fn lose(&self) {
        let Some(mut lost) = self.running.take() else { return };
        let why = if lost.ready { Lost::Died } else { Lost::Blocked };
        for (_, done) in lost.jobs.drain(..) {
            done.emit(Err(why));
        }
    }
}

/// A worker, ended when dropped.
struct Running {
    worker: Worker,
    /// Whether it has said that it is there.
    ready: bool,
    /// What it is to do, and who waits for the answers. A worker that is ready is at the first one.
    jobs: VecDeque<(Array, Done)>,
    /// Ends it when it takes too long.
    watchdog: Option<Timeout>,
    _listeners: [EventListener; 2],
}

impl Running {
    /// Drop what has not begun and what nobody waits for any more once `message` is answered: a long text takes seconds.
    fn forget_older(&mut self, message: &Array) {
        let mut begun = self.ready;
        self.jobs.retain(|(older, _)| std::mem::take(&mut begun) || !job::is_outdated(older, message));
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

fn data(event: &Event) -> JsValue {
    event.dyn_ref::<MessageEvent>().map(MessageEvent::data).unwrap_or_default()
}

#[wasm_bindgen(module = "/src/scripts.js")]
extern "C" {
    fn load(address: &str) -> Promise;
    fn keep() -> Promise;
}

/// The function of a build that answers messages, within the page; its files are loaded once.
async fn answerer(build: Build) -> Result<Function, JsValue> {
    let (script, build) = build.address().ok_or(JsValue::NULL)?;
    let base = document().base_uri()?.unwrap_or_default();
    let script = web_sys::Url::new_with_base(&script, &base)?.href();
    let module = JsFuture::from(load(&script)).await?;
    let start: Function = Reflect::get(&module, &"start".into())?.dyn_into()?;
    JsFuture::from(Promise::resolve(&start.call1(&JsValue::NULL, &build.into())?)).await?.dyn_into()
}
