//! A plan in which some values are others than they were: it is refused, or a run with it has a report, as one that is resumed has.

#![no_main]

#[path = "../../crates/report/tests/synthetic/mod.rs"]
mod synthetic;

use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use tlslab_estimate::Report;
use tlslab_record::{Plan, RunRecord};
use tlslab_report::{Further, terminal};

fuzz_target!(|data: &[u8]| {
    let run = synthetic::run(7, 4, 3);
    let mut plan = serde_json::to_value(&run.plan).expect("plans serialise");
    plan["id"] = json!("20261125-004512-ab12");
    let mut bytes = data.iter().copied();
    // Each change has three bytes: two for the leaf, one for its new value.
    while let (Some(high), Some(low), Some(which)) = (bytes.next(), bytes.next(), bytes.next()) {
        let mut at = usize::from(u16::from_be_bytes([high, low]));
        alter(&mut plan, &mut at, &value(which));
    }
    let Ok(plan) = serde_json::from_value::<Plan>(plan) else { return };
    if let Err(cause) = plan.check() {
        assert!(!cause.is_empty());
        return;
    }
    let of_plan = |at: usize, length: usize| at < length;
    let (scenarios, stacks) = (plan.scenarios.len(), plan.stacks.len());
    let mut run = RunRecord { plan, ..run };
    run.cells.retain(|cell| of_plan(cell.scenario, scenarios) && of_plan(cell.stack, stacks));
    if run.check().is_ok() {
        terminal(&Report::of(&run), &Further::default(), 100, false);
    }
});

/// What stands out.
fn value(which: u8) -> Value {
    match which % 14 {
        0 => json!(0),
        1 => json!(1),
        2 => json!(u64::MAX),
        3 => json!(u32::MAX),
        4 => json!(-1),
        5 => json!(1e-300),
        6 => json!(1e300),
        7 => json!("x".repeat(2048)),
        8 => json!("../../x"),
        9 => Value::Null,
        10 => json!([]),
        11 => json!({}),
        12 => json!(0.5),
        _ => json!(true),
    }
}

/// Replaces the leaf of this number.
fn alter(node: &mut Value, at: &mut usize, new: &Value) -> bool {
    match node {
        Value::Array(entries) if !entries.is_empty() => entries.iter_mut().any(|entry| alter(entry, at, new)),
        Value::Object(fields) if !fields.is_empty() => fields.values_mut().any(|field| alter(field, at, new)),
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
