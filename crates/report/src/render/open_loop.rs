//! The table of responses in an open loop.

use tlslab_estimate::digits::written;
use tlslab_estimate::{Family, Metric, Outcome, Report, Scenario, Whose};
use tlslab_protocol::Arrivals;
use tlslab_text::clean;
use tlslab_text::number::{significant, whole};

use super::table::{ExactRow, ExactTable, Hole, Subject};

const TITLE: &str =
    "Response time, open loop: µs from the intended arrival until the client's handshake is done";

/// The notes below the figures.
const NOTES: [&str; 2] = [
    "Connections arrive on a schedule over loopback TCP, whether or not earlier ones are done; waiting time counts. \
     Late: mean delay of the client behind the schedule. Busy: share of the time in which the thread of all clients, \
     or that of the server, worked.",
    "Both threads are on this machine, without a network: if the clients' thread is busier, arrivals wait for it \
     rather than for the server.",
];

/// The table; without groups if the run has no arrivals.
pub(super) fn table(report: &Report) -> ExactTable {
    let mut table = ExactTable {
        subject: Subject::Arrivals,
        title: TITLE,
        columns: ["served of offered/s", "p50", "p90", "p99", "p99.9", "late", "client busy", "server busy"]
            .map(str::to_owned)
            .into(),
        rows_are: "stack",
        groups: Vec::new(),
        reasons: Vec::new(),
    };
    for (_, scenarios) in report.families().into_iter().filter(|(family, _)| *family == Family::OpenLoop) {
        for scenario in scenarios {
            let stacks = report.participants().map(|stack| stack.name.as_str());
            let rows = stacks.map(|stack| row(&mut table.reasons, report, scenario, stack)).collect();
            table.groups.push((title(scenario), rows));
        }
        table.reasons.extend(NOTES.map(str::to_owned));
    }
    table
}

fn title(scenario: &Scenario) -> String {
    let process = match scenario.resolved.arrivals {
        Arrivals::Poisson => "at random (Poisson)",
        Arrivals::Fixed => "at fixed intervals",
    };
    let rate = whole(scenario.resolved.rate as usize);
    format!("{}: {rate}/s offered {process}", clean(scenario.name()))
}

fn row(reasons: &mut Vec<String>, report: &Report, scenario: &Scenario, stack: &str) -> ExactRow {
    let outcome = |metric| report.cell(scenario.name(), stack, Whose::Both, metric).map(|cell| &cell.outcome);
    let mut explain = |outcome: &Outcome| {
        if let Some((kind, reason)) = outcome.hole() {
            let line = format!("{kind}, {}: {}", clean(stack), clean(reason));
            if !reasons.contains(&line) {
                reasons.push(line);
            }
        }
    };
    let name = clean(stack);
    // Without the load, no figure is known.
    if let Some((kind, reason)) = outcome(Metric::Achieved).and_then(Outcome::hole) {
        return ExactRow { name, content: Err(Hole { kind, reason: clean(reason) }) };
    }
    let columns = [Metric::Achieved].into_iter().chain(Metric::RESPONSES.map(|(metric, _)| metric));
    let columns = columns.chain([Metric::Late, Metric::ClientBusy, Metric::ServerBusy]);
    let figure = |metric: Metric| {
        let Some(found) = outcome(metric) else { return "–".to_owned() };
        explain(found);
        let Some(measured) = found.measured() else { return "–".to_owned() };
        let value = measured.estimated.value;
        match metric {
            Metric::Achieved => {
                let offered = outcome(Metric::Offered).and_then(Outcome::measured);
                let offered = offered.map_or(0.0, |offered| offered.estimated.value);
                let [served, offered] = [value, offered].map(|value| whole(value.round().max(0.0)));
                format!("{served} of {offered}")
            }
            Metric::ClientBusy | Metric::ServerBusy => format!("{} %", significant(value, 2)),
            Metric::Late => significant(value, 2),
            _ => written(&measured.estimated).to_string(),
        }
    };
    let mut figures: Vec<String> = columns.map(figure).collect();
    let unserved = outcome(Metric::Unserved).and_then(Outcome::measured).map(|share| share.estimated.value);
    if let Some(percent) = unserved.filter(|percent| *percent > 0.0) {
        figures[0].push_str(&format!(", {} % unserved", significant(percent, 2)));
    }
    ExactRow { name, content: Ok(figures) }
}
