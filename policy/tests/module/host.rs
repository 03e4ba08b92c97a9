//! A small waPC host: runs the built module as a policy-server does, a fresh instance for each call.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde_json::{Value, json};
use wasmi::{Caller, Config, Engine, Error, Extern, Linker, Memory, Module, Store, StoreLimits, StoreLimitsBuilder};

/// Linear memory that one call may take: 256 MiB, far below the 4 GiB that a policy-server grants.
const MEMORY: usize = 256 << 20;

/// Instructions (roughly) that one call may take. wasmtime runs at least ten times as many within the two seconds that
/// a policy-server waits.
const FUEL: u64 = 2_000_000_000;

/// The built module, ready to be called.
pub struct Host {
    engine: Engine,
    module: Module,
    cluster: Rc<Cluster>,
}

/// Answers the module's host calls: from `binding/namespace/operation` and the payload to the response, or to the error
/// of a host that refuses.
type Cluster = dyn Fn(&str, Value) -> Result<Value, String>;

/// What one call did beside answering.
struct Call {
    operation: Vec<u8>,
    payload: Vec<u8>,
    /// What the guest answered: `Ok` by `__guest_response`, `Err` by `__guest_error`.
    answer: Option<Result<Vec<u8>, Vec<u8>>>,
    cluster: Rc<Cluster>,
    /// What the last host call was answered: `Ok` is read by `__host_response`, `Err` by `__host_error`.
    cluster_answer: Result<Vec<u8>, Vec<u8>>,
    stderr: Vec<u8>,
    limits: StoreLimits,
}

impl Host {
    /// The module that `make policy.wasm` builds, or the one that `POLICY_WASM` names.
    pub fn module() -> PathBuf {
        std::env::var_os("POLICY_WASM")
            .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/policy.wasm")), PathBuf::from)
    }

    /// Load [`Host::module`].
    pub fn load() -> Self {
        Self::load_from(&Self::module())
    }

    /// Load a module.
    pub fn load_from(path: &Path) -> Self {
        let Ok(wasm) = std::fs::read(path) else {
            panic!("{} cannot be read: build it first with `make policy.wasm`", path.display());
        };
        let mut config = Config::default();
        config.consume_fuel(true);
        let engine = Engine::new(&config);
        let module = Module::new(&engine, wasm).expect("the module is valid WebAssembly");
        Self { engine, module, cluster: Rc::new(|operation, _| panic!("{operation} was called")) }
    }

    /// The same host in a cluster that answers host calls.
    pub fn in_cluster(self, cluster: impl Fn(&str, Value) -> Result<Value, String> + 'static) -> Self {
        Self { cluster: Rc::new(cluster), ..self }
    }

    /// Every `module.name` that the module imports, sorted.
    pub fn imports(&self) -> Vec<String> {
        let mut imports: Vec<String> =
            self.module.imports().map(|import| format!("{}.{}", import.module(), import.name())).collect();
        imports.sort_unstable();
        imports
    }

    /// The contents of a custom section of the module.
    pub fn custom_section(&self, name: &str) -> Option<Vec<u8>> {
        self.module.custom_sections().find(|section| section.name() == name).map(|section| section.data().to_vec())
    }

    /// Judge one AdmissionRequest: the `ValidationResponse`.
    pub fn validate(&self, request: &Value, settings: &Value) -> Value {
        self.call("validate", &serde_json::to_vec(&json!({"request": request, "settings": settings})).unwrap())
    }

    /// Call one waPC operation in a fresh instance, as a policy-server does.
    pub fn call(&self, operation: &str, payload: &[u8]) -> Value {
        self.instance().call(operation, payload)
    }

    /// A fresh instance, for hosts that keep theirs.
    pub fn instance(&self) -> Instance {
        let call = Call {
            operation: Vec::new(),
            payload: Vec::new(),
            answer: None,
            cluster: Rc::clone(&self.cluster),
            cluster_answer: Ok(Vec::new()),
            stderr: Vec::new(),
            limits: StoreLimitsBuilder::new().memory_size(MEMORY).build(),
        };
        let mut store = Store::new(&self.engine, call);
        store.limiter(|call| &mut call.limits);
        store.set_fuel(FUEL).unwrap();
        let instance = self.linker().instantiate_and_start(&mut store, &self.module).expect("the module starts");
        instance
            .get_typed_func::<(), ()>(&store, "wapc_init")
            .unwrap()
            .call(&mut store, ())
            .expect("wapc_init returns");
        Instance { store, instance }
    }

