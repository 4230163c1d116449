//! The captured connections, and ways to spoil a copy of one.

#![allow(dead_code, reason = "each test program uses some of it")]

use std::path::Path;

use serde::Deserialize;
use tlslab_proof::check;
use tlslab_protocol::{Facts, Flight, Scenario, Side, Step};

/// A captured connection with the scenario that it was made for.
#[derive(Clone, Deserialize)]
pub(crate) struct Capture {
    pub scenario: Scenario,
    pub facts: Facts,
}

/// All captures by name.
pub(crate) const ALL: [&str; 32] = [
    "openssl-3.5-defaults",
    "openssl-defaults",
    "openssl-external-psk",
    "openssl-external-psk-only",
    "openssl-hello-retry-request",
    "openssl-request-resumed",
    "openssl-resumed",
    "openssl-ticket-reused",
    "openssl-ticket-reused-2",
    "openssl-tls12",
    "openssl-tls12-defaults",
    "openssl-tls12-external-psk",
    "openssl-tls12-external-psk-only",
    "openssl-tls12-mutual",
    "openssl-tls12-request",
    "openssl-tls12-resumed-id",
    "openssl-tls12-resumed-ticket",
    "openssl-transfer",
    "rustls-defaults",
    "rustls-early-data",
    "rustls-handshake",
    "rustls-hello-retry",
    "rustls-mutual",
    "rustls-pregenerated",
    "rustls-pregenerated-2",
    "rustls-request",
    "rustls-resumed-ticket",
    "rustls-tickets",
    "rustls-tls12-handshake",
    "rustls-transfer",
    "wolfssl-external-psk-only",
    "wolfssl-tls12-external-psk",
];

/// The capture of this name.
pub(crate) fn capture(name: &str) -> Capture {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(format!("{name}.json"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

impl Capture {
    /// Replaces bytes of one flight, which must hold them once. Both are hex and of the same length.
    pub(crate) fn patch(mut self, flight: usize, from: &str, to: &str) -> Self {
        let wire = hex::encode(&self.facts.flights[flight].wire);
        assert_eq!((wire.matches(from).count(), from.len()), (1, to.len()));
        self.facts.flights[flight].wire = hex::decode(wire.replace(from, to)).unwrap();
        self
    }

    /// Adds bytes, in hex, to the end of one flight.
    pub(crate) fn extend(mut self, flight: usize, wire: &str) -> Self {
        self.facts.flights[flight].wire.extend(hex::decode(wire).unwrap());
        self
    }

    /// Adds a flight, its bytes in hex.
    pub(crate) fn flight(mut self, from: Side, step: Step, wire: &str) -> Self {
        self.facts.flights.push(Flight { from, step, wire: hex::decode(wire).unwrap() });
        self
    }

    /// Alters it in any way.
    pub(crate) fn with(mut self, alter: impl FnOnce(&mut Scenario, &mut Facts)) -> Self {
        alter(&mut self.scenario, &mut self.facts);
        self
    }

    /// Everything that is wrong with it, one fact a line; empty if nothing is.
    pub(crate) fn wrong(&self) -> String {
        match check(&self.scenario, &self.facts) {
            Ok(_) => String::new(),
            Err(wrong) => wrong.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
        }
    }
}
