//! The arguments of the verbs that build stacks, and keep what was built.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use tlslab_lab::Removal;
use tlslab_lab::request::BuildRequest;

/// Arguments of `build`.
#[derive(Args)]
pub struct BuildArgs {
    /// The stacks to build [default: those of tlslab.toml].
    #[arg(value_name = "STACK")]
    pub stacks: Vec<String>,
    /// Build every stack that has a recipe.
    #[arg(long = "all-stacks", alias = "all", conflicts_with = "stacks")]
    pub all: bool,
    /// Only print which system tools are missing, and how to install them.
    #[arg(long)]
    pub check_tools: bool,
    /// The output format. Markdown and JSON include the build time of each stage.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}

impl BuildArgs {
    /// What is asked for.
    pub fn request(&self) -> BuildRequest {
        BuildRequest { stacks: self.stacks.clone(), all_stacks: self.all, check_tools: self.check_tools }
    }
}

/// Arguments of `stacks`.
#[derive(Args)]
pub struct StacksArgs {
    /// The stacks, in any version, source or variant [default: every version of every recipe].
    #[arg(value_name = "STACK")]
    pub stacks: Vec<String>,
    /// Show the capabilities of each built stack, and the reasons for those that it lacks.
    #[arg(long)]
    pub capabilities: bool,
    /// Compare the capabilities of the built stacks with a committed document; differences end with status 3.
    #[arg(long, value_name = "FILE", requires = "capabilities")]
    pub check: Option<PathBuf>,
    /// Write a page for each driver into this folder, for those who know the library: what its figures rest on, how it is built,
    /// what it calls. Nothing has to be built for that.
    #[arg(long, value_name = "DIR", conflicts_with = "capabilities")]
    pub drivers: Option<PathBuf>,
    /// The output format. With --capabilities, Markdown is the document to commit.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}

/// What a list looks like.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum ListFormat {
    /// For a terminal.
    Table,
    /// For programs: one object per entry.
    Json,
    /// For a repository.
    Markdown,
}

impl From<ListFormat> for tlslab_text::ListFormat {
    fn from(format: ListFormat) -> Self {
        match format {
            ListFormat::Table => Self::Table,
            ListFormat::Json => Self::Json,
            ListFormat::Markdown => Self::Markdown,
        }
    }
}

/// Arguments of `versions`.
#[derive(Args)]
pub struct VersionsArgs {
    /// The stack, without a version.
    #[arg(value_name = "STACK")]
    pub stack: String,
    /// The output format.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}

/// Arguments of `cache`.
#[derive(Args)]
pub struct CacheArgs {
    /// List every artifact, not only the largest.
    #[arg(long)]
    pub all: bool,
    /// The output format.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
    /// What to do [default: list].
    #[command(subcommand)]
    pub verb: Option<CacheVerb>,
}

/// What can be done with the cache.
#[derive(Subcommand)]
pub enum CacheVerb {
    /// Remove artifacts; they are rebuilt when they are needed.
    Remove(RemoveArgs),
}

/// What is removed.
#[derive(Args)]
#[group(required = true, multiple = true)]
pub struct RemoveArgs {
    /// Artifacts that no recipe uses any more: former versions, drivers before an edit.
    #[arg(long)]
    pub unused: bool,
    /// Artifacts that only this stack uses; may be repeated. NAME is all its versions, NAME@VERSION is one.
    #[arg(long = "stack", value_name = "STACK")]
    pub stacks: Vec<String>,
    /// Everything that was fetched and built. The lab's keys are kept.
    #[arg(long)]
    pub everything: bool,
}

impl RemoveArgs {
    /// The same for the lab.
    pub fn removal(&self) -> Removal {
        Removal { unused: self.unused, stacks: self.stacks.clone(), everything: self.everything }
    }
}
