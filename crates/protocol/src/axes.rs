//! The sides of a connection, and those axes of a scenario that have named values.

use std::fmt;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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

    /// The opposite side.
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
    /// Neither the chain nor the name.
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
    /// The value's name in scenario files and in scenario names.
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

/// Whether a handshake resumes an earlier session, and how both sides remember it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Resumption {
    /// A full handshake.
    #[default]
    None,
    /// The server keeps the session, and the client names it: in TLS 1.2 by its session id (RFC 5246), in TLS
    /// 1.3 by a ticket that holds only a name (RFC 8446, section 4.6.1), with a fresh key exchange.
    SessionId,
    /// The client returns the session to the server that sealed it: a session ticket in TLS 1.2 (RFC 5077), a
    /// pre-shared key with a fresh key exchange in TLS 1.3 (RFC 8446, `psk_dhe_ke`).
    Ticket,
    /// As `Ticket` in TLS 1.3, with the same ticket for every connection.
    TicketReused,
    /// No session, but an external PSK with a fresh key exchange: `psk_dhe_ke` in TLS 1.3, ECDHE_PSK and
    /// DHE_PSK suites in TLS 1.2 (RFC 4279, RFC 5489). There are no certificates.
    ExternalPsk,
    /// An external PSK without a key exchange: `psk_ke` in TLS 1.3, PSK suites in TLS 1.2.
    ExternalPskOnly,
}

impl Resumption {
    /// The value's name in scenario files and in scenario names.
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

    /// Whether the handshake resumes the session of an earlier connection.
    pub fn takes_up_session(self) -> bool {
        match self {
            Resumption::None | Resumption::ExternalPsk | Resumption::ExternalPskOnly => false,
            Resumption::SessionId | Resumption::Ticket | Resumption::TicketReused => true,
        }
    }

    /// Whether both sides use an external PSK.
    pub fn is_external_psk(self) -> bool {
        matches!(self, Resumption::ExternalPsk | Resumption::ExternalPskOnly)
    }
}

impl fmt::Display for Resumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Which sides present a certificate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Authentication {
    /// The server alone.
    #[default]
    Server,
    /// Both sides. The server requests the client's chain and verifies it up to the root, whatever the client
    /// verifies of the server's chain.
    Mutual,
}

impl Authentication {
    /// The value's name in scenario files and in scenario names.
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

/// When a server generates the key share that it sends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ServerKeyShare {
    /// During the handshake.
    #[default]
    Fresh,
    /// Before the handshake, off the clock. Each share is used once.
    Pregenerated,
}

impl ServerKeyShare {
    /// The value's name in scenario files and in scenario names.
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

/// Whether application data flows on a new connection or on one that has carried data before.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ConnectionAge {
    /// The first write of a connection; the handshake before it is not on the clock.
    Fresh,
    /// A connection that is kept for the driver's life and has already carried data.
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

/// Declares an axis with named values.
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
            /// The value's name in scenario files and in scenario names.
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
    /// Whether both sides' contexts (configuration, keys, trust) exist before the first connection.
    ContextUse {
        /// Made once, before anything is measured.
        Reused = "reused",
        /// Made again for each connection, on the clock: the cost for a program that keeps no context.
        Fresh = "fresh",
    }
}

words! {
    /// Whether the process has done the work before.
    Start {
        /// It has, until the warm-up is over.
        Warm = "warm",
        /// It has not. Each iteration has a process of its own and is the first call of the library there,
        /// apart from those that report its name and version.
        Cold = "cold",
    }
}

words! {
    /// How bytes get from one side to the other.
    Transport {
        /// Handed over in memory, without a copy and off the clock.
        Memory = "memory",
        /// Written to one end of a TCP connection over the loopback interface and read from the other, on the
        /// clock of the side that writes or reads. A handshake includes opening and closing the TCP
        /// connection.
        Loopback = "loopback",
    }
}

words! {
    /// When the connections of an open loop arrive.
    Arrivals {
        /// Independently: gaps are drawn from an exponential distribution with a seed.
        Poisson = "poisson",
        /// At equal intervals.
        Fixed = "fixed",
    }
}

words! {
    /// What several threads share.
    Sharing {
        /// All use the same contexts.
        Shared = "shared",
        /// Each thread has its own contexts.
        Private = "private",
    }
}
