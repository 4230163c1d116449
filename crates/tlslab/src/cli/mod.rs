//! The command line. Each flag is defined here once.

mod anomalies;
mod as_of;
mod backfill;
mod building;
mod choose;
mod comment;
mod compare;
mod doctor;
mod functions;
mod invocation;
mod keeping;
mod run;
mod sandbox;
mod serving;
mod site;
mod slicing;
mod submit;
mod verb;

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::{Args, Command, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use tlslab_lab::Results;
use tlslab_store::Address;

pub use anomalies::AnomaliesArgs;
pub(crate) use as_of::AsOfArgs;
pub use backfill::{BackfillArgs, PointArgs, WatchArgs};
pub use building::{BuildArgs, CacheArgs, CacheVerb, ListFormat, StacksArgs, VersionsArgs};
pub use choose::{ChooseArgs, ChosenBy};
pub use comment::{CommentArgs, CopyArgs, WhichForge};
pub(crate) use compare::{BisectArgs, CompareArgs, ComparisonFormat, ValidateArgs};
pub(crate) use doctor::{DOCTOR_STATE, DoctorArgs};
pub(crate) use functions::{DiffArgs, FidelityArgs, ProfileArgs, SheetFormat};
pub(crate) use invocation::{Invocation, parse};
pub use keeping::{
    AcknowledgeArgs, AnnotateArgs, HistoryArgs, HistoryFormat, ImportArgs, PruneArgs, RecomputeArgs,
};
pub use run::{AskedCounter, AskedMetric, ReproduceArgs, ReproductionFormat, RunAllArgs, RunArgs};
pub use sandbox::AskedSandbox;
pub use serving::{RunnerArgs, ServeArgs};
pub use site::SiteArgs;
pub(crate) use slicing::SlicingArgs;
pub use submit::{SubmitArgs, SubmittedVerb};
pub(crate) use verb::Verb;

/// Benchmarks TLS stacks: builds them from source, measures client and server apart, proves that the work was the
/// same, and shows the result with intervals.
#[derive(Parser)]
#[command(version = tlslab_tree::VERSION, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
    /// The lab's folder, with stacks/, drivers/, scenarios/ and crates/ [default: here or above, else the program's own].
    #[arg(long, global = true, env = "TLSLAB_ROOT", hide_env_values = true, value_name = "DIR")]
    pub root: Option<PathBuf>,
    /// The build cache: sources, builds and keys [default: tlslab in the user's cache folder].
    #[arg(long, global = true, env = "TLSLAB_CACHE", hide_env_values = true, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// A second build cache that is read and never written to, for jobs with untrusted code.
    #[arg(
        id = "trusted-cache",
        long,
        global = true,
        env = "TLSLAB_TRUSTED_CACHE",
        hide_env_values = true,
        value_name = "DIR"
    )]
    pub trusted_cache: Option<PathBuf>,
    /// With a sandbox: a host from which sources may be fetched over https, besides those in the lab's own recipes; or an origin such as
    /// http://forge.example:3000, for git alone.
    #[arg(
        id = "allow-host",
        long,
        global = true,
        env = "TLSLAB_ALLOW_HOSTS",
        hide_env_values = true,
        value_delimiter = ',',
        value_parser = tlslab_build::parse_allowed,
        value_name = "HOST"
    )]
    pub allow_host: Vec<String>,
    /// When builds and drivers run in a sandbox: auto (under CI, unless all stacks are released ones of the lab), require or off.
    #[arg(
        long,
        global = true,
        env = "TLSLAB_SANDBOX",
        hide_env_values = true,
        value_name = "MODE",
        default_value = "auto"
    )]
    pub sandbox: AskedSandbox,
}

const EXIT_CODES: &str = "Exit status:
  0    done; every cell has a value or is unsupported for a stated reason
  1    an error; the message gives the reason
  2    the command line is wrong: an option, or the name of something that does not exist
  3    done, but at least one cell or build failed; the result says which and why
  4    --fail-on found a change of the given kind
  130  interrupted; run and compare resume with --resume, other verbs with the same command

