//! Per family and side: the geometric mean of time ratios over the scenarios that every stack in it measured.
//! A stack with gaps is excluded if it would take more cells from the others than it adds.

use std::collections::BTreeMap;

use tlslab_protocol::Side;
use tlslab_record::{LayoutEffect, RunRecord};

use super::cells::{baseline, is_measured};
use super::estimates::{estimated, log_ratios, values};
use super::slices::Slices;
use crate::model::{Estimated, Family, Headline, Interval, Lead, Metric, Standing, Whose};

pub(super) fn headlines(record: &RunRecord, slices: &Slices) -> Vec<Headline> {
    let mut headlines = Vec::new();
    // A hash and a signature have no common figure, so that primitives have no headline.
    for family in Family::TIMED.into_iter().filter(|family| *family != Family::Primitive) {
        let scenarios: Vec<usize> = record
            .plan
            .timed()
            .filter(|scenario| Family::of(&record.plan.scenarios[*scenario]) == family)
            .collect();
        if scenarios.is_empty() {
            continue;
        }
        let field = Field::of(record, slices, family, &scenarios);
        if family.is_by_the_wall() {
            headlines.push(field.headline(Whose::Both));
        } else {
            headlines.extend(Side::BOTH.map(|side| field.headline(side.into())));
        }
    }
    headlines
}

/// The stacks and scenarios of a family's headline.
struct Field<'a, 'r> {
    record: &'r RunRecord,
    slices: &'a Slices<'r>,
    family: Family,
    of: usize,
    stacks: Vec<usize>,
    left_out: Vec<usize>,
    with_gaps: Vec<usize>,
    scenarios: Vec<usize>,
    reference: Option<usize>,
}

impl<'a, 'r> Field<'a, 'r> {
    fn of(record: &'r RunRecord, slices: &'a Slices<'r>, family: Family, scenarios: &[usize]) -> Self {
        let measured = |scenario: &usize, stack: &usize| is_measured(record, slices, *scenario, *stack);
        let (stacks, left_out): (Vec<usize>, Vec<usize>) = (0..record.plan.stacks.len())
            .partition(|stack| scenarios.iter().any(|scenario| measured(scenario, stack)));
        let of_stack = |stack: &usize| scenarios.iter().map(|scenario| measured(scenario, stack)).collect();
        let table: Vec<Vec<bool>> = stacks.iter().map(of_stack).collect();
        let keep = baseline(record).and_then(|baseline| stacks.iter().position(|stack| *stack == baseline));
        let within = largest(&table, keep);
        let (stacks, with_gaps): (Vec<usize>, Vec<usize>) = {
            let (taken, rest): (Vec<usize>, Vec<usize>) =
                (0..stacks.len()).partition(|at| within.contains(at));
            let named = |places: Vec<usize>| places.into_iter().map(|at| stacks[at]).collect();
            (named(taken), named(rest))
        };
        let by_all = |scenario: &&usize| stacks.iter().all(|stack| measured(scenario, stack));
        let common = scenarios.iter().filter(by_all).copied().collect();
        let reference = baseline(record).filter(|baseline| stacks.contains(baseline));
        let reference = reference.or(stacks.first().copied());
        Self {
            record,
            slices,
            family,
            of: scenarios.len(),
            stacks,
            left_out,
            with_gaps,
            scenarios: common,
            reference,
        }
    }

    fn headline(&self, side: Whose) -> Headline {
        let mut standings: Vec<(usize, Estimated)> = Vec::new();
        if let Some(reference) = self.reference {
            let against = |stack: &usize| Some((*stack, self.ratio(reference, *stack, side)?));
            standings = self.stacks.iter().filter_map(against).collect();
            standings.sort_by(|a, b| a.1.value.total_cmp(&b.1.value));
        }
        let mut contenders = standings.iter().filter(|(stack, _)| self.is_contender(*stack));
        let lead = match (contenders.next(), contenders.next()) {
            (Some(first), Some(next)) => self.lead(first.0, next.0, side),
            _ => None,
        };
        let name = |stack: usize| self.record.plan.stacks[stack].name.clone();
        Headline {
            family: self.family,
            side,
            scenarios: self.scenarios.iter().map(|at| self.record.plan.scenarios[*at].name.clone()).collect(),
            of: self.of,
            reference: self.reference.map(name),
            standings: standings
                .into_iter()
                .map(|(stack, ratio)| Standing { stack: name(stack), ratio })
                .collect(),
            lead,
            left_out: self.left_out.iter().copied().map(name).collect(),
            with_gaps: self.with_gaps.iter().copied().map(name).collect(),
        }
    }

