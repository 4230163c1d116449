//! Markdown for a pull request.

use std::collections::HashMap;
use std::fmt::Write;

use tlslab_text::number::counted;
use tlslab_text::{markdown as escaped, markdown_code as code};

use crate::model::{Change, Comparison, Outcome, Pair, Version};
use crate::verdict::Verdict;

use super::method::method;
use super::rules::{acknowledging, profiles, thresholds};
use super::summary::sentences;
use super::terminal::missing;
use super::words::{cell_with, figure, reasons, verdict, with_interval};

/// A comment on a pull request may have so many characters.
pub const LIMIT: usize = 65_536;
/// Room for what stands around the tables.
const MARGIN: usize = 4_096;

/// In as many characters as a comment may have.
pub fn markdown(comparison: &Comparison) -> String {
    markdown_within(comparison, LIMIT, "beside this file")
}

/// The sentence, a table of what changed significantly, and the rest folded, in at most `limit` characters if
/// that can be. Where it would be too long the rest is summed up by scenario, then by verdict, and of the
/// highlighted cells the smallest by their number; nothing is cut off. `place` says where the comparison's
/// other files are, in Markdown.
pub fn markdown_within(comparison: &Comparison, limit: usize, place: &str) -> String {
    let put_together = |highlighted: &str, rest: &str| put_together(comparison, highlighted, rest, place);
    let mut highlighted = comparison.highlighted();
    highlighted.extend(comparison.acknowledged());
    let rest = comparison.others();
    let whole = put_together(&table(comparison, &highlighted), &table(comparison, &rest));
    if whole.chars().count() <= limit {
        return whole;
    }
    let by_scenario = put_together(&table(comparison, &highlighted), &summed(comparison, &rest));
    if by_scenario.chars().count() <= limit {
        return by_scenario;
    }
    let short = by_verdict(&rest);
    let room = limit.saturating_sub(MARGIN);
    let mut shown = 0;
    let mut length = put_together("", &short).chars().count();
    while shown < highlighted.len() {
        length += row(comparison, highlighted[shown]).chars().count();
        if length > room {
            break;
        }
        shown += 1;
    }
    let mut text = table(comparison, &highlighted[..shown]);
    if shown < highlighted.len() {
        let _ = writeln!(
            text,
            "\nand {} with smaller changes; `comparison.json` has them.",
            counted(highlighted.len() - shown, "highlighted cell")
        );
    }
    put_together(&text, &short)
}

fn put_together(comparison: &Comparison, highlighted: &str, rest: &str, place: &str) -> String {
    let [head, detail] = sentences(comparison, escaped, code);
    let mut text = format!("{}\n", format!("**{head}** {detail}").trim_end());
    for commits in comparison.pairs.iter().filter_map(commits) {
        let _ = write!(text, "\n{commits}\n");
    }
    for part in [highlighted, rest] {
        if part.is_empty() {
            continue;
        }
        if std::ptr::eq(part, rest) {
            let _ = write!(text, "\n<details><summary>all other cells</summary>\n\n{part}\n</details>\n");
        } else {
            let _ = write!(text, "\n{part}");
        }
    }
    if let Some(line) = profiles(comparison, "PLACE") {
        let _ = writeln!(text, "\n{}", escaped(&line).replacen("PLACE", place, 1));
    }
    let _ = write!(
        text,
        "\n<details><summary>how it was measured</summary>\n\n{}\n</details>\n",
        how(comparison, escaped, code)
    );
    text
}

/// Which commits a pair is of, where both are.
fn commits(pair: &Pair) -> Option<String> {
    let is_commit = |label: &&str| label.len() >= 7 && label.bytes().all(|digit| digit.is_ascii_hexdigit());
    let label = |version: &Option<Version>| version.as_ref().map(|version| version.label.clone());
    let (baseline, candidate) = (label(&pair.baseline_in_history)?, label(&pair.version)?);
    [&*baseline, &*candidate].iter().all(is_commit).then(|| {
        format!(
            "{} is commit {}, {} is commit {}.",
            code(&pair.candidate),
            code(&candidate),
            code(&pair.baseline),
            code(&baseline)
        )
    })
}

/// How it was measured and decided, a line each. What comes from the comparison is made safe by `text`, names
/// by `name`.
pub(super) fn how(comparison: &Comparison, text: fn(&str) -> String, name: fn(&str) -> String) -> String {
    let mut lines = Vec::new();
    for pair in &comparison.pairs {
        lines.push(format!(
            "- baseline {} ({}), candidate {} ({}){}",
            name(&pair.baseline),
            text(&pair.baseline_version),
            name(&pair.candidate),
            text(&pair.candidate_version),
            if pair.identical { ": the same code" } else { "" }
        ));
    }
    lines.extend(method(comparison).iter().map(|line| format!("- {}", text(line))));
    if comparison.measuring_s >= 0.5 {
        lines.push(format!("- {:.0} s of measuring", comparison.measuring_s));
    }
    lines.extend(thresholds(comparison).iter().map(|line| format!("- {}", text(line))));
    lines.extend(
        acknowledging(comparison)
            .map(|command| format!("- a maintainer acknowledges what is marked by {}", name(&command))),
    );
    lines.extend(comparison.warnings.iter().map(|warning| format!("- {}", text(warning))));
    lines.push(format!(
        "- run {}, tlslab {}",
        text(&comparison.runs.join(" and ")),
        text(&comparison.lab_version)
    ));
    lines.join("\n") + "\n"
}

fn table(comparison: &Comparison, changes: &[&Change]) -> String {
    if changes.is_empty() {
        return String::new();
    }
    let mut text =
        "| cell | metric | change | verdict | baseline | candidate | functions |\n|---|---|--:|---|--:|--:|---|\n"
            .to_owned();
    for change in changes {
        text += &row(comparison, change);
    }
    text
}

fn row(comparison: &Comparison, change: &Change) -> String {
    let name = cell_with(comparison, change, escaped, code);
    match &change.outcome {
        Outcome::Compared(effect) => {
            let mark = match effect.verdict {
                Verdict::Regression if change.is_highlighted() => "🔴 ",
                Verdict::Improvement if change.is_highlighted() => "🟢 ",
                Verdict::Regression if change.is_significant() => "⚪ ",
                _ => "",
            };
            format!(
                "| {name} | {} | {} | {mark}{} | {} | {} | {} |\n",
                change.metric.words(),
                with_interval(effect),
                escaped(&verdict(comparison, change)),
                figure(effect.baseline, change.metric),
                figure(effect.candidate, change.metric),
                escaped(&reasons(effect, 3)),
            )
        }
        Outcome::Missing { baseline_missing, candidate_missing } => {
            let why = missing(baseline_missing.as_deref(), candidate_missing.as_deref());
            format!("| {name} | {} | | {} | | | |\n", change.metric.words(), escaped(&why))
        }
    }
}

/// A line per scenario and verdict.
fn summed(comparison: &Comparison, changes: &[&Change]) -> String {
    // Names are code, so that they can be copied.
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
