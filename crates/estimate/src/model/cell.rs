//! A cell: scenario × stack × side × metric, with a value or a reason.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_protocol::Side;

/// One cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// The scenario's name.
    pub scenario: String,
    /// The stack's name.
    pub stack: String,
    /// The side.
    pub side: Whose,
    /// The metric.
    pub metric: Metric,
    /// The unit of every figure here except the ratio.
    pub unit: Unit,
    /// The outcome.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Why its time is the driver's word, which the lab cannot hold against the processor time that the
    /// system counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unverified: Option<String>,
    /// Of a time: page faults per iteration of both sides together while it was measured, as the median over
    /// slices. Absent below one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub faults: Option<f64>,
}

/// The side of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Whose {
    /// The client's calls.
    Client,
    /// The server's calls.
    Server,
    /// Both sides together: by a clock on the wall, or in rows the sum of both.
    Both,
}

impl Whose {
    /// `client`, `server` or `both`.
    pub fn name(self) -> &'static str {
        match self {
            Whose::Client => "client",
            Whose::Server => "server",
            Whose::Both => "both",
        }
    }
}

impl From<Side> for Whose {
    fn from(side: Side) -> Self {
        match side {
            Side::Client => Whose::Client,
            Side::Server => Whose::Server,
        }
    }
}

impl fmt::Display for Whose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A value, or the reason for its absence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Outcome {
    /// It was measured.
    Measured(Measured),
    /// The stack cannot do it.
    Unsupported {
        /// Why.
        unsupported: String,
    },
    /// It should have worked.
    Failed {
        /// The error.
        failed: String,
    },
}

impl Outcome {
    /// The value, if there is one.
    pub fn measured(&self) -> Option<&Measured> {
        match self {
            Outcome::Measured(measured) => Some(measured),
            _ => None,
        }
    }

    /// Why there is no value, after `unsupported` or `failed`.
    pub fn hole(&self) -> Option<(&'static str, &str)> {
        match self {
            Outcome::Measured(_) => None,
            Outcome::Unsupported { unsupported } => Some(("unsupported", unsupported)),
            Outcome::Failed { failed } => Some(("failed", failed)),
        }
    }
}

/// A measured value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measured {
    /// The value.
    #[serde(flatten)]
    pub estimated: Estimated,
    /// Against the baseline; `null` for the baseline itself.
    pub ratio: Option<Ratio>,
    /// The reason for a missing ratio.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_ratio: Option<String>,
    /// Two groups of processes, if there are two: of the ratio, or of the value if no other stack was
    /// measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modes: Option<Modes>,
}

/// Processes that fall into two groups. The estimate is then one of a mixture, and another run may have
/// another share of each.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Modes {
    /// The lower group's value: a ratio, or µs if no other stack was measured.
    pub lower: f64,
    /// The upper group's.
    pub upper: f64,
    /// The share of processes in the upper group, 0 to 1.
    pub upper_share: f64,
}

/// The Hodges–Lehmann estimate over visits, and the signed-rank interval it lies in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimated {
    /// Visits that it rests on: rounds of fresh processes.
    pub n: usize,
    /// The estimate.
    #[serde(rename = "estimate")]
    pub value: f64,
    /// The interval; `null` when there are too few visits for one.
    pub interval: Option<Interval>,
    /// Why there is no interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_interval: Option<String>,
}

impl Estimated {
    /// The same in a unit a thousand times smaller: ns for µs.
    pub fn in_thousandths(&self) -> Self {
        let interval = self.interval.map(|interval| Interval {
            lower: 1000.0 * interval.lower,
            upper: 1000.0 * interval.upper,
            ..interval
        });
        Self { value: 1000.0 * self.value, interval, ..self.clone() }
    }
}

/// An interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// Lower bound.
    pub lower: f64,
    /// Upper bound.
    pub upper: f64,
    /// The confidence that it achieves, 0 to 1: at least the requested one.
    pub confidence: f64,
}

