//! Bytes as the samples of a visit: they are read, or refused with a reason.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Err(reason) = tlslab_store::samples_in(data) {
        assert!(!reason.is_empty());
    }
});
