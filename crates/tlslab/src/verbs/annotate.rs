//! `tlslab annotate`: a note at a version in histories.

use clap::Args;
use jiff::Timestamp;
use tlslab_job::Status;
use tlslab_lab::annotate as note;
use tlslab_record::Annotation;

use crate::cli::KeptArgs;
use crate::results::open_store;

/// Arguments of `annotate`.
#[derive(Args)]
pub(crate) struct AnnotateArgs {
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

/// Stores the note, or removes it.
pub(crate) fn annotate(args: &AnnotateArgs) -> anyhow::Result<Status> {
    let annotation = Annotation {
        stack: args.stack.clone(),
        label: args.version.clone(),
        scenario: args.scenario.clone().unwrap_or_default(),
        text: args.text.trim().to_owned(),
        noted_unix_ms: Timestamp::now().as_millisecond().unsigned_abs(),
    };
    note(&mut *open_store(&args.kept)?, &annotation)?;
    outln!(
        "{} {}: {}",
        args.stack,
        args.version,
        if annotation.text.is_empty() { "removed" } else { "noted" }
    );
    Ok(Status::Done)
}
