//! Reproduction of published documents: their figures measured again, and a verdict on each claim.
//!
//! A [`Document`] is a file: which runs it needs, which tables and claims it has, and which figures were
//! published. [`reproduce`] compares the reports of those runs with it; the renderers compute no figures. All
//! of it is pure: no file, no clock, no randomness.

mod asked_stack;
mod cause;
mod causes;
mod compared;
mod compared_cell;
mod compute;
mod contradiction;
mod document;
mod error;
mod explained;
mod far;
mod figure;
mod filled;
mod followed;
mod function_cost;
mod here;
mod judged;
mod lacking;
mod measured;
mod merged;
mod model;
mod names;
mod parts;
mod processor;
mod profiled;
mod profiled_claim;
mod provenance;
mod quantified;
mod record;
mod render;
mod row_table;
mod said;
mod scatter;
mod sentences;
mod standing;
mod terms;
mod text;
mod trial;
mod versions;

pub use compared::ComparisonOf;
pub use compute::{Asked, reproduce, texts};
pub use contradiction::contradictions;
pub use document::Document;
pub use error::DocumentError;
pub use judged::{Answer, Judged, Needs, Verdict};
pub use lacking::{MOST_OTHERS_BUSY_CPUS, MOST_STEAL_PERCENT};
pub use measured::Measured;
pub use merged::merged;
pub use model::{
    Case, Cause, Claim, Column, Elsewhere, Entry, Far, Figure, Here, HostOf, LeftOut, Outcome, Reproduction,
    Row, RunNote, Table, Took, Trial, TrialOfStack,
};
pub use parts::{Basis, Measurement};
pub use processor::processor;
pub use profiled::{FunctionCost, Functions, ProfileOf};
pub use provenance::{Built, Commit, PartProvenance, Provenance, StackVersion};
pub use record::{Record, RecordError};
pub use render::{
    StandingLine, band, by_group, cells, change, claim_notes, claims_markdown, claims_svg, counts, criterion,
    document_notes, elsewhere, far, figure, found, head, here, here_on, in_cases, is_figure, json, markdown,
    of_group, provenance_facts, row_verdict, runs_of, sentence_counts, sentence_summary, short, standing,
    summary, table_causes, terminal, took, took_lines, verdict, versions_table,
};
pub use sentences::{Sentence, SentenceOutcome, sentences};
pub use standing::{Lack, Standing};
pub use terms::{Band, Direction, Group, Quantifier, Terms};
pub use trial::{TrialOf, outcomes};
