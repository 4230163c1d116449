//! Whether an emulator executes the code paths that run natively.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_protocol::Side;

/// The result for one side of a scenario on a stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fidelity {
    /// The stack.
    pub stack: String,
    /// SHA-256 of its driver, hex: the result is only for this build.
    pub driver_digest: String,
    /// The scenario.
    pub scenario: String,
    /// The side.
    pub side: Side,
    /// Features of the processor that the code saw natively: on another processor other code may run.
    pub features: Vec<String>,
    /// The ratio of the emulator's count to the native one.
    pub ratio: f64,
    /// The fewest functions that make up half of the emulator's count, the largest first.
    pub dominating: Vec<Dominating>,
}

/// A function that dominates an emulator's count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Dominating {
    /// Its name.
    pub name: String,
    /// Its share of the count, 0 to 1.
    pub share: f64,
    /// Whether any of its code ran natively.
    pub runs_natively: bool,
}

impl Fidelity {
    /// The dominating functions that did not run natively.
    pub fn foreign(&self) -> impl Iterator<Item = &Dominating> {
        self.dominating.iter().filter(|function| !function.runs_natively)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fidelity_is_read_as_it_was_written() {
        let runs =
            |name: &str, runs_natively| Dominating { name: name.to_owned(), share: 0.1 + 0.2, runs_natively };
        let fidelity = Fidelity {
            stack: "a".to_owned(),
            driver_digest: "00".to_owned(),
            scenario: "s".to_owned(),
            side: Side::Client,
            features: vec!["avx2".to_owned()],
            ratio: 1.0 / 3.0,
            dominating: vec![runs("sha256", true), runs("aes", false)],
        };
        let mut value = serde_json::to_value(&fidelity).unwrap();
        value["later"] = json!({});
        value["dominating"][0]["later"] = json!(null);
        assert_eq!(serde_json::from_str::<Fidelity>(&value.to_string()).unwrap(), fidelity);
    }
}
