//! The loop over real sockets, with endpoints that do nothing. No test depends on how long anything takes.

use tlslab_protocol::{Arrivals, Measurement, Scenario, WarmUpRule, Work};

use crate::Material;
use crate::calibrate::null::Null;
use crate::pair::Pair;
use crate::timing::turn::Turn;

fn measured(scenario: Scenario, turn: Turn) -> Result<Vec<Measurement>, String> {
    Pair::new(&Null, scenario, Material::none()).map_err(String::from)?.measure(turn)
}

fn open_loop_at(rate: u32) -> Scenario {
    Scenario::plain(Work::Handshake).at_rate(rate, Arrivals::Poisson)
}

#[test]
fn every_arrival_is_served_and_counted_once() {
    let rule = WarmUpRule { least_ns: 0, least_iterations: 7, most_ns: 1_000_000_000 };
    let slices =
        measured(open_loop_at(2_000), Turn { slices: 2, iterations: 300, warm_up: Some(rule) }).unwrap();
    assert_eq!(slices[0].warm_up.map(|warm_up| warm_up.iterations), Some(7));
    assert!(slices[1].warm_up.is_none());
    for slice in &slices {
        let open_loop = slice.open_loop.as_ref().unwrap();
        assert_eq!((slice.iterations, open_loop.served, open_loop.responses.total()), (300, 300, 300));
        assert_eq!((slice.client.latencies.total(), slice.server.latencies.total()), (300, 300));
        // ClientHello and Finished; the server's flight.
        assert_eq!((slice.client.wire_bytes, slice.server.wire_bytes), (600, 300));
        assert!(open_loop.client_busy_ns <= slice.elapsed_ns && open_loop.server_busy_ns <= slice.elapsed_ns);
        assert!(slice.client.phases.total_ns() <= slice.elapsed_ns);
        // Nothing starts before its time. After a warm-up that ended late, less of the schedule is left.
        assert!(slice.warm_up.is_some() || slice.elapsed_ns + 1_000_000 >= open_loop.span_ns);
    }
}

#[test]
fn a_rate_that_nobody_can_serve_leaves_arrivals_unserved() {
    let slices =
        measured(open_loop_at(u32::MAX), Turn { slices: 1, iterations: 1_000_000, warm_up: None }).unwrap();
    let open_loop = slices[0].open_loop.as_ref().unwrap();
    assert!(open_loop.served < 1_000_000, "{}", open_loop.served);
    assert_eq!(open_loop.responses.total(), open_loop.served);
}

#[test]
fn an_overload_may_end_before_the_first_arrival_that_counts() {
    let rule = WarmUpRule { least_ns: 0, least_iterations: 1_000_000, most_ns: 1_000_000_000 };
    let turn = Turn { slices: 1, iterations: 10, warm_up: Some(rule) };
    let slice = measured(open_loop_at(u32::MAX), turn).unwrap().remove(0);
    assert_eq!((slice.iterations, slice.completed()), (10, 0));
    assert!(slice.client.phases.total_ns() == 0 && slice.server.phases.total_ns() == 0);
    let busy_ns = slice.open_loop.unwrap().client_busy_ns;
    assert!(busy_ns > 0 && busy_ns <= slice.elapsed_ns);
}

#[test]
fn more_arrivals_than_fit_are_refused() {
    let said =
        measured(open_loop_at(1_000), Turn { slices: 1, iterations: u64::MAX, warm_up: None }).unwrap_err();
    assert!(said.contains("arrivals in one slice"), "{said}");
}
