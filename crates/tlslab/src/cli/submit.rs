//! The arguments of the verb that has a service measure.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use tlslab_lab::{JobId, Trust};

use super::{CompareArgs, RunArgs};

/// Arguments of `submit`.
#[derive(Args)]
#[command(
    after_help = "The result is printed as the verb itself prints it, and the exit status is the verb's. Paths in stacks are paths of the \
                  runner. Results stay in the service: --out and --store of the verb have no effect."
)]
pub struct SubmitArgs {
    /// The address of the service.
    #[arg(
        long,
        value_name = "URL",
        env = "TLSLAB_SERVICE",
        hide_env_values = true,
        default_value = "http://127.0.0.1:7474"
    )]
    pub service: String,
    /// A file with a token that the service has granted.
    #[arg(long, value_name = "FILE", default_value = "tlslab-service/token")]
    pub token_file: PathBuf,
    /// The project of the service that the job belongs to.
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
    /// A label that the runner must have; may be repeated.
    #[arg(long = "label", value_name = "LABEL")]
    pub labels: Vec<String>,
    /// A title for the service's pages [default: the verb].
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// The identifier of the job [default: a new one]. The same command with the same identifier follows the job again.
    #[arg(long, value_name = "ID")]
    pub id: Option<JobId>,
    /// How far the sources are trusted: owner (no sandbox, needs a token of scope administer), reviewed or candidate.
    #[arg(long, value_name = "LEVEL", default_value = "owner")]
    pub trust: Trust,
    /// Submit the job, print its identifier and do not wait.
    #[arg(long)]
    pub detach: bool,
    /// What is measured.
    #[command(subcommand)]
    pub verb: SubmittedVerb,
}

/// What a service can be asked for.
#[derive(Subcommand)]
pub enum SubmittedVerb {
    /// Measure two stacks together and judge what changed.
    Compare(Box<CompareArgs>),
    /// Measure stacks.
    Run(Box<RunArgs>),
}
