//! Queues with known response times, in virtual time: one server, first come, first served.

use std::collections::VecDeque;

use tlslab_protocol::{Arrivals, Latencies, OpenLoop};

use super::pace::{Asked, MOST_OPEN, Pace};

const MS: u64 = 1_000_000;

fn fixed(rate: u32, counted: u64) -> Asked {
    Asked { rate, arrivals: Arrivals::Fixed, seed: 0, before: 0, counted }
}

/// Every response time in the order of arrival, and the slice's result. `service_ns` returns the duration of
/// an arrival's own work.
fn served(asked: Asked, service_ns: impl Fn(usize) -> u64) -> (Vec<u64>, OpenLoop) {
    let mut pace = Pace::new(asked);
    let mut waiting: VecDeque<(usize, u64, u64)> = VecDeque::new();
    let (mut now_ns, mut free_ns, mut busy_ns) = (0, 0, 0);
    let mut responses = Vec::new();
    while !pace.is_over(now_ns) {
        if let Some(arrival) = pace.due(now_ns) {
            free_ns = now_ns.max(free_ns) + service_ns(arrival);
            busy_ns += service_ns(arrival);
            waiting.push_back((arrival, now_ns, free_ns));
            continue;
        }
        match waiting.front().copied() {
            Some((arrival, begun_ns, end_ns)) if end_ns <= now_ns => {
                waiting.pop_front();
                responses.push(pace.served(arrival, begun_ns, end_ns));
                pace.closed();
            }
            // To the next event, but no further: every time here is a whole number of µs.
            _ => now_ns += 1_000,
        }
    }
    (responses, pace.result(0, busy_ns))
}

/// The same by Lindley's recursion over the schedule, without any limit of open connections or time.
fn lindley(asked: Asked, service_ns: f64) -> impl Iterator<Item = f64> {
    let schedule = super::schedule::Schedule::new(asked.rate, asked.arrivals, asked.seed);
    let mut free_ns = 0.0_f64;
    schedule.take(asked.counted as usize).map(move |at| {
        let begun_ns = free_ns.max(at as f64);
        free_ns = begun_ns + service_ns;
        free_ns - at as f64
    })
}

#[test]
fn below_capacity_with_equal_gaps_nobody_waits() {
    // D/D/1: 1,000 a second, each 0.9 ms.
    let (responses, open_loop) = served(fixed(1_000, 200), |_| 900_000);
    assert_eq!(responses, vec![900_000; 200]);
    assert_eq!(open_loop.served, 200);
    assert_eq!((open_loop.span_ns, open_loop.late_ns), (200 * MS, 0));
    assert_eq!(open_loop.responses.counts, [(Latencies::bucket(900_000), 200)]);
}

#[test]
fn above_capacity_each_waits_longer_than_the_one_before_by_the_same_time() {
    // D/D/1: 1,000 a second, each 1.2 ms; the k-th response is k · (s − 1/rate) + s.
    let (responses, open_loop) = served(fixed(1_000, 300), |_| 1_200_000);
    let expected: Vec<u64> = (0..300).map(|k| k * (1_200_000 - MS) + 1_200_000).collect();
    assert_eq!(responses, expected);
    assert_eq!(open_loop.served, 300);
}

#[test]
fn what_waits_at_the_client_waits_all_the_same() {
    // The limit of open connections delays others: the response time is the same, and they start late.
    let count = 3 * MOST_OPEN as u64;
    let (responses, open_loop) = served(fixed(10_000, count), |_| 200_000);
    let expected: Vec<u64> = (0..count).map(|k| k * 100_000 + 200_000).collect();
    assert_eq!(responses, expected);
    assert!(open_loop.late_ns > 0);
}

#[test]
fn what_is_not_served_by_the_deadline_is_missing_from_those_that_were() {
    // 100 arrive within 100 ms, and 100 ms are left after the last: at 5 ms each, 39 are served by 199 ms.
    let (responses, open_loop) = served(fixed(1_000, 100), |_| 5 * MS);
    assert_eq!((responses.len(), open_loop.served), (39, 39));
    assert_eq!(open_loop.responses.total(), 39);
    assert_eq!(open_loop.span_ns, 100 * MS);
}

