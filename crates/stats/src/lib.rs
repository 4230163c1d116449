//! Estimators, intervals and tests for the lab's measurements.
//!
//! A *visit* is one pair of new processes; its slices become one value ([`visit_value`]) or one log ratio
//! ([`paired_log_ratio`], for short slices [`paired_log_median`]). The values of all visits become an
//! [`Estimate`] with a distribution-free interval ([`estimate`], [`ratio_estimate`]), the smallest change
//! that could have been found ([`minimum_detectable_effect`]), and a [`Summary`] for plots.
//!
//! An [`effect_test`] decides whether a change is larger than a minimum effect, and a [`Sequential`] design
//! when to test and how to correct for early looks. [`benjamini_hochberg`] corrects for many cells. Unpaired
//! values have a [`shift()`], counts a [`replicate_threshold`].
//!
//! Every function is pure: no file, no clock, and random numbers only from a seed. The order of values never
//! matters, except that paired values stay paired and that a series is in time order. Every function rejects
//! values that are not finite, so that a NaN from a broken clock cannot become a verdict.

mod autocorrelation;
mod bootstrap;
mod brownian;
mod distribution_test;
mod effect_test;
mod estimate;
mod false_discovery;
mod fence;
mod hodges_lehmann;
mod level_changes;
mod median_deviation;
mod minimum_effect;
mod modes;
mod normal;
mod power;
mod proportion;
mod pyramid;
mod quantile;
mod rank_sum;
mod ranks;
mod refused;
mod replicate_threshold;
mod sequential;
mod signed_rank;
mod slope;
mod sorted;
mod steady_state;
mod student;
mod summary;
mod trimmed;
mod visit;
mod walsh;

pub use autocorrelation::lag_one_autocorrelation;
pub use bootstrap::{BootstrapInterval, block_bootstrap, block_length, process_bootstrap};
pub use distribution_test::distribution_test;
pub use effect_test::{EffectTest, effect_test};
pub use estimate::{Estimate, estimate, ratio_estimate};
pub use false_discovery::benjamini_hochberg;
pub use fence::fence;
pub use hodges_lehmann::hodges_lehmann;
pub use level_changes::level_changes;
pub use median_deviation::median_deviation;
pub use minimum_effect::{minimum_detectable_effect, minimum_detectable_effect_of, standard_deviation};
pub use modes::{Modes, modes};
pub use normal::{normal_cdf, normal_quantile};
pub use power::{WholeRule, WholeRuleTerms};
pub use proportion::{ProportionInterval, clopper_pearson};
pub use pyramid::{Bucket, Pyramid};
pub use quantile::{median, quantile};
pub use rank_sum::{ShiftTest, shift};
pub use ranks::LARGEST_EXACT_N;
pub use refused::Refused;
pub use replicate_threshold::replicate_threshold;
pub use sequential::Sequential;
pub use signed_rank::{SignedRankInterval, needed_n};
pub use slope::slope;
pub use steady_state::{SteadyState, steady_state};
pub use student::{student_cdf, student_quantile};
pub use summary::{Histogram, Summary, summarise};
pub use trimmed::trimmed_mean;
pub use visit::{VISIT_TRIM, paired_log_median, paired_log_ratio, visit_value};
