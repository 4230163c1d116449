//! Which times cannot be held against the processor time that the system counts.

use std::collections::BTreeMap;

use tlslab_protocol::{ConnectionAge, Operation, Primitive, Scenario, Start, Work};

use crate::Plan;

/// Why a driver's word on its times is not verified in a scenario; none where it is.
#[must_use]
pub fn unverified_time(scenario: &Scenario) -> Option<&'static str> {
    if scenario.works_at_once() {
        return Some("both sides work at once and wait for each other");
    }
    if scenario.threads > 1 {
        return Some("several threads work at once");
    }
    if scenario.start == Start::Cold {
        return Some("each slice has a process of its own");
    }
    prepares_off_the_clock(&scenario.work)
        .then_some("most of the work is preparation, which is off the clock")
}

impl Plan {
    /// What a reader must know of times that are not verified, a sentence for each reason.
    #[must_use]
    pub fn unverified_times(&self) -> Vec<String> {
        let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for scenario in self.timed().map(|scenario| &self.scenarios[scenario]) {
            if let Some(reason) = unverified_time(scenario) {
                by_reason.entry(reason).or_default().push(&scenario.name);
            }
        }
        let sentence = |(reason, names): (&str, Vec<&str>)| {
            let named = names.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
            let more = match names.len().saturating_sub(NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!("Time not verified, as {reason}: {named}{more}. It is what the drivers report.")
        };
        by_reason.into_iter().map(sentence).collect()
    }
}

/// More scenarios than this are counted instead of named.
const NAMED: usize = 4;

/// Whether a driver works for longer on what it prepares than on what is timed.
fn prepares_off_the_clock(work: &Work) -> bool {
    match work {
        Work::Transfer { connection, .. } => *connection == ConnectionAge::Fresh,
        Work::Primitive(Primitive { operation, .. }) => {
            matches!(operation, Operation::AeadOpen | Operation::KeyAgreement | Operation::Decapsulate)
        }
        Work::Handshake | Work::Exchange { .. } | Work::Idle { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn reason(change: serde_json::Value) -> Option<&'static str> {
        let mut scenario = json!({
            "name": "s", "work": {"kind": "handshake"}, "version": "TLSv1.3", "signature": "ecdsa-p256",
            "group": "x25519", "suite": "TLS_AES_128_GCM_SHA256", "verification": "none",
        });
        for (key, value) in change.as_object().unwrap() {
            scenario[key] = value.clone();
        }
        unverified_time(&serde_json::from_value(scenario).unwrap())
    }

    #[test]
    fn what_one_thread_does_in_a_warm_process_is_verified() {
        let transfer = |connection: &str| json!({"work": {"kind": "transfer", "sender": "client", "write_bytes": 16384, "connection": connection}});
        assert_eq!(reason(json!({})), None);
        assert_eq!(reason(transfer("warm")), None);
        assert!(reason(transfer("fresh")).unwrap().contains("off the clock"));
        assert!(reason(json!({"concurrent": true})).unwrap().contains("at once"));
        assert!(reason(json!({"threads": 2})).unwrap().contains("several threads"));
        assert!(reason(json!({"start": "cold"})).unwrap().contains("a process of its own"));
    }
}
