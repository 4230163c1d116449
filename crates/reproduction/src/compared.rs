//! A comparison that a document makes claims about.

use schemars::JsonSchema;
use serde::Deserialize;
use tlslab_comparison::{
    Change, Compared, Comparison, Verdict as ComparedVerdict, reasons, sentence, verdict,
};
use tlslab_protocol::{Measure, Side};

use crate::compared_cell::here;
use crate::followed::FollowedOf;
use crate::judged::{Judged, Verdict};
use crate::model::{Case, Claim, Column, Entry, Row, RunNote, Table};
use crate::parts::{Basis, each_once};
use crate::said::Said;
use crate::terms::Direction;

/// A comparison that a document needs.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ComparisonOf {
    /// Its name.
    pub name: String,
    /// A few words.
    pub title: String,
    /// Under which conditions.
    #[serde(default)]
    pub basis: Basis,
    /// The baseline: a stack, perhaps as `NAME=STACK`. `{folder}` is the folder that the document lies in.
    #[serde(rename = "base")]
    pub baseline: String,
    /// The candidate, in the same form.
    #[serde(rename = "new")]
    pub candidate: String,
    /// Patterns over names of scenarios.
    pub scenarios: Vec<String>,
    /// The metrics; time and instructions by default.
    #[serde(default)]
    pub metrics: Vec<Measure>,
    /// How long measuring times takes at most, s; confirmation and counting come on top of it.
    pub budget_s: f64,
    /// Limits of the figures.
    #[serde(default)]
    pub note: Option<String>,
    /// The document's claims on it.
    #[serde(default)]
    pub(crate) claims: Vec<ComparedClaimOf>,
    /// Its claims that one metric follows another.
    #[serde(default)]
    pub(crate) follows: Vec<FollowedOf>,
}

/// A claim of a change, for every cell of a metric.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ComparedClaimOf {
    #[serde(flatten)]
    pub said: Said,
    /// The metric, as the comparison calls it.
    pub metric: Compared,
    /// With what the names of its scenarios begin, one of these; all where none is said.
    #[serde(default)]
    pub within: Vec<String>,
    /// The side; both by default.
    #[serde(default)]
    pub side: Option<Side>,
}

impl ComparisonOf {
    pub(crate) fn check(&self) -> Result<(), String> {
        if !(self.budget_s > 0.0 && self.budget_s <= 100_000.0) {
            return Err("budget_s is from 0 to 100000".to_owned());
        }
        if self.scenarios.is_empty() {
            return Err("it has no scenarios".to_owned());
        }
        for claim in &self.claims {
            claim.said.check()?;
            if claim.said.throughput.is_some() && claim.metric != Compared::Time {
                let (says, metric) = (&claim.said.says, claim.metric.name());
                return Err(format!(
                    "claim \"{says}\": throughput is of a claim about times, and {metric} is no time"
                ));
            }
        }
        Ok(())
    }

    /// The stacks to be compared, with the document's folder.
    pub fn stacks(&self, folder: &str) -> [String; 2] {
        [&self.baseline, &self.candidate].map(|stack| stack.replace("{folder}", folder))
    }

    pub(crate) fn describe(&self, comparison: &Comparison) -> RunNote {
        RunNote {
            measurement: self.name.clone(),
            title: self.title.clone(),
            basis: self.basis.words().to_owned(),
            run: comparison.runs.join(", "),
            measuring_s: comparison.measuring_s,
            warnings: each_once(&comparison.warnings),
        }
    }

    /// Every cell with its verdict.
    pub(crate) fn table(&self, comparison: &Comparison) -> Table {
        let rows = comparison.changes.iter().map(|change| Row {
            labels: vec![
                change.scenario.clone(),
                change.side_name().to_owned(),
                change.metric.name().to_owned(),
            ],
            entries: vec![Entry::new(None, here(change, |ratio| 100.0 * (ratio - 1.0)))],
            words: match change.effect() {
                Some(effect) => vec![verdict(comparison, change), reasons(effect, FUNCTIONS)],
                None => vec![String::new(), String::new()],
            },
        });
        let own = self.note.iter().map(String::as_str);
        let note = [sentence(comparison).as_str()].into_iter().chain(own).collect::<Vec<_>>().join(" ");
        Table {
            title: self.title.clone(),
            basis: self.basis.words().to_owned(),
            labels: ["scenario", "side", "metric"].map(str::to_owned).to_vec(),
            columns: vec![Column { title: "change".to_owned(), unit: "%".to_owned() }],
            words: ["verdict", "what did it"].map(str::to_owned).to_vec(),
            rows: rows.collect(),
            note: Some(note),
            ..Table::default()
        }
    }

    /// Its claims. `measured_s` is how long the whole document was measured.
    pub(crate) fn claims<'c>(
        &'c self,
        comparison: &'c Comparison,
        measured_s: f64,
    ) -> impl Iterator<Item = Claim> + 'c {
        let of_pair =
            comparison.pairs.first().map(|pair| format!("{} over {}", pair.candidate, pair.baseline));
        let of_pair = of_pair.unwrap_or_default();
        let follow: Vec<Claim> =
            self.follows.iter().map(|of| of.claim(comparison, &of_pair, self.basis.words())).collect();
        let claims = self.claims.iter().map(move |claim| {
            let cells = comparison.changes.iter().filter(|change| claim.is_of(change));
            let ratio = format!("{}, {of_pair}", claim.metric.name());
            let cells = cells.map(|change| claim.case(comparison, change, measured_s)).collect();
            claim.said.claim(ratio, self.basis.words(), cells)
        });
        claims.chain(follow)
    }
}

impl ComparedClaimOf {
    /// A cell. If the document claims no change and gives no threshold, any confirmed change contradicts it,
    /// however small: the lab's own threshold does not outweigh the page's table.
    fn case(&self, comparison: &Comparison, change: &Change, measured_s: f64) -> Case {
        let found = here(change, |ratio| ratio);
        let terms = self.said.terms();
        let mut judged = Judged::of(&terms, &found, measured_s);
        let is_equal = terms.direction == Some(Direction::Equal) && terms.own_size;
        let is_confirmed = change.effect().is_some_and(|effect| {
            matches!(effect.verdict, ComparedVerdict::Regression | ComparedVerdict::Improvement)
        });
        if is_equal && is_confirmed && judged.verdict == Verdict::Holds {
            let reason = format!("{}, within the lab's own threshold", verdict(comparison, change));
            judged = Judged { reason: Some(reason), verdict: Verdict::DoesNotHold, ..judged };
        }
        Case::new(change.place(), self.said.group, found, judged)
    }

    fn is_of(&self, change: &Change) -> bool {
        let is_within = |start: &String| change.scenario.starts_with(start.as_str());
        change.metric == self.metric
            && (self.within.is_empty() || self.within.iter().any(is_within))
            && self.side.is_none_or(|side| change.side == Some(side))
    }
}

/// Functions that are shown with a change.
const FUNCTIONS: usize = 3;
