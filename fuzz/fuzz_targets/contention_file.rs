//! A text as the counter's file of what threads share: what is read adds up.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tlslab_contention::{parse, text};

fuzz_target!(|text_of_file: &str| match parse(text_of_file, "1\tclient.create\n2\tserver.handshake.1\n") {
    Ok(found) => {
        assert!(found.steps.keys().all(|step| step.starts_with("client.") || step.starts_with("server.")));
        assert!(found.lines.iter().all(|line| line.accesses().writes() >= line.accesses().atomics));
        let _ = text(&found, 4);
    }
    Err(error) => assert!(error.line > 0 && !error.what.is_empty()),
});