#[test]
fn one_stall_delays_those_behind_it_by_a_triangle() {
    // 1,000 a second, each 0.6 ms; the 20th takes 10 ms more. The j-th behind it waits 10 − 0.4 · j ms more, until nothing is left.
    let (responses, _) =
        served(fixed(1_000, 100), |arrival| if arrival == 20 { 10_600_000 } else { 600_000 });
    for (arrival, response) in responses.into_iter().enumerate() {
        let behind = (arrival as u64).checked_sub(20);
        let wait_ns = behind.map_or(0, |behind| (10 * MS).saturating_sub(behind * 400_000));
        assert_eq!(response, 600_000 + wait_ns, "arrival {arrival}");
    }
}

#[test]
fn a_closed_loop_would_have_seen_one_long_response() {
    // Coordinated omission: for the same stall, 1 % of the service times are affected, but a quarter of the
    // response times.
    let stalls = |arrival: usize| if arrival == 20 { 10_600_000 } else { 600_000 };
    let (responses, _) = served(fixed(1_000, 100), stalls);
    let long = |times: &mut dyn Iterator<Item = u64>| times.filter(|time| *time > 600_000).count();
    assert_eq!(long(&mut (0..100).map(stalls)), 1);
    assert_eq!(long(&mut responses.into_iter()), 25);
}

#[test]
fn arrivals_before_the_first_that_counts_queue_but_do_not_count() {
    let asked = Asked { before: 10, ..fixed(1_000, 50) };
    let (responses, open_loop) = served(asked, |_| 1_200_000);
    assert_eq!(responses.len(), 60);
    assert_eq!((open_loop.served, open_loop.span_ns), (50, 50 * MS));
    // The first counted arrival finds earlier ones in the queue.
    let shortest = open_loop.responses.counts[0].0;
    assert_eq!(shortest, Latencies::bucket(10 * 200_000 + 1_200_000));
}

#[test]
fn random_arrivals_wait_as_long_as_pollaczek_and_khinchine_say() {
    // M/D/1: the mean wait is ρ · s / (2 · (1 − ρ)).
    for (rate, service_ns) in [(1_000, 300_000.0), (1_000, 500_000.0), (1_000, 800_000.0)] {
        let asked = Asked { rate, arrivals: Arrivals::Poisson, seed: 41, before: 0, counted: 2_000_000 };
        let count = asked.counted as f64;
        let mean_ns = lindley(asked, service_ns).map(|response| response - service_ns).sum::<f64>() / count;
        let utilisation = f64::from(rate) * service_ns / 1e9;
        let expected_ns = utilisation * service_ns / (2.0 * (1.0 - utilisation));
        assert!((mean_ns / expected_ns - 1.0).abs() < 0.02, "{mean_ns} at {utilisation}, not {expected_ns}");
    }
}

#[test]
fn the_pace_keeps_to_the_recursion_with_random_arrivals() {
    let asked = Asked { rate: 1_000, arrivals: Arrivals::Poisson, seed: 5, before: 0, counted: 3_000 };
    let (responses, open_loop) = served(asked, |_| 700_000);
    assert_eq!(open_loop.served, 3_000);
    for (response, expected) in responses.iter().zip(lindley(asked, 700_000.0)) {
        // One virtual clock moves in steps of 1 µs, each of which may delay a start.
        assert!((*response as f64 - expected).abs() <= 1_001.0, "{response} and {expected}");
    }
    let mean = |times: &mut dyn Iterator<Item = f64>| times.sum::<f64>() / 3_000.0;
    let found = mean(&mut responses.iter().map(|response| *response as f64));
    assert!((found / mean(&mut lindley(asked, 700_000.0)) - 1.0).abs() < 0.01);
}
