//! Which release of a stack to skip, and which to move to.
//!
//! The input is the series of a stack, each with one value for each release in the order of versions. All of
//! it is pure; `docs/methodology/history.md` has the rules.

mod series;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_record::{Better, Series};

pub use series::{ReleasePoint, ReleaseSeries};

/// The limits of these rules. They are no policy: no verdict depends on them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// A release is worse than another one from this share on.
    pub worse: f64,
    /// A release is back at another one up to this share above it.
    pub back: f64,
    /// Differences of fewer bytes than this are negligible.
    pub least_bytes: f64,
    /// Differences of fewer contended atomic operations than this are negligible.
    pub least_atomics: f64,
    /// Differences of fewer serial instructions than this are negligible.
    pub least_serial: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { worse: 0.10, back: 0.05, least_bytes: 256.0, least_atomics: 100.0, least_serial: 10_000.0 }
    }
}

impl Limits {
    /// Differences below this are negligible in a series.
    #[must_use]
    pub fn least(&self, series: &Series) -> f64 {
        match (&*series.metric, &*series.unit) {
            ("contention.serial", _) => self.least_serial,
            (metric, _) if metric.starts_with("contention.") => self.least_atomics,
            // Any byte on the wire counts, and any call of the kernel.
            _ if series.has_no_floor() => 0.0,
            (_, "bytes") => self.least_bytes,
            _ => 0.0,
        }
    }
}

/// A release with its value in a series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReleaseValue {
    /// Its version.
    pub label: String,
    /// The value, in the series' unit; of times the ratio to the reference.
    pub value: f64,
}

/// A release that is worse in a series than an earlier one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Excess {
    /// The series.
    pub series: Series,
    /// Which of its values are better.
    pub better: Better,
    /// The earlier release: the best one, or the one before if a single step is meant.
    pub before: ReleaseValue,
    /// This release.
    pub here: ReleaseValue,
    /// The best later release, if there is any.
    pub later: Option<ReleaseValue>,
    /// The first later release that is back at the earlier one.
    pub back: Option<ReleaseValue>,
    /// How many times better the best later release or the earlier one is, whichever is closer; none if that
    /// one is 0. Without a later release only the earlier one counts.
    pub times: Option<f64>,
    /// Whether a release between them needed another driver, which may be the cause.
    pub is_other_driver: bool,
}

/// A release that is worse than both an earlier and a later one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Skipped {
    /// The release.
    pub label: String,
    /// The series in which it is, the largest excess first.
    pub because: Vec<Excess>,
}

/// The remaining excess over an earlier release.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Lasting {
    /// The excess.
    pub excess: Excess,
    /// The release with which it began.
    pub since: String,
}

/// The release to move to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MoveTo {
    /// The release.
    pub label: String,
    /// Whether no newer one was measured.
    pub is_newest: bool,
    /// The newer releases that were passed over, newest first, each with its largest excess.
    pub passed_over: Vec<Excess>,
    /// In how many series it is back at the best release.
    pub near_best: usize,
    /// How many series have a value of it.
    pub series: usize,
    /// Where it is worse than an earlier release, the largest excess first.
    pub still: Vec<Lasting>,
}

/// The release that is back at the best one in most series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Best {
    /// The release.
    pub label: String,
    /// In how many series.
    pub near_best: usize,
}

/// Which releases of a stack to skip, and which to move to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Advice {
    /// The stack.
    pub stack: String,
    /// Its releases, oldest first.
    pub releases: Vec<String>,
    /// How many series were judged.
    pub series: usize,
    /// How many were not: without a direction, or with too few comparable releases.
    pub unjudged: usize,
    /// The releases to skip, oldest first.
    pub skip: Vec<Skipped>,
    /// The largest step up from one release to the next; none if no release is worse than the one before.
    pub largest_step: Option<Excess>,
    /// The release to move to; none with fewer than two releases.
    pub move_to: Option<MoveTo>,
    /// The release that is best in most series; none with fewer than two releases.
    pub best: Option<Best>,
    /// The limits of the rules.
    pub limits: Limits,
}

