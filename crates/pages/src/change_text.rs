//! Figures and changes as readers of pages see them: true minus, digits that fit the interval, groups of three digits.

use tlslab_comparison::{Effect, Metric};
use tlslab_text::grouped;

/// Intervals are shown as ± unless the longer side is more than this many times the shorter one.
const LOPSIDED: f64 = 1.6;

/// `+1.20 %` of a ratio; from 2 on `3.6×`.
pub(crate) fn change(ratio: f64) -> String {
    if ratio >= 2.0 && ratio.is_finite() {
        return format!("{}×", significant(ratio, 3));
    }
    signed(100.0 * (ratio - 1.0), decimals(100.0 * (ratio - 1.0)))
}

/// The same without a sign: `1.20 %`.
pub(crate) fn size(ratio: f64) -> String {
    change(ratio).trim_start_matches(['+', '−']).to_owned()
}

/// The interval of a change in the unit of the change, or `exact`; empty where there is none.
pub(crate) fn interval(effect: &Effect) -> String {
    if effect.exact {
        return "exact".to_owned();
    }
    let Some(interval) = effect.interval else { return String::new() };
    if effect.ratio >= 2.0 {
        return format!("[{}, {}]", change(interval.lower), change(interval.upper));
    }
    let percent = |ratio: f64| 100.0 * (ratio - 1.0);
    let (low, at, high) = (percent(interval.lower), percent(effect.ratio), percent(interval.upper));
    let (below, above) = (at - low, high - at);
    let decimals = decimals((high - low) / 2.0).max(decimals(at));
    if below.max(above) > LOPSIDED * below.min(above).max(1e-9) {
        let [low, high] = [low, high].map(|bound| signed(bound, decimals));
        return format!("[{}, {}]", low.trim_end_matches(" %"), high);
    }
    let reach = format!("{:.decimals$}", below.max(above));
    // An interval that is narrower than its digits says nothing.
    if reach.bytes().all(|byte| matches!(byte, b'0' | b'.')) { String::new() } else { format!("± {reach}") }
}

fn signed(percent: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", percent.abs());
    let is_nothing = text.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    let sign = match percent {
        _ if is_nothing => "",
        percent if percent < 0.0 => "−",
        _ => "+",
    };
    format!("{sign}{text} %")
}

fn decimals(percent: f64) -> usize {
    match percent.abs() {
        0.0 => 0,
        small if small < 0.1 => 3,
        middling if middling < 10.0 => 2,
        large if large < 100.0 => 1,
        _ => 0,
    }
}

/// A figure in a unit that fits it.
pub(crate) fn figure(value: f64, metric: Metric) -> String {
    match metric {
        Metric::Time => format!("{} µs", significant(value / 1000.0, 4)),
        Metric::Instructions => significant(value, 4),
        metric => format!("{} {}", significant(value, 4), metric.unit()),
    }
}

/// A value with so many significant digits, and no fewer than the whole number has; in groups of three digits.
pub(crate) fn significant(value: f64, digits: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let decimals = (digits - 1 - value.abs().log10().floor() as i32).clamp(0, 9) as usize;
    let decimals = if value.fract() == 0.0 { 0 } else { decimals };
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_once('.').map_or((&*text, None), |(whole, part)| (whole, Some(part)));
    let sign = if value < 0.0 { "−" } else { "" };
    let fraction = fraction.map_or_else(String::new, |part| format!(".{part}"));
    format!("{sign}{}{fraction}", grouped(whole))
}

/// `1 cell`, `2 cells`, `1,200 cells`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", grouped(&number.to_string()))
}

/// The metric in a word or two.
pub(crate) fn metric(metric: Metric) -> &'static str {
    match metric {
        Metric::Time => "time",
        Metric::Instructions => "instructions",
        Metric::Peak => "peak heap",
        Metric::Allocations => "allocations",
        Metric::Allocated => "allocated bytes",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_have_a_true_minus_and_large_ones_are_factors() {
        let shown = [1.012, 0.5, 1.000_38, 1.0, 3.6, 0.999_999_9].map(change);
        assert_eq!(shown, ["+1.20 %", "−50.0 %", "+0.038 %", "0 %", "3.60×", "0.000 %"]);
        assert_eq!(size(0.96), "4.00 %");
    }

    #[test]
    fn figures_have_groups_of_three_digits() {
        assert_eq!(significant(39_415.0, 4), "39,415");
        assert_eq!(significant(7.3824, 4), "7.382");
        assert_eq!(figure(1_234_567.8, Metric::Time), "1,235 µs");
        assert_eq!(count(1, "cell"), "1 cell");
        assert_eq!(count(1200, "cell"), "1,200 cells");
    }
}
