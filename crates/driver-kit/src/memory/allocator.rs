//! The system's allocator, configured to return no memory to the system.
//!
//! glibc returns memory to the kernel when enough of it is free at the heap's end, and adjusts this threshold
//! whenever a large block is freed. A library that allocates a mebibyte per write then has page faults in
//! each write, or has none, depending on what the process did before: the same work was observed to differ by
//! a factor of four. With fixed thresholds every process behaves as in the steady state.

/// The variable of a process whose allocator is left as the C library starts it: `default`.
#[cfg(target_env = "gnu")]
const HEAP: &str = "TLSLAB_HEAP";

/// Keeps freed memory in the process, for every driver alike, unless its stack asks for the C library's own
/// thresholds.
#[cfg(target_env = "gnu")]
pub(crate) fn keep_memory() {
    if std::env::var_os(HEAP).is_some_and(|heap| heap == "default") {
        return;
    }
    /// The largest threshold that glibc accepts on 64-bit machines.
    const MMAP_THRESHOLD_BYTES: libc::c_int = 32 * 1024 * 1024;
    // SAFETY: both calls only set parameters of the allocator, before any other thread exists.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, MMAP_THRESHOLD_BYTES);
        libc::mallopt(libc::M_TRIM_THRESHOLD, libc::c_int::MAX);
    }
}

/// Other allocators do not have these thresholds.
#[cfg(not(target_env = "gnu"))]
pub fn keep_memory() {}
