//! A text as a state file of settings: what is taken is written and read again, and leads nowhere else.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tlslab_tuning::State;

fuzz_target!(|text: &str| {
    let Ok(state) = State::parse(text) else { return };
    for previous in &state.previous {
        let file = previous.setting.file().unwrap_or("sys/".to_owned());
        assert!((file.starts_with("sys/") || file.starts_with("proc/")) && !file.contains(".."));
        let _ = previous.setting.written_for(&previous.value);
    }
    assert_eq!(State::parse(&state.text()), Ok(state));
});
