use proptest::prelude::*;
use tlslab_protocol::{
    Latencies, Measurement, OpenLoop, PhaseTimes, SideMeasurement, ThreadMeasurement, WarmUp, WarmUpTimes,
};
use tlslab_record::PairSide;

use super::*;

const VISIT: Visit = Visit { round: 3, scenario: 4, attempt: 1, complete: true };

fn phases() -> impl Strategy<Value = PhaseTimes> {
    any::<[u64; 9]>().prop_map(|ns| PhaseTimes {
        context_ns: ns[0],
        create_ns: ns[1],
        handshake_ns: ns[2],
        post_handshake_ns: ns[3],
        free_ns: ns[4],
        send_ns: ns[5],
        receive_ns: ns[6],
        operation_ns: ns[7],
        close_ns: ns[8],
    })
}

prop_compose! {
    fn side()(
        phases in phases(),
        numbers in any::<[u64; 4]>(),
        calls in proptest::collection::vec(any::<u64>(), 0..4),
        latencies in proptest::collection::vec(any::<(u32, u64)>(), 0..5),
    ) -> SideMeasurement {
        SideMeasurement {
            phases,
            clock_reads: numbers[0],
            wire_bytes: numbers[1],
            plaintext_sent: numbers[2],
            plaintext_received: numbers[3],
            handshake_calls_ns: calls,
            latencies: Latencies { counts: latencies },
        }
    }
}

prop_compose! {
    fn open_loop()(
        span_ns in 1..u64::MAX,
        numbers in any::<[u64; 4]>(),
        responses in proptest::collection::vec(any::<(u32, u64)>(), 0..5),
    ) -> OpenLoop {
        let [served, client_busy_ns, server_busy_ns, late_ns] = numbers;
        let responses = Latencies { counts: responses };
        OpenLoop { served, span_ns, client_busy_ns, server_busy_ns, late_ns, responses }
    }
}

prop_compose! {
    fn sample()(
        client in prop_oneof![Just(SideMeasurement::default()), side()],
        server in side(),
        numbers in any::<(u32, u32, u8, u64, u64)>(),
        faults in any::<u64>(),
        threads in proptest::collection::vec(any::<(u64, u64)>(), 0..3),
        warm_up in proptest::option::of((1..u64::MAX, any::<[u64; 5]>())),
        open_loop in proptest::option::of(open_loop()),
    ) -> Sample {
        let (block, place, stack, iterations, elapsed_ns) = numbers;
        let thread = |(iterations, elapsed_ns)| ThreadMeasurement { iterations, elapsed_ns };
        let threads = threads.into_iter().map(thread).collect();
        let warm_up = warm_up.map(|(iterations, ns): (u64, [u64; 5])| WarmUp {
            iterations,
            elapsed_ns: ns[0],
            client: WarmUpTimes { first_ns: ns[1], total_ns: ns[2] },
            server: WarmUpTimes { first_ns: ns[3], total_ns: ns[4] },
        });
        let measurement = Measurement { iterations, client, server, elapsed_ns, threads, warm_up, open_loop, faults };
        let Visit { round, scenario, attempt, .. } = VISIT;
        Sample { round, scenario, attempt, block, place, stack: stack.into(), measurement }
    }
}

prop_compose! {
    fn pair_sample()(sides in (phases(), phases()), numbers in any::<[u16; 9]>()) -> PairSample {
        let [block, place, client, server, iterations, rest @ ..] = numbers;
        let Visit { round, scenario, attempt, .. } = VISIT;
        let side = |phases, first: u16, second: u16| PairSide {
            phases, clock_reads: first.into(), wire_bytes: second.into(),
        };
        PairSample {
            round, scenario, attempt, block: block.into(), place: place.into(), client: client.into(),
            server: server.into(), iterations: iterations.into(),
            sides: [side(sides.0, rest[0], rest[1]), side(sides.1, rest[2], rest[3])],
        }
    }
}

proptest! {
    #[test]
    fn what_is_packed_is_unpacked_as_it_was(
        samples in proptest::collection::vec(sample(), 0..6),
        pair_samples in proptest::collection::vec(pair_sample(), 0..6),
    ) {
        let pack = Pack { samples: samples.clone(), pair_samples: pair_samples.clone() };
        let again = Pack::unpacked(&pack.packed().unwrap(), &VISIT).unwrap();
        prop_assert_eq!(again.samples, samples);
        prop_assert_eq!(again.pair_samples, pair_samples);
    }

    #[test]
    fn a_damaged_pack_is_an_error_and_no_other_pack(
        samples in proptest::collection::vec(sample(), 1..4), at in any::<prop::sample::Index>(), bit in 0_u32..8,
    ) {
        let mut body = Pack { samples, pair_samples: vec![] }.packed().unwrap();
        let at = at.index(body.len());
        body[at] ^= 1_u8 << bit;
        // A bit of the frame's header may have no meaning; the content is then as written.
        if let Ok(again) = Pack::unpacked(&body, &VISIT) {
            body[at] ^= 1_u8 << bit;
            let was = Pack::unpacked(&body, &VISIT).unwrap();
            prop_assert_eq!(again.samples, was.samples);
        }
    }

    #[test]
    fn no_text_in_a_pack_makes_the_lab_stop(text in any::<Vec<u8>>(), count in any::<u64>()) {
        let column = format!("{{\"samples\":{{\"count\":{count},\"iterations\":[1]}}}}").into_bytes();
        for text in [text, column] {
            let mut body = vec![VERSION];
            body.extend(zstd::encode_all(&*text, LEVEL).unwrap());
            let read = Pack::unpacked(&body, &VISIT);
            prop_assert!(read.is_err() || count == 1 || read.is_ok_and(|pack| pack.len() == 0));
        }
    }
}

#[test]
fn another_version_is_named() {
    let error = Pack::unpacked(&[9, 1, 2], &VISIT).err().expect("is refused");
    assert_eq!(error, "a pack is of version 9, this lab knows 1; use the newer lab");
    assert!(Pack::unpacked(&[], &VISIT).is_err());
}
