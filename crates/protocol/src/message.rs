//! The requests and the replies.

use std::path::PathBuf;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Capabilities, Counting, Credentials, Latencies, OpenLoop, Outcome, PhaseTimes, PrimitiveFacts, RelayStep,
    Relayed, Scenario, Side, Weighing,
};

/// What the lab asks of a driver. Every request is answered by exactly one line.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// Who are you, and what can you do? Answered by `hello`.
    Hello {
        /// The protocol versions that the lab speaks.
        protocol: Vec<u32>,
        /// Whether the lab knows what this driver can do: the reply then has no capabilities, and no library
        /// is asked anything that would leave traces in what is measured.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        brief: bool,
    },
    /// What do your own loops and your clock cost here? Answered by `calibrated`.
    Calibrate {},
    /// Make ready for a scenario; what was prepared before is dropped. Answered by `prepared` or
    /// `unsupported`.
    Prepare {
        /// The scenario.
        scenario: Box<Scenario>,
        /// Its keys and certificates.
        credentials: Box<Credentials>,
    },
    /// Make one connection off the clock, carry the scenario's data once, and say everything that was seen.
    /// Answered by `verified`, or by `computed` where the work is a primitive.
    Verify {
        /// What to do to the bytes on their way, if anything.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tamper: Option<Tamper>,
    },
    /// Do the scenario's work a number of times, in slices, after a warm-up that does not count. Answered by
    /// `measured`.
    Measure {
        /// Iterations of each slice.
        iterations: u64,
        /// How many slices follow each other.
        #[serde(default = "one", skip_serializing_if = "is_one")]
        slices: u32,
        /// What is done before that; without it nothing is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        warm_up: Option<WarmUpRule>,
        /// What gaps between arrivals are drawn from, where the scenario has a rate.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seed: Option<u64>,
    },
    /// Do the scenario's work a number of times, or hold its connections open, and say what that takes in
    /// memory. Only for a process that was started to be weighed. Answered by `weighed` or `unsupported`.
    Weigh {
        /// How often.
        iterations: u32,
    },
    /// Go on in a child of the driver, a copy of it as it is now, so that nothing of what follows is left in
    /// it after `bye`. Answered by `forked`. Everything up to and with `bye` goes to the child; after it the
    /// driver answers again.
    Fork {
        /// What randomness and time begin from in the child, where they are forged.
        seed: u64,
    },
    /// Do the scenario's work a number of times, and say how many instructions that takes. Only for a process
    /// that runs under a counter. Answered by `counted` or `unsupported`.
    Count {
        /// How often.
        iterations: u64,
    },
    /// Have the counter write what each function took in the last `count`, a file for each side and phase.
    /// Answered by `written` or `unsupported`.
    Functions {
        /// The folder for the files.
        folder: PathBuf,
    },
    /// Do one side's steps of connections whose other side is elsewhere. Answered by `relayed`.
    Relay {
        /// The side that this driver is in these connections.
        side: Side,
        /// The steps, of one connection or of many, done in this order.
        steps: Vec<RelayStep>,
        /// What is done before the first step: the scenario's work with both sides in this driver. Without it
        /// nothing is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        warm_up: Option<WarmUpRule>,
    },
    /// Use the processor, so that what another program had in its caches is gone. Answered by `evicted`. Only
    /// the lab's own evictor is asked for that; no driver is.
    Evict {},
    /// End. Answered by `bye`, after which the driver exits with status 0.
    Bye {},
}

/// A fault put on the wire, to see that it is noticed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Tamper {
    /// Flip one bit in the last record of the first flight in which the server encrypts anything, or of the
    /// data where the scenario carries any.
    CorruptedRecord,
    /// Drop all but the first quarter of the server's first flight, and send nothing in its place. The
    /// quarter is no more than its hello message even where tickets follow its Finished at once.
    TruncatedFlight,
}

