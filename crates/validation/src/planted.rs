//! How many turns of a loop slow a scenario down by how much.

use std::collections::BTreeMap;

use tlslab_comparison::{Change, Compared, Comparison, Effect};
use tlslab_protocol::Side;

/// The variable that the kit reads.
const NAME: &str = "TLSLAB_BURDEN";
/// Turns of the first estimate of a turn's cost.
pub(crate) const FIRST_TURNS: u64 = 500;
/// The slow-down of the longer calibration, as a share: large compared with the noise.
const LONG: f64 = 0.1;
/// The other one has this part of the turns: the loop itself costs something, however often it turns.
const SHORTER: u64 = 10;

/// Per side, the cost of one iteration, and that of the loop and each of its turns, in the metric's unit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Slope {
    sides: [Line; 2],
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Line {
    takes: f64,
    loop_itself: f64,
    per_turn: f64,
}

impl Slope {
    /// From comparisons of a stack with itself slowed down by so many turns, the fewer first.
    pub(crate) fn of(
        turns: [u64; 2],
        comparisons: &[Comparison; 2],
        scenario: &str,
        metric: Compared,
    ) -> Self {
        let mut slope = Self::default();
        for side in Side::BOTH {
            let effects = comparisons.each_ref().map(|comparison| cell(comparison, scenario, side, metric));
            if let [Some(few), Some(many)] = effects {
                // The difference is that of the ratio, in which drift has cancelled.
                let added = [few, many].map(|effect| many.baseline * (effect.ratio - 1.0));
                // Counts have no interval and no noise.
                let least = many.baseline * (few.interval.map_or(few.ratio, |interval| interval.lower) - 1.0);
                slope.sides[side as usize] = Line::through(many.baseline, turns, added, least);
            }
        }
        slope
    }

    /// The turns that slow each side down by about this share, and by which share they do.
    pub(crate) fn turns(self, share: f64) -> [(u64, f64); 2] {
        self.sides.map(|Line { takes, loop_itself, per_turn }| {
            if takes <= 0.0 || per_turn <= 0.0 {
                return (0, 0.0);
            }
            let turns = ((share * takes - loop_itself) / per_turn).round().max(1.0);
            (turns as u64, (loop_itself + turns * per_turn) / takes)
        })
    }

    /// By how much a side is slowed down then.
    pub(crate) fn slowed(turns: [(u64, f64); 2], side: Side) -> f64 {
        turns[side as usize].1
    }
}

/// Turns of the two calibrations, the fewer first, from the effect of [`FIRST_TURNS`] turns. None if these
/// had no effect.
pub(crate) fn calibrating(first: &Comparison, scenario: &str, metric: Compared) -> Option<[u64; 2]> {
    let shares = Side::BOTH.into_iter().filter_map(|side| cell(first, scenario, side, metric));
    let least =
        shares.map(|effect| effect.ratio - 1.0).filter(|share| *share > 0.0).fold(f64::INFINITY, f64::min);
    let many = (FIRST_TURNS as f64 * LONG / least).min(1e7) as u64;
    least.is_finite().then(|| [(many / SHORTER).max(1), many.max(2 * SHORTER)])
}

fn cell<'c>(comparison: &'c Comparison, scenario: &str, side: Side, metric: Compared) -> Option<&'c Effect> {
    let of_cell = |change: &&Change| {
        (change.scenario.as_str(), change.side, change.metric) == (scenario, Some(side), metric)
    };
    comparison.changes.iter().find(of_cell).and_then(|change| change.effect())
}

impl Line {
    /// The loop's cost, from the time that so many turns added, of which the fewer turns added at least this.
    /// It is 0 unless the turns do not explain the added time: next to a long handshake it is negligible, and
    /// an estimate of it mere noise.
    fn through(takes: f64, turns: [u64; 2], added: [f64; 2], least: f64) -> Self {
        let [few, many] = turns.map(|turns| turns as f64);
        let is_seen = least > few * added[1] / many;
        let loop_itself = added[0] - few * (added[1] - added[0]) / (many - few);
        let loop_itself = if is_seen { loop_itself.max(0.0) } else { 0.0 };
        Self { takes, loop_itself, per_turn: ((added[1] - loop_itself) / many).max(0.0) }
    }
}

/// The environment of a driver.
pub(crate) fn variables(turns: [u64; 2]) -> BTreeMap<String, String> {
    if turns == [0, 0] {
        return BTreeMap::new();
    }
    [(NAME.to_owned(), format!("{},{}", turns[0], turns[1]))].into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_as_many_as_make_the_share() {
        // 100,000 ns; 500 ns by 200 turns and 4,100 by 2,000: 2 ns a turn and 100 for the loop. 1 % are 450
        // turns. The server has no slow-down.
        let client = Line::through(100_000.0, [200, 2_000], [500.0, 4_100.0], 450.0);
        assert_eq!(client, Line { takes: 100_000.0, loop_itself: 100.0, per_turn: 2.0 });
        let slope = Slope { sides: [client, Line::default()] };
        assert_eq!(slope.turns(0.01), [(450, 0.01), (0, 0.0)]);
        // 100 ns of 100,000 within the effect of few turns count as zero.
        let client = Line::through(100_000.0, [200, 2_000], [500.0, 4_000.0], 390.0);
        assert_eq!(client, Line { takes: 100_000.0, loop_itself: 0.0, per_turn: 2.0 });
        // At least one turn, and its effect is reported.
        assert_eq!(slope.turns(0.000_000_1)[0], (1, 0.001_02));
        assert_eq!(variables([500, 0]), BTreeMap::from([(NAME.to_owned(), "500,0".to_owned())]));
        assert!(variables([0, 0]).is_empty());
    }
}
