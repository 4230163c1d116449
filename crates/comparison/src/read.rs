//! Reads `comparison.json`. It may be forged: anything that is accepted can be rendered.

use std::ops::RangeInclusive;

use thiserror::Error;
use tlslab_record::is_file_name;

use crate::model::{Comparison, FORMAT, Outcome};
use crate::numbers::Measurable;

/// Sizes far beyond those of comparisons that somebody has measured.
const LONGEST: usize = 16 << 20;
const MOST_CELLS: usize = 20_000;
const MOST_PROFILES: usize = 1_000;
/// The folder of profiles.
const PROFILES: &str = "profiles/";
const RATIOS: RangeInclusive<f64> = 1e-12..=1e12;

/// Why a text is no comparison.
#[derive(Debug, Error)]
pub enum Unreadable {
    /// It is too long.
    #[error("it has {0} bytes; a comparison has at most {LONGEST}")]
    TooLong(usize),
    /// It is not what `comparison.json` looks like.
    #[error("it is not a comparison.json")]
    Json(#[from] serde_json::Error),
    /// Another version wrote it.
    #[error("its format is {0}, and this tlslab reads {FORMAT}; use the tlslab that wrote it")]
    Format(u32),
    /// It has too many cells.
    #[error("it has {0} cells; at most {MOST_CELLS} are read")]
    TooMany(usize),
    /// A cell belongs to none of the pairs.
    #[error("cell {cell} is of pair {pair}, and there are {pairs}")]
    NoPair {
        /// The cell's place.
        cell: usize,
        /// The pair that it names.
        pair: usize,
        /// How many there are.
        pairs: usize,
    },
    /// A cell has neither figures nor a reason for their absence.
    #[error("cell {0} has neither figures nor a reason for their absence")]
    Nothing(usize),
    /// A profile that is not a file next to the comparison, or belongs to none of its pairs.
    #[error("profile {0} is not a file of the comparison")]
    Profile(usize),
    /// A figure that no measurement gives.
    #[error("cell {0} has a ratio that is not above zero, or beyond any that is measured")]
    Ratio(usize),
}

/// Reads a comparison.
pub fn read(text: &str) -> Result<Comparison, Unreadable> {
    if text.len() > LONGEST {
        return Err(Unreadable::TooLong(text.len()));
    }
    serde_json::from_str::<Measurable>(text)?;
    let comparison: Comparison = serde_json::from_str(text)?;
    if comparison.format != FORMAT {
        return Err(Unreadable::Format(comparison.format));
    }
    if comparison.changes.len() > MOST_CELLS {
        return Err(Unreadable::TooMany(comparison.changes.len()));
    }
    let pairs = comparison.pairs.len();
    for (number, profile) in comparison.profiles.iter().enumerate() {
        let is_in_place = |file: &str| file.strip_prefix(PROFILES).is_some_and(is_file_name);
        let is_one =
            profile.pair < pairs && is_in_place(&profile.baseline) && is_in_place(&profile.candidate);
        if number >= MOST_PROFILES || !is_one {
            return Err(Unreadable::Profile(number));
        }
    }
    for (cell, change) in comparison.changes.iter().enumerate() {
        if change.pair >= pairs {
            return Err(Unreadable::NoPair { cell, pair: change.pair, pairs });
        }
        if matches!(&change.outcome, Outcome::Missing { baseline_missing: None, candidate_missing: None }) {
            return Err(Unreadable::Nothing(cell));
        }
        let ratio = change.effect().map_or(1.0, |effect| effect.ratio);
        if !RATIOS.contains(&ratio) {
            return Err(Unreadable::Ratio(cell));
        }
    }
    Ok(comparison)
}
