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
    /// The costs of functions, by cell; or the reason for their absence, after `unsupported: ` or `failed: `.
    pub profiles: BTreeMap<String, Result<Functions, String>>,
    /// The outcomes of the document's programs, by title.
    pub trials: BTreeMap<String, Vec<TrialOfStack>>,
    /// The total time, if it is known.
    pub took: Option<Took>,
    /// How it was measured, if that is known.
    pub provenance: Option<Provenance>,
    /// The version of the lab's rules by which it was estimated and judged; none in earlier records.
    pub rule: Option<u32>,
}