A stack is NAME[@VERSION][+VARIANT]..., such as openssl, rustls/ring@0.23.36, openssl+clang+lto.
Its version may also be path:DIR, git:URL#REV, patch:FILE or system. `tlslab stacks` lists names,
`tlslab versions NAME` versions.";

/// The verbs in groups, for the help.
pub(crate) const GROUPS: [(&str, &[&str]); 6] = [
    ("Measure", &["run", "choose", "reproduce", "build"]),
    ("Compare", &["compare", "bisect", "comment"]),
    ("Explain", &["anomalies", "profile", "diff", "fidelity", "doctor", "validate"]),
    (
        "History",
        &[
            "history",
            "backfill",
            "watch",
            "annotate",
            "acknowledge",
            "report",
            "runs",
            "site",
            "export",
            "import",
        ],
    ),
    ("Serve", &["serve", "submit", "runner"]),
    (
        "Manage",
        &[
            "stacks",
            "versions",
            "scenarios",
            "cache",
            "copy",
            "prune",
            "recompute",
            "requests",
            "schema",
            "self-check",
            "completions",
            "man",
            "work",
        ],
    ),
];

/// What `--version` prints: also where the lab's files are.
fn long_version() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let named = std::env::var_os("TLSLAB_ROOT").map(PathBuf::from);
        let files = match tlslab_lab::locate(named) {
            Ok(Some((folder, origin))) => format!("{} ({origin})", folder.display()),
            Ok(None) => "brought along by the program".to_owned(),
            Err(cause) => format!("{cause:#}"),
        };
        format!("{}\nfiles: {files}", tlslab_tree::VERSION)
    });
    &TEXT
}

/// The command line as it is, for what describes it.
pub(crate) fn plain_command() -> Command {
    Cli::command().version(env!("CARGO_PKG_VERSION"))
}

/// The command line with its verbs listed in groups.
fn command() -> Command {
    let command = Cli::command();
    let about = |name: &str| {
        let verb = command.get_subcommands().find(|verb| verb.get_name() == name);
        verb.and_then(Command::get_about).map(ToString::to_string).unwrap_or_default()
    };
    let mut listed = String::new();
    for (title, verbs) in GROUPS {
        listed.push_str(&format!("\n{title}:\n"));
        for name in verbs {
            listed.push_str(&format!("  {name:11} {}\n", about(name)));
        }
    }
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{listed}\nOptions:\n{{options}}{{after-help}}"
    );
    command.help_template(template).long_version(long_version())
}

/// Where runs are kept.
#[derive(Clone, Args)]
pub struct KeptArgs {
    /// The folder of reports, and of the database if no other is named.
    #[arg(long, value_name = "DIR", default_value = "tlslab-results")]
    pub out: PathBuf,
    /// The database of runs: sqlite:PATH or postgres://USER@HOST/DATABASE [default: tlslab.sqlite in --out].
    #[arg(long, value_name = "URL", env = "TLSLAB_STORE", hide_env_values = true)]
    pub store: Option<Address>,
}

impl KeptArgs {
    /// The same for the engine.
    pub fn results(&self) -> Results {
        Results { out: self.out.clone(), store: self.store.clone(), history: None }
    }
}

/// Arguments of `runs`.
#[derive(Args)]
pub struct RunsArgs {
    /// Where runs are kept.
    #[command(flatten)]
    pub kept: KeptArgs,
    /// The output format.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}

/// Arguments of `scenarios`.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct ScenariosArgs {
    /// What else can be done with them.
    #[command(subcommand)]
    pub verb: Option<ScenariosVerb>,
    /// The output format.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
    /// Only the scenarios of this suite.
    #[arg(long, value_name = "NAME")]
    pub suite: Option<String>,
    /// Only the scenarios that match this pattern; may be repeated. * stays within a part of a name, ** does not.
    #[arg(long = "scenario", value_name = "GLOB")]
    pub scenarios: Vec<String>,
    /// The same without the option.
    #[arg(value_name = "GLOB")]
    pub patterns: Vec<String>,
}

/// What can be done with scenarios beside listing them.
#[derive(Subcommand)]
pub enum ScenariosVerb {
    /// Write a commented file of scenarios to start from; `tlslab schema scenario` describes it.
    #[command(after_help = "Example: tlslab scenarios new scenarios/mine.toml")]
    New {
        /// The file, which must not exist yet [default: standard output].
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// A suite's file instead.
        #[arg(long)]
        suite: bool,
    },
}

