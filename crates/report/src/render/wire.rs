//! The tables of what each side sends: flights, packets, the ClientHello by extension, application
//! data, short connections.

use std::collections::BTreeSet;

use tlslab_estimate::{ExactCell, Report};
use tlslab_protocol::Side;
use tlslab_text::clean;
use tlslab_text::number::{counted, significant};

use super::exact_figure::{cell, figure};
use super::table::{ExactRow, ExactTable, Subject};

/// A column: what stands above it, and the side and metric of its figures.
type Column = (&'static str, Side, &'static str);

const FLIGHTS: [Column; 9] = [
    ("client first flight", Side::Client, "wire.flight.1"),
    ("client handshake", Side::Client, "wire.handshake"),
    ("server first flight", Side::Server, "wire.flight.1"),
    ("server handshake", Side::Server, "wire.handshake"),
    ("client records", Side::Client, "wire.handshake.records"),
    ("server records", Side::Server, "wire.handshake.records"),
    ("round trips", Side::Client, "wire.round_trips"),
    ("tickets", Side::Server, "wire.tickets"),
    ("ticket bytes", Side::Server, "wire.tickets.bytes"),
];

const DATA: [Column; 6] = [
    ("client bytes", Side::Client, "wire.data"),
    ("client records", Side::Client, "wire.data.records"),
    ("client overhead per KiB", Side::Client, "wire.data.overhead"),
    ("server bytes", Side::Server, "wire.data"),
    ("server records", Side::Server, "wire.data.records"),
    ("server overhead per KiB", Side::Server, "wire.data.overhead"),
];

const WHOLE: [Column; 4] = [
    ("client in all", Side::Client, "wire.total"),
    ("client closing alert", Side::Client, "wire.close"),
    ("server in all", Side::Server, "wire.total"),
    ("server closing alert", Side::Server, "wire.close"),
];

/// The segment sizes, as metrics have them.
const SEGMENTS: [&str; 3] = ["1460", "1428", "1220"];

/// Packets of a server's first flight that a client's acknowledgement need not precede: the initial window of
/// TCP (RFC 6928).
const INITIAL_WINDOW: f64 = 10.0;

/// Parts of the ClientHello.
const PARTS: &str = "wire.hello.";

/// All of them; those of which nothing was asked for have no groups.
pub(super) fn tables(report: &Report) -> [ExactTable; 5] {
    [
        columns(report, "Handshake on the wire: bytes of TLS", &FLIGHTS, "wire.handshake"),
        packets(report),
        client_hello(report),
        columns(report, "One write on the wire: bytes of TLS", &DATA, "wire.data"),
        columns(report, "Short connection on the wire: bytes of TLS", &WHOLE, "wire.total"),
    ]
}

fn empty(title: &'static str, columns: Vec<String>, rows_are: &'static str) -> ExactTable {
    ExactTable { subject: Subject::Wire, title, columns, rows_are, groups: Vec::new(), reasons: Vec::new() }
}

/// The scenarios of which a metric was asked for.
fn scenarios<'r>(report: &'r Report, metric: &str) -> Vec<&'r str> {
    let has =
        |scenario: &&str| report.exact.iter().any(|cell| cell.scenario == *scenario && cell.metric == metric);
    report.scenarios.iter().map(|scenario| scenario.name()).filter(has).collect()
}

/// A row for each stack, with what `figures` makes of it; its hole where `metric` has none.
fn rows(table: &mut ExactTable, report: &Report, metric: &str, figures: &dyn Fn(&str, &str) -> Vec<String>) {
    for scenario in scenarios(report, metric) {
        let mut rows = Vec::new();
        for stack in report.participants() {
            let found = Side::BOTH.map(|side| cell(report, scenario, &stack.name, side, metric));
            let hole = found.into_iter().flatten().find_map(|cell| cell.outcome.hole());
            let content = match hole {
                Some(hole) => Err(table.hole(&stack.name, hole)),
                None => Ok(figures(scenario, &stack.name)),
            };
            rows.push(ExactRow { name: clean(&stack.name), content });
        }
        table.groups.push((clean(scenario), rows));
    }
}

fn columns(report: &Report, title: &'static str, columns: &[Column], metric: &str) -> ExactTable {
    // A side that sends nothing has no columns.
    let has = |column: &&Column| {
        report.exact.iter().any(|cell| (cell.side, cell.metric.as_str()) == (column.1, column.2))
    };
    let kept: Vec<Column> = columns.iter().filter(has).copied().collect();
    let mut table = empty(title, kept.iter().map(|(title, ..)| (*title).to_owned()).collect(), "stack");
    let figures = |scenario: &str, stack: &str| {
        let of = |(_, side, metric): &Column| {
            let found = cell(report, scenario, stack, *side, metric);
            found.and_then(|cell| match metric.ends_with(".overhead") {
                true => cell.outcome.value().map(|value| significant(value, 4)),
                false => figure(cell),
            })
        };
        kept.iter().map(|column| of(column).unwrap_or_else(|| "–".to_owned())).collect()
    };
    rows(&mut table, report, metric, &figures);
    table
}