    fn linker(&self) -> Linker<Call> {
        let mut linker = Linker::new(&self.engine);
        wapc(&mut linker)
            .and_then(|()| host_calls(&mut linker))
            .and_then(|()| wasi(&mut linker))
            .expect("every name is defined once");
        linker
    }
}

/// A running module.
pub struct Instance {
    store: Store<Call>,
    instance: wasmi::Instance,
}

impl Instance {
    /// Call one waPC operation. Fails the test when the module traps, exits, takes too long or answers with a waPC
    /// error, none of which a policy-server forgives.
    pub fn call(&mut self, operation: &str, payload: &[u8]) -> Value {
        let lengths = (length(operation.as_bytes()), length(payload));
        let call = self.store.data_mut();
        (call.operation, call.payload, call.answer) = (operation.into(), payload.into(), None);
        self.store.set_fuel(FUEL).unwrap();
        let guest_call = self.instance.get_typed_func::<(i32, i32), i32>(&self.store, "__guest_call").unwrap();
        let ran = guest_call.call(&mut self.store, lengths);
        let Call { answer, stderr, .. } = self.store.data();
        match (ran, answer) {
            (Ok(1), Some(Ok(response))) => serde_json::from_slice(response).expect("the answer is JSON"),
            (ran, answer) => panic!(
                "{operation} did not answer: {ran:?}, {:?}, stderr: {}",
                answer
                    .as_ref()
                    .map(|answer| answer.as_ref().map(|_| ()).map_err(|error| String::from_utf8_lossy(error))),
                String::from_utf8_lossy(stderr)
            ),
        }
    }

    /// Bytes of linear memory that the module has taken so far.
    pub fn memory(&self) -> usize {
        let memory = self.instance.get_export(&self.store, "memory").and_then(Extern::into_memory);
        memory.expect("the module exports its memory").data_size(&self.store)
    }

    /// How much of its fuel the last call took.
    pub fn fuel(&self) -> u64 {
        FUEL - self.store.get_fuel().unwrap()
    }
}

