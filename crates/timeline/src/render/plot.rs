//! A history as a drawing.

use std::fmt::Write;

use tlslab_comparison::escaped;
use tlslab_history::Cause;

use super::words::{cell, epoch, figure, told, when, with_bounds};
use crate::model::Timeline;

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 10.0;
const TOP: f64 = 18.0;
const BOTTOM: f64 = 26.0;

/// Points in the order of time with their intervals, the levels of segments, lines where something changed and where another
/// environment begins. The axis shows the values that there are, not zero.
pub fn plot(timeline: &Timeline) -> String {
    let values =
        timeline.points.iter().flat_map(|point| [Some(point.value), point.lower, point.upper]).flatten();
    let levels = timeline.segments().iter().map(|segment| segment.level);
    let (mut low, mut high) = values
        .chain(levels)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    if !low.is_finite() || !high.is_finite() {
        return String::new();
    }
    if high - low <= high.abs() * 1e-9 {
        let room = if high == 0.0 { 1.0 } else { high.abs() * 0.01 };
        (low, high) = (low - room, high + room);
    }
    let last = timeline.points.len().max(2) - 1;
    let x = |at: f64| LEFT + at / last as f64 * (WIDTH - LEFT - RIGHT);
    let y = |value: f64| TOP + (high - value) / (high - low) * (HEIGHT - TOP - BOTTOM);
    let label = escaped(&format!(
        "{}: {} points from {} to {}",
        cell(&timeline.series),
        timeline.points.len(),
        figure(low),
        figure(high)
    ));
    let mut text = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{label}\">");
    for value in [low, (low + high) / 2.0, high] {
        let (at, right) = (y(value), WIDTH - RIGHT);
        // Writing to a string cannot fail.
        let _ =
            write!(text, "<line class=\"axis\" x1=\"{LEFT}\" y1=\"{at:.1}\" x2=\"{right}\" y2=\"{at:.1}\"/>");
        let _ = write!(
            text,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 6.0,
            at + 3.5,
            figure(value)
        );
    }
    for at in timeline.epochs().filter(|at| *at > 0) {
        let what = format!("another environment: {}", epoch(timeline, at));
        line(&mut text, "epoch", x(at as f64 - 0.5), &what);
    }
    for change in timeline.history.iter().flat_map(|history| &history.changes) {
        let class = match change.cause {
            Cause::Change => "change",
            Cause::Machine => "machine",
            Cause::Epoch => continue,
        };
        line(&mut text, class, x(change.at as f64 - 0.5), &told(change));
    }
    for segment in timeline.segments() {
        let (from, to, at) = (x(segment.from as f64), x((segment.to - 1) as f64), y(segment.level));
        let _ = write!(
            text,
            "<line class=\"level\" x1=\"{:.1}\" y1=\"{at:.1}\" x2=\"{:.1}\" y2=\"{at:.1}\"/>",
            (from - 3.0).max(LEFT),
            (to + 3.0).min(WIDTH - RIGHT)
        );
    }
    for (at, point) in timeline.points.iter().enumerate() {
        let at = x(at as f64);
        if let (Some(lower), Some(upper)) = (point.lower, point.upper) {
            let (from, to) = (y(upper), y(lower));
            let _ = write!(
                text,
                "<line class=\"whisker\" x1=\"{at:.1}\" y1=\"{from:.1}\" x2=\"{at:.1}\" y2=\"{to:.1}\"/>"
            );
        }
        let title = escaped(&format!("{} {}: {}", when(&point.started), point.label, with_bounds(point)));
        let _ = write!(
            text,
            "<circle class=\"dot\" cx=\"{at:.1}\" cy=\"{:.1}\" r=\"3\"><title>{title}</title></circle>",
            y(point.value)
        );
    }
    if let (Some(first), Some(last)) = (timeline.points.first(), timeline.points.last()) {
        let below = HEIGHT - 6.0;
        let ends = [(LEFT, "start", first), (WIDTH - RIGHT, "end", last)];
        for (at, anchor, point) in ends {
            let what = escaped(&format!("{} {}", when(&point.started), point.label));
            let _ = write!(text, "<text x=\"{at}\" y=\"{below}\" text-anchor=\"{anchor}\">{what}</text>");
        }
    }
    text + "</svg>"
}

fn line(text: &mut String, class: &str, at: f64, what: &str) {
    let (bottom, what) = (HEIGHT - BOTTOM, escaped(what));
    let _ = write!(
        text,
        "<line class=\"{class}\" x1=\"{at:.1}\" y1=\"{:.1}\" x2=\"{at:.1}\" y2=\"{bottom}\"><title>{what}</title></line>",
        TOP - 12.0
    );
}
