//! A run small enough to work out by hand.

#[path = "../../../report/tests/synthetic/base.rs"]
mod base;
mod processors;
mod rows;
mod steady;
mod together;

use serde_json::Value;
use tlslab_protocol::{
    Calibration, Capabilities, ConnectionAge, Description, Library, Measurement, Operation, PhaseTimes,
    Primitive, Scenario, Side, SideMeasurement, Verification, WarmUp, WarmUpRule, Work,
};
use tlslab_record::{
    BetweenRuns, BetweenRunsPolicy, CellState, Overhead, Proof, ProvenFacts, RunRecord, Sample, StackRecord,
    StackState, Visit,
};

use crate::model::{Between, Metric, Outcome, Report, Whose};

fn scenario(name: &str, work: Work) -> Scenario {
    Scenario { name: name.to_owned(), ..Scenario::plain(work) }
}

fn stack(name: &str) -> StackRecord {
    let library = Library { name: name.to_owned(), version: "1".to_owned(), components: vec![] };
    let capabilities = Capabilities { verification: vec![Verification::None], ..Capabilities::default() };
    let description = Description {
        protocol: 1,
        driver: name.to_owned(),
        library,
        capabilities,
        metrics: vec![],
        features: vec![],
        hidden: None,
    };
    StackRecord {
        name: name.to_owned(),
        title: name.to_owned(),
        licence: "MIT".to_owned(),
        identity: None,
        driver_digest: String::new(),
        driver: String::new(),
        environment: Default::default(),
        state: StackState::Ready(Box::new(description)),
    }
}

/// A run without a warm-up has a warning for that.
const RULE: WarmUpRule = WarmUpRule { least_ns: 0, least_iterations: 1, most_ns: 0 };

/// Two stacks, `base` and `other`, one scenario, no measurements yet; 80 % intervals need four visits.
fn record(work: Work) -> RunRecord {
    let proven = |stack| CellState {
        scenario: 0,
        stack,
        proof: Proof::Proven { facts: ProvenFacts::Other(Value::Null), faults: vec![], iteration_ns: 1.0 },
    };
    let stacks = vec![stack("base"), stack("other")];
    let mut record = base::run(stacks, vec![scenario("one", work)], vec![proven(0), proven(1)]);
    record.plan.warm_up = Some(RULE);
    record.plan.policy.confidence = 0.8;
    record.plan.policy.between_runs = BetweenRunsPolicy::NONE;
    record
}

/// Adds a complete visit; per stack, the client's handshake time of one iteration in each block, ns.
fn visit(record: &mut RunRecord, round: u32, of_stacks: [&[u64]; 2]) {
    record.visits.push(Visit { round, scenario: 0, attempt: 0, complete: true });
    for (stack, blocks) in of_stacks.into_iter().enumerate() {
        for (block, ns) in blocks.iter().enumerate() {
            let side = |ns| SideMeasurement {
                phases: PhaseTimes { handshake_ns: ns, ..PhaseTimes::default() },
                clock_reads: 6,
                ..SideMeasurement::default()
            };
            let measurement = Measurement {
                iterations: 2,
                client: side(2 * ns),
                server: side(2_000),
                elapsed_ns: 0,
                threads: vec![],
                warm_up: (block == 0).then(WarmUp::default),
                open_loop: None,
                faults: 0,
            };
            let (block, place) = (block as u32, stack as u32);
            record.samples.push(Sample { round, scenario: 0, attempt: 0, block, place, stack, measurement });
        }
    }
}

#[test]
fn runs_of_earlier_versions_keep_their_intervals() {
    let mut record = record(Work::Handshake);
    let known = BetweenRuns {
        host: "h".to_owned(),
        measured_unix_ms: 0,
        of_ratios: false,
        deviation: 0.1,
        runs: 20,
        loaded: 10,
    };
    record.between_runs = vec![known];
    assert_eq!(Between::of(&record), Between::default());
    record.plan.policy.between_runs.time = 0.01;
    // Student's quantile at 90 % with 19 degrees of freedom is 1.3277.
    assert!((Between::of(&record).time - 0.13277).abs() < 1e-5, "{:?}", Between::of(&record));
}

