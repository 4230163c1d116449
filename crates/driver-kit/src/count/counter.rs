//! The instruction counter of a process that was started under it, as
//! `instruments/counter/include/tlslab_counter.h` declares it.
//!
//! A request is a sequence of instructions without effect except under valgrind. Without a counter, and on
//! other systems than 64-bit x86 Linux, there is no [`Counter`].

use std::ffi::CStr;

/// The version of the requests below, as `tlslab_counter.h` has it.
const VERSION: u64 = 1;

/// Buckets are numbered below this one; a process begins in bucket 0.
pub(super) const BUCKETS: u64 = 64;

/// The counts of one bucket.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Each executed instruction counts once.
    pub instructions: u64,
    /// Accesses to data, not bytes.
    pub loads: u64,
    /// Accesses to data, not bytes.
    pub stores: u64,
}

/// The counter under which the process runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counter(());

impl Counter {
    /// The counter, if the process was started under one of this version.
    pub(crate) fn find() -> Option<Self> {
        (request::ask(0, WHO_AM_I, 0, 0) == VERSION).then_some(Self(()))
    }

    /// Attributes this thread's instructions to a bucket below [`BUCKETS`] from here on. Returns the previous
    /// bucket, or `u64::MAX` if there is no such bucket, in which case nothing changes. The request's three
    /// instructions count in the old bucket, none in the new one.
    #[inline(always)]
    pub(crate) fn switch(self, bucket: u64) -> u64 {
        request::switch(bucket)
    }

    /// The counts of a bucket; `None` if there is no such bucket.
    pub(crate) fn read(self, bucket: u64) -> Option<Counts> {
        let mut counts = Counts::default();
        let place = (&raw mut counts).expose_provenance() as u64;
        (request::ask(UNANSWERED, READ, bucket, place) == 0).then_some(counts)
    }

    /// Empties all buckets, including the counts of functions and calls.
    pub(crate) fn zero(self) {
        request::ask(UNANSWERED, ZERO, 0, 0);
    }

    /// Restarts the deterministic RNG from this seed, and the deterministic clock.
    pub(crate) fn seed(self, seed: u64) {
        request::ask(UNANSWERED, SEED, seed, 0);
    }

    /// Whether the counter records the cache lines and locks that threads share.
    pub(crate) fn notes_contention(self) -> bool {
        request::ask(UNANSWERED, DUMP_CONTENTION, 0, 0) == NO_PATH
    }

    /// Writes the cache lines and locks that threads share to a file.
    ///
    /// # Errors
    /// Fails with `EINVAL` if the counter does not record them, else with the file system's error.
    pub(crate) fn dump_contention(self, path: &CStr) -> std::io::Result<()> {
        match request::ask(UNANSWERED, DUMP_CONTENTION, path.as_ptr().expose_provenance() as u64, 0) {
            0 => Ok(()),
            error => Err(std::io::Error::from_raw_os_error(error as i32)),
        }
    }

    /// Writes a bucket's functions to a file in callgrind's format.
    ///
    /// # Errors
    /// Fails with `EINVAL` if functions are not counted or there is no such bucket, else with the file
    /// system's error.
    pub(crate) fn dump(self, bucket: u64, path: &CStr) -> std::io::Result<()> {
        match request::ask(UNANSWERED, DUMP, bucket, path.as_ptr().expose_provenance() as u64) {
            0 => Ok(()),
            error => Err(std::io::Error::from_raw_os_error(error as i32)),
        }
    }
}

/// Whether the process runs under valgrind, with any tool.
pub(super) fn on_valgrind() -> bool {
    request::ask(0, RUNNING_ON_VALGRIND, 0, 0) != 0
}

/// Toggles callgrind's collection.
#[inline(always)]
pub(super) fn toggle_callgrind() {
    request::toggle();
}

/// Makes callgrind write what it has collected to a file with the next number, and start from zero.
pub(super) fn dump_callgrind(reason: &CStr) {
    request::ask(0, DUMP_OF_CALLGRIND, reason.as_ptr().expose_provenance() as u64, 0);
}

/// Callgrind's requests.
const CALLGRINDS: u64 = (b'C' as u64) << 24 | (b'T' as u64) << 16;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
const TOGGLE_OF_CALLGRIND: u64 = CALLGRINDS + 2;
const DUMP_OF_CALLGRIND: u64 = CALLGRINDS + 3;

/// Valgrind's own request: the number of valgrinds that the program runs under.
const RUNNING_ON_VALGRIND: u64 = 0x1001;
/// Two letters identify whose requests they are.
const REQUESTS: u64 = (b'T' as u64) << 24 | (b'L' as u64) << 16;
const WHO_AM_I: u64 = REQUESTS;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
const SWITCH: u64 = REQUESTS + 1;
const READ: u64 = REQUESTS + 2;
const ZERO: u64 = REQUESTS + 3;
const SEED: u64 = REQUESTS + 4;
const DUMP: u64 = REQUESTS + 5;
const DUMP_CONTENTION: u64 = REQUESTS + 6;

/// `EFAULT`: the answer to a request that lacks its path.
const NO_PATH: u64 = 14;

/// `ENOSYS`: the answer to a request that no tool handles.
const UNANSWERED: u64 = 38;

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod request {
    use std::arch::asm;

    /// The arguments of a switch except its bucket, which is in a register, so that a request accesses no
    /// data of its own.
    static SWITCH: [u64; 6] = [super::SWITCH, 0, 0, 0, 0, 0];

    static TOGGLE: [u64; 6] = [super::TOGGLE_OF_CALLGRIND, 0, 0, 0, 0, 0];

    #[inline(always)]
    pub(super) fn toggle() {
        // SAFETY: as below; callgrind reads the static arguments.
        unsafe {
            asm!(
                "lea rax, [rip + {arguments}]",
                "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
                arguments = sym TOGGLE,
                out("rax") _,
                out("rdx") _,
                options(nostack),
            );
        }
    }

    pub(super) fn ask(otherwise: u64, code: u64, first: u64, second: u64) -> u64 {
        let arguments = [code, first, second, 0, 0, 0];
        let mut answer = otherwise;
        // SAFETY: rotations by 128 bits in total, and an exchange of a register with itself. The counter
        // reads the arguments and writes only to memory that the caller lends it for the request.
        unsafe {
            asm!(
                "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
                in("rax") &raw const arguments,
                inout("rdx") answer,
                options(nostack),
            );
        }
        answer
    }

    #[inline(always)]
    pub(super) fn switch(bucket: u64) -> u64 {
        let before: u64;
        // SAFETY: as above; the counter reads the static arguments and answers in a register.
        unsafe {
            asm!(
                "mov rdx, {bucket}",
                "lea rax, [rip + {arguments}]",
                "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
                bucket = in(reg) bucket,
                arguments = sym SWITCH,
                out("rax") _,
                out("rdx") before,
                options(nostack),
            );
        }
        before
    }
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
mod request {
    pub fn ask(otherwise: u64, _: u64, _: u64, _: u64) -> u64 {
        otherwise
    }

    pub fn switch(_: u64) -> u64 {
        u64::MAX
    }

    pub fn toggle() {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_none_without_valgrind() {
        assert!(Counter::find().is_none());
    }
}
