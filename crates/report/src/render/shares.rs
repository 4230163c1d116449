//! The share of each handshake that is cryptography, as text.

use tlslab_estimate::digits::written;
use tlslab_estimate::{Estimated, Report, Share};
use tlslab_text::clean;
use tlslab_text::number::significant;

/// The heading.
pub const TITLE: &str = "Share of a handshake that is cryptography";

/// The note below the figures.
pub const NOTE: &str = "Lower bounds: the time of each side's public-key operations, measured separately in the same \
     run, divided by the side's whole time. Hashing, the key schedule and record protection are excluded.";

/// One stack in one handshake.
pub struct Row {
    /// Its name.
    pub stack: String,
    /// The client's and the server's share, or why it is not known.
    pub sides: [String; 2],
}

impl Row {
    /// Both sides in a line.
    pub fn words(&self) -> String {
        let [client, server] = &self.sides;
        if client == server { client.clone() } else { format!("client {client}, server {server}") }
    }
}

/// The handshakes with their rows.
pub fn lines(report: &Report) -> Vec<(String, Vec<Row>)> {
    let mut lines: Vec<(String, Vec<Row>)> = Vec::new();
    for both in report.shares.chunks_exact(2) {
        let [client, server] = both else { continue };
        if !report.took_part(&client.stack) {
            continue;
        }
        let row = Row { stack: clean(&client.stack), sides: [client, server].map(words) };
        let scenario = clean(&client.scenario);
        match lines.last_mut().filter(|(last, _)| *last == scenario) {
            Some((_, rows)) => rows.push(row),
            None => lines.push((scenario, vec![row])),
        }
    }
    lines
}

/// The answer if shares are known of one handshake: how much of it is cryptography, with each stack.
pub fn answer(report: &Report) -> Option<String> {
    let lines = lines(report);
    let [(_, rows)] = &lines[..] else { return None };
    let known = rows.iter().filter(|row| row.sides.iter().all(|side| side.ends_with('%')));
    let parts: Vec<String> = known
        .map(|row| {
            format!(
                "{} of a server's time and {} of a client's with {}",
                row.sides[1], row.sides[0], row.stack
            )
        })
        .collect();
    (!parts.is_empty()).then(|| format!("Public-key cryptography takes at least {}.", parts.join("; ")))
}

fn words(share: &Share) -> String {
    match (&share.share, &share.no_share) {
        (Some(share), _) => percent(share),
        (None, Some(reason)) => format!("not known: {}", clean(reason)),
        (None, None) => "not known".to_owned(),
    }
}

fn percent(share: &Estimated) -> String {
    let percent = share.in_thousandths();
    let tenth = |value: f64| value / 10.0;
    let percent = Estimated {
        value: tenth(percent.value),
        interval: percent.interval.map(|interval| tlslab_estimate::Interval {
            lower: tenth(interval.lower),
            upper: tenth(interval.upper),
            ..interval
        }),
        ..percent
    };
    match percent.interval {
        Some(_) => format!("{} %", written(&percent)),
        None => format!("{} %", significant(percent.value, 2)),
    }
}
