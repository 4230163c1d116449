//! Small pictures from data. Their labels are text next to them or for screen readers.

use std::fmt::Write;

use crate::embed::Html;

/// A stepped line of values, oldest first, on its own scale. Empty for fewer than two values.
pub(crate) fn spark(values: &[f64], label: &str) -> Html {
    let values: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    let (low, high) = values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(*value), high.max(*value)));
    if values.len() < 2 {
        return Html::default();
    }
    // A negligible change must not fill the picture.
    let pad = ((high - low) * 0.1).max(high.abs() * 0.005).max(f64::MIN_POSITIVE);
    let y = |value: f64| 28.0 - (value - low + pad) / (high - low + 2.0 * pad) * 26.0;
    let step = 200.0 / (values.len() - 1) as f64;
    let mut points = String::new();
    for (at, value) in values.iter().enumerate() {
        // Writing to a string cannot fail.
        if let Some(before) = at.checked_sub(1).map(|before| values[before]).filter(|before| before != value)
        {
            let _ = write!(points, "{:.1},{:.1} ", at as f64 * step, y(before));
        }
        if at == 0 || at + 1 == values.len() || values[at - 1] != *value {
            let _ = write!(points, "{:.1},{:.1} ", at as f64 * step, y(*value));
        }
    }
    Html::markup(format!(
        "<svg class=\"spark\" viewBox=\"0 0 200 30\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{}\"><polyline points=\"{}\"/></svg>",
        tlslab_text::html(label),
        points.trim_end()
    ))
}

/// The values farther apart than this are drawn on a logarithmic axis: one would flatten the rest.
const FAR: f64 = 10.0;

/// The axis of bars.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Axis {
    /// From zero to the longest.
    Linear(f64),
    /// From half the shortest to the longest.
    Logarithmic(f64, f64),
}

impl Axis {
    /// For values with the upper ends of their bars.
    pub(crate) fn of(values: impl Iterator<Item = (f64, f64)>) -> Self {
        let (least, most) = values.fold((f64::INFINITY, 0.0_f64), |(least, most), (value, end)| {
            (least.min(value), most.max(end).max(value))
        });
        match least > 0.0 && most > FAR * least {
            true => Self::Logarithmic(least / 2.0, most),
            false => Self::Linear(most),
        }
    }

    /// The title above the bars.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Linear(_) => "From zero, with the interval",
            Self::Logarithmic(..) => "Logarithmic, with the interval",
        }
    }

    fn percent(self, value: f64) -> f64 {
        let share = match self {
            Self::Linear(longest) => value / longest,
            Self::Logarithmic(from, to) => (value.max(from) / from).ln() / (to / from).ln(),
        };
        (100.0 * share).clamp(0.0, 100.0)
    }
}

/// A bar with a whisker on an axis.
pub(crate) fn bar(value: f64, bounds: Option<(f64, f64)>, axis: Axis) -> Html {
    let (Axis::Linear(longest) | Axis::Logarithmic(_, longest)) = axis;
    if !(longest > 0.0 && longest.is_finite() && value.is_finite()) {
        return Html::default();
    }
    let percent = |value: f64| axis.percent(value);
    let mut text = format!(
        "<svg class=\"mark\" height=\"22\" aria-hidden=\"true\"><rect class=\"fill\" x=\"0\" y=\"5\" height=\"12\" rx=\"1\" width=\"{:.2}%\"/>",
        percent(value)
    );
    if let Some((lower, upper)) = bounds.filter(|(lower, upper)| lower < upper) {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "<line class=\"whisker\" x1=\"{:.2}%\" x2=\"{:.2}%\" y1=\"11\" y2=\"11\"/>",
            percent(lower),
            percent(upper)
        );
    }
    Html::markup(text + "</svg>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_corner_for_each_change_and_a_flat_one_stays_in_the_middle() {
        let line = spark(&[1.0, 1.0, 2.0], "a \"b\"");
        assert!(line.as_str().contains("aria-label=\"a &quot;b&quot;\""), "{line}");
        assert!(line.as_str().contains("points=\"0.0,25.8 200.0,25.8 200.0,4.2\""), "{line}");
        let flat = spark(&[5.0, 5.0], "flat");
        assert!(flat.as_str().contains("points=\"0.0,15.0 200.0,15.0\""), "{flat}");
        assert_eq!(spark(&[1.0], "one"), Html::default());
        assert_eq!(spark(&[1.0, f64::NAN], "no number").as_str().matches("NaN").count(), 0);
    }

    #[test]
    fn values_far_apart_are_on_a_logarithmic_axis() {
        let near = Axis::of([(10.0, 11.0), (90.0, 95.0)].into_iter());
        assert_eq!(near, Axis::Linear(95.0));
        let far = Axis::of([(1.0, 1.0), (100.0, 200.0)].into_iter());
        assert_eq!(far, Axis::Logarithmic(0.5, 200.0));
        assert!(far.title().starts_with("Logarithmic"));
        assert!((far.percent(10.0) - 50.0).abs() < 1e-9, "twenty times of four hundred, as logarithms");
        // Zero has no logarithm.
        assert_eq!(Axis::of([(0.0, 0.0), (100.0, 100.0)].into_iter()), Axis::Linear(100.0));
    }

    #[test]
    fn a_bar_stays_within_its_field() {
        let bar = bar(2.0, Some((1.0, 9.0)), Axis::Linear(4.0));
        assert!(
            bar.as_str().contains("width=\"50.00%\"") && bar.as_str().contains("x2=\"100.00%\""),
            "{bar}"
        );
    }
}
