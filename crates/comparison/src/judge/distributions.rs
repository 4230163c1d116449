//! Figures that every connection of two stacks has: any difference is a change. One that varies between
//! connections has changed if its values do not overlap, or if they occur more often or less often than
//! chance explains.

use tlslab_protocol::Side;
use tlslab_record::{Lengths, PerConnection, RunRecord, Weighed, Weight, WeightKind};
use tlslab_stats::distribution_test;
use tlslab_text::number::whole;

use super::defaults;
use super::observed::hole;
use crate::compared::Compared;
use crate::model::{Effect, Interval, Outcome, Reason};
use crate::verdict::Verdict;

/// How probable two samples of one distribution that differ as much may be, at most, for a figure that
/// varies to count as changed.
const CHANCE: f64 = 1e-6;

/// The parts that are named where a figure changed.
pub(super) const MOST_REASONS: usize = 8;

/// A stack in a scenario of a run.
#[derive(Clone, Copy)]
pub(super) struct Place<'r> {
    pub record: &'r RunRecord,
    pub scenario: usize,
    pub stack: usize,
}

impl<'r> Place<'r> {
    fn cell(self) -> defaults::Cell<'r> {
        (self.record, self.scenario, self.stack)
    }

    /// What was read in all processes, or why nothing was.
    fn figures(
        &self,
        kind: WeightKind,
        of: fn(&'r Weighed) -> Option<&'r PerConnection>,
    ) -> Result<PerConnection, String> {
        if let Some(hole) = hole(self.record, self.scenario, self.stack) {
            return Err(hole);
        }
        let mut all = Vec::new();
        let here = |weight: &&Weight| {
            (weight.scenario, weight.stack, weight.kind) == (self.scenario, self.stack, kind)
        };
        for weight in self.record.weights.iter().filter(here) {
            match &weight.weighed {
                Weighed::Unsupported(reason) => return Err(format!("unsupported: {reason}")),
                Weighed::Failed(reason) => return Err(format!("failed: {reason}")),
                weighed => all.extend(of(weighed)),
            }
        }
        match all.is_empty() {
            true => Err("failed: nothing was read: the run ended before; resume it".to_owned()),
            false => Ok(PerConnection::together(all)),
        }
    }
}

/// Figures of a kind, and how they are compared.
pub(super) struct Figures<'m> {
    pub kind: WeightKind,
    /// What is compared; a hole stands at the first.
    pub metrics: &'m [Compared],
    /// The beginning of their names, which figures lack.
    pub prefix: &'static str,
    /// The figures of a process.
    pub of: fn(&Weighed) -> Option<&PerConnection>,
    /// The parts of a figure that changed.
    pub parts: fn(&Both<'_>, &str) -> Vec<Reason>,
}

impl Figures<'_> {
    /// All that is compared of one side. What neither stack has is no cell.
    pub(super) fn outcomes(
        &self,
        baseline: Place<'_>,
        candidate: Place<'_>,
        side: Side,
        is_identical: bool,
    ) -> Vec<(Compared, Outcome)> {
        let words = defaults::changed(baseline.cell(), candidate.cell(), side);
        let of = |place: Place<'_>| place.figures(self.kind, self.of);
        let (baseline, candidate) = match (of(baseline), of(candidate)) {
            (Ok(baseline), Ok(candidate)) => (baseline, candidate),
            (baseline, candidate) => {
                let (baseline_missing, candidate_missing) = (baseline.err(), candidate.err());
                return vec![(self.metrics[0], Outcome::Missing { baseline_missing, candidate_missing })];
            }
        };
        let both = Both { baseline: &baseline, candidate: &candidate, side };
        let compared = |metric: &Compared| {
            let name = metric.name().strip_prefix(self.prefix)?;
            let mut effect = both.effect(name, (self.parts)(&both, name), is_identical)?;
            if *metric == Compared::FirstFlight {
                defaults::name(&mut effect, &words);
            }
            Some((*metric, Outcome::Compared(Box::new(effect))))
        };
        self.metrics.iter().filter_map(compared).collect()
    }
}

/// One side of both stacks.
pub(super) struct Both<'w> {
    pub baseline: &'w PerConnection,
    pub candidate: &'w PerConnection,
    pub side: Side,
}