/// An AdmissionRequest of `test_data`.
pub fn request(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("test_data/{name}.json"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// The waPC protocol: the guest's call and its answer.
fn wapc(linker: &mut Linker<Call>) -> Result<(), Error> {
    linker.func_wrap("wapc", "__guest_request", |mut caller: Caller<Call>, operation: u32, payload: u32| {
        let (memory, call) = split(&mut caller)?;
        write(memory, operation, &call.operation)?;
        write(memory, payload, &call.payload)
    })?;
    linker.func_wrap("wapc", "__guest_response", |mut caller: Caller<Call>, at: u32, len: u32| {
        let (memory, call) = split(&mut caller)?;
        call.answer = Some(Ok(read(memory, at, len)?.to_vec()));
        Ok::<(), Error>(())
    })?;
    linker.func_wrap("wapc", "__guest_error", |mut caller: Caller<Call>, at: u32, len: u32| {
        let (memory, call) = split(&mut caller)?;
        call.answer = Some(Err(read(memory, at, len)?.to_vec()));
        Ok::<(), Error>(())
    })?;
    Ok(())
}

/// The waPC protocol: calls of the guest to its host.
fn host_calls(linker: &mut Linker<Call>) -> Result<(), Error> {
    type Piece = (u32, u32);
    linker.func_wrap(
        "wapc",
        "__host_call",
        |mut caller: Caller<Call>, b: u32, b_len: u32, n: u32, n_len: u32, o: u32, o_len: u32, p: u32, p_len: u32| {
            let (memory, call) = split(&mut caller)?;
            let text = |(at, len): Piece| Ok::<_, Error>(String::from_utf8_lossy(read(memory, at, len)?).into_owned());
            let operation = [text((b, b_len))?, text((n, n_len))?, text((o, o_len))?].join("/");
            let payload = serde_json::from_slice(read(memory, p, p_len)?).expect("the guest sends JSON");
            let answer = (call.cluster)(&operation, payload);
            call.cluster_answer = answer.map(|value| value.to_string().into_bytes()).map_err(String::into_bytes);
            Ok::<i32, Error>(i32::from(call.cluster_answer.is_ok()))
        },
    )?;
    linker.func_wrap("wapc", "__host_response_len", |caller: Caller<Call>| {
        caller.data().cluster_answer.as_ref().map_or(0, |answer| length(answer))
    })?;
    linker.func_wrap("wapc", "__host_error_len", |caller: Caller<Call>| {
        caller.data().cluster_answer.as_ref().map_or_else(|error| length(error), |_| 0)
    })?;
    for name in ["__host_response", "__host_error"] {
        linker.func_wrap("wapc", name, |mut caller: Caller<Call>, at: u32| {
            let (memory, call) = split(&mut caller)?;
            let bytes = call.cluster_answer.as_ref().unwrap_or_else(|error| error);
            write(memory, at, bytes)
        })?;
    }
    Ok(())
}

/// The five functions of WASI preview 1 that Rust's standard library takes along.
fn wasi(linker: &mut Linker<Call>) -> Result<(), Error> {
    const WASI: &str = "wasi_snapshot_preview1";
    linker.func_wrap(WASI, "environ_sizes_get", |mut caller: Caller<Call>, count: u32, size: u32| {
        let (memory, _) = split(&mut caller)?;
        write(memory, count, &[0; 4])?;
        write(memory, size, &[0; 4])?;
        Ok::<i32, Error>(0)
    })?;
    linker.func_wrap(WASI, "environ_get", |_: Caller<Call>, _: u32, _: u32| 0)?;
    linker.func_wrap(WASI, "random_get", |mut caller: Caller<Call>, at: u32, len: u32| {
        let (memory, _) = split(&mut caller)?;
        // Always the same "random" bytes: a test that fails must fail again.
        write(memory, at, &vec![4; len as usize])?;
        Ok::<i32, Error>(0)
    })?;
    linker.func_wrap(WASI, "fd_write", |mut caller: Caller<Call>, _: u32, pieces: u32, count: u32, written: u32| {
        let (memory, call) = split(&mut caller)?;
        let mut total = 0;
        for piece in read(memory, pieces, count * 8)?.to_vec().chunks_exact(8) {
            let word =
                |from: usize| u32::from_le_bytes([piece[from], piece[from + 1], piece[from + 2], piece[from + 3]]);
            call.stderr.extend_from_slice(read(memory, word(0), word(4))?);
            total += word(4);
        }
        write(memory, written, &total.to_le_bytes())?;
        Ok::<i32, Error>(0)
    })?;
    linker.func_wrap(WASI, "proc_exit", |_: Caller<Call>, code: i32| Err::<(), Error>(Error::i32_exit(code)))?;
    Ok(())
}

/// The guest's memory and the call's state, both to be changed.
fn split<'a>(caller: &'a mut Caller<Call>) -> Result<(&'a mut [u8], &'a mut Call), Error> {
    let memory = caller.get_export("memory").and_then(Extern::into_memory);
    let memory: Memory = memory.ok_or_else(|| Error::new("the module exports no memory"))?;
    Ok(memory.data_and_store_mut(caller))
}

fn read(memory: &[u8], at: u32, len: u32) -> Result<&[u8], Error> {
    memory.get(at as usize..).and_then(|tail| tail.get(..len as usize)).ok_or_else(outside)
}

fn write(memory: &mut [u8], at: u32, bytes: &[u8]) -> Result<(), Error> {
    let place = memory.get_mut(at as usize..).and_then(|tail| tail.get_mut(..bytes.len())).ok_or_else(outside)?;
    place.copy_from_slice(bytes);
    Ok(())
}

fn outside() -> Error {
    Error::new("the module named a place outside of its memory")
}

fn length(bytes: &[u8]) -> i32 {
    i32::try_from(bytes.len()).expect("payloads stay below 2 GiB")
}
