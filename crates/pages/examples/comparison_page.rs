//! Writes the page of a comparison that was never measured: `cargo run -p tlslab-pages --example comparison_page -- FILE [libraries|quiet]`.

use tlslab_comparison::{
    Change, Compared, Comparison, Confirmation, Design, Effect, Interval, Outcome, Pair, Reason, Verdict,
};
use tlslab_pages::{Alone, comparison};
use tlslab_protocol::Side;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("name the file to write");
    let model = match arguments.next().as_deref() {
        Some("libraries") => libraries(),
        Some("quiet") => quiet(),
        _ => versions(),
    };
    std::fs::write(file, comparison(&model, &Alone).html(&Alone))
}

const SCENARIOS: [&str; 4] = [
    "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none",
    "handshake/1.3/rsa-2048/x25519/aes-128-gcm/chain+name",
    "transfer/1.3/aes-128-gcm/client-sends/16KiB/warm",
    "resumption/1.3/psk-dhe/x25519/aes-256-gcm/tickets",
];

/// Two versions of a library: a regression with functions, improvements, tiny and missing cells.
fn versions() -> Comparison {
    let mut changes = vec![];
    let effects = [
        (0, Side::Client, Compared::Time, 1.0213, 0.002, Verdict::Regression),
        (2, Side::Server, Compared::Time, 1.42, 0.03, Verdict::Regression),
        (0, Side::Server, Compared::Time, 0.9588, 0.004, Verdict::Improvement),
        (1, Side::Client, Compared::Instructions, 0.989, 0.0, Verdict::Improvement),
        (1, Side::Server, Compared::Time, 1.004, 0.02, Verdict::Inconclusive),
        (2, Side::Client, Compared::Time, 1.0002, 0.001, Verdict::NotSignificant),
        (3, Side::Client, Compared::Time, 0.9999, 0.0015, Verdict::NotSignificant),
        (3, Side::Server, Compared::Instructions, 1.000_16, 0.0, Verdict::Changed),
    ];
    for (scenario, side, metric, ratio, half, verdict) in effects {
        changes.push(change(scenario, side, metric, effect(ratio, half, verdict, metric)));
    }
    changes.push(missing(3, Side::Client, Some("unsupported: no <such> group"), None));
    changes.push(missing(1, Side::Client, None, Some("failed: the driver ended with signal 11\nits log")));
    let warnings = [
        "the host was busy: load 3.3 of 2 CPUs",
        "the host was busy: load 4.1 of 2 CPUs",
        "cpu 1 ran at 2400 MHz for 3 % of the time & was throttled",
    ];
    Comparison {
        changes,
        warnings: warnings.map(str::to_owned).to_vec(),
        ..frame("rustls/ring@0.23.45", "rustls/ring@path:/home/someone/a checkout of it")
    }
}

/// Two libraries: one is much faster in one cell, slower in another.
fn libraries() -> Comparison {
    let effects = [
        (0, Side::Client, 0.43, Verdict::Improvement),
        (0, Side::Server, 0.432, Verdict::Improvement),
        (1, Side::Client, 0.368, Verdict::Improvement),
        (1, Side::Server, 0.774, Verdict::Improvement),
        (2, Side::Client, 0.93, Verdict::Improvement),
        (2, Side::Server, 11.3, Verdict::Regression),
        (3, Side::Server, 1.003, Verdict::Inconclusive),
    ];
    let change = |(scenario, side, ratio, verdict)| {
        change(scenario, side, Compared::Time, effect(ratio, 0.01, verdict, Compared::Time))
    };
    Comparison { changes: effects.map(change).to_vec(), ..frame("openssl", "rustls/aws-lc-rs") }
}

/// A comparison without changes.
fn quiet() -> Comparison {
    let cells = (0..4).flat_map(|scenario| [Side::Client, Side::Server].map(|side| (scenario, side)));
    let change = |(scenario, side)| {
        let effect = effect(1.0003, 0.001, Verdict::NotSignificant, Compared::Time);
        change(scenario, side, Compared::Time, effect)
    };
    Comparison { changes: cells.map(change).collect(), ..frame("openssl@3.5.4", "openssl@3.5.5") }
}

