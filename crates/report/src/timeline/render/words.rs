//! Text that all renderings share.

use tlslab_comparison::{Compared, Reason};
use tlslab_history::{Cause, Change};
use tlslab_record::{Better, Epoch, Series};
use tlslab_text::number::{change, counted, figure, measured_percent, signed};

use crate::timeline::model::{Explanation, Measured, Timeline};

/// A ratio as a change; there is no ratio to 0.
pub(super) fn write_change(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "from 0".to_owned(), change)
}

/// A metric as a text names it.
pub(super) fn metric_words(metric: &str) -> &str {
    let compared = Compared::ALL.into_iter().find(|compared| compared.name() == metric);
    match (metric, compared) {
        ("idle.heap", _) => "heap of an idle connection",
        (_, Some(compared)) => compared.words(),
        (other, None) => other,
    }
}

/// A value with its bounds, and how many times that of the reference it is.
pub(super) fn with_bounds(point: &Measured) -> String {
    let value = match (point.lower, point.upper) {
        (Some(lower), Some(upper)) if lower != upper => {
            format!("{} ({} to {})", figure(point.value), figure(lower), figure(upper))
        }
        _ => figure(point.value),
    };
    match (point.reference, &point.reference_version) {
        (Some(reference), Some(version)) => {
            format!("{value}, {:.4} of the reference {version}", point.value / reference)
        }
        _ => value,
    }
}

/// `2026-11-21 14:03`.
pub(super) fn when(started: &str) -> String {
    started.get(..16).unwrap_or(started).replace('T', " ")
}

/// The cell: scenario, stack, side, metric and unit.
pub(super) fn cell(series: &Series) -> String {
    let Series { scenario, stack, side, metric, unit, .. } = series;
    let side = if side.is_empty() { String::new() } else { format!(" {side}") };
    let unit = if unit.is_empty() { String::new() } else { format!(" [{unit}]") };
    format!("{scenario} {stack}{side} {metric}{unit}")
}

/// The change at a point.
pub(super) fn describe(timeline: &Timeline, change_: &Change) -> String {
    let Change { at, label, before, after, ratio, p_value, cause } = change_;
    let levels = format!("{} → {} ({})", figure(*before), figure(*after), write_change(*ratio));
    let p = p_value.map(|p| if p < 0.001 { format!(", p {p:.0e}") } else { format!(", p {p:.3}") });
    let p = p.unwrap_or_default();
    match cause {
        Cause::Change if timeline.better == Better::Unknown => {
            let word = if after > before { "rises" } else { "falls" };
            format!("{word} at {label}: {levels}{p}; which values are better is unknown")
        }
        Cause::Change => format!("changed at {label}: {levels}{p}"),
        Cause::Epoch if timeline.environment_change(*at).is_some() => {
            format!("{label} again, in another environment: {levels}{p}; the environment changed it")
        }
        Cause::Epoch => {
            format!(
                "another environment from {label} on: {levels}{p}; it cannot be attributed to the program"
            )
        }
        Cause::Machine => format!("the machine changed at {label}: the reference {levels}{p}"),
    }
}

/// The cause of a changed count at a point, if it is known.
pub(super) fn explanation(timeline: &Timeline, at: usize) -> Option<String> {
    let Explanation { functions, between } = timeline.reasons.get(&at)?;
    let function = |reason: &Reason| format!("{} {}", reason.function, signed(reason.change.round()));
    let mut parts: Vec<String> = functions.iter().map(function).collect();
    if !between.is_empty() {
        parts.push(format!("not measured between them: {}", between.join(", ")));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The differences of a new epoch from the one before; all of it for the first.
pub(super) fn epoch(timeline: &Timeline, at: usize) -> String {
    let now = &timeline.points[at].epoch;
    let Some(before) = at.checked_sub(1).map(|before| &timeline.points[before].epoch) else {
        return now.clone();
    };
    let mut new = Epoch::read(now).since(&Epoch::read(before));
    new.extend(timeline.explained.get(&at).cloned());
    if new.is_empty() { now.clone() } else { new.join("; ") }
}

/// The significance threshold for a new run.
pub(super) fn threshold(timeline: &Timeline) -> Option<String> {
    let history = timeline.history.as_ref()?;
    let threshold = history.threshold?;
    let band = match history.band {
        Some(0.0) => "; counts repeat exactly".to_owned(),
        Some(band) => format!("; counts vary within a band of ±{}", measured_percent(band)),
        None => String::new(),
    };
    Some(format!(
        "significance threshold: {} or {} from the last level{band}",
        change((-threshold).exp()),
        change(threshold.exp())
    ))
}

/// That there are too few points for a step, without their number.
fn too_few(timeline: &Timeline) -> String {
    format!("none: too few points to judge a step (at least {} are needed)", timeline.needed)
}

/// The last level and the last change, in one line.
pub(super) fn summary(timeline: &Timeline) -> [String; 3] {
    let level = timeline.segments().last().map(|segment| figure(segment.level)).unwrap_or_else(|| {
        timeline.points.last().map(|point| figure(point.value)).unwrap_or_else(|| "–".to_owned())
    });
    let last = timeline.changes().last().map(|last| {
        format!(
            "{} at {} ({})",
            write_change(last.ratio),
            last.label,
            when(&timeline.points[last.at].started)
        )
    });
    let points = match timeline.holes.len() {
        0 => timeline.points.len().to_string(),
        holes => format!("{} and {}", timeline.points.len(), counted(holes, "hole")),
    };
    let none = || timeline.too_few().map_or_else(|| "none".to_owned(), |_| too_few(timeline));
    [points, level, last.unwrap_or_else(none)]
}
