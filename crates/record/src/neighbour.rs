//! The effect of the program that used the processor before a stack on the stack's time.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_protocol::{Side, WarmUpRule};

/// The result for one side of a scenario on a stack with one neighbour.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NeighbourEffect {
    /// The class of the machine, as in series.
    pub host: String,
    /// When it was measured, milliseconds since 1970.
    pub measured_unix_ms: u64,
    /// The target length of a slice, ns.
    pub slice_ns: u64,
    /// The number of slices in a turn.
    pub slices: u32,
    /// The warm-up before them.
    pub warm_up: Option<WarmUpRule>,
    /// The kind of scenario.
    pub family: String,
    /// The scenario.
    pub scenario: String,
    /// The stack.
    pub stack: String,
    /// The side.
    pub side: Side,
    /// The situation in which its time is compared with that of its own turns after one of its own.
    pub beside: Neighbour,
    /// The ratio: 1.01 is 1 % more time.
    pub ratio: f64,
    /// The lower bound of its interval, if there is one.
    pub lower: Option<f64>,
    /// The upper bound.
    pub upper: Option<f64>,
    /// The interval's confidence, 0 to 1.
    pub confidence: f64,
    /// Rounds of fresh processes.
    pub rounds: usize,
}

impl NeighbourEffect {
    /// Per family the largest effect, of neighbours only: the cost of a break is separate.
    pub fn largest(effects: &[Self]) -> Vec<&Self> {
        let mut of_family: BTreeMap<&str, &Self> = BTreeMap::new();
        for effect in effects.iter().filter(|effect| effect.beside != Neighbour::OnePiece) {
            let known = of_family.entry(&effect.family).or_insert(effect);
            if effect.ratio.ln().abs() > known.ratio.ln().abs() {
                *known = effect;
            }
        }
        of_family.into_values().collect()
    }
}

/// The program before the measured turns.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Neighbour {
    /// The stack's own work without a break, in one request.
    OnePiece,
    /// Another process of the same stack.
    Itself,
    /// Another stack.
    Stack(String),
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_effect_is_read_as_it_was_written() {
        let effect = |beside| NeighbourEffect {
            host: "h".to_owned(),
            measured_unix_ms: 1_767_225_600_000,
            slice_ns: 500_000,
            slices: 8,
            warm_up: Some(WarmUpRule { least_ns: 1, least_iterations: 2, most_ns: 3 }),
            family: "Full handshake".to_owned(),
            scenario: "s".to_owned(),
            stack: "a".to_owned(),
            side: Side::Server,
            beside,
            ratio: 1.0 / 3.0,
            lower: Some(0.1 + 0.2),
            upper: None,
            confidence: 0.99,
            rounds: 10,
        };
        let neighbours = [Neighbour::OnePiece, Neighbour::Itself, Neighbour::Stack("b".to_owned())];
        for effect in neighbours.map(effect) {
            let mut value = serde_json::to_value(&effect).unwrap();
            value["later"] = json!([1]);
            assert_eq!(serde_json::from_str::<NeighbourEffect>(&value.to_string()).unwrap(), effect);
        }
    }
}
