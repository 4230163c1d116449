//! Reproduction of published documents: their figures measured again, and a verdict on each claim.
//!
//! A [`Document`] is a file: which runs it needs, which tables and claims it has, and which figures were published. [`reproduce`]
//! holds the reports of those runs against it; the renderers compute nothing of their own. All of it is pure: no file, no
//! clock, no chance.

mod compared;
mod compute;
mod document;
mod error;
mod figure;
mod model;
mod parts;
mod profiled;
mod provenance;
mod record;
mod render;
mod scatter;
mod text;
mod trial;
mod versions;

pub use compared::ComparisonOf;
pub use compute::{Asked, Measured, reproduce, texts};
pub use document::Document;
pub use error::DocumentError;
pub use model::{
    Claim, Column, Entry, Figure, Here, Outcome, Reproduction, Row, RunNote, Table, Took, Trial,
    TrialOfStack, Verdict,
};
pub use parts::{Basis, Measurement};
pub use profiled::{FunctionCost, Functions, ProfileOf};
pub use provenance::{Commit, PartProvenance, Provenance, StackVersion};
pub use record::{Record, RecordError};
pub use render::{
    cells, claims_markdown, claims_svg, figure, head, here, is_figure, json, markdown, preliminary,
    provenance_facts, short, summary, terminal, took, versions_table,
};
pub use trial::{TrialOf, outcomes};
