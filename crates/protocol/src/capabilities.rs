//! What a driver says it can do. A claim here is checked by trying it; a "no" carries its reason.

use std::fmt;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CipherSuite, Group, KeyType, ProtocolVersion, Resumption, Verification};

/// Everything a stack can do, and why it cannot do the rest.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Capabilities {
    /// Versions that can be pinned.
    pub versions: Vec<ProtocolVersion>,
    /// Key types that the server can sign with and the client can check.
    pub signatures: Vec<KeyType>,
    /// Groups that can be pinned.
    pub groups: Vec<Group>,
    /// Suites that can be pinned.
    pub suites: Vec<CipherSuite>,
    /// Levels of verification.
    pub verification: Vec<Verification>,
    /// Ways to take up an earlier session.
    #[serde(default)]
    pub resumption: Vec<ResumptionKind>,
    /// Whether a server of TLS 1.3 that takes up a ticket sends no new one, because the library cannot be
    /// configured to. The client then needs a full handshake for its next.
    #[serde(default)]
    pub renews_no_tickets: bool,
    /// Whether a server can ask for a client's certificate, and a client show it.
    #[serde(default)]
    pub mutual_authentication: bool,
    /// The highest number of session tickets that the server can be configured to send; 0 is always possible.
    #[serde(default)]
    pub max_tickets: u32,
    /// Kinds of work: `handshake`, `transfer`, `primitive`.
    pub works: Vec<String>,
    /// Cryptographic operations that can be done by themselves, as `operation/algorithm`: `sign/ecdsa-p256`.
    #[serde(default)]
    pub primitives: Vec<String>,
    /// Reasons for what is missing.
    #[serde(default)]
    pub limits: Vec<Limit>,
    /// Axes on which the client offers more than the scenario's one value, because the library cannot be
    /// configured otherwise: `suite`, `group`, `psk_mode`. What was agreed on must still be what the scenario
    /// says.
    #[serde(default)]
    pub offers_more: Vec<String>,
    /// Whether its cryptography does nothing, so that its figures are no library's and it wins no comparison.
    #[serde(default)]
    pub protects_nothing: bool,
    /// How the library cuts what is written into records, where it cannot be configured.
    #[serde(default)]
    pub records: Records,
    /// Whether calls may come from several threads at once, as long as each connection stays with one of
    /// them.
    #[serde(default)]
    pub threads: bool,
    /// Whether the library lets go of a flight in parts as it makes them, so that the peer can work on the
    /// first ones.
    #[serde(default)]
    pub flushes: bool,
    /// How long the library's runtime does other work after it was idle, ms: a warm-up lasts at least that
    /// long. 0 for libraries that have no runtime.
    #[serde(default)]
    pub settles_ms: u32,
    /// What a reader must know wherever this stack stands beside others, in short whole sentences.
    #[serde(default)]
    pub notes: Vec<String>,
    /// What else is worth knowing of it, said once in a report, in whole sentences.
    #[serde(default)]
    pub details: Vec<String>,
    /// Whether a client can be configured to offer another group first, with a key share for that one alone.
    #[serde(default)]
    pub hello_retry: bool,
    /// The most early data that a client can send and a server accept, bytes; 0 is none at all.
    #[serde(default)]
    pub max_early_data: u32,
    /// Whether a server can be given key shares that were made before.
    #[serde(default)]
    pub pregenerated_key_shares: bool,
    /// Whether a server shows its own certificate alone, because the library cannot be given those above it.
    /// It takes part where the chain has two certificates, and longer ones are not to be had.
    #[serde(default)]
    pub sends_leaf_alone: bool,
    /// Whether its driver makes connections that arrive by a schedule. The kit's drivers do.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open_loop: bool,
    /// Whether a client's context can read the roots that it trusts from a PEM file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reads_roots: bool,
}

