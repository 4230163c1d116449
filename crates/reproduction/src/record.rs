//! The measurements for a document, as a file: figures without samples, from which every page is rendered
//! again.
//!
//! Verdicts are not part of it; they are computed whenever it is rendered.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tlslab_comparison::Comparison;
use tlslab_estimate::{Distribution, Latency, Report, Run, Spread, StackState, VisitValue};
use tlslab_protocol::Side;
use tlslab_record::Fingerprint;
use tlslab_stats::Histogram;

use crate::measured::Measured;
use crate::model::{Took, TrialOfStack};
use crate::profiled::Functions;
use crate::provenance::Provenance;

/// The version of the format. It grows when a key changes its meaning or disappears, not when one is added.
const FORMAT: u32 = 1;

/// The recorded results of a document.
#[derive(Serialize, Deserialize)]
pub struct Record {
    format: u32,
    /// The document's name.
    pub document: String,
    reports: BTreeMap<String, Vec<RecordedReport>>,
    comparisons: BTreeMap<String, Comparison>,
    profiles: BTreeMap<String, Result<Functions, String>>,
    trials: BTreeMap<String, Vec<TrialOfStack>>,
    took: Option<Took>,
    provenance: Option<Provenance>,
    /// The version of the rules that estimated and judged; none in records of earlier versions.
    #[serde(default)]
    rule: Option<u32>,
}

/// A report with the times of each visit.
#[derive(Serialize, Deserialize)]
struct RecordedReport {
    report: Report,
    visits: Vec<RecordedVisits>,
}

/// One value for each round, µs.
#[derive(Serialize, Deserialize)]
struct RecordedVisits {
    scenario: String,
    stack: String,
    side: Side,
    rounds: Vec<(u32, f64)>,
}

/// Why a record cannot be read, and the next step.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{cause}; {next}")]
pub struct RecordError {
    /// The cause.
    pub cause: String,
    /// The next step.
    pub next: &'static str,
}

fn is_share(share: f64) -> bool {
    share > 0.0 && share.is_finite()
}

#[derive(Deserialize)]
struct Head {
    format: u32,
}

impl Record {
    /// The measurements for the document of this name.
    pub fn of(document: &str, measured: &Measured) -> Self {
        let reports = measured
            .reports
            .iter()
            .map(|(name, reports)| (name.clone(), reports.iter().map(RecordedReport::of).collect()));
        Self {
            format: FORMAT,
            document: document.to_owned(),
            reports: reports.collect(),
            comparisons: measured.comparisons.clone(),
            profiles: measured.profiles.clone(),
            trials: measured.trials.clone(),
            took: measured.took,
            provenance: measured.provenance.clone(),
            rule: measured.rule,
        }
    }

