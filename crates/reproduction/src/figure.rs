//! A figure of a run.

use std::collections::BTreeMap;

use tlslab_estimate::{ExactOutcome, Metric, Report, Whose};
use tlslab_protocol::Side;
use tlslab_record::ProvenFacts;
use tlslab_stats::ratio_estimate;

use crate::model::{Figure, Here};
use crate::names::{self, Metrics, Sides, units_of};
use crate::parts::Quantity;

/// A quantity with placeholders in braces, of one stack.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Wanted {
    pub stack: String,
    pub scenario: String,
    side: String,
    metric: String,
    /// How many of it.
    times: f64,
}

impl Wanted {
    /// Puts a row's words into a quantity. `stack` is the default.
    pub(crate) fn of(quantity: &Quantity, words: &BTreeMap<String, String>, stack: &str) -> Self {
        let filled = |template: &str| {
            let put =
                |text: String, (word, part): (&String, &String)| text.replace(&format!("{{{word}}}"), part);
            words.iter().fold(template.to_owned(), put)
        };
        Self {
            stack: filled(quantity.stack.as_deref().unwrap_or(stack)),
            scenario: filled(&quantity.scenario),
            side: filled(quantity.side.text()),
            metric: filled(quantity.metric.text()),
            times: 1.0,
        }
    }

    /// A metric of one side by its name.
    pub(crate) fn plain(stack: &str, scenario: &str, side: &str, metric: &str) -> Self {
        let [stack, scenario, side, metric] = [stack, scenario, side, metric].map(str::to_owned);
        Self { stack, scenario, side, metric, times: 1.0 }
    }

    /// The metric's name.
    pub(crate) fn metric(&self) -> &str {
        &self.metric
    }

    /// So many of it.
    pub(crate) fn times(self, times: f64) -> Self {
        Self { times, ..self }
    }

    /// Refuses a side or a metric that there is not, and a unit that the metric does not have.
    pub(crate) fn check(&self, unit: Option<&str>) -> Result<(), String> {
        names::check::<Sides>(&self.side)?;
        names::check::<Metrics>(&self.metric)?;
        let units = units_of(&self.metric);
        match unit {
            Some(unit) if !units.is_empty() && units.iter().all(|own| factor(own, unit).is_err()) => {
                let (metric, units) = (&self.metric, units.join(" or "));
                Err(format!("the unit of {metric} is {units}, which cannot be shown in {unit}"))
            }
            _ => Ok(()),
        }
    }

    /// What was measured, in `unit`; in the report's own where none is asked for.
    pub(crate) fn here(&self, report: &Report, unit: Option<&str>) -> Here {
        match self.look_up(report, unit) {
            Ok(figure) => Here::Figure(figure),
            Err(hole) => Here::Hole { hole },
        }
    }

    fn look_up(&self, report: &Report, unit: Option<&str>) -> Result<Figure, String> {
        let Self { stack, scenario, side, metric, times: many } = self;
        let timed = report.cells.iter().find(|cell| {
            cell.stack == *stack
                && cell.scenario == *scenario
                && cell.side.name() == side
                && cell.metric.name() == metric
        });
        if let Some(cell) = timed {
            let times = many * factor(cell.unit.symbol(), unit.unwrap_or(cell.unit.symbol()))?;
            return match cell.outcome.hole() {
                Some((kind, reason)) => Err(format!("{kind}: {reason}")),
                None => cell
                    .outcome
                    .measured()
                    .map(|measured| Figure {
                        between: match Metric::LOADS.contains(&cell.metric) {
                            true => 0.0,
                            false => report.run.between_runs.time,
                        },
                        ..Figure::of(&measured.estimated, times)
                    })
                    .ok_or_else(unseen),
            };
        }
        if let Some(name) = metric.strip_prefix(SIZE) {
            let (size, symbol) = (size(report, stack, scenario, name)?, ProvenFacts::size_unit(name));
            let times = many * factor(symbol, unit.unwrap_or(symbol))?;
            return Ok(Figure::plain(size * times));
        }
        let exact = report.exact.iter().find(|cell| {
            cell.stack == *stack
                && cell.scenario == *scenario
                && cell.side.name() == side
                && cell.metric == *metric
        });
        match exact.map(|cell| (&cell.outcome, cell.unit.symbol())) {
            Some((ExactOutcome::Measured(seen), symbol)) => {
                let times = many * factor(symbol, unit.unwrap_or(symbol))?;
                Ok(Figure::within(seen.value * times, [seen.minimum * times, seen.maximum * times]))
            }
            Some((ExactOutcome::Unsupported { unsupported }, _)) => {
                Err(format!("unsupported: {unsupported}"))
            }
            Some((ExactOutcome::Failed { failed }, _)) => Err(format!("failed: {failed}")),
            None => Err(format!("failed: the run has no {metric} of the {side} of {stack} in {scenario}")),
        }
    }

