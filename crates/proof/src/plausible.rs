//! Detection of impossible reports, such as more time than has passed or bytes that did not arrive. Each
//! function returns the contradiction as text that follows "the driver answered `measure` with", or `None`.

use std::time::Duration;

use tlslab_protocol::{
    Arrivals, Count, Counting, KernelWork, Measurement, OpenLoop, PhaseWeight, Scenario, ServerKeyShare,
    Sides, WarmUp, WarmUpTimes, Weighing, Work,
};

/// The contradiction in a warm-up: more on its clocks than it took, or a first iteration longer than all
/// together.
fn untrue_of_warm_up(warm_up: &WarmUp, scenario: &Scenario) -> Option<String> {
    let WarmUp { iterations, elapsed_ns, client, server, .. } = warm_up;
    let on_clocks = warm_up_clocks_ns(warm_up);
    if !stands_still(scenario) && on_clocks > elapsed_ns.saturating_mul(u64::from(scenario.processors())) {
        return Some(format!("{on_clocks} ns on its clocks within a warm-up of {elapsed_ns} ns"));
    }
    let longer = [client, server].into_iter().find(|side| side.first_ns > side.total_ns)?;
    let WarmUpTimes { first_ns, total_ns, .. } = longer;
    Some(format!("{first_ns} ns in the first of {iterations} iterations that took {total_ns} ns together"))
}

/// The contradiction in a turn: more time than the lab waited, or impossible slices.
pub fn untrue(slices: &[Measurement], scenario: &Scenario, waited: Duration) -> Option<String> {
    let sum =
        |of: fn(&Measurement) -> u64| -> u128 { slices.iter().map(|slice| u128::from(of(slice))).sum() };
    let work_ns = sum(|slice| slice.elapsed_ns);
    let warm_up_ns = sum(|slice| slice.warm_up.map_or(0, |warm_up| warm_up.elapsed_ns));
    if work_ns + warm_up_ns > waited.as_nanos() {
        let waited_ns = waited.as_nanos();
        return Some(format!("{work_ns} ns of work and {warm_up_ns} ns of warm-up within {waited_ns} ns"));
    }
    if stands_still(scenario) {
        let on_clocks =
            sum(clocks_ns) + sum(|slice| slice.warm_up.map_or(0, |warm_up| warm_up_clocks_ns(&warm_up)));
        let waited_ns = waited.as_nanos();
        if on_clocks > waited_ns.saturating_mul(u128::from(scenario.processors())) {
            return Some(format!("{on_clocks} ns on its clocks within {waited_ns} ns"));
        }
    }
    let of_warm_up = |slice: &Measurement| untrue_of_warm_up(&slice.warm_up?, scenario);
    slices.iter().find_map(|slice| untrue_of_slice(slice, scenario).or_else(|| of_warm_up(slice)))
}

/// Whether the wall clock is stopped while a side's clock runs: a server that pre-generates its key share
/// creates its connection before that. For such a scenario the lab's own clock is the bound.
fn stands_still(scenario: &Scenario) -> bool {
    scenario.works_at_once() && scenario.server_key_share == ServerKeyShare::Pregenerated
}

/// The sum of both sides' clocks in a slice, ns.
pub fn clocks_ns(slice: &Measurement) -> u64 {
    slice.client.phases.total_ns().saturating_add(slice.server.phases.total_ns())
}

/// The sum of both sides' clocks in a warm-up, ns.
pub fn warm_up_clocks_ns(warm_up: &WarmUp) -> u64 {
    warm_up.client.total_ns.saturating_add(warm_up.server.total_ns)
}

