//! `tlslab acknowledge`: a regression that is accepted.

use tlslab_lab::{Acknowledged, Status, acknowledge as note};

use crate::cli::AcknowledgeArgs;
use crate::results::open_store;

/// Notes it, or takes back what was noted, and prints each.
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
