//! The arguments of the verbs that measure stacks by themselves, and documents.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use tlslab_lab::request::{
    Counter, Iterations, Rate, ReproduceRequest, Rounds, RunRequest, Seeds, Simulation,
};
use tlslab_protocol::{Arrivals, Metric, Pairing};
use tlslab_record::{Count, Seconds};

/// How many runs of one request are made.
pub type Repeats = Count<1, 1_000>;

use super::{AsOfArgs, Format, KeptArgs, SlicingArgs};

/// Arguments of `run`.
#[derive(Args)]
pub struct RunArgs {
    /// The suite, of those that `tlslab scenarios` lists [default: suite in [run] of tlslab.toml].
    #[arg(long, value_name = "NAME")]
    pub suite: Option<String>,
    /// A stack to measure; may be repeated [default: stacks in [run] of tlslab.toml]. ALIAS=STACK measures it under another name.
    #[arg(long = "stack", value_name = "[ALIAS=]STACK")]
    pub stacks: Vec<String>,
    /// Measure every stack that has a recipe, in every version; --stack adds others.
    #[arg(long)]
    pub all_stacks: bool,
    /// Scenarios by pattern instead of a suite's; may be repeated. * stays within a part of a name, ** does not,
    /// {a,b} is either.
    #[arg(long = "scenario", value_name = "GLOB")]
    pub scenarios: Vec<String>,
    /// Scenarios of the run that are measured in one visit, by pattern, such as 'handshake/{1.2,1.3}/x25519'; may be repeated. Their times
    /// get ratios to each other that are much more precise than those of visits apart.
    #[arg(long = "together", value_name = "GLOB")]
    pub together: Vec<String>,
    /// Connections that arrive per second over loopback TCP, whether earlier ones are done or not (an open loop); may be repeated or
    /// separated by commas. Each handshake is measured at each rate; the report has percentiles of the time from the intended arrival.
    #[arg(long = "rate", value_name = "N", value_delimiter = ',')]
    pub rates: Vec<Rate>,
    /// When connections arrive, with --rate [default: poisson].
    #[arg(long, value_enum, requires = "rates")]
    pub arrivals: Option<AskedArrivals>,
    /// The metrics to measure; may be repeated or separated by commas [default: set by the suite, time with --scenario or --rate].
    #[arg(long = "metric", value_name = "METRIC", value_enum, value_delimiter = ',')]
    pub metrics: Vec<AskedMetric>,
    /// The instruction counter, with --metric count.
    #[arg(long, value_enum)]
    pub counter: Option<AskedCounter>,
    /// Iterations of each count, with --metric count [default: 32, as some keys do more work every 32nd time].
    #[arg(long, value_name = "N")]
    pub count_iterations: Option<Iterations>,
    /// Also count misses of a simulated processor, with --metric count; may be repeated. This uses callgrind as the counter.
    #[arg(long = "simulate", value_name = "WHAT", value_enum)]
    pub simulate: Vec<AskedSimulation>,
    /// Seeds for the deterministic RNG, with --metric count: one count for each shows how far a figure depends on it [default: 1].
    #[arg(long, value_name = "N")]
    pub seeds: Option<Seeds>,
    /// With the suite ci-bench, also write a file of functions for each row to callgrind/ROW in the run's folder: callgrind_annotate and
    /// KCachegrind open these, `tlslab compare --folders` shows the changes.
    #[arg(long)]
    pub functions: bool,
    /// Also measure each stack right after another program has used the processor: its first iteration, and the cost of a context
    /// switch. The suite full always does so.
    #[arg(long)]
    pub cold: bool,
    /// How long measuring may take, such as 45s, 10m, 1h [default: the suite's; with --scenario 5 s for each,
    /// with --rate 30 s for each scenario and rate].
    #[arg(long, value_name = "TIME")]
    pub budget: Option<Seconds>,
    /// Which server each client is paired with [default: set by the suite].
    #[arg(long, value_enum)]
    pub pairing: Option<WhichPairing>,
    /// Rounds; each starts new processes of all stacks [default: the suite's].
    #[arg(long, value_name = "N")]
    pub rounds: Option<Rounds>,
    /// How stacks take turns.
    #[command(flatten)]
    pub slicing: SlicingArgs,
    /// The seed of every random order; printed with each run [default: random].
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// The stack that ratios refer to [default: baseline in [run] of tlslab.toml, else the first stack].
    #[arg(long, value_name = "STACK")]
    pub baseline: Option<String>,
    /// A stack in a version to time beside the others, so that a history of times knows what the machine did: STACK@VERSION, or `project`
    /// for canary in [run] of tlslab.toml [default: none].
    #[arg(long, value_name = "STACK", num_args = 0..=1, default_missing_value = "project")]
    pub canary: Option<String>,
    /// Resume an interrupted run: the newest one, or the one named.
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["suite", "stacks", "all_stacks", "scenarios", "together", "rates", "arrivals", "metrics", "counter", "count_iterations", "simulate", "seeds", "budget", "rounds", "seed", "baseline", "pairing", "canary"])]
    pub resume: Option<String>,
    /// Make so many runs, each with a seed of its own, and print each figure over all of them: these intervals also hold what differs
    /// from run to run.
    #[arg(long, value_name = "N", default_value = "1", conflicts_with = "resume")]
    pub repeat: Repeats,
    /// With --repeat: beside every second run a loop keeps a processor busy, which shows whether intervals hold under a load.
    #[arg(long, requires = "repeat")]
    pub busy_loop: bool,
    /// How long a driver, the program that calls the library, may take for one reply.
    #[arg(long, value_name = "TIME", default_value = "30s")]
    pub timeout: Seconds,
    /// Dependencies.
    #[command(flatten)]
    pub as_of: AsOfArgs,
    /// Where runs and reports go.
    #[command(flatten)]
    pub kept: KeptArgs,
    /// The output format. The files contain all formats.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