    /// This figure over another one of the same run. If both were measured in the same visits, the ratio is
    /// that of their slices; else times of a side, and speeds that follow from them, are compared round by
    /// round, so that common effects of a round cancel.
    pub(crate) fn over(&self, other: &Self, report: &Report) -> Here {
        let both = self.look_up(report, None).and_then(|of| Ok((of, other.look_up(report, None)?)));
        let (of, over) = match both {
            Ok(both) => both,
            Err(hole) => return Here::Hole { hole },
        };
        let between = report.run.between_runs.ratio;
        if let Some(ratio) = self.together(other, report) {
            return Here::Figure(Figure { between, ..ratio });
        }
        // A time over a speed has twice what is common to both.
        let are_alike = (self.metric == Metric::Time.name()) == (other.metric == Metric::Time.name());
        let rounds = self.rounds(report).filter(|_| are_alike).zip(other.rounds(report));
        let by_round = rounds.and_then(|(of, over)| {
            let logarithms: Vec<f64> =
                of.iter().filter_map(|(round, of)| Some((of / over.get(round)?).ln())).collect();
            let ratio = ratio_estimate(&logarithms, report.run.policy.confidence).ok()?;
            Some(Figure::within(ratio.value, [ratio.lower, ratio.upper]).widened(between))
        });
        Here::Figure(by_round.unwrap_or_else(|| of.over(over)))
    }

    /// The ratio of times, or of derived quantities, of scenarios that were measured in the same visits.
    fn together(&self, other: &Self, report: &Report) -> Option<Figure> {
        let is_alike = self.stack == other.stack && self.side == other.side && self.metric == other.metric;
        let side = SIDES.into_iter().find(|side| side.name() == self.side).filter(|_| is_alike)?;
        let time = if side == Whose::Both { Metric::Wall } else { Metric::Time };
        let ratio = report.scenario_ratio(&self.stack, [&self.scenario, &other.scenario], side, time)?;
        let times = self.times / other.times;
        if self.metric == time.name() {
            return Some(Figure::of(&ratio, times));
        }
        if ![Metric::Rate, Metric::WallRate, Metric::Throughput].iter().any(|of| of.name() == self.metric) {
            return None;
        }
        let work = [self.work(report, time)?, other.work(report, time)?];
        Some(Figure::of(&ratio.inverse(), times * work[0] / work[1]))
    }

    /// What a speed counts in an iteration: the speed times that time.
    fn work(&self, report: &Report, time: Metric) -> Option<f64> {
        let time = Self { metric: time.name().to_owned(), times: 1.0, ..self.clone() };
        let speed = Self { times: 1.0, ..self.clone() };
        let values = [speed, time].map(|of| of.look_up(report, None).ok().map(|figure| figure.value));
        Some(values[0]? * values[1]?)
    }

    /// A side's times, or the speeds that follow from them, by round.
    fn rounds(&self, report: &Report) -> Option<BTreeMap<u32, f64>> {
        let is_time = self.metric == Metric::Time.name();
        if !is_time && ![Metric::Rate, Metric::Throughput].iter().any(|of| of.name() == self.metric) {
            return None;
        }
        let of = report.distributions.iter().find(|of| {
            of.stack == self.stack && of.scenario == self.scenario && side(of.side) == self.side
        })?;
        let work = if is_time { 1.0 } else { self.work(report, Metric::Time)? };
        let value = |time: f64| self.times * if is_time { time } else { work / time };
        Some(of.visits.iter().map(|visit| (visit.round, value(visit.value))).collect())
    }
}

const SIDES: [Whose; 3] = [Whose::Client, Whose::Server, Whose::Both];

fn side(side: Side) -> &'static str {
    Whose::from(side).name()
}

/// The prefix of a size on the wire: `size.client_hello_bytes`.
const SIZE: &str = "size.";

