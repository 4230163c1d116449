//! A text as a file in callgrind's format: what is read adds up, also with itself.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tlslab_profile::parse;

fuzz_target!(|text: &str| match parse(text) {
    Ok(profile) => {
        assert!(!profile.events.is_empty());
        assert!(profile.functions.values().all(|costs| costs.len() == profile.events.len()));
        let mut twice = profile.clone();
        twice.add(&profile);
        assert!(twice.totals().iter().zip(profile.totals()).all(|(two, one)| *two >= one));
        assert_eq!(profile.by(0).len(), profile.functions.len());
    }
    Err(error) => assert!(error.line > 0 && !error.what.is_empty()),
});
