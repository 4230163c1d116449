//! The processor's own counter: instructions that this thread retires in user mode.

use std::fs::File;
use std::io::{Error, Read};
use std::os::fd::FromRawFd;

/// An open counter.
pub(crate) struct Hardware(File);

/// The beginning of the kernel's `perf_event_attr`, in its first published size; the rest is zero.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup: u32,
    breakpoint_type: u32,
    breakpoint_address: u64,
}

const HARDWARE: u32 = 0;
const INSTRUCTIONS: u64 = 1;
const PINNED: u64 = 1 << 2;
const EXCLUDE_KERNEL: u64 = 1 << 5;
const EXCLUDE_HYPERVISOR: u64 = 1 << 6;

impl Hardware {
    /// Opens it for the calling thread, or returns the reason why it is not available.
    pub(crate) fn open() -> Result<Self, String> {
        let attributes = Attributes {
            kind: HARDWARE,
            size: size_of::<Attributes>() as u32,
            config: INSTRUCTIONS,
            flags: PINNED | EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR,
            ..Attributes::default()
        };
        // SAFETY: the attributes live until the call returns; this thread, any processor, no group, closed on exec.
        let descriptor = unsafe {
            libc::syscall(
                libc::SYS_perf_event_open,
                &raw const attributes,
                0,
                -1,
                -1,
                8_u64, /* PERF_FLAG_FD_CLOEXEC */
            )
        };
        if descriptor < 0 {
            let cause = Error::last_os_error();
            let why = match cause.raw_os_error() {
                Some(libc::ENOENT | libc::ENODEV | libc::EOPNOTSUPP) => {
                    "the processor shows no hardware counter of instructions"
                }
                Some(libc::EACCES | libc::EPERM) => "the kernel forbids it (kernel.perf_event_paranoid)",
                _ => "the kernel gives none",
            };
            return Err(format!("nothing counts the instructions of this process: {why} ({cause})"));
        }
        // SAFETY: the descriptor is new, and nothing else owns it.
        let hardware = Self(unsafe { File::from_raw_fd(descriptor as i32) });
        if hardware.read() == 0 {
            return Err("the processor's counter of instructions stands still".to_owned());
        }
        Ok(hardware)
    }

    /// Its value; 0 once it can no longer be read.
    #[inline]
    pub(crate) fn read(&self) -> u64 {
        let mut bytes = [0; 8];
        match (&self.0).read(&mut bytes) {
            Ok(8) => u64::from_ne_bytes(bytes),
            _ => 0,
        }
    }
}