/// Whether first flights fit into what is sent before the other side is heard.
fn packets(report: &Report) -> ExactTable {
    const TITLE: &str = "First flights in packets with 1,460, 1,428 and 1,220 bytes of TLS";
    const COLUMNS: [&str; 4] =
        ["client packets", "one packet is enough", "server packets", "ten packets are enough"];
    let mut table = empty(TITLE, COLUMNS.map(str::to_owned).into(), "stack");
    let figures = |scenario: &str, stack: &str| {
        let of = |(side, most): (Side, f64)| {
            let of_size = |size: &str| {
                let metric = format!("wire.flight.1.packets_{size}");
                cell(report, scenario, stack, side, &metric)?.outcome.measured().map(|value| value.maximum)
            };
            let numbers: Vec<Option<f64>> = SEGMENTS.iter().map(|size| of_size(size)).collect();
            let text = |written: &dyn Fn(f64) -> String| {
                let each = numbers.iter().map(|number| number.map_or_else(|| "–".to_owned(), written));
                each.collect::<Vec<_>>().join(" / ")
            };
            let fits = |number: f64| if number <= most { "yes" } else { "no" }.to_owned();
            [text(&|number| number.to_string()), text(&fits)]
        };
        [(Side::Client, 1.0), (Side::Server, INITIAL_WINDOW)].into_iter().flat_map(of).collect()
    };
    rows(&mut table, report, "wire.handshake", &figures);
    if !table.groups.is_empty() {
        table.reasons.push(
            "packets are computed from the largest usual flight; ten are the initial window of TCP (RFC 6928)"
                .to_owned(),
        );
    }
    table
}

/// A row's name and its figures.
type NamedRow = (String, Vec<String>);

/// The parts of each stack's ClientHello; scenarios in which they are the same stand together.
fn client_hello(report: &Report) -> ExactTable {
    let stacks: Vec<&str> = report.participants().map(|stack| &*stack.name).collect();
    let mut table = empty(
        "ClientHello by part: bytes with headers",
        stacks.iter().map(|stack| clean(stack)).collect(),
        "part of the ClientHello",
    );
    let mut groups: Vec<(Vec<&str>, Vec<NamedRow>)> = Vec::new();
    for scenario in scenarios(report, "wire.hello") {
        let is_part = |cell: &&ExactCell| {
            cell.scenario == scenario && cell.side == Side::Client && cell.metric.starts_with(PARTS)
        };
        let parts: BTreeSet<&str> = report.exact.iter().filter(is_part).map(|cell| &*cell.metric).collect();
        let row = |metric: &str| {
            let of = |stack: &&str| cell(report, scenario, stack, Side::Client, metric).and_then(figure);
            stacks.iter().map(|stack| of(stack).unwrap_or_else(|| "–".to_owned())).collect::<Vec<_>>()
        };
        let name = |metric: &str| {
            let part = metric.strip_prefix(PARTS).unwrap_or("in all");
            clean(part.strip_prefix("extension.").unwrap_or(part))
        };
        let metrics = parts.into_iter().chain(["wire.hello"]);
        let rows: Vec<_> = metrics.map(|metric| (name(metric), row(metric))).collect();
        match groups.iter_mut().find(|(_, known)| *known == rows) {
            Some((scenarios, _)) => scenarios.push(scenario),
            None => groups.push((vec![scenario], rows)),
        }
    }
    for (scenarios, rows) in groups {
        let more = match scenarios.len() - 1 {
            0 => String::new(),
            more => format!(" and {}", counted(more, "other")),
        };
        let rows = rows.into_iter().map(|(name, figures)| ExactRow { name, content: Ok(figures) }).collect();
        table.groups.push((format!("{}{more}", clean(scenarios[0])), rows));
    }
    table
}

/// The answer: whose first flight is smallest, and which do not fit into one packet.
pub fn answer(report: &Report) -> Option<String> {
    let [scenario] = scenarios(report, "wire.handshake")[..] else { return None };
    let largest = |stack: &str, metric: &str| {
        cell(report, scenario, stack, Side::Client, metric)?.outcome.measured().map(|value| value.maximum)
    };
    let mut sent: Vec<(String, f64, f64)> = Vec::new();
    for stack in report.participants() {
        let Some(bytes) = largest(&stack.name, "wire.flight.1") else { continue };
        let packets = largest(&stack.name, "wire.flight.1.packets_1460").unwrap_or(1.0);
        sent.push((super::further::with_version(report, &clean(&stack.name)), bytes, packets));
    }
    sent.sort_by(|one, other| one.1.total_cmp(&other.1));
    if sent.is_empty() {
        return None;
    }
    let each = sent.iter().map(|(stack, bytes, packets)| {
        let packets = counted(*packets as usize, "packet");
        format!("{stack} {} bytes ({packets})", tlslab_text::number::whole(*bytes))
    });
    Some(format!("The client's first flight: {}.", each.collect::<Vec<_>>().join(", ")))
}
