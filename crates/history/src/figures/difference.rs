//! Differences between the stored figures and those that the samples give.

use std::collections::BTreeMap;

use tlslab_record::{Figure, FigureOutcome};

/// A figure that has changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The series, and the stack where several of a run are in it.
    pub what: String,
    /// The stored value; `None` if it was not stored.
    pub kept: Option<String>,
    /// The present value; `None` if there is no value.
    pub computed: Option<String>,
}

/// Every figure that differs, in the order of the series. Values are compared to the last bit.
pub fn differences(kept: &[Figure], computed: &[Figure]) -> Vec<Difference> {
    let index = |figures: &[Figure]| -> BTreeMap<_, _> {
        figures.iter().map(|figure| ((figure.series.clone(), figure.place), figure.clone())).collect()
    };
    let (kept, computed) = (index(kept), index(computed));
    let mut keys: Vec<_> = kept.keys().chain(computed.keys()).collect();
    keys.sort();
    keys.dedup();
    let differing = keys.into_iter().filter(|key| kept.get(key) != computed.get(key));
    differing
        .map(|key| {
            let text = |figures: &BTreeMap<_, Figure>| figures.get(key).map(describe);
            Difference { what: key.0.to_string(), kept: text(&kept), computed: text(&computed) }
        })
        .collect()
}

fn describe(figure: &Figure) -> String {
    let outcome = match &figure.outcome {
        FigureOutcome::Value(value) => match (value.lower, value.upper) {
            (Some(lower), Some(upper)) => format!("{} ({lower} to {upper}), n {}", value.value, value.n),
            _ => format!("{}, n {}", value.value, value.n),
        },
        FigureOutcome::Unsupported { unsupported } => format!("unsupported: {unsupported}"),
        FigureOutcome::Failed { failed } => format!("failed: {failed}"),
    };
    format!("{outcome} [{}; {}]", figure.label, figure.epoch)
}

#[cfg(test)]
mod tests {
    use tlslab_record::{FigureValue, Series};

    use super::*;

    fn figure(scenario: &str, value: f64) -> Figure {
        let text = str::to_owned;
        let series = Series {
            scenario: text(scenario),
            stack: text("s"),
            side: text("client"),
            metric: text("time"),
            unit: text("µs"),
            class: text("c"),
        };
        let value = FigureValue { value, lower: None, upper: None, n: 3 };
        let outcome = FigureOutcome::Value(value);
        Figure { series, stack: text("s@1"), place: 0, label: text("1"), epoch: text("e"), outcome }
    }

    #[test]
    fn what_changed_came_or_went_is_reported() {
        let kept = [figure("a", 1.0), figure("b", 2.0), figure("c", 3.0)];
        let computed = [figure("d", 4.0), figure("c", 3.0), figure("b", 2.0_f64.next_up())];
        let found = differences(&kept, &computed);
        let parts: Vec<_> =
            found.iter().map(|one| (&one.what[..1], one.kept.is_some(), one.computed.is_some())).collect();
        assert_eq!(parts, [("a", true, false), ("b", true, true), ("d", false, true)]);
        assert_eq!(found[0].kept.as_deref(), Some("1, n 3 [1; e]"));
        assert!(differences(&kept, &kept).is_empty());
    }
}
