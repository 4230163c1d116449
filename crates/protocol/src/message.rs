//! Requests to a driver, and its replies.

use std::path::PathBuf;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Capabilities, Counting, Credentials, KernelWork, Latencies, OpenLoop, Outcome, PhaseTimes,
    PrimitiveFacts, RelayStep, Relayed, Scenario, Side, Weighing,
};

/// A request of the lab to a driver. Each one is answered by exactly one line.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// Asks for the driver's name, library and capabilities. Answered by `hello`.
    Hello {
        /// The protocol versions that the lab speaks.
        protocol: Vec<u32>,
        /// Whether the lab already knows this driver's capabilities. The reply then has none, and no library
        /// is called in a way that would affect what is measured.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        brief: bool,
    },
    /// Asks for the cost of the driver's own loops and clock on this host. Answered by `calibrated`.
    Calibrate {},
    /// Prepare a scenario; the one prepared before is dropped. Answered by `prepared` or `unsupported`.
    Prepare {
        /// The scenario.
        scenario: Box<Scenario>,
        /// Its keys and certificates.
        credentials: Box<Credentials>,
    },
    /// Make one connection off the clock, transfer the scenario's data once, and report all observations.
    /// Answered by `verified`, or by `computed` if the work is a primitive.
    Verify {
        /// A fault to inject on the wire, if any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tamper: Option<Tamper>,
    },
    /// Do the scenario's work a number of times, in slices, after an untimed warm-up. Answered by `measured`.
    Measure {
        /// Iterations per slice.
        iterations: u64,
        /// The number of consecutive slices.
        #[serde(default = "one", skip_serializing_if = "is_one")]
        slices: u32,
        /// The warm-up before the first slice; none if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        warm_up: Option<WarmUpRule>,
        /// The seed for the gaps between arrivals, if the scenario has a rate.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seed: Option<u64>,
    },
    /// Do the scenario's work a number of times, or hold its connections open, and report the memory used.
    /// Only for a process that was started for weighing. Answered by `weighed` or `unsupported`.
    Weigh {
        /// The number of iterations.
        iterations: u32,
    },
    /// Continue in a child of the driver, a copy of its present state, so that nothing of the following
    /// requests remains in the driver after `bye`. Answered by `forked`. Every request up to and including
    /// `bye` goes to the child; after that the driver answers again.
    Fork {
        /// The seed of the child's random numbers and time, where these are deterministic.
        seed: u64,
    },
    /// Do the scenario's work a number of times, and report the instructions executed. Only for a process
    /// that runs under a counter. Answered by `counted` or `unsupported`.
    Count {
        /// The number of iterations.
        iterations: u64,
    },
    /// Do the scenario's work a number of times, and report what each side asks of the kernel. From then on
    /// the kernel hands each system call to the driver first, so that its times are no longer usable.
    /// Answered by `kernel` or `unsupported`.
    Kernel {
        /// The number of iterations.
        iterations: u32,
    },
    /// Have the counter write the instructions of each function in the last `count`, one file per side and
    /// phase. Answered by `written` or `unsupported`.
    Functions {
        /// The folder for the files.
        folder: PathBuf,
    },
    /// Do one side's steps of connections whose other side is in another process. Answered by `relayed`.
    Relay {
        /// The side that this driver is in these connections.
        side: Side,
        /// The steps, of one connection or of many, done in this order.
        steps: Vec<RelayStep>,
        /// The warm-up before the first step: the scenario's work with both sides in this driver. None if
        /// absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        warm_up: Option<WarmUpRule>,
    },
    /// Use the processor, so that what another program had in its caches is evicted. Answered by `evicted`.
    /// Only the lab's own evictor receives this request, never a driver.
    Evict {},
    /// End. Answered by `bye`, after which the driver exits with status 0.
    Bye {},
}

/// A fault that is injected on the wire, to check that it is detected.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Tamper {
    /// Flip one bit in the last record of the first flight in which the server encrypts anything, or of the
    /// data where the scenario carries any.
    CorruptedRecord,
    /// Drop all but the first quarter of the server's first flight, and send nothing in its place. The
    /// quarter contains no more than the ServerHello, even if tickets directly follow the server's Finished.
    TruncatedFlight,
}

