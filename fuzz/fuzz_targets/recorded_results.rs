//! A text as the recorded results of a document: what is read can be rendered.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tlslab_reproduction::{Document, Record, json, markdown, reproduce, terminal};

const DOCUMENT: &str = include_str!("../../examples/own-document/documents/rustls-2019.toml");

fuzz_target!(|text: &[u8]| match Record::parse(text) {
    Ok(record) => {
        let document = Document::parse("f", "rustls-2019", DOCUMENT).expect("the document is whole");
        let reproduction = reproduce(&document, &record.into_measured());
        terminal(&reproduction);
        markdown(&reproduction);
        json(&reproduction);
    }
    Err(error) => assert!(error.to_string().contains("; ")),
});
