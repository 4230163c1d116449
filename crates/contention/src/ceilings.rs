//! The most connections that can be made in a second, however many processors there are.
//!
//! `docs/methodology/contention.md` derives both ceilings and their limits.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The serial parts of one connection of one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// Writes to contended lines.
    pub contended_writes: f64,
    /// Writes to the line that is written most.
    pub hottest_writes: f64,
    /// The share of its instructions that are serial, 0 to 1.
    pub serial_share: f64,
}

/// The limit of a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// A cache line that has to move from processor to processor.
    HottestLine,
    /// Work that is done while a lock is held alone.
    SerialWork,
}

impl Limit {
    /// In words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Limit::HottestLine => "hottest line",
            Limit::SerialWork => "serial work",
        }
    }
}

/// Both ceilings of one side; unset if the side has no contention.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ceilings {
    /// The ceiling of the hottest line, connections per second.
    pub line_per_s: Option<f64>,
    /// The ceiling of serial work, connections per second.
    pub serial_per_s: Option<f64>,
    /// The part of a connection's time that contended writes take if each of them moves a line, relative to
    /// the time without any move.
    pub contended_share: f64,
}

impl Ceilings {
    /// The ceilings of a side whose connection takes `side_ns` without contention, on a host that needs
    /// `move_ns` for a write that moves a line.
    #[must_use]
    pub fn of(limits: Limits, side_ns: f64, move_ns: f64) -> Self {
        let rate = |ns: f64| (ns > 0.0).then(|| 1e9 / ns);
        Self {
            line_per_s: rate(limits.hottest_writes * move_ns),
            serial_per_s: rate(limits.serial_share * side_ns),
            contended_share: if side_ns > 0.0 { limits.contended_writes * move_ns / side_ns } else { 0.0 },
        }
    }

    /// The lower one.
    #[must_use]
    pub fn lowest(&self) -> Option<(Limit, f64)> {
        let line = self.line_per_s.map(|rate| (Limit::HottestLine, rate));
        let serial = self.serial_per_s.map(|rate| (Limit::SerialWork, rate));
        line.into_iter().chain(serial).min_by(|(_, one), (_, other)| one.total_cmp(other))
    }

    /// The rate of so many processors that each make `each_per_s` connections, and its limit, if any.
    #[must_use]
    pub fn rate(&self, each_per_s: f64, processors: u32) -> (f64, Option<Limit>) {
        let free = each_per_s * f64::from(processors);
        match self.lowest() {
            Some((limit, ceiling)) if ceiling < free => (ceiling, Some(limit)),
            _ => (free, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lower_ceiling_limits_where_processors_reach_it() {
        // 100 writes that move a line in 50 ns each: 5 µs. A tenth of 20 µs is serial: 2 µs.
        let limits = Limits { contended_writes: 300.0, hottest_writes: 100.0, serial_share: 0.1 };
        let ceilings = Ceilings::of(limits, 20_000.0, 50.0);
        let expected = Ceilings { line_per_s: Some(2e5), serial_per_s: Some(5e5), contended_share: 0.75 };
        assert_eq!(ceilings, expected);
        assert_eq!(ceilings.lowest(), Some((Limit::HottestLine, 2e5)));
        assert_eq!(ceilings.rate(5e4, 4), (2e5, None));
        assert_eq!(ceilings.rate(5e4, 5), (2e5, Some(Limit::HottestLine)));
        let serial = Ceilings::of(Limits { hottest_writes: 1.0, ..limits }, 20_000.0, 50.0);
        assert_eq!(serial.rate(5e4, 64), (5e5, Some(Limit::SerialWork)));
    }

    #[test]
    fn nothing_contended_has_no_ceiling() {
        let ceilings = Ceilings::of(Limits::default(), 20_000.0, 50.0);
        assert_eq!((ceilings.lowest(), ceilings.rate(5e4, 128)), (None, (6.4e6, None)));
        assert_eq!(Ceilings::of(Limits::default(), 0.0, 50.0), Ceilings::default());
    }
}
