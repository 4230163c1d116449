//! `results.csv`: one row per cell.

use tlslab_estimate::{Cell, CrossOutcome, CrossPair, Estimated, ExactCell, ExactOutcome, Report, Size};
use tlslab_record::{SIZE_SCENARIO, SizeOutcome};
use tlslab_text::csv_field;

/// The columns.
pub(crate) const HEADER: [&str; 23] = [
    "scenario",
    "stack",
    "side",
    "metric",
    "unit",
    "n",
    "estimate",
    "lower",
    "upper",
    "confidence",
    "no_interval",
    "baseline",
    "ratio",
    "ratio_lower",
    "ratio_upper",
    "ratio_confidence",
    "no_ratio",
    "unsupported",
    "failed",
    "minimum",
    "maximum",
    "repeatable",
    "fidelity",
];

/// One row per cell with the fields of `results.json`, in the form of RFC 4180: CRLF, and quotes if needed.
/// Missing fields are empty.
pub fn csv(report: &Report) -> String {
    let mut text = record(HEADER.iter().map(|name| name.to_string()));
    for row in rows(report) {
        text.push_str(&record(row.into_iter()));
    }
    text
}

/// A row per cell, in the order of [`HEADER`].
pub(crate) fn rows(report: &Report) -> impl Iterator<Item = [String; HEADER.len()]> {
    report
        .cells
        .iter()
        .map(row)
        .chain(report.exact.iter().map(exact))
        .chain(report.sizes.iter().flat_map(size))
}

const CROSS_HEADER: [&str; 19] = [
    "scenario",
    "client",
    "server",
    "connections",
    "n",
    "client_us",
    "client_lower",
    "client_upper",
    "server_us",
    "server_lower",
    "server_upper",
    "sum_us",
    "sum_lower",
    "sum_upper",
    "confidence",
    "unsupported",
    "failed",
    "refused_by",
    "alert",
];

/// One row per pair of client and server, in the same form; `None` if a run has no pairs.
pub fn cross_csv(report: &Report) -> Option<String> {
    if report.cross.is_empty() {
        return None;
    }
    let mut text = record(CROSS_HEADER.iter().map(|name| name.to_string()));
    for table in &report.cross {
        for pair in &table.pairs {
            text.push_str(&record(cross_row(&table.scenario, pair).into_iter()));
        }
    }
    Some(text)
}

fn cross_row(scenario: &str, pair: &CrossPair) -> Vec<String> {
    let times = pair.outcome.measured();
    let n = times.map(|times| times.sum_us.n.to_string()).unwrap_or_default();
    let mut row = vec![scenario.to_owned(), pair.client.clone(), pair.server.clone()];
    row.extend([pair.connections.to_string(), n]);
    let of = |estimated: fn(&tlslab_estimate::CrossTimes) -> &Estimated| times.map(estimated);
    for estimated in [of(|times| &times.client_us), of(|times| &times.server_us), of(|times| &times.sum_us)] {
        let [lower, upper, _] = bounds(estimated);
        row.push(estimated.map(|estimated| estimated.value.to_string()).unwrap_or_default());
        row.extend([lower, upper]);
    }
    let [_, _, confidence] = bounds(of(|times| &times.sum_us));
    row.push(confidence);
    for kind in ["unsupported", "failed"] {
        let hole = pair.outcome.hole().filter(|(found, _)| *found == kind);
        row.push(hole.map(|(_, reason)| reason).unwrap_or_default());
    }
    row.extend(match &pair.outcome {
        CrossOutcome::Refused(refusal) => {
            [refusal.refused_by.to_string(), refusal.alert.clone().unwrap_or_default()]
        }
        _ => Default::default(),
    });
    row
}

