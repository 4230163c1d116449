//! Harness overhead as a share of the measured time.

use std::collections::BTreeMap;

use tlslab_protocol::{Calibration, Side, Work};
use tlslab_record::RunRecord;
use tlslab_stats::median;

use super::cells::time;
use super::slices::{Slices, of_side};
use crate::model::{Cell, CellOverhead, Family, Harness, Overheads, StackOverhead, TransferOverhead};
use tlslab_text::number::{bytes, significant};

/// A share of a handshake cell from which on it is warned of, %.
const NOTABLE_HANDSHAKE_PERCENT: f64 = 1.0;
/// The same for a transfer cell.
const NOTABLE_TRANSFER_PERCENT: f64 = 2.0;

pub(super) fn overheads(record: &RunRecord, slices: &Slices, measured: &[Cell]) -> Overheads {
    let calibrated: Vec<Option<Calibrated>> =
        (0..record.plan.stacks.len()).map(|stack| Calibrated::of(record, stack)).collect();
    let mut cells = Vec::new();
    for (scenario, resolved) in record.plan.scenarios.iter().enumerate() {
        for (stack, taking_part) in record.plan.stacks.iter().enumerate() {
            let Some(calibrated) = &calibrated[stack] else { continue };
            for &side in resolved.work.sides() {
                let Some(time) = time(measured, &resolved.name, &taking_part.name, side) else { continue };
                let overhead_ns = per_iteration_ns(&calibrated.calibration, &resolved.work, side);
                cells.push(CellOverhead {
                    scenario: resolved.name.clone(),
                    stack: taking_part.name.clone(),
                    side,
                    overhead_ns,
                    percent: 100.0 * overhead_ns / (1000.0 * time.value),
                    clock_reads: clock_reads(slices, scenario, stack, side),
                });
            }
        }
    }
    let harness = harness(record, &calibrated, &cells);
    let stack = |(stack, calibrated): (usize, &Option<Calibrated>)| {
        let Calibrated { processes, calibration, round_trip_ns } = calibrated.as_ref()?;
        Some(StackOverhead {
            stack: record.plan.stacks[stack].name.clone(),
            processes: *processes,
            clock_read_ns: calibration.clock_read_ns,
            clock_step_ns: calibration.clock_step_ns,
            round_trip_ns: *round_trip_ns,
        })
    };
    let stacks = calibrated.iter().enumerate().filter_map(stack).collect();
    let summary = if record.plan.has(tlslab_protocol::Measure::Time) {
        summary(harness.as_ref())
    } else {
        "harness: nothing was timed in this run".to_owned()
    };
    Overheads { summary, harness, stacks, cells }
}

/// One sentence for each family with a noticeable harness overhead.
pub(super) fn warnings(record: &RunRecord, overheads: &Overheads) -> Vec<String> {
    let limit = |family: Family| match family.moves_data() {
        true => NOTABLE_TRANSFER_PERCENT,
        false => NOTABLE_HANDSHAKE_PERCENT,
    };
    let limits = Family::TIMED.map(|family| (family, limit(family)));
    let family = |name: &str| {
        let scenario = record.plan.scenarios.iter().find(|scenario| scenario.name == name);
        scenario.map(Family::of)
    };
    let warning = |(wanted, limit): (Family, f64)| {
        let of_family = overheads.cells.iter().filter(|cell| family(&cell.scenario) == Some(wanted));
        let notable: Vec<_> = of_family.filter(|cell| cell.percent >= limit).collect();
        let worst = notable.iter().max_by(|a, b| a.percent.total_cmp(&b.percent))?;
        Some(format!(
            "The harness itself takes up to {} % of a {} cell ({}, {} {}); {limit} % is reached in {} of them. \
             Read ratios there with care.",
            significant(worst.percent, 2),
            wanted.name(),
            worst.scenario,
            worst.stack,
            worst.side,
            notable.len()
        ))
    };
    limits.into_iter().filter_map(warning).collect()
}

/// Medians over a stack's processes.
struct Calibrated {
    processes: usize,
    calibration: Calibration,
    round_trip_ns: f64,
}

impl Calibrated {
    fn of(record: &RunRecord, stack: usize) -> Option<Self> {
        let of_stack: Vec<_> = record.overheads.iter().filter(|overhead| overhead.stack == stack).collect();
        let middle = |figure: fn(&Calibration) -> f64| {
            let figures: Vec<f64> = of_stack.iter().map(|overhead| figure(&overhead.calibration)).collect();
            median(&figures).ok()
        };
        let round_trips: Vec<f64> = of_stack.iter().map(|overhead| overhead.round_trip_ns).collect();
        Some(Self {
            processes: of_stack.len(),
            calibration: Calibration {
                clock_read_ns: middle(|calibration| calibration.clock_read_ns)?,
                clock_step_ns: middle(|calibration| calibration.clock_step_ns)?,
                handshake_client_ns: middle(|calibration| calibration.handshake_client_ns)?,
                handshake_server_ns: middle(|calibration| calibration.handshake_server_ns)?,
                send_burst_ns: middle(|calibration| calibration.send_burst_ns)?,
                send_write_ns: middle(|calibration| calibration.send_write_ns)?,
                receive_burst_ns: middle(|calibration| calibration.receive_burst_ns)?,
                receive_write_ns: middle(|calibration| calibration.receive_write_ns)?,
                request_client_ns: middle(|calibration| calibration.request_client_ns)?,
                request_server_ns: middle(|calibration| calibration.request_server_ns)?,
                operation_burst_ns: middle(|calibration| calibration.operation_burst_ns)?,
                operation_call_ns: middle(|calibration| calibration.operation_call_ns)?,
            },
            round_trip_ns: median(&round_trips).ok()?,
        })
    }
}

