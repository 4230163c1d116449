//! Bytes as a program: its sections, the libraries that it needs and the places that ask the processor for its features are found or not.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tlslab_binaries::{Sections, find_cpuid};

fuzz_target!(|data: &[u8]| {
    let _ = Sections::parse(data);
    let _ = find_cpuid(data);
});
