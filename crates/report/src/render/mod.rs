//! Renderings of a report. They compute only layout.

pub mod cold;
pub mod cross;
mod csv;
pub mod defaults;
pub(crate) mod exact;
mod exact_figure;
mod further;
pub(crate) mod host;
mod json;
pub(crate) mod kernel;
mod markdown;
mod open_loop;
pub(crate) mod processors;
mod rows;
mod scenario_costs;
pub mod shares;
pub(crate) mod size;
mod steps;
pub(crate) mod table;
mod terminal;
pub mod together;
pub(crate) mod wire;
pub(crate) mod words;

#[cfg(feature = "parquet")]
pub(crate) use csv::{HEADER, rows};
pub use csv::{cross_csv, csv};
pub use further::Further;
pub use json::json;
pub use markdown::markdown;
pub use rows::{rows_csv, rows_summary};
pub use scenario_costs::{ScenarioCost, ScenarioCosts};
pub use terminal::terminal;
pub use together::together_csv;

/// Answers of a run other than its headlines, as sentences.
fn answers(report: &tlslab_estimate::Report) -> impl Iterator<Item = String> {
    let all = [shares::answer(report), size::answer(report), wire::answer(report), kernel::answer(report)];
    all.into_iter().flatten().chain(processors::answers(report))
}
