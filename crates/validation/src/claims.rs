//! The lab's claims about its verdicts on times, each with the figures that show it.

use std::collections::BTreeMap;
use std::fmt::Write;

use tlslab_comparison::Compared;
use tlslab_stats::clopper_pearson;
use tlslab_text::number::{counted, percent, whole};

use crate::error_rates::ErrorRates;
use crate::replay::Replayed;
use crate::report::seconds;
use crate::simulate::SIMULATED;

/// Counts of something among so many.
#[derive(Clone, Copy, Default)]
struct Tally {
    found: u64,
    of: u64,
}

impl Tally {
    fn sum(all: impl Iterator<Item = (u64, u64)>) -> Self {
        all.fold(Self::default(), |sum, (found, of)| Self { found: sum.found + found, of: sum.of + of })
    }

    fn text(self) -> String {
        if self.of == 0 { "–".to_owned() } else { format!("{} of {}", self.found, self.of) }
    }

    fn bounds(self, confidence: f64) -> Option<(f64, f64)> {
        let bounds = clopper_pearson(self.found, self.of, confidence).ok()?;
        Some((100.0 * bounds.lower, 100.0 * bounds.upper))
    }
}

/// The lab's claims on its verdicts on times, and their evidence: a row for each claim.
pub fn claims_markdown(rates: &ErrorRates) -> String {
    let mut text = format!(
        "| claim | simulated | replayed | live | bounds, {} % |\n|---|--:|--:|--:|--:|\n",
        100.0 * rates.confidence
    );
    let mut row = |claim: &str, simulated: Tally, replayed: Tally, live: Tally| {
        let of = |name: &str, tally: Tally| {
            let (lower, upper) = tally.bounds(rates.confidence)?;
            Some(format!("{name} {lower:.2} to {upper:.2} %"))
        };
        // Jobs made from the same recordings are not independent.
        let bounds = [of("simulated", simulated), of("live", live)];
        let bounds: Vec<String> = bounds.into_iter().flatten().collect();
        let _ = writeln!(
            text,
            "| {claim} | {} | {} | {} | {} |",
            simulated.text(),
            replayed.text(),
            live.text(),
            bounds.join("<br>")
        );
    };
    let none = Tally::default();
    row(
        "Without a real change, no change of time is confirmed: jobs with a false one",
        rates.simulated_null("normal"),
        rates.replayed_null(),
        rates.live_null(Compared::Time.name()),
    );
    for done in rates.replayed.iter().filter(|done| done.slowed == 0.0) {
        let Some(noise) = done.source.strip_prefix(SIMULATED).filter(|noise| *noise != "normal") else {
            continue;
        };
        row(&format!("… also with noise like this: {noise}"), tally_of(done), none, none);
    }
    row(
        "A change of the detectable size is found and confirmed four times in five",
        rates.found(true, None),
        none,
        none,
    );
    for share in rates.sizes() {
        let what = format!("A cell that alone takes {} more is confirmed as a regression", percent(share));
        row(&what, none, rates.found(false, Some(share)), rates.live_found(Compared::Time.name(), share));
    }
    row(
        "Without a real change, no count changes: jobs with a false change",
        none,
        none,
        rates.live_null(Compared::Instructions.name()),
    );
    let _ = writeln!(
        text,
        "\nReplays resample the rounds of {}. They show how the rule handles that noise. Differences between recordings are included only \
         if there are several, so the share has no bound.",
        recorded_jobs(rates.recordings())
    );
    text
}

fn recorded_jobs(number: usize) -> String {
    counted(number, "recorded job")
}

/// The claims in a sentence or two, from live jobs.
pub fn claims_sentence(rates: &ErrorRates) -> String {
    let live = rates.live_null(Compared::Time.name());
    let upper = live.bounds(rates.confidence).map_or(100.0, |(_, upper)| upper);
    let mut text = format!(
        "False alarms: {} in {} in which nothing changed (true rate at most {upper:.1} %, at {} confidence).",
        whole(live.found),
        counted(live.of, "comparison"),
        percent(rates.confidence),
    );
    let time = Compared::Time.name();
    let mut found: BTreeMap<(u64, String), BTreeMap<&str, Tally>> = BTreeMap::new();
    for cells in rates.slowed.iter().filter(|cells| cells.metric == time) {
        let size = ((cells.slowed * 1e6).round() as u64, seconds(cells.per_scenario_s));
        let tally = found.entry(size).or_default().entry(&cells.stack).or_default();
        (tally.found, tally.of) = (tally.found + cells.found, tally.of + cells.jobs);
    }
    for ((millionths, seconds), stacks) in found {
        let each = stacks
            .iter()
            .map(|(stack, tally)| format!("{} of {} ({stack})", whole(tally.found), whole(tally.of)));
        text += &format!(
            " Cells slowed by {} that were found in {seconds} s a scenario: {}.",
            percent(millionths as f64 / 1e6),
            each.collect::<Vec<_>>().join(", ")
        );
    }
    text
}

