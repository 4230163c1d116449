//! A history as SVG.

use std::fmt::Write;

use tlslab_history::Cause;
use tlslab_text::html as escaped;

use super::words::{cell, describe, epoch, figure, when, with_bounds};
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
    let Some(scale) = Scale::of(timeline) else { return String::new() };
    let label = escaped(&format!(
        "{}: {} points from {} to {}",
        cell(&timeline.series),
        timeline.points.len(),
        figure(scale.low),
        figure(scale.high)
    ));
    let mut text = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{label}\">");
    axis(&mut text, &scale);
    for at in timeline.epochs().filter(|at| *at > 0) {
        let what = format!("another environment: {}", epoch(timeline, at));
        line(&mut text, "epoch", scale.x(at as f64 - 0.5), &what);
    }
    for change in timeline.history.iter().flat_map(|history| &history.changes) {
        let class = match change.cause {
            Cause::Change => "change",
            Cause::Machine => "machine",
            Cause::Epoch => continue,
        };
        line(&mut text, class, scale.x(change.at as f64 - 0.5), &describe(change));
    }
    levels(&mut text, timeline, &scale);
    points(&mut text, timeline, &scale);
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

/// Where a place in the series and a value lie on the picture.
struct Scale {
    low: f64,
    high: f64,
    last: usize,
}

impl Scale {
    /// `None` when there is no value.
    fn of(timeline: &Timeline) -> Option<Self> {
        let values =
            timeline.points.iter().flat_map(|point| [Some(point.value), point.lower, point.upper]).flatten();
        let levels = timeline.segments().iter().map(|segment| segment.level);
        let (mut low, mut high) = values
            .chain(levels)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        if !low.is_finite() || !high.is_finite() {
            return None;
        }
        if high - low <= high.abs() * 1e-9 {
            let room = if high == 0.0 { 1.0 } else { high.abs() * 0.01 };
            (low, high) = (low - room, high + room);
        }
        Some(Self { low, high, last: timeline.points.len().max(2) - 1 })
    }

    fn x(&self, at: f64) -> f64 {
        LEFT + at / self.last as f64 * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        TOP + (self.high - value) / (self.high - self.low) * (HEIGHT - TOP - BOTTOM)
    }
}

// Writing to a string cannot fail, here and below.
fn axis(text: &mut String, scale: &Scale) {
    for value in [scale.low, f64::midpoint(scale.low, scale.high), scale.high] {
        let (at, right) = (scale.y(value), WIDTH - RIGHT);
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
}

fn levels(text: &mut String, timeline: &Timeline, scale: &Scale) {
    for segment in timeline.segments() {
        let (from, to) = (scale.x(segment.from as f64), scale.x((segment.to - 1) as f64));
        let at = scale.y(segment.level);
        let _ = write!(
            text,
            "<line class=\"level\" x1=\"{:.1}\" y1=\"{at:.1}\" x2=\"{:.1}\" y2=\"{at:.1}\"/>",
            (from - 3.0).max(LEFT),
            (to + 3.0).min(WIDTH - RIGHT)
        );
    }
}

fn points(text: &mut String, timeline: &Timeline, scale: &Scale) {
    for (at, point) in timeline.points.iter().enumerate() {
        let at = scale.x(at as f64);
        if let (Some(lower), Some(upper)) = (point.lower, point.upper) {
            let (from, to) = (scale.y(upper), scale.y(lower));
            let _ = write!(
                text,
                "<line class=\"whisker\" x1=\"{at:.1}\" y1=\"{from:.1}\" x2=\"{at:.1}\" y2=\"{to:.1}\"/>"
            );
        }
        let title = escaped(&format!("{} {}: {}", when(&point.started), point.label, with_bounds(point)));
        let _ = write!(
            text,
            "<circle class=\"dot\" cx=\"{at:.1}\" cy=\"{:.1}\" r=\"3\"><title>{title}</title></circle>",
            scale.y(point.value)
        );
    }
}

fn line(text: &mut String, class: &str, at: f64, what: &str) {
    let (bottom, what) = (HEIGHT - BOTTOM, escaped(what));
    let _ = write!(
        text,
        "<line class=\"{class}\" x1=\"{at:.1}\" y1=\"{:.1}\" x2=\"{at:.1}\" y2=\"{bottom}\"><title>{what}</title></line>",
        TOP - 12.0
    );
}
