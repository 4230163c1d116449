//! Values with their bounds, as pages show them.

pub use tlslab_estimate::Quantity as Figure;

/// The day of a time in RFC 3339.
pub(crate) fn day(at: &str) -> &str {
    at.get(..10).unwrap_or(at)
}

/// A metric in words: `count.instructions` is instructions. Others keep their names.
#[must_use]
pub fn metric_words(metric: &str) -> &str {
    match metric {
        "count.instructions" => "instructions",
        "heap.peak" => "peak heap",
        "contention.atomics" => "contended atomics",
        "contention.serial" => "serial instructions",
        "wire.flight.1" => "bytes of the first flight",
        "wire.handshake" => "bytes of the handshake",
        "wire.data" => "bytes of a write on the wire",
        "wire.total" => "bytes of a short connection on the wire",
        "kernel.calls" => "system calls",
        "kernel.faults" => "page faults",
        "size.text" => "code size",
        "size.data" => "data size",
        "size.shared" => "size of shared libraries",
        "idle.heap" => "heap per idle connection",
        "latency.p99" => "99th percentile of service time",
        "response.p99" => "99th percentile of response time, open loop",
        other => other,
    }
}
