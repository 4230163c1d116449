//! A text as a `Cargo.lock`: what is read is written and read to the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tlslab_build::Lockfile;

fuzz_target!(|text: &str| {
    if let Ok(lock) = Lockfile::parse(text) {
        let again = Lockfile::parse(&lock.to_text()).expect("what was written can be read");
        assert_eq!(lock, again);
    }
});
