//! A line as a driver's reply: what is taken is within its bounds, however it is called.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tlslab_proof::{MOST_TEXT_BYTES, decode_reply};
use tlslab_protocol::Reply;

fuzz_target!(|line: &str| match decode_reply(line) {
    Ok(Reply::Measured(slices)) => {
        for slice in slices {
            assert!(slice.elapsed_ns <= 86_400_000_000_000 && slice.iterations <= 1 << 40);
            for side in [&slice.client, &slice.server] {
                assert!(side.phases.total_ns() <= 8 * 86_400_000_000_000);
                assert!(side.wire_bytes <= 1 << 53 && side.handshake_calls_ns.len() <= 1024);
            }
        }
    }
    Ok(Reply::Failed { reason } | Reply::Unsupported { reason }) => assert!(reason.len() <= MOST_TEXT_BYTES),
    Ok(_) => {}
    Err(error) => assert!(error.to_string().len() < 16_384),
});
