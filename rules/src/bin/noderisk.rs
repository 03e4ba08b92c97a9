//! The command: files or standard input in, a report out, the verdict as exit status.

use std::fs;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::LazyLock;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand, ValueEnum};
use include_dir::{Dir, include_dir};
use rules::Input;
use rules::facts::CgroupMode;
use rules::fix::{Fixed, fix_all};
use rules::kubernetes::inotify::Runtime;
use rules::kubernetes::quantity;
use rules::names::named;
use rules::report::{Report, Verdict};
use rules::rules::{Lang, RULES};
use rules::settings::{NodeProfile, Settings};
use rules::show::{json::json, list, markdown::Markdown, sarif::sarif, text::Text, visible, words};

/// A page per language and rule, as `explain` prints them; a test keeps them equal to the rules.
static PAGES: Dir = include_dir!("$CARGO_MANIFEST_DIR/docs");

/// The version of the program and of its rules, as the page shows them.
static VERSION: LazyLock<String> = LazyLock::new(rules::version);

/// Exit status for a command line or settings that cannot be followed (`EX_USAGE` of sysexits.h).
const USAGE: u8 = 64;
/// Exit status for an input that cannot be read (`EX_NOINPUT` of sysexits.h).
const NO_INPUT: u8 = 66;
/// Exit status for a report that cannot be written (`EX_IOERR` of sysexits.h).
const NO_OUTPUT: u8 = 74;

/// Tell from manifests, command output and logs whether a Kubernetes node is about to die of memory-backed volumes,
/// inotify limits, cgroup clean-up or memory cgroups.
#[derive(Parser)]
#[command(
    name = "noderisk",
    version = VERSION.as_str(),
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    after_help = "\
Exit status: 0 no risk found, 1 at risk, 2 cannot judge, 64 usage error, 66 unreadable input.\n\
All inputs are checked together: a limit in one file counts for a manifest in another."
)]
struct Arguments {
    #[command(subcommand)]
    task: Option<Task>,

    #[command(flatten)]
    check: Check,
}

#[derive(Subcommand)]
enum Task {
    /// Say what a rule is about: why it matters, what to do, examples and sources
    Explain {
        /// Id of the rule, such as inotify-instances-low; `noderisk rules` lists them
        #[arg(value_name = "RULE", value_parser = rule(), hide_possible_values = true)]
        rule: String,
        #[command(flatten)]
        language: Language,
    },
    /// List all rules
    Rules {
        /// Shape of the list
        #[arg(long, value_enum, default_value_t = ListFormat::Text)]
        format: ListFormat,
        #[command(flatten)]
        language: Language,
    },
}

#[derive(clap::Args)]
struct Language {
    /// Language of what is printed for people [default: by LC_ALL, LC_MESSAGES or LANG]
    #[arg(long = "lang", value_name = "LANG", value_parser = one_of(&Lang::ALL))]
    chosen: Option<Lang>,
}

impl Language {
    fn get(&self) -> Lang {
        self.chosen.unwrap_or_else(locale)
    }
}

#[derive(clap::Args)]
struct Check {
    /// Files to check, directories to walk (hidden files left out), or - for standard input, which is also the default
    #[arg(value_name = "FILE|DIR|-")]
    inputs: Vec<PathBuf>,

    /// Shape of the report
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Print the one input with the findings' patches in it, instead of a report
    #[arg(long, conflicts_with = "format")]
    fix: bool,

    #[command(flatten)]
    language: Language,

    /// Settings in YAML or JSON, as the policy takes them
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,

    /// Pods that kubelet may run on the node (maxPods) [default: 110, unless the input says]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_pods: Option<u64>,

    /// Allocatable memory of the node, for example 16Gi
    #[arg(long, value_name = "QUANTITY", value_parser = memory)]
    node_memory: Option<u128>,

    /// Container runtime of the node, where no input tells
    #[arg(long, value_parser = one_of(&Runtime::ALL))]
    runtime: Option<Runtime>,

    /// How the node mounts cgroups, where no input tells
    #[arg(long, value_parser = one_of(&CgroupMode::ALL))]
    cgroups: Option<CgroupMode>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For programs
    Json,
    /// For tickets
    Markdown,
    /// For code scanning services and editors (SARIF 2.1.0)
    Sarif,
}

#[derive(Clone, Copy, ValueEnum)]
enum ListFormat {
    /// For people
    Text,
    /// For programs
    Json,
}

