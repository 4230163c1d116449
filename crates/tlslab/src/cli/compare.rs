//! The arguments of the verbs that say what changed.

use std::path::PathBuf;

use anyhow::bail;
use clap::{Args, ValueEnum};
use tlslab_lab::Problem;
use tlslab_lab::request::{
    ArrangementChoice, BisectRequest, CompareRequest, Decision, Iterations, NeighboursRequest, Rounds,
    RunRequest, SlicingRequest, Stacks, Trials, ValidateRequest,
};
use tlslab_protocol::Metric;
use tlslab_record::{Count, Seconds, Share};
use tlslab_store::Address;

use super::{AsOfArgs, AskedCounter, AskedMetric, KeptArgs, SlicingArgs};

/// How long two scenarios are measured, s, in how many rounds, and with how many slices in a turn, which follows a preparation and is
/// worth more if it is longer.
const SCENARIOS_BUDGET_S: f64 = 20.0;
const SCENARIOS_ROUNDS: u64 = 24;
const SCENARIOS_SLICES: u64 = 16;

/// Arguments of `compare`.
#[derive(Args)]
pub(crate) struct CompareArgs {
    /// Baseline and candidate: two stacks, each perhaps as NAME=STACK. With --runs two recorded runs, ID or ID@DIR; with --folders
    /// two folders; with --merge-base the candidate alone.
    #[arg(value_name = "STACK", num_args = 0..=2, required_unless_present_any = ["pairs", "resume", "from", "of_scenarios"])]
    pub stacks: Vec<String>,
    /// Compare two recorded runs, ID or ID@DIR for one in another folder, instead of measuring stacks.
    #[arg(long, conflicts_with_all = ["folders", "pairs", "merge_base", "scenarios", "metrics", "counter", "canary"])]
    pub runs: bool,
    /// Compare two folders with icounts.csv, memory.csv or walltime.csv instead of measuring stacks. Two folders with icounts.csv need no
    /// option; the result is then Markdown.
    #[arg(long, conflicts_with_all = ["pairs", "merge_base", "scenarios", "metrics", "counter"])]
    pub folders: bool,
    /// Compare two scenarios of one stack instead of two stacks: how much more or less time the second takes. Both are measured in the
    /// same visits, for 20 s and with 16 slices per turn where nothing else is said.
    #[arg(long = "scenarios", value_names = ["SCENARIO", "SCENARIO"], num_args = 2, conflicts_with_all = ["runs", "folders", "pairs", "merge_base", "suite", "scenarios", "resume", "from", "fail_on", "threshold", "no_functions", "history", "canary", "arrangement", "floor", "negligible", "fixed_layout"])]
    pub of_scenarios: Vec<String>,
    /// Rounds, with --scenarios; each starts a new process [default: 24].
    #[arg(long, value_name = "N", requires = "of_scenarios")]
    pub rounds: Option<Rounds>,
    /// Two further stacks to compare; may be repeated.
    #[arg(long = "pair", value_names = ["BASE", "NEW"], num_args = 2)]
    pub pairs: Vec<String>,
    /// Compare a checkout (STACK@path:DIR) with the commit where it left this branch.
    #[arg(long, value_name = "BRANCH")]
    pub merge_base: Option<String>,
    /// The suite whose scenarios are compared; `tlslab scenarios` lists suites.
    #[arg(long, value_name = "NAME", default_value = "compare")]
    pub suite: String,
    /// Scenarios by pattern instead of a suite's; may be repeated.
    #[arg(long = "scenario", value_name = "GLOB")]
    pub scenarios: Vec<String>,
    /// The metrics to compare; may be repeated or separated by commas [default: time and count].
    #[arg(long = "metric", value_name = "METRIC", value_enum, value_delimiter = ',')]
    pub metrics: Vec<AskedMetric>,
    /// The instruction counter.
    #[arg(long, value_enum)]
    pub counter: Option<AskedCounter>,
    /// How it is decided.
    #[command(flatten)]
    pub how: HowComparedArgs,
    /// The changes that make the command exit with status 4.
    #[arg(long, value_enum)]
    pub fail_on: Option<FailOn>,
    /// With --folders, collapse rows that differ by less, % [default: the policy's, 0.2 unless tlslab.toml says otherwise].
    #[arg(long, value_name = "PERCENT")]
    pub threshold: Option<Share>,
    /// Do not determine which functions changed a count.
    #[arg(long)]
    pub no_functions: bool,
    /// Resume an interrupted comparison: the newest one, or the one named.
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["stacks", "pairs", "merge_base", "scenarios", "metrics", "counter"])]
    pub resume: Option<String>,
    /// Show a comparison.json; nothing is measured or written.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["stacks", "pairs", "merge_base", "scenarios", "metrics", "counter", "resume"])]
    pub from: Option<PathBuf>,
    /// The database with the histories that set each cell's own threshold [default: that of --store].
    #[arg(long, value_name = "URL")]
    pub history: Option<Address>,
    /// A stack in a version to time beside the others, so that a history of times knows what the machine did: STACK@VERSION, `project` for
    /// canary in [run] of tlslab.toml, or `none` [default: project with --history, else none].
    #[arg(long, value_name = "STACK", num_args = 0..=1, default_missing_value = "project")]
    pub canary: Option<String>,
    /// Dependencies.
    #[command(flatten)]
    pub as_of: AsOfArgs,
    /// Where runs and reports go.
    #[command(flatten)]
    pub kept: KeptArgs,
    /// The output format. The files contain all formats.
    #[arg(long, value_enum, default_value_t = ComparisonFormat::Table)]
    pub format: ComparisonFormat,
    /// Print every cell, not only those that changed.
    #[arg(long)]
    pub all: bool,
}

