//! `tlslab acknowledge`: a regression that is accepted.

use std::path::PathBuf;

use clap::Args;
use tlslab_comparison::Compared;
use tlslab_job::Status;
use tlslab_lab::{Acknowledged, Acknowledging, Size, acknowledge as note};
use tlslab_record::Share;

use crate::cli::KeptArgs;
use crate::results::open_store;

/// Arguments of `acknowledge`.
#[derive(Args)]
pub(crate) struct AcknowledgeArgs {
    /// The stack as histories name it, without a version.
    #[arg(value_name = "STACK")]
    pub stack: String,
    /// The version as histories show it, or a commit with at least 12 digits; the history need not have it.
    #[arg(value_name = "VERSION")]
    pub version: String,
    /// Why it is accepted; an empty text removes the acknowledgement.
    #[arg(value_name = "TEXT")]
    pub text: String,
    /// Only scenarios of this pattern.
    #[arg(long, value_name = "GLOB")]
    pub scenario: Option<String>,
    /// Only this metric: time, count, heap.peak, heap.allocations or heap.allocated.
    #[arg(long, value_name = "METRIC", value_parser = parse_compared_metric)]
    pub metric: Option<Compared>,
    /// Regressions up to this size, % [default: each cell's own in the newest comparison of the version in
    /// the database].
    #[arg(long, value_name = "PERCENT", conflicts_with = "from")]
    pub up_to: Option<Share>,
    /// Regressions up to each cell's own size in this comparison.json.
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// The database of the history.
    #[command(flatten)]
    pub kept: KeptArgs,
}

impl AcknowledgeArgs {
    /// The request.
    pub(crate) fn request(&self) -> Acknowledging {
        let size = match (self.up_to, &self.from) {
            (Some(share), _) => Size::UpTo(share),
            (None, Some(file)) => Size::File(file.clone()),
            (None, None) => Size::Recorded,
        };
        let (stack, label, scenario) = (self.stack.clone(), self.version.clone(), self.scenario.clone());
        Acknowledging { stack, label, scenario, metric: self.metric, text: self.text.trim().to_owned(), size }
    }
}

/// A metric by its name in files, or by its name in requests.
fn parse_compared_metric(text: &str) -> Result<Compared, String> {
    let is_it =
        |metric: &Compared| metric.name() == text || *metric == Compared::Instructions && text == "count";
    let names = || Compared::ALL.map(Compared::name).join(", ");
    Compared::ALL.into_iter().find(is_it).ok_or_else(|| format!("it is one of {}", names()))
}

/// Stores or removes an acknowledgement, and prints each cell.
pub(crate) fn acknowledge(args: &AcknowledgeArgs) -> anyhow::Result<Status> {
    for noted in note(&mut *open_store(&args.kept)?, &args.request())? {
        outln!("{} {}: {}", noted.stack, noted.label, described(&noted));
    }
    Ok(Status::Done)
}

fn described(noted: &Acknowledged) -> String {
    let any = |pattern: &str, all: &str| if pattern.is_empty() { all.to_owned() } else { pattern.to_owned() };
    let scenario = any(&noted.scenario, "all scenarios");
    let (side, metric) = (any(&noted.side, "both sides"), any(&noted.metric, "all metrics"));
    let cells = format!("{scenario}, {side}, {metric}");
    match noted.text.is_empty() {
        true => format!("no longer acknowledged in {cells}"),
        false => format!("acknowledged up to +{:.2} % in {cells}", 100.0 * (noted.up_to - 1.0)),
    }
}