/// A size that was seen when the cell was proven, in its own unit.
fn size(report: &Report, stack: &str, scenario: &str, name: &str) -> Result<f64, String> {
    let is_it = |of: &str, scenario_of: &str| of == stack && scenario_of == scenario;
    if let Some(cell) = report.cells.iter().find(|cell| is_it(&cell.stack, &cell.scenario))
        && let Some((kind, reason)) = cell.outcome.hole()
    {
        return Err(format!("{kind}: {reason}"));
    }
    let proof = report.proofs.iter().find(|proof| is_it(&proof.stack, &proof.scenario));
    let size = proof.and_then(|proof| proof.facts.size(name)).map(|size| size as f64);
    size.ok_or_else(|| format!("failed: nothing is known of {name} of {stack} in {scenario}"))
}

fn unseen() -> String {
    "failed: the run has no value".to_owned()
}

/// How many of one unit another one has.
fn factor(from: &str, to: &str) -> Result<f64, String> {
    const MIB: f64 = 1_048_576.0;
    match (from, to) {
        _ if from == to => Ok(1.0),
        ("µs", "ns") => Ok(1e3),
        ("µs", "ms") => Ok(1e-3),
        ("µs", "s") => Ok(1e-6),
        ("MB/s", "MiB/s") => Ok(1e6 / MIB),
        ("handshakes/s" | "operations/s", "/s") => Ok(1.0),
        _ => Err(format!("failed: the run has {from}, and the document asks for {to}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Named;

    #[test]
    fn units_are_turned_into_each_other_or_refused() {
        // 1,000,000 bytes are 0.95 MiB.
        assert!((factor("MB/s", "MiB/s").unwrap() - 0.953_674).abs() < 1e-6);
        assert_eq!(factor("µs", "s"), Ok(1e-6));
        assert!(factor("bytes", "µs").unwrap_err().contains("asks for µs"));
    }

    #[test]
    fn the_ratio_of_two_intervals_has_both_in_it() {
        let of = Figure::within(2.0, [1.8, 2.2]);
        let over = Figure::within(4.0, [3.6, 4.4]);
        let ratio = of.over(over);
        assert_eq!(ratio.value, 0.5);
        let [lower, upper] = ratio.bounds.unwrap();
        assert!((lower - 1.8 / 4.4).abs() < 1e-12 && (upper - 2.2 / 3.6).abs() < 1e-12);
        assert_eq!(of.over(Figure::plain(1.0)).bounds, None);
    }

    /// A report of one stack with times of two scenarios, which were measured together.
    fn report(side: &str, metrics: [&str; 2]) -> Report {
        let measured = |scenario: &str, metric: &str, unit: &str, value: f64| {
            serde_json::json!({
                "scenario": scenario, "stack": "s", "side": side, "metric": metric, "unit": unit, "n": 9,
                "estimate": value, "interval": { "lower": 0.9 * value, "upper": 1.1 * value, "confidence": 0.99 },
                "ratio": null,
            })
        };
        // Four bytes in 2 µs, six in 4 µs, by visits apart.
        let [time, speed] = metrics;
        let cells = [
            measured("a", time, "µs", 2.0),
            measured("a", speed, "MB/s", 2.0),
            measured("b", time, "µs", 4.0),
            measured("b", speed, "MB/s", 1.5),
        ];
        let ratio = serde_json::json!({
            "stack": "s", "scenario": "b", "over": "a", "side": side, "metric": time,
            "ratio": { "n": 9, "estimate": 2.5, "interval": { "lower": 2.4, "upper": 2.6, "confidence": 0.99 } },
        });
        let run = serde_json::json!({
            "id": "r", "started": "", "lab_version": "0", "command": [], "suite": "s", "seed": 1,
            "budget_s": 1.0, "measuring_s": 1.0, "rounds": 9, "slice_ns": 1, "baseline": "s",
            "pki_digest": "", "complete": true, "complete_visits": 9, "cut_short_visits": 0, "samples": 9,
        });
        serde_json::from_value(serde_json::json!({
            "format": 1, "run": run, "host": {}, "stacks": [], "scenarios": [], "headlines": [],
            "cells": cells, "proofs": [], "notes": [], "warnings": [],
            "overheads": { "summary": "", "harness": null, "stacks": [], "cells": [] },
            "together": [{ "scenarios": ["a", "b"], "ratios": [ratio] }],
        }))
        .unwrap()
    }

    /// The proof of a write of a full record, as a driver's run records it.
    const PROOF: &str = r#"{ "scenario": "a", "stack": "s", "faults": [], "facts": {
        "version": { "value": "TLSv1.3", "sources": ["wire"] }, "suite": { "not_shown": "" }, "group": { "not_shown": "" },
        "signature_scheme": { "not_shown": "" }, "certificate_key": { "not_shown": "" }, "resumed": { "value": false, "sources": ["wire"] },
        "hello_retry_request": { "value": false, "sources": ["wire"] }, "tickets": { "value": 0, "sources": ["wire"] },
        "offer": { "versions": [], "suites": [], "groups": [], "key_shares": [], "signature_schemes": [], "server_name": null, "alpn": [],
            "pre_shared_key": false, "session_ticket": false, "session_id": false, "psk_modes": [], "early_data": false, "extensions": [], "grease": false },
        "sizes": { "client_hello_bytes": 155, "server_hello_bytes": 90, "client_first_flight_bytes": 160, "server_flight_bytes": 1246,
            "client_second_flight_bytes": 58, "post_handshake_bytes": 0, "round_trips": 1 },
        "records": { "handshake": { "client": 2, "server": 5 }, "post_handshake": { "client": 0, "server": 0 }, "data": { "client": 1, "server": 0 } },
        "data": { "expansion": 1.001, "plaintext_sent": 16384, "plaintext_received": 16384, "sent": {
            "client": { "wire_bytes": 16406, "record_sizes": [{ "plaintext_bytes": 16384, "count": 1 }], "blocks": { "cipher": 1026, "authenticator": 1027 } },
            "server": { "wire_bytes": 0, "record_sizes": [], "blocks": { "cipher": 0, "authenticator": 0 } } } } } }"#;

    #[test]
    fn a_size_is_in_the_unit_that_its_name_ends_with() {
        let mut report = report("client", ["time", "throughput"]);
        report.proofs = vec![serde_json::from_str(PROOF).unwrap()];
        let size = |name: &str, unit: &str| {
            Wanted::plain("s", "a", "client", &format!("size.{name}")).look_up(&report, Some(unit))
        };
        let figure = |value: f64| Ok(Figure::plain(value));
        assert_eq!(size("sent_wire_bytes", "bytes"), figure(16_406.0));
        assert_eq!(size("sent_records", "records"), figure(1.0));
        assert_eq!(size("cipher_blocks", "blocks"), figure(1_026.0));
        assert_eq!(size("authenticator_blocks", "blocks"), figure(1_027.0));
        let refused = size("sent_records", "bytes").unwrap_err();
        assert_eq!(refused, "failed: the run has records, and the document asks for bytes");
    }

    fn over(report: &Report, side: &str, metric: &str, [of, over]: [&str; 2]) -> (f64, [f64; 2]) {
        let wanted = |scenario| Wanted::plain("s", scenario, side, metric);
        match wanted(of).over(&wanted(over), report) {
            Here::Figure(figure) => (figure.value, figure.bounds.unwrap()),
            Here::Hole { hole } => panic!("{hole}"),
        }
    }

    #[test]
    fn a_ratio_of_scenarios_that_were_measured_together_is_that_of_their_slices() {
        for (side, metrics) in [("client", ["time", "throughput"]), ("both", ["wall", "wall.rate"])] {
            let report = report(side, metrics);
            assert_eq!(over(&report, side, metrics[0], ["b", "a"]), (2.5, [2.4, 2.6]));
            let (turned, bounds) = over(&report, side, metrics[0], ["a", "b"]);
            assert!((turned - 0.4).abs() < 1e-12);
            assert!((bounds[0] - 1.0 / 2.6).abs() < 1e-12 && (bounds[1] - 1.0 / 2.4).abs() < 1e-12);
            // 6 bytes over 4, in 2.5 times the time.
            let (speed, bounds) = over(&report, side, metrics[1], ["b", "a"]);
            assert!((speed - 1.5 / 2.5).abs() < 1e-12, "{speed}");
            assert!((bounds[0] - 1.5 / 2.6).abs() < 1e-12 && (bounds[1] - 1.5 / 2.4).abs() < 1e-12);
        }
    }

    #[test]
    fn words_in_braces_are_a_rows() {
        let quantity = Quantity {
            stack: None,
            scenario: "handshake/{group}/none".to_owned(),
            side: Named::new("{side}"),
            metric: Named::new("time"),
            times: None,
        };
        let words =
            [("group", "x25519"), ("side", "client")].map(|(word, part)| (word.to_owned(), part.to_owned()));
        let wanted = Wanted::of(&quantity, &words.into(), "one");
        assert_eq!((wanted.stack.as_str(), wanted.side.as_str()), ("one", "client"));
        assert_eq!(wanted.scenario, "handshake/x25519/none");
    }
}