/// Harness work on a side's clock per iteration; see [`CellOverhead`].
fn per_iteration_ns(calibration: &Calibration, work: &Work, side: Side) -> f64 {
    match (work, side) {
        (Work::Primitive(primitive), _) => {
            let burst = f64::from(primitive.burst.max(1));
            calibration.operation_burst_ns / burst + calibration.operation_call_ns
        }
        (Work::Handshake | Work::Idle { .. }, Side::Client) => calibration.handshake_client_ns,
        (Work::Handshake | Work::Idle { .. }, Side::Server) => calibration.handshake_server_ns,
        (Work::Request { .. }, Side::Client) => calibration.request_client_ns,
        (Work::Request { .. }, Side::Server) => calibration.request_server_ns,
        (Work::Transfer { sender, burst, .. }, _) => {
            let (burst_ns, write_ns) = if side == *sender {
                (calibration.send_burst_ns, calibration.send_write_ns)
            } else {
                (calibration.receive_burst_ns, calibration.receive_write_ns)
            };
            per_write(burst_ns, write_ns, *burst)
        }
        (Work::Exchange { burst, .. }, _) => {
            per_write(calibration.send_burst_ns, calibration.send_write_ns, *burst)
                + per_write(calibration.receive_burst_ns, calibration.receive_write_ns, *burst)
        }
    }
}

fn per_write(burst_ns: f64, write_ns: f64, burst: u32) -> f64 {
    let burst = f64::from(burst.max(1));
    (burst_ns + burst * write_ns) / burst
}

fn clock_reads(slices: &Slices, scenario: usize, stack: usize, side: Side) -> f64 {
    let (mut reads, mut iterations) = (0.0, 0.0);
    for measurement in slices.of_stack(scenario, stack) {
        reads += of_side(measurement, side).clock_reads as f64;
        iterations += measurement.iterations as f64;
    }
    reads / iterations
}

fn harness(record: &RunRecord, calibrated: &[Option<Calibrated>], cells: &[CellOverhead]) -> Option<Harness> {
    let worst = |figure: fn(&Calibrated) -> f64| calibrated.iter().flatten().map(figure).reduce(f64::max);
    let clock_read_ns = worst(|calibrated| calibrated.calibration.clock_read_ns)?;
    let round_trip_ns = worst(|calibrated| calibrated.round_trip_ns)?;
    // `None` means handshakes.
    let mut percents: BTreeMap<Option<u32>, f64> = BTreeMap::new();
    for cell in cells {
        let scenario = record.plan.scenarios.iter().find(|scenario| scenario.name == cell.scenario);
        if scenario.is_some_and(|scenario| Family::of(scenario) == Family::Primitive) {
            continue;
        }
        // A short connection is mostly its handshake.
        let write_bytes = scenario.filter(|scenario| !scenario.work.closes());
        let write_bytes = write_bytes.and_then(|scenario| scenario.work.write_bytes());
        let percent = percents.entry(write_bytes).or_default();
        *percent = percent.max(cell.percent);
    }
    let transfer = |(write_bytes, percent): (&Option<u32>, &f64)| {
        write_bytes.map(|write_bytes| TransferOverhead { write_bytes, percent: *percent })
    };
    Some(Harness {
        clock_read_ns,
        round_trip_ns,
        handshake_percent: percents.get(&None).copied(),
        transfers: percents.iter().filter_map(transfer).collect(),
    })
}

fn summary(harness: Option<&Harness>) -> String {
    let Some(harness) = harness else {
        return "harness: its own cost was not measured in this run".to_owned();
    };
    let mut shares = Vec::new();
    shares.extend(
        harness.handshake_percent.map(|percent| format!("{} % of a handshake cell", significant(percent, 2))),
    );
    shares.extend(harness.transfers.iter().map(|transfer| {
        format!("{} % of a {} cell", significant(transfer.percent, 2), bytes(transfer.write_bytes.into()))
    }));
    let shares = if shares.is_empty() { String::new() } else { format!(", at most {}", shares.join(", ")) };
    format!(
        "harness: clock read {} ns{shares}; one request {} µs, outside every clock",
        significant(harness.clock_read_ns, 2),
        significant(harness.round_trip_ns / 1000.0, 2)
    )
}