/// The contradiction in a slice: times that exceed its duration, or bytes that did not arrive.
fn untrue_of_slice(slice: &Measurement, scenario: &Scenario) -> Option<String> {
    let Measurement { iterations, client, server, elapsed_ns, threads, warm_up: _, open_loop: _, faults: _ } =
        slice;
    let on_clocks = clocks_ns(slice);
    if let Some(what) = untrue_of_open_loop(slice, scenario) {
        return Some(what);
    }
    // Each thread has clocks of its own, and so has each side if both run at once.
    if !stands_still(scenario) && on_clocks > elapsed_ns.saturating_mul(u64::from(scenario.processors())) {
        return Some(format!("{on_clocks} ns on its clocks within {elapsed_ns} ns"));
    }
    let by_threads: u64 = threads.iter().fold(0, |sum, thread| sum.saturating_add(thread.iterations));
    if scenario.threads > 1 && (threads.len() != scenario.threads as usize || by_threads != *iterations) {
        let (count, asked) = (threads.len(), scenario.threads);
        return Some(format!("{by_threads} iterations by {count} threads of {iterations} by {asked}"));
    }
    let sent = client.plaintext_sent.saturating_add(server.plaintext_sent);
    let received = client.plaintext_received.saturating_add(server.plaintext_received);
    if let Work::Primitive(primitive) = scenario.work {
        let due = iterations.saturating_mul(u64::from(primitive.bytes));
        return ((sent, received) != (due, 0)).then(|| format!("{sent} bytes worked on of {due}"));
    }
    let due = match scenario.work.plaintext_bytes() {
        0 => iterations.saturating_mul(u64::from(scenario.early_data)),
        bytes => iterations.saturating_mul(bytes),
    };
    (sent != due || received != due).then(|| format!("{sent} bytes sent and {received} received of {due}"))
}

/// The contradiction in arrivals: missing although the scenario has a rate, another rate, or more served than
/// arrived.
fn untrue_of_open_loop(slice: &Measurement, scenario: &Scenario) -> Option<String> {
    let (iterations, elapsed_ns, rate) = (slice.iterations, slice.elapsed_ns, scenario.rate);
    let open_loop = match (&slice.open_loop, rate) {
        (None, 0) => return None,
        (None, _) => return Some(format!("no arrivals where the scenario has {rate} a second")),
        (Some(_), 0) => return Some("arrivals where the scenario has no rate".to_owned()),
        (Some(open_loop), _) => open_loop,
    };
    let OpenLoop { served, span_ns, client_busy_ns, server_busy_ns, responses, .. } = open_loop;
    if *served > iterations || responses.total() != *served {
        let timed = responses.total();
        return Some(format!("{timed} responses of {served} arrivals served of {iterations}"));
    }
    if let Some(busy_ns) = [client_busy_ns, server_busy_ns].into_iter().find(|ns| **ns > elapsed_ns) {
        return Some(format!("a thread that worked for {busy_ns} ns within {elapsed_ns} ns"));
    }
    let arrived = *span_ns as f64 * f64::from(rate) / 1e9;
    // Random gaps: the time of n arrivals has a standard deviation of one gap times √n.
    let most_off = match scenario.arrivals {
        Arrivals::Fixed => 1.0,
        Arrivals::Poisson => MOST_DEVIATIONS * (iterations as f64).sqrt(),
    };
    ((arrived - iterations as f64).abs() > most_off)
        .then(|| format!("{iterations} arrivals within {span_ns} ns where the scenario has {rate} a second"))
}

/// The length of every schedule is within this number of standard deviations.
const MOST_DEVIATIONS: f64 = 7.0;

/// The contradiction in a count: other iterations than requested, work without an instruction, or calls that
/// exceed their phase.
pub fn untrue_of_count(counting: &Counting, iterations: u64) -> Option<String> {
    if counting.iterations != iterations {
        return Some(format!("{} iterations where {iterations} were asked for", counting.iterations));
    }
    let Sides { client, server } = &counting.sides;
    let taken = [client, server].map(|side| side.phases.total().instructions);
    if taken == [0, 0] {
        return Some("no instruction on either side".to_owned());
    }
    for (side, name) in [(client, "client"), (server, "server")] {
        let calls =
            side.handshake_calls.iter().fold(Count::default(), |sum, call| sum.plus(*call)).instructions;
        let phase = side.phases.handshake.instructions;
        if calls > phase {
            return Some(format!("{calls} instructions in the calls of a handshake of {phase} ({name})"));
        }
    }
    untrue_digest(&counting.wire)
}

/// The contradiction in a weighing: other iterations than requested, or bytes without a block.
pub fn untrue_of_weighing(weighing: &Weighing, iterations: u32, scenario: &Scenario) -> Option<String> {
    let due = if matches!(scenario.work, Work::Idle { .. }) { 0 } else { iterations as usize };
    if weighing.iterations.len() != due {
        return Some(format!("{} iterations where {due} were asked for", weighing.iterations.len()));
    }
    let sides = weighing.iterations.iter().flat_map(|sides| [&sides.client, &sides.server]);
    for total in sides.map(|side| side.phases.total()) {
        let PhaseWeight { allocated_blocks, allocated_bytes, .. } = total;
        if allocated_blocks == 0 && allocated_bytes > 0 {
            return Some(format!("{allocated_bytes} bytes allocated in no block"));
        }
    }
    if let Work::Idle { connections } = &scenario.work {
        let held = weighing.held.last().map_or(0, |held| held.connections);
        if held != *connections {
            return Some(format!("{held} connections held open where {connections} were asked for"));
        }
    }
    untrue_digest(&weighing.wire)
}

