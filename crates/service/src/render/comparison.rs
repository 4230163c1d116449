//! A comparison for a page: the next step, regressions, improvements, and the rest.

use tlslab_comparison::{
    Change, Comparison, Conclusion, Effect, Interval, Outcome, Summary, Verdict, figures, reasons, sentence,
    verdict,
};
use tlslab_pages::service::{ComparisonView, PairView, Row, Table};
use tlslab_text::{number, short_stack};

use super::advice::advice;
use super::words::{limited, line};

/// Rows of a table; the rest is in the JSON.
const MOST_ROWS: usize = 300;
/// Functions that are named of a cell.
const MOST_FUNCTIONS: usize = 3;
const MOST_WARNINGS: usize = 50;

/// Of a comparison.
pub(crate) fn comparison_view(comparison: &Comparison) -> ComparisonView {
    let of = |wanted: Verdict| table(comparison, comparison.marked(wanted));
    let (regressions, improvements) = (of(Verdict::Regression), of(Verdict::Improvement));
    let Summary { title, .. } = Summary::of(comparison);
    ComparisonView {
        class: class_of(comparison),
        advice: advice(comparison).to_owned(),
        title: line(&title),
        sentence: line(&sentence(comparison)),
        regressions,
        improvements,
        folded: folded(comparison),
        pairs: comparison.pairs.iter().map(pair_view).collect(),
        warnings: comparison.warnings.iter().take(MOST_WARNINGS).map(|text| line(text)).collect(),
        facts: facts(comparison),
    }
}

/// The verdict of a comparison, for lists.
pub(crate) fn verdict_of(comparison: &Comparison) -> tlslab_queue::Verdict {
    tlslab_queue::Verdict {
        mark: class_of(comparison).to_owned(),
        title: line(&Summary::of(comparison).title),
        sentence: line(&sentence(comparison)),
    }
}

fn class_of(comparison: &Comparison) -> &'static str {
    match (Conclusion::of(comparison), comparison.complete) {
        (conclusion @ (Conclusion::Regression | Conclusion::Failed), _) => conclusion.name(),
        (_, false) => "warning",
        (Conclusion::NotCompared, _) => "inconclusive",
        (conclusion, _) => conclusion.name(),
    }
}

fn pair_view(pair: &tlslab_comparison::Pair) -> PairView {
    let named =
        |name: &str, version: &str| limited(&line(&format!("{} ({version})", short_stack(name))), 300);
    let mut notes: Vec<String> = pair.fixed_layout.iter().take(5).map(|text| line(text)).collect();
    if pair.identical {
        notes.push("both run identical code; any difference is noise".to_owned());
    }
    let baseline = named(&pair.baseline, &pair.baseline_version);
    PairView { baseline, candidate: named(&pair.candidate, &pair.candidate_version), notes }
}

/// All cells that are not highlighted, by kind.
fn folded(comparison: &Comparison) -> Vec<(String, Table)> {
    let others = comparison.others();
    let of = |wanted: fn(&Change) -> bool| -> Vec<&Change> {
        others.iter().copied().filter(|change| wanted(change)).collect()
    };
    let is = |change: &Change, verdict| change.verdict() == Some(verdict);
    let groups: [(&str, Vec<&Change>); 7] = [
        ("without a value", of(|change| change.effect().is_none())),
        (
            "below the threshold of the cell's history",
            of(|change| change.effect().is_some_and(|effect| effect.verdict.is_flagged() && !effect.tiny)),
        ),
        (
            "changed by a negligible amount",
            of(|change| {
                change.effect().is_some_and(|effect| effect.tiny || effect.verdict == Verdict::Changed)
            }),
        ),
        ("suspected to have changed", others.iter().copied().filter(|c| is(c, Verdict::Suspect)).collect()),
        ("inconclusive", others.iter().copied().filter(|c| is(c, Verdict::Inconclusive)).collect()),
        ("unchanged", others.iter().copied().filter(|c| is(c, Verdict::NotSignificant)).collect()),
        ("identical", others.iter().copied().filter(|c| is(c, Verdict::Identical)).collect()),
    ];
    let acknowledged = ("with an acknowledged regression", comparison.acknowledged());
    let filled = std::iter::once(acknowledged).chain(groups).filter(|(_, changes)| !changes.is_empty());
    filled
        .map(|(what, changes)| {
            (format!("{} {what}", number::counted(changes.len(), "cell")), table(comparison, changes))
        })
        .collect()
}