/// This stack's value over the baseline's, from slices of the same block of the same visit.
///
/// For times, below 1 is faster than the baseline; for rates and throughputs, above 1 is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ratio {
    /// The baseline's name.
    pub baseline: String,
    /// The ratio.
    #[serde(flatten)]
    pub estimated: Estimated,
}

/// A metric of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum Metric {
    /// All phases together, per iteration.
    #[serde(rename = "time")]
    Time,
    /// Making the side's context.
    #[serde(rename = "time.context")]
    Context,
    /// Making the connection's object.
    #[serde(rename = "time.create")]
    Create,
    /// The calls until the side's handshake is done.
    #[serde(rename = "time.handshake")]
    Handshake,
    /// The first of those calls: a client makes its ClientHello, a server works on that and makes its flight.
    #[serde(rename = "time.handshake.1")]
    Call1,
    /// The second: a client works on the server's flight and makes its own, a server works on that.
    #[serde(rename = "time.handshake.2")]
    Call2,
    /// The third, if there is one.
    #[serde(rename = "time.handshake.3")]
    Call3,
    /// The fourth and all that come after it.
    #[serde(rename = "time.handshake.4")]
    Call4,
    /// Processing the peer's messages after the handshake.
    #[serde(rename = "time.post_handshake")]
    PostHandshake,
    /// Freeing the connection's object.
    #[serde(rename = "time.free")]
    Free,
    /// Plaintext in, wire bytes out.
    #[serde(rename = "time.send")]
    Send,
    /// Wire bytes in, plaintext out.
    #[serde(rename = "time.receive")]
    Receive,
    /// Sending the side's closing alert, and processing the peer's.
    #[serde(rename = "time.close")]
    Close,
    /// Per iteration, the wall time of both sides and all threads together.
    #[serde(rename = "wall")]
    Wall,
    /// Iterations of all threads per second of the wall's time: 1,000,000 / wall.
    #[serde(rename = "wall.rate")]
    WallRate,
    /// Half of the side's iterations take no longer: service time, closed loop, as in all percentiles.
    #[serde(rename = "latency.p50")]
    P50,
    /// 90 % of them take no longer.
    #[serde(rename = "latency.p90")]
    P90,
    /// 99 % of them take no longer.
    #[serde(rename = "latency.p99")]
    P99,
    /// 99.9 % of them take no longer.
    #[serde(rename = "latency.p99.9")]
    P999,
    /// Half of the arrivals take no longer from their intended time until the client's handshake is done:
    /// response time, open loop, as in all of these percentiles. Arrivals that were not served count as
    /// longer than any other.
    #[serde(rename = "response.p50")]
    ResponseP50,
    /// 90 % of them take no longer.
    #[serde(rename = "response.p90")]
    ResponseP90,
    /// 99 % of them take no longer.
    #[serde(rename = "response.p99")]
    ResponseP99,
    /// 99.9 % of them take no longer.
    #[serde(rename = "response.p99.9")]
    ResponseP999,
    /// How much later than intended the client's thread began a connection that was served, mean. It is part
    /// of the response.
    #[serde(rename = "response.late")]
    Late,
    /// Arrivals per second by the schedule.
    #[serde(rename = "load.offered")]
    Offered,
    /// Arrivals per second that were served.
    #[serde(rename = "load.achieved")]
    Achieved,
    /// The share of arrivals that were not served by the end.
    #[serde(rename = "load.unserved")]
    Unserved,
    /// The share of the time for which the thread of all clients worked.
    #[serde(rename = "load.client")]
    ClientBusy,
    /// The share of the time for which the server's thread worked.
    #[serde(rename = "load.server")]
    ServerBusy,
    /// The first iteration after another program has used the processor.
    #[serde(rename = "cold.first")]
    ColdFirst,
    /// The extra time of a turn, once, because another program has used the processor before it.
    #[serde(rename = "cold.per_switch")]
    ColdSwitch,
    /// Handshakes or operations that the side could do in a second: 1,000,000 / time.
    #[serde(rename = "rate")]
    Rate,
    /// Plaintext over time, 1 MB = 1,000,000 bytes.
    #[serde(rename = "throughput")]
    Throughput,
}

