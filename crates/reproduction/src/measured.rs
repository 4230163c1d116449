//! The measurements for a document.

use std::collections::BTreeMap;

use tlslab_comparison::Comparison;
use tlslab_estimate::Report;

use crate::model::{Took, TrialOfStack};
use crate::profiled::Functions;
use crate::provenance::Provenance;

/// The measurements for a document.
#[derive(Default)]
pub struct Measured {
    /// The reports of each measurement, by its name: as many as there were runs.
    pub reports: BTreeMap<String, Vec<Report>>,
    /// The comparisons, by name.
    pub comparisons: BTreeMap<String, Comparison>,
    /// What functions take, by cell; or why that is not known, after `unsupported: ` or `failed: `.
    pub profiles: BTreeMap<String, Result<Functions, String>>,
    /// What the document's programs said, by title.
    pub trials: BTreeMap<String, Vec<TrialOfStack>>,
    /// How long all of it took, where that is known.
    pub took: Option<Took>,
    /// How it was measured, if that is known.
    pub provenance: Option<Provenance>,
    /// By which version of the lab's rules it was estimated and judged; nothing in earlier records.
    pub rule: Option<u32>,
}
