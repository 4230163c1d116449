//! A scenario: one piece of work, fully specified, for a driver to prepare.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Arrivals, Authentication, CipherSuite, ConnectionAge, ContextUse, Group, KeyType, Operation, Primitive,
    ProtocolVersion, Resumption, ServerKeyShare, Sharing, Side, SignatureScheme, Start, Transport,
    Verification,
};

/// The work of one iteration.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Work {
    /// A connection: create both ends, do a handshake and what follows it, free both ends.
    Handshake,
    /// One write of application data by `sender`, read by its peer.
    Transfer {
        /// The side that sends.
        sender: Side,
        /// Bytes of plaintext in one write.
        write_bytes: u32,
        /// Fresh or warm connection.
        connection: ConnectionAge,
        /// Writes per timed burst. One iteration is still one write.
        #[serde(default = "one")]
        burst: u32,
    },
    /// Both directions at once on a warm connection: each side writes before it reads what the other wrote.
    Exchange {
        /// Bytes of plaintext in each side's write.
        write_bytes: u32,
        /// Writes of each side per timed burst. One iteration is still one write of each side.
        #[serde(default = "one")]
        burst: u32,
    },
    /// A short connection: create both ends, do a handshake and what follows it; the client sends a request,
    /// the server a response; both close, the client first; free both ends.
    Request {
        /// Bytes of plaintext in the request, sent as one write.
        request_bytes: u32,
        /// Bytes of plaintext in the response, sent as one write.
        response_bytes: u32,
    },
    /// Connections that are held open. Nothing is timed: their memory is weighed at a hundredth of the
    /// number, at a tenth and at all of it.
    Idle {
        /// The number of connections.
        connections: u32,
    },
    /// One cryptographic operation alone, without a connection.
    Primitive(Primitive),
}

/// A kind of measurement of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Measure {
    /// The time of each side.
    Time,
    /// Heap and stack memory of each side.
    Heap,
    /// Instructions of each side.
    Count,
    /// Contention between threads that do the work.
    Contention,
    /// What each side sends: bytes, records, messages, packets.
    Wire,
    /// What each side asks of the kernel: system calls, page faults, growth of the heap.
    Kernel,
    /// How large the library is; of no scenario, and without any work.
    Size,
}

impl Measure {
    /// `time`, `heap`, `count`, `contention`, `wire`, `kernel` or `size`.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Time => "time",
            Measure::Heap => "heap",
            Measure::Count => "count",
            Measure::Contention => "contention",
            Measure::Wire => "wire",
            Measure::Kernel => "kernel",
            Measure::Size => "size",
        }
    }

    /// Whether it is read in processes that do one cell's work and are not timed.
    pub fn is_weighed(self) -> bool {
        matches!(self, Measure::Heap | Measure::Contention | Measure::Wire | Measure::Kernel)
    }
}

fn one() -> u32 {
    1
}

