//! What the signal's handler counts: tables in static memory, because a handler may not allocate.
//!
//! Only the thread that counts writes to them, in its handler and outside; the atomics order nothing else.

use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed, compiler_fence};

use super::log::What;
use crate::count::places::{OFF, PLACES};

/// System calls have numbers below this one; others count as the last.
const NUMBERS: usize = 512;
/// The most mapped files whose addresses are kept, to distinguish them from anonymous memory.
const MAPPED: usize = 256;

/// The place that is running.
static PLACE: AtomicUsize = AtomicUsize::new(OFF);
static CALLS: [[AtomicU32; NUMBERS]; PLACES] = [const { [const { AtomicU32::new(0) }; NUMBERS] }; PLACES];
static GROWN: [AtomicU64; PLACES] = [const { AtomicU64::new(0) }; PLACES];
static RETURNED: [AtomicU64; PLACES] = [const { AtomicU64::new(0) }; PLACES];
/// The end of the heap that `brk` moves.
static BREAK: AtomicUsize = AtomicUsize::new(0);
/// Addresses of mappings of files since the tables were made; 0 where none is.
static FILES: [AtomicUsize; MAPPED] = [const { AtomicUsize::new(0) }; MAPPED];

/// Held by a test that uses the tables: a program has only one set of them.
#[cfg(test)]
pub(super) static ONE_TEST: std::sync::Mutex<()> = std::sync::Mutex::new(());

/// Sets the end of the heap, and touches every table, so that the handler causes no page fault.
pub(super) fn begin(heap_end: usize) {
    BREAK.store(heap_end, Relaxed);
    FILES.iter().for_each(|file| file.store(0, Relaxed));
    reset();
}

/// Forgets what was counted.
pub(super) fn reset() {
    attribute_to(OFF);
    CALLS.iter().flatten().for_each(|calls| calls.store(0, Relaxed));
    GROWN.iter().chain(&RETURNED).for_each(|bytes| bytes.store(0, Relaxed));
}

/// Attributes system calls to a place from here on.
#[inline(always)]
pub(super) fn attribute_to(place: usize) {
    compiler_fence(SeqCst);
    PLACE.store(place, Relaxed);
    compiler_fence(SeqCst);
}

/// Passes on each figure of a place, and sets it to zero.
pub(super) fn take(
    place: usize,
    mut with: impl FnMut(What, u64) -> Result<(), String>,
) -> Result<(), String> {
    for (number, calls) in CALLS[place].iter().enumerate() {
        with(What::Call(number), u64::from(calls.swap(0, Relaxed)))?;
    }
    with(What::Grown, GROWN[place].swap(0, Relaxed))?;
    with(What::Returned, RETURNED[place].swap(0, Relaxed))
}

/// Counts a system call of the counted thread, which had this result; sizes in whole pages.
pub(super) fn note(number: usize, arguments: &[usize; 6], result: isize, page_bytes: usize) {
    let place = PLACE.load(Relaxed);
    let (grown, returned) = heap_change(number, arguments, result, page_bytes);
    if place == OFF {
        return;
    }
    CALLS[place][number.min(NUMBERS - 1)].fetch_add(1, Relaxed);
    GROWN[place].fetch_add(grown as u64, Relaxed);
    RETURNED[place].fetch_add(returned as u64, Relaxed);
}

/// Bytes of anonymous memory that a call asked for, and bytes that it gave back.
fn heap_change(number: usize, arguments: &[usize; 6], result: isize, page_bytes: usize) -> (usize, usize) {
    let pages = |bytes: usize| bytes.div_ceil(page_bytes).saturating_mul(page_bytes);
    let change = |before: usize, after: usize| (after.saturating_sub(before), before.saturating_sub(after));
    let [first, second, third, fourth, ..] = *arguments;
    match number as libc::c_long {
        libc::SYS_brk => change(BREAK.swap(result as usize, Relaxed), result as usize),
        _ if (-4095..0).contains(&result) => (0, 0),
        libc::SYS_mmap if fourth & libc::MAP_ANONYMOUS as usize != 0 => (pages(second), 0),
        libc::SYS_mmap => {
            replace(0, result as usize);
            (0, 0)
        }
        libc::SYS_munmap if replace(first, 0) => (0, 0),
        libc::SYS_munmap => (0, pages(second)),
        libc::SYS_mremap => change(pages(second), pages(third)),
        libc::SYS_madvise if [libc::MADV_DONTNEED, libc::MADV_FREE].contains(&(third as libc::c_int)) => {
            (0, pages(second))
        }
        _ => (0, 0),
    }
}

/// Replaces the address of a file's mapping; whether there was such a one.
fn replace(old: usize, new: usize) -> bool {
    let found = FILES.iter().find(|file| file.load(Relaxed) == old);
    if let Some(file) = found {
        file.store(new, Relaxed);
    }
    found.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_and_return_are_read_from_arguments_and_results() {
        let _alone = ONE_TEST.lock().unwrap();
        const PAGE: usize = 4096;
        let change = |number: libc::c_long, arguments: [usize; 4], result: isize| {
            let [first, second, third, fourth] = arguments;
            heap_change(number as usize, &[first, second, third, fourth, 0, 0], result, PAGE)
        };
        begin(10 * PAGE);
        let anonymous = (libc::MAP_ANONYMOUS | libc::MAP_PRIVATE) as usize;
        let file = libc::MAP_PRIVATE as usize;
        assert_eq!(change(libc::SYS_brk, [43 * PAGE, 0, 0, 0], 43 * PAGE as isize), (33 * PAGE, 0));
        assert_eq!(change(libc::SYS_brk, [0, 0, 0, 0], 43 * PAGE as isize), (0, 0), "it only asks");
        assert_eq!(change(libc::SYS_brk, [10 * PAGE, 0, 0, 0], 10 * PAGE as isize), (0, 33 * PAGE));
        assert_eq!(change(libc::SYS_mmap, [0, 5000, 3, anonymous], 0x7000), (2 * PAGE, 0));
        assert_eq!(change(libc::SYS_mmap, [0, 5000, 3, anonymous], -12), (0, 0), "it failed");
        assert_eq!(change(libc::SYS_mmap, [0, 5000, 1, file], 0x9000), (0, 0));
        assert_eq!(change(libc::SYS_munmap, [0x9000, 5000, 0, 0], 0), (0, 0), "a file is no heap");
        assert_eq!(change(libc::SYS_munmap, [0x9000, 5000, 0, 0], 0), (0, 2 * PAGE));
        assert_eq!(change(libc::SYS_mremap, [0x7000, PAGE, 3 * PAGE, 1], 0x7000), (2 * PAGE, 0));
        let unneeded = libc::MADV_DONTNEED as usize;
        assert_eq!(change(libc::SYS_madvise, [0x7000, PAGE, unneeded, 0], 0), (0, PAGE));
        let random = libc::MADV_RANDOM as usize;
        assert_eq!(change(libc::SYS_madvise, [0x7000, PAGE, random, 0], 0), (0, 0));
        assert_eq!(change(libc::SYS_getpid, [0; 4], 7), (0, 0));
    }
}
