//! The heat map of clients by servers. The script colours it by the chosen side; without one it shows the
//! sum.

use tlslab_estimate::digits::written;
use tlslab_estimate::{CrossPair, CrossTable, Estimated, Report};
use tlslab_text::clean;

use tlslab_report::tables::cross::{FailureRow, failures, rows, stacks, tables, unsupported};
use tlslab_text::number::{counted, significant};

/// One scenario's map.
pub(super) struct CrossMap {
    pub scenario: String,
    pub summary: Vec<String>,
    pub servers: Vec<String>,
    pub rows: Vec<MapRow>,
    pub failures: Vec<FailureRow>,
    pub unsupported: Vec<String>,
    pub checks: Vec<CheckRow>,
    /// The colours of the sum's map with where each begins, µs.
    pub legend: Vec<(usize, String)>,
}

pub(super) struct MapRow {
    pub client: String,
    pub cells: Vec<MapCell>,
}

/// A field: its text, its colour, and its tooltip.
pub(super) struct MapCell {
    pub text: String,
    pub class: String,
    pub described: String,
}

pub(super) struct CheckRow {
    pub stack: String,
    pub client: String,
    pub server: String,
}

/// Colours of the map.
const STEPS: usize = 9;

pub(super) fn all(report: &Report) -> Vec<CrossMap> {
    report.cross.iter().zip(&tables(report)).map(|(table, listed)| map(table, listed)).collect()
}

/// The map of a table. The script draws every pair, so that the map has those of stacks that did not take
/// part, too; `listed` has not.
fn map(table: &CrossTable, listed: &CrossTable) -> CrossMap {
    let times = table.pairs.iter().filter_map(|pair| pair.outcome.measured());
    let scale = Scale::of(times.map(|times| times.sum_us.value).collect());
    let row = |(client, pairs): (&str, Vec<&CrossPair>)| MapRow {
        client: clean(client),
        cells: pairs.into_iter().map(|pair| cell(pair, &scale)).collect(),
    };
    CrossMap {
        scenario: clean(&table.scenario),
        summary: table.summary.iter().map(|line| clean(line)).collect(),
        servers: stacks(table).into_iter().map(clean).collect(),
        rows: rows(table).into_iter().map(row).collect(),
        failures: failures(listed),
        unsupported: unsupported(listed),
        checks: table
            .checks
            .iter()
            .map(|check| CheckRow {
                stack: clean(&check.stack),
                client: written(&check.client).to_string(),
                server: written(&check.server).to_string(),
            })
            .collect(),
        legend: scale.legend(),
    }
}

/// By equal ratios from the fastest pair to the slowest, but for the outermost 2 %, which share the end's
/// colours: one stack that is far from all others would leave a single colour for these.
struct Scale {
    least: f64,
    most: f64,
}

impl Scale {
    fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = (share * values.len().saturating_sub(1) as f64).round() as usize;
            values.get(place).copied().unwrap_or(f64::NAN)
        };
        Self { least: at(0.02), most: at(0.98) }
    }

    fn step(&self, value: f64) -> usize {
        let span = (self.most / self.least).ln();
        if !span.is_finite() || span <= 0.0 {
            return 0;
        }
        // Below the scale this is 0, too.
        let at = (value / self.least).ln() / span;
        ((at * STEPS as f64) as usize).min(STEPS - 1)
    }

    fn legend(&self) -> Vec<(usize, String)> {
        if !self.least.is_finite() {
            return Vec::new();
        }
        let from = |step: usize| self.least * (self.most / self.least).powf(step as f64 / STEPS as f64);
        (0..STEPS).map(|step| (step, significant(from(step), 3))).collect()
    }
}

fn cell(pair: &CrossPair, scale: &Scale) -> MapCell {
    let ends = format!("{} → {}", clean(&pair.client), clean(&pair.server));
    if let Some(times) = pair.outcome.measured() {
        let line = |name: &str, estimated: &Estimated| format!("{name} {} µs", written(estimated));
        let described = [
            ends,
            line("client", &times.client_us),
            line("server", &times.server_us),
            line("sum", &times.sum_us),
            format!("{} in {}", counted(pair.connections, "connection"), counted(times.sum_us.n, "visit")),
        ];
        return MapCell {
            text: significant(times.sum_us.value, 3),
            class: format!("heat-{}", scale.step(times.sum_us.value)),
            described: described.join("\n"),
        };
    }
    let (kind, reason) = pair.outcome.hole().unwrap_or(("failed", String::new()));
    let text = if kind == "failed" { "×" } else { "–" };
    MapCell {
        text: text.to_owned(),
        class: kind.to_owned(),
        described: format!("{ends}\n{kind}: {}", clean(&reason)),
    }
}
