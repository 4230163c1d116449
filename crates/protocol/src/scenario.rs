//! One piece of work, fully pinned, as a driver is asked to prepare it.

use std::fmt;
use std::path::PathBuf;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    CipherSuite, Group, KeyType, Operation, Primitive, ProtocolVersion, PskCredentials, SignatureScheme,
};

/// One end of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The end that sends the ClientHello.
    Client,
    /// The end that answers it.
    Server,
}

impl Side {
    /// Both sides, client first.
    pub const BOTH: [Side; 2] = [Side::Client, Side::Server];

    /// The other end.
    pub fn peer(self) -> Side {
        match self {
            Side::Client => Side::Server,
            Side::Server => Side::Client,
        }
    }

    /// `client` or `server`.
    pub fn name(self) -> &'static str {
        match self {
            Side::Client => "client",
            Side::Server => "server",
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a client checks of the server's certificate chain. At every level the handshake's own signature
/// (CertificateVerify) is checked: that is TLS, not verification of the chain.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub enum Verification {
    /// No check of the chain and none of the name.
    #[serde(rename = "none")]
    None,
    /// The chain up to the lab's root, but not the name.
    #[serde(rename = "chain")]
    Chain,
    /// The chain and the server's name.
    #[serde(rename = "chain+name")]
    ChainAndName,
}

impl Verification {
    /// Its name in scenario files and names.
    pub fn name(self) -> &'static str {
        match self {
            Verification::None => "none",
            Verification::Chain => "chain",
            Verification::ChainAndName => "chain+name",
        }
    }
}

impl fmt::Display for Verification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Whether a handshake takes up an earlier session, and how both sides remember it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Resumption {
    /// A full handshake.
    #[default]
    None,
    /// The server keeps the session and the client names it: in TLS 1.2 by its id (RFC 5246), in TLS 1.3 by a ticket that
    /// is a name and no more (RFC 8446, section 4.6.1), together with a fresh key exchange.
    SessionId,
    /// The client hands the session back to the server that sealed it: a session ticket in TLS 1.2 (RFC 5077), a
    /// pre-shared key together with a fresh key exchange in TLS 1.3 (RFC 8446, `psk_dhe_ke`).
    Ticket,
    /// The same in TLS 1.3 with one and the same ticket for every connection.
    TicketReused,
    /// No session, but a key that both sides were given beforehand, together with a fresh key exchange: `psk_dhe_ke` in
    /// TLS 1.3, the suites ECDHE_PSK and DHE_PSK in TLS 1.2 (RFC 4279, RFC 5489). There are no certificates.
    ExternalPsk,
    /// The same without a key exchange: `psk_ke` in TLS 1.3, the suites PSK in TLS 1.2.
    ExternalPskOnly,
}

impl Resumption {
    /// Its name in scenario files and names.
    pub fn name(self) -> &'static str {
        match self {
            Resumption::None => "none",
            Resumption::SessionId => "session-id",
            Resumption::Ticket => "ticket",
            Resumption::TicketReused => "ticket-reused",
            Resumption::ExternalPsk => "external-psk",
            Resumption::ExternalPskOnly => "external-psk-only",
        }
    }

    /// Whether the session of an earlier connection is taken up.
    pub fn takes_up_session(self) -> bool {
        match self {
            Resumption::None | Resumption::ExternalPsk | Resumption::ExternalPskOnly => false,
            Resumption::SessionId | Resumption::Ticket | Resumption::TicketReused => true,
        }
    }

    /// Whether both sides were given a key beforehand.
    pub fn is_external_psk(self) -> bool {
        matches!(self, Resumption::ExternalPsk | Resumption::ExternalPskOnly)
    }
}

impl fmt::Display for Resumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Who shows a certificate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Authentication {
    /// The server alone.
    #[default]
    Server,
    /// Both sides. The server asks for the client's chain and verifies it up to the root, whatever the client
    /// verifies of the server's.
    Mutual,
}

impl Authentication {
    /// Its name in scenario files and names.
    pub fn name(self) -> &'static str {
        match self {
            Authentication::Server => "server",
            Authentication::Mutual => "mutual",
        }
    }
}

