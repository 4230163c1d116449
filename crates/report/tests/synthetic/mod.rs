//! A made-up run with everything that a report must handle: unsupported and failed cells, a stack that was
//! not built, an incomplete visit, notes, and names that need escaping. The figures are invented; only their
//! order of magnitude and their noise are plausible.

#![allow(dead_code, reason = "each test file uses a part of it")]

mod base;
mod cross;

#[allow(unused_imports, reason = "as above")]
pub(super) use cross::crossed;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use tlslab_protocol::{
    Calibration, Capabilities, CipherSuite, ConnectionAge, Description, Group, KeyType, Library, Limit,
    Measurement, PhaseTimes, ProtocolVersion, Scenario, Side, SideMeasurement, Verification, WarmUp,
    WarmUpRule, WarmUpTimes, Work,
};
use tlslab_record::{
    CellState, Overhead, Plan, Proof, ProvenFacts, ProvenFault, RunRecord, Sample, StackRecord, StackState,
    Visit,
};

/// The whole run.
pub(super) fn run(seed: u64, rounds: u32, blocks: u32) -> RunRecord {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (scenarios, stacks) = (scenarios(), stacks());
    let cells = cells(&scenarios, &stacks);
    let (mut visits, mut samples) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        for (scenario, resolved) in scenarios.iter().enumerate() {
            // One visit dies half-way and is made again.
            let attempts = if (round, scenario) == (1, 2) { 2 } else { 1 };
            for attempt in 0..attempts {
                let complete = attempt + 1 == attempts;
                visits.push(Visit { round, scenario, attempt, complete });
                let drift: f64 = normal(&mut rng, 0.01);
                let layout: Vec<f64> = stacks.iter().map(|_| normal(&mut rng, 0.003)).collect();
                for block in 0..if complete { blocks } else { blocks / 2 } {
                    let measured = cells.iter().filter(|cell| {
                        cell.scenario == scenario && matches!(cell.proof, Proof::Proven { .. })
                    });
                    for (place, cell) in measured.enumerate() {
                        let wild = if complete { 1.0 } else { 7.0 };
                        let factor = wild * (1.0 + drift + layout[cell.stack] + normal(&mut rng, 0.004));
                        let measurement = measurement(resolved, cell.stack, factor, &mut rng);
                        let (place, stack) = (place as u32, cell.stack);
                        samples.push(Sample { round, scenario, attempt, block, place, stack, measurement });
                    }
                }
            }
        }
    }
    let overheads = (0..3).flat_map(|stack| (0..rounds).map(move |round| (stack, round)));
    let overheads = overheads.map(|(stack, round)| overhead(stack, round, &mut rng)).collect();
    let base = base::run(stacks, scenarios, cells);
    RunRecord {
        plan: Plan {
            id: "20261121T101500Z-k3vq".to_owned(),
            started_unix_ms: 1_795_256_100_000,
            lab_version: "0.1.0".to_owned(),
            command: ["tlslab", "run", "--suite", "quick"].map(str::to_owned).into(),
            suite: "quick".to_owned(),
            seed,
            budget_s: 42.0,
            rounds,
            slice_ns: 5_000_000,
            warm_up: Some(WarmUpRule { least_ns: 2_000_000, least_iterations: 8, most_ns: 10_000_000 }),
            baseline: "openssl-3.5.4".to_owned(),
            host: serde_json::from_value(host()).expect("a fingerprint"),
            pki_digest: "6e0c5f6a1f9b4a0c".repeat(4),
            ..base.plan
        },
        measuring_s: 41.3,
        warnings: vec![
            "The load average was 1.9 on 2 CPUs when the run began: stop what else runs here.".to_owned(),
        ],
        overheads,
        visits,
        samples,
        ..base
    }
}

/// A sum of uniform numbers is close enough to a normal one.
fn normal(rng: &mut ChaCha8Rng, deviation: f64) -> f64 {
    let sum: f64 = (0..12).map(|_| rng.random::<f64>()).sum();
    (sum - 6.0) * deviation
}

