//! A module in wasmtime, run as a policy-server runs it: compiled once, a fresh instance for each request, interrupted
//! when it takes too long.

use std::error::Error;
use std::thread;
use std::time::Duration;

use wapc::WapcHost;
use wasmtime_provider::wasmtime::{Config, Engine};
use wasmtime_provider::{EpochDeadlines, WasmtimeEngineProviderBuilder, WasmtimeEngineProviderPre};

/// A policy-server's default: one tick a second, and the second one ends a call.
const TICK: Duration = Duration::from_secs(1);
const DEADLINES: EpochDeadlines = EpochDeadlines { wapc_init: 2, wapc_func: 2 };

/// A compiled module.
pub struct Module(WasmtimeEngineProviderPre);

impl Module {
    /// Compile a module.
    pub fn load(engine: &Engine, wasm: &[u8]) -> Result<Self, Box<dyn Error>> {
        let builder = WasmtimeEngineProviderBuilder::new().engine(engine.clone()).module_bytes(wasm);
        Ok(Self(builder.build_pre()?))
    }

    /// Judge a request in a fresh instance. Host calls are refused.
    pub fn validate(&self, payload: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
        let provider = self.0.rehydrate(Some(DEADLINES))?;
        let refuse = |_, _: &str, _: &str, _: &str, _: &[u8]| Err("there is no cluster".into());
        let host = WapcHost::new(Box::new(provider), Some(Box::new(refuse)))?;
        Ok(host.call("validate", payload)?)
    }
}

/// An engine whose epochs pass as long as the program runs.
pub fn ticking_engine() -> Result<Engine, Box<dyn Error>> {
    let mut config = Config::new();
    config.epoch_interruption(true);
    let engine = Engine::new(&config)?;
    let ticking = engine.clone();
    thread::spawn(move || {
        loop {
            thread::sleep(TICK);
            ticking.increment_epoch();
        }
    });
    Ok(engine)
}
