//! A text as a file of processors, and a word that asks for one: what is hidden is never shown.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tlslab_recipe::Processors;

fuzz_target!(|input: (&str, &str)| {
    let (text, word) = input;
    let Ok(processors) = Processors::default().with_file("processors.toml", text) else { return };
    if let Ok(shown) = processors.shown(word) {
        assert!(shown.hidden.iter().all(|feature| !shown.shown.contains(feature)));
        assert!(shown.hidden.iter().chain(&shown.shown).all(|feature| feature.bit < 32));
    }
    for (name, _) in processors.names() {
        assert!(processors.shown(name).is_ok(), "{name}");
    }
});