/// What a driver answers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// Answers `hello`.
    Hello(Box<Description>),
    /// Answers `calibrate`.
    Calibrated(Calibration),
    /// The scenario is ready.
    Prepared {},
    /// The scenario cannot be done by this stack. This is an answer, not a failure.
    Unsupported {
        /// Why.
        reason: String,
    },
    /// Answers `verify`.
    Verified(Outcome),
    /// Answers `verify` where the work is a primitive.
    Computed(Box<PrimitiveFacts>),
    /// Answers `measure`: every slice in its order.
    Measured(Vec<Measurement>),
    /// Answers `weigh`.
    Weighed(Box<Weighing>),
    /// Answers `fork`.
    Forked {},
    /// Answers `functions`.
    Written {},
    /// Answers `count`.
    Counted(Box<Counting>),
    /// Answers `relay`.
    Relayed(Relayed),
    /// Answers `evict`.
    Evicted {},
    /// Something that should work did not. The driver stays usable.
    Failed {
        /// What happened.
        reason: String,
    },
    /// Answers `bye`.
    Bye {},
}

/// Who a driver is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Description {
    /// The protocol version that the driver chose from those offered.
    pub protocol: u32,
    /// The driver program's name.
    pub driver: String,
    /// The library as it reports itself.
    pub library: Library,
    /// What the stack can do.
    pub capabilities: Capabilities,
    /// What can be measured besides time: `heap`.
    #[serde(default)]
    pub metrics: Vec<String>,
    /// Features of the processor that the driver sees, as far as its kit looks.
    #[serde(default)]
    pub features: Vec<String>,
}

/// A library's own word on what it is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Library {
    /// Its name.
    pub name: String,
    /// Its version, as the library itself reports it at run time where it can, else as it was resolved at
    /// build time.
    pub version: String,
    /// Libraries under it that do its cryptography, with their versions.
    #[serde(default)]
    pub components: Vec<(String, String)>,
}

/// What measuring costs in this process, measured by running the same loops over endpoints that do nothing.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Calibration {
    /// One read of the clock, ns.
    pub clock_read_ns: f64,
    /// The smallest step that the clock was seen to make, ns.
    pub clock_step_ns: f64,
    /// What lands on the client's clock per handshake without any library work, ns.
    pub handshake_client_ns: f64,
    /// The same on the server's clock, ns.
    pub handshake_server_ns: f64,
    /// What lands on the sender's clock per reading of the clock around a burst of writes, ns.
    pub send_burst_ns: f64,
    /// What each write of a burst adds to that, ns.
    pub send_write_ns: f64,
    /// The same for the receiver's burst, ns.
    pub receive_burst_ns: f64,
    /// The same for each read of a burst, ns.
    pub receive_write_ns: f64,
    /// What lands on the clock per reading of it around a burst of operations of a primitive, ns.
    #[serde(default)]
    pub operation_burst_ns: f64,
    /// What each operation of a burst adds to that, ns.
    #[serde(default)]
    pub operation_call_ns: f64,
}

/// One slice of measuring. Times are totals over all its iterations.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Measurement {
    /// Iterations that were done: as many as were asked for.
    pub iterations: u64,
    /// What the client did.
    pub client: SideMeasurement,
    /// What the server did.
    pub server: SideMeasurement,
    /// From the first iteration's start to the last one's end, ns, with everything that is on neither side's
    /// clock; where both sides work at once, without what is made beforehand between two connections.
    pub elapsed_ns: u64,
    /// Where several threads did the work: each one's share. The sides above are then the sums over all
    /// threads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<ThreadMeasurement>,
    /// What was done before the first slice and does not count above; none with other slices, or where none
    /// was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm_up: Option<WarmUp>,
    /// How the arrivals fared, where the scenario has a rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_loop: Option<OpenLoop>,
}

impl Measurement {
    /// Iterations that came to their end: all but arrivals that were not served.
    pub fn completed(&self) -> u64 {
        self.open_loop.as_ref().map_or(self.iterations, |open_loop| open_loop.served)
    }
}

