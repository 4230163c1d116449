//! Verdicts on deterministic or nearly deterministic figures: instructions and memory.

use tlslab_record::ComparisonPlan;
use tlslab_stats::{replicate_threshold, standard_deviation, student_quantile};

use crate::model::{Confirmation, Effect, Interval, Verdict};

/// The same figure of both stacks, observation by observation.
pub(super) struct Replicates {
    /// The base's and the new one's figure with each seed or in each process.
    pub values: Vec<(f64, f64)>,
    /// The confidence of intervals.
    pub confidence: f64,
}

impl Replicates {
    /// The log ratio of each. A figure of nothing has no logarithm, so where one is 0 both are taken one larger.
    fn log_ratios(&self) -> Vec<f64> {
        let shift = self.shift();
        let of = |(base, new): &(f64, f64)| ((new.max(0.0) + shift) / (base.max(0.0) + shift)).ln();
        self.values.iter().map(of).collect()
    }

    fn shift(&self) -> f64 {
        let has_nothing = self.values.iter().any(|(base, new)| *base <= 0.0 || *new <= 0.0);
        if has_nothing { 1.0 } else { 0.0 }
    }

    /// The base's mean, and the figure that is as many times larger as the ratio says.
    fn base_and_new(&self, mean: f64) -> (f64, f64) {
        match &self.values[..] {
            [first, ..] if self.values.iter().all(|value| value == first) => *first,
            values => {
                let base = values.iter().map(|(base, _)| base).sum::<f64>() / values.len() as f64;
                (base, (base + self.shift()) * mean.exp() - self.shift())
            }
        }
    }

    fn mean(&self) -> Option<f64> {
        let ratios = self.log_ratios();
        (!ratios.is_empty()).then(|| ratios.iter().sum::<f64>() / ratios.len() as f64)
    }

    fn is_exact(&self) -> bool {
        self.values.len() > 1 && self.values.windows(2).all(|two| two[0] == two[1])
    }

    /// What a change must exceed, as a log ratio.
    fn threshold(&self, plan: &ComparisonPlan) -> f64 {
        replicate_threshold(&self.log_ratios(), plan.exact_floor, 0.0, plan.alpha).unwrap_or(plan.exact_floor)
    }

    /// Whether it changed by more than that.
    pub fn is_flagged(&self, plan: &ComparisonPlan) -> bool {
        self.mean().is_some_and(|mean| mean.abs() >= self.threshold(plan))
    }

    /// Whether the confirmation changed in the same direction and by more than the floor, and scatters too much to be sure.
    pub fn is_unsure(&self, plan: &ComparisonPlan, again: &Self) -> bool {
        let is_alike = self
            .mean()
            .zip(again.mean())
            .is_some_and(|(first, again)| (first > 0.0) == (again > 0.0) && again.abs() >= plan.exact_floor);
        self.is_flagged(plan) && is_alike && !again.is_flagged(plan)
    }

    /// Both together.
    fn with(&self, again: &Self) -> Self {
        let values = self.values.iter().chain(&again.values).copied().collect();
        Self { values, confidence: self.confidence }
    }

    /// Whether it changed by less than the negligible effect size.
    pub fn is_tiny(&self, plan: &ComparisonPlan) -> bool {
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

    /// What is said of it; `confirming` is the second measurement of what was flagged. The second alone decides whether the first was right;
    /// figures and intervals are of both together.
    pub fn effect(
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
        let (base, new) = all.base_and_new(mean);
        Some(Effect {
            verdict,
            note,
            base,
            new,
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
                    let (first, again) = (self.values.len(), again.values.len());
                    let text = format!(
                        "changed alike with {first} seeds and with {again} others, which scatter too much to be sure; no more are drawn"
                    );
                    (Verdict::Inconclusive, Some(text))
                }
                Some((confirmation, _)) if !confirmation.agrees => {
                    (Verdict::Inconclusive, said("flagged at first, but not confirmed with other seeds"))
                }
                None if !self.is_exact() => {
                    (Verdict::Inconclusive, said("flagged, but not confirmed yet; resume the run"))
                }
                _ if mean > 0.0 => (Verdict::Regression, None),
                _ => (Verdict::Improvement, None),
            };
        }
        if self.is_exact() {
            let is_same = self.values.iter().all(|(base, new)| base == new);
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