/// The contradiction in what was asked of the kernel: other iterations than requested, names that neither a
/// phase nor a system call has, or figures beyond any machine.
pub fn untrue_of_kernel(work: &KernelWork, iterations: u32) -> Option<String> {
    const MOST_CONTEXTS: usize = 64;
    const MOST_CALLS: usize = 512;
    const MOST: u64 = 1 << 48;
    if work.iterations.len() != iterations as usize {
        return Some(format!("{} iterations where {iterations} were asked for", work.iterations.len()));
    }
    if work.contexts.len() > MOST_CONTEXTS {
        return Some(format!("{} pairs of contexts; at most {MOST_CONTEXTS} can be", work.contexts.len()));
    }
    let sides = work.iterations.iter().chain(&work.contexts).flat_map(|sides| [&sides.client, &sides.server]);
    for (phase, used) in sides.flatten() {
        if let Some(name) = used.calls.keys().chain([phase]).find(|name| !is_name(name)) {
            return Some(format!("{name:?}, which is no phase and no system call"));
        }
        let figures = [used.minor_faults, used.major_faults, used.grown_bytes, used.returned_bytes];
        if used.calls.len() > MOST_CALLS
            || figures.iter().chain(used.calls.values()).any(|value| *value > MOST)
        {
            return Some(format!("more in phase {phase} than a system can do"));
        }
    }
    None
}

/// Whether a text can be the name of a phase or a system call.
fn is_name(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    (1..=32).contains(&name.len()) && name.bytes().all(is_letter)
}