impl RunArgs {
    /// What is asked for.
    pub fn request(&self) -> RunRequest {
        RunRequest {
            suite: self.suite.clone(),
            stacks: self.stacks.clone(),
            all_stacks: self.all_stacks,
            scenarios: self.scenarios.clone(),
            together: self.together.clone(),
            rates: self.rates.clone(),
            arrivals: self.arrivals.map(Arrivals::from).unwrap_or_default(),
            metrics: self.metrics.iter().map(|metric| (*metric).into()).collect(),
            counter: self.counter.map(Counter::from),
            count_iterations: self.count_iterations,
            simulate: self.simulate.iter().map(|what| (*what).into()).collect(),
            seeds: self.seeds,
            functions: self.functions,
            cold: self.cold,
            budget_s: self.budget,
            pairing: self.pairing.map(Pairing::from),
            rounds: self.rounds,
            slicing: self.slicing.request(),
            seed: self.seed,
            baseline: self.baseline.clone(),
            canary: self.canary.clone(),
            timeout_s: self.timeout,
        }
    }
}

/// Arguments of `run-all`.
#[derive(Args)]
pub struct RunAllArgs {
    /// The folder for icounts.csv, memory.csv and cachegrind/ROW, files of functions in callgrind's format. It must not exist, or be empty.
    #[arg(long, value_name = "DIR", default_value = "target/ci-bench")]
    pub output_dir: PathBuf,
    /// A suite with rows.
    #[arg(long, value_name = "NAME", default_value = "ci-bench")]
    pub suite: String,
    /// Where the run is recorded.
    #[command(flatten)]
    pub kept: KeptArgs,
}

impl RunAllArgs {
    /// What is asked for.
    pub fn request(&self) -> RunRequest {
        RunRequest { suite: Some(self.suite.clone()), functions: true, ..RunRequest::default() }
    }
}

/// Arguments of `reproduce`.
#[derive(Args)]
pub struct ReproduceArgs {
    /// The published benchmark, by its name [default: list all].
    pub document: Option<String>,
    /// An additional stack, in tables that have a column for each stack; may be repeated.
    #[arg(long = "stack", value_name = "STACK")]
    pub stacks: Vec<String>,
    /// Only as published, even where stacks do unequal work [default: both].
    #[arg(long, conflicts_with = "fair")]
    pub as_published: bool,
    /// Only with the same work for all stacks [default: both].
    #[arg(long)]
    pub fair: bool,
    /// A tenth of the time, in eight rounds.
    #[arg(long)]
    pub quick: bool,
    /// How long measuring times may take in all, such as 10m, in proportion over the parts [default: as long as the document says].
    #[arg(long, value_name = "TIME", conflicts_with_all = ["quick", "all"])]
    pub budget: Option<Seconds>,
    /// Repeat measurements that were made before.
    #[arg(long)]
    pub again: bool,
    /// Reproduce every document in turn; the same command resumes. Timed parts wait for a quiet host, and are measured once more if
    /// it was busy meanwhile.
    #[arg(long, conflicts_with_all = ["document", "stacks"])]
    pub all: bool,
    /// With --all: measure even if other processes keep the host busy.
    #[arg(long, requires = "all")]
    pub busy_host: bool,
    /// Record the results in a file, from which --from renders the pages again [default: NAME.recorded.json.gz beside the document].
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub record: Option<OsString>,
    /// Render recorded results; nothing is built or measured [default: NAME.recorded.json.gz beside the document].
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "", conflicts_with_all = ["record", "stacks", "as_published", "fair", "quick", "budget", "again", "busy_host"])]
    pub from: Option<OsString>,
    /// With --from: write the Markdown page, and with --all also claims.md and claims.svg, into this folder instead of printing.
    #[arg(long, value_name = "DIR", requires = "from")]
    pub to: Option<PathBuf>,
    /// How long a driver, the program that calls the library, may take for one reply.
    #[arg(long, value_name = "TIME", default_value = "30s")]
    pub timeout: Seconds,
    /// Where runs and pages go.
    #[command(flatten)]
    pub kept: KeptArgs,
    /// The output format. The files contain all formats.
    #[arg(long, value_enum, default_value_t = ReproductionFormat::Table)]
    pub format: ReproductionFormat,
}