#[test]
fn a_library_that_remembers_what_its_contexts_hold_is_reported() {
    let with_fresh_contexts_at = |fresh_ns: u64| {
        let mut record = record(Work::Handshake);
        record.plan.scenarios.push(Scenario {
            context: tlslab_protocol::ContextUse::Fresh,
            ..scenario("fresh", Work::Handshake)
        });
        let again: Vec<CellState> =
            record.cells.iter().map(|cell| CellState { scenario: 1, ..cell.clone() }).collect();
        record.cells.extend(again);
        for round in 0..5 {
            visit(&mut record, round, [&[1_000, 1_010, 1_020], &[1_000, 1_010, 1_020]]);
            visit(&mut record, round, [&[fresh_ns, fresh_ns + 10], &[3_000, 3_010]]);
            for visited in record.visits.iter_mut().skip(2 * round as usize + 1) {
                visited.scenario = 1;
            }
            let of_round = record.samples.iter_mut().filter(|sample| sample.round == round);
            of_round.skip(6).for_each(|sample| sample.scenario = 1);
        }
        let said = Report::of(&record).warnings.join("\n");
        // The server of these samples takes the same time whatever the scenario.
        said.lines().filter(|line| line.contains("the client nothing")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(with_fresh_contexts_at(3_000), Vec::<String>::new());
    let described = with_fresh_contexts_at(1_000);
    assert_eq!(described.len(), 1);
    assert!(
        described[0].starts_with("base: fresh contexts cost the client nothing that can be seen in fresh"),
        "{described:?}"
    );
}

fn measured(report: &Report, stack: &str, metric: Metric) -> crate::model::Measured {
    let cell = report.cell("one", stack, Side::Client, metric).expect("is in the report");
    cell.outcome.measured().expect("is measured").clone()
}

/// A driver's numbers have no bound when they come from a database. A product that does not fit must not
/// become the bytes that were moved.
#[test]
fn numbers_beyond_all_do_not_wrap() {
    let (sender, connection) = (Side::Client, tlslab_protocol::ConnectionAge::Warm);
    let mut record = record(Work::Transfer { sender, write_bytes: 16_384, connection, burst: 4 });
    for round in 0..5 {
        visit(&mut record, round, [&[1_000, 1_010], &[1_000, 1_010]]);
    }
    for sample in &mut record.samples {
        sample.measurement.iterations = 1 << 62;
        sample.measurement.server.phases.receive_ns = u64::MAX;
        sample.measurement.server.latencies.counts = vec![(7, u64::MAX), (8, u64::MAX)];
    }
    let said = Report::of(&record).warnings.join("\n");
    assert!(
        said.contains("10 samples of base moved another number of bytes than the scenario asks for"),
        "{said}"
    );
}

#[test]
fn times_rates_and_ratios_as_worked_out_by_hand() {
    let mut record = record(Work::Handshake);
    // Five slices: a fifth goes at either end, so 900 and the smallest do not count. The base's visit values are
    // 1, 2, 3, 5 and 8 µs, the other's always twice that, while blocks of a visit differ by a factor.
    for (round, us) in [3, 1, 2, 8, 5].into_iter().enumerate() {
        let base = [us * 1_000 - 3, us * 1_000 - 2, us * 1_000 + 2, us * 1_000, 900_000_000];
        visit(&mut record, round as u32, [&base, &base.map(|ns| 2 * ns)]);
    }
    let report = Report::of(&record);
    let time = measured(&report, "base", Metric::Time);
    // The centre and the 80 % bounds of 1, 2, 3, 5, 8 are 3.5, 2 and 5.5, and 1 − 6/32 is reached.
    assert_eq!(time.estimated.n, 5);
    assert!((time.estimated.value - 3.5).abs() < 1e-9, "{time:?}");
    let interval = time.estimated.interval.expect("five visits suffice for 80 %");
    assert!((interval.lower - 2.0).abs() < 1e-9 && (interval.upper - 5.5).abs() < 1e-9);
    assert_eq!(interval.confidence, 0.8125);
    assert_eq!((time.ratio, time.no_ratio), (None, None), "the baseline has no ratio to itself");

    let rate = measured(&report, "base", Metric::Rate);
    assert!((rate.estimated.value - 1e6 / 3.5).abs() < 1e-4);
    let interval = rate.estimated.interval.expect("follows from that of the time");
    assert!((interval.lower - 1e6 / 5.5).abs() < 1e-4 && (interval.upper - 5e5).abs() < 1e-4);

    let ratio = measured(&report, "other", Metric::Time).ratio.expect("both were measured");
    assert_eq!(ratio.baseline, "base");
    assert!((ratio.estimated.value - 2.0).abs() < 1e-12);
    let interval = ratio.estimated.interval.expect("five visits suffice");
    assert!((interval.lower - 2.0).abs() < 1e-12 && (interval.upper - 2.0).abs() < 1e-12);
    let ratio = measured(&report, "other", Metric::Rate).ratio.expect("follows from that of the time");
    assert!((ratio.estimated.value - 0.5).abs() < 1e-12);

    assert_eq!(measured(&report, "base", Metric::Handshake).estimated, time.estimated, "the only phase");
    assert!(report.cell("one", "base", Side::Client, Metric::Create).is_none(), "a phase of 0 is no cell");
    let lead = report.headlines[0].lead.as_ref().expect("two stacks were measured");
    assert_eq!((lead.fastest.as_str(), lead.clear), ("base", true));
    assert!((lead.ratio.value - 0.5).abs() < 1e-12);
}

#[test]
fn ratios_are_paired_by_block() {
    let mut record = record(Work::Handshake);
    for round in 0..4 {
        // The machine slows down threefold from block to block; a slice of the other stack is missing.
        visit(&mut record, round, [&[100, 300, 900, 2_700], &[110, 330, 990, 2_970]]);
        let missing = record
            .samples
            .iter()
            .position(|sample| sample.round == round && sample.stack == 1 && sample.block == 1);
        record.samples.remove(missing.expect("was just added"));
    }
    // The order in which samples were written does not matter.
    record.samples.reverse();
    let ratio = measured(&Report::of(&record), "other", Metric::Time).ratio.expect("three blocks pair up");
    assert!((ratio.estimated.value - 1.1).abs() < 1e-12, "{ratio:?}");
}

#[test]
fn visits_that_were_cut_short_do_not_count() {
    let mut record = record(Work::Handshake);
    for round in 0..4 {
        visit(&mut record, round, [&[1_000], &[1_000]]);
    }
    let clean = Report::of(&record);
    visit(&mut record, 4, [&[9_000_000], &[1]]);
    record.visits.last_mut().expect("was just added").complete = false;
    let cut = Report::of(&record);
    assert_eq!(cut.cells, clean.cells);
    assert_eq!(cut.distributions, clean.distributions);
    assert_eq!((cut.run.complete_visits, cut.run.cut_short_visits), (4, 1));
    assert_eq!(cut.warnings, ["1 visit cut short; the samples are kept but not estimated from."]);
}

#[test]
fn too_few_visits_give_an_estimate_but_no_interval() {
    let mut record = record(Work::Handshake);
    record.plan.policy.confidence = 0.99;
    visit(&mut record, 0, [&[1_000], &[3_000]]);
    let report = Report::of(&record);
    let time = measured(&report, "other", Metric::Time);
    assert_eq!((time.estimated.n, time.estimated.value, time.estimated.interval), (1, 3.0, None));
    let reason = "1 visit is too few for a 99 % interval: 8 are needed";
    assert_eq!(time.estimated.no_interval.as_deref(), Some(reason));
    let ratio = time.ratio.expect("is given without an interval");
    assert!((ratio.estimated.value - 3.0).abs() < 1e-12);
    assert_eq!(ratio.estimated.no_interval.as_deref(), Some(reason));
    assert!(
        !report.headlines[0].lead.as_ref().expect("two stacks").clear,
        "nothing is clear without an interval"
    );
}

#[test]
fn throughput_is_plaintext_over_time() {
    let work = Work::Transfer {
        sender: Side::Client,
        write_bytes: 16_384,
        connection: ConnectionAge::Warm,
        burst: 4,
    };
    let mut record = record(work);
    for round in 0..4 {
        visit(&mut record, round, [&[4_000], &[8_000]]);
    }
    for sample in &mut record.samples {
        sample.measurement.client.plaintext_sent = 2 * 16_384;
        sample.measurement.server.plaintext_received = 2 * 16_384;
    }
    record.overheads = vec![Overhead {
        stack: 0,
        round: 0,
        calibration: Calibration {
            clock_read_ns: 20.0,
            clock_step_ns: 1.0,
            handshake_client_ns: 0.0,
            request_client_ns: 0.0,
            request_server_ns: 0.0,
            handshake_server_ns: 0.0,
            send_burst_ns: 40.0,
            send_write_ns: 10.0,
            receive_burst_ns: 4.0,
            receive_write_ns: 1.0,
            operation_burst_ns: 10.0,
            operation_call_ns: 1.0,
        },
        round_trip_ns: 35_000.0,
    }];
    let report = Report::of(&record);
    // 16,384 bytes in 4 µs are 4,096 bytes per µs.
    assert!((measured(&report, "base", Metric::Throughput).estimated.value - 4_096.0).abs() < 1e-9);
    assert!(report.warnings.is_empty(), "{:?}", report.warnings);
    // (40 + 4 · 10) / 4 = 20 ns of 4 µs; the receiver's (4 + 4 · 1) / 4 = 2 ns of 1 µs.
    let shares: Vec<_> = report
        .overheads
        .cells
        .iter()
        .map(|cell| (cell.overhead_ns, cell.percent, cell.clock_reads))
        .collect();
    assert_eq!(shares, [(20.0, 0.5, 3.0), (2.0, 0.2, 3.0)]);
    assert_eq!(
        report.overheads.summary,
        "harness: clock read 20 ns, at most 0.50 % of a 16 KiB cell; one request 35 µs, outside every clock"
    );

    record.overheads[0].calibration.send_burst_ns = 400.0;
    record.samples[0].measurement.client.plaintext_sent = 16_384;
    let report = Report::of(&record);
    assert_eq!(report.warnings.len(), 2, "{:?}", report.warnings);
    assert!(report.warnings[0].starts_with("one: 1 sample of base moved another number of bytes"));
    assert!(
        report.warnings[1].starts_with("The harness itself takes up to 2.8 % of a transfer cell (one, base")
    );
}

#[test]
fn every_hole_has_its_reason() {
    let mut record = record(Work::Handshake);
    record.plan.stacks.push(stack("broken"));
    record.plan.stacks[2].state = StackState::Failed("cc is missing".to_owned());
    record.plan.stacks.push(stack("undecided"));
    record.cells[0].proof = Proof::Unsupported("no".to_owned());
    visit(&mut record, 0, [&[], &[]]);
    let report = Report::of(&record);
    let reasons: Vec<_> = report
        .cells
        .iter()
        .filter(|cell| (cell.side, cell.metric) == (Whose::Server, Metric::Rate))
        .map(|cell| cell.outcome.hole().expect("nothing was measured"))
        .collect();
    assert_eq!(
        reasons,
        [
            ("unsupported", "no"),
            ("failed", "not measured: the run ended before a visit was complete"),
            ("failed", "the stack did not take part: cc is missing"),
            ("failed", "not measured: the run ended before the cell was proven; run it again"),
        ]
    );
    assert!(report.has_failures());
    // A later word on a cell replaces an earlier one.
    record.cells.push(CellState { scenario: 0, stack: 0, proof: Proof::Failed("it died".to_owned()) });
    let failed = Outcome::Failed { failed: "it died".to_owned() };
    assert_eq!(Report::of(&record).cells[0].outcome, failed);
}

#[test]
fn a_time_of_zero_has_no_rate() {
    let mut record = record(Work::Handshake);
    for round in 0..4 {
        visit(&mut record, round, [&[0], &[10]]);
    }
    let report = Report::of(&record);
    let rate = report.cell("one", "base", Side::Client, Metric::Rate).expect("is in the report");
    assert!(matches!(rate.outcome, Outcome::Failed { .. }));
    let other = measured(&report, "other", Metric::Time);
    assert!(other.ratio.is_none() && other.no_ratio.is_some_and(|reason| reason.contains("above zero")));
}

/// A sample of one iteration by each stack, as long on either side.
fn sample(record: &mut RunRecord, round: u32, scenario: usize, phases: PhaseTimes) {
    record.visits.push(Visit { round, scenario, attempt: 0, complete: true });
    for stack in 0..2 {
        let side = || SideMeasurement { phases, ..SideMeasurement::default() };
        let (client, server) = (side(), side());
        let measurement = Measurement {
            iterations: 1,
            client,
            server,
            elapsed_ns: 0,
            threads: vec![],
            warm_up: None,
            open_loop: None,
            faults: 0,
        };
        record.samples.push(Sample {
            round,
            scenario,
            attempt: 0,
            block: 0,
            place: stack as u32,
            stack,
            measurement,
        });
    }
}

#[test]
fn the_share_of_a_handshake_that_is_cryptography() {
    let primitive = |operation, algorithm: &str| {
        let algorithm = algorithm.parse().unwrap();
        Work::Primitive(Primitive { operation, algorithm, bytes: 0, burst: 1, header_bytes: 5 })
    };
    let mut record = record(Work::Handshake);
    record.plan.scenarios[0].verification = Verification::Chain;
    for (operation, algorithm) in [
        (Operation::KeyGeneration, "x25519"),
        (Operation::KeyAgreement, "x25519"),
        (Operation::Sign, "ecdsa-p256"),
        (Operation::Verify, "ecdsa-p256"),
    ] {
        let index = record.plan.scenarios.len();
        record.plan.scenarios.push(scenario(operation.name(), primitive(operation, algorithm)));
        for stack in 0..2 {
            let proof = record.cells[0].proof.clone();
            record.cells.push(CellState { scenario: index, stack, proof });
        }
    }
    for round in 0..5 {
        sample(&mut record, round, 0, PhaseTimes { handshake_ns: 100_000, ..PhaseTimes::default() });
        for (scenario, operation_ns) in [(1, 10_000), (2, 20_000), (3, 5_000), (4, 15_000)] {
            sample(&mut record, round, scenario, PhaseTimes { operation_ns, ..PhaseTimes::default() });
        }
    }
    let report = Report::of(&record);
    let share =
        |side| report.shares.iter().find(|share| share.stack == "base" && share.side == side).unwrap();
    // 10 + 20 + 3 · 15 of 100 µs: CertificateVerify, the leaf and the intermediate. And 10 + 20 + 5.
    assert!((share(Side::Client).share.as_ref().unwrap().value - 0.75).abs() < 1e-12);
    assert!((share(Side::Server).share.as_ref().unwrap().value - 0.35).abs() < 1e-12);
    // A primitive has one side, a rate, and no phases.
    let cells: Vec<_> = report.cells_of("sign", "base").map(|cell| (cell.side, cell.metric)).collect();
    assert_eq!(cells, [(Whose::Server, Metric::Time), (Whose::Server, Metric::Rate)]);

    // Missing operations are named.
    record.cells.iter_mut().filter(|cell| cell.scenario == 3).for_each(|cell| {
        cell.proof = Proof::Unsupported("no keys".to_owned());
    });
    let report = Report::of(&record);
    let server = report.shares.iter().find(|share| share.side == Side::Server).unwrap();
    assert_eq!(server.no_share.as_deref(), Some("sign is unsupported: no keys"));
}
