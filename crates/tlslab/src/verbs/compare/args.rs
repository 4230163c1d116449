//! Arguments of `compare`.

use std::path::PathBuf;

use anyhow::bail;
use clap::{Args, ValueEnum};
use tlslab_comparison::FailOn;
use tlslab_lab::Problem;
use tlslab_lab::{
    request::ArrangementChoice, request::CompareRequest, request::Counter, request::Decision,
    request::Rounds, request::RunRequest, request::SlicingRequest,
};
use tlslab_protocol::Measure;
use tlslab_record::{Count, Seconds, Share};
use tlslab_store::Address;

use crate::cli::values::{COUNTERS, METRICS, Values, parse_named};
use crate::cli::{AsOfArgs, KeptArgs, SlicingArgs};

/// The order of a visit's slices.
const ARRANGEMENTS: Values = &[
    ("best", "The one with the least noise on this host, by a short trial"),
    ("interleaved", "Slice by slice on one processor"),
    ("turns", "Blocks in the order ABBA: one stack's slices, the other's, then reversed"),
    ("duet", "Both at once on two processors, which are swapped halfway"),
];

/// Which changes give a comparison an exit status of its own.
const FAIL_ON: Values = &[
    ("regression", "A significant regression: above the cell's own threshold, and above the policy's floor"),
    ("change", "Any significant change"),
    ("any-regression", "Every confirmed regression, whatever its size"),
];

/// How long two scenarios are measured with a stack, s; in how many rounds; with how many slices per turn. A
/// turn follows a preparation, so a longer one uses more of its time.
const SCENARIOS_BUDGET_S: f64 = 20.0;

const SCENARIOS_ROUNDS: u64 = 24;

const SCENARIOS_SLICES: u64 = 16;

/// Arguments of `compare`.
#[derive(Args)]
pub(crate) struct CompareArgs {
    /// Baseline and candidate: two stacks, each perhaps as NAME=STACK. With --runs: two recorded runs, ID or
    /// ID@DIR; with --folders: two folders; with --merge-base: the candidate alone; with --scenarios: one or
    /// more stacks.
    #[arg(value_name = "STACK", num_args = 0.., required_unless_present_any = ["pairs", "resume", "from", "of_scenarios"])]
    pub stacks: Vec<String>,
    /// Compare two recorded runs instead of measuring stacks: ID, or ID@DIR for a run in another folder.
    #[arg(long, conflicts_with_all = ["folders", "pairs", "merge_base", "scenarios", "metrics", "counter", "canary"])]
    pub runs: bool,
    /// Compare two folders with icounts.csv, memory.csv or walltime.csv instead of measuring stacks. Folders
    /// with icounts.csv need no option; the result is then Markdown.
    #[arg(long, conflicts_with_all = ["pairs", "merge_base", "scenarios", "metrics", "counter"])]
    pub folders: bool,
    /// Compare two scenarios instead of two stacks: the cost of the second over the first with each named
    /// stack. Both are timed in the same visits, for 20 s per stack and with 16 slices per turn unless
    /// --budget or --slices are given.
    #[arg(long = "scenarios", value_names = ["SCENARIO", "SCENARIO"], num_args = 2, conflicts_with_all = ["runs", "folders", "pairs", "merge_base", "suite", "scenarios", "resume", "from", "fail_on", "threshold", "no_functions", "history", "canary", "arrangement", "floor", "negligible", "fixed_layout"])]
    pub of_scenarios: Vec<String>,
    /// Rounds, with --scenarios; each starts a new process [default: 24].
    #[arg(long, value_name = "N", requires = "of_scenarios")]
    pub rounds: Option<Rounds>,
    /// Two further stacks to compare; may be repeated.
    #[arg(long = "pair", value_names = ["BASE", "NEW"], num_args = 2)]
    pub pairs: Vec<String>,
    /// Compare a checkout (STACK@path:DIR) with the commit at which it left this branch.
    #[arg(long, value_name = "BRANCH")]
    pub merge_base: Option<String>,
    /// The suite whose scenarios are compared; `tlslab scenarios` lists suites.
    #[arg(long, value_name = "NAME", default_value = "compare")]
    pub suite: String,
    /// Scenarios by pattern instead of a suite's; may be repeated.
    #[arg(long = "scenario", value_name = "GLOB")]
    pub scenarios: Vec<String>,
    /// The metrics to compare; may be repeated or separated by commas [default: time and count].
    #[arg(long = "metric", value_name = "METRIC", value_parser = parse_named::<Measure>(METRICS), value_delimiter = ',')]
    pub metrics: Vec<Measure>,
    /// The instruction counter.
    #[arg(long, value_parser = parse_named::<Counter>(COUNTERS))]
    pub counter: Option<Counter>,
    /// How the comparison decides.
    #[command(flatten)]
    pub how: HowComparedArgs,
    /// The changes that make the command exit with status 4.
    #[arg(long, value_parser = parse_named::<FailOn>(FAIL_ON))]
    pub fail_on: Option<FailOn>,
    /// With --folders, collapse rows that differ by less than this, % [default: the policy's, 0.2 unless
    /// tlslab.toml sets another].
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
    /// A stack at a version to time in the same run, as a reference for the machine in a history of times:
    /// STACK@VERSION, `project` for canary in [run] of tlslab.toml, or `none` [default: project with
    /// --history, else none].
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
    /// The request, if stacks are measured.
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
            metrics: self.metrics.clone(),
            counter: self.counter,
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
    /// The request with --scenarios: a run of the stacks.
    pub(crate) fn request_of_scenarios(&self) -> anyhow::Result<RunRequest> {
        let ([base, new], [_, ..]) = (&self.of_scenarios[..], &self.stacks[..]) else {
            let next = "name one or more: `tlslab compare --scenarios SCENARIO SCENARIO STACK...`";
            let cause = "no stack was named";
            bail!(Problem::invalid("stacks", "the comparison of two scenarios", cause, next))
        };
        if base == new {
            let cause = "it is named twice";
            bail!(Problem::invalid("of_scenarios", base, cause, "name two scenarios"))
        }
        if self.metrics.contains(&Measure::Size) {
            let cause = "a size belongs to no scenario";
            bail!(Problem::invalid(
                "metric",
                "size",
                cause,
                "use `tlslab run --metric size` or `tlslab compare BASELINE CANDIDATE --metric size`"
            ))
        }
        let metrics = if self.metrics.is_empty() { vec![Measure::Time] } else { self.metrics.clone() };
        let is_timed = metrics.contains(&Measure::Time);
        let budget_s = SCENARIOS_BUDGET_S * self.stacks.len() as f64;
        let slicing = self.how.slicing.request();
        Ok(RunRequest {
            stacks: self.stacks.clone(),
            scenarios: vec![base.clone(), new.clone()],
            together: is_timed.then(|| format!("{{{base},{new}}}")).into_iter().collect(),
            metrics,
            counter: self.counter,
            budget_s: self.how.budget.or_else(|| Seconds::nearest(budget_s).into()),
            rounds: self.rounds.or_else(|| Count::new(SCENARIOS_ROUNDS).ok().filter(|_| is_timed)),
            slicing: SlicingRequest {
                slices: slicing.slices.or_else(|| Count::new(SCENARIOS_SLICES).ok()),
                ..slicing
            },
            seed: self.how.seed,
            timeout_s: self.how.timeout,
            ..RunRequest::default()
        })
    }

