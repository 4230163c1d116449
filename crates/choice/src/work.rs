//! The scenario that measures each part of a connection.

use tlslab_estimate::Family;
use tlslab_protocol::{
    Authentication, ConnectionAge, ContextUse, ProtocolVersion, Resumption, Scenario, ServerKeyShare, Side,
    Start, Transport, Verification, Work as Done,
};

/// The bytes that the cost of a transfer is of: a record of the largest size.
pub const RECORD_BYTES: u32 = 16_384;

/// A part of a connection, or the memory of an idle one.
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

    /// The part of a connection that a scenario measures on a side, if a mix can use it. A client verifies
    /// chain and name in full handshakes; a server's work does not depend on what the client verifies.
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

/// A scenario of TLS 1.3 with AES-128-GCM and default values.
fn is_plain(scenario: &Scenario) -> bool {
    scenario.version == ProtocolVersion::TLS13
        && scenario.suite.short_name() == "aes-128-gcm"
        && scenario.chain == 2
        && scenario.threads == 1
        && scenario.early_data == 0
        && !scenario.hello_retry
        && !scenario.defaults
        && !scenario.concurrent
        && scenario.rate == 0
        && scenario.context == ContextUse::default()
        && scenario.start == Start::default()
        && scenario.transport == Transport::default()
        && scenario.server_key_share == ServerKeyShare::default()
}
