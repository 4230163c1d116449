//! Text of standings: Markdown, CSV, and a table for a terminal.

use std::fmt::Write;

use tlslab_text::number::{counted, significant, whole};
use tlslab_text::{csv_field, markdown as escaped, width};

use crate::model::{Entry, Ranked, Since, Standings};

impl Standings {
    /// Who is first how often, in a sentence.
    pub fn answer(&self) -> String {
        let tally = self.tally();
        let mut order: Vec<usize> = (0..self.stacks.len()).collect();
        order.sort_by_key(|at| std::cmp::Reverse(tally[*at].clone()));
        let firsts = order.iter().enumerate().map(|(nth, at)| {
            let (name, firsts) = (&self.stacks[*at].name, tally[*at][0]);
            match nth {
                0 => format!("{name} is first in {firsts} of {}", counted(self.results(), "result")),
                _ => format!("{name} in {firsts}"),
            }
        });
        let firsts: Vec<String> = firsts.collect();
        let shared = self.shared_firsts();
        let note = if shared > 0 { format!("; {shared} first places are shared") } else { String::new() };
        format!("{}{note}.", firsts.join(", "))
    }

    /// In how many results several stacks are first.
    fn shared_firsts(&self) -> usize {
        let firsts = |result: &Ranked| result.entries.iter().filter(|entry| entry.place == Some(1)).count();
        self.groups.iter().flat_map(|group| &group.results).filter(|result| firsts(result) > 1).count()
    }

    /// The table of places: its head and a row for each stack.
    pub fn places(&self) -> Vec<Vec<String>> {
        let places: Vec<String> = (1..=self.stacks.len()).map(ordinal).collect();
        let published = self.published.as_ref();
        let mut head = vec!["library".to_owned(), "version".to_owned()];
        head.extend(places.iter().map(|place| format!("{place} places")));
        head.extend(published.iter().flat_map(|_| places.iter().map(|place| format!("{place}, published"))));
        let rows = self.stacks.iter().zip(self.tally()).map(|(stack, tally)| {
            let mut row =
                vec![stack.name.clone(), stack.version.clone().unwrap_or_else(|| "failed".to_owned())];
            row.extend(tally.iter().map(ToString::to_string));
            if let Some(published) = published {
                let known = published.places.get(&stack.name);
                let of = |at: usize| known.map(|places| places.get(at).copied().unwrap_or_default());
                row.extend((0..places.len()).map(|at| of(at).map_or_else(String::new, |n| n.to_string())));
            }
            row
        });
        std::iter::once(head).chain(rows).collect()
    }

    /// The table of a group: its head and a row for each result.
    pub fn results_of(&self, group: usize) -> Vec<Vec<String>> {
        let mut head = vec!["result".to_owned(), "unit".to_owned()];
        head.extend(self.stacks.iter().map(|stack| stack.name.clone()));
        let rows = self.groups[group].results.iter().map(|result| {
            let mut row = vec![result.name.clone(), result.unit.clone()];
            row.extend(result.entries.iter().map(words));
            row
        });
        std::iter::once(head).chain(rows).collect()
    }

    /// How places come about, and what a figure is not.
    pub fn method(&self) -> Vec<String> {
        let mut lines = vec![
            "A stack's place is one more than the number of stacks that clearly take less time: the interval of \
             the ratio, measured in turns, lies below 1 by more than code layout alone can cause. Stacks that do \
             not differ clearly share a place."
                .to_owned(),
            "A rate is 1 over the CPU time of that side's calls alone: no network, no peer. In brackets is the \
             extra time over the fastest, with its interval."
                .to_owned(),
            format!("Run {}, begun {}, on {}; tlslab {}.", self.run, self.started, self.host, self.lab_version),
        ];
        if let Some(published) = &self.published {
            lines.push(format!("Published: {} ({}). {}", published.title, published.address, published.note));
        }
        lines
    }
}