impl CompareArgs {
    /// What is asked for, where stacks are measured.
    pub(crate) fn request(&self) -> anyhow::Result<CompareRequest> {
        let mut pairs: Vec<(String, String)> = Vec::new();
        match (&self.stacks[..], &self.merge_base) {
            ([base, new], None) => pairs.push((base.clone(), new.clone())),
            // Its baseline is found before the request is made.
            ([_], Some(_)) => {}
            ([], None) if !self.pairs.is_empty() || self.resume.is_some() => {}
            ([new], None) => {
                let next = "name two stacks, or a checkout with --merge-base BRANCH";
                bail!(Problem::invalid("stacks", new, "there is no baseline to compare with", next))
            }
            (_, Some(_)) => {
                let next = "name the new stack alone, as STACK@path:DIR";
                bail!(Problem::invalid("merge-base", "two stacks", "the branch is the baseline", next))
            }
            _ => {
                let cause = format!("{} stacks were named", self.stacks.len());
                let next = "name two: `tlslab compare BASELINE CANDIDATE`, further ones with --pair";
                bail!(Problem::invalid("stacks", "the comparison", cause, next))
            }
        }
        let further = self.pairs.chunks(2);
        pairs.extend(further.filter_map(|pair| Some((pair.first()?.clone(), pair.get(1)?.clone()))));
        Ok(CompareRequest {
            pairs,
            suite: self.suite.clone(),
            scenarios: self.scenarios.clone(),
            metrics: self.metrics.iter().map(|metric| (*metric).into()).collect(),
            counter: self.counter.map(Into::into),
            decision: self.how.request(),
            canary: self
                .canary
                .clone()
                .or_else(|| self.history.as_ref().map(|_| tlslab_lab::OF_PROJECT.to_owned())),
            functions: !self.no_functions,
        })
    }
}