/// The digest of the bytes on the wire has 16 hexadecimal digits.
fn untrue_digest(wire: &str) -> Option<String> {
    let is_digest = wire.len() == 16 && wire.bytes().all(|byte| byte.is_ascii_hexdigit());
    (!is_digest).then(|| format!("{wire:?}, which is no digest of what crossed the wire"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tlslab_protocol::{Latencies, SideMeasurement};

    use super::*;

    fn scenario(server_key_share: &str) -> Scenario {
        let text = json!({
            "name": "s", "work": {"kind": "handshake"}, "version": "TLSv1.3", "signature": "ecdsa-p256", "group": "x25519",
            "suite": "TLS_AES_128_GCM_SHA256", "verification": "none", "concurrent": true, "server_key_share": server_key_share,
        });
        serde_json::from_value(text).unwrap()
    }

    /// A slice with this time on the server's clock and on the wall clock.
    fn slice(on_clock_ns: u64, elapsed_ns: u64) -> Measurement {
        let (client, server) = (SideMeasurement::default(), SideMeasurement::default());
        let mut slice = Measurement {
            client,
            server,
            iterations: 1,
            elapsed_ns,
            threads: vec![],
            warm_up: None,
            open_loop: None,
            faults: 0,
        };
        slice.server.phases.create_ns = on_clock_ns;
        slice
    }

    #[test]
    fn what_was_asked_of_the_kernel_has_names_and_bounds() {
        let work = |side: serde_json::Value| -> KernelWork {
            serde_json::from_value(json!({"iterations": [{"client": side, "server": {}}]})).unwrap()
        };
        let right = work(json!({"handshake": {"calls": {"getpid": 6}, "minor_faults": 2}}));
        assert_eq!(untrue_of_kernel(&right, 1), None);
        let what = untrue_of_kernel(&right, 2).unwrap();
        assert_eq!(what, "1 iterations where 2 were asked for");
        let named = work(json!({"handshake": {"calls": {"get\u{1b}[31mpid": 6}}}));
        assert!(untrue_of_kernel(&named, 1).unwrap().contains("no system call"));
        let phase = work(json!({"../handshake": {"calls": {"getpid": 6}}}));
        assert!(untrue_of_kernel(&phase, 1).unwrap().contains("no phase"));
        let endless = work(json!({"free": {"returned_bytes": u64::MAX}}));
        assert!(untrue_of_kernel(&endless, 1).unwrap().contains("in phase free"));
    }

    #[test]
    fn the_walls_clock_stands_still_only_where_a_key_share_is_made_beforehand() {
        let waited = Duration::from_nanos(10_000);
        let descheduled = [slice(7_000, 2_000)];
        assert_eq!(untrue(&descheduled, &scenario("pregenerated"), waited), None);
        let what = untrue(&descheduled, &scenario("fresh"), waited).unwrap();
        assert_eq!(what, "7000 ns on its clocks within 2000 ns");
    }

    #[test]
    fn arrivals_come_at_the_scenarios_rate_and_no_more_are_served_than_came() {
        let at = |rate| Scenario { rate, arrivals: Arrivals::Fixed, ..scenario("fresh") };
        let what = |change: fn(&mut OpenLoop), rate| {
            let mut open_loop = OpenLoop {
                served: 9,
                span_ns: 5_000_000,
                client_busy_ns: 4_000_000,
                server_busy_ns: 6_000_000,
                late_ns: 0,
                responses: Latencies { counts: vec![(3, 4), (7, 5)] },
            };
            change(&mut open_loop);
            let slice = Measurement { iterations: 10, open_loop: Some(open_loop), ..slice(0, 6_000_000) };
            untrue(&[slice], &at(rate), Duration::from_millis(6))
        };
        assert_eq!(what(|_| (), 2_000), None);
        assert_eq!(what(|_| (), 0).unwrap(), "arrivals where the scenario has no rate");
        let other = "10 arrivals within 5000000 ns where the scenario has 1000 a second";
        assert_eq!(what(|_| (), 1_000).unwrap(), other);
        let fewer = "9 responses of 10 arrivals served of 10";
        assert_eq!(what(|open_loop| open_loop.served = 10, 2_000).unwrap(), fewer);
        let busy = "a thread that worked for 6000001 ns within 6000000 ns";
        assert_eq!(what(|open_loop| open_loop.server_busy_ns += 1, 2_000).unwrap(), busy);
        let none = untrue(&[slice(0, 6_000_000)], &at(2_000), Duration::from_millis(6)).unwrap();
        assert_eq!(none, "no arrivals where the scenario has 2000 a second");
    }

    #[test]
    fn a_count_has_the_iterations_that_were_asked_for_and_instructions() {
        let text = |iterations: u64, handshake: u64, call: u64, wire: &str| -> Counting {
            let phases = json!({"handshake": {"instructions": handshake}});
            let calls = json!([{"instructions": call}]);
            let client = json!({"phases": phases, "handshake_calls": calls, "marks": 1});
            serde_json::from_value(
                json!({"iterations": iterations, "sides": {"client": client, "server": {}}, "wire": wire}),
            )
            .unwrap()
        };
        let wire = "0123456789abcdef";
        assert_eq!(untrue_of_count(&text(2, 100, 100, wire), 2), None);
        let what = |counting| untrue_of_count(&counting, 2).unwrap();
        assert_eq!(what(text(1, 100, 100, wire)), "1 iterations where 2 were asked for");
        assert_eq!(what(text(2, 0, 0, wire)), "no instruction on either side");
        assert_eq!(
            what(text(2, 100, 101, wire)),
            "101 instructions in the calls of a handshake of 100 (client)"
        );
        assert_eq!(what(text(2, 100, 100, "same")), "\"same\", which is no digest of what crossed the wire");
    }

    #[test]
    fn a_weighing_has_the_iterations_that_were_asked_for() {
        let wire = "0123456789abcdef".to_owned();
        let weighing = |count: usize| Weighing {
            iterations: vec![Sides::default(); count],
            wire: wire.clone(),
            ..Weighing::default()
        };
        let handshake = scenario("fresh");
        assert_eq!(untrue_of_weighing(&weighing(3), 3, &handshake), None);
        let what = untrue_of_weighing(&weighing(2), 3, &handshake).unwrap();
        assert_eq!(what, "2 iterations where 3 were asked for");
        let mut from_nowhere = weighing(3);
        from_nowhere.iterations[0].client.phases.send.allocated_bytes = 9;
        let what = untrue_of_weighing(&from_nowhere, 3, &handshake).unwrap();
        assert_eq!(what, "9 bytes allocated in no block");
    }

    #[test]
    fn no_driver_has_more_time_than_the_lab_waited() {
        let waited = Duration::from_nanos(10_000);
        let two = [slice(12_000, 2_000), slice(9_000, 2_000)];
        let what = untrue(&two, &scenario("pregenerated"), waited).unwrap();
        assert_eq!(what, "21000 ns on its clocks within 10000 ns");
        assert_eq!(untrue(&two[..1], &scenario("pregenerated"), waited), None);
    }
}
