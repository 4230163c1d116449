//! The results of a validation: tables and curves.

use std::collections::BTreeMap;

use tlslab_comparison::Compared;
use tlslab_pages::{Alarms, Curve, Validation};
use tlslab_stats::clopper_pearson;
use tlslab_text::number::percent;

use crate::error_rates::ErrorRates;
use crate::replay::Replayed;

/// Tables of false alarms, of power and of replays, those with rows.
pub fn markdown(rates: &ErrorRates) -> String {
    let replays = ("Replays and simulations", replays(&rates.replayed, rates.confidence));
    let tables = [("False alarms", alarms(rates)), ("Power", power(rates)), replays];
    let written = tables.into_iter().filter(|(_, table)| table.len() > 1);
    written.map(|(title, table)| format!("\n## {title}\n\n{}", as_markdown(&table))).collect()
}

/// The tables of live jobs that have rows, without titles.
pub fn live_markdown(rates: &ErrorRates) -> String {
    let tables = [alarms(rates), power(rates)].into_iter().filter(|table| table.len() > 1);
    tables.map(|table| as_markdown(&table)).collect::<Vec<_>>().join("\n")
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
            of => [format!("{found} of {of}"), with_bounds(found, of, confidence)],
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
pub(crate) fn tables(rates: &ErrorRates) -> Validation {
    let metrics = [Compared::Time.name(), Compared::Instructions.name()];
    Validation {
        confidence: rates.confidence,
        alarms: metrics.iter().filter_map(|metric| false_alarms(rates, metric)).collect(),
        alarm_table: alarms(rates),
        power_table: power(rates),
        curves: metrics.iter().flat_map(|metric| curves(rates, metric)).collect(),
    }
}

fn false_alarms(rates: &ErrorRates, metric: &str) -> Option<Alarms> {
    let of_metric = || rates.same.iter().filter(|jobs| jobs.metric == metric);
    let jobs: u64 = of_metric().map(|same| same.jobs).sum();
    let flagged: u64 = of_metric().map(|same| same.confirmed).sum();
    let bound = clopper_pearson(flagged, jobs, rates.confidence).ok()?;
    let (jobs, flagged) = (jobs as usize, flagged as usize);
    Some(Alarms { metric: metric.to_owned(), jobs, flagged, upper: bound.upper })
}

/// Rows of equally many texts, the head first.
pub(crate) type Table = Vec<Vec<String>>;

/// One row per kind of jobs without a change.
fn alarms(rates: &ErrorRates) -> Table {
    let interval = format!("rate, {} % interval", 100.0 * rates.confidence);
    let head = [
        "nothing changed",
        "stack",
        "metric",
        "s a scenario",
        "jobs",
        "cells each",
        "flagged at first",
        "confirmed",
        &interval,
    ];
    let mut table = vec![head.map(str::to_owned).to_vec()];
    for job in &rates.same {
        table.push(vec![
            job.kind.clone(),
            job.stack.clone(),
            job.metric.clone(),
            seconds(job.per_scenario_s),
            job.jobs.to_string(),
            (job.cells / job.jobs.max(1)).to_string(),
            job.flagged_at_first.to_string(),
            job.confirmed.to_string(),
            with_bounds(job.confirmed, job.jobs, rates.confidence),
        ]);
    }
    table
}

/// One row per slow-down, scenario and side, the smallest slow-down first.
fn power(rates: &ErrorRates) -> Table {
    let interval = format!("power, {} % interval", 100.0 * rates.confidence);
    let head = [
        "scenario",
        "side",
        "stack",
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
    let mut slowed: Vec<_> = rates.slowed.iter().collect();
    slowed.sort_by(|one, other| one.slowed.total_cmp(&other.slowed));
    for cell in slowed {
        table.push(vec![
            cell.scenario.clone(),
            cell.side.clone(),
            cell.stack.clone(),
            cell.metric.clone(),
            seconds(cell.per_scenario_s),
            percent(cell.slowed),
            format!("{:.3} %", 100.0 * cell.as_set),
            cell.jobs.to_string(),
            cell.found.to_string(),
            with_bounds(cell.found, cell.jobs, rates.confidence),
            cell.found_by_fence.map_or_else(|| "no history".to_owned(), |found| found.to_string()),
            format!("{:+.3} %", 100.0 * (cell.ratio - 1.0)),
        ]);
    }
    table
}

fn with_bounds(found: u64, of: u64, confidence: f64) -> String {
    match clopper_pearson(found, of, confidence) {
        Ok(bounds) => format!(
            "{:.0} % [{:.1}, {:.1}]",
            100.0 * found as f64 / of as f64,
            100.0 * bounds.lower,
            100.0 * bounds.upper
        ),
        Err(refused) => refused.to_string(),
    }
}

/// A duration that was divided among rounds, rounded again to tenths. Counts have none.
pub(crate) fn seconds(of: f64) -> String {
    if of == 0.0 { String::new() } else { ((of * 10.0).round() / 10.0).to_string() }
}

fn as_markdown(table: &Table) -> String {
    let line = |row: &Vec<String>| format!("| {} |\n", row.join(" | "));
    let rule = format!("|{}\n", "---|".repeat(table[0].len()));
    let rows: String = table[1..].iter().map(line).collect();
    format!("{}{rule}{rows}", line(&table[0]))
}

fn curves(rates: &ErrorRates, metric: &str) -> Vec<Curve> {
    let mut curves: BTreeMap<String, Vec<(f64, f64, usize)>> = BTreeMap::new();
    for cell in rates.slowed.iter().filter(|cell| cell.metric == metric) {
        let time = match seconds(cell.per_scenario_s) {
            none if none.is_empty() => none,
            seconds => format!(", {seconds} s"),
        };
        let name = format!("{}, {}, {}{time}", cell.stack, cell.scenario, cell.side);
        let power = cell.found as f64 / cell.jobs as f64;
        curves.entry(name).or_default().push((cell.slowed, power, cell.jobs as usize));
    }
    let curve = |(name, points)| Curve { metric: metric.to_owned(), name, points };
    curves.into_iter().map(curve).collect()
}

#[cfg(test)]
mod tests {
    use tlslab_comparison::Verdict;
    use tlslab_record::Fingerprint;

    use super::*;
    use crate::ledger::{CellEntry, Entry};

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
        let rates = ErrorRates::of(&entries, &[], ("1", Fingerprint::default()), 0.95);
        let text = markdown(&rates);
        // None of 100: the bound is 1 − 0.025^(1/100) = 3.62 %.
        assert!(text.contains("| twins | s | time | 10 | 100 | 1 | 0 | 0 | 0 % [0.0, 3.6] |"), "{text}");
        // Successive figures are all 1 % apart, so the fence is above that.
        let row = "| handshake | client | s | time | 10 | 1 % | 1.000 % | 5 | 4 | 80 % [28.4, 99.5] | 0 | +1.000 % |";
        assert!(text.contains(row), "{text}");
        assert!(live_markdown(&rates).contains(row));
        let tables = tables(&rates);
        assert_eq!(tables.curves[0].points, [(0.01, 0.8, 5)]);
        assert_eq!((tables.alarms[0].jobs, tables.alarms[0].flagged), (100, 0));
        assert!((tables.alarms[0].upper - 0.0362).abs() < 1e-4, "{}", tables.alarms[0].upper);
    }
    #[test]
    fn jobs_of_another_suite_have_a_row_of_their_own() {
        let mut two = entry("twins", 0.0, 1, Verdict::NotSignificant, 100.0);
        two.cells = vec![two.cells[0].clone(); 2];
        let entries = [entry("twins", 0.0, 0, Verdict::NotSignificant, 100.0), two];
        let text = markdown(&ErrorRates::of(&entries, &[], ("1", Fingerprint::default()), 0.95));
        for row in ["| twins | s | time | 10 | 1 | 1 |", "| twins | s | time | 10 | 1 | 2 |"] {
            assert!(text.contains(row), "{row}: {text}");
        }
        assert_eq!([0.0, 1.499, 19.999].map(seconds), ["", "1.5", "20"]);
    }
}
