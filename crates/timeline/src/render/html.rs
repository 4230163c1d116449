//! One self-contained HTML page.

use std::fmt::Write;

use tlslab_comparison::page;
use tlslab_history::Cause;
use tlslab_text::html as escaped;

use super::plot::plot;
use super::words::{cell, describe, epoch, explanation, summary, threshold, when, with_bounds};
use crate::model::{Timeline, Timelines};

/// The page: a table of all series, then each with its drawing, what happened, and its points folded.
pub fn html(timelines: &Timelines) -> String {
    let mut body = format!(
        "<style>\n{}</style>\n<h1>{} histories</h1>\n",
        include_str!("../../assets/timeline.css"),
        timelines.timelines.len()
    );
    if timelines.timelines.len() == 1 {
        body = body.replace("1 histories", "A history");
    }
    // Writing to a string cannot fail.
    if let Some(reference) = &timelines.reference {
        let _ = writeln!(
            body,
            "<p>Segments and changes are of values over those of {} in the same run.</p>",
            escaped(reference)
        );
    }
    body.push_str("<div class=\"scroll\"><table>\n<thead><tr><th>series</th><th>points</th><th>level</th><th>last change</th></tr></thead>\n<tbody>\n");
    for (number, timeline) in timelines.timelines.iter().enumerate() {
        let [points, level, last] = summary(timeline).map(|text| escaped(&text));
        let name = escaped(&cell(&timeline.series));
        let _ = writeln!(
            body,
            "<tr><td><a href=\"#s{number}\">{name}</a></td><td class=\"number\">{points}</td><td class=\"number\">{level}</td><td>{last}</td></tr>"
        );
    }
    body.push_str("</tbody>\n</table></div>\n");
    for (number, timeline) in timelines.timelines.iter().enumerate() {
        series(&mut body, number, timeline);
    }
    body.push_str(
        "<p class=\"faint\">Dots are runs in the order of time with their intervals; thick lines are the levels of segments; a \
         coloured line is a change, a dashed one another environment, a dotted one the machine, as the reference shows it. \
         The axis does not begin at zero.</p>\n",
    );
    page("tlslab: history", &body)
}

fn series(body: &mut String, number: usize, timeline: &Timeline) {
    let _ = writeln!(body, "<h2 id=\"s{number}\">{}</h2>", escaped(&cell(&timeline.series)));
    let _ = writeln!(body, "<p class=\"faint\">On {}.</p>", escaped(&timeline.series.class));
    let _ = writeln!(body, "<figure>{}</figure>", plot(timeline));
    body.push_str("<ul class=\"happened\">\n");
    for change in timeline.history.iter().flat_map(|history| &history.changes) {
        let _ = writeln!(body, "<li>{}</li>", escaped(&describe(change)));
        if let Some(why) = explanation(timeline, change.at).filter(|_| change.cause == Cause::Change) {
            let _ = writeln!(body, "<li class=\"faint\">by {}</li>", escaped(&why));
        }
    }
    for (at, note) in &timeline.notes {
        let _ = writeln!(body, "<li>{}: {}</li>", escaped(&timeline.points[*at].label), escaped(note));
    }
    for text in threshold(timeline)
        .into_iter()
        .chain(timeline.no_history.clone().map(|why| format!("no segments: {why}")))
    {
        let _ = writeln!(body, "<li>{}</li>", escaped(&text));
    }
    body.push_str("</ul>\n");
    let _ = writeln!(
        body,
        "<details><summary>{} runs</summary>\n<div class=\"scroll\"><table>",
        timeline.points.len() + timeline.holes.len()
    );
    body.push_str("<thead><tr><th>when (UTC)</th><th>version</th><th>value</th><th>run</th><th>environment</th></tr></thead>\n<tbody>\n");
    let epochs: Vec<usize> = timeline.epochs().collect();
    for (at, point) in timeline.points.iter().enumerate() {
        let mark = if epochs.contains(&at) { escaped(&epoch(timeline, at)) } else { String::new() };
        let _ = writeln!(
            body,
            "<tr><td>{}</td><td>{}</td><td class=\"number\">{}</td><td>{}</td><td class=\"faint\">{mark}</td></tr>",
            when(&point.started),
            escaped(&point.label),
            escaped(&with_bounds(point)),
            escaped(&point.run)
        );
    }
    for hole in &timeline.holes {
        let _ = writeln!(
            body,
            "<tr><td>{}</td><td>{}</td><td colspan=\"2\">{}</td><td class=\"faint\">{}</td></tr>",
            when(&hole.started),
            escaped(&hole.label),
            escaped(&hole.why),
            escaped(&hole.run)
        );
    }
    body.push_str("</tbody>\n</table></div></details>\n");
}
