//! The messages between the lab and a driver.
//!
//! The lab writes one JSON object per line to a driver's standard input and reads one JSON object per line
//! from its standard output. This crate defines these messages, the names of the algorithms in them, and the
//! codec, which limits a line's length. It starts no process and reads no clock.
//!
//! Unknown keys are ignored on both sides, so that either can be newer than the other.
//! `docs/protocol/README.md` documents the protocol; the JSON Schema in the same folder is generated from
//! these types.

mod algorithm;
mod axes;
mod capabilities;
mod codec;
mod count;
mod credentials;
mod facts;
mod kernel;
mod key_type;
mod latencies;
mod message;
mod named_fields;
mod open_loop;
mod phase_times;
mod primitive;
mod psk;
mod relay;
mod scenario;
#[cfg(feature = "schema")]
pub mod schema;
mod weight;

pub use algorithm::{CipherSuite, Group, ProtocolVersion, SignatureScheme, UnknownName};
pub use axes::{
    Arrivals, Authentication, ConnectionAge, ContextUse, Resumption, ServerKeyShare, Sharing, Side, Start,
    Transport, Verification,
};
pub use capabilities::{Capabilities, Limit, Records, ResumptionKind};
pub use codec::{CodecError, MAX_LINE_BYTES, decode_line, encode_line, read_line};
pub use count::{Count, Counting, PhaseCounts, SideCount, Simulated};
pub use credentials::{ClientCredentials, Credentials};
pub use facts::{Conversation, Facts, Flight, Outcome, Refusal, SideFacts, Step};
pub use kernel::{KernelPhases, KernelUse, KernelWork};
pub use key_type::{KeyType, SignatureAlgorithm};
pub use latencies::Latencies;
pub use message::{
    AnsweredCpuid, Calibration, Description, HiddenFeatures, Library, Measurement, Reply, Request,
    SideMeasurement, Tamper, ThreadMeasurement, WarmUp, WarmUpRule, WarmUpTimes,
};
pub use open_loop::OpenLoop;
pub use phase_times::PhaseTimes;
pub use primitive::{
    Algorithm, HEADER_OF_TLS_1_2, HEADER_OF_TLS_1_3, HashFunction, Operation, Primitive, PrimitiveFacts,
    additional_data, message_to_sign, record_header, record_nonce,
};
pub use psk::PskCredentials;
pub use relay::{MOST_RELAYED, Pairing, RelayCall, RelayResult, RelayStep, Relayed};
pub use scenario::{Measure, Scenario, Work};
pub use weight::{ContextWeight, HeldOpen, Holding, PhaseWeight, PhaseWeights, SideWeight, Sides, Weighing};

/// The version of the protocol that this crate implements. The lab rejects a driver that supports none of its
/// versions.
pub const PROTOCOL_VERSION: u32 = 2;
