//! What each side of both stacks sends. Any byte is a change; a length that varies between connections has
//! changed if its values do not overlap, or if they occur more often or less often than chance explains.

use std::collections::BTreeSet;

use tlslab_protocol::Side;
use tlslab_record::{Lengths, RunRecord, Weighed, WireSizes};
use tlslab_stats::distribution_test;
use tlslab_text::number::whole;

use super::observed::hole;
use crate::compared::Compared;
use crate::model::{Effect, Interval, Outcome, Reason};
use crate::verdict::Verdict;

/// How probable two samples of one distribution that differ as much may be, at most, for a length that varies
/// to count as changed.
const CHANCE: f64 = 1e-6;

/// The parts that are named where a flight changed.
const MOST_REASONS: usize = 8;

/// A stack in a scenario of a run.
#[derive(Clone, Copy)]
pub(super) struct Place<'r> {
    pub record: &'r RunRecord,
    pub scenario: usize,
    pub stack: usize,
}

impl Place<'_> {
    /// What was read in all processes, or why nothing was.
    fn sizes(&self) -> Result<WireSizes, String> {
        if let Some(hole) = hole(self.record, self.scenario, self.stack) {
            return Err(hole);
        }
        let mut all = Vec::new();
        let here = |weight: &&tlslab_record::Weight| {
            (weight.scenario, weight.stack) == (self.scenario, self.stack)
                && weight.kind == tlslab_record::WeightKind::Wire
        };
        for weight in self.record.weights.iter().filter(here) {
            match &weight.weighed {
                Weighed::Wire(sizes) => all.push(&**sizes),
                Weighed::Unsupported(reason) => return Err(format!("unsupported: {reason}")),
                Weighed::Failed(reason) => return Err(format!("failed: {reason}")),
                _ => {}
            }
        }
        match all.is_empty() {
            true => Err("failed: nothing was read: the run ended before; resume it".to_owned()),
            false => Ok(WireSizes::together(all)),
        }
    }
}

/// All that is compared of one side. What neither sends is no cell.
pub(super) fn outcomes(
    baseline: Place<'_>,
    candidate: Place<'_>,
    side: Side,
    is_identical: bool,
) -> Vec<(Compared, Outcome)> {
    let (baseline, candidate) = match (baseline.sizes(), candidate.sizes()) {
        (Ok(baseline), Ok(candidate)) => (baseline, candidate),
        (baseline, candidate) => {
            let outcome =
                Outcome::Missing { baseline_missing: baseline.err(), candidate_missing: candidate.err() };
            return vec![(Compared::WIRE[0], outcome)];
        }
    };
    let compared = |metric: Compared| {
        let both = Both { baseline: &baseline, candidate: &candidate, side };
        let effect = both.effect(metric, is_identical)?;
        Some((metric, Outcome::Compared(Box::new(effect))))
    };
    Compared::WIRE.into_iter().filter_map(compared).collect()
}

struct Both<'w> {
    baseline: &'w WireSizes,
    candidate: &'w WireSizes,
    side: Side,
}