impl CompareArgs {
    /// What is asked for with --scenarios: a run of one stack.
    pub(crate) fn request_of_scenarios(&self) -> anyhow::Result<RunRequest> {
        let ([base, new], [stack]) = (&self.of_scenarios[..], &self.stacks[..]) else {
            let cause = format!("{} stacks were named", self.stacks.len());
            let next = "name one: `tlslab compare --scenarios SCENARIO SCENARIO STACK`";
            bail!(Problem::invalid("stacks", "the comparison of two scenarios", cause, next))
        };
        if base == new {
            let cause = "it is named twice";
            bail!(Problem::invalid("of_scenarios", base, cause, "name two scenarios"))
        }
        let mut metrics: Vec<Metric> = self.metrics.iter().map(|metric| (*metric).into()).collect();
        metrics.extend((!metrics.contains(&Metric::Time)).then_some(Metric::Time));
        let slicing = self.how.slicing.request();
        Ok(RunRequest {
            stacks: vec![stack.clone()],
            scenarios: vec![base.clone(), new.clone()],
            together: vec![format!("{{{base},{new}}}")],
            metrics,
            counter: self.counter.map(Into::into),
            budget_s: self.how.budget.or_else(|| Seconds::nearest(SCENARIOS_BUDGET_S).into()),
            rounds: self.rounds.or_else(|| Count::new(SCENARIOS_ROUNDS).ok()),
            slicing: SlicingRequest {
                slices: slicing.slices.or_else(|| Count::new(SCENARIOS_SLICES).ok()),
                ..slicing
            },
            seed: self.how.seed,
            timeout_s: self.how.timeout,
            ..RunRequest::default()
        })
    }

    /// The candidate and the branch that it left, if the baseline is where it did.
    pub(crate) fn merge_base(&self) -> Option<(&str, &str)> {
        Some((self.stacks.first()?, self.merge_base.as_deref()?))
    }
}

impl From<FailOn> for tlslab_comparison::FailOn {
    fn from(asked: FailOn) -> Self {
        match asked {
            FailOn::Regression => Self::Regression,
            FailOn::Change => Self::Change,
            FailOn::AnyRegression => Self::AnyRegression,
        }
    }
}

/// How a comparison is measured and decided.
#[derive(Args, Clone)]
pub(crate) struct HowComparedArgs {
    /// How long measuring may take, such as 45s, 10m, 1h [default: 10 s for each timed cell]. Possible changes are then
    /// measured again, to confirm them.
    #[arg(long, value_name = "TIME")]
    pub budget: Option<Seconds>,
    /// The order of slices.
    #[arg(long, value_enum, default_value_t = WhichArrangement::Best)]
    pub arrangement: WhichArrangement,
    /// The smallest change of time that is reported, % [default: 0.1 with a randomised code layout, else 1.5].
    #[arg(long, value_name = "PERCENT")]
    pub floor: Option<Share>,
    /// Negligible effect size, %: measuring a cell stops once a larger change is excluded [default: 0.5].
    #[arg(long, value_name = "PERCENT")]
    pub negligible: Option<Share>,
    /// Do not randomise the code layout. Faster to build; a difference may then be due to layout alone.
    #[arg(long)]
    pub fixed_layout: bool,
    /// How stacks take turns.
    #[command(flatten)]
    pub slicing: SlicingArgs,
    /// The seed of every random order [default: random].
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// How long a driver, the program that calls the library, may take for one reply.
    #[arg(long, value_name = "TIME", default_value = "30s")]
    pub timeout: Seconds,
}

impl HowComparedArgs {
    /// The same for a request.
    fn request(&self) -> Decision {
        Decision {
            budget_s: self.budget,
            arrangement: self.arrangement.into(),
            floor: self.floor,
            negligible: self.negligible,
            fixed_layout: self.fixed_layout,
            slicing: self.slicing.request(),
            seed: self.seed,
            timeout_s: self.timeout,
        }
    }
}

impl From<WhichArrangement> for ArrangementChoice {
    fn from(which: WhichArrangement) -> Self {
        match which {
            WhichArrangement::Best => Self::Best,
            WhichArrangement::Interleaved => Self::Interleaved,
            WhichArrangement::Turns => Self::Turns,
            WhichArrangement::Duet => Self::Duet,
        }
    }
}

/// The order of a visit's slices.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WhichArrangement {
    /// The one with the least noise on this host, by a short trial.
    Best,
    /// Slice by slice on one processor.
    Interleaved,
    /// Blocks in the order ABBA: one stack's slices, the other's, then reversed.
    Turns,
    /// Both at once on two processors, which are swapped halfway.
    Duet,
}