fn frame(baseline: &str, candidate: &str) -> Comparison {
    Comparison {
        format: 1,
        runs: vec!["20261124-221014-73fc".to_owned()],
        lab_version: "0.1.0".to_owned(),
        started_unix_ms: 1_795_558_214_000,
        complete: true,
        measuring_s: 487.0,
        host: Default::default(),
        design: Design {
            arrangement: "interleaved".to_owned(),
            chosen: None,
            counter: Some("instructions counted by the lab's counter on a generic x86-64-v3".to_owned()),
            canary: None,
            seeds: 5,
            fixed_layout: false,
            placement: Default::default(),
            looks: vec![16, 32],
            confirmation: 16,
            false_discovery_rate: 0.02,
            time_floor_percent: 0.1,
            exact_floor_percent: 0.01,
            negligible_percent: 0.5,
        },
        pairs: vec![Pair {
            baseline: baseline.to_owned(),
            baseline_version: "0.23.45".to_owned(),
            candidate: candidate.to_owned(),
            candidate_version: "0.23.46".to_owned(),
            identical: false,
            fixed_layout: vec![],
            version: None,
            baseline_in_history: None,
            definitions: std::collections::BTreeMap::new(),
            processor: None,
        }],
        command: None,
        changes: vec![],
        warnings: vec![],
        profiles: vec![],
    }
}

fn change(scenario: usize, side: Side, metric: Compared, effect: Effect) -> Change {
    Change {
        pair: 0,
        scenario: SCENARIOS[scenario].to_owned(),
        side: Some(side),
        metric,
        outcome: Outcome::Compared(Box::new(effect)),
    }
}

fn missing(scenario: usize, side: Side, baseline: Option<&str>, candidate: Option<&str>) -> Change {
    let outcome = Outcome::Missing {
        baseline_missing: baseline.map(str::to_owned),
        candidate_missing: candidate.map(str::to_owned),
    };
    Change {
        pair: 0,
        scenario: SCENARIOS[scenario].to_owned(),
        side: Some(side),
        metric: Compared::Time,
        outcome,
    }
}

fn effect(ratio: f64, half: f64, verdict: Verdict, metric: Compared) -> Effect {
    let exact = metric != Compared::Time;
    let n = if exact { 3 } else { 32 };
    // A fixed scatter around the ratio.
    let scatter = |at: usize| (((at * at * 7919 + at * 31) % 101) as f64 / 50.0 - 1.0) * half * 2.0;
    let baseline = if exact { 39_153.0 } else { 238_112.4 };
    let interval = Interval { lower: ratio - half, upper: ratio + half * 1.8, confidence: 0.99 };
    let confirmation = verdict.is_flagged().then_some(Confirmation {
        ratio: 1.0 + (ratio - 1.0) * 0.97,
        interval: None,
        n: 16,
        agrees: true,
    });
    let reason = |function: &str, change| Reason { function: function.to_owned(), change };
    let reasons = match verdict {
        Verdict::Regression => vec![
            reason("rustls::record_layer::RecordLayer::encrypt_outgoing<Vec<u8>>", 1212.0),
            reason("malloc", 262.0),
        ],
        _ => vec![],
    };
    Effect {
        verdict,
        note: None,
        baseline,
        candidate: baseline * ratio,
        ratio,
        interval: (!exact).then_some(interval),
        n,
        p_value: None,
        q_value: None,
        threshold: 0.001,
        detectable: Some(0.0018),
        confirmation,
        exact,
        tiny: exact && verdict.is_flagged() && (ratio - 1.0).abs() < 0.005,
        ratios: (0..n).map(|at| ratio + scatter(at)).collect(),
        spread: None,
        dependence: None,
        groups: None,
        tracked: None,
        points: Vec::new(),
        acknowledged: None,
        reasons,
    }
}
