//! Notes and warnings that accompany the figures.

use tlslab_protocol::{Capabilities, Measure, Side, Verification};
use tlslab_record::{LayoutEffect, RunRecord};

use super::slices::{Slices, of_side};
use tlslab_text::number::{counted, percent};

/// Notes for comparisons of this stack with others: its own notes, and the levels of verification that it
/// lacks.
pub(super) fn of_stack(name: &str, capabilities: &Capabilities) -> Vec<String> {
    let mut notes = capabilities.notes.clone();
    let levels = [Verification::None, Verification::Chain, Verification::ChainAndName];
    let (able, missing): (Vec<_>, Vec<_>) =
        levels.into_iter().partition(|level| capabilities.verification.contains(level));
    if !missing.is_empty() {
        let list = |levels: &[Verification]| {
            let names: Vec<_> = levels.iter().map(|level| format!("\"{level}\"")).collect();
            names.join(", ")
        };
        let able = if able.is_empty() { "nothing".to_owned() } else { list(&able) };
        notes.push(format!(
            "{name} offers fewer levels of verification than others: {able}, but not {}.",
            list(&missing)
        ));
    }
    notes
}

/// The notes on every report.
pub(super) fn standing(record: &RunRecord) -> Vec<String> {
    let mut notes = record.plan.build_notes();
    if record.plan.has(Measure::Heap) {
        notes.extend(super::memory::notes());
    }
    notes.extend(super::counts::notes(record));
    let has_defaults = record.plan.scenarios.iter().any(|scenario| scenario.defaults);
    notes.extend(has_defaults.then(|| super::defaults::NOTE.to_owned()));
    notes.extend(record.plan.has(Measure::Contention).then(super::contention::note));
    notes.extend(record.plan.has(Measure::Wire).then(super::wire::note));
    notes.extend(record.plan.has(Measure::Kernel).then(super::kernel::note));
    notes.extend(record.plan.has(Measure::Size).then(super::sizes::note));
    if record.plan.has(Measure::Time) || record.plan.has(Measure::Kernel) {
        notes.push(super::heap::note(&record.plan));
    }
    if record.plan.has(Measure::Time) {
        notes.extend(of_times(record));
        notes.extend(super::between::note(record));
        notes.extend(record.plan.unverified_times());
    }
    notes.extend(record.plan.sandbox.iter().map(|sandbox| format!("Drivers ran in a sandbox: {sandbox}.")));
    notes.push(format!("{}.", record.plan.policy.sentence()));
    notes.push(
        "Figures are for this host and this configuration; they do not carry over to another.".to_owned(),
    );
    notes
}

fn of_times(record: &RunRecord) -> [String; 4] {
    let confidence = percent(record.plan.policy.confidence);
    let ratios = &record.plan.policy.ratios;
    [
        format!(
            "Intervals are {confidence} intervals: Hodges–Lehmann estimates over visits (rounds of fresh \
             processes) with signed-rank bounds. They may be lopsided; ± shows the longer side."
        ),
        record.plan.placement.sentence().to_owned(),
        "Stacks take turns within milliseconds; each ratio compares neighbouring turns.".to_owned(),
        match LayoutEffect::floors(&record.layouts) {
            floors if floors.is_empty() => format!(
                "Ratios of different binaries contain effects of code layout of up to {} (handshakes) or {} (transfers) \
                 that no number of samples removes.",
                percent(ratios.handshake_floor),
                percent(ratios.transfer_floor),
            ),
            floors => {
                let each: Vec<String> =
                    floors.iter().map(|(family, floor)| format!("{family} {:.2} %", 100.0 * floor)).collect();
                format!(
                    "Ratios of different binaries contain effects of code layout that no number of samples removes; on this kind of \
                     host nineteen in twenty are below: {}; for other families the policy has {} (handshakes) and {} \
                     (transfers).",
                    each.join(", "),
                    percent(ratios.handshake_floor),
                    percent(ratios.transfer_floor)
                )
            }
        },
    ]
}

/// Warnings on the samples themselves.
pub(super) fn warnings(record: &RunRecord, slices: &Slices) -> Vec<String> {
    let mut warnings = Vec::new();
    let cut_short = record.visits.iter().filter(|visit| !visit.complete).count();
    if cut_short > 0 {
        warnings.push(format!(
            "{} cut short; the samples are kept but not estimated from.",
            counted(cut_short, "visit")
        ));
    }
    if !record.complete {
        warnings.push("The run is incomplete: some figures rest on fewer visits than planned.".to_owned());
    }
    if slices.unusable() > 0 {
        warnings.push(format!(
            "excluded: {} without an iteration; look at the driver's log.",
            counted(slices.unusable(), "sample")
        ));
    }
    warnings.extend(wrong_bytes(record, slices));
    warnings
}

/// A driver that moved other amounts than the scenario's has not done its work.
fn wrong_bytes(record: &RunRecord, slices: &Slices) -> Vec<String> {
    let mut warnings = Vec::new();
    for (scenario, resolved) in record.plan.scenarios.iter().enumerate() {
        let senders: Vec<(Side, u32)> =
            Side::BOTH.into_iter().filter_map(|side| Some((side, resolved.work.sent_bytes(side)?))).collect();
        if senders.is_empty() {
            continue;
        }
        for (stack, taking_part) in record.plan.stacks.iter().enumerate() {
            let wrong = slices
                .of_stack(scenario, stack)
                .filter(|measurement| {
                    senders.iter().any(|(sender, write_bytes)| {
                        // More than any number holds is another number than was moved.
                        let asked = measurement.iterations.checked_mul(u64::from(*write_bytes));
                        Some(of_side(measurement, *sender).plaintext_sent) != asked
                            || Some(of_side(measurement, sender.peer()).plaintext_received) != asked
                    })
                })
                .count();
            if wrong > 0 {
                warnings.push(format!(
                    "{}: {} of {} moved another number of bytes than the scenario asks for; its \
                     throughput is of the bytes that were moved.",
                    resolved.name,
                    counted(wrong, "sample"),
                    taking_part.name
                ));
            }
        }
    }
    warnings
}
