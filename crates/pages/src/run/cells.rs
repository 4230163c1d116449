//! The table of all cells.

use tlslab_estimate::{Estimated, Report};
use tlslab_report::tables::{Relative, figure};
use tlslab_text::clean;

/// One cell as a row; sort keys are next to the shown values.
pub(super) struct CellRow {
    pub family: &'static str,
    pub scenario: String,
    pub stack: String,
    pub side: &'static str,
    pub metric: &'static str,
    pub unit: &'static str,
    /// The figures, or the kind of hole and its reason.
    pub content: Result<Figures, (&'static str, String)>,
}

/// A measured cell's figures.
pub(super) struct Figures {
    pub n: usize,
    pub value: String,
    pub estimate: String,
    pub interval: String,
    pub ratio_value: Option<String>,
    pub ratio: String,
    pub ratio_interval: String,
}

/// From how many cells on the script makes the rows, a few hundred at a time: a browser takes long over more.
const MOST_ROWS: usize = 4_000;

/// Every cell; empty if they are too many for a page of text.
pub(super) fn all(report: &Report) -> Vec<CellRow> {
    if report.cells.len() > MOST_ROWS {
        return Vec::new();
    }
    let family = |name: &str| {
        let scenario = report.scenarios.iter().find(|scenario| scenario.name() == name);
        scenario.map_or("", |scenario| scenario.family.name())
    };
    let row = |cell: &tlslab_estimate::Cell| CellRow {
        family: family(&cell.scenario),
        scenario: clean(&cell.scenario),
        stack: clean(&cell.stack),
        side: cell.side.name(),
        metric: cell.metric.name(),
        unit: cell.unit.symbol(),
        content: match (cell.outcome.measured(), cell.outcome.hole()) {
            (Some(measured), _) => {
                let ratio = measured.ratio.as_ref().map(|ratio| &ratio.estimated);
                Ok(Figures {
                    n: measured.estimated.n,
                    value: sortable(measured.estimated.value),
                    estimate: figure(&measured.estimated).0,
                    interval: interval(&measured.estimated),
                    ratio_value: ratio.map(|ratio| sortable(ratio.value)),
                    ratio: ratio.map_or("–".to_owned(), |ratio| Relative::plain(ratio).0),
                    ratio_interval: match (ratio, &measured.no_ratio) {
                        (Some(ratio), _) => match Relative::plain(ratio).1 {
                            range if range.is_empty() => interval(ratio),
                            range => range,
                        },
                        (None, Some(reason)) => clean(reason),
                        (None, None) => "reference".to_owned(),
                    },
                })
            }
            (None, hole) => {
                let (kind, reason) = hole.unwrap_or(("failed", ""));
                Err((kind, clean(reason)))
            }
        },
    };
    report.cells.iter().map(row).collect()
}

/// The sort key of a column.
fn sortable(value: f64) -> String {
    format!("{value:.6e}")
}

fn interval(estimated: &Estimated) -> String {
    match &estimated.no_interval {
        Some(reason) => clean(reason),
        None => figure(estimated).1,
    }
}
