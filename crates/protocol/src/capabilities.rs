//! What a driver claims to support. The lab checks each claim by trying it; each missing value has a reason.

use std::fmt;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CipherSuite, Group, KeyType, ProtocolVersion, Resumption, Verification};

/// The values of each axis that a stack supports, and the reasons for those that it does not.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Capabilities {
    /// Protocol versions that can be pinned.
    pub versions: Vec<ProtocolVersion>,
    /// Key types that the server can sign with and the client can check.
    pub signatures: Vec<KeyType>,
    /// Key exchange groups that can be pinned.
    pub groups: Vec<Group>,
    /// Cipher suites that can be pinned.
    pub suites: Vec<CipherSuite>,
    /// Levels of verification.
    pub verification: Vec<Verification>,
    /// Ways to resume an earlier session.
    #[serde(default)]
    pub resumption: Vec<ResumptionKind>,
    /// Whether a TLS 1.3 server that resumes a ticket sends no new one, because the library cannot be
    /// configured to. The client then needs a full handshake before it can resume again.
    #[serde(default)]
    pub renews_no_tickets: bool,
    /// Whether a server can request a client's certificate, and a client can present one.
    #[serde(default)]
    pub mutual_authentication: bool,
    /// The highest number of session tickets that the server can be configured to send; 0 is always possible.
    #[serde(default)]
    pub max_tickets: u32,
    /// Kinds of work: `handshake`, `transfer`, `exchange`, `request`, `primitive`.
    pub works: Vec<String>,
    /// Cryptographic operations that can be measured alone, as `operation/algorithm`: `sign/ecdsa-p256`.
    #[serde(default)]
    pub primitives: Vec<String>,
    /// The reasons for values that are not supported.
    #[serde(default)]
    pub limits: Vec<Limit>,
    /// Axes on which the client offers more than the scenario's one value, because the library cannot be
    /// configured otherwise: `suite`, `group`, `psk_mode`. The negotiated value must still be the scenario's.
    #[serde(default)]
    pub offers_more: Vec<String>,
    /// Whether its cryptography does nothing. It then has no figures of a library, and wins no comparison.
    #[serde(default)]
    pub protects_nothing: bool,
    /// How the library splits writes into records, if that cannot be configured.
    #[serde(default)]
    pub records: Records,
    /// Whether several threads may call the library at once, each with connections of its own.
    #[serde(default)]
    pub threads: bool,
    /// Whether the library releases a flight in parts while it makes them, so that the peer can process the
    /// first parts early.
    #[serde(default)]
    pub flushes: bool,
    /// How long the library's runtime does other work after it was idle, ms; a warm-up lasts at least that
    /// long. 0 for libraries without a runtime.
    #[serde(default)]
    pub settles_ms: u32,
    /// What a reader must know wherever this stack is compared with others, in short whole sentences.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Further remarks, printed once in a report, in whole sentences.
    #[serde(default)]
    pub details: Vec<String>,
    /// Whether a client can be configured to offer another group first, with a key share for that group only.
    #[serde(default)]
    pub hello_retry: bool,
    /// The most early data that a client can send and a server accepts, bytes; 0 if it is not supported.
    #[serde(default)]
    pub max_early_data: u32,
    /// Whether a server can be given key shares that were generated earlier.
    #[serde(default)]
    pub pregenerated_key_shares: bool,
    /// Whether a server sends only its own certificate, because the library cannot be given intermediate
    /// ones. Such a stack runs scenarios with a chain of two certificates; longer chains are not supported.
    #[serde(default)]
    pub sends_leaf_alone: bool,
    /// Whether the driver can run an open loop, in which connections arrive by a schedule. The kit's drivers
    /// can.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open_loop: bool,
    /// Whether a client's context can read the roots that it trusts from a PEM file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reads_roots: bool,
    /// Whether both sides can be left at the library's own defaults, as its documentation's first example
    /// sets it up.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub defaults: bool,
}

/// A way to resume an earlier session in one version.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub enum ResumptionKind {
    /// TLS 1.2 with a session that the server keeps.
    #[serde(rename = "1.2/session-id")]
    SessionId12,
    /// TLS 1.2 with a ticket that the client keeps.
    #[serde(rename = "1.2/ticket")]
    Ticket12,
    /// TLS 1.2 with an external PSK and a fresh key exchange.
    #[serde(rename = "1.2/external-psk")]
    ExternalPsk12,
    /// TLS 1.2 with an external PSK, without a key exchange.
    #[serde(rename = "1.2/external-psk-only")]
    ExternalPskOnly12,
    /// TLS 1.3 with a ticket that names a session kept by the server, with a fresh key exchange.
    #[serde(rename = "1.3/session-id")]
    SessionId13,
    /// TLS 1.3 with a ticket and a fresh key exchange.
    #[serde(rename = "1.3/ticket")]
    Ticket13,
    /// As `Ticket13`, with the same ticket each time.
    #[serde(rename = "1.3/ticket-reused")]
    TicketReused13,
    /// TLS 1.3 with an external PSK and a fresh key exchange.
    #[serde(rename = "1.3/external-psk")]
    ExternalPsk13,
    /// TLS 1.3 with an external PSK, without a key exchange.
    #[serde(rename = "1.3/external-psk-only")]
    ExternalPskOnly13,
}

impl ResumptionKind {
    /// All values.
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

    /// The version and the kind of resumption.
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

/// How a library splits a write into records.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct Records {
    /// Plaintext in a full record, bytes; at most 16,384 (RFC 8446, section 5.1).
    pub plaintext_bytes: u32,
    /// Zero bytes of padding after the plaintext of every record.
    pub padding_bytes: u32,
    /// Padding fills the plaintext and its type byte with zero bytes to a multiple of this, bytes.
    pub filled_to_bytes: u32,
    /// Whether a record's overhead (tag, type, nonce) counts towards `plaintext_bytes`, in all versions.
    pub counts_overhead: bool,
}

impl Default for Records {
    /// Full records without padding.
    fn default() -> Self {
        Self { plaintext_bytes: 16_384, padding_bytes: 0, filled_to_bytes: 1, counts_overhead: false }
    }
}

/// The reason why a value of an axis is not supported.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Limit {
    /// The axis: `version`, `signature`, `group`, `suite`, `verification`, `resumption`, `authentication`,
    /// `chain`, `tickets`, `hello_retry`, `early_data`, `server_key_share`, `work`, `threads`, `rate`,
    /// `roots`, `defaults` or `primitive`.
    pub axis: String,
    /// The value as scenario files write it; `any` for every unsupported value without a reason of its own.
    pub value: String,
    /// The reason, as text that follows "unsupported: ".
    pub reason: String,
}

impl Capabilities {
    /// The reason for one value, if there is one.
    pub fn reason(&self, axis: &str, value: &str) -> Option<&str> {
        let of = |value: &str| self.limits.iter().find(|limit| limit.axis == axis && limit.value == value);
        of(value).or_else(|| of("any")).map(|limit| limit.reason.as_str())
    }
}
