//! Words of which a document uses a closed set: sides, metrics and units. In their place a text with words in
//! braces may stand, which are a row's.

use std::borrow::Cow;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use tlslab_estimate::{Metric, Whose};
use tlslab_text::nearest;

/// A closed set of words.
pub(crate) trait Words {
    /// What one of them is.
    const KIND: &'static str;
    /// What the schema calls the set.
    const NAME: &'static str;
    /// What the set is, for readers of the schema.
    const MEANING: &'static str;
    /// What other texts look like: those with words in braces.
    const PATTERN: &'static str = "\\{[^}]+\\}";

    /// All of them, without those that `is_further`.
    fn all() -> Vec<String>;

    /// Whether a word belongs to an open part of the set.
    fn is_further(_: &str) -> bool {
        false
    }
}

/// Sides.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sides;

/// Metrics of a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Metrics;

impl Words for Sides {
    const KIND: &'static str = "side";
    const NAME: &'static str = "SideOf";
    const MEANING: &'static str = "Whose figure it is, or a column in braces that says so.";

    fn all() -> Vec<String> {
        [Whose::Client, Whose::Server, Whose::Both].map(|side| side.name().to_owned()).to_vec()
    }
}

impl Words for Metrics {
    const KIND: &'static str = "metric";
    const NAME: &'static str = "MetricOf";
    const MEANING: &'static str = "What was measured, or a column in braces that says so.";
    const PATTERN: &'static str = "\\{[^}]+\\}|^wire\\.(hello\\.extension|flight)\\..+|^kernel\\.call\\..+";

    fn all() -> Vec<String> {
        let timed = timed().into_iter().map(|metric| metric.name().to_owned());
        timed
            .chain(exact())
            .chain(wire())
            .chain(kernel())
            .chain(SIZES.map(|size| format!("size.{size}")))
            .collect()
    }

    fn is_further(word: &str) -> bool {
        let parts: Vec<&str> = word.split('.').collect();
        match parts[..] {
            ["wire", "hello", "extension", name] => !name.is_empty(),
            ["wire", "flight", _, packets] => packets.starts_with("packets_"),
            ["kernel", "call", name] | ["kernel", "call", name, _] => !name.is_empty(),
            _ => false,
        }
    }
}

/// Metrics of time, and what follows from time.
fn timed() -> Vec<Metric> {
    use Metric::{ColdFirst, ColdSwitch, Rate, Throughput, Time, Wall, WallRate};
    let percentiles = Metric::PERCENTILES.into_iter().chain(Metric::RESPONSES).map(|(metric, _)| metric);
    let first = [Time, Rate, Throughput, Wall, WallRate].into_iter();
    let parts = first.chain(Metric::PHASES).chain(Metric::CALLS).chain(percentiles);
    parts.chain(Metric::LOADS).chain([ColdFirst, ColdSwitch]).collect()
}

/// Metrics that are counted or weighed.
fn exact() -> Vec<String> {
    let whole = [
        "count.instructions",
        "count.loads",
        "count.stores",
        "count.misses.instruction_cache",
        "count.misses.data_cache",
        "count.misses.last_level_cache",
        "count.misses.branches",
        "heap.peak",
        "heap.peak_blocks",
        "heap.allocations",
        "heap.allocated",
        "heap.held",
        "heap.held_blocks",
        "heap.held_room",
        "heap.left",
        "heap.context",
        "heap.context_first",
        "stack",
        "idle.heap",
        "idle.room",
        "idle.resident",
        "idle.resident_over_room",
        "contention.atomics",
        "contention.stores",
        "contention.loads",
        "contention.hottest",
        "contention.serial",
        "contention.allocator",
        "contention.instructions",
    ];
    let of_phases = [
        "count.instructions",
        "heap.peak",
        "heap.allocations",
        "heap.allocated",
        "stack",
        "contention.atomics",
        "contention.serial",
    ];
    let phases = PHASES.into_iter().flat_map(|phase| of_phases.map(|metric| format!("{metric}.{phase}")));
    let of_calls = ["count.instructions", "contention.atomics", "contention.serial"];
    let calls = (1..=CALLS).flat_map(|call| of_calls.map(|metric| format!("{metric}.handshake.{call}")));
    whole.map(str::to_owned).into_iter().chain(phases).chain(calls).collect()
}

