//! The ratio of every observation, as a drawing.

use std::fmt::Write;

use super::words::change;
use crate::model::Effect;

const WIDTH: f64 = 260.0;
const HEIGHT: f64 = 34.0;
const MARGIN: f64 = 6.0;

/// Dots along a line, one for each observation, with the interval below them and the range of no change behind them.
pub(super) fn strip(effect: &Effect) -> String {
    let spread = effect.ratios.iter().chain([&effect.ratio]).map(|ratio| ratio.ln().abs());
    let bounds = effect.interval.iter().flat_map(|interval| [interval.lower, interval.upper]);
    let furthest = spread
        .chain(bounds.map(|bound| bound.ln().abs()))
        .chain([effect.threshold])
        .filter(|value| value.is_finite())
        .fold(1e-6, f64::max);
    let at = |logarithm: f64| WIDTH / 2.0 + logarithm / furthest * (WIDTH / 2.0 - MARGIN);
    let label = format!(
        "{} observations from {} to {}",
        effect.n,
        change(effect.ratios.iter().copied().fold(f64::INFINITY, f64::min)),
        change(effect.ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    );
    let mut text = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\" aria-label=\"{label}\">"
    );
    let (left, right) = (at(-effect.threshold), at(effect.threshold));
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "<rect class=\"floor\" x=\"{left:.1}\" y=\"2\" width=\"{:.1}\" height=\"20\"/>",
        (right - left).max(0.5)
    );
    let middle = WIDTH / 2.0;
    let _ = write!(text, "<line class=\"axis\" x1=\"{middle}\" y1=\"2\" x2=\"{middle}\" y2=\"22\"/>");
    for (place, ratio) in effect.ratios.iter().enumerate() {
        // A little apart, in the order of time, so that dots do not hide one another.
        let y = 5.0 + 14.0 * place as f64 / effect.ratios.len().max(2) as f64;
        let _ = write!(text, "<circle class=\"dot\" cx=\"{:.1}\" cy=\"{y:.1}\" r=\"2.2\"/>", at(ratio.ln()));
    }
    if let Some(interval) = effect.interval {
        let (from, to) = (at(interval.lower.ln()), at(interval.upper.ln()));
        let _ = write!(
            text,
            "<line class=\"interval\" x1=\"{from:.1}\" y1=\"22\" x2=\"{:.1}\" y2=\"22\"/>",
            to.max(from + 1.0)
        );
    }
    let reach = change(furthest.exp());
    let _ = write!(text, "<text x=\"{MARGIN}\" y=\"33\">{}</text>", change((-furthest).exp()));
    let _ =
        write!(text, "<text x=\"{:.1}\" y=\"33\" text-anchor=\"end\">{reach}</text></svg>", WIDTH - MARGIN);
    text
}
