//! The format of a scenario file.

use schemars::JsonSchema;
use serde::Deserialize;
use tlslab_protocol::{
    Algorithm, Arrivals, Authentication, CipherSuite, ConnectionAge, ContextUse, Group, KeyType, Operation,
    ProtocolVersion, Resumption, ServerKeyShare, Sharing, Side, Start, Transport, Verification,
};

use super::axis::Axis;

/// Several tables of a family under `[[scenarios]]`, each with its own axes under `[scenarios.axes]`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Several {
    /// The tables.
    pub scenarios: Vec<Written>,
}

/// A scenario file: a table of scenarios (Written), or several of them.
#[derive(JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "only its schema is used")]
pub(crate) enum WrittenFile {
    /// Several tables.
    Several(Several),
    /// One table.
    One(Box<Written>),
}

/// A table of scenarios: the product of its axes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Written {
    /// A short title [default: the file's name].
    pub title: Option<String>,
    /// A description of the work, in sentences [default: none].
    #[serde(default)]
    pub description: String,
    /// The scenarios' names, in which `{axis}` is the value of an axis [default: the file's name, and every
    /// axis with several values].
    pub name: Option<String>,
    /// The work of one iteration [default: handshake].
    #[serde(default)]
    pub work: WorkKind,
    /// Options of the work.
    #[serde(default)]
    pub axes: Axes,
}

/// The work of one iteration, without its options.
#[derive(Deserialize, JsonSchema, Clone, Copy, Default, PartialEq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum WorkKind {
    /// A handshake.
    #[default]
    Handshake,
    /// One side sends, the other receives.
    Transfer,
    /// The client sends, and the server sends the same amount back.
    Exchange,
    /// A short connection: handshake, request, response, closing alerts.
    Request,
    /// Connections that are held open.
    Idle,
    /// A single cryptographic operation, without a connection.
    Primitive,
}

/// The axes. Each has a default.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Axes {
    /// The version of TLS [default: 1.3].
    pub version: Option<Axis<ProtocolVersion>>,
    /// The key of the server's certificate [default: ecdsa-p256].
    pub signature: Option<Axis<KeyType>>,
    /// The group of the key exchange [default: x25519].
    pub group: Option<Axis<Group>>,
    /// The cipher suite [default: aes-128-gcm].
    pub suite: Option<Axis<CipherSuite>>,
    /// What the client verifies of the certificates [default: none].
    pub verification: Option<Axis<Verification>>,
    /// The number of session tickets that the server sends [default: 0].
    pub tickets: Axis<u32>,
    /// How a session is resumed [default: none].
    pub resumption: Axis<Resumption>,
    /// Which side shows a certificate [default: server].
    pub authentication: Axis<Authentication>,
    /// Whether the server requests another key share [default: false].
    pub hello_retry: Axis<bool>,
    /// Bytes of early data [default: 0].
    pub early_data: Axis<u32>,
    /// When the server's key share is generated [default: fresh].
    pub server_key_share: Axis<ServerKeyShare>,
    /// Whether connections share their contexts [default: reused].
    pub context: Axis<ContextUse>,
    /// Whether the process has done the work before [default: warm].
    pub start: Axis<Start>,
    /// The transport of the bytes [default: memory].
    pub transport: Axis<Transport>,
    /// Whether both sides work at the same time [default: false].
    pub concurrent: Axis<bool>,
    /// Threads of each side [default: 1].
    pub threads: Axis<u32>,
    /// Whether threads share their contexts [default: shared].
    pub sharing: Axis<Sharing>,
    /// The number of certificates that the server sends, its own included [default: 2].
    pub chain: Axis<u32>,
    /// Connections that arrive per second, whether earlier ones are done or not [default: 0, each begins when
    /// the previous one has ended].
    pub rate: Axis<u32>,
    /// For arrivals: their schedule [default: poisson].
    pub arrivals: Axis<Arrivals>,
    /// How many roots the client's context reads from a PEM file: 1 or 140 [default: 0, it gets its one root
    /// in memory].
    pub roots: Axis<u32>,
    /// Whether each library keeps its own defaults, so that version, group, suite and tickets do not apply
    /// [default: false].
    pub defaults: Axis<bool>,
    /// For a transfer: the side that sends.
    pub sender: Option<Axis<Side>>,
    /// For a transfer: whether the connection is a new one.
    pub connection: Option<Axis<ConnectionAge>>,
    /// For a transfer or an exchange: the write.
    pub write: Option<Axis<Write>>,
    /// For a short connection: bytes of the client's request [default: 200].
    pub request_bytes: Option<Axis<u32>>,
    /// For a short connection: bytes of the server's response [default: 8192].
    pub response_bytes: Option<Axis<u32>>,
    /// For idle connections: how many are held.
    pub held: Option<Axis<u32>>,
    /// For a primitive: the operation.
    pub operation: Option<Axis<Operation>>,
    /// For a primitive: the algorithm.
    pub algorithm: Option<Axis<Algorithm>>,
    /// For a primitive: the message of an operation that has one.
    pub message: Option<Axis<Write>>,
    /// For an AEAD: how many bytes of additional data it authenticates, 5 as in TLS 1.3 or 13 as in TLS 1.2
    /// [default: 5].
    pub header_bytes: Option<Axis<u32>>,
}

impl Default for Axes {
    fn default() -> Self {
        Self {
            version: None,
            signature: None,
            group: None,
            suite: None,
            verification: None,
            tickets: Axis(vec![0]),
            resumption: Axis::default(),
            authentication: Axis::default(),
            hello_retry: Axis::default(),
            early_data: Axis::default(),
            server_key_share: Axis::default(),
            context: Axis::default(),
            start: Axis::default(),
            transport: Axis::default(),
            concurrent: Axis::default(),
            threads: Axis(vec![1]),
            sharing: Axis::default(),
            chain: Axis(vec![2]),
            rate: Axis(vec![0]),
            arrivals: Axis::default(),
            roots: Axis(vec![0]),
            defaults: Axis::default(),
            sender: None,
            connection: None,
            write: None,
            request_bytes: None,
            response_bytes: None,
            held: None,
            operation: None,
            algorithm: None,
            message: None,
            header_bytes: None,
        }
    }
}

impl Axes {
    /// The axes of connections, and whether the file has them.
    pub(crate) fn of_connections(&self) -> [(&'static str, bool); 5] {
        [
            ("version", self.version.is_some()),
            ("signature", self.signature.is_some()),
            ("group", self.group.is_some()),
            ("suite", self.suite.is_some()),
            ("verification", self.verification.is_some()),
        ]
    }
}

/// The size of a write, with its name.
#[derive(Deserialize, JsonSchema, Clone)]
#[serde(deny_unknown_fields)]
pub(crate) struct Write {
    /// Its part of scenarios' names.
    pub name: String,
    /// Bytes per write.
    pub bytes: u32,
    /// The number of consecutive writes [default: 1].
    #[serde(default = "one")]
    pub burst: u32,
}

fn one() -> u32 {
    1
}