/// A way to take up an earlier session in one version.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub enum ResumptionKind {
    /// TLS 1.2 by a session that the server keeps.
    #[serde(rename = "1.2/session-id")]
    SessionId12,
    /// TLS 1.2 by a ticket that the client keeps.
    #[serde(rename = "1.2/ticket")]
    Ticket12,
    /// TLS 1.2 by an external PSK, with a fresh key exchange.
    #[serde(rename = "1.2/external-psk")]
    ExternalPsk12,
    /// TLS 1.2 by an external PSK, without a key exchange.
    #[serde(rename = "1.2/external-psk-only")]
    ExternalPskOnly12,
    /// TLS 1.3 by a ticket that names a session which the server keeps, with a fresh key exchange.
    #[serde(rename = "1.3/session-id")]
    SessionId13,
    /// TLS 1.3 by a ticket, with a fresh key exchange.
    #[serde(rename = "1.3/ticket")]
    Ticket13,
    /// The same by one ticket again and again.
    #[serde(rename = "1.3/ticket-reused")]
    TicketReused13,
    /// TLS 1.3 by an external PSK, with a fresh key exchange.
    #[serde(rename = "1.3/external-psk")]
    ExternalPsk13,
    /// TLS 1.3 by an external PSK, without a key exchange.
    #[serde(rename = "1.3/external-psk-only")]
    ExternalPskOnly13,
}

impl ResumptionKind {
    /// Every way there is.
    pub const ALL: [ResumptionKind; 9] = [
        ResumptionKind::SessionId12,
        ResumptionKind::Ticket12,
        ResumptionKind::ExternalPsk12,
        ResumptionKind::ExternalPskOnly12,
        ResumptionKind::SessionId13,
        ResumptionKind::Ticket13,
        ResumptionKind::TicketReused13,
        ResumptionKind::ExternalPsk13,
        ResumptionKind::ExternalPskOnly13,
    ];

    /// The version, and what is taken up in it.
    pub fn parts(self) -> (ProtocolVersion, Resumption) {
        match self {
            ResumptionKind::SessionId12 => (ProtocolVersion::TLS12, Resumption::SessionId),
            ResumptionKind::Ticket12 => (ProtocolVersion::TLS12, Resumption::Ticket),
            ResumptionKind::ExternalPsk12 => (ProtocolVersion::TLS12, Resumption::ExternalPsk),
            ResumptionKind::ExternalPskOnly12 => (ProtocolVersion::TLS12, Resumption::ExternalPskOnly),
            ResumptionKind::SessionId13 => (ProtocolVersion::TLS13, Resumption::SessionId),
            ResumptionKind::Ticket13 => (ProtocolVersion::TLS13, Resumption::Ticket),
            ResumptionKind::TicketReused13 => (ProtocolVersion::TLS13, Resumption::TicketReused),
            ResumptionKind::ExternalPsk13 => (ProtocolVersion::TLS13, Resumption::ExternalPsk),
            ResumptionKind::ExternalPskOnly13 => (ProtocolVersion::TLS13, Resumption::ExternalPskOnly),
        }
    }
}

impl fmt::Display for ResumptionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (version, resumption) = self.parts();
        write!(f, "{}/{resumption}", version.short_name())
    }
}

/// The records that a library makes of a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct Records {
    /// Plaintext in a full record, bytes; 16,384 is the most there can be.
    pub plaintext_bytes: u32,
    /// Zero bytes that every record has after its plaintext.
    pub padding_bytes: u32,
    /// A record's plaintext and the byte of its type are filled up with zero bytes to a multiple of this.
    pub filled_to_bytes: u32,
    /// Whether what a record carries besides its plaintext (tag, type, nonce) counts into `plaintext_bytes`,
    /// in all versions.
    pub counts_overhead: bool,
}

impl Default for Records {
    /// Full records without padding.
    fn default() -> Self {
        Self { plaintext_bytes: 16_384, padding_bytes: 0, filled_to_bytes: 1, counts_overhead: false }
    }
}

/// Why one value of one axis is not to be had.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Limit {
    /// The axis: `version`, `signature`, `group`, `suite`, `verification`, `resumption`, `authentication`,
    /// `chain`, `tickets`, `hello_retry`, `early_data`, `server_key_share`, `work`, `threads`, `rate`,
    /// `roots` or `primitive`.
    pub axis: String,
    /// The value as scenario files write it; `any` for every value that is not to be had and has no reason of
    /// its own.
    pub value: String,
    /// Why, in words that stand after "unsupported: ".
    pub reason: String,
}

impl Capabilities {
    /// The reason given for one value, if one is given.
    pub fn reason(&self, axis: &str, value: &str) -> Option<&str> {
        let of = |value: &str| self.limits.iter().find(|limit| limit.axis == axis && limit.value == value);
        of(value).or_else(|| of("any")).map(|limit| limit.reason.as_str())
    }
}