/// How long the work is done before anything counts. While another program used the processor, its caches,
/// translation buffers and branch predictors forgot this one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct WarmUpRule {
    /// The least time, ns.
    pub least_ns: u64,
    /// The least number of iterations; there is one in any case.
    pub least_iterations: u64,
    /// The most time, ns, whatever the other two ask for. An iteration that has begun is completed.
    pub most_ns: u64,
}

impl WarmUpRule {
    /// The same, but for at least so long.
    pub fn at_least(self, ns: u64) -> Self {
        Self { least_ns: self.least_ns.max(ns), most_ns: self.most_ns.max(ns), ..self }
    }

    /// Whether there is more to do after so many iterations and so much time.
    pub fn goes_on(&self, iterations: u64, elapsed_ns: u64) -> bool {
        elapsed_ns < self.most_ns && (elapsed_ns < self.least_ns || iterations < self.least_iterations)
    }

    /// How long a warm-up takes, ns, of a stack whose iterations take so long.
    pub fn expected_ns(&self, iteration_ns: f64) -> f64 {
        let wanted_ns = (self.least_iterations as f64 * iteration_ns).max(self.least_ns as f64);
        wanted_ns.min(self.most_ns as f64).max(iteration_ns)
    }
}

/// The warm-up before slices. Its first iteration is the first after another program may have used the
/// processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct WarmUp {
    /// Iterations that were done.
    pub iterations: u64,
    /// From the first one's start to the last one's end, ns, with everything that is on neither side's clock.
    pub elapsed_ns: u64,
    /// What the client's clock showed.
    pub client: WarmUpTimes,
    /// What the server's clock showed.
    pub server: WarmUpTimes,
}

/// One side's times of a warm-up, all phases together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct WarmUpTimes {
    /// Of the first iteration, ns.
    pub first_ns: u64,
    /// Of all iterations, ns.
    pub total_ns: u64,
}

/// What one of several threads did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ThreadMeasurement {
    /// Its iterations.
    pub iterations: u64,
    /// From its first iteration's start to its last one's end, ns.
    pub elapsed_ns: u64,
}

/// One side's share of a slice.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SideMeasurement {
    /// Time per phase, ns.
    pub phases: PhaseTimes,
    /// Readings of the clock that lie in those times.
    pub clock_reads: u64,
    /// Bytes that this side put on the wire inside the phases above.
    pub wire_bytes: u64,
    /// Bytes of application data that this side sent.
    pub plaintext_sent: u64,
    /// Bytes of application data that this side received.
    pub plaintext_received: u64,
    /// The handshake's time per call of this side, ns: its first call, its second and so on; the last counts
    /// all that come after it, too. A client's first call makes its ClientHello, a server's first works on
    /// that and makes the server's flight.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub handshake_calls_ns: Vec<u64>,
    /// How long each iteration took this side, all phases together; those of all slices stand with the last
    /// one. Empty where the clock is read once for several.
    #[serde(default, skip_serializing_if = "Latencies::is_empty")]
    pub latencies: Latencies,
}

fn one() -> u32 {
    1
}

fn is_one(number: &u32) -> bool {
    *number == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: WarmUpRule = WarmUpRule { least_ns: 2_000, least_iterations: 8, most_ns: 10_000 };

    #[test]
    fn a_warm_up_goes_on_until_both_bounds_are_reached_or_it_takes_too_long() {
        assert!(RULE.goes_on(1, 2_500) && RULE.goes_on(20, 1_999));
        assert!(!RULE.goes_on(8, 2_000));
        assert!(!RULE.goes_on(2, 10_000));
        assert!(RULE.at_least(20_000).goes_on(50, 19_999) && !RULE.at_least(20_000).goes_on(50, 20_000));
        assert_eq!(RULE.at_least(1_000), RULE);
    }

    #[test]
    fn how_long_it_takes_follows_from_how_long_an_iteration_takes() {
        assert_eq!(RULE.expected_ns(10.0), 2_000.0);
        assert_eq!(RULE.expected_ns(500.0), 4_000.0);
        assert_eq!(RULE.expected_ns(5_000.0), 10_000.0);
        assert_eq!(RULE.expected_ns(50_000.0), 50_000.0);
    }
}
