//! A worker for what would hold up the page. It runs the same files as the page, in another role, so that a first visit
//! transfers nothing for it. It is started when it is first needed.
//!
//! `gloo-worker` does not fit: it panics where workers are forbidden, hears no error of a worker and cannot end one.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use gloo::utils::document;
use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent, Worker, WorkerOptions, WorkerType};

use crate::job::Job;

/// How long a worker may take to start, in milliseconds.
const START: u32 = 10_000;

/// How long it may take for one answer, in milliseconds.
const ANSWER: u32 = 30_000;

/// The worker's role: say that it is there, then answer each message.
pub fn serve(scope: &DedicatedWorkerGlobalScope) {
    let answerer = scope.clone();
    let messages = EventListener::new(scope, "message", move |event| {
        let result = data(event).dyn_ref::<Array>().map(Job::from_message).and_then(|job| job?.result());
        let _ = answerer.post_message(&result.into());
    });
    messages.forget();
    let _ = scope.post_message(&JsValue::NULL);
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// No worker can be started here.
    Blocked,
    /// The worker stopped or did not answer in time, and was ended.
    Died,
}

type Done = Box<dyn FnOnce(Result<String, Lost>)>;

/// The page's role: one worker that does one thing at a time.
#[derive(Clone, Default)]
pub struct Helper {
    running: Rc<RefCell<Option<Running>>>,
    blocked: Rc<Cell<bool>>,
}

impl Helper {
    /// Do a job: a long one in the worker, any other at once and here.
    pub fn work(&self, job: Job, done: impl FnOnce(Result<String, Lost>) + 'static) {
        if !job.is_long() || self.blocked.get() {
            return here(job, done);
        }
        let spare = job.clone();
        self.ask(&job, move |answer| match answer {
            Err(Lost::Blocked) => here(spare, done),
            answer => done(answer),
        });
    }

    /// Have a job done, in place of the one before, whose answer nobody waits for any more.
    fn ask(&self, job: &Job, done: impl FnOnce(Result<String, Lost>) + 'static) {
        let message = job.to_message();
        let mut running = self.running.borrow_mut();
        match running.as_mut() {
            Some(starting) if starting.waiting.is_some() => {
                starting.waiting = Some(message);
                starting.done = Some(Box::new(done));
                return;
            }
            Some(idle) if idle.done.is_none() => {
                idle.post(&message);
                idle.done = Some(Box::new(done));
                idle.watchdog = Some(self.watchdog(ANSWER));
                return;
            }
            // One that is still at an older job is ended with it.
            _ => *running = self.start(message),
        }
        match running.as_mut() {
            Some(started) => started.done = Some(Box::new(done)),
            None => {
                drop(running);
                self.blocked.set(true);
                done(Err(Lost::Blocked));
            }
        }
    }

    fn start(&self, first: Array) -> Option<Running> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(&address()?, &options).ok()?;
        let (hearer, loser) = (self.clone(), self.clone());
        let messages = EventListener::new(&worker, "message", move |event| hearer.hear(&data(event)));
        let errors = EventListener::new(&worker, "error", move |_| loser.lose());
        let watchdog = Some(self.watchdog(START));
        Some(Running { worker, waiting: Some(first), done: None, watchdog, _listeners: [messages, errors] })
    }

    fn watchdog(&self, patience: u32) -> Timeout {
        let helper = self.clone();
        Timeout::new(patience, move || helper.lose())
    }

    fn hear(&self, answer: &JsValue) {
        let done = {
            let mut running = self.running.borrow_mut();
            let Some(running) = running.as_mut() else { return };
            if let Some(first) = running.waiting.take() {
                running.post(&first);
                running.watchdog = Some(self.watchdog(ANSWER));
                return;
            }
            running.watchdog = None;
            running.done.take()
        };
        if let Some(done) = done {
            done(answer.as_string().ok_or(Lost::Died));
        }
    }

    /// End the worker: it failed or takes too long.
    fn lose(&self) {
        let Some(mut lost) = self.running.take() else { return };
        let why = if lost.waiting.is_some() { Lost::Blocked } else { Lost::Died };
        self.blocked.set(why == Lost::Blocked);
        if let Some(done) = lost.done.take() {
            done(Err(why));
        }
    }
}

/// Do a job here.
fn here(job: Job, done: impl FnOnce(Result<String, Lost>) + 'static) {
    if job.inputs.list().iter().all(|source| source.typed_text().is_some()) {
        return done(job.result().ok_or(Lost::Died));
    }
    spawn_local(async move {
        let read = job.read().await;
        done(read.and_then(|job| job.result()).ok_or(Lost::Died));
    });
}

/// A worker, ended when dropped.
struct Running {
    worker: Worker,
    /// What it gets as soon as it says that it is there.
    waiting: Option<Array>,
    /// Who waits for its answer.
    done: Option<Done>,
    /// Ends it when it takes too long.
    watchdog: Option<Timeout>,
    _listeners: [EventListener; 2],
}

impl Running {
    fn post(&self, message: &Array) {
        // What a worker cannot be sent it does not answer, and the watchdog tells.
        let _ = self.worker.post_message(message);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

fn data(event: &web_sys::Event) -> JsValue {
    event.dyn_ref::<MessageEvent>().map(MessageEvent::data).unwrap_or_default()
}

/// The script that loads the page's files, which Trunk names on the tag of `boot.js`, into a worker.
fn address() -> Option<String> {
    let boot = document().query_selector("script[data-wasm]").ok().flatten()?;
    let [base, js, wasm] = ["data-base", "data-js", "data-wasm"].map(|name| boot.get_attribute(name));
    Some(format!("{}worker.js?js={}&wasm={}", base?, js?, wasm?))
}
