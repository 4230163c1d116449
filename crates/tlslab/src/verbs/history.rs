//! `tlslab history`: how figures went over time.

use anyhow::{Context, bail};
use globset::{GlobBuilder, GlobMatcher};
use tlslab_lab::{Environment, Order, explain, is_whole, timelines};
use tlslab_record::Series;
use tlslab_store::SeriesSummary;
use tlslab_timeline::{Timelines, html, json, markdown, terminal};

use crate::Ended;
use crate::cli::{HistoryArgs, HistoryFormat};
use crate::results::open_store;
use crate::session::{CachedBuilds, in_session};

/// Prints the histories that were asked for.
pub fn history(environment: &Environment, args: &HistoryArgs) -> anyhow::Result<Ended> {
    let store = open_store(&args.kept)?;
    let asked = Asked::of(args)?;
    let wanted = |one: &SeriesSummary| {
        let is_metric = match &asked.metric {
            Some(metric) => metric.is_match(&one.series.metric),
            None => is_whole(&one.series.metric) || one.imported,
        };
        is_metric && asked.matches(&one.series)
    };
    let order = if args.by_version { Order::Version } else { Order::Time };
    let mut timelines =
        timelines(&*store, args.reference.as_deref(), order, &environment.policy.history, &wanted)?;
    if timelines.is_empty() {
        bail!(
            "no series in {} matches the filter; `tlslab history --metric '*'` lists all, `tlslab recompute` adds runs of an older lab",
            store.place()
        );
    }
    if let Some(most) = args.explain {
        let done = in_session(environment, CachedBuilds::Hidden, |session| {
            Ok(explain(session, &*store, &mut timelines, most)?)
        });
        done.map_err(anyhow::Error::from)?;
    }
    let timelines = Timelines { format: Timelines::FORMAT, reference: args.reference.clone(), timelines };
    let text = match args.format {
        HistoryFormat::Table => terminal(&timelines),
        HistoryFormat::Markdown => markdown(&timelines),
        HistoryFormat::Json => json(&timelines),
        HistoryFormat::Html => html(&timelines),
    };
    print!("{text}");
    Ok(Ended::Well)
}

/// What was asked for, as patterns.
struct Asked {
    stack: Option<GlobMatcher>,
    scenarios: Vec<GlobMatcher>,
    side: Option<String>,
    metric: Option<GlobMatcher>,
    class: Option<GlobMatcher>,
}

impl Asked {
    fn of(args: &HistoryArgs) -> anyhow::Result<Self> {
        let loose =
            |pattern: &Option<String>| pattern.as_deref().map(|text| matcher(text, false)).transpose();
        Ok(Self {
            stack: loose(&args.stack)?,
            scenarios: args.scenarios.iter().map(|text| matcher(text, true)).collect::<Result<_, _>>()?,
            side: args.side.clone(),
            metric: loose(&args.metric)?,
            class: loose(&args.class)?,
        })
    }

    /// All but the metric.
    fn matches(&self, series: &Series) -> bool {
        let fits =
            |pattern: &Option<GlobMatcher>, text: &str| pattern.as_ref().is_none_or(|one| one.is_match(text));
        fits(&self.stack, &series.stack)
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
