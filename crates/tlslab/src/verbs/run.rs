//! `tlslab run`: builds what is needed, measures, prints the result.

use clap::Args;
use tlslab_estimate::{OneOf, OverRuns, Report};
use tlslab_job::{Outcome, Request, Status};
use tlslab_lab::{BusyLoop, Error, RowFunctions, keep_between_runs};
use tlslab_lab::{
    request::Counter, request::Iterations, request::Rate, request::Rounds, request::RunRequest,
    request::Seeds, request::Simulation,
};
use tlslab_protocol::{Arrivals, Measure, Pairing};
use tlslab_record::{Count, Seconds};
use tlslab_text::number::counted;

use crate::cli::values::{COUNTERS, METRICS, Values, parse_named};
use crate::cli::{AsOfArgs, Format, Invocation, KeptArgs, SlicingArgs};
use crate::results::print_report;
use crate::session::{Lab, carried_out};

/// The number of runs of one request.
pub(crate) type Repeats = Count<1, 1_000>;

/// What can be simulated of a processor.
const SIMULATIONS: Values = &[
    ("caches", "Two levels of caches, as large as this processor's first and last"),
    ("branches", "A branch predictor"),
];

/// When connections arrive.
const ARRIVALS: Values = &[
    ("poisson", "Independently of each other: random gaps from the seed, a Poisson process"),
    ("fixed", "After equal gaps"),
];

/// Which server each client is paired with.
const PAIRINGS: Values = &[
    ("own", "The server of the same stack"),
    ("cross", "The servers of all stacks: a table of clients by servers"),
];

