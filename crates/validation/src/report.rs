//! The results of a validation: tables and curves.

use std::collections::BTreeMap;
use std::fmt::Write;

use tlslab_comparison::{Compared, Verdict};
use tlslab_pages::{Alarms, Curve, Validation};
use tlslab_stats::{clopper_pearson, fence, median};
use tlslab_text::number::percent;

use crate::ledger::{CellEntry, Entry};
use crate::replay::Replayed;

/// Tables of false alarms and of power.
pub fn markdown(entries: &[Entry], confidence: f64) -> String {
    let mut text = String::new();
    for (title, table) in
        [("False alarms", alarms(entries, confidence)), ("Power", power(entries, confidence))]
    {
        if table.len() > 1 {
            let _ = write!(text, "\n## {title}\n\n{}", as_markdown(&table));
        }
    }
    text
}

/// The results of replays of recorded rounds.
pub fn replays_markdown(replayed: &[Replayed], confidence: f64) -> String {
    if replayed.is_empty() {
        return String::new();
    }
    format!("\n## Replays and simulations\n\n{}", as_markdown(&replays(replayed, confidence)))
}

/// One row per stack and slow-down, and one per scenario where something was slowed down.
fn replays(replayed: &[Replayed], confidence: f64) -> Table {
    let bounds = format!("rate, {} % interval", 100.0 * confidence);
    let head = [
        "jobs",
        "rounds",
        "recordings",
        "cells each",
        "number",
        "any other flag at first",
        "any other flag after confirmation",
        &bounds,
        "slowed cell found",
        "power",
    ];
    let mut table = vec![head.map(str::to_owned).to_vec()];
    for done in replayed {
        let kind = match done.slowed {
            0.0 => "nothing changed".to_owned(),
            share => format!("one cell slowed by {}", percent(share)),
        };
        let (of, found) = done.found.values().fold((0, 0), |sum, (of, found)| (sum.0 + of, sum.1 + found));
        let cell = |found: u64, of: u64| match of {
            0 => [String::new(), String::new()],
            of => [format!("{found} of {of}"), with_bounds(found as usize, of as usize, confidence)],
        };
        let [all_found, power] = cell(found, of);
        table.push(vec![
            kind.clone(),
            done.source.clone(),
            done.recordings.to_string(),
            done.cells.to_string(),
            done.jobs.to_string(),
            done.flagged_at_first.to_string(),
            done.confirmed.to_string(),
            rate(done.confirmed, done.jobs, confidence),
            all_found,
            power,
        ]);
        for (scenario, (of, found)) in &done.found {
            let [found, power] = cell(*found, *of);
            let mut row = vec![String::new(); 10];
            (row[0], row[8], row[9]) = (format!("{kind}: {scenario}"), found, power);
            table.push(row);
        }
    }
    table
}

fn rate(count: u64, of: u64, confidence: f64) -> String {
    match clopper_pearson(count, of, confidence) {
        Ok(bounds) => format!(
            "{:.3} % [{:.3}, {:.3}]",
            100.0 * count as f64 / of as f64,
            100.0 * bounds.lower,
            100.0 * bounds.upper
        ),
        Err(refused) => refused.to_string(),
    }
}

/// Tables and curves of trials.
pub(crate) fn tables(entries: &[Entry], confidence: f64) -> Validation {
    let metrics = [Compared::Time.name(), Compared::Instructions.name()];
    Validation {
        confidence,
        alarms: metrics.iter().filter_map(|metric| false_alarms(entries, metric, confidence)).collect(),
        alarm_table: alarms(entries, confidence),
        power_table: power(entries, confidence),
        curves: metrics.iter().flat_map(|metric| curves(entries, metric)).collect(),
    }
}

fn false_alarms(entries: &[Entry], metric: &str, confidence: f64) -> Option<Alarms> {
    let jobs: Vec<&Entry> =
        entries.iter().filter(|entry| entry.is_null() && entry.metric == metric).collect();
    let flagged = jobs.iter().filter(|job| job.cells.iter().any(CellEntry::is_confirmed)).count();
    let bound = clopper_pearson(flagged as u64, jobs.len() as u64, confidence).ok()?;
    Some(Alarms { metric: metric.to_owned(), jobs: jobs.len(), flagged, upper: bound.upper })
}

/// Rows of equally many texts, the head first.
pub(crate) type Table = Vec<Vec<String>>;