fn scenarios() -> Vec<Scenario> {
    let handshake = |signature, group: Group, verification: Verification| {
        let suite = CipherSuite::AES_128_GCM;
        Scenario {
            name: format!("handshake/1.3/{signature}/{}/aes-128-gcm/{verification}", group.short_name()),
            signature,
            group,
            suite,
            verification,
            ..Scenario::plain(Work::Handshake)
        }
    };
    let transfer = |suite: CipherSuite, sender: Side, write_bytes: u32, connection: ConnectionAge| {
        let write = if write_bytes == 16_384 { "16KiB" } else { "1MiB" };
        let burst = if write_bytes == 16_384 && connection == ConnectionAge::Warm { 4 } else { 1 };
        let (suite_name, age) = (suite.short_name(), connection.name());
        Scenario {
            name: format!("transfer/1.3/{suite_name}/{sender}-sends/{write}/{age}"),
            suite,
            ..Scenario::plain(Work::Transfer { sender, write_bytes, connection, burst })
        }
    };
    use KeyType::{EcdsaP256, Rsa2048, Rsa4096};
    let (aes, chacha) = (CipherSuite::AES_128_GCM, CipherSuite::CHACHA20_POLY1305);
    vec![
        handshake(EcdsaP256, Group::X25519, Verification::None),
        handshake(EcdsaP256, Group::X25519, Verification::ChainAndName),
        handshake(EcdsaP256, Group::SECP256R1, Verification::None),
        handshake(Rsa2048, Group::X25519, Verification::None),
        handshake(Rsa2048, Group::X25519, Verification::ChainAndName),
        handshake(Rsa4096, Group::X25519, Verification::Chain),
        handshake(EcdsaP256, Group::X25519MLKEM768, Verification::ChainAndName),
        transfer(aes, Side::Client, 16_384, ConnectionAge::Warm),
        transfer(chacha, Side::Client, 16_384, ConnectionAge::Warm),
        transfer(aes, Side::Client, 16_384, ConnectionAge::Fresh),
        transfer(aes, Side::Client, 1_048_576, ConnectionAge::Warm),
        transfer(aes, Side::Server, 1_048_576, ConnectionAge::Warm),
    ]
}

fn stacks() -> Vec<StackRecord> {
    let ready = |name: &str, version: &str, components: &[(&str, &str)], capabilities: Capabilities| {
        let components = components.iter().map(|(name, version)| (name.to_string(), version.to_string()));
        let library =
            Library { name: name.to_owned(), version: version.to_owned(), components: components.collect() };
        let driver = name.to_lowercase();
        StackState::Ready(Box::new(Description {
            protocol: 1,
            driver,
            library,
            capabilities,
            metrics: vec![],
            features: Vec::new(),
            hidden: None,
        }))
    };
    let record = |name: &str, title: &str, licence: &str, state| StackRecord {
        name: name.to_owned(),
        title: title.to_owned(),
        licence: licence.to_owned(),
        identity: serde_json::from_value(json!({
            "recipe": name,
            "recipe_digest": "b2".repeat(32),
            "licence": licence,
            "source": format!("https://example.org/{name}.tar.gz"),
            "source_digest": "9f".repeat(32),
            "flags": ["CFLAGS=-O3 -march=native", "configure no-shared no-tests", "lto=off"],
            "lock_digest": null,
            "compiler": "gcc 14.2.0, x86_64-linux-gnu",
            "rustc": "rustc 1.95.0",
            "profile": "uniform",
        }))
        .expect("an identity"),
        driver_digest: "4c1d".repeat(16),
        driver: format!("/home/user/.cache/tlslab/{name}/driver"),
        environment: Default::default(),
        state,
    };
    let mut all = Capabilities {
        versions: vec![ProtocolVersion::TLS13],
        signatures: KeyType::ALL.into(),
        groups: vec![Group::X25519, Group::SECP256R1, Group::X25519MLKEM768],
        suites: vec![CipherSuite::AES_128_GCM, CipherSuite::CHACHA20_POLY1305],
        verification: vec![Verification::None, Verification::Chain, Verification::ChainAndName],
        max_tickets: 4,
        works: vec!["handshake".to_owned(), "transfer".to_owned()],
        ..Capabilities::default()
    };
    let openssl = ready("OpenSSL", "3.5.4", &[], all.clone());
    all.max_tickets = 0;
    let rustls = ready("rustls", "0.23.35", &[("aws-lc-rs", "1.15.1")], all.clone());
    all.verification = vec![Verification::None];
    all.limits = vec![Limit {
        axis: "verification".to_owned(),
        value: "chain+name".to_owned(),
        reason: "Bertie looks at the leaf's key only and has no code that follows a chain".to_owned(),
    }];
    all.notes = vec![
        "Bertie answers with one fixed ALPN and copies each record twice; its figures contain that."
            .to_owned(),
    ];
    let bertie = ready("Bertie", "0.1.0-pre.2", &[("libcrux", "0.0.3")], all);
    let failed = StackState::Failed(
        "it was not built: configure exited with status 1; the log is in build/wolfssl-5.8.2/log".to_owned(),
    );
    vec![
        record("openssl-3.5.4", "OpenSSL 3.5.4", "Apache-2.0", openssl),
        record("rustls-0.23.35-aws-lc", "rustls 0.23.35 on aws-lc-rs", "Apache-2.0 OR ISC OR MIT", rustls),
        record("bertie-0.1.0-pre.2", "Bertie 0.1.0-pre.2 on libcrux", "Apache-2.0", bertie),
        record("wolfssl-5.8.2", "wolfSSL 5.8.2", "GPL-3.0-or-later", failed),
    ]
}