impl Both<'_> {
    /// A figure of both; 0 in connections without it, and `None` if neither stack has it.
    pub(super) fn figure(&self, name: &str) -> Option<(Lengths, Lengths)> {
        let of = |figures: &PerConnection| figures.side(self.side).get(name).cloned();
        let zeros = |figures: &PerConnection| Lengths::zeros(figures.connections);
        match (of(self.baseline), of(self.candidate)) {
            (None, None) => None,
            (baseline, candidate) => Some((
                baseline.unwrap_or_else(|| zeros(self.baseline)),
                candidate.unwrap_or_else(|| zeros(self.candidate)),
            )),
        }
    }

    /// The change of a figure, by parts that have changed; `None` if neither stack has it.
    pub(super) fn effect(&self, name: &str, parts: Vec<Reason>, is_identical: bool) -> Option<Effect> {
        let (one, other) = self.figure(name)?;
        let (baseline, candidate) = (one.median()? as f64, other.median()? as f64);
        // What was nothing has no ratio; both are taken one larger, as for other exact figures.
        let shift = if baseline == 0.0 || candidate == 0.0 { 1.0 } else { 0.0 };
        let ratio = (candidate + shift) / (baseline + shift);
        let is_changed = differ(&one, &other);
        let verdict = match is_changed {
            _ if is_identical => Verdict::Identical,
            true if ratio > 1.0 => Verdict::Regression,
            true if ratio < 1.0 => Verdict::Improvement,
            // As many bytes as before, of other parts or more often of another length.
            true => Verdict::Changed,
            false if !parts.is_empty() => Verdict::Changed,
            false => Verdict::NotSignificant,
        };
        let is_exact = is_fixed(&one) && is_fixed(&other);
        let interval = Interval { lower: ratio, upper: ratio, confidence: 1.0 };
        Some(Effect {
            verdict,
            note: note(&one, &other, verdict),
            baseline,
            candidate,
            ratio,
            interval: Some(interval),
            n: self.baseline.connections.min(self.candidate.connections) as usize,
            p_value: None,
            q_value: None,
            threshold: 0.0,
            detectable: None,
            confirmation: None,
            exact: is_exact,
            tiny: false,
            ratios: Vec::new(),
            spread: None,
            dependence: None,
            tracked: None,
            points: Vec::new(),
            acknowledged: None,
            groups: None,
            reasons: parts,
        })
    }
}

pub(super) fn change(one: &Lengths, other: &Lengths) -> f64 {
    other.median().unwrap_or_default() as f64 - one.median().unwrap_or_default() as f64
}

fn is_fixed(lengths: &Lengths) -> bool {
    lengths.range().is_some_and(|(lowest, highest)| lowest == highest)
}

/// Whether a figure differs between two stacks.
pub(super) fn differ(one: &Lengths, other: &Lengths) -> bool {
    let (Some(first), Some(second)) = (one.range(), other.range()) else { return false };
    let are_apart = first.1 < second.0 || second.1 < first.0;
    are_apart || distribution_test(one.counts(), other.counts()).is_some_and(|p_value| p_value <= CHANCE)
}

/// What the verdict rests on, where a length varies.
fn note(one: &Lengths, other: &Lengths, verdict: Verdict) -> Option<String> {
    let words = |lengths: &Lengths| match lengths.usual_range()? {
        (lowest, highest) if lowest == highest => Some(whole(lowest)),
        (lowest, highest) => Some(format!("{} to {}", whole(lowest), whole(highest))),
    };
    let (before, after) = (words(one)?, words(other)?);
    match verdict {
        Verdict::Identical => None,
        Verdict::NotSignificant if is_fixed(one) && is_fixed(other) => Some("exactly the same".to_owned()),
        Verdict::NotSignificant => Some(format!("varies between connections: {before}, then {after}")),
        Verdict::Changed if is_fixed(one) && is_fixed(other) => {
            Some("as many in all, of other parts".to_owned())
        }
        _ if is_fixed(one) && is_fixed(other) => None,
        _ => Some(format!("varies between connections: {before}, then {after}")),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn lengths(counts: &[(u64, u32)]) -> Lengths {
        Lengths::try_from(counts.iter().copied().collect::<BTreeMap<u64, u32>>()).unwrap()
    }

    /// The lengths of an ECDSA signature, after so many bytes.
    fn signed(bytes: u64) -> Lengths {
        lengths(&[(bytes + 70, 30), (bytes + 71, 66), (bytes + 72, 32)])
    }

    #[test]
    fn any_byte_is_a_change_and_a_length_that_varies_alike_is_none() {
        assert!(differ(&lengths(&[(200, 128)]), &lengths(&[(201, 128)])));
        assert!(!differ(&lengths(&[(200, 128)]), &lengths(&[(200, 128)])));
        let another = lengths(&[(1_269, 1), (1_270, 33), (1_271, 58), (1_272, 36)]);
        assert!(!differ(&signed(1_200), &another), "one signature in hundreds is shorter still");
        assert!(differ(&signed(1_200), &signed(1_201)), "a further byte, in ranges that overlap");
        assert!(differ(&signed(1_200), &lengths(&[(1_271, 128)])), "it varies no longer");
        assert!(!differ(&lengths(&[]), &signed(0)));
        // Few connections decide nothing but what lies apart.
        assert!(differ(&lengths(&[(5, 2)]), &lengths(&[(6, 2)])));
        assert!(!differ(&lengths(&[(5, 2)]), &lengths(&[(5, 1), (6, 1)])));
    }
}