impl ReproduceArgs {
    /// What is asked for, of a document.
    pub fn request(&self, document: &str) -> ReproduceRequest {
        ReproduceRequest {
            document: document.to_owned(),
            stacks: self.stacks.clone(),
            as_published: !self.fair,
            fair: !self.as_published,
            quick: self.quick,
            budget_s: self.budget,
            quiet: self.all && !self.busy_host,
            again: self.again,
            timeout_s: self.timeout,
        }
    }
}

/// How a document is printed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReproductionFormat {
    /// For a terminal.
    Table,
    /// For a repository.
    Markdown,
    /// Every figure.
    Json,
    /// One page that needs nothing else.
    Html,
}

/// What can be measured.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AskedMetric {
    /// How long each side takes.
    Time,
    /// How much heap and stack memory each side uses.
    Heap,
    /// How many instructions each side executes.
    Count,
}

impl From<AskedMetric> for Metric {
    fn from(asked: AskedMetric) -> Self {
        match asked {
            AskedMetric::Time => Self::Time,
            AskedMetric::Heap => Self::Heap,
            AskedMetric::Count => Self::Count,
        }
    }
}

/// What counts instructions.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AskedCounter {
    /// The lab's valgrind tool, the default: repeatable; it emulates a processor with fewer instruction-set extensions.
    Valgrind,
    /// Valgrind's callgrind, used if the lab's tool cannot be built: slower, and less repeatable.
    Callgrind,
    /// The processor's own counter, if the host has one; random number generators are not seeded.
    Hardware,
    /// Frida, which counts native execution; it is installed when it is first used.
    Frida,
    /// Native execution: the processor's own counter if the host has one, else Frida.
    Native,
}

impl From<AskedCounter> for Counter {
    fn from(asked: AskedCounter) -> Self {
        match asked {
            AskedCounter::Valgrind => Self::Valgrind,
            AskedCounter::Callgrind => Self::Callgrind,
            AskedCounter::Hardware => Self::Hardware,
            AskedCounter::Frida => Self::Frida,
            AskedCounter::Native => Self::Native,
        }
    }
}

/// What can be simulated of a processor.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AskedSimulation {
    /// Two levels of caches, as large as this processor's first and last.
    Caches,
    /// A branch predictor.
    Branches,
}

impl From<AskedSimulation> for Simulation {
    fn from(asked: AskedSimulation) -> Self {
        match asked {
            AskedSimulation::Caches => Self::Caches,
            AskedSimulation::Branches => Self::Branches,
        }
    }
}

/// When connections arrive.
#[derive(Clone, Copy, ValueEnum)]
pub enum AskedArrivals {
    /// Independently of each other: random gaps from the seed, a Poisson process.
    Poisson,
    /// After equal gaps.
    Fixed,
}

impl From<AskedArrivals> for Arrivals {
    fn from(asked: AskedArrivals) -> Self {
        match asked {
            AskedArrivals::Poisson => Arrivals::Poisson,
            AskedArrivals::Fixed => Arrivals::Fixed,
        }
    }
}

/// Which server each client is paired with.
#[derive(Clone, Copy, ValueEnum)]
pub enum WhichPairing {
    /// The server of the same stack.
    Own,
    /// The servers of all stacks: a table of clients by servers.
    Cross,
}

impl From<WhichPairing> for Pairing {
    fn from(which: WhichPairing) -> Self {
        match which {
            WhichPairing::Own => Pairing::Own,
            WhichPairing::Cross => Pairing::Cross,
        }
    }
}