impl fmt::Display for Authentication {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// When a server makes the key share that it sends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ServerKeyShare {
    /// In the handshake.
    #[default]
    Fresh,
    /// Before it, off the clock. Each is used once.
    Pregenerated,
}

impl ServerKeyShare {
    /// Its name in scenario files and names.
    pub fn name(self) -> &'static str {
        match self {
            ServerKeyShare::Fresh => "fresh",
            ServerKeyShare::Pregenerated => "pregenerated",
        }
    }
}

impl fmt::Display for ServerKeyShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Whether application data flows on a connection that was just made or on one that has carried data before.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ConnectionAge {
    /// The first write of a connection; the handshake before it is not on the clock.
    Fresh,
    /// One connection that is kept for the driver's life and has carried data.
    Warm,
}

impl ConnectionAge {
    /// `fresh` or `warm`.
    pub fn name(self) -> &'static str {
        match self {
            ConnectionAge::Fresh => "fresh",
            ConnectionAge::Warm => "warm",
        }
    }
}

/// Declares an axis whose values are plain words.
macro_rules! words {
    ($(#[$doc:meta])* $type:ident { $(#[$first_doc:meta])* $first:ident = $first_name:literal, $($(#[$item:meta])* $item_name:ident = $name:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(JsonSchema))]
        pub enum $type {
            $(#[$first_doc])*
            #[default]
            #[serde(rename = $first_name)]
            $first,
            $($(#[$item])* #[serde(rename = $name)] $item_name,)*
        }

        impl $type {
            /// Its name in scenario files and names.
            pub fn name(self) -> &'static str {
                match self {
                    $type::$first => $first_name,
                    $($type::$item_name => $name,)*
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

words! {
    /// Whether both sides' contexts (configuration, keys, trust) are there before the first connection.
    ContextUse {
        /// Made once, before anything is measured.
        Reused = "reused",
        /// Made anew for each connection, on the clock: what a program pays that keeps none.
        Fresh = "fresh",
    }
}

words! {
    /// Whether the process has done the work before.
    Start {
        /// It has, until nothing in it is new.
        Warm = "warm",
        /// It has not: each iteration has a process of its own, and is the first thing that its library does there
        /// besides saying who it is.
        Cold = "cold",
    }
}

words! {
    /// How bytes come from one side to the other.
    Transport {
        /// Handed over in memory, without a copy and off the clock.
        Memory = "memory",
        /// Written to one end of a TCP connection over the loopback interface and read from the other, on the clock of
        /// the side that writes or reads. Making and closing the TCP connection belong to a handshake.
        Loopback = "loopback",
    }
}

words! {
    /// When connections of an open loop arrive.
    Arrivals {
        /// Independently of each other: gaps are drawn from an exponential distribution, seeded.
        Poisson = "poisson",
        /// After equal gaps.
        Fixed = "fixed",
    }
}

words! {
    /// What several threads have in common.
    Sharing {
        /// All use the same contexts.
        Shared = "shared",
        /// Each has contexts of its own.
        Private = "private",
    }
}

/// What is done once per iteration.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Work {
    /// A connection: both ends made, a handshake, whatever follows it, both ends freed.
    Handshake,
    /// One write of application data by `sender`, read by its peer.
    Transfer {
        /// The side that sends.
        sender: Side,
        /// Bytes of plaintext in one write.
        write_bytes: u32,
        /// Fresh or warm connection.
        connection: ConnectionAge,
        /// Writes between two reads of the clock. One iteration is still one write.
        #[serde(default = "one")]
        burst: u32,
    },
    /// Both directions at once on a warm connection: each side writes before it reads what the other wrote.
    Exchange {
        /// Bytes of plaintext in each side's write.
        write_bytes: u32,
        /// Writes of each side between two reads of the clock. One iteration is still one write of each side.
        #[serde(default = "one")]
        burst: u32,
    },
    /// Connections that are made and then held open. Nothing is timed: what they hold is weighed, at a hundredth of the
    /// number, at a tenth and at all of it.
    Idle {
        /// How many.
        connections: u32,
    },
    /// One cryptographic operation by itself, without a connection.
    Primitive(Primitive),
}

/// What can be measured of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// How long each side takes.
    Time,
    /// What each side takes of the heap and of the stack.
    Heap,
    /// How many instructions each side takes.
    Count,
}

impl Metric {
    /// `time`, `heap` or `count`.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Time => "time",
            Metric::Heap => "heap",
            Metric::Count => "count",
        }
    }
}

fn one() -> u32 {
    1
}

impl Work {
    /// Its kind, as capabilities name it.
    pub fn kind(&self) -> &'static str {
        match self {
            // Who makes connections can hold them open.
            Work::Handshake | Work::Idle { .. } => "handshake",
            Work::Transfer { .. } => "transfer",
            Work::Exchange { .. } => "exchange",
            Work::Primitive(_) => "primitive",
        }
    }

    /// The sides that do it.
    pub fn sides(&self) -> &'static [Side] {
        match self {
            Work::Handshake | Work::Transfer { .. } | Work::Exchange { .. } | Work::Idle { .. } => {
                &Side::BOTH
            }
            Work::Primitive(primitive) => match primitive.operation.side() {
                Side::Client => &[Side::Client],
                Side::Server => &[Side::Server],
            },
        }
    }

    /// Who sends application data.
    pub fn senders(&self) -> &'static [Side] {
        match self {
            Work::Handshake | Work::Idle { .. } | Work::Primitive(_) => &[],
            Work::Transfer { sender: Side::Client, .. } => &[Side::Client],
            Work::Transfer { sender: Side::Server, .. } => &[Side::Server],
            Work::Exchange { .. } => &Side::BOTH,
        }
    }

    /// Bytes of plaintext in one write, where data is sent.
    pub fn write_bytes(&self) -> Option<u32> {
        match *self {
            Work::Handshake | Work::Idle { .. } | Work::Primitive(_) => None,
            Work::Transfer { write_bytes, .. } | Work::Exchange { write_bytes, .. } => Some(write_bytes),
        }
    }

    /// Iterations between two readings of the clock.
    pub fn burst(&self) -> u32 {
        match *self {
            Work::Handshake | Work::Idle { .. } => 1,
            Work::Transfer { burst, .. } | Work::Exchange { burst, .. } => burst,
            Work::Primitive(Primitive { burst, .. }) => burst,
        }
    }
}

/// One piece of work, fully pinned: nothing in it is left to a library's defaults.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Scenario {
    /// The scenario's name, made from its parameters.
    pub name: String,
    /// What is done once per iteration.
    pub work: Work,
    /// The one version both sides offer.
    pub version: ProtocolVersion,
    /// The type of every key in the server's chain.
    pub signature: KeyType,
    /// The one group both sides offer.
    pub group: Group,
    /// The one suite both sides offer.
    pub suite: CipherSuite,
    /// What the client checks of the chain.
    pub verification: Verification,
    /// Session tickets the server sends with or after the handshake. A handshake that takes up a session of TLS 1.2 is
    /// not held to it: servers differ in whether they renew a ticket.
    #[serde(default)]
    pub tickets: u32,
    /// How an earlier session is taken up, if one is.
    #[serde(default)]
    pub resumption: Resumption,
    /// Who shows a certificate.
    #[serde(default)]
    pub authentication: Authentication,
    /// Whether the client's first key share is for a group that the server does not take, so that the server asks for
    /// another ClientHello.
    #[serde(default)]
    pub hello_retry: bool,
    /// Bytes of application data that the client sends with its first flight, in TLS 1.3 with a ticket; 0 for none.
    #[serde(default)]
    pub early_data: u32,
    /// When the server makes its key share.
    #[serde(default)]
    pub server_key_share: ServerKeyShare,
    /// Whether the contexts are there beforehand.
    #[serde(default)]
    pub context: ContextUse,
    /// Whether the process has done the work before. The lab starts the processes; a driver makes no contexts for a cold
    /// scenario until it is to measure.
    #[serde(default)]
    pub start: Start,
    /// How bytes come from one side to the other.
    #[serde(default)]
    pub transport: Transport,
    /// Whether each side has a thread of its own and both run at once. Each flight is handed over as soon as the library
    /// lets go of a part of it.
    #[serde(default)]
    pub concurrent: bool,
    /// How many threads do the work at once, each with connections of its own.
    #[serde(default = "one")]
    pub threads: u32,
    /// What these threads have in common.
    #[serde(default)]
    pub sharing: Sharing,
    /// Certificates that a side shows, its own included, the root not: 1 to [`LONGEST_CHAIN`](Self::LONGEST_CHAIN).
    #[serde(default = "two")]
    pub chain: u32,
    /// Connections that arrive per second by a schedule of their own, whether earlier ones are done or not (an open loop); 0 where each
    /// connection begins when the one before it has ended.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rate: u32,
    /// When they arrive, where they have a rate.
    #[serde(default, skip_serializing_if = "is_poisson")]
    pub arrivals: Arrivals,
    /// How many roots the client's context reads from a PEM file, one of [`ROOTS`](Self::ROOTS); 0 if it is given its one root in memory.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub roots: u32,
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
    /// The most certificates that a side can show.
    pub const LONGEST_CHAIN: u32 = 4;

    /// How many roots a file can have: one, and about as many as a browser's store.
    pub const ROOTS: [u32; 2] = [1, 140];

    /// A scenario without a name in which every axis has the value that a scenario file may leave out.
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
        }
    }

    /// How many processors it needs so that nothing in it waits for one.
    pub fn processors(&self) -> u32 {
        if self.works_at_once() { self.threads.saturating_mul(2) } else { self.threads }
    }

    /// Whether both sides work at the same time, each on a processor of its own.
    pub fn works_at_once(&self) -> bool {
        let has_server =
            matches!(self.work, Work::Primitive(Primitive { operation: Operation::Connection, .. }));
        self.concurrent || self.rate > 0 || has_server
    }

    /// The group that the client offers first and the server does not take; `None` without `hello_retry`.
    pub fn retry_group(&self) -> Option<Group> {
        let other = if self.group == Group::X25519 { Group::SECP256R1 } else { Group::X25519 };
        self.hello_retry.then_some(other)
    }

    /// The one signature scheme that both sides use.
    pub fn signature_scheme(&self) -> SignatureScheme {
        self.signature.signature_scheme(self.version)
    }
}

