//! A text as a file of parts: rules that are taken say of every function what it belongs to.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serde::Deserialize;
use tlslab_profile::{Part, Parts};

#[derive(Deserialize)]
struct File {
    part: Vec<Part>,
}

fuzz_target!(|text: &str| {
    if let Ok(File { part }) = toml::from_str::<File>(text) {
        let _ = Parts::new(part);
    }
});
