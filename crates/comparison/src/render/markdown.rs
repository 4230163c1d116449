//! Markdown of a comparison, as a comment on a pull request has it.

use std::collections::HashMap;
use std::fmt::Write;

use tlslab_text::number::{self, counted};
use tlslab_text::{markdown as escaped, markdown_code as code};

use crate::compared::Compared;
use crate::model::{Change, Comparison, Outcome, Pair, Version};
use crate::verdict::Verdict;

use super::alike::{self, Line, cells, verdict_of};
use super::method::method;
use super::rules::{acknowledging, profiles, thresholds};
use super::summary::sentences;
use super::terminal::missing;
use super::words::{cell_with, figure, reasons, verdict, with_interval};

/// Characters that a comment on a pull request may have.
pub const LIMIT: usize = 65_536;
/// Characters kept free for the text around the tables.
const MARGIN: usize = 4_096;
/// Changed cells before the first fold.
const MOST_ROWS: usize = 8;
/// Functions named per metric.
const MOST_FUNCTIONS: usize = 5;
/// Functions named in a row of a folded table.
const REASONS: usize = 3;
/// Characters of a function's name.
const LONGEST_NAME: usize = 200;
/// Characters of a command that a comment shows.
const LONGEST_COMMAND: usize = 2_000;

/// The parts of a comment that do not come from the comparison, in Markdown. Empty parts are omitted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommentParts {
    /// The next step for a reviewer, after the verdict.
    pub advice: String,
    /// Base and head. If empty, the commits of each pair are shown where they are known.
    pub commits: String,
    /// How to accept the regressions. If empty, the `tlslab acknowledge` command is shown.
    pub acceptance: String,
    /// Paragraphs before the folds.
    pub notes: Vec<String>,
    /// Where the comparison's other files are.
    pub place: String,
}

/// A comment of at most [`LIMIT`] characters.
pub fn markdown(comparison: &Comparison) -> String {
    let parts = CommentParts { place: "next to this file".to_owned(), ..CommentParts::default() };
    markdown_within(comparison, LIMIT, &parts)
}

/// Verdict, functions, changed cells, commits, and the commands that repeat the comparison and accept its
/// regressions; all else is folded. If the text would exceed `limit` characters, the other cells are
/// summarised by scenario or by verdict, and the smallest changes are only counted; nothing is truncated.
pub fn markdown_within(comparison: &Comparison, limit: usize, parts: &CommentParts) -> String {
    let failed = comparison.failed();
    let mut changed = comparison.highlighted();
    changed.extend(comparison.acknowledged());
    changed.extend(&failed);
    let mut rest = comparison.others();
    rest.retain(|change| !failed.iter().any(|other| std::ptr::eq(*change, *other)));
    let comment = |first: &str, folds: &[(String, String)]| comment(comparison, parts, first, folds);
    let lines = alike::lines(&changed);
    let (first, further) = lines.split_at(lines.len().min(MOST_ROWS));
    // Cells that share a line are listed one by one, too.
    let of_lines = first.iter().filter(|line| line.single().is_none()).chain(further);
    let further: Vec<&Change> = of_lines.flat_map(|line| line.changes.iter().copied()).collect();
    let further_fold = (format!("further changes: {}", further.len()), table(comparison, &further, true));
    for others in [table(comparison, &rest, true), summed(comparison, &rest)] {
        let folds = [further_fold.clone(), (OTHERS.to_owned(), others)];
        let text = comment(&table_of_lines(comparison, first), &folds);
        if text.chars().count() <= limit {
            return text;
        }
    }
    let others = (OTHERS.to_owned(), by_verdict(&rest));
    let room = limit.saturating_sub(MARGIN);
    let mut length = comment("", std::slice::from_ref(&others)).chars().count();
    let mut fits = |row: String| {
        length += row.chars().count();
        length <= room
    };
    let first_shown = first.iter().take_while(|line| fits(row_of_line(comparison, line))).count();
    let shown = further.iter().take_while(|change| fits(row(comparison, change, true))).count();
    let mut further_table = table(comparison, &further[..shown], true);
    let hidden = first.len() - first_shown + further.len() - shown;
    if hidden > 0 {
        let more = counted(hidden, "cell");
        let _ = writeln!(further_table, "\nand {more} with smaller changes; `comparison.json` has them.");
    }
    let further_fold = (further_fold.0, further_table);
    comment(&table_of_lines(comparison, &first[..first_shown]), &[further_fold, others])
}

/// The fold of cells without a highlighted change.
const OTHERS: &str = "all other cells";

