//! The arguments of the verbs that build stacks, and keep what was built.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use tlslab_lab::request::BuildRequest;

/// Arguments of `build`.
#[derive(Args)]
pub struct BuildArgs {
    /// The stacks to build; those of tlslab.toml when none is named.
    #[arg(value_name = "STACK")]
    pub stacks: Vec<String>,
    /// Build every stack there is a recipe for.
    #[arg(long, conflicts_with = "stacks")]
    pub all: bool,
    /// Only say which system tools are missing, and how to install them.
    #[arg(long)]
    pub check_tools: bool,
    /// As lines for a terminal, or as a table of the time that each stage took when it was made.
    #[arg(long, value_enum, default_value_t = StacksFormat::Table)]
    pub format: StacksFormat,
}

impl BuildArgs {
    /// What is asked for.
    pub fn request(&self) -> BuildRequest {
        BuildRequest { stacks: self.stacks.clone(), all: self.all, check_tools: self.check_tools }
    }
}

/// Arguments of `stacks`.
#[derive(Args)]
pub struct StacksArgs {
    /// Only these, in any version, source or variant; every recipe's versions when none is named.
    #[arg(value_name = "STACK")]
    pub stacks: Vec<String>,
    /// What each built stack can do, and why it cannot do the rest.
    #[arg(long)]
    pub capabilities: bool,
    /// Compare what the built stacks can do with a committed table; differences end with status 3.
    #[arg(long, value_name = "FILE", requires = "capabilities")]
    pub check: Option<PathBuf>,
    /// As lines for a terminal, or as the table to commit.
    #[arg(long, value_enum, default_value_t = StacksFormat::Table, requires = "capabilities")]
    pub format: StacksFormat,
}

/// What a list of stacks looks like.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum StacksFormat {
    /// For a terminal.
    Table,
    /// For a repository.
    Markdown,
}

/// Arguments of `cache`.
#[derive(Args)]
pub struct CacheArgs {
    /// List every part, not the largest alone.
    #[arg(long)]
    pub all: bool,
    /// What to do; lists when nothing is said.
    #[command(subcommand)]
    pub verb: Option<CacheVerb>,
}

/// What can be done with the cache.
#[derive(Subcommand)]
pub enum CacheVerb {
    /// Remove parts of it; whatever needs them makes them again.
    Remove(RemoveArgs),
}

/// What is removed.
#[derive(Args)]
#[group(required = true, multiple = true)]
pub struct RemoveArgs {
    /// What no recipe uses as it is now: former versions, drivers before an edit.
    #[arg(long)]
    pub unused: bool,
    /// What this stack alone uses; may be repeated. NAME is all its versions, NAME@VERSION is one.
    #[arg(long = "stack", value_name = "STACK")]
    pub stacks: Vec<String>,
    /// All that was fetched and built. The lab's keys stay.
    #[arg(long)]
    pub everything: bool,
}
