//! The rule by which stacks take turns on the processor.

use tlslab_protocol::WarmUpRule;
use tlslab_record::Slicing;

/// What runs, comparisons and pairs use.
pub const RULE: Slicing = Slicing {
    slice_ns: 500_000,
    slices: 8,
    warm_up: Some(WarmUpRule { least_ns: 2_000_000, least_iterations: 16, most_ns: 20_000_000 }),
};
