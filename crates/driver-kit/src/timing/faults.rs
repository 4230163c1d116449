//! Page faults of a thread, as the kernel counts them.

use std::mem::MaybeUninit;

/// Page faults of the calling thread so far, with and without reading from a disk; 0 if the kernel does not
/// say.
pub(crate) fn page_faults() -> u64 {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the structure is the one that the call fills in; zeroes are one, too.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
        usage.assume_init()
    };
    usage.ru_minflt as u64 + usage.ru_majflt as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_touched_page_is_a_fault_and_the_same_page_again_is_none() {
        const PAGES: usize = 64;
        // SAFETY: the mapping is new, and is written to within its bounds before it is returned.
        unsafe {
            let bytes = PAGES * libc::sysconf(libc::_SC_PAGESIZE) as usize;
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let start = libc::mmap(std::ptr::null_mut(), bytes, protection, kind, -1, 0);
            assert_ne!(start, libc::MAP_FAILED);
            libc::madvise(start, bytes, libc::MADV_NOHUGEPAGE);
            let touch = || {
                let before = page_faults();
                (0..bytes).step_by(4096).for_each(|at| start.cast::<u8>().add(at).write_volatile(1));
                page_faults() - before
            };
            assert!(touch() >= PAGES as u64);
            assert!(touch() < PAGES as u64 / 2);
            libc::munmap(start, bytes);
        }
    }
}
