//! How many turns of a loop slow a scenario down by how much.

use std::collections::BTreeMap;

use tlslab_comparison::{Change, Compared, Comparison, Effect};
use tlslab_protocol::Side;

/// The variable that the kit reads.
const NAME: &str = "TLSLAB_BURDEN";
/// Turns of each side's loop, by side.
pub(crate) type Turns = [u64; 2];

/// Turns of the first attempt to slow down by [`LONG`].
pub(crate) const FIRST_TURNS: u64 = 500;
/// Attempts until a side is slowed down by about that much; each has at most [`FACTOR`] times the turns.
pub(crate) const ATTEMPTS: usize = 8;
const FACTOR: f64 = 10.0;
/// The slow-down of the longer calibration, as a share: large compared with the noise.
const LONG: f64 = 0.1;
/// What suffices instead.
const LONG_ENOUGH: std::ops::RangeInclusive<f64> = 0.05..=0.3;
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
        turns: [Turns; 2],
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
                let turns = turns.map(|turns| turns[side as usize]);
                slope.sides[side as usize] = Line::through(many.baseline, turns, added, least);
            }
        }
        slope
    }

    /// Whether each measured side has a turn that costs something.
    pub(crate) fn is_seen(self) -> bool {
        self.sides.iter().all(|side| side.takes <= 0.0 || side.per_turn > 0.0)
    }

    /// What slows each measured side down by about this share.
    pub(crate) fn planted(self, share: f64) -> Planted {
        let mut planted = Planted::default();
        for (side, Line { takes, loop_itself, per_turn }) in self.sides.into_iter().enumerate() {
            if takes > 0.0 && per_turn > 0.0 {
                let turns = ((share * takes - loop_itself) / per_turn).round().max(1.0);
                planted.turns[side] = turns as u64;
                planted.shares[side] = (loop_itself + turns * per_turn) / takes;
            }
        }
        planted
    }
}

/// A slow-down of each side: nothing by default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Planted {
    /// The loop's turns.
    pub(crate) turns: Turns,
    /// By which share these slow down, according to the calibration.
    pub(crate) shares: [f64; 2],
}

/// The turns of the next attempt to slow each side down by [`LONG`], after one with these turns. None if
/// these slow down each measured side by about that much: its noise is then small compared with the effect.
pub(crate) fn next_attempt(
    turns: Turns,
    made: &Comparison,
    scenario: &str,
    metric: Compared,
) -> Option<Turns> {
    let mut next = turns;
    for side in Side::BOTH {
        if let Some(effect) = cell(made, scenario, side, metric) {
            next[side as usize] = scaled(turns[side as usize], effect.ratio - 1.0);
        }
    }
    (next != turns).then_some(next)
}

/// The turns of the shorter calibration.
pub(crate) fn shorter(turns: Turns) -> Turns {
    turns.map(|turns| (turns / SHORTER).max(1))
}

fn scaled(turns: u64, share: f64) -> u64 {
    if LONG_ENOUGH.contains(&share) {
        return turns;
    }
    // Below a part of it, the effect may be noise.
    let factor = if share <= LONG / FACTOR { FACTOR } else { LONG / share };
    ((turns as f64 * factor) as u64).max(SHORTER)
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
pub(crate) fn variables(turns: Turns) -> BTreeMap<String, String> {
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
        assert_eq!(slope.planted(0.01), Planted { turns: [450, 0], shares: [0.01, 0.0] });
        assert!(slope.is_seen());
        // 100 ns of 100,000 within the effect of few turns count as zero.
        let client = Line::through(100_000.0, [200, 2_000], [500.0, 4_000.0], 390.0);
        assert_eq!(client, Line { takes: 100_000.0, loop_itself: 0.0, per_turn: 2.0 });
        // At least one turn, and its effect is reported.
        assert_eq!(slope.planted(0.000_000_1), Planted { turns: [1, 0], shares: [0.001_02, 0.0] });
        let unseen = Line { takes: 100_000.0, loop_itself: 4_000.0, per_turn: 0.0 };
        assert!(!Slope { sides: [client, unseen] }.is_seen());
        assert_eq!(variables([500, 0]), BTreeMap::from([(NAME.to_owned(), "500,0".to_owned())]));
        assert!(variables([0, 0]).is_empty());
    }

    #[test]
    fn noise_is_not_taken_for_the_effect_of_few_turns() {
        // Within noise, or less than nothing: ten times the turns, and not as many as noise would make 10 %.
        for noise in [-0.02, 0.0, 0.000_1, 0.01] {
            assert_eq!(scaled(500, noise), 5_000, "{noise}");
        }
        assert_eq!(scaled(500, 0.02), 2_500);
        assert_eq!(scaled(500, 0.07), 500);
        // A short scenario.
        assert_eq!(scaled(500, 1.0), 50);
        assert_eq!(scaled(10, 1.0), 10);
        assert_eq!(shorter([5_000, 12]), [500, 1]);
    }
}
