//! `tlslab export`: a kept run in the format of another program.

use tlslab_report::{bencher, csv, github_action_bigger, github_action_smaller, go, holes, openmetrics};

use super::report::kept;
use crate::Ended;
use crate::cli::{ExportArgs, ExportFormat};

/// Prints it, and says how many cells are in the report alone.
pub fn export(args: &ExportArgs) -> anyhow::Result<Ended> {
    let report = kept(&args.kept, args.run.as_deref())?;
    let text = match args.format {
        ExportFormat::Bencher => bencher(&report),
        ExportFormat::GithubActionSmaller => github_action_smaller(&report),
        ExportFormat::GithubActionBigger => github_action_bigger(&report),
        ExportFormat::Go => go(&report),
        ExportFormat::Openmetrics => openmetrics(&report),
        ExportFormat::Csv => csv(&report),
    };
    print!("{text}");
    let holes = holes(&report);
    if holes > 0 && args.format != ExportFormat::Csv {
        eprintln!(
            "export: {holes} cells have no value, for reasons that `tlslab report` gives; this format has no place for them"
        );
    }
    Ok(Ended::Well)
}
