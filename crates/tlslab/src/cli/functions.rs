//! The arguments of the verbs that count functions.

use std::path::PathBuf;

use anyhow::bail;
use clap::{Args, ValueEnum};
use tlslab_lab::request::{
    CountedFunctions, DiffRequest, FidelityRequest, FunctionSource, Iterations, ProfileRequest, Profiler,
    Selection, Top,
};
use tlslab_lab::{ErrorKind, Problem};
use tlslab_protocol::Side;
use tlslab_record::Seconds;

use super::KeptArgs;

/// Arguments of `profile`.
#[derive(Args)]
pub struct ProfileArgs {
    /// The stack.
    #[arg(long, value_name = "STACK")]
    pub stack: String,
    /// The scenario.
    #[arg(long, value_name = "NAME")]
    pub scenario: String,
    /// Also list the callers of each function.
    #[arg(long)]
    pub callers: bool,
    /// Which functions are shown, and how.
    #[command(flatten)]
    pub shown: ShownArgs,
    /// How the work is counted.
    #[command(flatten)]
    pub how: HowCountedArgs,
    /// Also keep the files in this folder: callgrind_annotate and KCachegrind open them, `tlslab diff` compares them.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

impl ProfileArgs {
    /// What is asked for.
    pub fn request(&self) -> ProfileRequest {
        ProfileRequest {
            stack: self.stack.clone(),
            scenario: self.scenario.clone(),
            counting: self.how.request(),
            selection: self.shown.request(),
        }
    }
}

/// What precedes a path in `diff`. The last is an older name of the other two, which looks up what the path is.
const PLACES: [&str; 3] = ["folder:", "file:", "files:"];

/// Arguments of `diff`.
#[derive(Args)]
pub struct DiffArgs {
    /// The baseline: a stack, or folder:PATH for a folder that `profile --out` has written, or file:PATH for a file in callgrind's
    /// format.
    #[arg(value_name = "BASELINE")]
    pub base: String,
    /// The candidate, likewise.
    #[arg(value_name = "CANDIDATE")]
    pub new: String,
    /// The scenario in which stacks are counted.
    #[arg(long, value_name = "NAME")]
    pub scenario: Option<String>,
    /// Which functions are shown, and how.
    #[command(flatten)]
    pub shown: ShownArgs,
    /// How the work is counted, where a stack is named.
    #[command(flatten)]
    pub how: HowCountedArgs,
}

impl DiffArgs {
    /// What is asked for.
    pub fn request(&self) -> anyhow::Result<DiffRequest> {
        let source = |text: &String| -> anyhow::Result<FunctionSource> {
            let [folder, file, either] = PLACES.map(|place| text.strip_prefix(place).map(PathBuf::from));
            match (folder, file, either) {
                (Some(folder), ..) => Ok(FunctionSource::Folder(folder)),
                (_, Some(file), _) => Ok(FunctionSource::File(file)),
                (.., Some(path)) => {
                    if !path.exists() {
                        let next = "name a file, or a folder that `profile` has made with --out";
                        bail!(Problem::new(
                            ErrorKind::NotFound,
                            text,
                            "there is no such file or folder",
                            next
                        ));
                    }
                    Ok(if path.is_dir() { FunctionSource::Folder(path) } else { FunctionSource::File(path) })
                }
                _ => {
                    let scenario = self.scenario.clone();
                    let scenario = scenario.ok_or_else(|| {
                        let cause = "functions of a stack are of one scenario";
                        Problem::invalid("scenario", text, cause, "name it: --scenario NAME")
                    })?;
                    Ok(FunctionSource::Stack { stack: text.clone(), scenario })
                }
            }
        };
        Ok(DiffRequest {
            baseline: source(&self.base)?,
            candidate: source(&self.new)?,
            counting: self.how.request(),
            selection: self.shown.request(),
        })
    }
}

/// Which functions are shown, and how.
#[derive(Args)]
pub struct ShownArgs {
    /// One side's functions [default: both, apart].
    #[arg(long, value_enum)]
    pub side: Option<AskedSide>,
    /// One phase: create, handshake, handshake.1, handshake.2, post_handshake, free, send, receive, operation.
    #[arg(long, value_name = "PHASE")]
    pub phase: Option<String>,
    /// The number of functions to show; the others are summed in one line.
    #[arg(long, value_name = "N", default_value = "25")]
    pub top: Top,
    /// The output format.
    #[arg(long, value_enum, default_value_t = SheetFormat::Table)]
    pub format: SheetFormat,
}

/// How the work is counted.
#[derive(Args)]
pub struct HowCountedArgs {
    /// The instruction counter [default: the lab's valgrind tool].
    #[arg(long, value_enum)]
    pub counter: Option<AskedProfiler>,
    /// Iterations of each count.
    #[arg(long = "count-iterations", alias = "iterations", value_name = "N", default_value = "32")]
    pub iterations: Iterations,
    /// How long the driver, the program that calls the library, may take for one reply.
    #[arg(long, value_name = "TIME", default_value = "5m")]
    pub timeout: Seconds,
}

impl ShownArgs {
    /// The same for a request.
    fn request(&self) -> Selection {
        Selection { side: self.side.map(Side::from), phase: self.phase.clone(), top: self.top }
    }
}

impl HowCountedArgs {
    /// The same for a request.
    fn request(&self) -> CountedFunctions {
        CountedFunctions {
            counter: self.counter.map(Profiler::from),
            iterations: self.iterations,
            timeout_s: self.timeout,
        }
    }
}

/// What functions are shown as.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum SheetFormat {
    /// For a terminal.
    Table,
    /// For a pull request or an issue.
    Markdown,
    /// Everything that the page shows.
    Json,
    /// One page with a flame graph that needs nothing else.
    Html,
}

