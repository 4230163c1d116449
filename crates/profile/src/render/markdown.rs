//! A sheet for a pull request: short, as comments there are cut off.

use std::fmt::Write;

use tlslab_text::number::{figure, signed};
use tlslab_text::{markdown as escaped, markdown_code};

use super::numbers::{called, change, row_change, share, short};
use crate::sheet::{Row, Sheet, Side};

/// The sheet as Markdown.
pub fn markdown(sheet: &Sheet) -> String {
    let mut text = String::new();
    match &sheet.baseline {
        Some(base) => writeln!(text, "**{}** against {}", escaped(&sheet.title), escaped(base)),
        None => writeln!(text, "**{}**", escaped(&sheet.title)),
    }
    .expect("writing to a string cannot fail");
    for side in &sheet.sides {
        text.push('\n');
        match side.before {
            Some(before) => compared(&mut text, side, before),
            None => alone(&mut text, side),
        }
        .expect("writing to a string cannot fail");
    }
    for note in &sheet.notes {
        write!(text, "\n{}\n", escaped(note)).expect("writing to a string cannot fail");
    }
    text
}

fn alone(text: &mut String, side: &Side) -> std::fmt::Result {
    writeln!(text, "{}: {} instructions per iteration", side.name, figure(side.after))?;
    writeln!(text, "\n| part | instructions | share |\n|---|--:|--:|")?;
    for portion in &side.parts {
        writeln!(
            text,
            "| {} | {} | {} |",
            portion.part,
            figure(portion.after),
            share(portion.after, side.after)
        )?;
    }
    writeln!(text, "\n| function | instructions | share |\n|---|--:|--:|")?;
    for row in &side.functions {
        let after = row.after.unwrap_or(0.0);
        writeln!(text, "| {} | {} | {} |", place(row), figure(after), share(after, side.after))?;
    }
    let others = side.others;
    if others.functions > 0 {
        let share = share(others.after, side.after);
        writeln!(text, "| {} others | {} | {share} |", others.functions, figure(others.after))?;
    }
    Ok(())
}

fn compared(text: &mut String, side: &Side, before: f64) -> std::fmt::Result {
    if before == side.after && side.functions.is_empty() {
        return writeln!(
            text,
            "{}: {} instructions per iteration, every function as before",
            side.name,
            figure(before)
        );
    }
    let (delta, change) = (signed(side.after - before), change(before, side.after));
    writeln!(
        text,
        "{}: {} → {} instructions per iteration ({delta}, {change})",
        side.name,
        figure(before),
        figure(side.after)
    )?;
    writeln!(text, "\n| function | before | after | change | |\n|---|--:|--:|--:|--:|")?;
    for row in &side.functions {
        let (was, is) = (row.before.unwrap_or(0.0), row.after.unwrap_or(0.0));
        let (delta, change, called) = (signed(is - was), row_change(row), called(row));
        let (was, is) = (figure(was), figure(is));
        writeln!(text, "| {}{called} | {was} | {is} | {delta} | {change} |", place(row))?;
    }
    let others = side.others;
    if others.functions > 0 {
        let delta = signed(others.after - others.before);
        let (was, is) = (figure(others.before), figure(others.after));
        writeln!(text, "| {} others | {was} | {is} | {delta} | |", others.functions)?;
    }
    writeln!(text, "\n{} functions as before.", others.same)
}

fn place(row: &Row) -> String {
    let function = markdown_code(&short(&row.function)).replace('|', "\\|");
    match row.source.is_empty() {
        true => function,
        false => format!("{function} ({})", escaped(&row.source)),
    }
}