impl ErrorRates {
    fn simulated_null(&self, noise: &str) -> Tally {
        let source = format!("{SIMULATED}{noise}");
        let of = self.replayed.iter().filter(|done| done.slowed == 0.0 && done.source == source);
        Tally::sum(of.map(|done| (done.confirmed, done.jobs)))
    }

    fn replayed_null(&self) -> Tally {
        let of =
            self.replayed.iter().filter(|done| done.slowed == 0.0 && !done.source.starts_with(SIMULATED));
        Tally::sum(of.map(|done| (done.confirmed, done.jobs)))
    }

    fn live_null(&self, metric: &str) -> Tally {
        let of = self.same.iter().filter(|jobs| jobs.metric == metric);
        Tally::sum(of.map(|jobs| (jobs.confirmed, jobs.jobs)))
    }

    /// The number of recordings of replays.
    fn recordings(&self) -> usize {
        let replays = self.replayed.iter().filter(|done| !done.source.starts_with(SIMULATED));
        replays.filter(|done| done.slowed == 0.0).map(|done| done.recordings).sum()
    }

    /// Slowed cells of simulations or replays that were found.
    fn found(&self, is_simulated: bool, share: Option<f64>) -> Tally {
        let of = self.replayed.iter().filter(|done| {
            done.source.starts_with(SIMULATED) == is_simulated
                && done.slowed > 0.0
                && share.is_none_or(|share| (done.slowed - share).abs() < TINY)
        });
        Tally::sum(of.flat_map(|done| done.found.values()).map(|(jobs, found)| (*found, *jobs)))
    }

    fn live_found(&self, metric: &str, share: f64) -> Tally {
        let of =
            self.slowed.iter().filter(|cells| cells.metric == metric && (cells.slowed - share).abs() < TINY);
        Tally::sum(of.map(|cells| (cells.found, cells.jobs)))
    }

    /// By how much cells were slowed down in replays or live jobs of times, ascending.
    fn sizes(&self) -> Vec<f64> {
        let replayed = self.replayed.iter().filter(|done| !done.source.starts_with(SIMULATED));
        let live = self.slowed.iter().filter(|cells| cells.metric == Compared::Time.name());
        let mut sizes: Vec<f64> = replayed
            .map(|done| done.slowed)
            .chain(live.map(|cells| cells.slowed))
            .filter(|share| *share > 0.0)
            .collect();
        sizes.sort_by(f64::total_cmp);
        sizes.dedup_by(|one, other| (*one - *other).abs() < TINY);
        sizes
    }
}

fn tally_of(done: &Replayed) -> Tally {
    Tally { found: done.confirmed, of: done.jobs }
}

/// Shares that differ by less are the same.
const TINY: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use tlslab_record::Fingerprint;

    use super::*;
    use crate::error_rates::{SameJobs, SlowedCells};

    fn replayed(source: &str, slowed: f64, confirmed: u64, found: &[(u64, u64)]) -> Replayed {
        Replayed {
            source: source.to_owned(),
            recordings: 2,
            cells: 2,
            slowed,
            jobs: 100,
            flagged_at_first: 3,
            confirmed,
            found: found.iter().enumerate().map(|(at, found)| (at.to_string(), *found)).collect(),
        }
    }

    #[test]
    fn every_claim_has_its_figures() {
        let rates = ErrorRates {
            lab_version: "1".to_owned(),
            host: Fingerprint::default(),
            confidence: 0.95,
            same: vec![SameJobs {
                kind: "twins".to_owned(),
                metric: "time".to_owned(),
                stack: "s".to_owned(),
                per_scenario_s: 20.0,
                jobs: 60,
                cells: 960,
                flagged_at_first: 1,
                confirmed: 0,
            }],
            slowed: vec![SlowedCells {
                scenario: "handshake".to_owned(),
                side: "client".to_owned(),
                metric: "time".to_owned(),
                stack: "s".to_owned(),
                per_scenario_s: 19.999,
                slowed: 0.01,
                as_set: 0.01,
                jobs: 10,
                found: 9,
                found_by_fence: None,
                ratio: 1.01,
            }],
            replayed: vec![
                replayed("simulated: normal", 0.0, 1, &[]),
                replayed("simulated: normal", 0.006, 0, &[(100, 81)]),
                replayed("replayed: s", 0.0, 0, &[]),
                replayed("replayed: s", 0.01, 0, &[(40, 39), (60, 58)]),
            ],
        };
        let table = claims_markdown(&rates);
        for row in [
            "no change of time is confirmed: jobs with a false one | 1 of 100 | 0 of 100 | 0 of 60 |",
            "four times in five | 81 of 100 | – | – |",
            "takes 1 % more is confirmed as a regression | – | 97 of 100 | 9 of 10 |",
        ] {
            assert!(table.contains(row), "{row}\n{table}");
        }
        assert_eq!(
            claims_sentence(&rates),
            "False alarms: 0 in 60 comparisons in which nothing changed (true rate at most 6.0 %, at 95 % confidence). Cells slowed by 1 % \
             that were found in 20 s a scenario: 9 of 10 (s)."
        );
    }
}
