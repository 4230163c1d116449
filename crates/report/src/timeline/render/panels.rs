//! Several series over versions in one stand-alone SVG.

use std::fmt::Write;

use tlslab_text::html as escaped;
use tlslab_text::number::{figure, signed_percent};

/// A small drawing among others.
pub(super) struct Panel {
    /// Its title.
    pub title: String,
    /// Its lines.
    pub lines: Vec<Line>,
}

/// A line of a panel.
pub(super) struct Line {
    /// Its name, such as a side.
    pub name: String,
    /// A value for each version that has one, by the version's place.
    pub points: Vec<(usize, f64)>,
    /// The values without effects of the environment.
    pub chained: Vec<f64>,
    /// The places at which it changed.
    pub changes: Vec<usize>,
}

impl Line {
    /// The change of each from the first value, as a share; empty if that is 0.
    fn shares(&self) -> Vec<(usize, f64)> {
        let first = self.chained.first().copied().unwrap_or_default();
        let shares = self.points.iter().zip(&self.chained).map(|((at, _), value)| (*at, value / first - 1.0));
        shares.filter(|(_, share)| share.is_finite()).collect()
    }
}

const COLUMNS: usize = 2;
const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 190.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 24.0;
/// The part of the whole drawing above the panels.
const HEAD: f64 = 34.0;
/// Of lines, in their order.
const COLOURS: [&str; 3] = ["#1f5fa8", "#b5500f", "#5a7d2a"];

/// The panels side by side under a title, with the same versions on each axis. Each line shows the increase
/// over its first value.
pub(super) fn panels(title: &str, versions: &[&str], panels: &[Panel]) -> String {
    let rows = panels.len().div_ceil(COLUMNS);
    let (width, height) = (WIDTH * COLUMNS as f64, HEAD + HEIGHT * rows as f64);
    let title = escaped(title);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <title>{title}</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n\
         <text x=\"8\" y=\"22\" font-size=\"14\" font-weight=\"bold\">{title}</text>\n"
    );
    for (at, one) in panels.iter().enumerate() {
        let (column, row) = ((at % COLUMNS) as f64, (at / COLUMNS) as f64);
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "<g transform=\"translate({}, {})\">", column * WIDTH, HEAD + row * HEIGHT);
        panel(&mut text, one, versions);
        text.push_str("</g>\n");
    }
    text + "</svg>\n"
}

/// An axis shows at least ± this share, so that negligible changes look negligible.
const NARROWEST: f64 = 0.005;

/// Where places and values lie in a panel.
struct Scale {
    low: f64,
    high: f64,
    last: usize,
}

impl Scale {
    fn of(panel: &Panel, versions: usize) -> Option<Self> {
        let shares = panel.lines.iter().flat_map(|line| line.shares().into_iter().map(|(_, share)| share));
        let (low, high) = shares
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        if !low.is_finite() || !high.is_finite() {
            return None;
        }
        let room = NARROWEST.max((high - low) * 0.05);
        Some(Self { low: low - room, high: high + room, last: versions.max(2) - 1 })
    }

    fn x(&self, at: f64) -> f64 {
        LEFT + at / self.last as f64 * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        TOP + (self.high - value) / (self.high - self.low) * (HEIGHT - TOP - BOTTOM)
    }
}

fn panel(text: &mut String, panel: &Panel, versions: &[&str]) {
    let _ = writeln!(text, "<text x=\"8\" y=\"12\" font-weight=\"bold\">{}</text>", escaped(&panel.title));
    let Some(scale) = Scale::of(panel, versions.len()) else {
        let _ = writeln!(text, "<text x=\"{LEFT}\" y=\"{}\" fill=\"#555555\">no value</text>", HEIGHT / 2.0);
        return;
    };
    axis(text, &scale, versions);
    for (line, colour) in panel.lines.iter().zip(COLOURS.iter().cycle()) {
        draw(text, &scale, line, colour, versions);
    }
    let mut at = LEFT;
    for (line, colour) in panel.lines.iter().zip(COLOURS.iter().cycle()) {
        let first = line.points.first().map(|(_, first)| format!(": first {}", short(*first)));
        let name = format!("{}{}", line.name, first.unwrap_or_default());
        let _ = writeln!(text, "<text x=\"{at:.1}\" y=\"28\" fill=\"{colour}\">{}</text>", escaped(&name));
        at += 16.0 + 6.0 * name.chars().count() as f64;
    }
}