fn comment(comparison: &Comparison, parts: &CommentParts, first: &str, folds: &[(String, String)]) -> String {
    let [head, detail] = sentences(comparison, escaped, code);
    // The table names the changed cells.
    let detail = if first.is_empty() { detail.as_str() } else { "" };
    let mut verdict = format!("**{head}**");
    for sentence in [detail, parts.advice.as_str()].into_iter().filter(|sentence| !sentence.is_empty()) {
        let _ = write!(verdict, " {sentence}");
    }
    let commits = match parts.commits.as_str() {
        "" => comparison.pairs.iter().filter_map(commits).collect::<Vec<_>>().join("\n\n"),
        commits => commits.to_owned(),
    };
    let mut paragraphs = vec![
        verdict,
        functions(comparison),
        first.to_owned(),
        commits,
        repetition(comparison).unwrap_or_default(),
        acceptance(comparison, parts).unwrap_or_default(),
    ];
    paragraphs.extend(parts.notes.iter().cloned());
    let method = ("how it was measured".to_owned(), how(comparison, &parts.place));
    let folds = folds.iter().chain(std::iter::once(&method)).filter(|(_, text)| !text.is_empty());
    paragraphs.extend(folds.map(|(summary, text)| {
        format!("<details><summary>{summary}</summary>\n\n{}\n\n</details>", text.trim_end())
    }));
    paragraphs.retain(|paragraph| !paragraph.trim().is_empty());
    let paragraphs: Vec<&str> = paragraphs.iter().map(|paragraph| paragraph.trim_end()).collect();
    paragraphs.join("\n\n") + "\n"
}

/// A function's name, its largest change in a cell, and the number of cells.
type Changed<'c> = (&'c str, f64, usize);

