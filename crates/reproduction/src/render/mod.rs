//! Renderings of the model.

mod between_hosts;
mod markdown;
mod notes;
mod picture;
mod provenance;
mod ratios;
mod standing;
mod terminal;
mod verdicts;
mod words;

pub use markdown::{claims_markdown, markdown};
pub use notes::{claim_notes, document_notes, far, table_causes};
pub use picture::claims_svg;
pub use provenance::{here_on, provenance_facts, runs_of, took_lines, versions_table};
pub(crate) use ratios::band_of;
pub use ratios::{band, change, criterion, found};
pub use standing::{StandingLine, standing};
pub use terminal::{cells, head, is_figure, terminal};
pub use verdicts::{
    by_group, counts, elsewhere, in_cases, of_group, row_verdict, sentence_counts, sentence_summary, summary,
    verdict,
};
pub use words::{figure, here, short, took};

use crate::model::Reproduction;

/// The whole model, for programs.
pub fn json(reproduction: &Reproduction) -> String {
    let mut text = serde_json::to_string_pretty(reproduction).expect("the model serialises");
    text.push('\n');
    text
}
