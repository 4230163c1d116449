//! Writes the page of a validation that was never done: `cargo run -p tlslab-pages --example validation_page -- FILE [few]`;
//! `few` has one job of each kind.

use tlslab_pages::{Alarms, Alone, Curve, Validation, validation};

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("name the file to write");
    let jobs = if arguments.next().as_deref() == Some("few") { 1 } else { 40 };
    std::fs::write(file, validation(&model(jobs), &Alone).html(&Alone))
}

fn model(jobs: usize) -> Validation {
    let row = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let number = jobs.to_string();
    let cell = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none, client, 10 s";
    let curve = |metric: &str, points: [(f64, f64); 3]| Curve {
        metric: metric.to_owned(),
        name: cell.to_owned(),
        points: points.map(|(share, power)| (share, power, jobs)).to_vec(),
    };
    let alarms = |metric: &str| Alarms {
        metric: metric.to_owned(),
        jobs,
        flagged: 0,
        upper: 1.0 - 0.025_f64.powf(1.0 / jobs as f64),
    };
    Validation {
        confidence: 0.95,
        alarms: ["time", "count.instructions"].map(alarms).to_vec(),
        alarm_table: vec![
            row(&[
                "jobs",
                "metric",
                "stack",
                "number",
                "cells each",
                "flagged at first",
                "flagged after confirmation",
            ]),
            row(&["twins of <one> build", "time", "rustls/ring", &number, "4", "1", "0"]),
            row(&["twins of <one> build", "count.instructions", "rustls/ring", &number, "4", "0", "0"]),
        ],
        power_table: vec![
            row(&["scenario", "side", "metric", "slowed by", "jobs", "found", "power, 95 % interval"]),
            row(&["handshake/1.3", "client", "time", "1 %", &number, &number, "100 % [91, 100]"]),
        ],
        curves: vec![
            curve("time", [(0.002, 0.2), (0.005, 0.7), (0.01, 1.0)]),
            curve("count.instructions", [(0.002, 1.0), (0.005, 1.0), (0.01, 1.0)]),
        ],
    }
}