fn axis(text: &mut String, scale: &Scale, versions: &[&str]) {
    for value in [scale.low, f64::midpoint(scale.low, scale.high), scale.high] {
        let (y, right) = (scale.y(value), WIDTH - RIGHT);
        let _ = writeln!(
            text,
            "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\" stroke=\"#dddddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#555555\">{}</text>",
            LEFT - 5.0,
            y + 3.5,
            signed_percent(value)
        );
    }
    let y = HEIGHT - 8.0;
    let ends = [(0, "start"), (versions.len() / 2, "middle"), (versions.len().saturating_sub(1), "end")];
    for (at, anchor) in ends.iter().filter(|(at, anchor)| *anchor == "start" || *at > 0) {
        let Some(version) = versions.get(*at) else { continue };
        let _ = writeln!(
            text,
            "<text x=\"{:.1}\" y=\"{y}\" text-anchor=\"{anchor}\" fill=\"#555555\">{}</text>",
            scale.x(*at as f64),
            escaped(version)
        );
    }
}

/// Consecutive points are joined; a version without a value leaves a gap.
fn draw(text: &mut String, scale: &Scale, line: &Line, colour: &str, versions: &[&str]) {
    let shares = line.shares();
    for run in shares.chunk_by(|a, b| b.0 == a.0 + 1) {
        let places: Vec<String> = run
            .iter()
            .map(|(at, value)| format!("{:.1},{:.1}", scale.x(*at as f64), scale.y(*value)))
            .collect();
        let _ = writeln!(
            text,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.4\"/>",
            places.join(" ")
        );
    }
    for ((at, share), (_, value)) in shares.iter().zip(&line.points) {
        let radius = if line.changes.contains(at) { 3.2 } else { 1.4 };
        let _ = writeln!(
            text,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius}\" fill=\"{colour}\"><title>{}</title></circle>",
            scale.x(*at as f64),
            scale.y(*share),
            escaped(&format!("{} {}: {}", versions[*at], line.name, figure(*value)))
        );
    }
}

/// With a letter for thousands and millions.
fn short(value: f64) -> String {
    match value.abs() {
        large if large >= 1e6 => format!("{:.2} M", value / 1e6),
        middling if middling >= 1e4 => format!("{:.1} k", value / 1e3),
        _ => figure(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(points: &[(usize, f64)]) -> Line {
        let chained = points.iter().map(|(_, value)| *value).collect();
        Line { name: "client".to_owned(), points: points.to_vec(), chained, changes: vec![1] }
    }

    #[test]
    fn a_version_without_a_value_is_a_gap() {
        let panel = Panel { title: "a < b".to_owned(), lines: vec![line(&[(0, 1e6), (1, 2e6), (3, 2e6)])] };
        let text = panels("instructions", &["1", "2", "3", "4"], &[panel]);
        assert_eq!(text.matches("<polyline").count(), 2);
        assert_eq!(text.matches("<circle").count(), 3);
        assert!(
            text.contains("a &lt; b") && text.contains("first 1.00 M") && text.contains("r=\"3.2\""),
            "{text}"
        );
        assert!(text.contains("+105 %") && text.contains("−5.00 %"), "{text}");
    }

    #[test]
    fn what_has_no_value_says_so() {
        let text = panels("t", &["1"], &[Panel { title: "p".to_owned(), lines: vec![line(&[])] }]);
        assert!(text.contains("no value"));
        let text = panels("t", &["1"], &[Panel { title: "p".to_owned(), lines: vec![line(&[(0, 0.0)])] }]);
        assert!(!text.contains("NaN") && text.contains("no value"), "{text}");
    }
}
