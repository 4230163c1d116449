//! Comparisons that were recorded.

use tlslab_comparison::{Comparison, Summary, sentence};
use tlslab_job::Outcome;
use tlslab_pages::Target;
use tlslab_pages::comparison_target;
use tlslab_pages::site::ComparisonLine;

use crate::catalogue::time;
use crate::source::Source;

/// The kinds of jobs that compare.
const KINDS: [&str; 2] = ["compare", "compare-runs"];

/// A comparison of the database: its place, its line, and its job.
pub(crate) struct Entry {
    /// Its page.
    pub target: Target,
    /// Its line in a list.
    pub line: ComparisonLine,
    /// The job.
    pub job: String,
}

/// All comparisons, the last that ended first.
///
/// # Errors
/// Fails if the database cannot be read.
pub(crate) fn comparisons(source: &Source) -> anyhow::Result<Vec<Entry>> {
    let mut all = Vec::new();
    for kind in KINDS {
        for summary in source.outcomes(kind)? {
            let Outcome::Comparison(comparison) = source.outcome(&summary.id)? else { continue };
            let target = comparison_target(&comparison);
            let Target::Comparison(id) = target.clone() else { continue };
            let Summary { conclusion, title: verdict, .. } = Summary::of(&comparison);
            let line = ComparisonLine {
                id,
                ended: time(summary.ended_unix_ms),
                title: title(&comparison),
                sentence: sentence(&comparison),
                mark: conclusion.name().to_owned(),
                verdict,
            };
            all.push(Entry { target, line, job: summary.id });
        }
    }
    all.sort_by(|one, other| other.line.ended.cmp(&one.line.ended));
    // Later outcomes of the same runs replace earlier ones.
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|entry| seen.insert(entry.target.clone()));
    Ok(all)
}

/// A comparison of the database.
///
/// # Errors
/// Fails if the database cannot be read.
pub(crate) fn comparison(source: &Source, job: &str) -> anyhow::Result<Option<Comparison>> {
    match source.outcome(job)? {
        Outcome::Comparison(comparison) => Ok(Some(*comparison)),
        _ => Ok(None),
    }
}

fn title(comparison: &Comparison) -> String {
    let pairs = comparison.pairs.iter().map(|pair| format!("{} → {}", pair.baseline, pair.candidate));
    pairs.collect::<Vec<_>>().join(", ")
}