impl Since {
    /// The title, and each list with its name.
    pub fn lists(&self) -> (String, Vec<(&'static str, &[String])>) {
        let host =
            if self.same_host { "the same kind of host" } else { "another host, so rates do not compare" };
        let title = format!("Since the run {}, begun {}, on {host}", self.run, self.started);
        let lists: [(&str, &[String]); 3] =
            [("Versions", &self.versions), ("Places", &self.places), ("Rates", &self.rates)];
        (title, lists.into_iter().filter(|(_, list)| !list.is_empty()).collect())
    }
}

/// `1st`, `2nd`, `3rd`, `4th` and so on.
fn ordinal(place: usize) -> String {
    let ending = match (place % 10, place % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{place}{ending}")
}

/// A rate, its place, and the extra time over the fastest.
fn words(entry: &Entry) -> String {
    let (Some(value), Some(place)) = (entry.value, entry.place) else {
        return entry.missing.clone().unwrap_or_else(|| "not measured".to_owned());
    };
    let extra = entry.over_first.map(|ratio| format!(" ({} time)", ratio.turned_round().more()));
    format!("{}, {}{}", number(value), ordinal(place), extra.unwrap_or_default())
}

pub(crate) fn number(value: f64) -> String {
    if value.abs() >= 1e3 { whole(value.round()) } else { significant(value, 4) }
}

/// The report in Markdown; `charts` are the addresses of the groups' charts, in their order.
pub fn markdown(standings: &Standings, charts: &[String]) -> String {
    let mut text = format!("# {}\n\n{}\n\n", escaped(&standings.title), escaped(&standings.answer()));
    text += &table(&standings.places(), 2);
    for (at, group) in standings.groups.iter().enumerate() {
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "\n## {}\n", escaped(&group.title));
        if let Some(chart) = charts.get(at) {
            let _ = writeln!(text, "![{}]({chart})\n", escaped(&group.title));
        }
        text += &table(&standings.results_of(at), 2);
    }
    if let Some(since) = &standings.since {
        let (title, lists) = since.lists();
        let _ = writeln!(text, "\n## {}", escaped(&title));
        for (name, list) in lists {
            let _ = writeln!(text, "\n**{name}**\n");
            list.iter().for_each(|line| text += &format!("- {}\n", escaped(line)));
        }
    }
    text += "\n## Method\n\n";
    for line in standings.method().iter().chain(&standings.warnings) {
        let _ = writeln!(text, "- {}", escaped(line));
    }
    text
}

/// A table whose columns from `figures` on are aligned to the right.
fn table(rows: &[Vec<String>], figures: usize) -> String {
    let line = |cells: &[String]| {
        format!("| {} |\n", cells.iter().map(|cell| escaped(cell)).collect::<Vec<_>>().join(" | "))
    };
    let Some((head, rows)) = rows.split_first() else { return String::new() };
    let rule = (0..head.len()).map(|at| if at < figures { "---" } else { "--:" });
    let rule = format!("|{}|\n", rule.collect::<Vec<_>>().join("|"));
    line(head) + &rule + &rows.iter().map(|row| line(row)).collect::<String>()
}

/// A row for each stack in each result.
pub fn csv(standings: &Standings) -> String {
    let mut text = comma_separated([
        "group",
        "result",
        "scenario",
        "side",
        "name",
        "stack",
        "version",
        "rate",
        "lower",
        "upper",
        "unit",
        "place",
        "time_over_first",
        "missing",
    ]);
    for group in &standings.groups {
        for result in &group.results {
            for (stack, entry) in standings.stacks.iter().zip(&result.entries) {
                let bare = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
                text += &comma_separated([
                    group.title.as_str(),
                    &result.name,
                    &result.scenario,
                    result.side.name(),
                    &stack.name,
                    &stack.stack,
                    stack.version.as_deref().unwrap_or_default(),
                    &bare(entry.value),
                    &bare(entry.lower),
                    &bare(entry.upper),
                    &result.unit,
                    &entry.place.map(|place| place.to_string()).unwrap_or_default(),
                    &bare(entry.over_first.map(|ratio| ratio.ratio)),
                    entry.missing.as_deref().unwrap_or_default(),
                ]);
            }
        }
    }
    text
}

/// A row in the form of RFC 4180.
fn comma_separated(fields: [&str; COLUMNS]) -> String {
    fields.map(csv_field).join(",") + "\r\n"
}

const COLUMNS: usize = 14;

/// The answer, the table of places, and what changed, for a terminal.
pub fn terminal(standings: &Standings) -> String {
    let mut text = standings.answer() + "\n\n";
    let rows = standings.places();
    let widths: Vec<usize> = (0..rows[0].len())
        .map(|column| rows.iter().map(|row| width(&row[column])).max().unwrap_or_default())
        .collect();
    for row in &rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, widest))| {
            let pad = " ".repeat(widest - width(cell));
            // Names begin and figures end in line.
            if column < 2 { format!("{cell}{pad}") } else { format!("{pad}{cell}") }
        });
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    if let Some(since) = &standings.since {
        let (title, lists) = since.lists();
        text += &format!("\n{title}\n");
        for line in lists.iter().flat_map(|(_, list)| *list) {
            text += &format!("  {line}\n");
        }
    }
    text
}