fn cells(scenarios: &[Scenario], stacks: &[StackRecord]) -> Vec<CellState> {
    let mut cells = Vec::new();
    for (scenario, resolved) in scenarios.iter().enumerate() {
        for stack in 0..stacks.len() - 1 {
            let proof = match (stack, resolved.verification) {
                (2, Verification::ChainAndName) => Proof::Unsupported(
                    "Bertie looks at the leaf's key only and has no code that follows a chain".to_owned(),
                ),
                (2, Verification::Chain) => {
                    Proof::Unsupported("the stack does not offer verification chain".to_owned())
                }
                (2, _) if resolved.name.contains("1MiB/warm") && resolved.name.contains("server") => Proof::Failed(
                    "the driver exited with signal 11 in measure, after 3 slices; its log ends \"thread main \
                     panicked at record layer\""
                        .to_owned(),
                ),
                // Where the baseline is missing, others have no ratio.
                (0, _) if resolved.name.contains("fresh") => Proof::Failed(
                    "fault \"corrupted record\" was not noticed: the connection completed".to_owned(),
                ),
                _ => proven(resolved, stack),
            };
            cells.push(CellState { scenario, stack, proof });
        }
    }
    cells
}

fn proven(scenario: &Scenario, stack: usize) -> Proof {
    let fact = |value: serde_json::Value| json!({ "value": value, "sources": ["client", "server", "wire"] });
    let sent = match scenario.work {
        Work::Handshake | Work::Idle { .. } | Work::Primitive(_) => {
            json!({ "wire_bytes": 0, "record_sizes": [] })
        }
        Work::Request { .. } => unreachable!("no scenario here is one"),
        Work::Transfer { write_bytes, .. } | Work::Exchange { write_bytes, .. } => json!({
            "wire_bytes": write_bytes + 22 * write_bytes.div_ceil(16_384),
            "record_sizes": [{ "plaintext_bytes": 16_384, "count": write_bytes.div_ceil(16_384) }],
        }),
    };
    let facts = json!({
        "version": fact(json!(scenario.version)),
        "suite": fact(json!(scenario.suite)),
        "group": fact(json!(scenario.group)),
        "signature_scheme": { "not_shown": "no library here reports it" },
        "certificate_key": fact(json!({ "algorithm": "ecdsa_p256", "bits": 256 })),
        "resumed": fact(json!(false)),
        "hello_retry_request": fact(json!(false)),
        "tickets": fact(json!(0)),
        "offer": { "groups": [scenario.group], "server_name": "server.test", "alpn": [],
                   "extensions": [0, 10, 13, 43, 45, 51] },
        "sizes": { "client_hello_bytes": 190 + 11 * stack, "server_hello_bytes": 122,
                   "client_first_flight_bytes": 195 + 11 * stack, "server_flight_bytes": 1_310 + stack,
                   "client_second_flight_bytes": 80, "post_handshake_bytes": 0 },
        "records": { "handshake": { "client": 3, "server": 3 + stack },
                     "post_handshake": { "client": 0, "server": 0 }, "data": { "client": 0, "server": 0 } },
        "data": { "sent": { "client": sent, "server": { "wire_bytes": 0, "record_sizes": [] } },
                  "expansion": null, "plaintext_sent": 0, "plaintext_received": 0 },
    });
    let faults =
        [("wrong root", "client refused: unknown CA"), ("corrupted record", "client refused: bad MAC")];
    let faults =
        faults.map(|(name, outcome)| ProvenFault { name: name.to_owned(), outcome: outcome.to_owned() });
    Proof::Proven { facts: ProvenFacts::Other(facts), faults: faults.into(), iteration_ns: 300_000.0 }
}

