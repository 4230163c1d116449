//! The bar chart of a group, as a stand-alone SVG or as part of a page.

use std::fmt::Write;

use tlslab_text::html as escaped;

use crate::model::{Entry, Ranked, Standings};
use crate::render::number;

const WIDTH: f64 = 820.0;
const LEFT: f64 = 250.0;
const RIGHT: f64 = 150.0;
const BAR: f64 = 15.0;
const GAP: f64 = 16.0;
const HEAD: f64 = 62.0;
/// The colours of stacks, readable on light and on dark ground.
const COLOURS: [&str; 6] = ["#3b82c4", "#d97a2b", "#5f9e3f", "#b5588e", "#8a7bd1", "#9c8a45"];

/// The rates of a group, a bar for each stack in each result, with intervals. Each result has its own scale,
/// so that the fastest bar is as long in every one. If `is_alone`, the ground is white, as an image needs
/// it; else text has the page's colour.
pub fn chart(standings: &Standings, group: usize, is_alone: bool) -> String {
    let of = &standings.groups[group];
    let rows = of.results.iter().map(|result| BAR * result.entries.len() as f64 + GAP);
    let height = HEAD + rows.sum::<f64>() + 4.0;
    let title = escaped(&of.title);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         font-family=\"sans-serif\" font-size=\"12\" fill=\"currentColor\"{}>\n<title>{title}</title>\n",
        if is_alone { " color=\"#1a1a1a\"" } else { "" }
    );
    if is_alone {
        text += &format!("<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>\n");
    }
    if is_alone {
        text += &format!("<text x=\"8\" y=\"20\" font-size=\"15\" font-weight=\"bold\">{title}</text>\n");
    }
    // Writing to a string cannot fail, here and below.
    let _ = writeln!(
        text,
        "<text x=\"{:.0}\" y=\"20\" text-anchor=\"end\">longer is better, ● is first</text>",
        WIDTH - 8.0
    );
    legend(&mut text, standings);
    let mut top = HEAD;
    for result in &of.results {
        bars(&mut text, standings, result, top);
        top += BAR * result.entries.len() as f64 + GAP;
    }
    text + "</svg>\n"
}

fn legend(text: &mut String, standings: &Standings) {
    let mut at = 8.0;
    for (stack, colour) in standings.stacks.iter().zip(COLOURS.iter().cycle()) {
        let name = match &stack.version {
            Some(version) => format!("{} ({version})", stack.name),
            None => stack.name.clone(),
        };
        let _ = writeln!(
            text,
            "<rect x=\"{at:.0}\" y=\"33\" width=\"11\" height=\"11\" fill=\"{colour}\"/>\
             <text x=\"{:.0}\" y=\"43\">{}</text>",
            at + 16.0,
            escaped(&name)
        );
        at += 36.0 + 6.6 * name.chars().count() as f64;
    }
}

fn bars(text: &mut String, standings: &Standings, result: &Ranked, top: f64) {
    let ends = result.entries.iter().filter_map(|entry| entry.upper.or(entry.value));
    let most = ends.fold(0.0, f64::max);
    let middle = top + BAR * result.entries.len() as f64 / 2.0 + 4.0;
    let _ = writeln!(
        text,
        "<text x=\"{:.0}\" y=\"{middle:.1}\" text-anchor=\"end\">{}</text>",
        LEFT - 8.0,
        escaped(&result.name)
    );
    let colours = COLOURS.iter().cycle();
    for (at, ((entry, stack), colour)) in
        result.entries.iter().zip(&standings.stacks).zip(colours).enumerate()
    {
        let y = top + BAR * at as f64;
        let x = |rate: f64| if most > 0.0 { (WIDTH - LEFT - RIGHT) * (rate / most) } else { 0.0 };
        bar(text, entry, &stack.name, (y, colour), x, &result.unit);
    }
}

fn bar(text: &mut String, entry: &Entry, name: &str, at: (f64, &str), x: impl Fn(f64) -> f64, unit: &str) {
    let (y, colour) = at;
    let label = y + BAR - 4.0;
    let Some(value) = entry.value else {
        let why = if entry.missing.as_deref().is_some_and(|why| why.starts_with("unsupported")) {
            "unsupported"
        } else {
            "no value"
        };
        let _ = writeln!(
            text,
            "<text x=\"{LEFT}\" y=\"{label:.1}\" font-size=\"11\">{}: {why}</text>",
            escaped(name)
        );
        return;
    };
    let said = format!("{name}: {} {unit}", number(value));
    let _ = writeln!(
        text,
        "<rect x=\"{LEFT}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{colour}\"><title>{}</title></rect>",
        y + 1.0,
        x(value),
        BAR - 2.0,
        escaped(&said)
    );
    if let (Some(lower), Some(upper)) = (entry.lower, entry.upper) {
        let y = y + BAR / 2.0;
        let [lower, upper] = [lower, upper].map(|bound| LEFT + x(bound));
        let _ = writeln!(
            text,
            "<line x1=\"{lower:.1}\" y1=\"{y:.1}\" x2=\"{upper:.1}\" y2=\"{y:.1}\" stroke=\"currentColor\" stroke-width=\"1.5\"/>"
        );
    }
    let end = LEFT + x(entry.upper.unwrap_or(value)) + 6.0;
    let place = entry.place.map_or("", |place| if place == 1 { " ●" } else { "" });
    let _ = writeln!(
        text,
        "<text x=\"{end:.1}\" y=\"{label:.1}\" font-size=\"11\">{} {unit}{place}</text>",
        number(value)
    );
}
