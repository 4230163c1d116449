//! Clients by servers, as text that all formats share.

use std::collections::BTreeMap;

use tlslab_estimate::{CrossOutcome, CrossPair, CrossTable, Report};
use tlslab_text::clean;
use tlslab_text::number::{counted, significant};

/// The tables, without stacks that did not take part.
pub fn tables(report: &Report) -> Vec<CrossTable> {
    let mut tables = report.cross.clone();
    for table in &mut tables {
        table.pairs.retain(|pair| report.took_part(&pair.client) && report.took_part(&pair.server));
    }
    tables
}

/// Pairs that failed in the same way.
pub struct FailureRow {
    /// The clients.
    pub clients: String,
    /// The servers.
    pub servers: String,
    /// How many pairs.
    pub count: usize,
    /// Who ended the connection, and after how many; empty if a driver failed.
    pub ended_by: String,
    /// The alert.
    pub alert: String,
    /// In the library's own words, and then its peer's.
    pub error: String,
    /// The message of the peer.
    pub peer: String,
}

/// Each failed pair, those together that failed alike.
pub fn failures(table: &CrossTable) -> Vec<FailureRow> {
    type Kind = (String, String, String, String);
    let mut alike: BTreeMap<Kind, Vec<&CrossPair>> = BTreeMap::new();
    for pair in &table.pairs {
        let kind = match &pair.outcome {
            CrossOutcome::Refused(refusal) => (
                format!("the {}", refusal.refused_by),
                refusal.alert.as_deref().map_or_else(|| "none seen".to_owned(), clean),
                clean(&refusal.error),
                refusal.peer.as_deref().map_or_else(|| "–".to_owned(), clean),
            ),
            CrossOutcome::Failed { failed } => {
                ("–".to_owned(), "–".to_owned(), clean(failed), "–".to_owned())
            }
            _ => continue,
        };
        alike.entry(kind).or_default().push(pair);
    }
    let row = |((ended_by, alert, error, peer), pairs): (Kind, Vec<&CrossPair>)| FailureRow {
        clients: names(pairs.iter().map(|pair| pair.client.as_str())),
        servers: names(pairs.iter().map(|pair| pair.server.as_str())),
        count: pairs.len(),
        ended_by: format!("{ended_by}{}", after(&pairs)),
        alert,
        error,
        peer,
    };
    alike.into_iter().map(row).collect()
}

/// Connections that had come about before, from least to most.
fn after(pairs: &[&CrossPair]) -> String {
    let counts = pairs.iter().filter_map(|pair| match &pair.outcome {
        CrossOutcome::Refused(refusal) => Some(refusal.after),
        _ => None,
    });
    let mut counts: Vec<u64> = counts.collect();
    counts.sort_unstable();
    match (counts.first(), counts.last()) {
        (_, None | Some(0)) | (None, _) => String::new(),
        (Some(least), Some(most)) if least == most => format!(", after {most} connections"),
        (Some(least), Some(most)) => format!(", after {least} to {most} connections"),
    }
}

/// Each name once, in the order of the stacks.
fn names<'n>(all: impl Iterator<Item = &'n str>) -> String {
    let mut names: Vec<String> = Vec::new();
    for name in all.map(clean) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}

/// The stacks of a table, in their order.
pub fn stacks(table: &CrossTable) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for pair in &table.pairs {
        if !names.contains(&pair.server.as_str()) {
            names.push(&pair.server);
        }
    }
    names
}

/// A row per client: its name and its pairs in the order of the servers.
pub fn rows(table: &CrossTable) -> Vec<(&str, Vec<&CrossPair>)> {
    let of = |client| table.pairs.iter().filter(|pair| pair.client == client).collect();
    stacks(table).into_iter().map(|client| (client, of(client))).collect()
}

/// A pair in a few letters: client and server in µs, or the reason for their absence.
pub fn short(pair: &CrossPair) -> String {
    match (pair.outcome.measured(), pair.outcome.hole()) {
        (Some(times), _) => {
            format!("{}/{}", significant(times.client_us.value, 3), significant(times.server_us.value, 3))
        }
        (None, Some(("failed", _))) => "failed".to_owned(),
        _ => "–".to_owned(),
    }
}

/// Unsupported pairs by reason, one line each.
pub fn unsupported(table: &CrossTable) -> Vec<String> {
    let mut by_reason: BTreeMap<(String, String), usize> = BTreeMap::new();
    for pair in &table.pairs {
        if let CrossOutcome::Unsupported { side, unsupported } = &pair.outcome {
            let stack = if side.name() == "client" { &pair.client } else { &pair.server };
            let key = (clean(stack), format!("as {side}: {}", clean(unsupported)));
            *by_reason.entry(key).or_default() += 1;
        }
    }
    let line = |((stack, reason), count): ((String, String), usize)| {
        format!("unsupported in {}: {stack} {reason}", counted(count, "pair"))
    };
    by_reason.into_iter().map(line).collect()
}