    /// A stack without protection is not a library that others could lose to.
    fn is_contender(&self, stack: usize) -> bool {
        !self.record.plan.stacks[stack].protects_nothing()
    }

    fn lead(&self, fastest: usize, next: usize, side: Whose) -> Option<Lead> {
        let ratio = self.ratio(next, fastest, side)?;
        let floor = self
            .family
            .layout_floor(&LayoutEffect::floors(&self.record.layouts), &self.record.plan.policy.ratios);
        let clear = ratio.interval.is_some_and(|interval| interval.upper < 1.0 - floor);
        let name = |stack: usize| self.record.plan.stacks[stack].name.clone();
        Some(Lead { fastest: name(fastest), next: name(next), ratio, clear })
    }

    /// The time of `stack` over that of `reference`: one observation per round in which every scenario was
    /// measured.
    fn ratio(&self, reference: usize, stack: usize, side: Whose) -> Option<Estimated> {
        let (side, metric) = match side {
            Whose::Client => (Side::Client, Metric::Time),
            Whose::Server => (Side::Server, Metric::Time),
            Whose::Both => (Side::Client, Metric::Wall),
        };
        let mut rounds: BTreeMap<u32, (usize, f64)> = BTreeMap::new();
        for &scenario in &self.scenarios {
            let visits = self.slices.visits(scenario);
            let logs = log_ratios(visits, (reference, stack), side, metric).ok()?;
            for (round, log) in logs {
                let sum = rounds.entry(round).or_default();
                *sum = (sum.0 + 1, sum.1 + log);
            }
        }
        let whole = rounds.into_iter().filter(|(_, (scenarios, _))| *scenarios == self.scenarios.len());
        let means: Vec<(u32, f64)> =
            whole.map(|(round, (scenarios, sum))| (round, sum / scenarios as f64)).collect();
        let log = estimated(&values(&means), self.record.plan.policy.confidence).ok()?;
        let mut ratio = self.slices.between().log_ratio(log).rising(f64::exp);
        if stack == reference {
            // Not an estimate: a stack takes exactly its own time.
            ratio.interval = ratio.interval.map(|interval| Interval { lower: 1.0, upper: 1.0, ..interval });
        }
        Some(ratio)
    }
}

/// The stacks that take part, given which scenarios each has. Stacks are excluded one by one: always the one
/// whose exclusion yields the most cells, while that increases their number. `keep` stays.
fn largest(table: &[Vec<bool>], keep: Option<usize>) -> Vec<usize> {
    let cells = |within: &[usize]| {
        let scenarios = table.first().map_or(0, Vec::len);
        within.len() * (0..scenarios).filter(|at| within.iter().all(|stack| table[*stack][*at])).count()
    };
    let mut within: Vec<usize> = (0..table.len()).collect();
    while within.len() > 2 {
        let without = |out: &usize| within.iter().copied().filter(|stack| stack != out).collect::<Vec<_>>();
        let leaving = within.iter().filter(|stack| Some(**stack) != keep).map(without);
        match leaving.max_by_key(|rest| cells(rest)) {
            Some(rest) if cells(&rest) > cells(&within) => within = rest,
            _ => break,
        }
    }
    within
}

#[cfg(test)]
mod tests {
    use super::largest;

    #[test]
    fn a_gap_of_one_stack_takes_no_cells_from_the_others() {
        let full = || vec![true; 4];
        let one = || vec![true, false, false, false];
        // Three stacks in four scenarios are more than four in one.
        assert_eq!(largest(&[full(), one(), full(), full()], None), [0, 2, 3]);
        // Two that lack one of four stay: five in three scenarios are more than three in four.
        let lacks = || vec![true, true, true, false];
        assert_eq!(largest(&[full(), lacks(), full(), lacks(), full()], None), [0, 1, 2, 3, 4]);
        // The stack that all figures refer to stays.
        assert_eq!(largest(&[one(), full(), full(), full()], Some(0)), [0, 1, 2, 3]);
        assert_eq!(largest(&[one(), full()], None), [0, 1], "of two neither is excluded");
        assert!(largest(&[], None).is_empty());
    }
}