/// Arguments of `report`.
#[derive(Args)]
pub struct ReportArgs {
    /// The run or comparison; the beginning of its identifier is enough [default: the newest one].
    #[arg(value_name = "RUN")]
    pub run: Option<String>,
    /// Where runs are kept.
    #[command(flatten)]
    pub kept: KeptArgs,
    /// The output format.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Also write the run's files again, to --out.
    #[arg(long)]
    pub files: bool,
}

/// Arguments of `export`.
#[derive(Args)]
pub struct ExportArgs {
    /// The run; the beginning of its identifier is enough [default: the newest one].
    #[arg(value_name = "RUN")]
    pub run: Option<String>,
    /// Where runs are kept.
    #[command(flatten)]
    pub kept: KeptArgs,
    /// The format.
    #[arg(long, value_enum)]
    pub format: ExportFormat,
    /// The file to write [default: standard output].
    #[arg(long, value_name = "FILE")]
    pub to: Option<PathBuf>,
}

/// Formats of other programs.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum ExportFormat {
    /// Bencher Metric Format, JSON.
    Bencher,
    /// JSON for github-action-benchmark's customSmallerIsBetter: times, counts, memory.
    GithubActionSmaller,
    /// JSON for github-action-benchmark's customBiggerIsBetter: rates.
    GithubActionBigger,
    /// Go's benchmark text, for benchstat.
    Go,
    /// pyperf's JSON.
    Pyperf,
    /// OpenMetrics text, which Prometheus reads.
    Openmetrics,
    /// CSV: a row per cell, including cells without a value.
    Csv,
    /// Apache Parquet: the same rows and columns, with types; missing values are null.
    Parquet,
}

/// Arguments of `requests`.
#[derive(Args)]
pub struct RequestsArgs {
    /// The scenario.
    #[arg(long, value_name = "NAME")]
    pub scenario: String,
    /// The number of iterations to request.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub iterations: u64,
}

/// Arguments of `work`.
#[derive(Args)]
pub struct WorkArgs {
    /// Where runs and exports go.
    #[command(flatten)]
    pub kept: KeptArgs,
    /// The database with the histories that set each cell's own threshold [default: that of --store].
    #[arg(long, value_name = "URL")]
    pub history: Option<Address>,
}

/// Arguments of `completions`.
#[derive(Args)]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Arguments of `man`.
#[derive(Args)]
pub struct ManArgs {
    /// The folder, which is made.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// Arguments of `schema`.
#[derive(Args)]
pub struct SchemaArgs {
    /// The schema.
    #[arg(value_enum)]
    pub which: WhichSchema,
}

/// The schemas there are.
#[derive(Clone, Copy, ValueEnum)]
pub enum WhichSchema {
    /// The messages between lab and driver.
    Protocol,
    /// results.json.
    Results,
    /// What `tlslab work` reads: a job with its request.
    Job,
    /// The lines that `tlslab work` writes while it carries out a job.
    Event,
    /// The last line that `tlslab work` writes: how the job ended.
    Outcome,
    /// A file of scenarios.
    Scenario,
    /// A suite's file.
    Suite,
    /// A recipe's file.
    Recipe,
    /// A published document's file.
    Document,
}

/// What a result looks like.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum Format {
    /// For a terminal.
    Table,
    /// One object per cell; `tlslab schema results` describes it.
    Json,
    /// One row per cell.
    Csv,
    /// For a pull request or an issue.
    Markdown,
    /// One page that needs nothing else.
    Html,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_verb_is_in_one_group_of_the_help() {
        let mut listed: Vec<&str> = GROUPS.iter().flat_map(|(_, verbs)| verbs.iter().copied()).collect();
        listed.sort_unstable();
        let command = Cli::command();
        let mut verbs: Vec<&str> =
            command.get_subcommands().filter(|verb| !verb.is_hide_set()).map(Command::get_name).collect();
        verbs.sort_unstable();
        assert_eq!(listed, verbs);
    }
}
