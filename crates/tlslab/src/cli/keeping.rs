//! Arguments of the verbs that work on what is kept.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use jiff::Timestamp;
use tlslab_comparison::Metric;
use tlslab_lab::request::HistoryFilter;
use tlslab_lab::{Acknowledging, ForeignBetterAsked, ForeignFormat, Given, ImportRequest, Size};
use tlslab_record::Share;

use super::KeptArgs;

/// Arguments of `recompute`.
#[derive(Args)]
pub struct RecomputeArgs {
    /// The runs [default: every complete one].
    #[arg(value_name = "RUN")]
    pub runs: Vec<String>,
    /// Only print differences, with status 3 if there are any; write nothing.
    #[arg(long)]
    pub check: bool,
    /// Where runs are kept.
    #[command(flatten)]
    pub kept: KeptArgs,
}

/// Arguments of `import`.
#[derive(Args)]
pub struct ImportArgs {
    /// The files; for criterion its folder, such as target/criterion.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// The program that wrote them.
    #[arg(long, value_enum)]
    pub format: AskedForeign,
    /// The revision or version that was measured; the history of github-action names it itself.
    #[arg(long, value_name = "REV")]
    pub label: Option<String>,
    /// When it was measured, such as 2026-11-21T14:00:00Z [default: now].
    #[arg(long, value_name = "RFC3339")]
    pub time: Option<Timestamp>,
    /// The metric, where the files name none: of criterion what a measurement other than time measured.
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// The unit, where the files name none. Criterion's never do: without this option they are taken to be times in ns, which is wrong
    /// for a measurement in cycles or instructions.
    #[arg(long, value_name = "UNIT")]
    pub unit: Option<String>,
    /// Which values are better, where neither format nor unit says it. If it stays unknown, changes are neither regressions nor
    /// improvements.
    #[arg(long, value_enum)]
    pub better: Option<AskedBetter>,
    /// The stack's name in history [default: the format's name].
    #[arg(long, value_name = "NAME")]
    pub stack: Option<String>,
    /// The class of the machine; only runs of one class are comparable.
    #[arg(long, value_name = "TEXT", default_value = "unknown")]
    pub class: String,
    /// The epoch: other conditions that must be the same for two runs to be comparable, such as kernel, compiler, program.
    #[arg(long, value_name = "TEXT", default_value = "unknown")]
    pub epoch: String,
    /// Where runs are kept.
    #[command(flatten)]
    pub kept: KeptArgs,
}

/// Formats of other programs' results.
#[derive(Clone, Copy, ValueEnum)]
pub enum AskedForeign {
    /// rustls's ci-bench: icounts.csv, memory.csv or walltime.csv.
    CiBench,
    /// Criterion's folder with estimates.json and sample.json of each benchmark.
    Criterion,
    /// Summaries of gungraun, formerly iai-callgrind, as JSON.
    Gungraun,
    /// Bencher Metric Format, JSON.
    Bencher,
    /// hyperfine's --export-json.
    Hyperfine,
    /// google-benchmark's --benchmark_format=json.
    GoogleBenchmark,
    /// The output of openssl speed, with -mr or without.
    OpensslSpeed,
    /// The history that github-action-benchmark keeps, data.js or its JSON: a run for each of its entries.
    GithubAction,
    /// An array of github-action-benchmark's customSmallerIsBetter.
    GithubActionSmaller,
    /// An array of github-action-benchmark's customBiggerIsBetter.
    GithubActionBigger,
    /// pyperf's JSON.
    Pyperf,
    /// The text of go test -bench.
    Go,
}

/// Which values are better.
#[derive(Clone, Copy, ValueEnum)]
pub enum AskedBetter {
    /// Smaller ones.
    Smaller,
    /// Larger ones.
    Larger,
}

impl ImportArgs {
    /// What is asked for.
    pub fn request(&self) -> ImportRequest {
        let format = match self.format {
            AskedForeign::CiBench => ForeignFormat::CiBench,
            AskedForeign::Criterion => ForeignFormat::Criterion,
            AskedForeign::Gungraun => ForeignFormat::Gungraun,
            AskedForeign::Bencher => ForeignFormat::Bencher,
            AskedForeign::Hyperfine => ForeignFormat::Hyperfine,
            AskedForeign::GoogleBenchmark => ForeignFormat::GoogleBenchmark,
            AskedForeign::OpensslSpeed => ForeignFormat::OpensslSpeed,
            AskedForeign::GithubAction => ForeignFormat::GithubAction,
            AskedForeign::GithubActionSmaller => ForeignFormat::GithubActionSmaller,
            AskedForeign::GithubActionBigger => ForeignFormat::GithubActionBigger,
            AskedForeign::Pyperf => ForeignFormat::Pyperf,
            AskedForeign::Go => ForeignFormat::Go,
        };
        let better = self.better.map(|better| match better {
            AskedBetter::Smaller => ForeignBetterAsked::Smaller,
            AskedBetter::Larger => ForeignBetterAsked::Larger,
        });
        let given = Given { metric: self.metric.clone(), unit: self.unit.clone(), better };
        let (files, label, stack) = (self.files.clone(), self.label.clone(), self.stack.clone());
        let (time, class, epoch) = (self.time, self.class.clone(), self.epoch.clone());
        ImportRequest { files, format, label, time, stack, given, class, epoch }
    }
}

