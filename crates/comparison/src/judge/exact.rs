//! Verdicts on deterministic or nearly deterministic figures: instructions and memory.

use tlslab_record::ComparisonPlan;
use tlslab_stats::{replicate_threshold, standard_deviation, student_quantile};

use crate::model::{Confirmation, Effect, Interval};
use crate::verdict::Verdict;

/// A figure of both stacks, observation by observation.
pub(super) struct Replicates {
    /// The baseline's and the new one's figure with each seed or in each process.
    pub values: Vec<(f64, f64)>,
    /// The confidence of intervals.
    pub confidence: f64,
    /// The kind of observation: `seeds`, `processes` or [`READINGS`].
    pub of: &'static str,
}

/// Observations of files: they are the same at each reading.
pub(super) const READINGS: &str = "readings";

impl Replicates {
    /// The log ratio of each. Zero has no logarithm, so if one figure is 0 both are increased by one.
    fn log_ratios(&self) -> Vec<f64> {
        let shift = self.shift();
        let of = |(baseline, candidate): &(f64, f64)| {
            ((candidate.max(0.0) + shift) / (baseline.max(0.0) + shift)).ln()
        };
        self.values.iter().map(of).collect()
    }

    fn shift(&self) -> f64 {
        let has_nothing =
            self.values.iter().any(|(baseline, candidate)| *baseline <= 0.0 || *candidate <= 0.0);
        if has_nothing { 1.0 } else { 0.0 }
    }

    /// The baseline's mean, and the candidate's figure by the ratio.
    fn both_figures(&self, mean: f64) -> (f64, f64) {
        match &self.values[..] {
            [first, ..] if self.values.iter().all(|value| value == first) => *first,
            values => {
                let baseline = values.iter().map(|(baseline, _)| baseline).sum::<f64>() / values.len() as f64;
                (baseline, (baseline + self.shift()) * mean.exp() - self.shift())
            }
        }
    }

    fn mean(&self) -> Option<f64> {
        let ratios = self.log_ratios();
        (!ratios.is_empty()).then(|| ratios.iter().sum::<f64>() / ratios.len() as f64)
    }

    pub(super) fn is_exact(&self) -> bool {
        (self.values.len() > 1 || self.of == READINGS) && self.values.windows(2).all(|two| two[0] == two[1])
    }

    /// The threshold of a change, as a log ratio.
    fn threshold(&self, plan: &ComparisonPlan) -> f64 {
        replicate_threshold(&self.log_ratios(), plan.exact_floor, 0.0, plan.alpha).unwrap_or(plan.exact_floor)
    }

    /// Whether it changed by more than that.
    pub(super) fn is_flagged(&self, plan: &ComparisonPlan) -> bool {
        self.mean().is_some_and(|mean| mean.abs() >= self.threshold(plan))
    }

    /// Whether the confirmation changed in the same direction and by more than the floor, but scatters too
    /// much.
    pub(super) fn is_unsure(&self, plan: &ComparisonPlan, again: &Self) -> bool {
        let is_alike = self
            .mean()
            .zip(again.mean())
            .is_some_and(|(first, again)| (first > 0.0) == (again > 0.0) && again.abs() >= plan.exact_floor);
        self.is_flagged(plan) && is_alike && !again.is_flagged(plan)
    }

    /// Both together.
    fn with(&self, again: &Self) -> Self {
        let values = self.values.iter().chain(&again.values).copied().collect();
        Self { values, ..*self }
    }

    /// Whether it changed by less than the negligible effect size.
    pub(super) fn is_tiny(&self, plan: &ComparisonPlan) -> bool {
        self.mean().is_some_and(|mean| mean.abs() < plan.negligible)
    }

    fn interval(&self) -> Option<Interval> {
        let (ratios, mean) = (self.log_ratios(), self.mean()?);
        let spread = standard_deviation(&ratios).ok()?;
        let n = ratios.len() as f64;
        let reach = student_quantile(1.0 - (1.0 - self.confidence) / 2.0, n - 1.0) * spread / n.sqrt();
        let (lower, upper) = ((mean - reach).exp(), (mean + reach).exp());
        (lower.is_finite() && upper.is_finite()).then_some(Interval {
            lower,
            upper,
            confidence: self.confidence,
        })
    }

