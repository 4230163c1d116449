//! The scenario that measures each part of a connection.

use tlslab_estimate::Family;
use tlslab_protocol::{
    Authentication, ConnectionAge, ContextUse, ProtocolVersion, Resumption, Scenario, ServerKeyShare, Side,
    Start, Transport, Verification, Work as Done,
};

use crate::mix::Mix;

/// The bytes that the cost of a transfer is of: a record of the largest size.
pub const RECORD_BYTES: u32 = 16_384;

/// A part of a connection, or what one takes while it is idle.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Work {
    /// A full handshake, by its key and group.
    Full(String),
    /// A handshake that resumes a session.
    Resumed,
    /// A record that is sent.
    Send,
    /// A record that is received.
    Receive,
    /// Memory of an idle connection.
    Idle,
}

impl Work {
    /// Its name among costs.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Full(key) => key,
            Self::Resumed => "resumed",
            Self::Send => "send",
            Self::Receive => "receive",
            Self::Idle => "idle",
        }
    }

    /// The part of a connection that a scenario measures on a side, if a mix can ask for it. A client verifies chain and name in full handshakes; a server does the
    /// same work whatever the client verifies.
    #[must_use]
    pub fn of(scenario: &Scenario, side: Side) -> Option<Self> {
        if !is_plain(scenario) {
            return None;
        }
        let is_verified = scenario.verification == Verification::ChainAndName;
        let is_mutual = scenario.authentication == Authentication::Mutual;
        match (Family::of(scenario), scenario.work) {
            (Family::Handshake, Done::Handshake) if is_verified || side == Side::Server => {
                let who = if is_mutual { "mutual " } else { "" };
                Some(Self::Full(format!("{who}{} {}", scenario.signature, scenario.group.short_name())))
            }
            (Family::Resumption, Done::Handshake)
                if scenario.resumption == Resumption::Ticket && scenario.tickets <= 1 =>
            {
                Some(Self::Resumed)
            }
            (
                Family::Transfer,
                Done::Transfer { sender, write_bytes: RECORD_BYTES, connection: ConnectionAge::Warm, .. },
            ) => Some(if side == sender { Self::Send } else { Self::Receive }),
            (Family::Idle, _) => Some(Self::Idle),
            _ => None,
        }
    }
}

/// Of TLS 1.3 with AES-128-GCM, and with nothing that is not asked for.
fn is_plain(scenario: &Scenario) -> bool {
    scenario.version == ProtocolVersion::TLS13
        && scenario.suite.short_name() == "aes-128-gcm"
        && scenario.chain == 2
        && scenario.threads == 1
        && scenario.early_data == 0
        && !scenario.hello_retry
        && !scenario.concurrent
        && scenario.rate == 0
        && scenario.context == ContextUse::default()
        && scenario.start == Start::default()
        && scenario.transport == Transport::default()
        && scenario.server_key_share == ServerKeyShare::default()
}

/// The scenarios that measure the costs of a mix, one for each part, and the parts that no scenario measures. Of several that
/// one is taken in which the client verifies least, as more stacks can do it and the side's own work is the same; then that of the mix's key, and
/// the one with the plainest name.
#[must_use]
pub fn scenarios_of<'s>(mix: &Mix, all: &'s [Scenario]) -> (Vec<&'s Scenario>, Vec<Work>) {
    let mut found: Vec<&Scenario> = Vec::new();
    let mut missing = Vec::new();
    for work in mix.works() {
        let measures = |scenario: &&Scenario| Work::of(scenario, mix.side).as_ref() == Some(&work);
        let preference = |scenario: &&Scenario| {
            let key = format!("{} {}", scenario.signature, scenario.group.short_name());
            let is_verified = scenario.verification != Verification::None;
            (is_verified, !mix.key.ends_with(&key), scenario.name.matches('/').count())
        };
        match all.iter().filter(measures).min_by_key(preference) {
            Some(scenario) if found.contains(&scenario) => {}
            Some(scenario) => found.push(scenario),
            None => missing.push(work),
        }
    }
    (found, missing)
}

#[cfg(test)]
mod tests {
    use tlslab_protocol::KeyType;

    use super::*;
    use crate::mix::profiles;

    #[test]
    fn the_plainest_scenario_of_the_mixes_key_is_measured() {
        let named = |name: &str, scenario: Scenario| Scenario { name: name.to_owned(), ..scenario };
        let full = Scenario { verification: Verification::None, ..Scenario::plain(Done::Handshake) };
        let resumed = Scenario { resumption: Resumption::Ticket, tickets: 1, ..full.clone() };
        let key = format!("{} {}", full.signature, full.group.short_name());
        let other = [KeyType::Rsa2048, KeyType::EcdsaP256];
        let other = other.into_iter().find(|key| *key != full.signature).unwrap();
        let all = [
            named("rows/of/another/program/full", full.clone()),
            named("full/verified", Scenario { verification: Verification::ChainAndName, ..full.clone() }),
            named("full/plain", full.clone()),
            named("resumed/other", Scenario { signature: other, ..resumed.clone() }),
            named("resumed/more", Scenario { tickets: 2, ..resumed.clone() }),
            named("resumed/plain", resumed),
        ];
        let mix = Mix { key, bytes: 0.0, ..profiles().remove(0) };
        let (found, missing) = scenarios_of(&mix, &all);
        let names: Vec<&str> = found.iter().map(|scenario| scenario.name.as_str()).collect();
        assert_eq!(names, ["full/plain", "resumed/plain"]);
        assert_eq!(missing, [Work::Idle]);
        assert_eq!(Work::of(&all[2], Side::Client), None, "a client verifies");
        assert!(Work::of(&all[1], Side::Client).is_some());
    }
}
