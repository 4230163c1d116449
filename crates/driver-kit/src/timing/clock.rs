//! The monotonic clock, read through the kernel's fast path. Its cost is measured, never assumed.

/// Nanoseconds since an arbitrary fixed time.
#[inline(always)]
pub(crate) fn now_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a timespec of our own, and the clock always exists on Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The median cost of one reading, ns.
pub(crate) fn read_cost_ns() -> f64 {
    const READS: u64 = 1_000;
    let mut costs: Vec<f64> = (0..51)
        .map(|_| {
            let start = now_ns();
            for _ in 0..READS {
                std::hint::black_box(now_ns());
            }
            (now_ns() - start) as f64 / READS as f64
        })
        .collect();
    costs.sort_by(f64::total_cmp);
    costs[costs.len() / 2]
}

/// The smallest step of the clock other than zero, ns.
pub(crate) fn smallest_step_ns() -> f64 {
    let mut smallest = u64::MAX;
    for _ in 0..1_000 {
        let start = now_ns();
        let mut next = now_ns();
        while next == start {
            next = now_ns();
        }
        smallest = smallest.min(next - start);
    }
    smallest as f64
}