/// Metrics of what each side sends; extensions and packets have further ones.
fn wire() -> Vec<String> {
    let whole = [
        "wire.round_trips",
        "wire.tickets",
        "wire.tickets.bytes",
        "wire.post_handshake",
        "wire.post_handshake.records",
        "wire.hello",
        "wire.hello.session_id",
        "wire.hello.cipher_suites",
        "wire.hello.fixed",
        "wire.data",
        "wire.data.records",
        "wire.data.overhead",
        "wire.close",
        "wire.total",
    ];
    let flights = (1..=FLIGHTS).map(|flight| format!("wire.flight.{flight}"));
    let of_flights = flights.chain(["wire.handshake".to_owned()]).flat_map(|flight| {
        let parts = [".records", ".messages"].map(|part| format!("{flight}{part}"));
        [flight].into_iter().chain(parts)
    });
    whole.map(str::to_owned).into_iter().chain(of_flights).collect()
}

/// Metrics of what each side asks of the kernel; calls by name are further ones.
fn kernel() -> Vec<String> {
    let whole = ["calls", "faults", "major_faults", "grown", "returned"].map(|name| format!("kernel.{name}"));
    let phases = whole.iter().flat_map(|metric| PHASES.map(|phase| format!("{metric}.{phase}")));
    whole.iter().cloned().chain(phases).collect()
}

/// The most flights of a side in a handshake.
const FLIGHTS: usize = 3;
/// Phases of the work.
const PHASES: [&str; 9] =
    ["context", "create", "handshake", "post_handshake", "free", "send", "receive", "close", "operation"];
/// The most calls of a handshake that are counted apart.
const CALLS: usize = 4;
/// What is seen on the wire when a cell is proven.
const SIZES: [&str; 10] = [
    "client_hello_bytes",
    "server_hello_bytes",
    "client_first_flight_bytes",
    "server_flight_bytes",
    "client_second_flight_bytes",
    "post_handshake_bytes",
    "sent_wire_bytes",
    "sent_records",
    "cipher_blocks",
    "authenticator_blocks",
];

/// A word of a closed set, or a text with words in braces.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Named<W> {
    text: String,
    of: PhantomData<W>,
}

impl<W: Words> Named<W> {
    /// A word that is known to be one of the set.
    pub(crate) fn new(text: &str) -> Self {
        Self { text: text.to_owned(), of: PhantomData }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

/// Refuses a text that is not one of the words, and lists them.
pub(crate) fn check<W: Words>(text: &str) -> Result<(), String> {
    let all = W::all();
    if W::is_further(text) || all.iter().any(|word| word == text) {
        return Ok(());
    }
    let near = nearest(text, all.iter().map(String::as_str));
    let near = near.first().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    let all: Vec<String> = all.iter().map(|word| format!("`{word}`")).collect();
    Err(format!("unknown {} `{text}`, expected one of {}{near}", W::KIND, all.join(", ")))
}

impl<'de, W: Words> Deserialize<'de> for Named<W> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        if !text.contains('{') {
            check::<W>(&text).map_err(D::Error::custom)?;
        }
        Ok(Self { text, of: PhantomData })
    }
}

impl<W: Words> JsonSchema for Named<W> {
    fn schema_name() -> Cow<'static, str> {
        W::NAME.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": W::MEANING,
            "anyOf": [{ "type": "string", "enum": W::all() }, { "type": "string", "pattern": W::PATTERN }],
        })
    }
}

