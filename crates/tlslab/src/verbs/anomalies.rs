//! `tlslab anomalies`: cells of a recorded run that break an expectation.

use tlslab_anomaly::{json, markdown, terminal};
use tlslab_lab::{Status, anomalies as anomalies_of};
use tlslab_record::HistoryPolicy;
use tlslab_site::Source;

use crate::cli::{AnomaliesArgs, ListFormat};

/// Prints them. Nothing is written, and finding some is no failure.
pub(crate) fn anomalies(args: &AnomaliesArgs, policy: HistoryPolicy) -> anyhow::Result<Status> {
    let run = args.run.as_deref();
    let all = match &args.recorded {
        Some(file) => anomalies_of(Source::recorded(file, policy.clone())?.results(), run, &policy)?,
        None => anomalies_of(&args.kept.results(), run, &policy)?,
    };
    let text = match args.format {
        ListFormat::Table => terminal(&all, args.limit),
        ListFormat::Markdown => markdown(&all, args.limit),
        ListFormat::Json => json(&all, args.limit),
    };
    out!("{text}");
    Ok(Status::Done)
}