/// Arguments of `run`.
#[derive(Args)]
pub(crate) struct RunArgs {
    /// The suite, of those that `tlslab scenarios` lists [default: suite in [run] of tlslab.toml].
    #[arg(long, value_name = "NAME")]
    pub suite: Option<String>,
    /// A stack to measure; may be repeated [default: stacks in [run] of tlslab.toml]. ALIAS=STACK measures it
    /// under another name.
    #[arg(long = "stack", value_name = "[ALIAS=]STACK")]
    pub stacks: Vec<String>,
    /// Measure every stack that has a recipe, in every version; --stack adds others.
    #[arg(long)]
    pub all_stacks: bool,
    /// Scenarios by pattern instead of a suite's; may be repeated. * stays within a part of a name, ** does
    /// not, {a,b} is either.
    #[arg(long = "scenario", value_name = "GLOB")]
    pub scenarios: Vec<String>,
    /// Measure scenarios of this pattern, such as 'handshake/{1.2,1.3}/x25519', in turns within one process,
    /// for precise ratios between them; may be repeated.
    #[arg(long = "together", value_name = "GLOB")]
    pub together: Vec<String>,
    /// Connections that arrive per second over loopback TCP, whether earlier ones are done or not (an open
    /// loop); may be repeated or separated by commas. Each handshake is measured at each rate; the report has
    /// percentiles of the time from the intended arrival.
    #[arg(long = "rate", value_name = "N", value_delimiter = ',')]
    pub rates: Vec<Rate>,
    /// When connections arrive, with --rate [default: poisson].
    #[arg(long, value_parser = parse_named::<Arrivals>(ARRIVALS), requires = "rates")]
    pub arrivals: Option<Arrivals>,
    /// The metrics to measure; may be repeated or separated by commas [default: set by the suite, time with
    /// --scenario or --rate].
    #[arg(long = "metric", value_name = "METRIC", value_parser = parse_named::<Measure>(METRICS), value_delimiter = ',')]
    pub metrics: Vec<Measure>,
    /// The instruction counter, with --metric count.
    #[arg(long, value_parser = parse_named::<Counter>(COUNTERS))]
    pub counter: Option<Counter>,
    /// Iterations of each count, with --metric count [default: 32, as some keys do more work every 32nd
    /// time].
    #[arg(long, value_name = "N")]
    pub count_iterations: Option<Iterations>,
    /// Also count misses of a simulated processor, with --metric count; may be repeated. Uses callgrind as
    /// the counter.
    #[arg(long = "simulate", value_name = "WHAT", value_parser = parse_named::<Simulation>(SIMULATIONS))]
    pub simulate: Vec<Simulation>,
    /// Seeds for the deterministic RNG, with --metric count: one count per seed shows how far a figure
    /// depends on it [default: 1].
    #[arg(long, value_name = "N")]
    pub seeds: Option<Seeds>,
    /// With the suite ci-bench, also write a file of functions for each row to callgrind/ROW in the run's
    /// folder: callgrind_annotate and KCachegrind open these, `tlslab compare --folders` shows the changes.
    #[arg(long)]
    pub functions: bool,
    /// Also measure each stack right after another program has used the processor: its first iteration, and
    /// the cost of a context switch. The suite full always does.
    #[arg(long)]
    pub cold: bool,
    /// How long measuring may take, such as 45s, 10m, 1h [default: the suite's; with --scenario 5 s for each,
    /// with --rate 30 s for each scenario and rate].
    #[arg(long, value_name = "TIME")]
    pub budget: Option<Seconds>,
    /// Which server each client is paired with [default: set by the suite].
    #[arg(long, value_parser = parse_named::<Pairing>(PAIRINGS))]
    pub pairing: Option<Pairing>,
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
    /// A stack at a version to time in the same run, as a reference for the machine in a history of times:
    /// STACK@VERSION, or `project` for canary in [run] of tlslab.toml [default: none].
    #[arg(long, value_name = "STACK", num_args = 0..=1, default_missing_value = "project")]
    pub canary: Option<String>,
    /// Resume an interrupted run: the newest one, or the one named.
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["suite", "stacks", "all_stacks", "scenarios", "together", "rates", "arrivals", "metrics", "counter", "count_iterations", "simulate", "seeds", "budget", "rounds", "seed", "baseline", "pairing", "canary"])]
    pub resume: Option<String>,
    /// Make this many runs, each with a seed of its own, and print each figure over all of them: these
    /// intervals include the variation from run to run. If 8 or more runs differ by more than the policy
    /// states, intervals of later runs on this kind of host are wider.
    #[arg(long, value_name = "N", default_value = "1", conflicts_with = "resume")]
    pub repeat: Repeats,
    /// With --repeat: keep a processor busy during every second run, which shows whether intervals hold under
    /// a load.
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
    /// The request.
    pub(crate) fn request(&self) -> RunRequest {
        RunRequest {
            suite: self.suite.clone(),
            stacks: self.stacks.clone(),
            all_stacks: self.all_stacks,
            scenarios: self.scenarios.clone(),
            together: self.together.clone(),
            rates: self.rates.clone(),
            arrivals: self.arrivals.unwrap_or_default(),
            metrics: self.metrics.clone(),
            counter: self.counter,
            count_iterations: self.count_iterations,
            simulate: self.simulate.clone(),
            seeds: self.seeds,
            functions: self.functions,
            cold: self.cold,
            budget_s: self.budget,
            pairing: self.pairing,
            rounds: self.rounds,
            slicing: self.slicing.request(),
            seed: self.seed,
            baseline: self.baseline.clone(),
            canary: self.canary.clone(),
            timeout_s: self.timeout,
        }
    }
}

/// Runs, or resumes a run.
pub(crate) fn run(lab: &Lab, args: &RunArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    if args.repeat.small() > 1 {
        return repeated(lab, args, invocation);
    }
    let results = args.kept.results();
    let conditions = lab.new_or_resumed(args.resume.as_deref(), &results, false)?;
    let request = args.as_of.put_in(&lab.environment, Request::Run(Box::new(args.request())))?;
    let outcome = match carried_out(lab, &results, &conditions, &request) {
        Ok(outcome) => outcome,
        Err(Error::Interrupted { run }) => {
            if let Some(run) = run {
                let functions = if args.functions { " --functions" } else { "" };
                let again = invocation.complete(&format!("`tlslab run --resume {run}{functions}`"));
                errln!("interrupted; measurements are saved. To resume: {again}");
            }
            return Ok(Status::Interrupted);
        }
        Err(Error::Failed(cause)) => return Err(cause),
    };
    Ok(print(&outcome, args, invocation))
}