impl Metric {
    /// Every phase, in the order in which a connection goes through them.
    pub const PHASES: [Metric; 8] = [
        Metric::Context,
        Metric::Create,
        Metric::Handshake,
        Metric::PostHandshake,
        Metric::Send,
        Metric::Receive,
        Metric::Close,
        Metric::Free,
    ];

    /// The handshake's calls, in their order.
    pub const CALLS: [Metric; 4] = [Metric::Call1, Metric::Call2, Metric::Call3, Metric::Call4];

    /// The percentiles of single iterations, the lowest first, each with the share of iterations that take no
    /// longer.
    pub const PERCENTILES: [(Metric, f64); 4] =
        [(Metric::P50, 0.5), (Metric::P90, 0.9), (Metric::P99, 0.99), (Metric::P999, 0.999)];

    /// The percentiles of responses.
    pub const RESPONSES: [(Metric, f64); 4] = [
        (Metric::ResponseP50, 0.5),
        (Metric::ResponseP90, 0.9),
        (Metric::ResponseP99, 0.99),
        (Metric::ResponseP999, 0.999),
    ];

    /// Further metrics of arrivals.
    pub const LOADS: [Metric; 6] = [
        Metric::Offered,
        Metric::Achieved,
        Metric::Unserved,
        Metric::ClientBusy,
        Metric::ServerBusy,
        Metric::Late,
    ];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Time => "time",
            Metric::Context => "time.context",
            Metric::Create => "time.create",
            Metric::Handshake => "time.handshake",
            Metric::Call1 => "time.handshake.1",
            Metric::Call2 => "time.handshake.2",
            Metric::Call3 => "time.handshake.3",
            Metric::Call4 => "time.handshake.4",
            Metric::Wall => "wall",
            Metric::WallRate => "wall.rate",
            Metric::P50 => "latency.p50",
            Metric::P90 => "latency.p90",
            Metric::P99 => "latency.p99",
            Metric::P999 => "latency.p99.9",
            Metric::ResponseP50 => "response.p50",
            Metric::ResponseP90 => "response.p90",
            Metric::ResponseP99 => "response.p99",
            Metric::ResponseP999 => "response.p99.9",
            Metric::Late => "response.late",
            Metric::Offered => "load.offered",
            Metric::Achieved => "load.achieved",
            Metric::Unserved => "load.unserved",
            Metric::ClientBusy => "load.client",
            Metric::ServerBusy => "load.server",
            Metric::PostHandshake => "time.post_handshake",
            Metric::Free => "time.free",
            Metric::Send => "time.send",
            Metric::Receive => "time.receive",
            Metric::Close => "time.close",
            Metric::ColdFirst => "cold.first",
            Metric::ColdSwitch => "cold.per_switch",
            Metric::Rate => "rate",
            Metric::Throughput => "throughput",
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Unit {
    /// Microseconds per iteration.
    #[serde(rename = "µs")]
    Microseconds,
    /// Handshakes per second.
    #[serde(rename = "handshakes/s")]
    PerSecond,
    /// Cryptographic operations per second.
    #[serde(rename = "operations/s")]
    OperationsPerSecond,
    /// Megabytes (1,000,000 bytes) per second.
    #[serde(rename = "MB/s")]
    MegabytesPerSecond,
    /// Hundredths of a whole.
    #[serde(rename = "%")]
    Percent,
}

impl Unit {
    /// Its symbol.
    pub fn symbol(self) -> &'static str {
        match self {
            Unit::Microseconds => "µs",
            Unit::PerSecond => "handshakes/s",
            Unit::OperationsPerSecond => "operations/s",
            Unit::MegabytesPerSecond => "MB/s",
            Unit::Percent => "%",
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.symbol())
    }
}