    /// The text of the file. `folder` is the folder that the document lies in: stacks that are made with the
    /// document's own files name it, and it is another one on each machine.
    pub fn json(&self, folder: &str) -> String {
        let mut text = serde_json::to_string(self).expect("the model serialises");
        text.push('\n');
        let escaped = serde_json::to_string(folder).expect("text serialises");
        match escaped.trim_matches('"') {
            "" | "/" => text,
            escaped => text.replace(escaped, "documents"),
        }
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// Fails if the text is not a record, or is one of a later version of the lab.
    pub fn parse(text: &[u8]) -> Result<Self, RecordError> {
        let broken = |cause: serde_json::Error| RecordError {
            cause: format!("these are not the recorded results of a document: {cause}"),
            next: "measure the document again and record it",
        };
        let head: Head = serde_json::from_slice(text).map_err(broken)?;
        if head.format > FORMAT {
            return Err(RecordError {
                cause: format!("it has format {}, and this version reads up to {FORMAT}", head.format),
                next: "use a later version of tlslab",
            });
        }
        let record: Self = serde_json::from_slice(text).map_err(broken)?;
        let next = "measure the document again and record it";
        record.check().map_err(|cause| RecordError { cause, next })?;
        Ok(record)
    }

    /// What no measurement makes: nothing at all, a share of no time, an estimate outside its interval.
    fn check(&self) -> Result<(), String> {
        let has_figures = !self.reports.is_empty() || !self.comparisons.is_empty();
        if !has_figures && self.profiles.is_empty() && self.trials.is_empty() {
            return Err("it has no results".to_owned());
        }
        if let Some((name, _)) = self.reports.iter().find(|(_, runs)| runs.is_empty()) {
            return Err(format!("the measurement \"{name}\" has no run"));
        }
        if let Some(share) = self.provenance.as_ref().map(|of| of.share).filter(|share| !is_share(*share)) {
            return Err(format!(
                "share is {share}; it is the part of the document's time that was taken, above 0"
            ));
        }
        for recorded in self.reports.values().flatten() {
            for cell in &recorded.report.cells {
                let Some(measured) = cell.outcome.measured() else { continue };
                let value = measured.estimated.value;
                if measured.estimated.interval.is_some_and(|of| !(of.lower <= value && value <= of.upper)) {
                    return Err(format!(
                        "the {} of {} in {} is {value}, which lies outside its interval",
                        cell.metric, cell.stack, cell.scenario
                    ));
                }
            }
        }
        Ok(())
    }

    /// Where it was measured.
    pub fn host(&self) -> Fingerprint {
        let of_reports = self.reports.values().flatten().map(|recorded| &recorded.report.host);
        let of_comparisons = self.comparisons.values().map(|comparison| &comparison.host);
        of_reports.chain(of_comparisons).next().cloned().unwrap_or_default()
    }

    /// Its measurements.
    pub fn into_measured(self) -> Measured {
        let report = |recorded: RecordedReport| recorded.into_report();
        let reports = self.reports.into_iter();
        Measured {
            reports: reports.map(|(name, runs)| (name, runs.into_iter().map(report).collect())).collect(),
            comparisons: self.comparisons,
            profiles: self.profiles,
            trials: self.trials,
            took: self.took,
            provenance: self.provenance,
            rule: self.rule,
        }
    }
}

impl RecordedReport {
    /// A report without data that no page of a document shows.
    fn of(report: &Report) -> Self {
        let mut stacks = report.stacks.clone();
        for stack in &mut stacks {
            stack.driver.clear();
            if let StackState::Ready { capabilities, .. } = &mut stack.state {
                **capabilities = Default::default();
            }
        }
        let visits = report.distributions.iter().map(|of| RecordedVisits {
            scenario: of.scenario.clone(),
            stack: of.stack.clone(),
            side: of.side,
            rounds: of.visits.iter().map(|visit| (visit.round, visit.value)).collect(),
        });
        // Command and paths belong to the machine.
        let run = Run { command: vec![], ..report.run.clone() };
        let report = Report {
            run,
            stacks,
            headlines: vec![],
            shares: vec![],
            turns: None,
            notes: vec![],
            cross: vec![],
            distributions: vec![],
            ..report.clone()
        };
        Self { visits: visits.collect(), report }
    }

    fn into_report(self) -> Report {
        let distributions = self.visits.into_iter().map(RecordedVisits::into_distribution);
        Report { distributions: distributions.collect(), ..self.report }
    }
}

impl RecordedVisits {
    /// The visits alone: how slices spread within them is not recorded.
    fn into_distribution(self) -> Distribution {
        let visits: Vec<VisitValue> =
            self.rounds.into_iter().map(|(round, value)| VisitValue { round, value }).collect();
        let histogram = Histogram { lower: 0.0, upper: 0.0, counts: vec![] };
        Distribution {
            scenario: self.scenario,
            stack: self.stack,
            side: self.side,
            visits,
            slices: Spread { n: 0, minimum: 0.0, median: 0.0, maximum: 0.0, below: 0, above: 0, histogram },
            iterations: Latency { n: 0, bars: vec![] },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_measurement_makes_is_refused() {
        let measured = Measured { trials: [("a".to_owned(), vec![])].into(), ..Measured::default() };
        let whole: serde_json::Value = serde_json::from_str(&Record::of("it", &measured).json("")).unwrap();
        let read = |key: &str, value: serde_json::Value| {
            let mut edited = whole.clone();
            edited[key] = value;
            Record::parse(edited.to_string().as_bytes()).err().map(|error| error.cause).unwrap_or_default()
        };
        assert_eq!(read("format", 1.into()), "");
        assert_eq!(read("trials", serde_json::json!({})), "it has no results");
        assert_eq!(read("reports", serde_json::json!({ "run": [] })), "the measurement \"run\" has no run");
        let share = |share: f64| read("provenance", serde_json::json!({ "lab_version": "", "share": share }));
        assert_eq!(share(0.1), "");
        assert!(share(-5.0).starts_with("share is -5;") && share(0.0).starts_with("share is 0;"));
    }

    #[test]
    fn what_is_no_record_or_a_later_one_is_refused_with_the_next_step() {
        let refused =
            |text: &str| Record::parse(text.as_bytes()).err().map(|error| error.to_string()).unwrap();
        assert!(refused("").contains("measure the document again"), "{}", refused(""));
        assert!(refused("{\"format\":1}").contains("missing field `document`"));
        assert_eq!(
            refused("{\"format\":2,\"anything\":[]}"),
            "it has format 2, and this version reads up to 1; use a later version of tlslab"
        );
    }
}
