//! Proof that a connection did the work of its scenario.
//!
//! A driver claims that it did a scenario's work; this crate checks it. It reads the bytes on the wire and
//! what the libraries report, compares both with the scenario, and names the sources of each fact. Nothing is
//! inferred from what the driver was *asked* to do: a fact that neither the wire nor a library shows is
//! listed as not shown, with the reason. Every reply has bounds, and its times and numbers must be possible.
//! The crate is pure: no I/O, no clock, and no input makes it panic.

mod blocks;
mod bounds;
mod certificate;
mod check;
mod connection_facts;
mod fact;
mod fault;
mod field;
mod plausible;
mod primitive;
mod sent;
mod signature;
mod transcript;
pub mod wire;

pub use blocks::Blocks;
pub use bounds::{BadReply, MOST_TEXT_BYTES, decode_reply};
pub use certificate::{CertificateError, CertificateKey, KeyAlgorithm};
pub use check::{Chains, WrongFact, check, check_declared, check_two};
pub use connection_facts::{
    BySide, ConnectionFacts, DataFacts, FlightSizes, Offer, RecordCounts, RecordSize, Row, SentData,
};
pub use fact::{Fact, Source};
pub use fault::{Expected, Fault, FaultKind, ending, faults, judge};
pub use plausible::{
    clocks_ns, untrue, untrue_of_count, untrue_of_kernel, untrue_of_weighing, warm_up_clocks_ns,
};
pub use primitive::{PrimitiveSummary, check_primitive, peer_share};
pub use sent::{SEGMENT_BYTES, Sent, sent};