/// One row per kind of jobs without a change.
fn alarms(entries: &[Entry], confidence: f64) -> Table {
    let bound = format!("rate, upper bound ({} %)", 100.0 * confidence);
    let head = [
        "jobs",
        "metric",
        "stack",
        "number",
        "cells each",
        "s a scenario",
        "any flag at first",
        "any flag after confirmation",
        &bound,
    ];
    let mut table = vec![head.map(str::to_owned).to_vec()];
    let mut groups: BTreeMap<(&str, &str, &str, u64, usize), Vec<&Entry>> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| entry.is_null()) {
        let size = (millis(entry), entry.cells.len());
        groups.entry((&entry.metric, &entry.kind, &entry.stack, size.0, size.1)).or_default().push(entry);
    }
    for ((metric, kind, stack, millis, size), jobs) in groups {
        let count = |is: fn(&CellEntry) -> bool| jobs.iter().filter(|job| job.cells.iter().any(is)).count();
        let (first, confirmed) = (count(|cell| cell.flagged_at_first), count(CellEntry::is_confirmed));
        let bound = clopper_pearson(confirmed as u64, jobs.len() as u64, confidence);
        table.push(vec![
            kind.to_owned(),
            metric.to_owned(),
            stack.to_owned(),
            jobs.len().to_string(),
            size.to_string(),
            seconds(millis),
            first.to_string(),
            confirmed.to_string(),
            bound.map_or_else(
                |refused| refused.to_string(),
                |bound| {
                    format!(
                        "{:.2} %, {:.2} %",
                        100.0 * confirmed as f64 / jobs.len() as f64,
                        100.0 * bound.upper
                    )
                },
            ),
        ]);
    }
    table
}

/// One row per scenario, side and slow-down.
fn power(entries: &[Entry], confidence: f64) -> Table {
    let interval = format!("power, {} % interval", 100.0 * confidence);
    let head = [
        "scenario",
        "side",
        "metric",
        "s a scenario",
        "slowed by",
        "as set",
        "jobs",
        "found",
        &interval,
        "found by the fence rule",
        "median ratio found",
    ];
    let mut table = vec![head.map(str::to_owned).to_vec()];
    for (key, cells) in slowed(entries) {
        let found = cells.iter().filter(|cell| cell.verdict == Verdict::Regression).count();
        let fenced = match fence_of(entries, &key) {
            Some(threshold) => cells
                .iter()
                .filter(|cell| cell.candidate / cell.baseline - 1.0 > threshold)
                .count()
                .to_string(),
            None => "no history".to_owned(),
        };
        let ratios: Vec<f64> = cells.iter().map(|cell| cell.ratio).collect();
        let set: Vec<f64> = cells.iter().map(|cell| cell.slowed).collect();
        table.push(vec![
            key.scenario.to_owned(),
            key.side.to_owned(),
            key.metric.to_owned(),
            seconds(key.millis),
            percent(key.share()),
            format!("{:.3} %", 100.0 * median(&set).unwrap_or(0.0)),
            cells.len().to_string(),
            found.to_string(),
            with_bounds(found, cells.len(), confidence),
            fenced,
            format!("{:+.3} %", 100.0 * (median(&ratios).unwrap_or(1.0) - 1.0)),
        ]);
    }
    table
}

fn with_bounds(found: usize, of: usize, confidence: f64) -> String {
    match clopper_pearson(found as u64, of as u64, confidence) {
        Ok(bounds) => format!(
            "{:.0} % [{:.0}, {:.0}]",
            100.0 * found as f64 / of as f64,
            100.0 * bounds.lower,
            100.0 * bounds.upper
        ),
        Err(refused) => refused.to_string(),
    }
}

/// A cell that was slowed down; the share in millionths, so that it has an order.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key<'e> {
    metric: &'e str,
    scenario: &'e str,
    side: &'e str,
    stack: &'e str,
    /// How long the scenario was measured.
    millis: u64,
    millionths: u64,
}

impl Key<'_> {
    fn share(&self) -> f64 {
        self.millionths as f64 / 1e6
    }
}

fn slowed(entries: &[Entry]) -> BTreeMap<Key<'_>, Vec<&CellEntry>> {
    let mut groups: BTreeMap<Key<'_>, Vec<&CellEntry>> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| entry.slowed > 0.0) {
        for cell in &entry.cells {
            let key = Key {
                metric: &entry.metric,
                scenario: &cell.scenario,
                side: &cell.side,
                stack: &entry.stack,
                millis: millis(entry),
                millionths: (entry.slowed * 1e6).round() as u64,
            };
            groups.entry(key).or_default().push(cell);
        }
    }
    groups
}