    /// The candidate and the branch that it left, for --merge-base.
    pub(crate) fn merge_base(&self) -> Option<(&str, &str)> {
        Some((self.stacks.first()?, self.merge_base.as_deref()?))
    }
}

/// How a comparison is measured and decided.
#[derive(Args, Clone)]
pub(crate) struct HowComparedArgs {
    /// How long measuring may take, such as 45s, 10m, 1h [default: 10 s for each timed cell]. Possible
    /// changes are then measured again, to confirm them.
    #[arg(long, value_name = "TIME")]
    pub budget: Option<Seconds>,
    /// The order of slices.
    #[arg(long, value_parser = parse_named::<ArrangementChoice>(ARRANGEMENTS), default_value = "best")]
    pub arrangement: ArrangementChoice,
    /// The smallest change of time that counts, % [default: 0.1 with a randomised code layout, else 1.5].
    #[arg(long, value_name = "PERCENT")]
    pub floor: Option<Share>,
    /// Stop measuring a cell once a change larger than this is ruled out (negligible effect size), %
    /// [default: 0.5].
    #[arg(long, value_name = "PERCENT")]
    pub negligible: Option<Share>,
    /// Do not randomise the code layout. Builds are faster; a difference may then be due to layout alone.
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
            arrangement: self.arrangement,
            floor: self.floor,
            negligible: self.negligible,
            fixed_layout: self.fixed_layout,
            slicing: self.slicing.request(),
            seed: self.seed,
            timeout_s: self.timeout,
        }
    }
}

/// The format of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ComparisonFormat {
    /// For a terminal.
    Table,
    /// For a pull request: at most 65536 characters.
    Markdown,
    /// Every cell with every observation.
    Json,
    /// One self-contained page.
    Html,
}