impl Advice {
    /// Judges the releases of a stack, which are given oldest first, by its series. `unjudged` is the number
    /// of further series that have no direction or no comparable values.
    #[must_use]
    pub fn of(
        stack: &str,
        releases: &[&str],
        series: &[ReleaseSeries],
        unjudged: usize,
        limits: &Limits,
    ) -> Self {
        let judged: Vec<&ReleaseSeries> = series.iter().filter(|one| one.is_judged()).collect();
        let because = |label: &str| {
            let excess = judged.iter().filter_map(|one| one.excess(label, limits));
            largest_first(excess.collect())
        };
        let skip: Vec<Skipped> = releases
            .iter()
            .map(|label| Skipped { label: (*label).to_owned(), because: because(label) })
            .filter(|one| !one.because.is_empty())
            .collect();
        let steps = judged.iter().flat_map(|one| one.steps(limits)).collect();
        let mut advice = Self {
            stack: stack.to_owned(),
            releases: releases.iter().map(|label| (*label).to_owned()).collect(),
            series: judged.len(),
            unjudged: unjudged + series.len() - judged.len(),
            skip,
            largest_step: largest_first(steps).into_iter().next(),
            move_to: None,
            best: best(releases, &judged, limits),
            limits: limits.clone(),
        };
        advice.move_to = advice.choose(releases, &judged);
        advice
    }

    /// The newest release that no series condemns: it is not to be skipped, no series ends with a step up to
    /// it, and it has values in at least half of the series.
    fn choose(&self, releases: &[&str], judged: &[&ReleaseSeries]) -> Option<MoveTo> {
        if releases.len() < 2 || judged.is_empty() {
            return None;
        }
        let mut passed_over = Vec::new();
        for label in releases.iter().rev() {
            let of_it: Vec<&&ReleaseSeries> = judged.iter().filter(|one| one.has(label)).collect();
            if 2 * of_it.len() < judged.len() {
                continue;
            }
            let skipped = self.skip.iter().find(|one| one.label == **label);
            let fresh: Vec<Excess> = of_it.iter().filter_map(|one| one.fresh(label, &self.limits)).collect();
            let against = skipped.iter().flat_map(|one| one.because.clone()).chain(fresh).collect();
            match largest_first(against).into_iter().next() {
                Some(largest) => passed_over.push(largest),
                None => {
                    let still = of_it.iter().filter_map(|one| one.lasting(label, &self.limits));
                    return Some(MoveTo {
                        label: (*label).to_owned(),
                        is_newest: releases.last() == Some(label),
                        passed_over,
                        near_best: near_best(label, judged, &self.limits),
                        series: of_it.len(),
                        still: lasting_first(still.collect()),
                    });
                }
            }
        }
        None
    }
}

/// In how many series a release is back at the best one.
fn near_best(label: &str, judged: &[&ReleaseSeries], limits: &Limits) -> usize {
    judged.iter().filter(|one| one.is_near_best(label, limits)).count()
}

/// The release that is near the best one in most series; of several the newest.
fn best(releases: &[&str], judged: &[&ReleaseSeries], limits: &Limits) -> Option<Best> {
    if releases.len() < 2 || judged.is_empty() {
        return None;
    }
    let one = |label: &&str| Best { label: (*label).to_owned(), near_best: near_best(label, judged, limits) };
    releases.iter().map(one).max_by_key(|best| best.near_best)
}

/// The largest excess first; infinite ones before all others, by the difference.
fn largest_first(mut all: Vec<Excess>) -> Vec<Excess> {
    all.sort_by(Excess::order);
    all
}

fn lasting_first(mut all: Vec<Lasting>) -> Vec<Lasting> {
    all.sort_by(|one, other| one.excess.order(&other.excess));
    all
}

impl Excess {
    /// The larger excess first; one from 0 before all others, several of them by their differences.
    #[must_use]
    pub fn order(&self, other: &Self) -> Ordering {
        let times = |excess: &Self| excess.times.unwrap_or(f64::INFINITY);
        let difference = |excess: &Self| (excess.here.value - excess.before.value).abs();
        let by_size = times(other).total_cmp(&times(self));
        by_size.then(difference(other).total_cmp(&difference(self))).then(self.series.cmp(&other.series))
    }

    /// Whether another release is better than this one.
    #[must_use]
    pub fn is_better(&self, other: &ReleaseValue, limits: &Limits) -> bool {
        let times = match self.better {
            Better::Larger => other.value / self.here.value,
            _ => self.here.value / other.value,
        };
        let difference = (self.here.value - other.value).abs();
        times >= 1.0 + limits.worse && difference >= limits.least(&self.series)
    }
}
