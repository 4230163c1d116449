//! A scenario file as written.

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

/// A table of scenarios: its axes multiply out.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Written {
    /// A few words [default: the file's name].
    pub title: Option<String>,
    /// What is done, in sentences [default: none].
    #[serde(default)]
    pub description: String,
    /// The scenarios' names, in which `{axis}` is the value of an axis [default: the file's name, and every
    /// axis with several values].
    pub name: Option<String>,
    /// What is done once per iteration [default: handshake].
    #[serde(default)]
    pub work: WorkKind,
    /// How it is done.
    #[serde(default)]
    pub axes: Axes,
}

/// What is done once per iteration, before the axes say how.
#[derive(Deserialize, JsonSchema, Clone, Copy, Default, PartialEq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum WorkKind {
    /// A handshake.
    #[default]
    Handshake,
    /// One side sends, the other receives.
    Transfer,
    /// The client sends, and the server sends as much back.
    Exchange,
    /// Connections that are held open.
    Idle,
    /// A primitive of cryptography, without a connection.
    Primitive,
}

/// The axes. One that is left out has the one value that changes nothing.
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
    /// How many session tickets the server sends [default: 0].
    pub tickets: Axis<u32>,
    /// How a session is resumed [default: none].
    pub resumption: Axis<Resumption>,
    /// Who shows a certificate [default: server].
    pub authentication: Axis<Authentication>,
    /// Whether the server asks for another key share [default: false].
    pub hello_retry: Axis<bool>,
    /// Bytes of early data [default: 0].
    pub early_data: Axis<u32>,
    /// When the server's key share is made [default: fresh].
    pub server_key_share: Axis<ServerKeyShare>,
    /// Whether connections share their contexts [default: reused].
    pub context: Axis<ContextUse>,
    /// Whether the process has done the work before [default: warm].
    pub start: Axis<Start>,
    /// What carries the bytes [default: memory].
    pub transport: Axis<Transport>,
    /// Whether both sides work at the same time [default: false].
    pub concurrent: Axis<bool>,
    /// Threads of each side [default: 1].
    pub threads: Axis<u32>,
    /// Whether threads share their contexts [default: shared].
    pub sharing: Axis<Sharing>,
    /// How many certificates the server sends, its own included [default: 2].
    pub chain: Axis<u32>,
    /// Connections that arrive per second, whether earlier ones are done or not [default: 0, each begins when
    /// the one before it has ended].
    pub rate: Axis<u32>,
    /// Of connections that arrive: when they do [default: poisson].
    pub arrivals: Axis<Arrivals>,
    /// How many roots the client's context reads from a PEM file: 1 or 140 [default: 0, it is given its one
    /// root in memory].
    pub roots: Axis<u32>,
    /// Of a transfer: the side that sends.
    pub sender: Option<Axis<Side>>,
    /// Of a transfer: whether the connection is a new one.
    pub connection: Option<Axis<ConnectionAge>>,
    /// Of a transfer or an exchange: what is written.
    pub write: Option<Axis<Write>>,
    /// Of idle connections: how many are held.
    pub held: Option<Axis<u32>>,
    /// Of a primitive: what is done.
    pub operation: Option<Axis<Operation>>,
    /// Of a primitive: the algorithm.
    pub algorithm: Option<Axis<Algorithm>>,
    /// Of a primitive: the message of an operation that has one.
    pub message: Option<Axis<Write>>,
    /// Of an AEAD: how many bytes it authenticates besides the message, 5 as in TLS 1.3 or 13 as in TLS 1.2
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
            sender: None,
            connection: None,
            write: None,
            held: None,
            operation: None,
            algorithm: None,
            message: None,
            header_bytes: None,
        }
    }
}

impl Axes {
    /// Those that only connections have, and whether the file has them.
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

/// The size of a write, with the name that stands for it.
#[derive(Deserialize, JsonSchema, Clone)]
#[serde(deny_unknown_fields)]
pub(crate) struct Write {
    /// What it is called in names.
    pub name: String,
    /// How many bytes are written at once.
    pub bytes: u32,
    /// How many writes follow each other [default: 1].
    #[serde(default = "one")]
    pub burst: u32,
}

fn one() -> u32 {
    1
}
