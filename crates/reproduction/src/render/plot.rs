//! A claim and the measured results on one axis.

use std::fmt::Write;

use tlslab_text::html as escaped;

use super::words::short;
use crate::model::{Claim, Here};

const WIDTH: f64 = 640.0;
/// What a letter of a stack's name takes at most.
const LETTER: f64 = 6.6;
const RIGHT: f64 = 20.0;
const ROW: f64 = 22.0;
const FOOT: f64 = 26.0;

/// Per stack the ratio with its interval, over what was published as a band; 1 is marked. The axis is logarithmic.
pub(super) fn plot(claim: &Claim) -> String {
    let found = claim.here.iter().filter_map(|(stack, here, _)| match here {
        Here::Figure(figure) => Some((stack, figure)),
        Here::Hole { .. } => None,
    });
    let rows: Vec<_> = found.collect();
    let values = rows.iter().flat_map(|(_, figure)| figure.bounds.unwrap_or([figure.value; 2]));
    let all = values.chain(claim.range.into_iter().flatten()).chain([1.0]).filter(|value| *value > 0.0);
    let (low, high) =
        all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    if rows.is_empty() || !low.is_finite() {
        return String::new();
    }
    let longest = rows.iter().map(|(stack, _)| stack.chars().count()).max().unwrap_or(0);
    let left = (longest as f64 * LETTER + 16.0).clamp(210.0, WIDTH / 2.0 + 60.0);
    let room = (high / low).ln().max(0.01) * 0.05;
    let (from, to) = (low.ln() - room, high.ln() + room);
    let x = |value: f64| left + (value.ln() - from) / (to - from) * (WIDTH - left - RIGHT);
    let height = rows.len() as f64 * ROW + FOOT;
    let bottom = height - FOOT;
    let mut text = format!(
        "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">",
        escaped(&format!("{}: ratios from {} to {}", claim.says, short(low), short(high)))
    );
    // Writing to a string cannot fail.
    if let Some([lower, upper]) = claim.range {
        let (at, width) = (x(lower), (x(upper) - x(lower)).max(2.0));
        let _ = write!(
            text,
            "<rect class=\"floor\" x=\"{at:.1}\" y=\"0\" width=\"{width:.1}\" height=\"{bottom}\"><title>published: {}</title></rect>",
            escaped(&claim.published)
        );
    }
    let one = x(1.0);
    let _ = write!(text, "<line class=\"axis\" x1=\"{one:.1}\" y1=\"0\" x2=\"{one:.1}\" y2=\"{bottom}\"/>");
    for (at, (stack, figure)) in rows.iter().enumerate() {
        let y = (at as f64 + 0.5) * ROW;
        let _ = write!(
            text,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            left - 8.0,
            y + 3.5,
            escaped(stack)
        );
        if let Some([lower, upper]) = figure.bounds {
            let _ = write!(
                text,
                "<line class=\"interval\" x1=\"{:.1}\" y1=\"{y}\" x2=\"{:.1}\" y2=\"{y}\"/>",
                x(lower),
                x(upper)
            );
        }
        let _ = write!(text, "<circle class=\"dot\" cx=\"{:.1}\" cy=\"{y}\" r=\"4\"/>", x(figure.value));
    }
    for (value, anchor) in [(low, "start"), (high, "end")] {
        let _ = write!(
            text,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
            x(value),
            height - 8.0,
            short(value)
        );
    }
    text + "</svg>"
}
