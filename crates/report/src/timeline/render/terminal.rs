//! Histories for a terminal.

use std::fmt::Write;

use super::MOST_SHOWN;
use super::words::{cell, describe, epoch, explanation, summary, threshold, when, with_bounds};
use tlslab_history::Cause;
use tlslab_text::number::counted;

use crate::timeline::model::{Timeline, Timelines};

/// Every series in a line; with few of them their points, segments and changes, too.
pub fn terminal(timelines: &Timelines) -> String {
    let mut text = String::new();
    if timelines.timelines.len() > MOST_SHOWN {
        for timeline in &timelines.timelines {
            let [points, level, last] = summary(timeline);
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{}\n  points {points}, level {level}, last change {last}",
                cell(&timeline.series)
            );
        }
        let _ = writeln!(
            text,
            "\n{}; ask for fewer to see their points",
            counted(timelines.timelines.len(), "series")
        );
        return text;
    }
    for timeline in &timelines.timelines {
        series(&mut text, timeline);
    }
    text
}

fn series(text: &mut String, timeline: &Timeline) {
    let _ = writeln!(text, "{}\n  on {}", cell(&timeline.series), timeline.series.class);
    let width = timeline.points.iter().map(|point| point.label.chars().count()).max().unwrap_or_default();
    let epochs: Vec<usize> = timeline.epochs().collect();
    let changes: Vec<_> = timeline.history.iter().flat_map(|history| &history.changes).collect();
    for (at, point) in timeline.points.iter().enumerate() {
        if epochs.contains(&at) {
            let _ = writeln!(text, "  ═ {}", epoch(timeline, at));
        }
        for change in changes.iter().filter(|change| change.at == at) {
            let _ = writeln!(text, "  ▲ {}", describe(timeline, change));
            if let Some(why) = explanation(timeline, at).filter(|_| change.cause == Cause::Change) {
                let _ = writeln!(text, "    by {why}");
            }
        }
        if let Some(note) = timeline.notes.get(&at) {
            let _ = writeln!(text, "  ✎ {}: {note}", point.label);
        }
        let _ = writeln!(
            text,
            "    {}  {:width$}  {}  {}",
            when(&point.started),
            point.label,
            with_bounds(point),
            point.run
        );
    }
    for hole in &timeline.holes {
        let _ =
            writeln!(text, "    {}  {:width$}  {}  {}", when(&hole.started), hole.label, hole.why, hole.run);
    }
    if let Some(threshold) = threshold(timeline) {
        let _ = writeln!(text, "  {threshold}");
    }
    if let Some(why) = &timeline.no_history {
        let _ = writeln!(text, "  no segments: {why}");
    } else if let Some(why) = timeline.too_few() {
        let _ = writeln!(text, "  {why}");
    }
    text.push('\n');
}