impl Work {
    /// The kind of work, as capabilities name it.
    pub fn kind(&self) -> &'static str {
        match self {
            // Who makes connections can hold them open.
            Work::Handshake | Work::Idle { .. } => "handshake",
            Work::Transfer { .. } => "transfer",
            Work::Exchange { .. } => "exchange",
            Work::Request { .. } => "request",
            Work::Primitive(_) => "primitive",
        }
    }

    /// The sides that do the work.
    pub fn sides(&self) -> &'static [Side] {
        match self {
            Work::Handshake
            | Work::Transfer { .. }
            | Work::Exchange { .. }
            | Work::Request { .. }
            | Work::Idle { .. } => &Side::BOTH,
            Work::Primitive(primitive) => match primitive.operation.side() {
                Side::Client => &[Side::Client],
                Side::Server => &[Side::Server],
            },
        }
    }

    /// The sides that send application data.
    pub fn senders(&self) -> &'static [Side] {
        match self {
            Work::Handshake | Work::Idle { .. } | Work::Primitive(_) => &[],
            Work::Transfer { sender: Side::Client, .. } => &[Side::Client],
            Work::Transfer { sender: Side::Server, .. } => &[Side::Server],
            Work::Exchange { .. } | Work::Request { .. } => &Side::BOTH,
        }
    }

    /// Bytes of plaintext in one write, if data is sent; of the longer one, if the sides' differ.
    pub fn write_bytes(&self) -> Option<u32> {
        Side::BOTH.into_iter().filter_map(|side| self.sent_bytes(side)).max()
    }

    /// Bytes of plaintext in one write of a side, if it sends data.
    pub fn sent_bytes(&self, side: Side) -> Option<u32> {
        match *self {
            Work::Handshake | Work::Idle { .. } | Work::Primitive(_) => None,
            Work::Transfer { sender, write_bytes, .. } => (side == sender).then_some(write_bytes),
            Work::Exchange { write_bytes, .. } => Some(write_bytes),
            Work::Request { request_bytes, response_bytes } => match side {
                Side::Client => Some(request_bytes),
                Side::Server => Some(response_bytes),
            },
        }
    }

    /// Bytes of plaintext that one iteration sends, of both sides together.
    pub fn plaintext_bytes(&self) -> u64 {
        Side::BOTH.into_iter().filter_map(|side| self.sent_bytes(side)).map(u64::from).sum()
    }

    /// Whether both sides close the connection with an alert.
    pub fn closes(&self) -> bool {
        matches!(self, Work::Request { .. })
    }

    /// Whether one iteration is a whole connection, from its creation to its end.
    pub fn is_connection(&self) -> bool {
        matches!(self, Work::Handshake | Work::Request { .. })
    }

    /// Iterations per timed burst.
    pub fn burst(&self) -> u32 {
        match *self {
            Work::Handshake | Work::Request { .. } | Work::Idle { .. } => 1,
            Work::Transfer { burst, .. } | Work::Exchange { burst, .. } => burst,
            Work::Primitive(Primitive { burst, .. }) => burst,
        }
    }
}

/// Bytes of each write that proves a connection with defaults: one record in every library.
const PROVEN_WRITE_BYTES: u32 = 1024;

/// One piece of work, fully specified: no parameter is left to a library's default.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Scenario {
    /// The scenario's name, made from its parameters.
    pub name: String,
    /// What is done once per iteration.
    pub work: Work,
    /// The one version that both sides offer.
    pub version: ProtocolVersion,
    /// The type of every key in the server's chain.
    pub signature: KeyType,
    /// The one group that both sides offer.
    pub group: Group,
    /// The one cipher suite that both sides offer.
    pub suite: CipherSuite,
    /// What the client verifies of the server's chain.
    pub verification: Verification,
    /// Session tickets that the server sends with or after the handshake. It does not apply if a TLS 1.2
    /// session is resumed: servers differ in whether they renew a ticket.
    #[serde(default)]
    pub tickets: u32,
    /// How an earlier session is resumed, if at all.
    #[serde(default)]
    pub resumption: Resumption,
    /// Which sides present a certificate.
    #[serde(default)]
    pub authentication: Authentication,
    /// Whether the client's first key share is for a group that the server does not accept, so that the
    /// server sends a HelloRetryRequest.
    #[serde(default)]
    pub hello_retry: bool,
    /// Bytes of early data that the client sends with its first flight, in TLS 1.3 with a ticket; 0 for none.
    #[serde(default)]
    pub early_data: u32,
    /// When the server generates its key share.
    #[serde(default)]
    pub server_key_share: ServerKeyShare,
    /// Whether the contexts exist beforehand.
    #[serde(default)]
    pub context: ContextUse,
    /// Whether the process has done the work before. The lab starts the processes. For a cold scenario, a
    /// driver makes contexts only when it is asked to measure.
    #[serde(default)]
    pub start: Start,
    /// How bytes get from one side to the other.
    #[serde(default)]
    pub transport: Transport,
    /// Whether each side has a thread of its own and both run at once. Each part of a flight is passed on as
    /// soon as the library releases it.
    #[serde(default)]
    pub concurrent: bool,
    /// The number of threads that do the work at once, each with connections of its own.
    #[serde(default = "one")]
    pub threads: u32,
    /// What these threads share.
    #[serde(default)]
    pub sharing: Sharing,
    /// The number of certificates that a side presents, its own included and the root excluded: 1 to
    /// [`LONGEST_CHAIN`](Self::LONGEST_CHAIN).
    #[serde(default = "two")]
    pub chain: u32,
    /// Arrivals per second in an open loop, in which connections arrive by their own schedule, whether
    /// earlier ones are done or not; 0 for a closed loop.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rate: u32,
    /// When connections arrive, if there is a rate.
    #[serde(default, skip_serializing_if = "is_poisson")]
    pub arrivals: Arrivals,
    /// The number of roots that the client's context reads from a PEM file, one of [`ROOTS`](Self::ROOTS); 0
    /// if it is given its one root in memory.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub roots: u32,
    /// Whether each library keeps its own defaults: nothing is configured but certificate, key, trust and
    /// server name. The scenario's version, group, cipher suite and tickets then do not apply.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub defaults: bool,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

