//! Lines in and out: what is written is read back, and nothing that comes in breaks the codec.

use std::io::Cursor;

use proptest::prelude::*;
use tlslab_protocol::{
    CodecError, Latencies, MAX_LINE_BYTES, Measurement, OpenLoop, PhaseTimes, Reply, Request,
    SideMeasurement, Tamper, ThreadMeasurement, WarmUp, WarmUpTimes, decode_line, encode_line, read_line,
};

fn side() -> impl Strategy<Value = SideMeasurement> {
    (any::<[u64; 9]>(), any::<[u64; 4]>(), any::<(Vec<u64>, Vec<(u32, u64)>)>()).prop_map(
        |(phase, rest, (calls, counts))| SideMeasurement {
            phases: PhaseTimes {
                create_ns: phase[0],
                handshake_ns: phase[1],
                post_handshake_ns: phase[2],
                free_ns: phase[3],
                send_ns: phase[4],
                receive_ns: phase[5],
                context_ns: phase[6],
                operation_ns: phase[7],
                close_ns: phase[8],
            },
            clock_reads: rest[0],
            wire_bytes: rest[1],
            plaintext_sent: rest[2],
            plaintext_received: rest[3],
            handshake_calls_ns: calls,
            latencies: Latencies { counts },
        },
    )
}

proptest! {
    #[test]
    fn a_measurement_survives_the_line(iterations: u64, elapsed_ns: u64, client in side(), server in side(), share: (u64, u64)) {
        let threads = vec![ThreadMeasurement { iterations: share.0, elapsed_ns: share.1 }];
        let times = WarmUpTimes { first_ns: share.0, total_ns: share.1 };
        let warm_up = Some(WarmUp { iterations, elapsed_ns, client: times, server: times }).filter(|_| iterations % 2 == 0);
        let responses = Latencies { counts: vec![(3, iterations)] };
        let open_loop = Some(OpenLoop { served: iterations, span_ns: elapsed_ns, responses, ..OpenLoop::default() })
            .filter(|_| iterations % 3 == 0);
        let measured = Measurement { iterations, client, server, elapsed_ns, threads, warm_up, open_loop, faults: share.1 };
        let reply = Reply::Measured(vec![measured]);
        prop_assert_eq!(decode_line::<Reply>(&encode_line(&reply)).unwrap(), reply);
    }

    #[test]
    fn a_reason_may_hold_anything_and_stays_one_line(reason: String) {
        let line = encode_line(&Reply::Failed { reason: reason.clone() });
        prop_assert_eq!(line.matches('\n').count(), 1);
        prop_assert_eq!(decode_line::<Reply>(&line).unwrap(), Reply::Failed { reason });
    }

    #[test]
    fn any_bytes_are_a_line_an_end_or_an_error(bytes: Vec<u8>) {
        if let Ok(Some(line)) = read_line(&mut Cursor::new(&bytes)) {
            let _ = decode_line::<Reply>(&line);
            let _ = decode_line::<Request>(&line);
        }
    }
}

#[test]
fn unknown_keys_are_ignored() {
    let request: Request =
        decode_line(r#"{"verify":{"tamper":"truncated_flight","colour":"blue"}}"#).unwrap();
    assert_eq!(request, Request::Verify { tamper: Some(Tamper::TruncatedFlight) });
}

#[test]
fn a_line_that_is_no_message_is_quoted() {
    let error = decode_line::<Reply>("Segmentation fault\n").unwrap_err().to_string();
    insta::assert_snapshot!(error, @r#"expected value at line 1 column 1, in the line "Segmentation fault""#);
}

#[test]
fn a_line_without_end_is_cut_off() {
    let mut flood = Cursor::new(vec![b'x'; MAX_LINE_BYTES + 2]);
    assert!(matches!(read_line(&mut flood), Err(CodecError::TooLong)));
    let mut longest = Cursor::new([vec![b'x'; MAX_LINE_BYTES - 1], vec![b'\n']].concat());
    assert_eq!(read_line(&mut longest).unwrap().map(|line| line.len()), Some(MAX_LINE_BYTES));
}
