//! Intervals and figures as readers of pages see them.

use tlslab_comparison::{Compared, Effect, has_no_ratio};
use tlslab_text::number::{self, bare_signed_percent, change, percent_decimals};

/// Intervals are shown as ± unless the longer side is more than this many times the shorter one.
const LOPSIDED: f64 = 1.6;

/// The interval of a change in the unit of the change, or `exact`; empty if there is no interval.
pub(crate) fn interval(effect: &Effect) -> String {
    if effect.exact {
        return "exact".to_owned();
    }
    // Without a ratio there is no interval.
    if has_no_ratio(effect) {
        return String::new();
    }
    let Some(interval) = effect.interval else { return String::new() };
    if effect.ratio >= 2.0 {
        return format!("[{}, {}]", change(interval.lower), change(interval.upper));
    }
    let [low, at, high] = [interval.lower, effect.ratio, interval.upper].map(|ratio| ratio - 1.0);
    let (below, above) = (at - low, high - at);
    let decimals = percent_decimals((high - low) / 2.0).max(percent_decimals(at));
    if below.max(above) > LOPSIDED * below.min(above).max(1e-11) {
        let [low, high] = [low, high].map(|bound| bare_signed_percent(bound, decimals));
        return format!("[{low}, {high} %]");
    }
    let reach = format!("{:.decimals$}", 100.0 * below.max(above));
    // An interval narrower than its digits is not shown.
    if reach.bytes().all(|byte| matches!(byte, b'0' | b'.')) { String::new() } else { format!("± {reach}") }
}

/// A figure in a unit that fits it; instructions and operations without one.
pub(crate) fn figure(value: f64, metric: Compared) -> String {
    match metric {
        Compared::Instructions | Compared::SerialInstructions | Compared::ContendedAtomics => {
            number::figure(value)
        }
        metric => tlslab_comparison::figure(value, metric),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_their_units() {
        assert_eq!(figure(1_234_567.8, Compared::Time), "1,235 µs");
        assert_eq!(figure(39_415.0, Compared::Instructions), "39,415");
    }
}
