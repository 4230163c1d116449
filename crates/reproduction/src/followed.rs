//! A claim of a comparison: that a change of one figure changes another one.

use schemars::JsonSchema;
use serde::Deserialize;
use tlslab_comparison::{Change, Compared, Comparison, Verdict as ComparedVerdict};

use crate::compared_cell::here;
use crate::judged::{Judged, Verdict};
use crate::model::{Case, Claim};
use crate::said::Said;
use crate::terms::Quantifier;

/// That cells with a change of one metric have one of another metric, too.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FollowedOf {
    #[serde(flatten)]
    pub said: Said,
    /// The metric whose regressions and improvements are looked at, such as `count.instructions`.
    pub of: Compared,
    /// The metric that follows, such as `time`.
    pub then: Compared,
    /// Whether it may have become smaller where the first became larger; else both go the same way.
    #[serde(default)]
    pub either_way: bool,
    /// In how many of those cells.
    pub quantifier: Quantifier,
}

impl FollowedOf {
    /// One case of all cells: how many follow. A cell without a confirmed change is open.
    pub(crate) fn claim(&self, comparison: &Comparison, of_pair: &str, basis: &str) -> Claim {
        let changed = comparison.changes.iter().filter_map(|change| {
            let verdict = change.effect()?.verdict;
            (change.metric == self.of && verdict.is_flagged()).then_some((change, verdict))
        });
        let followed = changed.filter_map(|(change, verdict)| {
            let is_it = |other: &&Change| {
                other.metric == self.then
                    && (&other.scenario, other.side_name()) == (&change.scenario, change.side_name())
            };
            let then = comparison.changes.iter().find(is_it)?;
            let judged = Judged::because(self.verdict(verdict, then), String::new());
            Some(Case::new(then.place(), self.said.group, here(then, |ratio| ratio), judged))
        });
        let cells: Vec<Case> = followed.collect();
        let ratio = format!(
            "cells whose {} follows a change of {}, of all with one",
            self.then.name(),
            self.of.name()
        );
        let case = self.quantifier.over(of_pair.to_owned(), &cells);
        Claim { terms: self.quantifier.terms(), ..self.said.claim(ratio, basis, vec![case]) }
    }

    /// Whether a cell's other metric follows.
    fn verdict(&self, changed: ComparedVerdict, then: &Change) -> Verdict {
        match then.effect().map(|effect| effect.verdict) {
            None => Verdict::NotMeasured,
            Some(same) if same == changed || self.either_way && same.is_flagged() => Verdict::Holds,
            Some(ComparedVerdict::Inconclusive | ComparedVerdict::Suspect) => Verdict::Inconclusive,
            Some(_) => Verdict::DoesNotHold,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(either_way: bool) -> FollowedOf {
        let text = format!(
            "says = \"it follows\"\npublished = \"it follows\"\nof = \"count.instructions\"\nthen = \"time\"\n\
             quantifier = \"most\"\neither_way = {either_way}\n"
        );
        toml::from_str(&text).unwrap()
    }

    /// A real comparison with changes of these verdicts: of instructions and of time in each cell.
    fn comparison(cells: &[(&str, &str)]) -> Comparison {
        let recorded = include_str!("../../../docs/recorded/comparison.json");
        let mut whole: serde_json::Value = serde_json::from_str(recorded).unwrap();
        let changes = whole["changes"].as_array().unwrap();
        let template = changes.iter().find(|change| change["side"] == "client").unwrap().clone();
        let change = |at: usize, metric: &str, verdict: &str| {
            let mut change = template.clone();
            change["scenario"] = at.to_string().into();
            change["metric"] = metric.into();
            change["verdict"] = verdict.into();
            change
        };
        let of_cell = |(at, (counted, timed)): (usize, &(&str, &str))| {
            [change(at, "count.instructions", counted), change(at, "time", timed)]
        };
        let changes: Vec<serde_json::Value> = cells.iter().enumerate().flat_map(of_cell).collect();
        whole["changes"] = changes.into();
        serde_json::from_value(whole).unwrap()
    }

    #[test]
    fn a_change_is_followed_to_the_same_side_or_to_either() {
        let cells = [
            ("regression", "regression"),
            ("regression", "improvement"),
            ("regression", "improvement"),
            ("improvement", "not_significant"),
            ("not_significant", "regression"),
        ];
        let verdict = |either_way: bool, cells: &[(&str, &str)]| {
            let claim = claim(either_way).claim(&comparison(cells), "new over old", "fair");
            let judged = claim.here[0].judged.clone();
            (judged.verdict, judged.reason.unwrap())
        };
        assert_eq!(verdict(false, &cells), (Verdict::DoesNotHold, "in 1 of 4 rows".to_owned()));
        assert_eq!(verdict(true, &cells), (Verdict::Holds, "in 3 of 4 rows".to_owned()));
        let open = [("regression", "regression"), ("regression", "inconclusive")];
        assert_eq!(verdict(false, &open), (Verdict::Inconclusive, "in 1 of 2 rows, 1 open".to_owned()));
    }
}