/// What makes a comparison end with a status of its own.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// A significant regression: above the cell's own threshold, and above the policy's floor.
    Regression,
    /// Any significant change.
    Change,
    /// Every confirmed regression, whatever its size.
    AnyRegression,
}

/// What a comparison looks like.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ComparisonFormat {
    /// For a terminal.
    Table,
    /// For a pull request: at most 65536 characters.
    Markdown,
    /// Every cell with every observation.
    Json,
    /// One page that needs nothing else.
    Html,
}

/// One of the metrics that vary.
fn parse_time_or_count(text: &str) -> Result<Metric, String> {
    let known = [Metric::Time, Metric::Count].into_iter().find(|metric| metric.name() == text);
    known.ok_or_else(|| "it is time or count".to_owned())
}

/// Arguments of `validate`.
#[derive(Args)]
pub struct ValidateArgs {
    /// Instead of comparisons, measure whether a stack's time depends on the other stacks of a run.
    #[arg(long)]
    pub neighbours: bool,
    /// Rounds of fresh processes, with --neighbours.
    #[arg(long, value_name = "N", default_value = "10", requires = "neighbours")]
    pub rounds: Rounds,
    /// The number of other stacks that each one is measured together with, with --neighbours.
    #[arg(long, value_name = "N", default_value = "3", requires = "neighbours")]
    pub others: Stacks,
    /// The stack that is compared with itself [default: rustls/ring]; its code must be relocatable. With --neighbours, a stack that
    /// takes part; may be repeated [default: the stacks of `tlslab run`].
    #[arg(long = "stack", value_name = "STACK")]
    pub stacks: Vec<String>,
    /// The suite whose scenarios are measured [default: compare, or neighbours with --neighbours].
    #[arg(long, value_name = "NAME")]
    pub suite: Option<String>,
    /// Scenarios by pattern instead of a suite's; may be repeated.
    #[arg(long = "scenario", value_name = "GLOB")]
    pub scenarios: Vec<String>,
    /// Time or count: memory does not vary.
    #[arg(long, value_parser = parse_time_or_count, default_value = "time")]
    pub metric: Metric,
    /// Comparisons of a program with itself; each flag is a false alarm.
    #[arg(long, value_name = "N", default_value = "10")]
    pub same: Trials,
    /// Comparisons of one source, linked in two different orders.
    #[arg(long, value_name = "N", default_value = "10")]
    pub twins: Trials,
    /// Comparisons for each of six differences that are not the code's work, between programs with the same orders: one more
    /// allocation, a longer environment, a longer path, more constants, an unused function, data in another order.
    #[arg(long, value_name = "N", default_value = "0")]
    pub nulls: Trials,
    /// Comparisons with a build that was slowed down on purpose, for each scenario and slow-down.
    #[arg(long, value_name = "N", default_value = "5")]
    pub slowed: Trials,
    /// The slow-downs, %.
    #[arg(
        long = "slowed-by",
        alias = "by",
        value_name = "PERCENT",
        value_delimiter = ',',
        default_value = "0.1,0.5,1,2,5"
    )]
    pub by: Vec<Share>,
    /// Comparisons of two fixed code layouts of one source: how far layout alone moves times. Reports and comparisons on the same kind of host use it.
    #[arg(long, value_name = "N", default_value = "0")]
    pub layouts: Trials,
    /// Comparisons of one source, linked in two different orders, of which every round is measured: --replays makes jobs of them.
    #[arg(long, value_name = "N", default_value = "0")]
    pub recordings: Trials,
    /// Judges so many jobs that are made of recorded rounds in which nothing changed, and a tenth as many for each slow-down.
    #[arg(long, value_name = "N", default_value = "0")]
    pub replays: Trials,
    /// Judges so many jobs of made-up rounds for each kind of noise.
    #[arg(long, value_name = "N", default_value = "0")]
    pub simulated: Trials,
    /// How long each timed comparison may take for each scenario; the confirmation of a change comes on top.
    #[arg(long, value_name = "TIME", default_value = "20s")]
    pub per_scenario: Seconds,
    /// Seeds of each count.
    #[arg(long, value_name = "N", default_value = "5")]
    pub seeds: Count<2, 100>,
    /// Iterations of each count.
    #[arg(long, value_name = "N", default_value = "32")]
    pub count_iterations: Iterations,
    /// How stacks take turns.
    #[command(flatten)]
    pub slicing: SlicingArgs,
    /// The first seed of every random order.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// How long a driver, the program that calls the library, may take for one reply.
    #[arg(long, value_name = "TIME", default_value = "30s")]
    pub timeout: Seconds,
    /// Where jobs are recorded: the same command resumes.
    #[command(flatten)]
    pub kept: KeptArgs,
}