    /// The outcome; `confirming` is the second measurement of a flagged cell. It alone decides whether the
    /// first was right; figures and intervals are of both together.
    pub(super) fn effect(
        &self,
        plan: &ComparisonPlan,
        is_identical: bool,
        confirming: Option<&Replicates>,
    ) -> Option<Effect> {
        let mean = self.mean()?;
        let threshold = self.threshold(plan);
        let confirming = confirming.filter(|_| self.is_flagged(plan));
        let confirmation = confirming.and_then(|again| {
            let ratio = again.mean()?;
            let agrees = again.is_flagged(plan) && (ratio > 0.0) == (mean > 0.0);
            Some(Confirmation {
                ratio: ratio.exp(),
                interval: again.interval(),
                n: again.values.len(),
                agrees,
            })
        });
        let (verdict, note) = self.verdict(plan, is_identical, confirmation.as_ref().zip(confirming));
        let all =
            confirming.map_or_else(|| self.with(&Self { values: vec![], ..*self }), |again| self.with(again));
        let mean = all.mean()?;
        let (baseline, candidate) = all.both_figures(mean);
        Some(Effect {
            verdict,
            note,
            baseline,
            candidate,
            ratio: mean.exp(),
            interval: all.interval(),
            n: all.values.len(),
            p_value: None,
            q_value: None,
            threshold,
            detectable: Some(threshold.exp_m1()),
            confirmation,
            exact: all.is_exact(),
            tiny: verdict.is_flagged() && all.is_tiny(plan),
            ratios: all.log_ratios().into_iter().map(f64::exp).collect(),
            spread: None,
            dependence: None,
            tracked: None,
            points: Vec::new(),
            acknowledged: None,
            groups: None,
            reasons: Vec::new(),
        })
    }

    fn verdict(
        &self,
        plan: &ComparisonPlan,
        is_identical: bool,
        confirmation: Option<(&Confirmation, &Self)>,
    ) -> (Verdict, Option<String>) {
        let mean = self.mean().unwrap_or(0.0);
        let said = |text: &str| Some(text.to_owned());
        if is_identical {
            let differs =
                (mean != 0.0).then(|| format!("nevertheless differed by {:+.4} %", 100.0 * mean.exp_m1()));
            return (Verdict::Identical, differs);
        }
        if self.is_flagged(plan) {
            return match confirmation {
                Some((_, again)) if self.is_unsure(plan, again) => {
                    let (first, again, of) = (self.values.len(), again.values.len(), self.of);
                    let text = format!(
                        "same direction with {first} {of} and with {again} others, but these scatter too much to confirm it; no more {of} are drawn"
                    );
                    (Verdict::Inconclusive, Some(text))
                }
                Some((confirmation, _)) if !confirmation.agrees => (
                    Verdict::Inconclusive,
                    Some(format!("flagged at first, but not confirmed with other {}", self.of)),
                ),
                None if !self.is_exact() => {
                    (Verdict::Inconclusive, said("flagged, but not confirmed yet; resume the run"))
                }
                _ if mean > 0.0 => (Verdict::Regression, None),
                _ => (Verdict::Improvement, None),
            };
        }
        if self.is_exact() {
            let is_same = self.values.iter().all(|(baseline, candidate)| baseline == candidate);
            return if is_same {
                (Verdict::NotSignificant, said("exactly the same"))
            } else {
                (Verdict::Changed, None)
            };
        }
        let verdict = if self.threshold(plan) <= plan.negligible {
            Verdict::NotSignificant
        } else {
            Verdict::Inconclusive
        };
        (verdict, None)
    }
}

#[cfg(test)]
mod tests {
    use tlslab_record::{Policy, Rounds};

    use super::*;

    fn plan() -> ComparisonPlan {
        ComparisonPlan::by(&Policy::default(), &Rounds::new(&[8], 8))
    }

