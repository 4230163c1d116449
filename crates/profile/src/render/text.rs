//! A sheet for a terminal.

use std::fmt::Write;

use tlslab_text::number::{figure, signed};

use super::numbers::{called, change, place, row_change, share};
use crate::sheet::{Sheet, Side};

/// At most so many callers of a function.
const CALLERS: usize = 5;

/// The sheet as text; with callers only if requested.
pub fn text(sheet: &Sheet, callers: bool) -> String {
    let mut text = String::new();
    match &sheet.baseline {
        Some(base) => writeln!(text, "{base} -> {}\n", sheet.title),
        None => writeln!(text, "{}\n", sheet.title),
    }
    .expect("writing to a string cannot fail");
    for side in &sheet.sides {
        match side.before {
            Some(before) => compared(&mut text, side, before),
            None => alone(&mut text, side, callers),
        }
        text.push('\n');
    }
    for note in &sheet.notes {
        text.push_str(note);
        text.push('\n');
    }
    text
}

fn alone(text: &mut String, side: &Side, callers: bool) {
    let mut line =
        |words: std::fmt::Arguments<'_>| writeln!(text, "{words}").expect("writing to a string cannot fail");
    line(format_args!("{}: {} instructions per iteration", side.name, figure(side.after)));
    let parts: Vec<String> = side
        .parts
        .iter()
        .map(|portion| format!("{} {}", portion.part, share(portion.after, side.after)))
        .collect();
    line(format_args!("  {}", parts.join(", ")));
    for row in &side.functions {
        let after = row.after.unwrap_or(0.0);
        line(format_args!("{:>9} {:>12}  {}", share(after, side.after), figure(after), place(row)));
        for (caller, own) in row.callers.iter().take(if callers { CALLERS } else { 0 }) {
            line(format_args!("{:>9} {:>12}    from {caller}", "", figure(*own)));
        }
    }
    if side.others.functions > 0 {
        let others = side.others;
        line(format_args!(
            "{:>9} {:>12}  {} others",
            share(others.after, side.after),
            figure(others.after),
            others.functions
        ));
    }
}

fn compared(text: &mut String, side: &Side, before: f64) {
    let mut line =
        |words: std::fmt::Arguments<'_>| writeln!(text, "{words}").expect("writing to a string cannot fail");
    if before == side.after && side.functions.is_empty() {
        line(format_args!(
            "{}: {} instructions per iteration, every function as before",
            side.name,
            figure(before)
        ));
        return;
    }
    line(format_args!(
        "{}: {} -> {} instructions per iteration ({}, {})",
        side.name,
        figure(before),
        figure(side.after),
        signed(side.after - before),
        change(before, side.after)
    ));
    let parts: Vec<String> = side
        .parts
        .iter()
        .map(|portion| (portion, portion.after - portion.before.unwrap_or(0.0)))
        .filter(|(_, delta)| *delta != 0.0)
        .map(|(portion, delta)| format!("{} {}", portion.part, signed(delta)))
        .collect();
    line(format_args!("  {}", parts.join(", ")));
    for row in &side.functions {
        let (was, is) = (row.before.unwrap_or(0.0), row.after.unwrap_or(0.0));
        line(format_args!(
            "{:>12} {:>10} {:>12} -> {:<12} {}{}",
            signed(is - was),
            row_change(row),
            figure(was),
            figure(is),
            place(row),
            called(row)
        ));
    }
    let others = side.others;
    if others.functions > 0 {
        line(format_args!(
            "{:>12} {:>10} {:>12} -> {:<12} {} others",
            signed(others.after - others.before),
            "",
            figure(others.before),
            figure(others.after),
            others.functions
        ));
    }
    line(format_args!("  {} functions as before", others.same));
}