/// Arguments of `prune`.
#[derive(Args)]
#[command(group = clap::ArgGroup::new("which").args(["samples_of", "days"]).required(true).multiple(true))]
pub struct PruneArgs {
    /// Keep the samples of the N newest runs; this or --days must be given.
    #[arg(long, value_name = "N")]
    pub samples_of: Option<usize>,
    /// Keep the samples of runs up to D days old; with --samples-of, either is enough.
    #[arg(long, value_name = "D")]
    pub days: Option<u64>,
    /// Print the samples that would be deleted, and delete nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Where runs are kept.
    #[command(flatten)]
    pub kept: KeptArgs,
}

/// Arguments of `annotate`.
#[derive(Args)]
pub struct AnnotateArgs {
    /// The stack as histories name it, without a version.
    #[arg(value_name = "STACK")]
    pub stack: String,
    /// The version or revision as histories show it.
    #[arg(value_name = "VERSION")]
    pub version: String,
    /// The note; an empty one removes the existing note.
    #[arg(value_name = "TEXT")]
    pub text: String,
    /// Only scenarios of this pattern.
    #[arg(long, value_name = "GLOB")]
    pub scenario: Option<String>,
    /// Where runs are kept.
    #[command(flatten)]
    pub kept: KeptArgs,
}

/// Arguments of `acknowledge`.
#[derive(Args)]
pub struct AcknowledgeArgs {
    /// The stack as histories name it, without a version.
    #[arg(value_name = "STACK")]
    pub stack: String,
    /// The version as histories show it, or a commit with at least 12 digits; the history need not have it.
    #[arg(value_name = "VERSION")]
    pub version: String,
    /// Why it is accepted; an empty text takes back what was acknowledged.
    #[arg(value_name = "TEXT")]
    pub text: String,
    /// Only scenarios of this pattern.
    #[arg(long, value_name = "GLOB")]
    pub scenario: Option<String>,
    /// Only this metric: time, count, heap.peak, heap.allocations or heap.allocated.
    #[arg(long, value_name = "METRIC", value_parser = parse_compared_metric)]
    pub metric: Option<Metric>,
    /// Regressions up to this size, % [default: each cell's own in the newest comparison of the version in the database].
    #[arg(long, value_name = "PERCENT", conflicts_with = "from")]
    pub up_to: Option<Share>,
    /// Regressions up to each cell's own size in this comparison.json.
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// The database of the history.
    #[command(flatten)]
    pub kept: KeptArgs,
}

impl AcknowledgeArgs {
    /// What is accepted.
    pub fn request(&self) -> Acknowledging {
        let size = match (self.up_to, &self.from) {
            (Some(share), _) => Size::UpTo(share),
            (None, Some(file)) => Size::File(file.clone()),
            (None, None) => Size::Recorded,
        };
        let (stack, label, scenario) = (self.stack.clone(), self.version.clone(), self.scenario.clone());
        Acknowledging { stack, label, scenario, metric: self.metric, text: self.text.trim().to_owned(), size }
    }
}

/// A metric by its name in files, or by that of its request.
fn parse_compared_metric(text: &str) -> Result<Metric, String> {
    let is_it = |metric: &Metric| metric.name() == text || *metric == Metric::Instructions && text == "count";
    let names = || Metric::ALL.map(Metric::name).join(", ");
    Metric::ALL.into_iter().find(is_it).ok_or_else(|| format!("it is one of {}", names()))
}

/// Arguments of `history`.
#[derive(Args)]
pub struct HistoryArgs {
    /// Only this stack, in all its versions, such as openssl or rustls/ring+lto; * stands for any letters.
    #[arg(long, value_name = "STACK")]
    pub stack: Option<String>,
    /// Only scenarios of this pattern; may be repeated. * stays within a part of a name, ** does not.
    #[arg(long = "scenario", value_name = "GLOB")]
    pub scenarios: Vec<String>,
    /// Only this side: client, server or both.
    #[arg(long, value_name = "SIDE")]
    pub side: Option<String>,
    /// Only this metric, such as time or count.instructions; * stands for any letters [default: those of a whole iteration: time,
    /// throughput, wall, count.instructions, heap.peak, idle.heap, and every metric of imported runs].
    #[arg(long, value_name = "METRIC")]
    pub metric: Option<String>,
    /// Only machines of this class; * stands for any letters.
    #[arg(long, value_name = "CLASS")]
    pub class: Option<String>,
    /// The reference stack: one in the same runs that nobody changes. If it changes, the machine has changed.
    #[arg(long, value_name = "STACK")]
    pub reference: Option<String>,
    /// Order by version, not by time; a version that is not a release, such as a commit, by its first run.
    #[arg(long)]
    pub by_version: bool,
    /// Name the functions behind the largest changes of counts, at most N: both versions are counted by function.
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "10")]
    pub explain: Option<usize>,
    /// Write to this folder a page with plots for each stack, in the order of versions, and an index page.
    #[arg(long, value_name = "DIR", conflicts_with = "format")]
    pub pages: Option<PathBuf>,
    /// Where runs are kept.
    #[command(flatten)]
    pub kept: KeptArgs,
    /// The output format.
    #[arg(long, value_enum, default_value_t = HistoryFormat::Table)]
    pub format: HistoryFormat,
}

impl HistoryArgs {
    /// Which series are wanted.
    pub fn filter(&self) -> HistoryFilter {
        let Self { stack, scenarios, side, metric, class, .. } = self;
        let (stack, side) = (stack.clone(), side.clone());
        HistoryFilter {
            stack,
            scenarios: scenarios.clone(),
            side,
            metric: metric.clone(),
            class: class.clone(),
        }
    }
}

/// What a history looks like.
#[derive(Clone, Copy, ValueEnum)]
pub enum HistoryFormat {
    /// For a terminal.
    Table,
    /// For a repository.
    Markdown,
    /// For programs.
    Json,
    /// A page with plots.
    Html,
}
