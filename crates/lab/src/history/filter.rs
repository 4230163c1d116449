//! Which series a history shows.

use anyhow::Context;
use globset::{GlobBuilder, GlobMatcher};
use tlslab_store::SeriesSummary;

use super::timelines::is_whole;
use crate::request::HistoryFilter;

/// A filter with its patterns read.
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
    /// One that cannot be read.
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
            Some(metric) => metric.is_match(&series.metric),
            None => is_whole(&series.metric) || one.imported,
        };
        is_metric
            && fits(&self.stack, &series.stack)
            && fits(&self.class, &series.class)
            && self.side.as_ref().is_none_or(|side| *side == series.side)
            && (self.scenarios.is_empty() || self.scenarios.iter().any(|one| one.is_match(&series.scenario)))
    }
}

fn matcher(pattern: &str, by_parts: bool) -> anyhow::Result<GlobMatcher> {
    let glob = GlobBuilder::new(pattern).literal_separator(by_parts).build();
    Ok(glob
        .with_context(|| format!("the pattern {pattern:?} cannot be read; write letters, *, ** and {{a,b}}"))?
        .compile_matcher())
}

#[cfg(test)]
mod tests {
    use tlslab_record::Series;

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
