//! Markdown for a repository.

use std::fmt::Write;

use tlslab_text::markdown as escaped;

use super::notes::{claim_notes, document_notes, far, table_causes};
use super::picture::claims_svg_legend;
use super::provenance::{provenance_markdown, versions_markdown};
use super::ratios::{criterion, found};
use super::standing::{standing, standing_markdown};
use super::terminal::{cells, head, is_figure};
use super::verdicts::{by_group, in_cases, of_group, summary, verdict};
use super::words::took;
use crate::model::{Claim, Reproduction};

/// A document.
pub fn markdown(reproduction: &Reproduction) -> String {
    let mut text = format!("# {}\n\n{}", reproduction.title, standing_markdown([reproduction]));
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "Published by {}, measured on {}. Here: {}.\n",
        reproduction.by,
        reproduction.on,
        escaped(&reproduction.host.summary())
    );
    for note in document_notes(reproduction) {
        let _ = writeln!(text, "- {note}");
    }
    text += &versions_markdown(reproduction);
    for table in &reproduction.tables {
        let _ = writeln!(text, "\n## {} ({})\n", table.title, table.basis);
        let head = head(table);
        let _ =
            writeln!(text, "| {} |", head.iter().map(|cell| escaped(cell)).collect::<Vec<_>>().join(" | "));
        let rule = (0..head.len()).map(|at| if is_figure(table, at) { "--:" } else { "---" });
        let _ = writeln!(text, "|{}|", rule.collect::<Vec<_>>().join("|"));
        for row in &table.rows {
            let cells: Vec<String> = cells(table, row).iter().map(|cell| escaped(cell)).collect();
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
        if let Some(note) = &table.note {
            let _ = writeln!(text, "\n{note}");
        }
        for (at, cause) in table_causes(table).iter().enumerate() {
            let _ = writeln!(text, "{}- {}", if at == 0 { "\n" } else { "" }, escaped(cause));
        }
        if let Some(far) = far(table) {
            let _ = writeln!(text, "\n{}", escaped(&far));
        }
    }
    for trial in &reproduction.trials {
        let _ = writeln!(text, "\n## {}\n", trial.title);
        for (at, line) in trial.lines().iter().enumerate() {
            let cells: Vec<String> = line.iter().map(|cell| escaped(cell)).collect();
            let _ = writeln!(text, "| {} |", cells.join(" | "));
            if at == 0 {
                let _ = writeln!(text, "|{}", "---|".repeat(line.len()));
            }
        }
    }
    if !reproduction.claims.is_empty() {
        text.push_str("\n## Claims\n");
        claims(&mut text, reproduction, "###");
    }
    runs(&mut text, reproduction);
    text
}

/// The claims of several documents.
pub fn claims_markdown(reproductions: &[Reproduction]) -> String {
    let mut text = "# Published claims and results on this host\n\n".to_owned();
    text += &standing_markdown(reproductions);
    for (group, cases) in by_group(reproductions) {
        let _ = writeln!(text, "- {}: {}", group.words(), summary(cases));
    }
    let _ = writeln!(text, "\n![claims](claims.svg)\n\n{}", claims_svg_legend());
    for reproduction in reproductions.iter().filter(|one| !one.claims.is_empty()) {
        let _ =
            writeln!(text, "\n## {}\n\nHere: {}.", reproduction.title, escaped(&reproduction.host.summary()));
        if let Some(line) = standing([reproduction]) {
            let _ = writeln!(text, "{}", line.text);
        }
        claims(&mut text, reproduction, "###");
        runs(&mut text, reproduction);
    }
    text
}

/// The claims by group, each group with a heading.
fn claims(text: &mut String, reproduction: &Reproduction, heading: &str) {
    for (group, cases) in by_group([reproduction]) {
        let of_group = of_group(&reproduction.claims, group);
        let _ = writeln!(text, "\n{heading} {}\n\n{}\n", group.title(), in_cases(&cases));
        text.push_str("| claim | published | of | here | verdict |\n|---|---|---|--:|---|\n");
        for (claim, cases) in &of_group {
            for (at, case) in cases.iter().enumerate() {
                let (says, as_published) = match at {
                    0 => (format!("{} ({})", claim.says, claim.ratio), published(claim)),
                    _ => (String::new(), String::new()),
                };
                let (here, verdict) = (found(&claim.terms, &case.found), verdict(&claim.terms, case));
                let cells = [says, as_published, case.of.clone(), here, verdict];
                let _ = writeln!(text, "| {} |", cells.map(|cell| escaped(&cell)).join(" | "));
            }
        }
        for (claim, cases) in &of_group {
            for note in claim_notes(claim, cases) {
                let _ = writeln!(text, "\n*{}* {note}", claim.says);
            }
        }
    }
}

/// What was published of a claim: the document's words, and what decides.
fn published(claim: &Claim) -> String {
    match criterion(&claim.terms) {
        Some(criterion) => format!("{}; {criterion}", claim.published),
        None => claim.published.clone(),
    }
}

fn runs(text: &mut String, reproduction: &Reproduction) {
    text.push('\n');
    *text += &provenance_markdown(reproduction);
    for run in &reproduction.runs {
        let _ = writeln!(text, "- {} ({}): run {}, {:.0} s", run.title, run.basis, run.run, run.measuring_s);
        for warning in &run.warnings {
            let _ = writeln!(text, "  - {warning}");
        }
    }
    if let Some(of) = &reproduction.took {
        let _ = writeln!(text, "- {}", took(of));
    }
}
