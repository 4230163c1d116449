//! The releases of one series, held against each other.

use tlslab_record::{Better, Series};

use super::{Excess, Lasting, Limits, ReleaseValue};

/// One release in a series.
#[derive(Clone, Debug, PartialEq)]
pub struct ReleasePoint {
    /// Its version.
    pub label: String,
    /// Its value.
    pub value: f64,
    /// The number of its stretch: releases of different stretches cannot be compared.
    pub stretch: usize,
    /// Whether it needed another driver than the release before it.
    pub is_other_driver: bool,
}

/// A series with one value for each release, oldest first.
#[derive(Clone, Debug, PartialEq)]
pub struct ReleaseSeries {
    /// The series.
    pub series: Series,
    /// Which of its values are better.
    pub better: Better,
    /// The releases that have a value.
    pub releases: Vec<ReleasePoint>,
}

impl ReleaseSeries {
    /// Whether its direction is known and two releases can be compared.
    pub(super) fn is_judged(&self) -> bool {
        let is_pair = |pair: &[ReleasePoint]| pair[0].stretch == pair[1].stretch;
        self.better != Better::Unknown && self.releases.windows(2).any(is_pair)
    }

    /// Whether it has a value of a release.
    pub(super) fn has(&self, label: &str) -> bool {
        self.place(label).is_some()
    }

    fn place(&self, label: &str) -> Option<usize> {
        self.releases.iter().position(|release| release.label == label)
    }

    /// The cost of a release: smaller is better, whatever the direction of the series.
    fn cost(&self, at: usize) -> f64 {
        let value = self.releases[at].value;
        match self.better {
            Better::Larger => 1.0 / value,
            _ => value,
        }
    }

    fn times(&self, at: usize, than: usize) -> f64 {
        match (self.cost(at), self.cost(than)) {
            (at, than) if at == than => 1.0,
            (at, than) => at / than,
        }
    }

    /// Whether two releases differ by less than is of interest.
    fn is_negligible(&self, at: usize, than: usize, limits: &Limits) -> bool {
        (self.releases[at].value - self.releases[than].value).abs() < limits.least(&self.series)
    }

    fn is_worse(&self, at: usize, than: usize, limits: &Limits) -> bool {
        self.times(at, than) >= 1.0 + limits.worse && !self.is_negligible(at, than, limits)
    }

    fn is_back(&self, at: usize, than: usize, limits: &Limits) -> bool {
        self.times(at, than) <= 1.0 + limits.back || self.is_negligible(at, than, limits)
    }

    /// The releases that a release can be compared with.
    fn stretch(&self, at: usize) -> std::ops::Range<usize> {
        let is_other = |release: &&ReleasePoint| release.stretch != self.releases[at].stretch;
        let before = self.releases[..at].iter().rev().take_while(|one| !is_other(one)).count();
        let after = self.releases[at..].iter().take_while(|one| !is_other(one)).count();
        at - before..at + after
    }

    /// The cheapest of some releases; of several the first.
    fn cheapest(&self, mut among: impl Iterator<Item = usize>) -> Option<usize> {
        let first = among.next()?;
        Some(among.fold(first, |best, at| if self.cost(at) < self.cost(best) { at } else { best }))
    }

    fn value(&self, at: usize) -> ReleaseValue {
        let ReleasePoint { label, value, .. } = &self.releases[at];
        ReleaseValue { label: label.clone(), value: *value }
    }

    /// How a release compares with an earlier one, and with those after it.
    fn compared(&self, at: usize, before: usize, limits: &Limits) -> Excess {
        let after = at + 1..self.stretch(at).end;
        let later = self.cheapest(after.clone());
        let back = after.clone().find(|&later| self.is_back(later, before, limits));
        let over_later = later.map_or(f64::INFINITY, |later| self.times(at, later));
        Excess {
            series: self.series.clone(),
            better: self.better,
            before: self.value(before),
            here: self.value(at),
            later: later.map(|later| self.value(later)),
            back: back.map(|back| self.value(back)),
            times: Some(self.times(at, before).min(over_later)).filter(|times| times.is_finite()),
            is_other_driver: self.releases[before + 1..=at].iter().any(|one| one.is_other_driver),
        }
    }

    /// Why to skip a release: it is worse than the cheapest earlier one and than the cheapest later one.
    pub(super) fn excess(&self, label: &str, limits: &Limits) -> Option<Excess> {
        let at = self.place(label)?;
        let stretch = self.stretch(at);
        let before = self.cheapest(stretch.start..at)?;
        let later = self.cheapest(at + 1..stretch.end)?;
        let is_skipped = self.is_worse(at, before, limits) && self.is_worse(at, later, limits);
        is_skipped.then(|| self.compared(at, before, limits))
    }

    /// The last release of the series if it is worse than the one before: no later one shows whether that
    /// lasts.
    pub(super) fn fresh(&self, label: &str, limits: &Limits) -> Option<Excess> {
        let at = self.place(label)?;
        let before = at.checked_sub(1).filter(|before| self.stretch(at).contains(before))?;
        let is_fresh = at + 1 == self.releases.len() && self.is_worse(at, before, limits);
        is_fresh.then(|| self.compared(at, before, limits))
    }

    /// Where a release is worse than the cheapest earlier one, and since which release all are.
    pub(super) fn lasting(&self, label: &str, limits: &Limits) -> Option<Lasting> {
        let at = self.place(label)?;
        let before = self.cheapest(self.stretch(at).start..at)?;
        if !self.is_worse(at, before, limits) {
            return None;
        }
        let since = (before + 1..=at).rev().take_while(|&one| self.is_worse(one, before, limits)).last()?;
        // Later releases do not count for a change that lasts until this one.
        let mut excess = self.compared(at, before, limits);
        (excess.later, excess.back) = (None, None);
        excess.times = Some(self.times(at, before)).filter(|times| times.is_finite());
        Some(Lasting { excess, since: self.releases[since].label.clone() })
    }

    /// The steps up from one release to the next that are not negligible, of any share.
    pub(super) fn steps(&self, limits: &Limits) -> Vec<Excess> {
        let is_step = |&at: &usize| {
            self.stretch(at).contains(&(at - 1))
                && self.times(at, at - 1) > 1.0
                && !self.is_negligible(at, at - 1, limits)
        };
        let step = |at: usize| {
            let mut excess = self.compared(at, at - 1, limits);
            excess.times = Some(self.times(at, at - 1)).filter(|times| times.is_finite());
            excess
        };
        (1..self.releases.len()).filter(is_step).map(step).collect()
    }

    /// Whether a release is back at the cheapest one that it can be compared with.
    pub(super) fn is_near_best(&self, label: &str, limits: &Limits) -> bool {
        let Some(at) = self.place(label) else { return false };
        self.cheapest(self.stretch(at)).is_some_and(|best| self.is_back(at, best, limits))
    }
}
