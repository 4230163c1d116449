//! How stacks take turns, and the statistics of slices.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_protocol::WarmUpRule;

/// How the slices of a visit become one value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VisitEstimator {
    /// Their mean without the highest and the lowest fifth: for slices of some milliseconds, as in earlier
    /// versions of the lab.
    #[default]
    TrimmedMean,
    /// Their median: for short slices, few of which are affected by a disturbance of some milliseconds.
    Median,
}

/// The fewest blocks of a visit, however long they take: a median needs a few slices.
pub const FEWEST_BLOCKS: u32 = 3;

/// How stacks take turns on the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Slicing {
    /// The target length of one slice, ns.
    pub slice_ns: u64,
    /// How many slices make a turn.
    pub slices: u32,
    /// The warm-up at the beginning of a turn.
    pub warm_up: Option<WarmUpRule>,
}

impl Slicing {
    /// The statistic of such slices.
    pub fn estimator(&self) -> VisitEstimator {
        if self.slices > 1 { VisitEstimator::Median } else { VisitEstimator::TrimmedMean }
    }
}