/// Why the command stops without a report.
struct Failure {
    status: u8,
    message: String,
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version come as "errors" that belong on standard output.
            let status = if error.use_stderr() { USAGE } else { 0 };
            let _ = error.print();
            return ExitCode::from(status);
        }
    };
    let done = match &arguments.task {
        Some(Task::Explain { rule, language }) => explain(rule, language.get()),
        Some(Task::Rules { format, language }) => list_rules(*format, language.get()),
        None if arguments.check.fix => fix_one(&arguments.check).map(status),
        None => check(&arguments.check).map(status),
    };
    match done {
        Ok(status) => ExitCode::from(status),
        Err(failure) => {
            let _ = writeln!(io::stderr(), "noderisk: {}", failure.message);
            ExitCode::from(failure.status)
        }
    }
}

fn status(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::NoRiskFound => 0,
        Verdict::AtRisk => 1,
        Verdict::CannotJudge => 2,
    }
}

fn check(arguments: &Check) -> Result<Verdict, Failure> {
    let lang = arguments.language.get();
    let settings = settings(arguments)?;
    let inputs = inputs(&arguments.inputs, lang)?;
    let report = rules::check(&inputs, &settings);
    shown(&report, &inputs, arguments.format, lang).and_then(|text| print(&text)).map_err(unwritable)?;
    Ok(report.verdict)
}

fn shown(report: &Report, inputs: &[Input], format: Format, lang: Lang) -> io::Result<String> {
    match format {
        Format::Text => Ok(Text::new(report, inputs, lang).to_string()),
        Format::Json => Ok(json(report)?),
        Format::Markdown => Ok(Markdown::new(report, inputs, lang).to_string()),
        Format::Sarif => Ok(sarif(report, inputs, lang)?),
    }
}

/// Print the only input with the patches in it. The verdict is about what is printed.
fn fix_one(arguments: &Check) -> Result<Verdict, Failure> {
    let lang = arguments.language.get();
    let settings = settings(arguments)?;
    let inputs = inputs(&arguments.inputs, lang)?;
    let [input] = inputs.as_slice() else {
        let message = format!("--fix takes one input, {} were given", inputs.len());
        return Err(Failure { status: USAGE, message });
    };
    let fixed = fix_all(input, &settings);
    tell_changes(&fixed, &input.name, lang);
    write(&fixed.text).map_err(unwritable)?;
    let input = Input::new(input.name.clone(), fixed.text);
    Ok(rules::check(&[input], &settings).verdict)
}

/// Say on standard error what `--fix` did, so that standard output holds nothing but the manifest.
fn tell_changes(fixed: &Fixed, name: &str, lang: Lang) {
    let mut err = io::stderr().lock();
    let (name, colon) = (visible(name), words::COLON.text(lang));
    for change in &fixed.changes {
        let object = visible(change.object.as_deref().unwrap_or("?"));
        // A dash stands for a field that was taken away, as it does for one that is missing.
        let value = if change.set.value.is_null() { "-".to_owned() } else { change.set.value.to_string() };
        let pointer = visible(&change.set.pointer);
        let _ = writeln!(err, "noderisk: {object}{colon}{pointer} = {} [{}]", visible(&value), change.rule);
    }
    for line in &fixed.reformatted {
        let _ = writeln!(err, "noderisk: {name}:{line}{colon}{}", words::REFORMATTED.text(lang));
    }
    if fixed.changes.is_empty() {
        let _ = writeln!(err, "noderisk: {name}{colon}{}", words::NOTHING_TO_FIX.text(lang));
    }
}

fn explain(rule: &str, lang: Lang) -> Result<u8, Failure> {
    let page = PAGES.get_file(format!("{}/{rule}.md", lang.tag())).and_then(|page| page.contents_utf8());
    let missing = || Failure { status: NO_INPUT, message: format!("there is no page about {rule}") };
    print(page.ok_or_else(missing)?).map_err(unwritable)?;
    Ok(0)
}

fn list_rules(format: ListFormat, lang: Lang) -> Result<u8, Failure> {
    let list = match format {
        ListFormat::Text => Ok(list::text(lang)),
        ListFormat::Json => list::json(lang).map_err(io::Error::from),
    };
    list.and_then(|list| print(&list)).map_err(unwritable)?;
    Ok(0)
}

/// Write to standard output, with styles only where they are wanted.
fn print(text: &str) -> io::Result<()> {
    until_closed(&mut anstream::stdout().lock(), text)
}