/// The functions with the largest changes, by metric.
fn functions(comparison: &Comparison) -> String {
    let mut metrics: Vec<(Compared, Vec<Changed<'_>>)> = Vec::new();
    for change in comparison.highlighted().into_iter().chain(comparison.acknowledged()) {
        let Some(effect) = change.effect().filter(|effect| !effect.reasons.is_empty()) else { continue };
        let at = metrics.iter().position(|(metric, _)| *metric == change.metric).unwrap_or_else(|| {
            metrics.push((change.metric, Vec::new()));
            metrics.len() - 1
        });
        let found = &mut metrics[at].1;
        for reason in &effect.reasons {
            match found.iter_mut().find(|(function, ..)| *function == reason.function.as_str()) {
                Some((_, most, cells)) => {
                    *cells += 1;
                    if reason.change.abs() > most.abs() {
                        *most = reason.change;
                    }
                }
                None => found.push((reason.function.as_str(), reason.change, 1)),
            }
        }
    }
    let lines = metrics.into_iter().map(|(metric, mut found)| {
        found.sort_by(|one, other| other.1.abs().total_cmp(&one.1.abs()));
        let each = found.iter().take(MOST_FUNCTIONS).map(|(function, most, cells)| {
            let name: String = match function.char_indices().nth(LONGEST_NAME) {
                Some((end, _)) => format!("{}…", &function[..end]),
                None => (*function).to_owned(),
            };
            let cells = if *cells > 1 { format!(" ({cells} cells)") } else { String::new() };
            format!("{} {}{cells}", escaped(&name), number::signed(most.round()))
        });
        format!("Functions ({}): {}", metric.words(), each.collect::<Vec<_>>().join(", "))
    });
    lines.collect::<Vec<_>>().join("\n\n")
}

/// The command that measures again, if it is known.
fn repetition(comparison: &Comparison) -> Option<String> {
    let command = comparison.command.as_ref().filter(|command| command.len() <= LONGEST_COMMAND)?;
    Some(format!("Repeat: {}", code(command)))
}

/// How a maintainer accepts the regressions, if there are any.
fn acceptance(comparison: &Comparison, parts: &CommentParts) -> Option<String> {
    if parts.acceptance.is_empty() {
        return acknowledging(comparison).map(|command| format!("Accept (maintainers): {}", code(&command)));
    }
    (!comparison.marked(Verdict::Regression).is_empty()).then(|| parts.acceptance.clone())
}

/// The commits of a pair, if both sides are commits.
fn commits(pair: &Pair) -> Option<String> {
    let is_commit = |label: &&str| label.len() >= 7 && label.bytes().all(|digit| digit.is_ascii_hexdigit());
    let label = |version: &Option<Version>| version.as_ref().map(|version| version.label.clone());
    let (baseline, candidate) = (label(&pair.baseline_in_history)?, label(&pair.version)?);
    [&*baseline, &*candidate].iter().all(is_commit).then(|| {
        let [baseline, candidate] =
            [&*baseline, &*candidate].map(|commit| commit.get(..10).unwrap_or(commit));
        format!(
            "{} is commit {}, {} is commit {}.",
            code(&pair.baseline),
            code(baseline),
            code(&pair.candidate),
            code(candidate)
        )
    })
}

/// How it was measured and decided, one line each, for the fold.
fn how(comparison: &Comparison, place: &str) -> String {
    let mut lines = Vec::new();
    for pair in &comparison.pairs {
        lines.push(format!(
            "- baseline {} ({}), candidate {} ({}){}",
            code(&pair.baseline),
            escaped(&pair.baseline_version),
            code(&pair.candidate),
            escaped(&pair.candidate_version),
            if pair.identical { ": the same code" } else { "" }
        ));
    }
    lines.extend(method(comparison).iter().map(|line| format!("- {}", escaped(line))));
    if comparison.measuring_s >= 0.5 {
        lines.push(format!("- Measuring took {:.0} s.", comparison.measuring_s));
    }
    lines.extend(thresholds(comparison).iter().map(|line| format!("- {}", escaped(line))));
    lines.extend(
        profiles(comparison, "PLACE").map(|line| format!("- {}", escaped(&line).replacen("PLACE", place, 1))),
    );
    lines.extend(comparison.warnings.iter().map(|warning| format!("- {}", escaped(warning))));
    lines.push(format!(
        "- run {}, tlslab {}",
        escaped(&comparison.runs.join(" and ")),
        escaped(&comparison.lab_version)
    ));
    lines.join("\n")
}

/// The changes before the first fold; those that are alike share a row.
fn table_of_lines(comparison: &Comparison, lines: &[Line<'_>]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    head(false) + &lines.iter().map(|line| row_of_line(comparison, line)).collect::<String>()
}

fn row_of_line(comparison: &Comparison, line: &Line<'_>) -> String {
    if let Some(change) = line.single() {
        return row(comparison, change, false);
    }
    format!(
        "| {} | {} | {} | {}{} | | |\n",
        cells(comparison, line, escaped, code),
        line.changes[0].metric.words(),
        line.range(),
        mark(line.changes[0]),
        escaped(&verdict_of(line))
    )
}

fn head(has_functions: bool) -> String {
    let [head, line] = if has_functions { [" functions |", "---|"] } else { ["", ""] };
    format!(
        "| cell | metric | change | verdict | baseline | candidate |{head}\n|---|---|--:|---|--:|--:|{line}\n"
    )
}

fn mark(change: &Change) -> &'static str {
    match change.verdict() {
        Some(Verdict::Regression) if change.is_highlighted() => "🔴 ",
        Some(Verdict::Improvement) if change.is_highlighted() => "🟢 ",
        Some(Verdict::Regression) if change.is_significant() => "⚪ ",
        _ => "",
    }
}

fn table(comparison: &Comparison, changes: &[&Change], has_functions: bool) -> String {
    if changes.is_empty() {
        return String::new();
    }
    let mut text = head(has_functions);
    for change in changes {
        text += &row(comparison, change, has_functions);
    }
    text
}

fn row(comparison: &Comparison, change: &Change, has_functions: bool) -> String {
    let name = cell_with(comparison, change, escaped, code);
    let metric = change.metric.words();
    let [cells, functions] = match &change.outcome {
        Outcome::Compared(effect) => {
            let cells = format!(
                "{} | {}{} | {} | {}",
                with_interval(effect),
                mark(change),
                escaped(&verdict(comparison, change)),
                figure(effect.baseline, change.metric),
                figure(effect.candidate, change.metric),
            );
            [cells, escaped(&reasons(effect, REASONS))]
        }
        Outcome::Missing { baseline_missing, candidate_missing } => {
            let why = missing(baseline_missing.as_deref(), candidate_missing.as_deref());
            [format!("| {} | |", escaped(&why)), String::new()]
        }
    };
    let functions = if has_functions { format!(" {functions} |") } else { String::new() };
    format!("| {name} | {metric} | {cells} |{functions}\n")
}

/// One line per scenario and verdict.
fn summed(comparison: &Comparison, changes: &[&Change]) -> String {
    // Names are code, so that readers can copy them.
    let mut lines: Vec<(String, usize)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for change in changes {
        let word = change.verdict().map_or("not compared", Verdict::words);
        let pair = code(&comparison.pairs[change.pair].candidate);
        let line = format!("{pair}: {}", escaped(&format!("{}: {word}", change.scenario)));
        let at = *places.entry(line).or_insert_with_key(|line| {
            lines.push((line.clone(), 0));
            lines.len() - 1
        });
        lines[at].1 += 1;
    }
    let lines: Vec<String> = lines.iter().map(|(line, count)| format!("- {line} × {count}\n")).collect();
    lines.concat()
}

fn by_verdict(changes: &[&Change]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for change in changes {
        let word = change.verdict().map_or("not compared", Verdict::words);
        match counts.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => counts.push((word, 1)),
        }
    }
    counts.iter().map(|(word, count)| format!("- {word}: {}\n", counted(count, "cell"))).collect()
}