fn table(comparison: &Comparison, changes: Vec<&Change>) -> Table {
    let more = changes.len().saturating_sub(MOST_ROWS);
    Table { rows: changes.into_iter().take(MOST_ROWS).map(|change| row(comparison, change)).collect(), more }
}

fn row(comparison: &Comparison, change: &Change) -> Row {
    let pair = comparison.pairs.get(change.pair).filter(|_| comparison.pairs.len() > 1);
    let scenario = match pair {
        Some(pair) => line(&format!("{}: {}", pair.candidate, change.scenario)),
        None => line(&change.scenario),
    };
    let (side, metric) = (change.side_name().to_owned(), change.metric.words());
    match &change.outcome {
        Outcome::Compared(effect) => Row {
            class: if change.is_highlighted() { class(effect.verdict) } else { quiet_class(effect.verdict) },
            scenario,
            side,
            metric,
            change: number::change(effect.ratio),
            interval: interval_words(effect),
            figures: figures(effect, change.metric, "→"),
            verdict: line(&verdict(comparison, change)),
            confirmed: confirmed(effect),
            functions: limited(&line(&reasons(effect, MOST_FUNCTIONS)), 500),
        },
        Outcome::Missing { baseline_missing, candidate_missing } => {
            let of = |who: &str, why: &Option<String>| why.as_ref().map(|why| format!("{who}: {why}"));
            let whys = [of("baseline", baseline_missing), of("candidate", candidate_missing)];
            let why = whys.into_iter().flatten().collect::<Vec<_>>().join("; ");
            let class = if why.contains(": failed") { "failed" } else { "unsupported" };
            let (change, interval, figures, functions) = Default::default();
            Row {
                class,
                scenario,
                side,
                metric,
                change,
                interval,
                figures,
                verdict: line(&why),
                confirmed: "",
                functions,
            }
        }
    }
}

/// The class of highlighted cells.
fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Regression => "regression",
        Verdict::Improvement => "improvement",
        other => quiet_class(other),
    }
}

/// The class of other cells: never in the colour of a verdict.
fn quiet_class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Suspect | Verdict::Inconclusive => "inconclusive",
        Verdict::NotSignificant | Verdict::Identical => "unchanged",
        Verdict::Regression | Verdict::Improvement | Verdict::Changed => "tiny",
    }
}

fn confirmed(effect: &Effect) -> &'static str {
    match &effect.confirmation {
        Some(confirmation) if confirmation.agrees => "confirmed",
        Some(_) => "not confirmed",
        None if effect.exact => "exact",
        None => "",
    }
}

fn interval_words(effect: &Effect) -> String {
    match effect.interval {
        _ if effect.exact => "exact".to_owned(),
        Some(Interval { lower, upper, .. }) => {
            format!("[{}, {}]", number::change(lower), number::change(upper))
        }
        None => "too few observations for an interval".to_owned(),
    }
}

fn facts(comparison: &Comparison) -> Vec<(&'static str, String)> {
    let design = &comparison.design;
    let mut facts = vec![
        ("Runs", line(&comparison.runs.join(", "))),
        ("Host", limited(&line(comparison.host.cpu.name.as_deref().unwrap_or_default()), 200)),
        ("Arrangement", line(&design.arrangement)),
        ("Measured for", super::words::duration((comparison.measuring_s.clamp(0.0, 1e9) * 1e3) as u64)),
        ("False discovery rate", number::percent(design.false_discovery_rate)),
        ("Negligible effect", format!("± {}", number::measured_percent(design.negligible_percent / 100.0))),
    ];
    if let Some(counter) = &design.counter {
        facts.push(("Counter", line(counter)));
    }
    if let Some(canary) = &design.canary {
        facts.push(("Canary", line(canary)));
    }
    facts.push(("Version of the lab", line(&comparison.lab_version)));
    facts.retain(|(_, text)| !text.is_empty());
    facts
}
