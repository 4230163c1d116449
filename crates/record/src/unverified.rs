//! Times that cannot be checked against the system's processor time.

use std::collections::BTreeMap;

use tlslab_protocol::{
    Capabilities, ConnectionAge, Operation, Primitive, ProtocolVersion, Resumption, Scenario, ServerKeyShare,
    Start, Work,
};

use crate::{Plan, StackRecord};

/// Why a driver's times are not verified in a scenario, for a stack with these capabilities; `None` if they
/// are.
#[must_use]
pub fn unverified_time(scenario: &Scenario, able: &Capabilities) -> Option<&'static str> {
    if scenario.works_at_once() {
        return Some("both sides work at once and wait for each other");
    }
    if scenario.threads > 1 {
        return Some("several threads work at once");
    }
    if scenario.start == Start::Cold {
        return Some("each slice has a process of its own");
    }
    if prepares_off_the_clock(&scenario.work) {
        return Some("most of the work is untimed preparation");
    }
    if scenario.server_key_share == ServerKeyShare::Pregenerated {
        return Some("key shares are generated before the timed work");
    }
    let needs_tickets = scenario.version == ProtocolVersion::TLS13
        && matches!(scenario.resumption, Resumption::SessionId | Resumption::Ticket);
    (needs_tickets && able.renews_no_tickets)
        .then_some("an untimed full handshake brings the ticket for each resumption")
}

impl Plan {
    /// Notes for readers on times that are not verified, a sentence for each reason.
    #[must_use]
    pub fn unverified_times(&self) -> Vec<String> {
        let able: Vec<Capabilities> = self.stacks.iter().map(StackRecord::able).collect();
        let mut by_reason: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for scenario in self.timed() {
            let name = &self.scenarios[scenario].name;
            let taking_part = (0..able.len()).filter(|stack| self.asks(scenario, *stack)).collect::<Vec<_>>();
            let mut by_stack: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
            for &stack in &taking_part {
                if let Some(reason) = unverified_time(&self.scenarios[scenario], &able[stack]) {
                    by_stack.entry(reason).or_default().push(&self.stacks[stack].name);
                }
            }
            for (reason, stacks) in by_stack {
                let text = match stacks.len() == taking_part.len() {
                    true => name.clone(),
                    false => format!("{name} ({})", stacks.join(", ")),
                };
                by_reason.entry(reason).or_default().push(text);
            }
        }
        let sentence = |(reason, names): (&str, Vec<String>)| {
            let named = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
            let more = match names.len().saturating_sub(NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!("Times of {named}{more} are the drivers' own; the lab could not check them, as {reason}.")
        };
        by_reason.into_iter().map(sentence).collect()
    }
}

/// More scenarios than this are counted instead of named.
const NAMED: usize = 4;

/// Whether most of a driver's work is untimed preparation.
fn prepares_off_the_clock(work: &Work) -> bool {
    match work {
        Work::Transfer { connection, .. } => *connection == ConnectionAge::Fresh,
        Work::Primitive(Primitive { operation, .. }) => {
            matches!(operation, Operation::AeadOpen | Operation::KeyAgreement | Operation::Decapsulate)
        }
        Work::Handshake | Work::Exchange { .. } | Work::Request { .. } | Work::Idle { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn reason(change: serde_json::Value) -> Option<&'static str> {
        reason_where(change, false)
    }

    fn reason_where(change: serde_json::Value, renews_no_tickets: bool) -> Option<&'static str> {
        let mut scenario = json!({
            "name": "s", "work": {"kind": "handshake"}, "version": "TLSv1.3", "signature": "ecdsa-p256",
            "group": "x25519", "suite": "TLS_AES_128_GCM_SHA256", "verification": "none",
        });
        for (key, value) in change.as_object().unwrap() {
            scenario[key] = value.clone();
        }
        let able = Capabilities { renews_no_tickets, ..Capabilities::default() };
        unverified_time(&serde_json::from_value(scenario).unwrap(), &able)
    }

    #[test]
    fn what_one_thread_does_in_a_warm_process_is_verified() {
        let transfer = |connection: &str| json!({"work": {"kind": "transfer", "sender": "client", "write_bytes": 16384, "connection": connection}});
        assert_eq!(reason(json!({})), None);
        assert_eq!(reason(transfer("warm")), None);
        assert!(reason(transfer("fresh")).unwrap().contains("untimed"));
        assert!(reason(json!({"concurrent": true})).unwrap().contains("at once"));
        assert!(reason(json!({"threads": 2})).unwrap().contains("several threads"));
        let pregenerated = reason(json!({"server_key_share": "pregenerated"}));
        assert!(pregenerated.unwrap().contains("before the timed work"));
        let resumed = json!({"resumption": "ticket"});
        assert_eq!(reason(resumed.clone()), None);
        assert!(reason_where(resumed, true).unwrap().contains("brings the ticket"));
        assert!(reason(json!({"start": "cold"})).unwrap().contains("a process of its own"));
    }
}
