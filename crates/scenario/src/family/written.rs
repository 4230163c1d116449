//! A scenario file as written.

use serde::Deserialize;
use tlslab_protocol::{
    Algorithm, Authentication, CipherSuite, ConnectionAge, ContextUse, Group, KeyType, Operation,
    ProtocolVersion, Resumption, ServerKeyShare, Sharing, Side, Start, Transport, Verification,
};

use super::axis::Axis;

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Written {
    pub title: String,
    #[serde(default)]
    pub description: String,
    pub name: String,
    pub work: WorkKind,
    pub axes: Axes,
}

/// What is done once per iteration, before the axes say how.
#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum WorkKind {
    Handshake,
    Transfer,
    Exchange,
    Idle,
    Primitive,
}

/// The axes. One that is left out has the one value that changes nothing.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axes {
    pub version: Option<Axis<ProtocolVersion>>,
    pub signature: Option<Axis<KeyType>>,
    pub group: Option<Axis<Group>>,
    pub suite: Option<Axis<CipherSuite>>,
    pub verification: Option<Axis<Verification>>,
    #[serde(default = "no_tickets")]
    pub tickets: Axis<u32>,
    #[serde(default)]
    pub resumption: Axis<Resumption>,
    #[serde(default)]
    pub authentication: Axis<Authentication>,
    #[serde(default)]
    pub hello_retry: Axis<bool>,
    #[serde(default)]
    pub early_data: Axis<u32>,
    #[serde(default)]
    pub server_key_share: Axis<ServerKeyShare>,
    #[serde(default)]
    pub context: Axis<ContextUse>,
    #[serde(default)]
    pub start: Axis<Start>,
    #[serde(default)]
    pub transport: Axis<Transport>,
    #[serde(default)]
    pub concurrent: Axis<bool>,
    #[serde(default = "one_thread")]
    pub threads: Axis<u32>,
    #[serde(default)]
    pub sharing: Axis<Sharing>,
    #[serde(default = "two")]
    pub chain: Axis<u32>,
    pub sender: Option<Axis<Side>>,
    pub connection: Option<Axis<ConnectionAge>>,
    pub write: Option<Axis<Write>>,
    pub held: Option<Axis<u32>>,
    pub operation: Option<Axis<Operation>>,
    pub algorithm: Option<Axis<Algorithm>>,
    /// The message of an operation that has one.
    pub message: Option<Axis<Write>>,
}

impl Axes {
    /// Those that only connections have, and whether the file has them.
    pub fn of_connections(&self) -> [(&'static str, bool); 5] {
        [
            ("version", self.version.is_some()),
            ("signature", self.signature.is_some()),
            ("group", self.group.is_some()),
            ("suite", self.suite.is_some()),
            ("verification", self.verification.is_some()),
        ]
    }
}

fn one_thread() -> Axis<u32> {
    Axis(vec![1])
}

fn no_tickets() -> Axis<u32> {
    Axis(vec![0])
}

fn two() -> Axis<u32> {
    Axis(vec![2])
}

/// The size of a write, with the name that stands for it.
#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
pub struct Write {
    pub name: String,
    pub bytes: u32,
    #[serde(default = "one")]
    pub burst: u32,
}

fn one() -> u32 {
    1
}
