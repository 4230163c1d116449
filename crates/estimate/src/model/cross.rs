//! The client of each stack against the server of every other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_protocol::Side;

use super::Estimated;

/// One scenario's table of clients by servers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CrossTable {
    /// The scenario's name.
    pub scenario: String,
    /// Every ordered pair of stacks: all servers of the first client, then of the next, in the order of the
    /// stacks.
    pub pairs: Vec<CrossPair>,
    /// The harness's check: each stack against itself over the lab, divided by its own cell.
    pub checks: Vec<CrossCheck>,
    /// The results of the check, and the basis of the table, in one sentence each.
    pub summary: Vec<String>,
}

/// A client and a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CrossPair {
    /// The client's stack.
    pub client: String,
    /// The server's stack.
    pub server: String,
    /// Connections that were measured, in complete visits.
    pub connections: u64,
    /// The outcome.
    #[serde(flatten)]
    pub outcome: CrossOutcome,
}

/// Three figures, or the reason for their absence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum CrossOutcome {
    /// It was measured.
    Measured(Box<CrossTimes>),
    /// One of the two cannot do the scenario.
    Unsupported {
        /// Which of the two.
        side: Side,
        /// Why.
        unsupported: String,
    },
    /// One of the two ended a connection.
    Refused(CrossRefusal),
    /// It went wrong in another way.
    Failed {
        /// The error.
        failed: String,
    },
}

/// Times per connection, µs: create, handshake, post-handshake, free.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CrossTimes {
    /// The client's.
    pub client_us: Estimated,
    /// The server's.
    pub server_us: Estimated,
    /// Both together.
    pub sum_us: Estimated,
}

/// A connection that one of the two ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CrossRefusal {
    /// The side that ended it.
    pub refused_by: Side,
    /// Connections of the two that had come about and were measured before.
    pub after: u64,
    /// Its library's error.
    pub error: String,
    /// The alert that it sent, as far as the wire shows it; `null` if it sent none.
    pub alert: Option<String>,
    /// Its peer's error on the alert.
    pub peer: Option<String>,
}

/// A stack's client against its own server through the lab, its time divided by that of its own cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CrossCheck {
    /// The stack.
    pub stack: String,
    /// The client's ratio.
    pub client: Estimated,
    /// The server's ratio.
    pub server: Estimated,
}

impl CrossOutcome {
    /// Why there is no value: `unsupported` or `failed`, and the reason in a sentence without its full stop.
    pub fn hole(&self) -> Option<(&'static str, String)> {
        match self {
            CrossOutcome::Measured(_) => None,
            CrossOutcome::Unsupported { side, unsupported } => {
                Some(("unsupported", format!("the {side} cannot: {unsupported}")))
            }
            CrossOutcome::Refused(refusal) => Some(("failed", refusal.words())),
            CrossOutcome::Failed { failed } => Some(("failed", failed.clone())),
        }
    }

    /// The figures, if there are any.
    pub fn measured(&self) -> Option<&CrossTimes> {
        match self {
            CrossOutcome::Measured(times) => Some(times),
            _ => None,
        }
    }
}

impl CrossRefusal {
    fn words(&self) -> String {
        let after = match self.after {
            0 => String::new(),
            after => format!(" after {after} connections"),
        };
        let alert = match &self.alert {
            Some(alert) => format!(", alert {alert}"),
            None => ", no alert seen".to_owned(),
        };
        let peer = self.peer.as_ref().map(|peer| format!("; its peer said: {peer}")).unwrap_or_default();
        format!("the {} refused{after}: {}{alert}{peer}", self.refused_by, self.error)
    }
}
