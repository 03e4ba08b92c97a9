//! Puts `metadata.yml` and `README.md` into a module, as `kwctl annotate` does, where there is no kwctl. A policy-server
//! refuses a module without them.
//!
//! Usage: `annotate --metadata-path FILE --usage-path FILE --output-path FILE MODULE`, like kwctl's own.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use serde_json::{Value, json};

/// The custom section that Kubewarden reads (`crates/policy-evaluator/src/constants.rs` of kubewarden-controller).
const SECTION: &[u8] = b"io.kubewarden.metadata";

/// What every WebAssembly module of version 1 starts with.
const MAGIC: &[u8] = b"\0asm\x01\0\0\0";

fn main() -> Result<(), Box<dyn Error>> {
    let [metadata, usage, output, module] = arguments()?;
    let metadata = metadata_with_usage(&fs::read_to_string(metadata)?, fs::read_to_string(usage)?)?;
    let module =
        annotated(fs::read(&module)?, metadata.as_bytes()).map_err(|fault| format!("{}: {fault}", module.display()))?;
    Ok(fs::write(output, module)?)
}

fn arguments() -> Result<[PathBuf; 4], String> {
    let mut arguments = env::args_os().skip(1);
    let mut paths = [const { None }; 4];
    while let Some(argument) = arguments.next() {
        let flags = ["--metadata-path", "--usage-path", "--output-path"];
        let (place, path) = match flags.iter().position(|flag| argument == *flag) {
            Some(place) => (place, arguments.next().ok_or(format!("{} needs a file", argument.display()))?),
            None => (flags.len(), argument),
        };
        if let Some(slot) = paths.get_mut(place) {
            *slot = Some(PathBuf::from(path));
        }
    }
    match paths {
        [Some(metadata), Some(usage), Some(output), Some(module)] => Ok([metadata, usage, output, module]),
        _ => Err("usage: annotate --metadata-path FILE --usage-path FILE --output-path FILE MODULE".to_owned()),
    }
}

/// The metadata as JSON, with the protocol that the module speaks and the text that Artifact Hub shows.
fn metadata_with_usage(metadata: &str, usage: String) -> Result<String, Box<dyn Error>> {
    let mut metadata: Value = serde_yaml::from_str(metadata)?;
    let annotations = metadata.get_mut("annotations").and_then(Value::as_object_mut).ok_or("no annotations")?;
    annotations.insert("io.kubewarden.policy.usage".to_owned(), json!(usage));
    metadata.as_object_mut().ok_or("no map")?.insert("protocolVersion".to_owned(), json!("v1"));
    Ok(metadata.to_string())
}

/// The module with one more custom section: id 0, its size, the size of its name, its name, its contents.
fn annotated(mut module: Vec<u8>, metadata: &[u8]) -> Result<Vec<u8>, &'static str> {
    if !module.starts_with(MAGIC) {
        return Err("not a WebAssembly module");
    }
    if module.windows(SECTION.len()).any(|bytes| bytes == SECTION) {
        return Err("annotated already");
    }
    let section = [&leb128(SECTION.len()), SECTION, metadata].concat();
    module.push(0);
    module.extend(leb128(section.len()));
    module.extend(section);
    Ok(module)
}

/// An unsigned number as WebAssembly writes it: seven bits a byte, lowest first, the top bit set on all but the last.
fn leb128(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (number & 0x7f) as u8;
        number >>= 7;
        if number == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}
