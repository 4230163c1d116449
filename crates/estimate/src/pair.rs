//! Two stacks that one run measured in turns.

use serde::{Deserialize, Serialize};

use tlslab_text::number::significant;

/// The time of a stack over that of another, measured in turns of one run. Differences between runs and drift
/// affect both, so its interval is much narrower than those of the two times suggest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairRatio {
    /// The ratio.
    pub ratio: f64,
    /// The lower bound of its interval.
    pub lower: f64,
    /// The upper bound.
    pub upper: f64,
    /// The share that code layout alone can cause.
    pub floor: f64,
}

impl PairRatio {
    /// Whether the stack takes less time, by more than code layout alone can cause. A headline's lead is
    /// clear by the same rule.
    #[must_use]
    pub fn is_less(&self) -> bool {
        self.upper < 1.0 - self.floor
    }

    /// The time of the other over that of the stack.
    #[must_use]
    pub fn turned_round(&self) -> Self {
        Self { ratio: 1.0 / self.ratio, lower: 1.0 / self.upper, upper: 1.0 / self.lower, floor: self.floor }
    }

    /// How much less the stack takes, with bounds: `6.0 % less (5.0 to 7.0 %)`, or `2.5 times faster (2.4 to
    /// 2.6)` from half as much on.
    #[must_use]
    pub fn less(&self) -> String {
        if self.ratio <= 0.5 {
            let Self { ratio, lower, upper, .. } = self.turned_round();
            return format!("{} times faster ({} to {})", times(ratio), times(lower), times(upper));
        }
        format!(
            "{} less ({} to {} %)",
            of_hundred(1.0 - self.ratio),
            bare(1.0 - self.upper),
            bare(1.0 - self.lower)
        )
    }

    /// The small difference of the two: `0.40 % (−1.2 to 2.0 %)`, and whether code layout alone can cause it.
    #[must_use]
    pub fn apart(&self) -> String {
        let [value, low, high] = [self.ratio, self.upper, self.lower].map(|ratio| bare(1.0 - ratio));
        let contains_none = self.lower <= 1.0 && 1.0 <= self.upper;
        let cause = if contains_none { "" } else { ", which code layout alone can cause" };
        format!("{value} % ({low} to {high} %){cause}")
    }

    /// The other's extra time over the stack, with bounds: `+6.4 % [5.3, 7.5]`, or `2.5 times [2.4, 2.6]`
    /// from 2 on.
    #[must_use]
    pub fn more(&self) -> String {
        let Self { ratio, lower, upper, .. } = self.turned_round();
        let [lower, upper] = [lower, upper].map(|bound| match ratio >= 2.0 {
            true => times(bound),
            false => bare(bound - 1.0),
        });
        format!("{} [{lower}, {upper}]", self.more_without_bounds())
    }

    /// The same without bounds: `+6.4 %`, or `2.5 times`.
    #[must_use]
    pub fn more_without_bounds(&self) -> String {
        match self.turned_round().ratio {
            ratio if ratio >= 2.0 => format!("{} times", times(ratio)),
            ratio => signed(ratio - 1.0),
        }
    }
}

/// A share in percent with its sign.
fn signed(share: f64) -> String {
    let sign = if share < 0.0 { "" } else { "+" };
    format!("{sign}{}", of_hundred(share))
}

/// A share in percent.
fn of_hundred(share: f64) -> String {
    format!("{} %", bare(share))
}

fn bare(share: f64) -> String {
    significant(100.0 * share, 2)
}

fn times(ratio: f64) -> String {
    significant(ratio, 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_takes_less_if_the_interval_is_beyond_what_layout_causes() {
        let ratio = PairRatio { ratio: 0.94, lower: 0.93, upper: 0.95, floor: 0.0025 };
        assert!(ratio.is_less() && !ratio.turned_round().is_less());
        assert_eq!(ratio.less(), "6.0 % less (5.0 to 7.0 %)");
        assert_eq!(ratio.more(), "+6.4 % [5.3, 7.5]");
        let half = PairRatio { ratio: 0.4, lower: 0.38, upper: 0.42, floor: 0.0025 };
        assert_eq!(half.less(), "2.5 times faster (2.4 to 2.6)");
        assert!(!PairRatio { floor: 0.06, ..ratio }.is_less());
        let level = PairRatio { ratio: 0.996, lower: 0.98, upper: 1.012, floor: 0.0025 };
        assert!(!level.is_less());
        assert_eq!(level.apart(), "0.40 % (−1.2 to 2.0 %)");
        assert_eq!(level.turned_round().more(), "−0.40 % [−2.0, 1.2]");
        let layout = PairRatio { upper: 0.999, floor: 0.006, ..level };
        assert_eq!(layout.apart(), "0.40 % (0.10 to 2.0 %), which code layout alone can cause");
        let half = PairRatio { ratio: 0.4, lower: 0.39, upper: 0.41, floor: 0.0 };
        assert_eq!(half.more(), "2.5 times [2.4, 2.6]");
    }
}
