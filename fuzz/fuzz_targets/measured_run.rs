//! A run in which some values are others than they were: its report is computed and rendered, and stays of a size that can be read.

#![no_main]

#[path = "../../crates/report/tests/synthetic/mod.rs"]
mod synthetic;

use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use tlslab_estimate::Report;
use tlslab_pages::Alone;
use tlslab_record::RunRecord;
use tlslab_report::{Further, csv, json as report_json, markdown, terminal};

/// No page of a run with four stacks has as much.
const MOST_BYTES: usize = 4 << 20;

fuzz_target!(|data: &[u8]| {
    let mut run = serde_json::to_value(synthetic::run(7, 4, 3)).expect("runs serialise");
    let mut bytes = data.iter().copied();
    // Each change has three bytes: two for the leaf, one for its new value.
    while let (Some(high), Some(low), Some(which)) = (bytes.next(), bytes.next(), bytes.next()) {
        let mut at = usize::from(u16::from_be_bytes([high, low]));
        alter(&mut run, &mut at, &value(which), false);
    }
    let Ok(run) = serde_json::from_value::<RunRecord>(run) else { return };
    let report = Report::of(&run);
    let page = tlslab_pages::run(&report, &Alone).html(&Alone);
    for text in [
        terminal(&report, &Further::default(), 100, false),
        markdown(&report),
        page,
        report_json(&report),
        csv(&report),
    ] {
        assert!(text.len() < MOST_BYTES, "{} bytes", text.len());
    }
});

/// What driver replies may hold at most, and what stands out.
fn value(which: u8) -> Value {
    match which % 12 {
        0 => json!(0),
        1 => json!(1),
        2 => json!(1_u64 << 53),
        3 => json!(86_400_000_000_000_u64),
        4 => json!(-1),
        5 => json!(1e-300),
        6 => json!(1e300),
        7 => json!("x".repeat(2048)),
        8 => json!("<b>|`\u{1b}[2J"),
        9 => Value::Null,
        10 => json!([]),
        _ => json!(true),
    }
}

/// What a driver has a say in; the rest is the lab's own.
const REPORTED: [&str; 5] = ["measurement", "calibration", "proof", "state", "weighed"];

/// Replaces the leaf of this number among those that a driver has a say in.
fn alter(node: &mut Value, at: &mut usize, new: &Value, is_reported: bool) -> bool {
    match node {
        Value::Array(entries) if !entries.is_empty() => {
            entries.iter_mut().any(|entry| alter(entry, at, new, is_reported))
        }
        Value::Object(fields) if !fields.is_empty() => fields
            .iter_mut()
            .any(|(name, field)| alter(field, at, new, is_reported || REPORTED.contains(&name.as_str()))),
        _ if !is_reported => false,
        leaf if *at == 0 => {
            *leaf = new.clone();
            true
        }
        _ => {
            *at -= 1;
            false
        }
    }
}
