//! A text as a published document, and as what a document's program wrote: what is read can be asked for and told.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tlslab_reproduction::{Document, Measured, json, markdown, outcomes, reproduce, terminal};

fuzz_target!(|text: &str| {
    if let Err(cause) = outcomes(text) {
        assert!(cause.starts_with("line "));
    }
    match Document::parse("f", "f", text) {
        Ok(document) => {
            document.asked();
            let told = reproduce(&document, &Measured::default());
            terminal(&told);
            markdown(&told);
            json(&told);
        }
        Err(error) => assert!(error.to_string().starts_with("f: ")),
    }
});
