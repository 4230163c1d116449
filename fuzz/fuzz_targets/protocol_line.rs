//! Whatever a driver or a lab may write: lines are cut where they end, and what decodes encodes and decodes to the same.

#![no_main]

use std::io::BufReader;

use libfuzzer_sys::fuzz_target;
use tlslab_protocol::{Reply, Request, decode_line, encode_line, read_line};

// A small buffer, so that lines span several of its fillings.
const BUFFER_BYTES: usize = 7;

/// The message in a line, if there is one, after it went to a line and back.
macro_rules! goes_both_ways {
    ($type:ty, $line:expr) => {
        decode_line::<$type>($line).ok().inspect(|message| {
            let written = encode_line(message);
            assert_eq!(written.find('\n'), Some(written.len() - 1), "a message is one line");
            let again: $type = decode_line(&written).expect("what was written decodes");
            assert_eq!(*message, again);
        })
    };
}

fuzz_target!(|data: &[u8]| {
    let mut stream = BufReader::with_capacity(BUFFER_BYTES, data);
    let mut read = Vec::new();
    while let Ok(Some(line)) = read_line(&mut stream) {
        read.extend_from_slice(line.as_bytes());
        goes_both_ways!(Request, &line);
        if let Some(Reply::Measured(slices)) = goes_both_ways!(Reply, &line) {
            for side in slices.iter().flat_map(|slice| [&slice.client, &slice.server]) {
                let total = side.phases.total_ns();
                assert!(side.phases.named().iter().all(|(_, ns)| *ns <= total));
            }
        }
    }
    assert!(data.starts_with(&read), "the lines are not the stream's");
});
