//! `tlslab annotate`: a text beside a version in histories.

use jiff::Timestamp;
use tlslab_lab::annotate as note;
use tlslab_record::Annotation;

use crate::cli::AnnotateArgs;
use crate::results::open_store;
use tlslab_lab::Status;

/// Notes it, or removes what was noted.
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
