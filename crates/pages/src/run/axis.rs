//! The axis of times relative to a reference: linear from 0, or logarithmic around 1× if one stack would
//! flatten the rest.

use tlslab_text::number::significant;

/// Where a ratio lies, in percent of the width.
pub(super) struct Axis {
    is_logarithmic: bool,
    from: f64,
    to: f64,
}

/// A labelled place.
pub(super) struct Tick {
    pub at: String,
    pub label: String,
    pub anchor: &'static str,
}

/// Two ratios farther apart are drawn on a logarithmic axis.
const FAR: f64 = 10.0;
/// The slowest flattens the rest if it is so many times the one in the middle.
const FLATTENS: f64 = 4.0;

impl Axis {
    /// An axis for ratios and the bounds of their intervals.
    pub(super) fn of(ratios: &[f64], bounds: &[f64]) -> Self {
        let mut sorted: Vec<f64> =
            ratios.iter().copied().filter(|ratio| ratio.is_finite() && *ratio > 0.0).collect();
        sorted.sort_by(f64::total_cmp);
        let all = || sorted.iter().chain(bounds).copied().filter(|value| value.is_finite() && *value > 0.0);
        let (least, most) = (all().fold(1.0_f64, f64::min), all().fold(1.0_f64, f64::max));
        let is_logarithmic = match (sorted.first(), sorted.last()) {
            (Some(first), Some(last)) => {
                last / first > FAR || last / sorted[(sorted.len() - 1) / 2] > FLATTENS
            }
            _ => false,
        };
        match is_logarithmic {
            true => Self { is_logarithmic, from: least / 1.1, to: most * 1.05 },
            false => Self { is_logarithmic, from: 0.0, to: most },
        }
    }

    /// Its description, next to its label.
    pub(super) fn kind(&self) -> &'static str {
        if self.is_logarithmic { "time, logarithmic" } else { "time, from 0" }
    }

    fn percent(&self, ratio: f64) -> f64 {
        let share = match self.is_logarithmic {
            true => (ratio.max(self.from) / self.from).ln() / (self.to / self.from).ln(),
            false => (ratio - self.from) / (self.to - self.from),
        };
        100.0 * share.clamp(0.0, 1.0)
    }

    /// A place as the attribute of a mark.
    pub(super) fn at(&self, ratio: f64) -> String {
        format!("{:.3}%", self.percent(ratio))
    }

    /// Left and width of a bar: from 0 on a linear axis, from 1× on a logarithmic one.
    pub(super) fn bar(&self, ratio: f64) -> (String, String) {
        let start = if self.is_logarithmic { 1.0 } else { 0.0 };
        let (low, high) = (self.percent(ratio.min(start)), self.percent(ratio.max(start)));
        (format!("{low:.3}%"), format!("{:.3}%", (high - low).max(0.4)))
    }

    /// Round values with their places.
    pub(super) fn ticks(&self) -> Vec<Tick> {
        let values: Vec<f64> = match self.is_logarithmic {
            true => {
                let all = (-6..=6).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(power)));
                let within: Vec<f64> = all.filter(|value| (self.from..=self.to).contains(value)).collect();
                let is_power = |value: &f64| (value.log10() - value.log10().round()).abs() < 1e-9;
                if within.len() > 6 { within.into_iter().filter(is_power).collect() } else { within }
            }
            false => {
                let step =
                    [0.25, 0.5, 1.0, 2.0, 5.0].into_iter().find(|step| self.to / step <= 5.0).unwrap_or(10.0);
                (0..=5).map(|n| step * f64::from(n)).filter(|value| *value <= self.to * 1.000_001).collect()
            }
        };
        let tick = |value: f64| {
            let at = self.percent(value);
            Tick {
                at: format!("{at:.3}%"),
                label: format!("{}×", significant(value, 2).trim_end_matches(".0")),
                anchor: if at < 4.0 {
                    "start"
                } else if at > 96.0 {
                    "end"
                } else {
                    "middle"
                },
            }
        };
        values.into_iter().map(tick).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<String> {
        axis.ticks().into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn near_ratios_are_linear_from_zero() {
        let axis = Axis::of(&[0.8, 1.0, 2.0], &[0.79, 2.05]);
        assert_eq!(axis.kind(), "time, from 0");
        assert_eq!(axis.bar(1.0), ("0.000%".to_owned(), "48.780%".to_owned()));
        assert_eq!(labels(&axis), ["0×", "0.50×", "1×", "1.5×", "2×"]);
    }

    #[test]
    fn far_ratios_are_logarithmic_from_one() {
        let axis = Axis::of(&[0.5, 1.0, 12.0], &[]);
        assert_eq!(axis.kind(), "time, logarithmic");
        let (left, width) = axis.bar(12.0);
        assert_eq!(left, axis.at(1.0));
        assert!(width.trim_end_matches('%').parse::<f64>().unwrap() > 50.0);
        assert_eq!(axis.bar(0.5).0, axis.at(0.5), "a faster one lies left of 1×");
        assert_eq!(labels(&axis), ["0.50×", "1×", "2×", "5×", "10×"]);
        assert_eq!(
            Axis::of(&[1.0, 1.1, 1.2, 6.0], &[]).kind(),
            "time, logarithmic",
            "it would flatten the rest"
        );
        assert_eq!(Axis::of(&[], &[]).kind(), "time, from 0");
    }
}
