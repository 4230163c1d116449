//! The verbs of the command line.

use clap::Subcommand;

use crate::verbs::acknowledge::AcknowledgeArgs;
use crate::verbs::annotate::AnnotateArgs;
use crate::verbs::anomalies::AnomaliesArgs;
use crate::verbs::backfill::BackfillArgs;
use crate::verbs::bisect::BisectArgs;
use crate::verbs::build::BuildArgs;
use crate::verbs::cache::CacheArgs;
use crate::verbs::choose::ChooseArgs;
use crate::verbs::comment::CommentArgs;
use crate::verbs::compare::CompareArgs;
use crate::verbs::completions::{CompletionsArgs, ManArgs};
use crate::verbs::contention::ContentionArgs;
use crate::verbs::copy::CopyArgs;
use crate::verbs::diff::DiffArgs;
use crate::verbs::doctor::DoctorArgs;
use crate::verbs::export::ExportArgs;
use crate::verbs::fidelity::FidelityArgs;
use crate::verbs::git_credential::GitCredentialArgs;
use crate::verbs::history::HistoryArgs;
use crate::verbs::import::ImportArgs;
use crate::verbs::profile::ProfileArgs;
use crate::verbs::prune::PruneArgs;
use crate::verbs::recompute::RecomputeArgs;
use crate::verbs::report::ReportArgs;
use crate::verbs::reproduce::ReproduceArgs;
use crate::verbs::requests::RequestsArgs;
use crate::verbs::run::RunArgs;
use crate::verbs::run_all::RunAllArgs;
use crate::verbs::runner::RunnerArgs;
use crate::verbs::runs::RunsArgs;
use crate::verbs::scaling::ScalingArgs;
use crate::verbs::scenarios::ScenariosArgs;
use crate::verbs::schema::SchemaArgs;
use crate::verbs::serve::ServeArgs;
use crate::verbs::site::SiteArgs;
use crate::verbs::stacks::StacksArgs;
use crate::verbs::standings::StandingsArgs;
use crate::verbs::submit::SubmitArgs;
use crate::verbs::validate::ValidateArgs;
use crate::verbs::versions::VersionsArgs;
use crate::verbs::watch::WatchArgs;
use crate::verbs::work::WorkArgs;

