//! Estimators and intervals for what the lab measures.
//!
//! A *visit* is one pair of fresh processes; its slices become one value ([`visit_value`]) or one log ratio
//! ([`paired_log_ratio`], of short slices [`paired_log_median`]). The values of all visits become an
//! [`Estimate`] with a distribution-free interval ([`estimate`], [`ratio_estimate`]), beside it the smallest
//! change that could have been seen ([`minimum_detectable_effect`]) and a [`Summary`] for plots.
//!
//! Whether a change is larger than what may be ignored is an [`effect_test`]; when to look at it, and what to
//! make of looking early, is a [`Sequential`] design; what remains of many cells' p-values is
//! [`benjamini_hochberg`]. Values that nobody paired have a [`shift()`], counts a [`replicate_threshold`].
//!
//! Everything here is a pure function of its arguments: no file, no clock, and chance from a seed alone. The
//! order of the values never matters, except that paired values stay paired and that a series is in the order
//! of time. Every function refuses values that are not finite: a NaN from a broken clock must not become a
//! verdict.

mod autocorrelation;
mod bootstrap;
mod brownian;
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
