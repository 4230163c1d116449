//! One page that needs nothing else.

use crate::model::Comparison;

/// The page.
pub fn html(comparison: &Comparison) -> String {
    super::markdown::how(comparison)
}
