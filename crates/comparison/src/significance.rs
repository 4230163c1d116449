//! Which changes count: one rule for marks, the first line, the exit status and the status of a commit.
//!
//! A confirmed change is significant if it exceeds the policy's floor and, if its history has one, the cell's
//! own threshold. A regression that a maintainer has acknowledged is significant, but makes nothing fail.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::compared::Compared;
use crate::model::{Acknowledgement, Change, Comparison, Design, Effect, Tracked};
use crate::verdict::Verdict;

/// The arrangement of runs that were measured apart.
pub(crate) const APART: &str = "apart";

/// Which changes make a comparison fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FailOn {
    /// A significant regression.
    Regression,
    /// Any significant change.
    Change,
    /// Every confirmed regression, whatever its size.
    AnyRegression,
}

/// The threshold that decides whether a cell's change is significant.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Rule {
    /// The cell's own, from its history.
    Own(Tracked),
    /// The policy's floor, as a share.
    Floor(f64),
}

impl Effect {
    /// Whether it is a confirmed change that exceeds the threshold of its cell.
    pub fn is_significant(&self) -> bool {
        let is_above = |tracked: Tracked| self.ratio.ln().abs() > tracked.threshold;
        self.verdict.is_flagged() && !self.tiny && self.tracked.is_none_or(is_above)
    }

    /// Whether it is an acknowledged regression: its interval reaches down to the acknowledged size.
    pub fn is_acknowledged(&self) -> bool {
        let smallest = match self.interval {
            Some(interval) if !self.exact => interval.lower.min(self.ratio),
            _ => self.ratio,
        };
        let covers = |known: &Acknowledgement| smallest <= known.up_to * (1.0 + ROUNDING);
        self.verdict == Verdict::Regression && self.acknowledged.as_ref().is_some_and(covers)
    }
}

/// A size that was read from a file is the one that was computed, but for its last digits.
const ROUNDING: f64 = 1e-9;

impl Change {
    /// Whether it changed significantly.
    pub fn is_significant(&self) -> bool {
        self.effect().is_some_and(Effect::is_significant)
    }

    /// Whether a maintainer has acknowledged its regression.
    pub fn is_acknowledged(&self) -> bool {
        self.effect().is_some_and(Effect::is_acknowledged)
    }

    /// Whether a report marks it: a significant change that is not acknowledged.
    pub fn is_highlighted(&self) -> bool {
        self.is_significant() && !self.is_acknowledged()
    }

    fn makes_fail(&self, fail_on: FailOn) -> bool {
        let is_regression = self.verdict() == Some(Verdict::Regression);
        match fail_on {
            FailOn::Regression => is_regression && self.is_highlighted(),
            FailOn::Change => self.is_highlighted(),
            FailOn::AnyRegression => is_regression && !self.is_acknowledged(),
        }
    }
}

impl Comparison {
    /// Whether a change makes it fail.
    pub fn fails_on(&self, fail_on: FailOn) -> bool {
        self.changes.iter().any(|change| change.makes_fail(fail_on))
    }

    /// The threshold that decides about a cell.
    pub fn rule(&self, change: &Change) -> Rule {
        let floor = self.design.floor(change.metric);
        let tracked = change.effect().and_then(|effect| effect.tracked);
        match tracked.filter(|tracked| tracked.threshold > floor.ln_1p()) {
            Some(tracked) => Rule::Own(tracked),
            None => Rule::Floor(floor),
        }
    }

    /// The marked changes with this verdict, the largest first.
    pub fn marked(&self, verdict: Verdict) -> Vec<&Change> {
        self.highlighted().into_iter().filter(|change| change.verdict() == Some(verdict)).collect()
    }

    /// Regressions that a maintainer has acknowledged and that are significant, the largest first.
    pub fn acknowledged(&self) -> Vec<&Change> {
        let mut flagged = self.flagged();
        flagged.retain(|change| change.is_significant() && change.is_acknowledged());
        flagged
    }
}

impl Design {
    /// The policy's floor of a metric, as a share: smaller changes do not count, or are negligible.
    pub(crate) fn floor(&self, metric: Compared) -> f64 {
        let percent = match metric {
            Compared::Time => self.time_floor_percent,
            metric if metric.has_no_floor() => 0.0,
            _ if self.arrangement == APART => self.exact_floor_percent,
            _ => self.exact_floor_percent.max(self.negligible_percent),
        };
        percent / 100.0
    }
}
