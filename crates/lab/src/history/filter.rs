//! The series that a history shows.

use std::collections::BTreeSet;

use anyhow::Context;
use globset::{GlobBuilder, GlobMatcher};
use tlslab_record::Series;
use tlslab_store::{SeriesSummary, Store};

use super::timelines::is_whole;
use crate::problem::{ErrorKind, Problem};
use crate::request::HistoryFilter;

/// A filter with compiled patterns.
pub struct Filter {
    stack: Option<GlobMatcher>,
    scenarios: Vec<GlobMatcher>,
    side: Option<String>,
    metric: Option<GlobMatcher>,
    class: Option<GlobMatcher>,
}

impl Filter {
    /// Reads the patterns.
    ///
    /// # Errors
    /// Fails if a pattern cannot be read.
    pub fn of(asked: &HistoryFilter) -> anyhow::Result<Self> {
        let loose =
            |pattern: &Option<String>| pattern.as_deref().map(|text| matcher(text, false)).transpose();
        Ok(Self {
            stack: loose(&asked.stack)?,
            scenarios: asked.scenarios.iter().map(|text| matcher(text, true)).collect::<Result<_, _>>()?,
            side: asked.side.clone(),
            metric: loose(&asked.metric)?,
            class: loose(&asked.class)?,
        })
    }

    /// Whether a series is wanted.
    pub fn matches(&self, one: &SeriesSummary) -> bool {
        let series = &one.series;
        let fits =
            |pattern: &Option<GlobMatcher>, text: &str| pattern.as_ref().is_none_or(|one| one.is_match(text));
        let is_metric = match &self.metric {
            Some(metric) => {
                // `wire`, as other commands call it, means its metrics of a whole iteration.
                let is_first = series.metric.split('.').next() == Some(metric.glob().glob());
                metric.is_match(&series.metric) || is_first && is_whole(&series.metric)
            }
            None => is_whole(&series.metric) || one.imported,
        };
        is_metric
            && fits(&self.stack, &series.stack)
            && fits(&self.class, &series.class)
            && self.side.as_ref().is_none_or(|side| *side == series.side)
            && (self.scenarios.is_empty() || self.scenarios.iter().any(|one| one.is_match(&series.scenario)))
    }
}

/// Why no series of a database matches a filter: its first part that alone matches nothing.
///
/// # Errors
/// Fails if the database or a pattern cannot be read.
pub fn no_series(store: &dyn Store, asked: &HistoryFilter) -> anyhow::Result<Problem> {
    let all = store.series()?;
    let place = store.place().to_owned();
    if all.is_empty() {
        let next = "`tlslab run` measures, `tlslab recompute` adds runs of an older lab";
        return Ok(Problem::new(ErrorKind::Failed, place, "there is no history in it yet", next));
    }
    let one = |field: &'static str,
               value: &Option<String>,
               of: fn(&Series) -> &String,
               only: HistoryFilter| { value.clone().map(|value| (field, value, of, only)) };
    let none = HistoryFilter { metric: Some("*".to_owned()), ..HistoryFilter::default() };
    let stack = HistoryFilter { stack: asked.stack.clone(), ..none.clone() };
    let side = HistoryFilter { side: asked.side.clone(), ..none.clone() };
    let metric = HistoryFilter { metric: asked.metric.clone(), ..none.clone() };
    let class = HistoryFilter { class: asked.class.clone(), ..none.clone() };
    let scenarios = HistoryFilter { scenarios: asked.scenarios.clone(), ..none };
    let named = (!asked.scenarios.is_empty()).then(|| asked.scenarios.join(", "));
    let parts = [
        one("stack", &asked.stack, |series| &series.stack, stack),
        one("scenario", &named, |series| &series.scenario, scenarios),
        one("side", &asked.side, |series| &series.side, side),
        one("metric", &asked.metric, |series| &series.metric, metric),
        one("class", &asked.class, |series| &series.class, class),
    ];
    for (field, value, of, only) in parts.into_iter().flatten() {
        let only = Filter::of(&only)?;
        if !all.iter().any(|one| only.matches(one)) {
            let known: BTreeSet<&String> = all.iter().map(|one| of(&one.series)).collect();
            let next = match field {
                "scenario" => "* stays within a part of a name, ** does not".to_owned(),
                _ if known.len() <= MOST_LISTED => {
                    format!(
                        "there are: {}",
                        known.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ")
                    )
                }
                _ => "`tlslab history --metric '*'` lists all".to_owned(),
            };
            let cause = format!("no series in {place} matches it");
            return Ok(Problem::not_found(value, cause, next, known.into_iter().cloned()).with_field(field));
        }
    }
    let cause = "each part of the filter matches some series, but no series matches all parts";
    Ok(Problem::new(ErrorKind::NotFound, place, cause, "remove a part of the filter"))
}

/// How many names are listed.
const MOST_LISTED: usize = 12;

fn matcher(pattern: &str, by_parts: bool) -> anyhow::Result<GlobMatcher> {
    let glob = GlobBuilder::new(pattern).literal_separator(by_parts).build();
    Ok(glob
        .with_context(|| format!("the pattern {pattern:?} cannot be read; write letters, *, ** and {{a,b}}"))?
        .compile_matcher())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(metric: &str, imported: bool) -> SeriesSummary {
        let series = Series {
            scenario: "handshake/1.3/rsa-2048".into(),
            stack: "library/part".into(),
            side: "client".into(),
            metric: metric.into(),
            unit: String::new(),
            class: "c".into(),
        };
        SeriesSummary { series, points: 1, imported }
    }

    #[test]
    fn what_is_asked_for_is_shown() {
        let filter = |asked: HistoryFilter| Filter::of(&asked).unwrap();
        let all = filter(HistoryFilter::default());
        assert!(all.matches(&one("time", false)) && all.matches(&one("anything", true)));
        assert!(!all.matches(&one("count.instructions.create", false)));
        let wire = filter(HistoryFilter { metric: Some("wire".into()), ..HistoryFilter::default() });
        let metrics = ["wire.handshake", "wire.data", "wire.flight.3", "time"];
        assert_eq!(metrics.map(|metric| wire.matches(&one(metric, false))), [true, true, false, false]);
        let scenario =
            |text: &str| HistoryFilter { scenarios: vec![text.into()], ..HistoryFilter::default() };
        assert!(!filter(scenario("handshake/*")).matches(&one("time", false)));
        assert!(filter(scenario("handshake/**")).matches(&one("time", false)));
        let stack = HistoryFilter { stack: Some("library*".into()), ..HistoryFilter::default() };
        assert!(filter(stack).matches(&one("time", false)));
        let server = HistoryFilter { side: Some("server".into()), ..HistoryFilter::default() };
        assert!(!filter(server).matches(&one("time", false)));
        assert!(Filter::of(&scenario("a[")).is_err());
    }
}