/// A reply of a driver.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// The reply to `hello`.
    Hello(Box<Description>),
    /// The reply to `calibrate`.
    Calibrated(Calibration),
    /// The scenario is ready.
    Prepared {},
    /// The stack does not support the scenario. This is an answer, not a failure.
    Unsupported {
        /// The reason.
        reason: String,
    },
    /// The reply to `verify`.
    Verified(Outcome),
    /// The reply to `verify` if the work is a primitive.
    Computed(Box<PrimitiveFacts>),
    /// The reply to `measure`: every slice, in order.
    Measured(Vec<Measurement>),
    /// The reply to `weigh`.
    Weighed(Box<Weighing>),
    /// The reply to `fork`.
    Forked {},
    /// The reply to `functions`.
    Written {},
    /// The reply to `count`.
    Counted(Box<Counting>),
    /// The reply to `kernel`.
    Kernel(Box<KernelWork>),
    /// The reply to `relay`.
    Relayed(Relayed),
    /// The reply to `evict`.
    Evicted {},
    /// The driver failed at something that should work. It stays usable.
    Failed {
        /// The cause.
        reason: String,
    },
    /// The reply to `bye`.
    Bye {},
}

/// A driver's description of itself.
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
    /// Metrics that can be measured in addition to time: `heap`.
    #[serde(default)]
    pub metrics: Vec<String>,
    /// Processor features that the driver's kit has detected.
    #[serde(default)]
    pub features: Vec<String>,
    /// What is hidden of the processor, in a process that is run as if it had another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden: Option<HiddenFeatures>,
}

/// What a process sees of a processor from whose features some are hidden.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct HiddenFeatures {
    /// How they are hidden: `faulting` if each CPUID instruction of the process faults and is answered,
    /// `replaced` if those that were found were replaced, `counter` if a counter answers them.
    pub way: String,
    /// Words of CPUID as an instruction of the driver's own gets them: ECX and EDX of leaf 1, EBX, ECX and
    /// EDX of leaf 7, EAX of its part 1, ECX and EDX of leaf 80000001, EDX of part 1 of leaf 7.
    pub words: Vec<u32>,
    /// Places in the process whose CPUID was answered.
    #[serde(default)]
    pub answered: Vec<AnsweredCpuid>,
}

/// A CPUID instruction that was answered without the hidden features.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct AnsweredCpuid {
    /// The file of the program or library that has it; empty if it is in none.
    pub object: String,
    /// Its address as the file has it.
    pub address: u64,
    /// How often it was answered.
    pub times: u64,
}

/// A library's description of itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Library {
    /// Its name.
    pub name: String,
    /// Its version, as the library reports it at run time if it can, else as resolved at build time.
    pub version: String,
    /// Libraries that it uses for its cryptography: pairs of name and version.
    #[serde(default)]
    pub components: Vec<(String, String)>,
}

/// Harness overhead in this process, measured by running the same loops with endpoints that do nothing.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Calibration {
    /// One read of the clock, ns.
    pub clock_read_ns: f64,
    /// The smallest step of the clock that was observed, ns.
    pub clock_step_ns: f64,
    /// Time on the client's clock per handshake without any library work, ns.
    pub handshake_client_ns: f64,
    /// The same on the server's clock, ns.
    pub handshake_server_ns: f64,
    /// Time on the sender's clock per timed burst of writes, without any library work, ns.
    pub send_burst_ns: f64,
    /// What each write of a burst adds to `send_burst_ns`, ns.
    pub send_write_ns: f64,
    /// As `send_burst_ns`, for the receiver, ns.
    pub receive_burst_ns: f64,
    /// As `send_write_ns`, for each read of the receiver, ns.
    pub receive_write_ns: f64,
    /// Time on the client's clock per short connection without any library work, ns; 0 if it was not
    /// measured.
    #[serde(default)]
    pub request_client_ns: f64,
    /// The same on the server's clock, ns.
    #[serde(default)]
    pub request_server_ns: f64,
    /// Time on the clock per timed burst of operations of a primitive, without any library work, ns.
    #[serde(default)]
    pub operation_burst_ns: f64,
    /// What each operation of a burst adds to `operation_burst_ns`, ns.
    #[serde(default)]
    pub operation_call_ns: f64,
}