/// One slice of about 5 ms.
fn measurement(scenario: &Scenario, stack: usize, factor: f64, rng: &mut ChaCha8Rng) -> Measurement {
    let (client_ns, server_ns) = typical_ns(scenario, stack);
    let iterations = (5e6 / (client_ns + server_ns)).ceil().max(1.0) as u64;
    // Now and then the machine does something else for a while.
    let interrupted = if rng.random::<f64>() < 0.01 { 1.4 } else { 1.0 };
    let total = |ns: f64| ns * factor * interrupted * iterations as f64;
    let (client, server) = (total(client_ns), total(server_ns));
    let part = |whole: f64, share: f64| (whole * share) as u64;
    let (client, server) = match scenario.work {
        Work::Handshake | Work::Idle { .. } => {
            let side = |whole: f64, reads: u64| SideMeasurement {
                phases: PhaseTimes {
                    create_ns: part(whole, 0.04),
                    handshake_ns: part(whole, 0.94),
                    free_ns: part(whole, 0.02),
                    ..PhaseTimes::default()
                },
                clock_reads: reads * iterations,
                wire_bytes: 500 * iterations,
                ..SideMeasurement::default()
            };
            (side(client, 5), side(server, 4))
        }
        Work::Transfer { sender, write_bytes, burst, .. } => {
            let bytes = iterations * u64::from(write_bytes);
            let side = |side: Side, whole: f64| {
                let sends = side == sender;
                SideMeasurement {
                    phases: PhaseTimes {
                        send_ns: if sends { whole as u64 } else { 0 },
                        receive_ns: if sends { 0 } else { whole as u64 },
                        ..PhaseTimes::default()
                    },
                    clock_reads: iterations / u64::from(burst),
                    wire_bytes: if sends { bytes + bytes / 700 } else { 0 },
                    plaintext_sent: if sends { bytes } else { 0 },
                    plaintext_received: if sends { 0 } else { bytes },
                    ..SideMeasurement::default()
                }
            };
            (side(Side::Client, client), side(Side::Server, server))
        }
        Work::Primitive(primitive) => {
            let side = |whole: f64| SideMeasurement {
                phases: PhaseTimes { operation_ns: whole as u64, ..PhaseTimes::default() },
                clock_reads: iterations / u64::from(primitive.burst),
                plaintext_sent: iterations * u64::from(primitive.bytes),
                ..SideMeasurement::default()
            };
            match primitive.operation.side() {
                Side::Client => (side(client), SideMeasurement::default()),
                Side::Server => (SideMeasurement::default(), side(server)),
            }
        }
        Work::Exchange { .. } | Work::Request { .. } => unreachable!("no scenario here is one"),
    };
    let warm_up = Some(warm_up(iterations, &client, &server));
    Measurement {
        iterations,
        elapsed_ns: 5_100_000,
        client,
        server,
        threads: vec![],
        warm_up,
        open_loop: None,
        faults: 0,
    }
}

/// The first iteration takes 100 µs more, the others as long as later ones.
fn warm_up(iterations: u64, client: &SideMeasurement, server: &SideMeasurement) -> WarmUp {
    let times = |side: &SideMeasurement| {
        let steady_ns = side.phases.total_ns() / iterations;
        WarmUpTimes { first_ns: steady_ns + 100_000, total_ns: 8 * steady_ns + 100_000 }
    };
    let (client, server) = (times(client), times(server));
    WarmUp { iterations: 8, elapsed_ns: client.total_ns + server.total_ns, client, server }
}