fn size(size: &Size) -> Vec<[String; HEADER.len()]> {
    let row = |(metric, outcome): (&'static str, &SizeOutcome)| {
        let hole = |kind: &str| match outcome.hole() {
            Some((found, reason)) if found == kind => reason.to_owned(),
            _ => String::new(),
        };
        let named = |name: &'static str| match name {
            "scenario" => SIZE_SCENARIO.to_owned(),
            "stack" => size.stack.clone(),
            "metric" => metric.to_owned(),
            "unit" => "bytes".to_owned(),
            "n" => outcome.bytes().map(|_| 1.to_string()).unwrap_or_default(),
            "estimate" | "minimum" | "maximum" => {
                outcome.bytes().map(|bytes| bytes.to_string()).unwrap_or_default()
            }
            "repeatable" => outcome.bytes().map(|_| true.to_string()).unwrap_or_default(),
            "unsupported" | "failed" => hole(name),
            _ => String::new(),
        };
        HEADER.map(named)
    };
    size.figures().map(row).into()
}

fn row(cell: &Cell) -> [String; HEADER.len()] {
    let measured = cell.outcome.measured();
    let estimated = measured.map(|measured| &measured.estimated);
    let ratio = measured.and_then(|measured| measured.ratio.as_ref());
    let [lower, upper, confidence] = bounds(estimated);
    let [ratio_lower, ratio_upper, ratio_confidence] = bounds(ratio.map(|ratio| &ratio.estimated));
    let hole = |kind| match cell.outcome.hole() {
        Some((found, reason)) if found == kind => reason.to_owned(),
        _ => String::new(),
    };
    [
        cell.scenario.clone(),
        cell.stack.clone(),
        cell.side.to_string(),
        cell.metric.to_string(),
        cell.unit.to_string(),
        estimated.map(|estimated| estimated.n.to_string()).unwrap_or_default(),
        estimated.map(|estimated| estimated.value.to_string()).unwrap_or_default(),
        lower,
        upper,
        confidence,
        estimated.and_then(|estimated| estimated.no_interval.clone()).unwrap_or_default(),
        ratio.map(|ratio| ratio.baseline.clone()).unwrap_or_default(),
        ratio.map(|ratio| ratio.estimated.value.to_string()).unwrap_or_default(),
        ratio_lower,
        ratio_upper,
        ratio_confidence,
        measured.and_then(|measured| measured.no_ratio.clone()).unwrap_or_default(),
        hole("unsupported"),
        hole("failed"),
        String::new(),
        String::new(),
        String::new(),
        String::new(),
    ]
}

fn exact(cell: &ExactCell) -> [String; HEADER.len()] {
    let mut row: [String; HEADER.len()] = Default::default();
    let mut put = |name: &str, text: String| {
        if let Some(at) = HEADER.iter().position(|column| *column == name) {
            row[at] = text;
        }
    };
    put("scenario", cell.scenario.clone());
    put("stack", cell.stack.clone());
    put("side", cell.side.to_string());
    put("metric", cell.metric.clone());
    put("unit", cell.unit.symbol().to_owned());
    if let Some(ratio) = &cell.ratio {
        put("baseline", ratio.baseline.clone());
        put("ratio", ratio.value.to_string());
    }
    put("no_ratio", cell.no_ratio.clone().unwrap_or_default());
    put("fidelity", cell.fidelity.as_ref().map(|mark| mark.what.clone()).unwrap_or_default());
    match &cell.outcome {
        ExactOutcome::Measured(value) => {
            put("n", value.n.to_string());
            put("estimate", value.value.to_string());
            put("minimum", value.minimum.to_string());
            put("maximum", value.maximum.to_string());
            put("repeatable", value.repeatable.to_string());
        }
        ExactOutcome::Unsupported { unsupported } => put("unsupported", unsupported.clone()),
        ExactOutcome::Failed { failed } => put("failed", failed.clone()),
    }
    row
}

fn bounds(estimated: Option<&Estimated>) -> [String; 3] {
    match estimated.and_then(|estimated| estimated.interval) {
        Some(interval) => {
            [interval.lower, interval.upper, interval.confidence].map(|bound| bound.to_string())
        }
        None => Default::default(),
    }
}

fn record(fields: impl Iterator<Item = String>) -> String {
    let fields: Vec<String> = fields.map(|field| csv_field(&field)).collect();
    fields.join(",") + "\r\n"
}
