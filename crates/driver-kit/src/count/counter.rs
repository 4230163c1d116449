//! The instruction counter, in a process that was started under it: what
//! `instruments/counter/include/tlslab_counter.h` declares.
//!
//! A request is a sequence of instructions that does nothing but for valgrind. Where there is no counter, or
//! this is no 64-bit x86 under Linux, there is no [`Counter`].

use std::ffi::CStr;

/// The version of the requests below, as `tlslab_counter.h` has it.
const VERSION: u64 = 1;

/// Buckets are numbered below this one; a process begins in bucket 0.
pub(super) const BUCKETS: u64 = 64;

/// What was counted in one bucket.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Each counts once.
    pub instructions: u64,
    /// Accesses to data, not bytes.
    pub loads: u64,
    /// Accesses to data, not bytes.
    pub stores: u64,
}

/// The counter that the process runs under.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counter(());

impl Counter {
    /// The counter, if the process was started under one of this version.
    pub(crate) fn find() -> Option<Self> {
        (request::ask(0, WHO_AM_I, 0, 0) == VERSION).then_some(Self(()))
    }

    /// From here on, what this thread runs is booked to a bucket below [`BUCKETS`]. Returns the bucket
    /// before, or `u64::MAX` where there is no such bucket, and then nothing changes. The old bucket gets the
    /// three instructions of the request, the new one none.
    #[inline(always)]
    pub(crate) fn switch(self, bucket: u64) -> u64 {
        request::switch(bucket)
    }

    /// What a bucket holds; `None` where there is no such bucket.
    pub(crate) fn read(self, bucket: u64) -> Option<Counts> {
        let mut counts = Counts::default();
        let place = (&raw mut counts).expose_provenance() as u64;
        (request::ask(UNANSWERED, READ, bucket, place) == 0).then_some(counts)
    }

    /// Empties all buckets, the counts of functions and calls among them.
    pub(crate) fn zero(self) {
        request::ask(UNANSWERED, ZERO, 0, 0);
    }

    /// Begins forged chance anew from this seed, and forged time from its beginning.
    pub(crate) fn seed(self, seed: u64) {
        request::ask(UNANSWERED, SEED, seed, 0);
    }

    /// Whether it notes the lines and locks that threads share.
    pub(crate) fn notes_contention(self) -> bool {
        request::ask(UNANSWERED, DUMP_CONTENTION, 0, 0) == NO_PATH
    }

    /// Writes the lines and locks that threads share to a file.
    ///
    /// # Errors
    /// `EINVAL` where they are not noted; else what the file system says.
    pub(crate) fn dump_contention(self, path: &CStr) -> std::io::Result<()> {
        match request::ask(UNANSWERED, DUMP_CONTENTION, path.as_ptr().expose_provenance() as u64, 0) {
            0 => Ok(()),
            error => Err(std::io::Error::from_raw_os_error(error as i32)),
        }
    }

    /// Writes a bucket's functions to a file in the format of callgrind.
    ///
    /// # Errors
    /// `EINVAL` where functions are not counted or there is no such bucket; else what the file system says.
    pub(crate) fn dump(self, bucket: u64, path: &CStr) -> std::io::Result<()> {
        match request::ask(UNANSWERED, DUMP, bucket, path.as_ptr().expose_provenance() as u64) {
            0 => Ok(()),
            error => Err(std::io::Error::from_raw_os_error(error as i32)),
        }
    }
}

/// Whether valgrind runs this process, with whatever tool.
pub(super) fn on_valgrind() -> bool {
    request::ask(0, RUNNING_ON_VALGRIND, 0, 0) != 0
}

/// Begins to collect where callgrind runs this process and has not; else ends it.
#[inline(always)]
pub(super) fn toggle_callgrind() {
    request::toggle();
}

/// Has callgrind write what it has collected to a file with the next number, and begin anew.
pub(super) fn dump_callgrind(reason: &CStr) {
    request::ask(0, DUMP_OF_CALLGRIND, reason.as_ptr().expose_provenance() as u64, 0);
}

/// Callgrind's requests.
const CALLGRINDS: u64 = (b'C' as u64) << 24 | (b'T' as u64) << 16;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
const TOGGLE_OF_CALLGRIND: u64 = CALLGRINDS + 2;
const DUMP_OF_CALLGRIND: u64 = CALLGRINDS + 3;

/// Valgrind's own question: how many valgrinds the program runs under.
const RUNNING_ON_VALGRIND: u64 = 0x1001;
/// Two letters say whose requests they are.
const REQUESTS: u64 = (b'T' as u64) << 24 | (b'L' as u64) << 16;
const WHO_AM_I: u64 = REQUESTS;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
const SWITCH: u64 = REQUESTS + 1;
const READ: u64 = REQUESTS + 2;
const ZERO: u64 = REQUESTS + 3;
const SEED: u64 = REQUESTS + 4;
const DUMP: u64 = REQUESTS + 5;
const DUMP_CONTENTION: u64 = REQUESTS + 6;

/// `EFAULT`: what a request answers that has no path and needs one.
const NO_PATH: u64 = 14;

/// `ENOSYS`: what a request answers that nobody takes.
const UNANSWERED: u64 = 38;

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod request {
    use std::arch::asm;

    /// The arguments of a switch but for its bucket, which is in a register, so that no request touches data
    /// of its own.
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
        // SAFETY: rotations by 128 bits in all, and an exchange of a register with itself. The counter reads the arguments
        // and writes to places that the callers lend it for the request.
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
