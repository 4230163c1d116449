//! The kinds of scenarios: each has its own table.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_protocol::{ContextUse, Resumption, Scenario, Start, Transport, Work};
use tlslab_record::RatioPolicy;

use super::cell::{Metric, Unit};

/// A kind of scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Connections without a session.
    Handshake,
    /// Connections without a session in which each library keeps its defaults.
    Defaults,
    /// Connections that take up an earlier session.
    Resumption,
    /// Connections with fresh contexts.
    Contexts,
    /// The first connection of a process.
    Cold,
    /// Short connections: handshake, request, response, closing alerts.
    Request,
    /// Application data one way.
    Transfer,
    /// Application data both ways.
    Exchange,
    /// Connections over loopback TCP.
    Sockets,
    /// Short connections over loopback TCP.
    SocketRequest,
    /// Application data over loopback TCP.
    SocketTransfer,
    /// Both sides at once.
    Concurrent,
    /// Connections that arrive at a rate.
    OpenLoop,
    /// Several threads at once.
    Threads,
    /// Cryptographic operations without a connection.
    Primitive,
    /// Connections that are held open, without timing.
    Idle,
}

impl Family {
    /// Every family that takes time, in the order of reports.
    pub const TIMED: [Family; 15] = [
        Family::Handshake,
        Family::Defaults,
        Family::Resumption,
        Family::Contexts,
        Family::Cold,
        Family::Request,
        Family::Transfer,
        Family::Exchange,
        Family::Sockets,
        Family::SocketRequest,
        Family::SocketTransfer,
        Family::Concurrent,
        Family::OpenLoop,
        Family::Threads,
        Family::Primitive,
    ];

    /// The family that a scenario belongs to.
    pub fn of(scenario: &Scenario) -> Self {
        let is_handshake = matches!(scenario.work, Work::Handshake);
        match (scenario.work, scenario.resumption) {
            _ if scenario.defaults => Family::Defaults,
            (Work::Idle { .. }, _) => Family::Idle,
            (Work::Primitive(_), _) => Family::Primitive,
            _ if scenario.rate > 0 => Family::OpenLoop,
            _ if scenario.threads > 1 => Family::Threads,
            _ if scenario.concurrent => Family::Concurrent,
            _ if scenario.transport == Transport::Loopback && is_handshake => Family::Sockets,
            (Work::Request { .. }, _) if scenario.transport == Transport::Loopback => Family::SocketRequest,
            _ if scenario.transport == Transport::Loopback => Family::SocketTransfer,
            _ if scenario.start == Start::Cold => Family::Cold,
            _ if scenario.context == ContextUse::Fresh => Family::Contexts,
            (Work::Handshake, Resumption::None) => Family::Handshake,
            (Work::Handshake, _) => Family::Resumption,
            (Work::Request { .. }, _) => Family::Request,
            (Work::Transfer { .. }, _) => Family::Transfer,
            (Work::Exchange { .. }, _) => Family::Exchange,
        }
    }

    /// As a heading.
    pub fn title(self) -> &'static str {
        match self {
            Family::Handshake => "Full handshake",
            Family::Defaults => "Full handshake with each library's defaults",
            Family::Resumption => "Resumed handshake",
            Family::Contexts => "Handshake with fresh contexts",
            Family::Cold => "First handshake of a process",
            Family::Request => "Short connection",
            Family::Transfer => "Application data",
            Family::Exchange => "Application data both ways",
            Family::Sockets => "Handshake over loopback TCP",
            Family::SocketRequest => "Short connection over loopback TCP",
            Family::SocketTransfer => "Application data over loopback TCP",
            Family::Concurrent => "Both sides at once",
            Family::OpenLoop => "Service time in an open loop",
            Family::Threads => "Several threads",
            Family::Primitive => "Primitives",
            Family::Idle => "Idle connections",
        }
    }

    /// In file names, filters and prose.
    pub fn name(self) -> &'static str {
        match self {
            Family::Handshake => "handshake",
            Family::Defaults => "defaults",
            Family::Resumption => "resumption",
            Family::Contexts => "contexts",
            Family::Cold => "cold",
            Family::Request => "request",
            Family::Transfer => "transfer",
            Family::Exchange => "exchange",
            Family::Sockets => "sockets",
            Family::SocketRequest => "socket-request",
            Family::SocketTransfer => "socket-transfer",
            Family::Concurrent => "concurrent",
            Family::OpenLoop => "open-loop",
            Family::Threads => "threads",
            Family::Primitive => "primitive",
            Family::Idle => "idle",
        }
    }

    /// Whether its figures are of data rather than of connections.
    pub fn moves_data(self) -> bool {
        matches!(self, Family::Transfer | Family::Exchange | Family::SocketTransfer)
    }

    /// Whether the time is the wall time of both sides together.
    pub fn is_by_the_wall(self) -> bool {
        matches!(self, Family::Concurrent | Family::Threads)
    }

    /// The metric derived from a side's time.
    pub fn speed(self) -> Metric {
        if self.moves_data() { Metric::Throughput } else { Metric::Rate }
    }

    /// Everything that is derived from a side's time: of an operation on a message both.
    pub fn speeds(self, work: &Work) -> &'static [Metric] {
        match work {
            Work::Primitive(primitive) if primitive.bytes > 0 => &[Metric::Rate, Metric::Throughput],
            _ if self.moves_data() => &[Metric::Throughput],
            _ => &[Metric::Rate],
        }
    }

    /// How far from 1 a ratio of two different binaries may lie through code layout alone: the value measured
    /// on such a host, by the names of families, else the policy's.
    pub fn layout_floor(self, measured: &BTreeMap<String, f64>, policy: &RatioPolicy) -> f64 {
        if let Some(floor) = measured.get(self.title()) {
            return *floor;
        }
        match self.moves_data() || self == Family::Primitive {
            true => policy.transfer_floor,
            false => policy.handshake_floor,
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.title())
    }
}

impl Metric {
    /// The unit of its values in a family.
    pub fn unit(self, family: Family) -> Unit {
        match self {
            Metric::Rate if family == Family::Primitive => Unit::OperationsPerSecond,
            Metric::Rate | Metric::WallRate | Metric::Offered | Metric::Achieved => Unit::PerSecond,
            Metric::Unserved | Metric::ClientBusy | Metric::ServerBusy => Unit::Percent,
            Metric::Throughput => Unit::MegabytesPerSecond,
            _ => Unit::Microseconds,
        }
    }
}