impl ValidateArgs {
    /// What is asked for, without --neighbours.
    pub fn request(&self) -> anyhow::Result<ValidateRequest> {
        let default = ValidateRequest::default();
        let stack = match &self.stacks[..] {
            [] => default.stack,
            [stack] => stack.clone(),
            _ => {
                let cause = "comparisons with itself take one stack";
                bail!(Problem::invalid("stack", "several stacks", cause, "name one, or add --neighbours"))
            }
        };
        Ok(ValidateRequest {
            stack,
            suite: self.suite.clone().unwrap_or(default.suite),
            scenarios: self.scenarios.clone(),
            metric: self.metric,
            same: self.same,
            twins: self.twins,
            nulls: self.nulls,
            slowed: self.slowed,
            layouts: self.layouts,
            recordings: self.recordings,
            replays: self.replays,
            simulated: self.simulated,
            by: self.by.clone(),
            per_scenario_s: self.per_scenario,
            seeds: self.seeds,
            count_iterations: self.count_iterations,
            slicing: self.slicing.request(),
            seed: self.seed,
            timeout_s: self.timeout,
        })
    }

    /// What is asked for with --neighbours.
    pub fn neighbours(&self) -> NeighboursRequest {
        NeighboursRequest {
            stacks: self.stacks.clone(),
            others: self.others,
            suite: self.suite.clone().unwrap_or(NeighboursRequest::default().suite),
            scenarios: self.scenarios.clone(),
            rounds: self.rounds,
            slicing: self.slicing.request(),
            seed: self.seed,
            timeout_s: self.timeout,
        }
    }
}

/// Arguments of `bisect`.
#[derive(Args)]
pub struct BisectArgs {
    /// The stack without its version: rustls-dev/ring, openssl+clang.
    #[arg(value_name = "STACK")]
    pub stack: String,
    /// The library's repository: a checkout on this machine.
    #[arg(long, value_name = "DIR")]
    pub repository: PathBuf,
    /// A revision without the change.
    #[arg(long, value_name = "REV")]
    pub good: String,
    /// A revision with it.
    #[arg(long, value_name = "REV")]
    pub bad: String,
    /// The suite in which the cell with the largest change is looked for.
    #[arg(long, value_name = "NAME", default_value = "compare")]
    pub suite: String,
    /// Scenarios by pattern instead of a suite's; may be repeated.
    #[arg(long = "scenario", value_name = "GLOB")]
    pub scenarios: Vec<String>,
    /// The metric that changed: count or time.
    #[arg(long, value_parser = parse_time_or_count, default_value = "count")]
    pub metric: Metric,
    /// How long a scenario is timed at each step; an inconclusive one is timed for longer.
    #[arg(long, value_name = "TIME", default_value = "10s")]
    pub per_scenario: Seconds,
    /// How long a driver, the program that calls the library, may take for one reply.
    #[arg(long, value_name = "TIME", default_value = "30s")]
    pub timeout: Seconds,
    /// Where steps are recorded: the same command resumes.
    #[command(flatten)]
    pub kept: KeptArgs,
}

impl BisectArgs {
    /// What is asked for.
    pub fn request(&self) -> BisectRequest {
        BisectRequest {
            stack: self.stack.clone(),
            repository: self.repository.clone(),
            good: self.good.clone(),
            bad: self.bad.clone(),
            suite: self.suite.clone(),
            scenarios: self.scenarios.clone(),
            metric: self.metric,
            per_scenario_s: self.per_scenario,
            timeout_s: self.timeout,
        }
    }
}
