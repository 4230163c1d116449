//! A text as a comparison: what is read can be rendered, and is the same when it is read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tlslab_comparison::{json, markdown, read, terminal};

fuzz_target!(|text: &str| match read(text) {
    Ok(comparison) => {
        assert!(!markdown(&comparison).lines().any(|line| line.starts_with('/')));
        terminal(&comparison, true);
        json(&comparison);
    }
    Err(error) => assert!(!error.to_string().is_empty()),
});
