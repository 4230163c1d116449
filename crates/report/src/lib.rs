//! Renderings of a run's figures: text for a terminal, Markdown, and the formats of other programs.
//!
//! The figures are those of [`tlslab_estimate::Report`]; renderers compute no figures. All are pure: text or
//! bytes out, no file.

mod export;
mod render;
pub mod tables;
pub mod timeline;

pub use export::{
    bencher, github_action_bigger, github_action_smaller, go, holes, openmetrics, parquet, pyperf,
};
pub use render::{
    Further, ScenarioCost, ScenarioCosts, cross_csv, csv, json, markdown, rows_csv, rows_summary, terminal,
    together_csv,
};
