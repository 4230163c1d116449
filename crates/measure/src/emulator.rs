//! Drivers built for another processor than this machine's: an emulator of the system runs them, and their
//! results are valid. Their times mean nothing.

use std::io::Read;
use std::path::Path;

use tlslab_artifact::open_plain;

/// An emulator of another processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emulator {
    /// The processor, for display.
    pub processor: &'static str,
    /// The program, which is searched in the path.
    pub program: &'static str,
    /// The folder of that processor's loader and C library.
    pub root: &'static str,
}

/// The field of an ELF file's header with the processor: its offset, and the value for 64-bit ARM.
const MACHINE: usize = 18;
const AARCH64: u16 = 183;

/// The emulator that a program needs here, by its file's header; `None` if it is for this machine, or not
/// such a file.
#[must_use]
pub fn emulator(program: &Path) -> Option<Emulator> {
    let mut header = Vec::new();
    open_plain(program).ok()?.take(MACHINE as u64 + 2).read_to_end(&mut header).ok()?;
    of_header(&header).filter(|_| !cfg!(target_arch = "aarch64"))
}

fn of_header(header: &[u8]) -> Option<Emulator> {
    let machine = header.strip_prefix(b"\x7fELF")?.get(MACHINE - 4..MACHINE - 2)?;
    (machine == AARCH64.to_le_bytes()).then_some(Emulator {
        processor: "64-bit ARM",
        program: "qemu-aarch64-static",
        root: "/usr/aarch64-linux-gnu",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_of_another_processor_is_known_by_its_header() {
        let mut header = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\xb7\0".to_vec();
        assert_eq!(of_header(&header).map(|it| it.program), Some("qemu-aarch64-static"));
        header[18] = 62; // x86-64
        assert_eq!(of_header(&header), None);
        assert_eq!(of_header(b"#!/bin/sh\nexec true # and more"), None);
        assert_eq!(of_header(b"\x7fELF"), None);
        assert_eq!(emulator(Path::new("/proc/self/exe")), None);
    }
}
