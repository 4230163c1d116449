//! The effect of code layout alone on times, measured on a kind of host.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_protocol::Side;

/// One program in two code layouts: the ratio of their times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LayoutEffect {
    /// The class of the machine, as in series.
    pub host: String,
    /// When it was measured, milliseconds since 1970.
    pub measured_unix_ms: u64,
    /// The kind of scenario.
    pub family: String,
    /// The scenario.
    pub scenario: String,
    /// The stack.
    pub stack: String,
    /// The side.
    pub side: Side,
    /// The number of the pair of layouts.
    pub pair: u32,
    /// The ratio: 1.01 is 1 % more time.
    pub ratio: f64,
}

impl LayoutEffect {
    /// Per family the size that nineteen in twenty ratios stay below, as a share, if there are enough of
    /// them. Sides and scenarios of one pair of layouts are counted separately, although they are correlated.
    pub fn floors(effects: &[Self]) -> BTreeMap<String, f64> {
        let mut sizes: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for effect in effects.iter().filter(|effect| effect.ratio > 0.0 && effect.ratio.is_finite()) {
            sizes.entry(&effect.family).or_default().push(effect.ratio.ln().abs());
        }
        let floor = |(family, mut sizes): (&str, Vec<f64>)| {
            sizes.sort_by(f64::total_cmp);
            let rank = (SHARE * sizes.len() as f64).ceil() as usize;
            (sizes.len() >= FEWEST).then(|| (family.to_owned(), sizes[rank - 1].exp_m1()))
        };
        sizes.into_iter().filter_map(floor).collect()
    }
}

/// The share of ratios below a floor.
const SHARE: f64 = 0.95;
/// With fewer the largest would decide alone.
const FEWEST: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_floor_is_the_size_that_nineteen_in_twenty_stay_below() {
        let effect = |family: &str, pair: u32| LayoutEffect {
            host: "h".to_owned(),
            measured_unix_ms: 0,
            family: family.to_owned(),
            scenario: "s".to_owned(),
            stack: "a".to_owned(),
            side: Side::Client,
            pair,
            // 0.1 %, −0.2 %, 0.3 %, …
            ratio: (f64::from(pair + 1) * if pair.is_multiple_of(2) { 0.001 } else { -0.001 }).exp(),
        };
        let mut effects: Vec<_> = (0..20).map(|pair| effect("handshake", pair)).collect();
        effects.extend((0..19).map(|pair| effect("transfer", pair)));
        let floors = LayoutEffect::floors(&effects);
        assert_eq!(floors.len(), 1, "nineteen are too few");
        assert!((floors["handshake"] - 0.019_f64.exp_m1()).abs() < 1e-12, "{floors:?}");
    }
}