fn is_poisson(arrivals: &Arrivals) -> bool {
    *arrivals == Arrivals::Poisson
}

fn two() -> u32 {
    2
}

impl Scenario {
    /// The most certificates that a side can present.
    pub const LONGEST_CHAIN: u32 = 4;

    /// The possible numbers of roots in a file: one, and about as many as in a browser's store.
    pub const ROOTS: [u32; 2] = [1, 140];

    /// A scenario without a name in which every axis has the default value of scenario files.
    pub fn plain(work: Work) -> Self {
        Self {
            name: String::new(),
            work,
            version: ProtocolVersion::TLS13,
            signature: KeyType::EcdsaP256,
            group: Group::X25519,
            suite: CipherSuite::AES_128_GCM,
            verification: Verification::None,
            tickets: 0,
            resumption: Resumption::None,
            authentication: Authentication::Server,
            hello_retry: false,
            early_data: 0,
            server_key_share: ServerKeyShare::Fresh,
            context: ContextUse::Reused,
            start: Start::Warm,
            transport: Transport::Memory,
            concurrent: false,
            threads: 1,
            sharing: Sharing::Shared,
            chain: 2,
            rate: 0,
            arrivals: Arrivals::Poisson,
            roots: 0,
            defaults: false,
        }
    }

    /// The work of a connection that is proven. With defaults each side also sends data once, which shows
    /// that the negotiated keys are in use.
    pub fn proven_work(&self) -> Work {
        match self.defaults {
            true => Work::Exchange { write_bytes: PROVEN_WRITE_BYTES, burst: 1 },
            false => self.work,
        }
    }

    /// The number of processors that it needs so that no thread waits for one.
    pub fn processors(&self) -> u32 {
        if self.works_at_once() { self.threads.saturating_mul(2) } else { self.threads }
    }

    /// Whether both sides work at the same time, each on a processor of its own.
    pub fn works_at_once(&self) -> bool {
        let has_server =
            matches!(self.work, Work::Primitive(Primitive { operation: Operation::Connection, .. }));
        self.concurrent || self.rate > 0 || has_server
    }

    /// The group that the client offers first and the server does not accept; `None` without `hello_retry`.
    pub fn retry_group(&self) -> Option<Group> {
        let other = if self.group == Group::X25519 { Group::SECP256R1 } else { Group::X25519 };
        self.hello_retry.then_some(other)
    }

    /// The one signature scheme that both sides use.
    pub fn signature_scheme(&self) -> SignatureScheme {
        self.signature.signature_scheme(self.version)
    }
}
