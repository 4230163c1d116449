//! What each library does if nothing is configured: a table of clients and one of servers.

use tlslab_estimate::{Report, StackDefaults};
use tlslab_record::{Offered, Taken};
use tlslab_text::clean;
use tlslab_text::number::{counted, whole};

use super::table::{ExactRow, ExactTable, Subject};

/// The columns of clients.
pub const OFFERED: [&str; 7] =
    ["versions", "groups", "suites", "signature schemes", "ALPN", "ClientHello", "packets"];
/// The columns of servers.
pub const TAKEN: [&str; 6] = ["version", "suite", "group", "signature", "tickets", "ticket bytes"];

/// The cipher suites that are named.
const MOST_SUITES: usize = 3;

/// What holds for both tables.
pub const NOTES: [&str; 2] = [
    "* with a key share; values that RFC 8701 reserves (GREASE) are left out; packets of the first flight with 1,460, 1,428 and \
     1,220 bytes of TLS",
    "against another client a server may pick other values",
];

/// Both tables; without defaults they have no groups.
pub(super) fn tables(report: &Report) -> [ExactTable; 2] {
    let clients = "What each client offers if nothing is configured";
    let servers = "What each server picks from its own library's client";
    let mut tables = [
        table(report, clients, &OFFERED, |stack| offered(&stack.defaults.offered)),
        table(report, servers, &TAKEN, |stack| taken(&stack.defaults.taken)),
    ];
    for (table, note) in tables.iter_mut().zip(NOTES) {
        if !table.groups.is_empty() {
            table.reasons.push(note.to_owned());
        }
    }
    tables
}

fn table(
    report: &Report,
    title: &'static str,
    columns: &[&str],
    cells: impl Fn(&StackDefaults) -> Vec<String>,
) -> ExactTable {
    let mut groups: Vec<(String, Vec<ExactRow>)> = Vec::new();
    for stack in &report.defaults {
        let row = ExactRow { name: clean(&stack.stack), content: Ok(cells(stack)) };
        let scenario = clean(&stack.scenario);
        match groups.last_mut() {
            Some((known, rows)) if *known == scenario => rows.push(row),
            _ => groups.push((scenario, vec![row])),
        }
    }
    let columns = columns.iter().map(|column| (*column).to_owned()).collect();
    ExactTable { subject: Subject::Defaults, title, columns, rows_are: "stack", groups, reasons: Vec::new() }
}

/// A client's row.
pub fn offered(offered: &Offered) -> Vec<String> {
    let group = |group: &String| match offered.key_shares.contains(group) {
        true => format!("{group}*"),
        false => group.clone(),
    };
    let groups: Vec<String> = offered.groups.iter().map(group).collect();
    let packets = offered.packets().map(|packets| packets.to_string()).join(" / ");
    [
        offered.versions.join(", "),
        groups.join(", "),
        suites(&offered.suites),
        offered.signature_schemes.len().to_string(),
        offered.alpn.join(", "),
        counted_bytes(offered.hello_bytes),
        packets,
    ]
    .map(|text| if text.is_empty() { "none".to_owned() } else { clean(&text) })
    .into()
}

/// The number of suites and the first of them.
fn suites(suites: &[String]) -> String {
    let first = suites.iter().take(MOST_SUITES).cloned().collect::<Vec<_>>().join(", ");
    let more = if suites.len() > MOST_SUITES { ", …" } else { "" };
    format!("{}: {first}{more}", suites.len())
}

/// A server's row.
pub fn taken(taken: &Taken) -> Vec<String> {
    let unknown = |value: &Option<String>| value.clone().unwrap_or_else(|| "not shown".to_owned());
    let retry = if taken.hello_retry { " after a second ClientHello" } else { "" };
    let tickets = taken.tickets.map_or("not counted".to_owned(), |tickets| tickets.to_string());
    let bytes = match (taken.ticket_bytes, taken.tickets, taken.ticket_records) {
        (0, None | Some(1..), _) => "in its first flight".to_owned(),
        (0, Some(0), _) => "0".to_owned(),
        (bytes, _, 0) => whole(bytes),
        (bytes, _, records) => format!("{} in {}", whole(bytes), counted(records as usize, "record")),
    };
    let group = format!("{}{retry}", unknown(&taken.group));
    let (version, suite) = (taken.version.clone(), taken.suite.clone());
    [version, suite, group, unknown(&taken.signature_scheme), tickets, bytes].map(|text| clean(&text)).into()
}

fn counted_bytes(bytes: u64) -> String {
    format!("{} bytes", whole(bytes))
}
