//! Which values of a series are better.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Series;

/// Which values of a series are better. If that is unknown, a change is neither a regression nor an
/// improvement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// Smaller ones: times, counts, sizes.
    Smaller,
    /// Larger ones: rates.
    Larger,
    /// Unknown: neither a format, a user nor the unit determines it.
    #[default]
    Unknown,
}

/// The direction of a series, as a format or a user defined it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BetterOf {
    /// The series.
    pub series: Series,
    /// The direction.
    pub better: Better,
}

impl Better {
    /// The direction that a series implies: less contention is better, and so is less on the wire, but for
    /// the number of tickets; otherwise its unit decides.
    #[must_use]
    pub fn of_series(series: &Series) -> Self {
        match &*series.metric {
            "wire.tickets" => Self::Unknown,
            metric if ["contention.", "wire.", "kernel."].iter().any(|of| metric.starts_with(of)) => {
                Self::Smaller
            }
            _ => Self::of_unit(&series.unit),
        }
    }

    /// The direction that a unit implies: times, bytes, instructions, cycles and other counts of work are
    /// better when they are smaller, per operation too; rates are better when they are larger. A unit such as
    /// `%`, or none, implies nothing.
    #[must_use]
    pub fn of_unit(unit: &str) -> Self {
        let unit = unit.trim();
        match unit.rsplit_once('/') {
            Some((what, per)) if is_time(per) && !is_time(what) => Self::Larger,
            Some((what, per)) if is_cost(what) && !is_time(per) => Self::Smaller,
            None if is_cost(unit) => Self::Smaller,
            _ => Self::Unknown,
        }
    }

    /// Whether a change upwards is a regression; `None` if it is unknown which values are better.
    #[must_use]
    pub fn is_regression(self, is_up: bool) -> Option<bool> {
        match self {
            Self::Smaller => Some(is_up),
            Self::Larger => Some(!is_up),
            Self::Unknown => None,
        }
    }
}

fn is_cost(unit: &str) -> bool {
    is_time(unit) || COSTS.contains(&unit)
}

fn is_time(unit: &str) -> bool {
    TIMES.contains(&unit)
}

const TIMES: [&str; 19] = [
    "ps",
    "ns",
    "us",
    "µs",
    "μs",
    "ms",
    "s",
    "min",
    "h",
    "nsec",
    "usec",
    "msec",
    "sec",
    "second",
    "seconds",
    "nanoseconds",
    "microseconds",
    "milliseconds",
    "minutes",
];

const COSTS: [&str; 19] = [
    "instructions",
    "cycles",
    "bytes",
    "blocks",
    "accesses",
    "misses",
    "allocs",
    "allocations",
    "B",
    "kB",
    "KB",
    "MB",
    "GB",
    "KiB",
    "MiB",
    "GiB",
    "byte",
    "instruction",
    "cycle",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_contention_is_better_whatever_its_unit() {
        let series = |metric: &str| Series {
            scenario: String::new(),
            stack: String::new(),
            side: String::new(),
            metric: metric.to_owned(),
            unit: "operations".to_owned(),
            class: String::new(),
        };
        assert_eq!(Better::of_series(&series("contention.atomics")), Better::Smaller);
        assert_eq!(Better::of_series(&series("throughput")), Better::Unknown);
    }

    #[test]
    fn units_that_are_clear_have_a_direction() {
        for unit in [
            "ns",
            "µs",
            "s",
            "instructions",
            "bytes",
            "cycles",
            "ns/op",
            "B/op",
            "allocs/op",
            "ns/iter",
            "ms/op",
        ] {
            assert_eq!(Better::of_unit(unit), Better::Smaller, "{unit}");
        }
        for unit in ["handshakes/s", "operations/s", "MB/s", "ops/sec", "iter/sec", "bytes/s", "ops/ms"] {
            assert_eq!(Better::of_unit(unit), Better::Larger, "{unit}");
        }
        for unit in ["", "%", "requests-per-second", "handshakes/op", "s/s", "handshakes", "/"] {
            assert_eq!(Better::of_unit(unit), Better::Unknown, "{unit}");
        }
        assert_eq!(Better::of_unit("s/s").is_regression(true), None);
    }

    #[test]
    fn what_is_unknown_is_no_regression() {
        let changes = |better: Better| [true, false].map(|is_up| better.is_regression(is_up));
        assert_eq!(changes(Better::Smaller), [Some(true), Some(false)]);
        assert_eq!(changes(Better::Larger), [Some(false), Some(true)]);
        assert_eq!(changes(Better::Unknown), [None, None]);
    }
}
