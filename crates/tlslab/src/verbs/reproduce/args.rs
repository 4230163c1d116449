//! Arguments of `reproduce`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use tlslab_documents::{HostName, ReproduceRequest};
use tlslab_record::Seconds;

use crate::cli::KeptArgs;

/// Arguments of `reproduce`.
#[derive(Args)]
pub(crate) struct ReproduceArgs {
    /// The published benchmark, by its name [default: list all].
    pub document: Option<String>,
    /// An additional stack, in tables that have a column for each stack; may be repeated.
    #[arg(long = "stack", value_name = "STACK")]
    pub stacks: Vec<String>,
    /// Only as published, even where stacks do unequal work [default: both].
    #[arg(long, conflicts_with = "fair")]
    pub as_published: bool,
    /// Only with the same work for all stacks [default: both].
    #[arg(long)]
    pub fair: bool,
    /// A tenth of the time, in eight rounds.
    #[arg(long)]
    pub quick: bool,
    /// How long measuring times may take in total, such as 10m, divided in proportion to the parts [default:
    /// the document's own].
    #[arg(long, value_name = "TIME", conflicts_with_all = ["quick", "all"])]
    pub budget: Option<Seconds>,
    /// Repeat measurements that were made before.
    #[arg(long)]
    pub again: bool,
    /// Reproduce every document in turn; the same command resumes. Timed parts wait for a quiet host, and are
    /// measured once more if it was busy meanwhile.
    #[arg(long, conflicts_with_all = ["document", "stacks"])]
    pub all: bool,
    /// With --all or --record: measure even if other processes keep the host busy.
    #[arg(long)]
    pub busy_host: bool,
    /// Record the results in a file, from which --from renders the pages again; timed parts wait for a quiet
    /// host [default: next to the document, NAME.recorded.json.gz, or NAME.HOST.recorded.json.gz if another
    /// processor's record is there].
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub record: Option<OsString>,
    /// With --record: this host's name in the name of the file, such as xeon-8375c [default: its
    /// processor's].
    #[arg(long, value_name = "NAME", requires = "record")]
    pub host: Option<HostName>,
    /// Render recorded results; nothing is built or measured [default: the records next to the document, of
    /// all hosts].
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "", conflicts_with_all = ["record", "stacks", "as_published", "fair", "quick", "budget", "again", "busy_host"])]
    pub from: Option<OsString>,
    /// With --from: write the Markdown page and the texts in the published layout, and with --all also
    /// claims.md and claims.svg, into this folder instead of printing.
    #[arg(long, value_name = "DIR", requires = "from")]
    pub to: Option<PathBuf>,
    /// How long a driver, the program that calls the library, may take for one reply.
    #[arg(long, value_name = "TIME", default_value = "30s")]
    pub timeout: Seconds,
    /// Where runs and pages go.
    #[command(flatten)]
    pub kept: KeptArgs,
    /// The output format. The files contain all formats.
    #[arg(long, value_enum, default_value_t = ReproductionFormat::Table)]
    pub format: ReproductionFormat,
}

impl ReproduceArgs {
    /// The request for a document.
    pub(crate) fn request(&self, document: &str) -> ReproduceRequest {
        ReproduceRequest {
            document: document.to_owned(),
            stacks: self.stacks.clone(),
            as_published: !self.fair,
            fair: !self.as_published,
            quick: self.quick,
            budget_s: self.budget,
            quiet: (self.all || self.record.is_some()) && !self.busy_host,
            again: self.again,
            timeout_s: self.timeout,
        }
    }
}

/// How a document is printed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReproductionFormat {
    /// For a terminal.
    Table,
    /// For a repository.
    Markdown,
    /// Every figure.
    Json,
    /// One self-contained page.
    Html,
}