/// Where a driver finds the keys and certificates of a scenario. All files hold DER, except `roots`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Credentials {
    /// The root that the client trusts.
    pub root: PathBuf,
    /// All roots that the client trusts, `root` among them, as PEM; if the scenario has a number of roots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roots: Option<PathBuf>,
    /// The server's chain, leaf first, without the root.
    pub chain: Vec<PathBuf>,
    /// The leaf's private key, PKCS#8.
    pub key: PathBuf,
    /// The name that the client asks for and, where the scenario says so, checks.
    pub server_name: String,
    /// What a client shows, and what the server trusts; where the scenario's authentication is mutual.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientCredentials>,
    /// The key that both sides were given beforehand, where the scenario has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub psk: Option<Box<PskCredentials>>,
    /// The peer's key share, in hex; where a key exchange is done by itself.
    #[serde(default, with = "hex", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub peer_share: Vec<u8>,
}

impl Credentials {
    /// Every file.
    pub fn files_mut(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        let client = self.client.iter_mut();
        let client = client
            .flat_map(|client| [&mut client.root, &mut client.key].into_iter().chain(&mut client.chain));
        [&mut self.root, &mut self.key]
            .into_iter()
            .chain(&mut self.roots)
            .chain(&mut self.chain)
            .chain(client)
    }
}

/// The client's part of mutual authentication. All files hold DER.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ClientCredentials {
    /// The root that the server trusts.
    pub root: PathBuf,
    /// The client's chain, leaf first, without the root. Empty for a client that has none to show.
    pub chain: Vec<PathBuf>,
    /// The leaf's private key, PKCS#8.
    pub key: PathBuf,
}
