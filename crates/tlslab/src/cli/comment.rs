//! The arguments of the verbs that continuous integration calls.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use tlslab_store::Address;

use super::KeptArgs;

/// Arguments of `comment`. The token is in TLSLAB_TOKEN, or in GITHUB_TOKEN or GITLAB_TOKEN.
#[derive(Args)]
#[command(
    after_help = "The token is read from TLSLAB_TOKEN; if that is not set, from GITHUB_TOKEN or GITLAB_TOKEN."
)]
pub struct CommentArgs {
    /// A folder with comparison.json and about.json, as ci/measure writes it. Nothing in it is trusted.
    #[arg(long, value_name = "DIR")]
    pub from: PathBuf,
    /// The code host of the pull request.
    #[arg(long, value_enum)]
    pub forge: WhichForge,
    /// The repository: OWNER/NAME, on GitLab also its number [default: GITHUB_REPOSITORY or CI_PROJECT_ID].
    #[arg(long, value_name = "NAME")]
    pub repository: Option<String>,
    /// The URL of the code host's API [default: GITHUB_API_URL or CI_API_V4_URL].
    #[arg(long, value_name = "URL")]
    pub api: Option<String>,
    /// The pull request must have this number.
    #[arg(long, value_name = "N")]
    pub number: Option<u64>,
    /// The measured commit must be this one.
    #[arg(long, value_name = "COMMIT")]
    pub commit: Option<String>,
    /// The number of the repository that the pull request must come from.
    #[arg(long, value_name = "ID")]
    pub head_repository: Option<u64>,
    /// The comment's name: the pull request has one comment per name.
    #[arg(long, value_name = "NAME", default_value = "tlslab")]
    pub name: String,
    /// The account that the token belongs to [default: queried from the code host].
    #[arg(long, value_name = "LOGIN")]
    pub author: Option<String>,
    /// A link to details, such as the page of the workflow's run.
    #[arg(long, value_name = "URL")]
    pub link: Option<String>,
    /// The name of the job's artifact that holds the folder, for readers.
    #[arg(long, value_name = "NAME")]
    pub artifact: Option<String>,
    /// Print the comment instead of posting it.
    #[arg(long)]
    pub dry_run: bool,
}

/// A code host.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WhichForge {
    /// GitHub, or a compatible code host.
    Github,
    /// GitLab.
    Gitlab,
}

/// Arguments of `copy`.
#[derive(Args)]
pub struct CopyArgs {
    /// The runs [default: every complete one].
    #[arg(value_name = "RUN")]
    pub runs: Vec<String>,
    /// The database to copy to: sqlite:PATH or postgres://USER@HOST/DATABASE. Runs that it already has are not changed.
    #[arg(long, value_name = "URL")]
    pub to: Address,
    /// Leave the machine's own names out: absolute paths become file names, and the host has no name.
    #[arg(long)]
    pub publishable: bool,
    /// Where the runs are kept.
    #[command(flatten)]
    pub kept: KeptArgs,
}
