//! The observations of a cell's proof.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tlslab_proof::{ConnectionFacts, FlightSizes, PrimitiveSummary};

/// The observations of a cell's proof.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ProvenFacts {
    /// For a connection.
    Connection(Box<ConnectionFacts>),
    /// For a primitive.
    Primitive(PrimitiveSummary),
    /// In the format of another version of the lab.
    Other(Value),
}

impl ProvenFacts {
    /// The lengths of a connection's flights.
    pub fn sizes(&self) -> Option<&FlightSizes> {
        match self {
            Self::Connection(facts) => Some(&facts.sizes),
            Self::Primitive(_) | Self::Other(_) => None,
        }
    }

    /// One of these by its name, or one of the numbers about the client's data.
    pub fn size(&self, name: &str) -> Option<u64> {
        let Self::Connection(facts) = self else { return None };
        let (sizes, sent) = (&facts.sizes, &facts.data.sent.client);
        Some(match name {
            "client_hello_bytes" => sizes.client_hello_bytes,
            "server_hello_bytes" => sizes.server_hello_bytes,
            "client_first_flight_bytes" => sizes.client_first_flight_bytes,
            "server_flight_bytes" => sizes.server_flight_bytes,
            "client_second_flight_bytes" => sizes.client_second_flight_bytes,
            "post_handshake_bytes" => sizes.post_handshake_bytes,
            "sent_wire_bytes" => sent.wire_bytes,
            "sent_records" => sent.record_sizes.iter().map(|size| size.count).sum(),
            "cipher_blocks" => sent.blocks.cipher,
            "authenticator_blocks" => sent.blocks.authenticator,
            _ => return None,
        })
    }

    /// The unit of one of these, which is the end of its name: `bytes`, `records` or `blocks`.
    pub fn size_unit(name: &str) -> &str {
        name.rsplit('_').next().unwrap_or(name)
    }
}

impl From<ConnectionFacts> for ProvenFacts {
    fn from(facts: ConnectionFacts) -> Self {
        Self::Connection(Box::new(facts))
    }
}

impl From<PrimitiveSummary> for ProvenFacts {
    fn from(facts: PrimitiveSummary) -> Self {
        Self::Primitive(facts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_of_another_form_are_kept_as_they_are() {
        let old = serde_json::json!({ "version": "1.3", "colour": [1, 2] });
        let facts: ProvenFacts = serde_json::from_value(old.clone()).unwrap();
        assert_eq!(facts, ProvenFacts::Other(old.clone()));
        assert_eq!(facts.sizes(), None);
        assert_eq!(serde_json::to_value(facts).unwrap(), old);
    }
}