    /// A count of a million that changed by these many percent with each seed.
    fn seeds(percent: &[f64]) -> Replicates {
        let values = percent.iter().map(|change| (1e6, 1e6 * (1.0 + change / 100.0))).collect();
        Replicates { values, confidence: 0.99, of: "seeds" }
    }

    fn said(first: &Replicates, again: &Replicates) -> Effect {
        first.effect(&plan(), false, Some(again)).unwrap()
    }

    #[test]
    fn two_measurements_that_agree_and_scatter_are_decided_by_further_seeds() {
        let first = seeds(&[0.40, 0.42, 0.38, 0.41, 0.39]);
        let again = seeds(&[0.45, 0.60, 0.51]);
        assert!(first.is_unsure(&plan(), &again));
        let unsure = said(&first, &again);
        assert_eq!(unsure.verdict, Verdict::Inconclusive);
        let note = unsure.note.unwrap();
        assert!(
            note.starts_with("same direction with 5 seeds and with 3 others, but these scatter"),
            "{note}"
        );
        let more = again.with(&seeds(&[0.43, 0.50, 0.47, 0.55, 0.44, 0.52, 0.49, 0.46]));
        assert!(!first.is_unsure(&plan(), &more));
        let sure = said(&first, &more);
        assert_eq!((sure.verdict, sure.n, sure.exact), (Verdict::Regression, 16, false));
        let interval = sure.interval.unwrap();
        assert!(interval.lower < sure.ratio && sure.ratio < interval.upper);
        assert!((sure.ratio - 1.0046).abs() < 0.0005, "of all seeds: {}", sure.ratio);
        assert_eq!(sure.confirmation.unwrap().n, 11);
    }

    #[test]
    fn what_the_second_measurement_does_not_show_is_not_confirmed() {
        let first = seeds(&[0.40, 0.42, 0.38, 0.41, 0.39]);
        for again in [seeds(&[0.0, 0.0, 0.0]), seeds(&[-0.40, -0.42, -0.38]), seeds(&[-0.1, 0.1, 0.001])] {
            assert!(!first.is_unsure(&plan(), &again));
            let note = said(&first, &again).note.unwrap();
            assert_eq!(note, "flagged at first, but not confirmed with other seeds");
        }
    }

    #[test]
    fn what_repeats_exactly_needs_no_further_seeds() {
        let (first, again) = (seeds(&[17.5; 5]), seeds(&[17.5; 3]));
        assert!(!first.is_unsure(&plan(), &again));
        let effect = said(&first, &again);
        assert_eq!((effect.verdict, effect.exact, effect.n), (Verdict::Regression, true, 8));
    }

    /// Seeded; `cargo test -p tlslab-comparison --lib rates -- --nocapture` prints the rates.
    #[test]
    fn rates_of_counts_that_scatter() {
        use rand::{RngExt, SeedableRng};
        let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        let mut confirmed = |change: f64, cells: u32| {
            let mut draw = |count: usize| {
                let one = |_| {
                    let chance: f64 = random.random();
                    change + 0.1 * tlslab_stats::normal_quantile(chance.max(f64::EPSILON))
                };
                seeds(&(0..count).map(one).collect::<Vec<f64>>())
            };
            let is_confirmed = |draw: &mut dyn FnMut(usize) -> Replicates| {
                let first = draw(5);
                if !first.is_flagged(&plan()) {
                    return false;
                }
                let mut again = draw(3);
                for more in [8, 16] {
                    if first.is_unsure(&plan(), &again) {
                        again = again.with(&draw(more));
                    }
                }
                said(&first, &again).verdict.is_flagged()
            };
            (0..cells).filter(|_| is_confirmed(&mut draw)).count() as f64 / f64::from(cells)
        };
        let (none, three) = (confirmed(0.0, 40_000), confirmed(0.3, 1_000));
        println!(
            "seeds that scatter by 0.1 %: of cells without a change {:.4} % are confirmed, of those that changed by 0.3 % {:.0} %",
            100.0 * none,
            100.0 * three
        );
        assert!(none < 0.0003 && three > 0.6, "{none} {three}");
    }
}
