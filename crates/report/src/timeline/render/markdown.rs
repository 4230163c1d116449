//! Histories as markdown.

use std::fmt::Write;

use tlslab_text::{capitalised, markdown as safe};

use super::MOST_SHOWN;
use super::words::{cell, describe, epoch, explanation, summary, threshold, when, with_bounds};
use crate::timeline::model::{Timeline, Timelines};

/// A table of all series; with few of them a table of the points of each, too.
pub fn markdown(timelines: &Timelines) -> String {
    let mut text = "| series | points | level | last change |\n|---|--:|--:|---|\n".to_owned();
    for timeline in &timelines.timelines {
        let [points, level, last] = summary(timeline);
        // Writing to a string cannot fail.
        let _ =
            writeln!(text, "| {} | {points} | {level} | {} |", safe(&cell(&timeline.series)), safe(&last));
    }
    if timelines.timelines.len() <= MOST_SHOWN {
        for timeline in &timelines.timelines {
            series(&mut text, timeline);
        }
    }
    text
}

fn series(text: &mut String, timeline: &Timeline) {
    let _ = writeln!(text, "\n### {}\n\nOn {}.", safe(&cell(&timeline.series)), safe(&timeline.series.class));
    if let Some(threshold) = threshold(timeline) {
        let _ = writeln!(text, "{}.", capitalised(&threshold));
    }
    if let Some(why) = &timeline.no_history {
        let _ = writeln!(text, "There are no segments: {}.", safe(why));
    } else if let Some(why) = timeline.too_few() {
        let _ = writeln!(text, "{why}.");
    }
    let _ = writeln!(text, "\n| when (UTC) | version | value | run | |\n|---|---|--:|---|---|");
    let epochs: Vec<usize> = timeline.epochs().collect();
    for (at, point) in timeline.points.iter().enumerate() {
        let mut marks: Vec<String> = Vec::new();
        if epochs.contains(&at) {
            marks.push(format!("environment: {}", epoch(timeline, at)));
        }
        let changes = timeline.history.iter().flat_map(|history| &history.changes);
        marks.extend(changes.filter(|change| change.at == at).map(|change| describe(timeline, change)));
        marks.extend(timeline.notes.get(&at).map(|note| format!("note: {note}")));
        marks.extend(explanation(timeline, at).map(|why| format!("by {why}")));
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            when(&point.started),
            safe(&point.label),
            safe(&with_bounds(point)),
            point.run,
            safe(&marks.join("; "))
        );
    }
    for hole in &timeline.holes {
        let _ = writeln!(
            text,
            "| {} | {} | | {} | {} |",
            when(&hole.started),
            safe(&hole.label),
            hole.run,
            safe(&hole.why)
        );
    }
}