/// Write to standard output byte for byte.
fn write(text: &str) -> io::Result<()> {
    until_closed(&mut io::stdout().lock(), text)
}

/// Write until the reader stops; one that stops early (`| head`) is no error.
fn until_closed(out: &mut impl Write, text: &str) -> io::Result<()> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

fn settings(arguments: &Check) -> Result<Settings, Failure> {
    let mut settings = match &arguments.settings {
        None => Settings::default(),
        Some(path) => {
            let text = decode(fs::read(path).map_err(|error| unreadable(path, &error))?);
            serde_yaml::from_str(&text).map_err(|error| {
                let message = format!("settings {}: {}", shown_path(path), visible(&error.to_string()));
                Failure { status: USAGE, message }
            })?
        }
    };
    settings.node = NodeProfile {
        max_pods: arguments.max_pods,
        memory: arguments.node_memory,
        runtime: arguments.runtime,
        cgroups: arguments.cgroups,
    };
    Ok(settings)
}

/// Read every input. All that cannot be read is named at once.
fn inputs(paths: &[PathBuf], lang: Lang) -> Result<Vec<Input<'static>>, Failure> {
    let standard_input = [PathBuf::from("-")];
    let paths = if paths.is_empty() { &standard_input } else { paths };
    let mut inputs = Vec::new();
    let mut faults = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" {
            match read_standard_input(lang) {
                Ok(bytes) => inputs.push(Input::new("stdin", decode(bytes))),
                Err(error) => faults.push(unreadable(Path::new("standard input"), &error).message),
            }
            continue;
        }
        let mut files = Vec::new();
        if let Err(failure) = collect(path, &mut files) {
            faults.push(failure.message);
        }
        for file in files {
            match fs::read(&file) {
                Ok(bytes) => inputs.push(Input::new(file.to_string_lossy().into_owned(), decode(bytes))),
                Err(error) => faults.push(unreadable(&file, &error).message),
            }
        }
    }
    if faults.is_empty() { Ok(inputs) } else { Err(Failure { status: NO_INPUT, message: faults.join("\nnoderisk: ") }) }
}

fn read_standard_input(lang: Lang) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if io::stdin().is_terminal() {
        let _ = writeln!(io::stderr(), "{}", words::PASTE_HERE.text(lang));
    }
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The files of `path`: itself, or what a directory holds, sorted by name. Hidden files and, because they may lead back
/// up, linked directories are left out, and so is what is not a file (a pipe would block).
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let listing = fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let mut entries = listing.map_err(|error| unreadable(path, &error))?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if !hidden && (is_directory || entry.path().is_file()) {
            collect(&entry.path(), files)?;
        }
    }
    Ok(())
}

/// Bytes to text: UTF-16 when a byte order mark says so, UTF-8 otherwise, with a sign for what is neither.
fn decode(bytes: Vec<u8>) -> String {
    let utf16 = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let (pairs, _) = rest.as_chunks::<2>();
        char::decode_utf16(pairs.iter().map(|pair| unit(*pair)))
            .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect()
    };
    match bytes.as_slice() {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ => String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
    }
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure { status: NO_INPUT, message: format!("cannot read {}: {error}", shown_path(path)) }
}

fn unwritable(error: io::Error) -> Failure {
    Failure { status: NO_OUTPUT, message: format!("cannot write: {error}") }
}

fn shown_path(path: &Path) -> String {
    visible(&path.to_string_lossy()).into_owned()
}

/// The language of the environment, by the order of precedence that POSIX gives its variables.
fn locale() -> Lang {
    let set =
        ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().filter_map(std::env::var_os).find(|value| !value.is_empty());
    set.and_then(|value| Lang::of(&value.to_string_lossy())).unwrap_or_default()
}

/// Takes the id of a rule; clap names similar ones when it is wrong.
fn rule() -> PossibleValuesParser {
    PossibleValuesParser::new(RULES.iter().map(|rule| rule.id))
}

/// One of some values, by its name.
fn one_of<T: Copy + Send + Sync>(all: &'static [(T, &'static str)]) -> impl TypedValueParser<Value = T> {
    let names = PossibleValuesParser::new(all.iter().map(|(_, name)| *name));
    names.try_map(move |name| named(&name, all).ok_or("unknown"))
}

fn memory(text: &str) -> Result<u128, String> {
    let bytes = quantity::parse(text)?;
    u128::try_from(bytes).ok().filter(|bytes| *bytes > 0).ok_or_else(|| "must be above zero".to_owned())
}