/// Prints a run in the requested format and returns the exit status.
pub(crate) fn print(outcome: &Outcome, args: &RunArgs, invocation: &Invocation) -> Status {
    let Outcome::Run(run) = outcome else { unreachable!("a run was asked for") };
    if args.format == Format::Table && run.report.stacks.iter().all(|stack| stack.failure().is_some()) {
        say_why_nothing_was_measured(&run.report, invocation);
        return outcome.status();
    }
    print_report(&run.report, &args.kept.out, args.format, invocation);
    if run.functions == Some(RowFunctions::Interrupted) {
        errln!("interrupted; the run is complete, but without instructions by function");
        return Status::Interrupted;
    }
    outcome.status()
}

/// A report without any figure has nothing to read.
fn say_why_nothing_was_measured(report: &Report, invocation: &Invocation) {
    for (stack, failure) in report.stacks.iter().filter_map(|stack| Some((stack, stack.failure()?))) {
        // Why a stack was not built was reported during the build.
        if !failure.starts_with("not built") {
            errln!("{}: {}", stack.name, failure.lines().next().unwrap_or_default());
        }
    }
    let again = invocation.complete(&format!("`tlslab report {}`", report.run.id));
    errln!("nothing was measured; full error messages: {again}");
}

/// Several runs of one request, one after the other, and each figure over all of them.
fn repeated(lab: &Lab, args: &RunArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    let (results, runs) = (args.kept.results(), args.repeat.small());
    let (mut reports, mut status): (Vec<Report>, Status) = (Vec::new(), Status::Done);
    let mut loads = Vec::new();
    for at in 0..runs {
        let is_loaded = args.busy_loop && at % 2 == 1;
        let _load = is_loaded.then(BusyLoop::start).transpose()?;
        let seed = args.seed.map(|seed| seed.wrapping_add(u64::from(at)));
        let request = Request::Run(Box::new(RunRequest { seed, ..args.request() }));
        let request = args.as_of.put_in(&lab.environment, request)?;
        match carried_out(lab, &results, &lab.new_job(), &request) {
            Ok(outcome) => {
                if outcome.status() != Status::Done {
                    status = outcome.status();
                }
                if let Outcome::Run(run) = outcome {
                    let load = if is_loaded { ", with a busy loop" } else { "" };
                    errln!("run {} of {runs}{load}: {}", at + 1, run.report.run.id);
                    reports.push(run.report);
                    loads.push(is_loaded);
                }
            }
            Err(Error::Interrupted { .. }) => {
                errln!("interrupted; complete: {} of {}", reports.len(), counted(runs, "run"));
                status = Status::Interrupted;
                break;
            }
            Err(Error::Failed(cause)) => return Err(cause),
        }
    }
    let confidence = lab.environment.policy.confidence;
    let of_run = |(report, is_loaded)| OneOf { report, is_loaded };
    let all: Vec<OneOf<'_>> = reports.iter().zip(loads.iter().copied()).map(of_run).collect();
    let over = OverRuns::of(&all, confidence);
    if let Some(over) = &over
        && keep_between_runs(&results, over, loads.iter().filter(|is_loaded| **is_loaded).count())?
    {
        errln!(
            "recorded: if these runs differ by more than the policy states, later runs on this kind of host have wider intervals"
        );
    }
    match (over, args.format) {
        (Some(over), Format::Json) => out!("{}\n", serde_json::to_string_pretty(&over)?),
        (Some(over), _) => out!("{}", invocation.complete(&over.text())),
        (None, _) => errln!("figures over several runs need at least two runs"),
    }
    Ok(status)
}