/// The measurement of one slice. Times are totals over all its iterations.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Measurement {
    /// Iterations done: as many as were requested.
    pub iterations: u64,
    /// The client's measurement.
    pub client: SideMeasurement,
    /// The server's measurement.
    pub server: SideMeasurement,
    /// From the start of the first iteration to the end of the last, ns, including all that is on neither
    /// side's clock. If both sides work at once, it excludes preparation between two connections.
    pub elapsed_ns: u64,
    /// Each thread's share, if several threads did the work. The sides above are then sums over all threads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<ThreadMeasurement>,
    /// The warm-up before the first slice, which is not included above. Absent in the other slices, and if no
    /// warm-up was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm_up: Option<WarmUp>,
    /// Statistics of the arrivals, if the scenario has a rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_loop: Option<OpenLoop>,
    /// Page faults of the threads that did the work, both sides together. 0 if none happened, if the slice is
    /// of an older driver, or if each side had a thread of its own.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub faults: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Measurement {
    /// Iterations that were completed: all except arrivals that were not served.
    pub fn completed(&self) -> u64 {
        self.open_loop.as_ref().map_or(self.iterations, |open_loop| open_loop.served)
    }
}

/// The length of the warm-up before a measurement. It refills caches, translation buffers and branch
/// predictors after another program has used the processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct WarmUpRule {
    /// The minimum time, ns.
    pub least_ns: u64,
    /// The minimum number of iterations; at least one is done in any case.
    pub least_iterations: u64,
    /// The maximum time, ns, which takes precedence over both minima. An iteration that has begun is
    /// completed.
    pub most_ns: u64,
}

impl WarmUpRule {
    /// The same rule with a minimum time of at least `ns`.
    pub fn at_least(self, ns: u64) -> Self {
        Self { least_ns: self.least_ns.max(ns), most_ns: self.most_ns.max(ns), ..self }
    }

    /// Whether the warm-up continues after `iterations` and `elapsed_ns`.
    pub fn goes_on(&self, iterations: u64, elapsed_ns: u64) -> bool {
        elapsed_ns < self.most_ns && (elapsed_ns < self.least_ns || iterations < self.least_iterations)
    }

    /// The expected duration of the warm-up, ns, for a stack whose iterations take `iteration_ns`.
    pub fn expected_ns(&self, iteration_ns: f64) -> f64 {
        let wanted_ns = (self.least_iterations as f64 * iteration_ns).max(self.least_ns as f64);
        wanted_ns.min(self.most_ns as f64).max(iteration_ns)
    }
}

/// The warm-up before slices. Before its first iteration another program may have used the processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct WarmUp {
    /// Iterations that were done.
    pub iterations: u64,
    /// From the start of the first iteration to the end of the last, ns, including all that is on neither
    /// side's clock.
    pub elapsed_ns: u64,
    /// Times on the client's clock.
    pub client: WarmUpTimes,
    /// Times on the server's clock.
    pub server: WarmUpTimes,
}

/// One side's times of a warm-up, all phases together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct WarmUpTimes {
    /// The first iteration, ns.
    pub first_ns: u64,
    /// All iterations, ns.
    pub total_ns: u64,
}

/// The share of one of several threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ThreadMeasurement {
    /// Its iterations.
    pub iterations: u64,
    /// From the start of its first iteration to the end of its last, ns.
    pub elapsed_ns: u64,
}

/// One side's share of a slice.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SideMeasurement {
    /// Time per phase, ns.
    pub phases: PhaseTimes,
    /// Readings of the clock that are included in those times.
    pub clock_reads: u64,
    /// Bytes that this side put on the wire during those phases.
    pub wire_bytes: u64,
    /// Bytes of application data that this side sent.
    pub plaintext_sent: u64,
    /// Bytes of application data that this side received.
    pub plaintext_received: u64,
    /// Time of each handshake call of this side, ns: the first call, the second and so on; the last entry
    /// includes all later calls. A client's first call makes its ClientHello. A server's first call processes
    /// it and makes the server's flight.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub handshake_calls_ns: Vec<u64>,
    /// Histogram of this side's time per iteration, all phases together. The last slice has the histogram of
    /// all slices. Empty if the clock is read once for several iterations.
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
