//! How fast the policy judges, beside the same check written with the SDK's typed pod specs and a policy that does
//! nothing. Fails when the policy is not as small and as fast as the README says.
//!
//! Usage: `policy-bench POLICY TYPED EMPTY [FILTER]`, three modules and a part of the names of the inputs to run.

mod inputs;
mod module;

use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use std::{env, fs};

use crate::inputs::Input;
use crate::module::Module;

/// Largest size of the policy in bytes.
const LARGEST: usize = 450_000;

/// Largest part of the typed peer's size, and of the time that it takes above an empty policy.
const LARGEST_PART: f64 = 0.5;

/// How long each input is run, and how often at least.
const DURATION: Duration = Duration::from_secs(5);
const ROUNDS: usize = 20;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (files, filter) = match arguments.as_slice() {
        [files @ .., filter] if files.len() == 3 => (files, filter.as_str()),
        files if files.len() == 3 => (files, ""),
        _ => return Err("usage: policy-bench POLICY TYPED EMPTY [FILTER]".into()),
    };
    let wasm = files.iter().map(fs::read).collect::<Result<Vec<_>, _>>()?;
    let mut broken = sizes(&wasm);

    let engine = module::ticking_engine()?;
    let modules = wasm.iter().map(|wasm| Module::load(&engine, wasm)).collect::<Result<Vec<_>, _>>()?;
    println!("\n{:28}{:>10}{:>15}{:>12}{:>12}{:>14}", "", "", "evaluations/s", "p50", "p99", "above empty");
    for input in inputs::all().iter().filter(|input| input.name.contains(filter)) {
        broken.extend(speed(input, &modules)?);
    }
    let huge = inputs::huge();
    if huge.name.contains(filter) {
        broken.extend(in_time(&huge, &modules[POLICY]).err());
    }
    for promise in &broken {
        eprintln!("policy-bench: {promise}");
    }
    Ok(if broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Print the sizes; what is wrong with them.
fn sizes(wasm: &[Vec<u8>]) -> Vec<String> {
    let sizes: Vec<usize> = wasm.iter().map(Vec::len).collect();
    for (name, size) in NAMES.iter().zip(&sizes) {
        println!("{name:8}{size:>10} bytes");
    }
    let part = sizes[POLICY] as f64 / sizes[TYPED] as f64;
    println!("policy : typed = {part:.2}");
    let too_large = (sizes[POLICY] > LARGEST).then(|| format!("the policy is larger than {LARGEST} bytes"));
    let too_large_a_part = (part > LARGEST_PART).then(|| format!("the policy has {part:.2} of the typed peer's size"));
    too_large.into_iter().chain(too_large_a_part).collect()
}

/// The modules, in the order of the arguments.
const NAMES: [&str; 3] = ["policy", "typed", "empty"];
const POLICY: usize = 0;
const TYPED: usize = 1;
const EMPTY: usize = 2;

/// Run one input and print how long it took; what is wrong with that.
fn speed(input: &Input, modules: &[Module]) -> Result<Option<String>, Box<dyn Error>> {
    agree(input, modules)?;
    let times = take_turns(input, modules)?;
    let above_empty = |module: usize| median(&times[module]).saturating_sub(median(&times[EMPTY]));
    for (module, times) in times.iter().enumerate() {
        println!(
            "{:28}{:>10}{:>15.0}{:>12.3?}{:>12.3?}{:>14.3?}",
            if module == POLICY { input.name } else { "" },
            NAMES[module],
            times.len() as f64 / times.iter().sum::<Duration>().as_secs_f64(),
            median(times),
            times[times.len() * 99 / 100],
            above_empty(module),
        );
    }
    let part = above_empty(POLICY).as_secs_f64() / above_empty(TYPED).as_secs_f64();
    println!("{:28}policy : typed = {part:.2}", "");
    let slow = input.promised && part > LARGEST_PART;
    Ok(slow.then(|| format!("{}: the policy takes {part:.2} of the typed peer's time", input.name)))
}

/// Run the policy alone on what is larger than any object in a cluster; what is wrong when it is interrupted.
fn in_time(input: &Input, policy: &Module) -> Result<(), String> {
    let megabytes = input.payload.len() / 1_000_000;
    let start = Instant::now();
    policy.validate(&input.payload).map_err(|error| format!("{}: {error}", input.name))?;
    println!(
        "{:28}{megabytes} MB in {:.0?}, a policy-server waits for one to two seconds",
        input.name,
        start.elapsed()
    );
    Ok(())
}

/// A comparison of modules that decide differently would say nothing.
fn agree(input: &Input, modules: &[Module]) -> Result<(), Box<dyn Error>> {
    for module in [POLICY, TYPED] {
        let answer = modules[module].validate(&input.payload)?;
        let answer: serde_json::Value = serde_json::from_slice(&answer)?;
        if answer["accepted"] != input.accepted {
            return Err(format!("{}: {} answers {answer}", input.name, NAMES[module]).into());
        }
    }
    Ok(())
}

/// How long each module took for each of its turns, sorted. They take turns so that whatever else the machine does
/// meets all of them alike.
fn take_turns(input: &Input, modules: &[Module]) -> Result<Vec<Vec<Duration>>, Box<dyn Error>> {
    let mut times = vec![Vec::new(); modules.len()];
    let start = Instant::now();
    for round in 0.. {
        if round >= ROUNDS && start.elapsed() >= DURATION {
            break;
        }
        for turn in 0..modules.len() {
            // Each goes first as often as the others.
            let module = (round + turn) % modules.len();
            let start = Instant::now();
            modules[module].validate(&input.payload)?;
            times[module].push(start.elapsed());
        }
    }
    times.iter_mut().for_each(|times| times.sort_unstable());
    Ok(times)
}

fn median(sorted: &[Duration]) -> Duration {
    sorted[sorted.len() / 2]
}