/// Arguments of `fidelity`.
#[derive(Args)]
pub struct FidelityArgs {
    /// The stack.
    #[arg(value_name = "STACK")]
    pub stack: String,
    /// The suite whose scenarios are counted.
    #[arg(long, value_name = "NAME", default_value = "fidelity")]
    pub suite: String,
    /// Scenarios by pattern instead of a suite's; may be repeated.
    #[arg(long = "scenario", value_name = "GLOB")]
    pub scenarios: Vec<String>,
    /// Iterations of each scenario's count.
    #[arg(long = "count-iterations", alias = "iterations", value_name = "N", default_value = "32")]
    pub iterations: Iterations,
    /// How long the timing may take, such as 45s, 10m, 1h.
    #[arg(long, value_name = "TIME")]
    pub budget: Option<Seconds>,
    /// How long the driver, the program that calls the library, may take for one reply; ten times as long under a counter.
    #[arg(long, value_name = "TIME", default_value = "30s")]
    pub timeout: Seconds,
    /// Where runs are kept; reports of counts there show the result.
    #[command(flatten)]
    pub kept: KeptArgs,
}

impl FidelityArgs {
    /// What is asked for.
    pub fn request(&self) -> FidelityRequest {
        FidelityRequest {
            stack: self.stack.clone(),
            suite: self.suite.clone(),
            scenarios: self.scenarios.clone(),
            iterations: self.iterations,
            budget_s: self.budget,
            timeout_s: self.timeout,
        }
    }
}

/// What counts functions.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AskedProfiler {
    /// The lab's valgrind tool: with source files and inlined code; it emulates a processor with fewer instruction-set extensions.
    Valgrind,
    /// Frida, which counts what runs on the processor itself.
    Frida,
}

/// A side of a connection.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AskedSide {
    /// The client.
    Client,
    /// The server.
    Server,
}

impl From<AskedProfiler> for Profiler {
    fn from(asked: AskedProfiler) -> Self {
        match asked {
            AskedProfiler::Valgrind => Self::Valgrind,
            AskedProfiler::Frida => Self::Frida,
        }
    }
}

impl From<AskedSide> for Side {
    fn from(asked: AskedSide) -> Self {
        match asked {
            AskedSide::Client => Self::Client,
            AskedSide::Server => Self::Server,
        }
    }
}