fn millis(entry: &Entry) -> u64 {
    (entry.per_scenario_s * 1e3).round() as u64
}

fn seconds(millis: u64) -> String {
    if millis == 0 { String::new() } else { (millis as f64 / 1e3).to_string() }
}

/// The fence rule's threshold, from the history of the same cell measured as long: the baseline's figures of
/// all jobs, one after the other. The baseline is never slowed down.
fn fence_of(entries: &[Entry], key: &Key<'_>) -> Option<f64> {
    let history: Vec<f64> = entries
        .iter()
        .filter(|entry| entry.metric == key.metric && entry.stack == key.stack && millis(entry) == key.millis)
        .flat_map(|entry| &entry.cells)
        .filter(|cell| cell.scenario == key.scenario && cell.side == key.side)
        .map(|cell| cell.baseline)
        .collect();
    (history.len() >= 8).then(|| fence(&history).ok()).flatten()
}

fn as_markdown(table: &Table) -> String {
    let line = |row: &Vec<String>| format!("| {} |\n", row.join(" | "));
    let rule = format!("|{}\n", "---|".repeat(table[0].len()));
    let rows: String = table[1..].iter().map(line).collect();
    format!("{}{rule}{rows}", line(&table[0]))
}

fn curves(entries: &[Entry], metric: &str) -> Vec<Curve> {
    let mut curves: BTreeMap<String, Vec<(f64, f64, usize)>> = BTreeMap::new();
    for (key, cells) in slowed(entries).into_iter().filter(|(key, _)| key.metric == metric) {
        let found = cells.iter().filter(|cell| cell.verdict == Verdict::Regression).count();
        let time = if key.millis == 0 { String::new() } else { format!(", {} s", seconds(key.millis)) };
        let name = format!("{}, {}{time}", key.scenario, key.side);
        let power = found as f64 / cells.len() as f64;
        curves.entry(name).or_default().push((key.share(), power, cells.len()));
    }
    let curve = |(name, points)| Curve { metric: metric.to_owned(), name, points };
    curves.into_iter().map(curve).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(kind: &str, slowed: f64, job: u32, verdict: Verdict, candidate: f64) -> Entry {
        let cell = CellEntry {
            scenario: "handshake".to_owned(),
            side: "client".to_owned(),
            slowed,
            baseline: 100.0 + f64::from(job % 2),
            candidate,
            ratio: candidate / 100.0,
            detectable: None,
            flagged_at_first: verdict != Verdict::NotSignificant,
            verdict,
            ratios: vec![],
        };
        Entry {
            kind: kind.to_owned(),
            job,
            stack: "s".to_owned(),
            driver_digest: String::new(),
            metric: "time".to_owned(),
            scenarios: vec!["handshake".to_owned()],
            slicing: String::new(),
            placement: Default::default(),
            per_scenario_s: 10.0,
            rule: String::new(),
            host: String::new(),
            slowed,
            measuring_s: 1.0,
            cells: vec![cell],
        }
    }

    #[test]
    fn alarms_have_a_bound_and_power_an_interval_and_the_fence_beside_it() {
        let mut entries: Vec<Entry> =
            (0..100).map(|job| entry("twins", 0.0, job, Verdict::NotSignificant, 100.0)).collect();
        entries.extend((0..4).map(|job| entry("slowed by 1 %", 0.01, job, Verdict::Regression, 101.0)));
        entries.push(entry("slowed by 1 %", 0.01, 4, Verdict::Inconclusive, 100.2));
        let text = markdown(&entries, 0.95);
        // None of 100: the bound is 1 − 0.025^(1/100) = 3.62 %.
        assert!(text.contains("| twins | time | s | 100 | 1 | 10 | 0 | 0 | 0.00 %, 3.62 % |"), "{text}");
        assert!(
            text.contains("| handshake | client | time | 10 | 1 % | 1.000 % | 5 | 4 | 80 % [28, 99] |"),
            "{text}"
        );
        // Successive figures are all 1 % apart, so the fence is above that.
        assert!(text.contains("| 0 | +1.000 % |"), "{text}");
        let tables = tables(&entries, 0.95);
        assert_eq!(tables.curves[0].points, [(0.01, 0.8, 5)]);
        assert_eq!((tables.alarms[0].jobs, tables.alarms[0].flagged), (100, 0));
        assert!((tables.alarms[0].upper - 0.0362).abs() < 1e-4, "{}", tables.alarms[0].upper);
    }
}
