//! How many turns of a loop slow a scenario down by how much.

use std::collections::BTreeMap;

use tlslab_comparison::{Comparison, Metric};
use tlslab_protocol::Side;

/// The variable that the kit reads.
const NAME: &str = "TLSLAB_BURDEN";
/// Turns of the calibration.
pub const TURNS: u64 = 2_000;

/// Per side, what one iteration takes, and what each turn of the loop adds to it, in the metric's unit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Slope {
    sides: [(f64, f64); 2],
}

impl Slope {
    /// From a comparison of a stack with itself slowed down by [`TURNS`] turns.
    pub fn of(comparison: &Comparison, scenario: &str, metric: Metric) -> Self {
        let mut slope = Self::default();
        for change in &comparison.changes {
            if change.scenario == scenario
                && change.metric == metric
                && let Some(effect) = change.effect()
            {
                // The difference is that of the ratio, in which drift has cancelled.
                let per_turn = effect.base * (effect.ratio - 1.0) / TURNS as f64;
                slope.sides[change.side as usize] = (effect.base, per_turn.max(0.0));
            }
        }
        slope
    }

    /// The turns that slow each side down by about this share, and by which share they do.
    pub fn turns(self, share: f64) -> [(u64, f64); 2] {
        self.sides.map(|(takes, per_turn)| {
            if takes <= 0.0 || per_turn <= 0.0 {
                return (0, 0.0);
            }
            let turns = (share * takes / per_turn).round().max(1.0);
            (turns as u64, turns * per_turn / takes)
        })
    }

    /// By how much a side is slowed down then.
    pub fn slowed(turns: [(u64, f64); 2], side: Side) -> f64 {
        turns[side as usize].1
    }
}

/// What a driver is started with.
pub fn variables(turns: [u64; 2]) -> BTreeMap<String, String> {
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
        // 100,000 ns, 2 ns a turn: 1 % are 500 turns. The server has nothing to be slowed down.
        let slope = Slope { sides: [(100_000.0, 2.0), (0.0, 0.0)] };
        assert_eq!(slope.turns(0.01), [(500, 0.01), (0, 0.0)]);
        // At least one.
        assert_eq!(slope.turns(0.000_000_1)[0], (1, 0.000_02));
        assert_eq!(variables([500, 0]), BTreeMap::from([(NAME.to_owned(), "500,0".to_owned())]));
        assert!(variables([0, 0]).is_empty());
    }
}
