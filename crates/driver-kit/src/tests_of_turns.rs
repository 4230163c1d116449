//! Turns: which iterations are warm-up, which are measured, and how many there are.

use tlslab_protocol::{
    Algorithm, ConnectionAge, ContextUse, HashFunction, Latencies, Measurement, Operation, Primitive,
    Scenario, Side, Start, WarmUpRule, Work,
};

use crate::calibrate::null::{Null, NullPrimitive};
use crate::pair::Pair;
use crate::prepared_primitive::PreparedPrimitive;
use crate::timing::turn::Turn;
use crate::{Assignment, Material};

/// A warm-up of `least_iterations`, however long they take.
fn iterations(least_iterations: u64) -> WarmUpRule {
    WarmUpRule { least_ns: 0, least_iterations, most_ns: u64::MAX }
}

fn measured(scenario: Scenario, turn: Turn) -> Vec<Measurement> {
    let pair = Pair::new(&Null, scenario, Material::none());
    pair.map_err(String::from).and_then(|mut pair| pair.measure(turn)).unwrap()
}

fn transfer(connection: ConnectionAge, burst: u32) -> Work {
    Work::Transfer { sender: Side::Client, write_bytes: 100, connection, burst }
}

#[test]
fn a_warm_up_is_in_no_slice() {
    let turn = Turn { slices: 3, iterations: 2, warm_up: Some(iterations(5)) };
    let slices = measured(Scenario::plain(Work::Handshake), turn);
    let without = measured(Scenario::plain(Work::Handshake), Turn::of(2)).remove(0);
    assert_eq!(slices.len(), 3);
    for slice in &slices {
        assert_eq!(slice.iterations, 2);
        assert_eq!(slice.client.clock_reads, without.client.clock_reads);
        assert_eq!(slice.server.wire_bytes, without.server.wire_bytes);
        let on_clocks = slice.client.phases.total_ns() + slice.server.phases.total_ns();
        assert!(on_clocks <= slice.elapsed_ns);
    }
    let warm_up = slices[0].warm_up.unwrap();
    assert_eq!(warm_up.iterations, 5);
    assert!(warm_up.client.first_ns <= warm_up.client.total_ns);
    assert!(warm_up.client.total_ns + warm_up.server.total_ns <= warm_up.elapsed_ns);
    assert!(slices[1].warm_up.is_none() && slices[2].warm_up.is_none());
    assert!(without.warm_up.is_none());
}

#[test]
fn single_iterations_of_all_slices_stand_with_the_last_and_none_is_of_the_warm_up() {
    let turn = Turn { slices: 3, iterations: 4, warm_up: Some(iterations(7)) };
    let slices = measured(Scenario::plain(Work::Handshake), turn);
    let totals: Vec<u64> = slices.iter().map(|slice| slice.server.latencies.total()).collect();
    assert_eq!(totals, [0, 0, 12]);
}

/// If a warm-up were counted as part of the next iteration, the number of iterations would not change, but
/// their sum would.
#[test]
fn no_time_of_a_warm_up_is_in_a_percentile() {
    let turn = Turn { slices: 3, iterations: 4, warm_up: Some(iterations(20_000)) };
    let slices = measured(Scenario::plain(Work::Handshake), turn);
    let warm_up = slices[0].warm_up.unwrap();
    for (side, warm_up_ns) in
        [(Side::Client, warm_up.client.total_ns), (Side::Server, warm_up.server.total_ns)]
    {
        let of = |slice: &Measurement| match side {
            Side::Client => slice.client.clone(),
            Side::Server => slice.server.clone(),
        };
        let counted = &of(&slices[2]).latencies.counts;
        let sum = |bound: fn((u64, u64)) -> u64| -> u64 {
            counted.iter().map(|(bucket, count)| bound(Latencies::bounds(*bucket)) * count).sum()
        };
        let booked: u64 = slices.iter().map(|slice| of(slice).phases.total_ns()).sum();
        assert!(
            sum(|(from, _)| from) <= booked && booked <= sum(|(_, to)| to),
            "{side}: {counted:?}, {booked} ns"
        );
        assert!(warm_up_ns > 0, "{side}: the warm-up has no time");
    }
}

#[test]
fn bursts_follow_the_first_iteration_of_a_warm_up() {
    let turn = Turn { slices: 2, iterations: 10, warm_up: Some(iterations(6)) };
    let slices = measured(Scenario::plain(transfer(ConnectionAge::Warm, 4)), turn);
    // One of one, and two of four.
    assert_eq!(slices[0].warm_up.unwrap().iterations, 9);
    for slice in &slices {
        // Bursts of 4, 4 and 2.
        assert_eq!((slice.client.clock_reads, slice.server.clock_reads), (3, 3));
        assert_eq!((slice.client.plaintext_sent, slice.server.plaintext_received), (1_000, 1_000));
        assert_eq!(slice.client.latencies.total(), 0);
    }
}

#[test]
fn every_kind_of_work_warms_up() {
    let plain = || Scenario::plain(Work::Handshake);
    for scenario in [
        Scenario::plain(transfer(ConnectionAge::Fresh, 1)),
        Scenario::plain(Work::Exchange { write_bytes: 100, burst: 1 }),
        Scenario { context: ContextUse::Fresh, ..plain() },
        Scenario { concurrent: true, ..plain() },
        Scenario { threads: 2, ..plain() },
    ] {
        let turn = Turn { slices: 2, iterations: 4, warm_up: Some(iterations(3)) };
        let slices = measured(scenario.clone(), turn);
        assert_eq!(slices.iter().map(|slice| slice.iterations).sum::<u64>(), 8, "{scenario:?}");
        assert!(slices[0].warm_up.unwrap().iterations >= 3, "{scenario:?}");
        assert!(slices[1].warm_up.is_none(), "{scenario:?}");
    }
}

#[test]
fn a_primitive_warms_up() {
    let (operation, algorithm) = (Operation::Hash, Algorithm::Hash(HashFunction::Sha256));
    let wanted = Primitive { operation, algorithm, bytes: 8, burst: 16, header_bytes: 5 };
    let mut primitive =
        PreparedPrimitive::new(Box::new(NullPrimitive), wanted, Assignment::of(&wanted), vec![]);
    let slices =
        primitive.measure(Turn { slices: 2, iterations: 32, warm_up: Some(iterations(17)) }).unwrap();
    assert_eq!(slices[0].warm_up.unwrap().iterations, 17);
    assert_eq!((slices[1].client.clock_reads, slices[1].client.plaintext_sent), (2, 256));
}

#[test]
fn the_first_start_of_a_process_has_no_warm_up() {
    let cold = Scenario { start: Start::Cold, ..Scenario::plain(Work::Handshake) };
    for turn in [
        Turn { slices: 1, iterations: 1, warm_up: Some(iterations(1)) },
        Turn { slices: 2, iterations: 1, warm_up: None },
    ] {
        let said =
            Pair::new(&Null, cold.clone(), Material::none()).map_err(String::from).unwrap().measure(turn);
        assert!(said.unwrap_err().contains("once in a process"));
    }
}