/// The verbs.
#[derive(Subcommand)]
pub(crate) enum Verb {
    /// Build what is needed, measure, and show the result.
    #[command(
        after_help = "Example: tlslab run --stack openssl --stack rustls/ring --scenario 'handshake/1.3/rsa-*/x25519/*/none' --budget 1m"
    )]
    Run(Box<RunArgs>),
    /// Run the suite ci-bench and write its files into one folder, as the program `ci-bench` of rustls does.
    #[command(after_help = "Example: tlslab run-all --output-dir foo; tlslab compare foo bar")]
    RunAll(RunAllArgs),
    /// Rank stacks for a workload; missing results are measured first.
    #[command(after_help = "Example: tlslab choose --profile web-server --stack openssl --stack rustls/ring")]
    Choose(Box<ChooseArgs>),
    /// Rank stacks in a project's own choice of results: places, charts, and what changed since a report.
    #[command(after_help = "Example: tlslab standings examples/standings/three-libraries.toml --budget 5m")]
    Standings(StandingsArgs),
    /// Measure two stacks together and judge what changed.
    #[command(after_help = "Example: tlslab compare openssl openssl+clang")]
    Compare(Box<CompareArgs>),
    /// Send a job to a service, follow it, print the result.
    #[command(
        after_long_help = "Example: tlslab submit --service https://bench.example compare openssl@3.5.4 openssl@3.6.0"
    )]
    Submit(Box<SubmitArgs>),
    /// Post a comparison as a comment on its pull request; later ones replace it.
    Comment(CommentArgs),
    /// Show the smallest change detectable on this host, and what adds noise.
    #[command(
        after_help = "Example: tlslab doctor --plan; sudo tlslab doctor --apply; sudo tlslab doctor --undo"
    )]
    Doctor(Box<DoctorArgs>),
    /// Measure the false-alarm rate and the power of `tlslab compare` on this host.
    Validate(Box<ValidateArgs>),
    /// Reproduce published benchmarks and check each claim on this host.
    #[command(after_help = "Example: tlslab reproduce wolfssl --budget 2m\n\n\
                            Pages go to tlslab-results/documents, with --quick to quick/ below it, with --budget 15s to \
                            budget-15s/. Without --all and --record it does not wait for a quiet host.")]
    Reproduce(ReproduceArgs),
    /// Find the revision or release that changed a scenario's count, time or contention.
    #[command(
        after_help = "Example: tlslab bisect rustls-dev/ring --repository ../rustls --good v1 --bad v2"
    )]
    Bisect(Box<BisectArgs>),
    /// Build stacks from source, in parallel.
    Build(BuildArgs),
    /// List the stacks with version and state.
    Stacks(StacksArgs),
    /// List the versions of a stack that can be built.
    Versions(VersionsArgs),
    /// List the build cache with sizes, or remove parts of it.
    Cache(CacheArgs),
    /// List scenarios, suites, and the stacks that support them.
    Scenarios(ScenariosArgs),
    /// List the recorded runs.
    Runs(RunsArgs),
    /// Export the database as a static web site.
    #[command(after_help = "Example: tlslab site public")]
    Site(SiteArgs),
    /// Copy runs with every sample into another database.
    Copy(CopyArgs),
    /// Show a recorded run.
    Report(ReportArgs),
    /// Rank the cells of a recorded run that break an expectation, such as equal work at unequal cost.
    #[command(after_help = "Example: tlslab anomalies --limit 5")]
    Anomalies(AnomaliesArgs),
    /// Print a recorded run in the format of another program.
    Export(ExportArgs),
    /// Show figures over time: versions, changes, environments.
    #[command(after_help = "Example: tlslab history --stack openssl --by-version")]
    History(Box<HistoryArgs>),
    /// Measure the releases of a stack that the history does not have yet.
    #[command(after_help = "Example: tlslab backfill rustls/ring --versions 0.23.20..0.23.30")]
    Backfill(Box<BackfillArgs>),
    /// Measure releases newer than those in the history, or build the newest revision of a branch.
    #[command(
        after_help = "Example: tlslab watch openssl rustls/ring; tlslab watch rustls-dev/ring --branch main"
    )]
    Watch(Box<WatchArgs>),
    /// Attach a note to a version in histories: the fix of a CVE, another compiler.
    #[command(after_help = "Example: tlslab annotate rustls/ring 0.23.29 'smaller extensions'")]
    Annotate(AnnotateArgs),
    /// Accept a regression of a version: comparisons then show it with the reason, and do not fail because of
    /// it.
    #[command(
        after_help = "Example: tlslab acknowledge rustls/ring 0123456789ab 'fixes CVE-2026-1' --up-to 2.5"
    )]
    Acknowledge(AcknowledgeArgs),
    /// Import results of another benchmark program.
    #[command(
        after_help = "Example: hyperfine --export-json times.json ./client; tlslab import times.json --format hyperfine --label 1.4.0"
    )]
    Import(Box<ImportArgs>),
    /// Delete samples of old runs; keep figures, and samples at a history's ends and changes.
    Prune(PruneArgs),
    /// Recompute the figures of recorded runs from their samples and store them.
    Recompute(RecomputeArgs),
    /// Show the instructions of a stack in a scenario by function.
    #[command(
        after_help = "Example: tlslab profile --stack rustls/ring --scenario handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none"
    )]
    Profile(ProfileArgs),
    /// Show the cache lines and locks that threads of a stack share, counted exactly.
    #[command(
        after_help = "Example: tlslab contention --stack openssl@3.0.8 --scenario handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none"
    )]
    Contention(ContentionArgs),
    /// Time threads of one process against as many processes, and show what limits them.
    #[command(after_help = "Example: tlslab scaling --stack openssl --stack rustls/ring")]
    Scaling(ScalingArgs),
    /// Show which functions take more or fewer instructions.
    #[command(
        after_help = "Example: tlslab diff rustls/ring@0.23.28 rustls/ring@0.23.30 --scenario handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none"
    )]
    Diff(DiffArgs),
    /// Compare valgrind's counts with native execution; reports of counts then show the result.
    Fidelity(FidelityArgs),
    /// Print the requests of a scenario, to run a driver by hand.
    Requests(RequestsArgs),
    /// Print a JSON Schema.
    Schema(SchemaArgs),
    /// Check that the lab's files, tools, cache and database work here; nothing is built.
    SelfCheck,
    /// Print a script with which a shell completes verbs, options and values.
    #[command(
        after_help = "Example: tlslab completions bash > ~/.local/share/bash-completion/completions/tlslab"
    )]
    Completions(CompletionsArgs),
    /// Write manual pages into a folder.
    Man(ManArgs),
    /// Carry out a job: read from standard input, events and outcome as lines of JSON on standard output.
    Work(WorkArgs),
    /// Answer git, which asks for the credential of a private repository.
    #[command(hide = true)]
    GitCredential(GitCredentialArgs),
    /// Run the service: measure pull requests, pushes and schedules, and show the results on pages.
    #[command(after_help = "Example: tlslab serve --config service.toml")]
    Serve(ServeArgs),
    /// Take jobs from a service, one at a time.
    #[command(after_help = "Example: tlslab runner --service https://bench.example --key-file runner.key")]
    Runner(RunnerArgs),
}
