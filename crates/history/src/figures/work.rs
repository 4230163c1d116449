//! The differences between two pieces of work.

use serde_json::Value;
use tlslab_protocol::Scenario;

/// The values that differ between two scenarios of one name: `tickets 0 → 2`, sorted by name. Empty if they
/// are equal.
pub fn work_differences(before: &Scenario, after: &Scenario) -> String {
    // Scenarios are plain data, which always serialises.
    let json = |scenario: &Scenario| serde_json::to_value(scenario).expect("scenarios serialise");
    let mut differences = Vec::new();
    collect("", &json(before), &json(after), &mut differences);
    differences.join(", ")
}

fn collect(path: &str, before: &Value, after: &Value, differences: &mut Vec<String>) {
    match (before, after) {
        (Value::Object(old), Value::Object(new)) => {
            let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
            names.sort();
            names.dedup();
            for name in names.into_iter().filter(|name| !(path.is_empty() && *name == "name")) {
                let below = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                let of =
                    |value: &serde_json::Map<String, Value>| value.get(name).cloned().unwrap_or(Value::Null);
                collect(&below, &of(old), &of(new), differences);
            }
        }
        (before, after) if before != after => {
            let text = |value: &Value| match value {
                Value::Null => "none".to_owned(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            differences.push(format!("{path} {} → {}", text(before), text(after)));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::figures::work_digest;

    fn scenario(name: &str, tickets: u32) -> Scenario {
        let text = json!({
            "name": name, "work": {"kind": "handshake"}, "version": "TLSv1.3", "signature": "ecdsa-p256", "group": "x25519",
            "suite": "TLS_AES_128_GCM_SHA256", "verification": "none", "tickets": tickets,
        });
        serde_json::from_value(text).unwrap()
    }

    #[test]
    fn other_work_has_another_digest_and_another_name_has_not() {
        assert_eq!(work_digest(&scenario("a", 0)), work_digest(&scenario("b", 0)));
        assert_ne!(work_digest(&scenario("a", 0)), work_digest(&scenario("a", 2)));
    }

    #[test]
    fn a_scenario_that_was_recorded_before_there_were_rates_has_its_digest_still() {
        // Of the recorded database.
        let text = json!({
            "name": "handshake/1.2/ecdsa-p256/p-256/aes-128-gcm/chain+name", "work": {"kind": "handshake"},
            "version": "TLSv1.2", "signature": "ecdsa-p256", "group": "secp256r1",
            "suite": "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "verification": "chain+name",
        });
        let scenario: Scenario = serde_json::from_value(text).unwrap();
        assert!(crate::figures::is_of_work("work 0dec664c7595", &scenario), "{}", work_digest(&scenario));
        assert_ne!(work_digest(&scenario), work_digest(&Scenario { rate: 1, ..scenario.clone() }));
    }

    #[test]
    fn what_differs_is_named() {
        assert_eq!(work_differences(&scenario("a", 0), &scenario("a", 2)), "tickets 0 → 2");
        assert_eq!(work_differences(&scenario("a", 1), &scenario("b", 1)), "");
    }
}