/// The unit of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub(crate) enum UnitOf {
    /// Of a time.
    #[serde(rename = "µs")]
    Microseconds,
    /// Of a time.
    #[serde(rename = "ns")]
    Nanoseconds,
    /// Of a time.
    #[serde(rename = "ms")]
    Milliseconds,
    /// Of a time.
    #[serde(rename = "s")]
    Seconds,
    /// Of a rate.
    #[serde(rename = "/s")]
    PerSecond,
    /// Of a rate of handshakes.
    #[serde(rename = "handshakes/s")]
    HandshakesPerSecond,
    /// Of a rate of cryptographic operations.
    #[serde(rename = "operations/s")]
    OperationsPerSecond,
    /// Of a throughput: 1,000,000 bytes per second.
    #[serde(rename = "MB/s")]
    MegabytesPerSecond,
    /// Of a throughput: 1,048,576 bytes per second.
    #[serde(rename = "MiB/s")]
    MebibytesPerSecond,
    /// Of a share.
    #[serde(rename = "%")]
    Percent,
    /// Of memory, and of sizes on the wire.
    #[serde(rename = "bytes")]
    Bytes,
    /// Of allocations, and of a cipher's blocks.
    #[serde(rename = "blocks")]
    Blocks,
    /// Of records on the wire.
    #[serde(rename = "records")]
    Records,
    /// Of what is counted.
    #[serde(rename = "instructions")]
    Instructions,
    /// Of memory that threads contend for.
    #[serde(rename = "accesses")]
    Accesses,
    /// Atomic operations.
    #[serde(rename = "operations")]
    Operations,
    /// Of a simulated processor's caches.
    #[serde(rename = "misses")]
    Misses,
    /// Of messages in the clear.
    #[serde(rename = "messages")]
    Messages,
    /// Of packets at a segment size.
    #[serde(rename = "packets")]
    Packets,
    /// Of a handshake.
    #[serde(rename = "round trips")]
    RoundTrips,
    /// Of a server's tickets.
    #[serde(rename = "tickets")]
    Tickets,
    /// Of the kernel.
    #[serde(rename = "calls")]
    Calls,
    /// Of pages.
    #[serde(rename = "faults")]
    Faults,
    /// Of bytes on the wire beyond the plaintext.
    #[serde(rename = "bytes/KiB")]
    BytesPerKibibyte,
}

impl UnitOf {
    /// How it is written.
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            Self::Microseconds => "µs",
            Self::Nanoseconds => "ns",
            Self::Milliseconds => "ms",
            Self::Seconds => "s",
            Self::PerSecond => "/s",
            Self::HandshakesPerSecond => "handshakes/s",
            Self::OperationsPerSecond => "operations/s",
            Self::MegabytesPerSecond => "MB/s",
            Self::MebibytesPerSecond => "MiB/s",
            Self::Percent => "%",
            Self::Bytes => "bytes",
            Self::Blocks => "blocks",
            Self::Records => "records",
            Self::Instructions => "instructions",
            Self::Accesses => "accesses",
            Self::Operations => "operations",
            Self::Misses => "misses",
            Self::Messages => "messages",
            Self::Packets => "packets",
            Self::RoundTrips => "round trips",
            Self::Tickets => "tickets",
            Self::Calls => "calls",
            Self::Faults => "faults",
            Self::BytesPerKibibyte => "bytes/KiB",
        }
    }
}

/// Whether a metric is a speed: more of it is less time.
pub(crate) fn is_speed(metric: &str) -> bool {
    [Metric::Rate, Metric::WallRate, Metric::Throughput].iter().any(|of| of.name() == metric)
}

/// The units that a run may have for a metric; none if they are not known.
pub(crate) fn units_of(metric: &str) -> &'static [&'static str] {
    let begins = metric.split('.').next().unwrap_or_default();
    match begins {
        _ if metric == Metric::Throughput.name() => &["MB/s"],
        _ if is_speed(metric) => &["handshakes/s", "operations/s"],
        "time" | "wall" | "latency" | "cold" => &["µs"],
        "size" if metric.ends_with("_bytes") => &["bytes"],
        "size" if metric.ends_with("_records") => &["records"],
        "size" => &["blocks"],
        "stack" => &["bytes"],
        "count" if metric.starts_with("count.instructions") => &["instructions"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_of_time_is_known() {
        let schema = schemars::schema_for!(Metric).to_value().to_string();
        let known = timed();
        let names = known.iter().map(|metric| metric.name());
        assert_eq!(names.filter(|name| schema.contains(&format!("\"{name}\""))).count(), known.len());
        assert_eq!(schema.matches("\"const\"").count(), known.len(), "{schema}");
    }

    #[test]
    fn a_word_that_is_none_of_the_set_is_refused_with_all() {
        assert_eq!(check::<Sides>("server"), Ok(()));
        assert_eq!(
            check::<Sides>("serverr").unwrap_err(),
            "unknown side `serverr`, expected one of `client`, `server`, `both`; did you mean `server`?"
        );
        for right in [
            "rate",
            "count.instructions.handshake.2",
            "heap.allocated.handshake",
            "size.sent_records",
            "wire.flight.1.packets_1460",
            "wire.handshake.records",
            "wire.hello.extension.key_share",
            "kernel.faults.free",
            "kernel.call.getpid.handshake",
        ] {
            assert_eq!(check::<Metrics>(right), Ok(()));
        }
        assert!(check::<Metrics>("ratee").unwrap_err().ends_with("did you mean `rate`?"));
    }
}