impl Both<'_> {
    /// A figure of both; 0 in connections without it, and `None` if neither stack has it.
    fn figure(&self, name: &str) -> Option<(Lengths, Lengths)> {
        let of = |sizes: &WireSizes| sizes.side(self.side).get(name).cloned();
        let zeros = |sizes: &WireSizes| Lengths::zeros(sizes.connections);
        match (of(self.baseline), of(self.candidate)) {
            (None, None) => None,
            (baseline, candidate) => Some((
                baseline.unwrap_or_else(|| zeros(self.baseline)),
                candidate.unwrap_or_else(|| zeros(self.candidate)),
            )),
        }
    }

    fn effect(&self, metric: Compared, is_identical: bool) -> Option<Effect> {
        let name = metric.name().strip_prefix("wire.")?;
        let (one, other) = self.figure(name)?;
        let (baseline, candidate) = (one.median()? as f64, other.median()? as f64);
        // What was nothing has no ratio; both are taken one larger, as for other exact figures.
        let shift = if baseline == 0.0 || candidate == 0.0 { 1.0 } else { 0.0 };
        let ratio = (candidate + shift) / (baseline + shift);
        let parts = if metric == Compared::FirstFlight { self.parts() } else { Vec::new() };
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

    /// The parts of the first message that changed, and the rest of its flight, the largest change first.
    fn parts(&self) -> Vec<Reason> {
        let names: BTreeSet<&String> = [self.baseline, self.candidate]
            .into_iter()
            .flat_map(|sizes| sizes.side(self.side).keys())
            .filter(|name| name.starts_with(PARTS))
            .collect();
        let mut reasons = Vec::new();
        let mut of_parts = 0.0;
        for name in names {
            let Some((one, other)) = self.figure(name) else { continue };
            let change = change(&one, &other);
            of_parts += change;
            if differ(&one, &other) {
                reasons.push(Reason { function: part_words(&name[PARTS.len()..]), change });
            }
        }
        let flight = self.figure("flight.1").map_or(0.0, |(one, other)| change(&one, &other));
        // Lengths that vary in the rest of a flight move its median by chance.
        let is_flight_changed = self.figure("flight.1").is_some_and(|(one, other)| differ(&one, &other));
        if is_flight_changed && flight != of_parts {
            reasons.push(Reason { function: "rest of the flight".to_owned(), change: flight - of_parts });
        }
        reasons.sort_by(|one, other| other.change.abs().total_cmp(&one.change.abs()));
        reasons.truncate(MOST_REASONS);
        reasons
    }
}

/// Parts of the first message.
const PARTS: &str = "hello.";

fn part_words(part: &str) -> String {
    match (part, part.strip_prefix("extension.")) {
        (_, Some(name)) => format!("extension {name}"),
        ("session_id", _) => "session id".to_owned(),
        ("cipher_suites", _) => "cipher suites".to_owned(),
        _ => "fixed fields of the hello".to_owned(),
    }
}

fn change(one: &Lengths, other: &Lengths) -> f64 {
    other.median().unwrap_or_default() as f64 - one.median().unwrap_or_default() as f64
}

fn is_fixed(lengths: &Lengths) -> bool {
    lengths.range().is_some_and(|(lowest, highest)| lowest == highest)
}

/// Whether a figure differs between two stacks.
fn differ(one: &Lengths, other: &Lengths) -> bool {
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

    fn sizes(extensions: &[(&str, u64)], more: u64) -> WireSizes {
        let mut sent: BTreeMap<String, u64> =
            extensions.iter().map(|(name, bytes)| (format!("hello.extension.{name}"), *bytes)).collect();
        sent.insert("flight.1".to_owned(), sent.values().sum::<u64>() + more);
        let mut sizes = WireSizes::default();
        (0..16).for_each(|_| sizes.add(&sent, &BTreeMap::new()));
        sizes
    }

    fn effect(baseline: &WireSizes, candidate: &WireSizes) -> Effect {
        let both = Both { baseline, candidate, side: Side::Client };
        both.effect(Compared::FirstFlight, false).unwrap()
    }

    #[test]
    fn extensions_that_changed_are_named_even_where_the_sum_is_the_same() {
        let before = sizes(&[("key_share", 42), ("padding", 100), ("server_name", 20)], 9);
        let after = sizes(&[("key_share", 1_222), ("padding", 50), ("server_name", 20)], 10);
        let found = effect(&before, &after);
        let reasons: Vec<(&str, f64)> =
            found.reasons.iter().map(|reason| (&*reason.function, reason.change)).collect();
        assert_eq!(
            reasons,
            [("extension key_share", 1_180.0), ("extension padding", -50.0), ("rest of the flight", 1.0)]
        );
        assert_eq!((found.verdict, found.baseline, found.candidate), (Verdict::Regression, 171.0, 1_302.0));
        let moved = effect(&before, &sizes(&[("key_share", 52), ("padding", 90), ("server_name", 20)], 9));
        assert_eq!((moved.verdict, moved.ratio, moved.reasons.len()), (Verdict::Changed, 1.0, 2));
        let same = effect(&before, &before);
        assert_eq!((same.verdict, same.note.as_deref()), (Verdict::NotSignificant, Some("exactly the same")));
        assert!(same.exact && same.reasons.is_empty());
    }
}