/// Nanoseconds per iteration, client and server.
fn typical_ns(scenario: &Scenario, stack: usize) -> (f64, f64) {
    let per_stack = |[openssl, rustls, bertie]: [f64; 3]| [openssl, rustls, bertie][stack];
    match scenario.work {
        Work::Handshake | Work::Idle { .. } => {
            let sign = match scenario.signature {
                KeyType::EcdsaP256 => per_stack([38e3, 21e3, 60e3]),
                KeyType::Rsa2048 => per_stack([520e3, 385e3, 1_900e3]),
                KeyType::Rsa4096 => per_stack([3_600e3, 2_700e3, 9_000e3]),
                other => unreachable!("no scenario here has {other}"),
            };
            let chain = if scenario.verification == Verification::None {
                0.0
            } else {
                per_stack([210e3, 140e3, 0.0])
            };
            let exchange = match scenario.group {
                Group::X25519MLKEM768 => per_stack([165e3, 120e3, 140e3]),
                Group::SECP256R1 => per_stack([96e3, 71e3, 180e3]),
                _ => per_stack([88e3, 62e3, 70e3]),
            };
            (
                exchange + 90e3 + chain + per_stack([40e3, 10e3, 55e3]),
                exchange + sign + per_stack([70e3, 16e3, 30e3]),
            )
        }
        Work::Transfer { write_bytes, connection, .. } => {
            let slow = if scenario.suite == CipherSuite::CHACHA20_POLY1305 { 2.4 } else { 1.0 };
            let fresh = if connection == ConnectionAge::Fresh { 1.2 } else { 1.0 };
            let writes = f64::from(write_bytes) / 16_384.0;
            let send = per_stack([2_900.0, 3_050.0, 9_400.0]) * slow * fresh;
            let receive = per_stack([3_400.0, 2_950.0, 11_000.0]) * slow * fresh;
            let Work::Transfer { sender, .. } = scenario.work else { unreachable!("matched above") };
            if sender == Side::Client {
                (send * writes, receive * writes)
            } else {
                (receive * writes, send * writes)
            }
        }
        Work::Primitive(primitive) => {
            let ns = per_stack([20e3, 14e3, 30e3]) * if primitive.operation.is_sized() { 0.01 } else { 1.0 };
            (ns, ns)
        }
        Work::Exchange { .. } | Work::Request { .. } => unreachable!("no scenario here is one"),
    }
}

fn overhead(stack: usize, round: u32, rng: &mut ChaCha8Rng) -> Overhead {
    let mut about = |ns: f64| ns * (1.0 + 0.05 * rng.random::<f64>());
    Overhead {
        stack,
        round,
        calibration: Calibration {
            clock_read_ns: about(21.0),
            clock_step_ns: 10.0,
            handshake_client_ns: about(118.0),
            request_client_ns: 0.0,
            request_server_ns: 0.0,
            handshake_server_ns: about(96.0),
            send_burst_ns: about(24.0),
            send_write_ns: about(6.0),
            receive_burst_ns: about(25.0),
            receive_write_ns: about(8.0),
            operation_burst_ns: about(30.0),
            operation_call_ns: about(3.0),
        },
        round_trip_ns: about(34_000.0),
    }
}

fn host() -> serde_json::Value {
    json!({
        "cpu": { "name": "Example EPYC 9R14", "vendor": "AuthenticAMD", "family": "25", "model": "17",
                 "stepping": "1", "microcode": "0xa101148",
                 "features": ["aes", "avx2", "avx512f", "avx512ifma", "vaes", "vpclmulqdq", "sha_ni"] },
        "topology": { "logical_cpus": 2, "allowed_cpus": 2, "cores": 1, "smt": "on" },
        "system": { "kernel": "6.1.0-31-amd64", "os": "Debian GNU/Linux 12", "memory_bytes": 8_191_000_576_u64 },
        "virtualisation": { "kind": "virtual-machine", "hypervisor": "kvm", "container": null },
        "tuning": { "governor": "performance", "turbo": { "on": false, "knob": "cpufreq-boost" },
                    "mitigations": { "spectre_v2": "Retpolines", "meltdown": "Not affected" },
                    "clocksource": "tsc" },
        "load": { "one": 1.9, "five": 1.1, "fifteen": 0.7 },
    })
}
