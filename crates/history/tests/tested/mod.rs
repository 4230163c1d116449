//! The options by which the tests cut series.
#![allow(dead_code, reason = "each test takes what it needs")]

use tlslab_history::{Options, StepOptions};

pub(crate) const TESTED: Options = Options {
    minimum_segment: 3,
    alpha: 0.0001,
    new_run_alpha: 0.01,
    permutations: 1999,
    persistence: 1,
    seed: 0,
};

pub(crate) const TESTED_STEPS: StepOptions = StepOptions { floor: 0.0002, band: 5.0, scattered: TESTED };
