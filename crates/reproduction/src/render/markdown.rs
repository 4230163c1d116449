//! Markdown for a repository.

use std::fmt::Write;

use tlslab_text::markdown as escaped;
use tlslab_text::number::counted;

use super::between_hosts::differences;
use super::notes::{claim_notes, document_notes, far, table_causes};
use super::picture::claims_svg_legend;
use super::provenance::{here_on, provenance_markdown, runs_of, took_lines, versions_markdown};
use super::ratios::{found, published};
use super::standing::standing_text;
use super::terminal::{cells, head, is_figure};
use super::verdicts::{
    by_group, cells as cells_of, elsewhere, in_cases, of_group, row_verdict, sentence_summary, summary,
    verdict,
};
use super::words::here;
use crate::model::{Case, Reproduction};
use crate::sentences::sentences;
use crate::terms::Group;

/// A document.
pub fn markdown(reproduction: &Reproduction) -> String {
    let mut text = format!("# {}\n\n{}", escaped(&reproduction.title), standing_text([reproduction], "\n\n"));
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "Published by {}, measured on {}. Here: {}.\n",
        reproduction.by,
        reproduction.on,
        escaped(&here_on(reproduction))
    );
    for note in document_notes(reproduction) {
        let _ = writeln!(text, "- {note}");
    }
    text += &versions_markdown(reproduction);
    for table in &reproduction.tables {
        let _ = writeln!(text, "\n## {} ({})\n", escaped(&table.title), table.basis);
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
        for far in far(table) {
            let _ = writeln!(text, "\n{}", escaped(&far));
        }
    }
    for trial in &reproduction.trials {
        let _ = writeln!(text, "\n## {}\n", escaped(&trial.title));
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
    let mut text = "# Published claims and their outcomes\n\n".to_owned();
    text += &standing_text(reproductions, "\n\n");
    let sentences = sentences(reproductions);
    if !sentences.is_empty() {
        let documents =
            counted(reproductions.iter().filter(|one| !one.claims.is_empty()).count(), "document");
        let _ = writeln!(text, "- {}", sentence_summary(&sentences, &format!(" of {documents}")));
    }
    for (group, cases) in by_group(reproductions) {
        let cells = counted(cells_of(&cases), "cell");
        let _ = writeln!(text, "- {}, {cells}: {}", group.words(), summary(cases));
    }
    let _ = writeln!(text, "\n![claims](claims.svg)\n\n{}", claims_svg_legend());
    for reproduction in reproductions.iter().filter(|one| !one.claims.is_empty()) {
        let _ = writeln!(
            text,
            "\n## {}\n\nHere: {}.",
            escaped(&reproduction.title),
            escaped(&here_on(reproduction))
        );
        text += &standing_text([reproduction], "\n");
        if let Some(differences) = differences(reproduction) {
            let _ = writeln!(text, "{}", escaped(&differences));
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
        let _ = writeln!(text, "\n{heading} {}\n", group.title());
        if group == Group::Document {
            let _ = write!(text, "{}. ", sentence_summary(&sentences([reproduction]), ""));
        }
        let _ = writeln!(text, "{}\n", in_cases(&cases));
        let others: Vec<&str> = reproduction.hosts.iter().skip(1).map(|host| host.name.as_str()).collect();
        let first = reproduction.hosts.first().map_or("here", |host| host.name.as_str());
        let hosts: String =
            [first].iter().chain(&others).map(|host| format!(" {} | verdict |", escaped(host))).collect();
        let _ = writeln!(
            text,
            "| claim | published | of |{hosts}\n|---|---|---|{}",
            "--:|---|".repeat(1 + others.len())
        );
        for (claim, cases) in &of_group {
            for (at, case) in cases.iter().enumerate() {
                let (says, as_published) = match at {
                    0 => (format!("{} ({})", claim.says, claim.ratio), published(claim)),
                    _ => (String::new(), String::new()),
                };
                let (here, verdict) = (found(&claim.terms, &case.found), verdict(&claim.terms, case));
                let there = elsewhere(&claim.terms, case);
                let there = others.iter().flat_map(|host| on_host(&there, host));
                let cells = [says, as_published, case.of.clone(), here, verdict].into_iter().chain(there);
                let cells: Vec<String> = cells.map(|cell| escaped(&cell)).collect();
                let _ = writeln!(text, "| {} |", cells.join(" | "));
            }
            for row in claim.rows.iter().filter(|row| row.group == group) {
                let there = others.iter().flat_map(|host| row_on_host(row, host));
                let cells =
                    [row.of.clone(), here(&row.found), row_verdict(&row.judged)].into_iter().chain(there);
                let cells: Vec<String> = cells.map(|cell| escaped(&cell)).collect();
                let _ = writeln!(text, "| | | {} |", cells.join(" | "));
            }
        }
        for (claim, cases) in &of_group {
            for note in claim_notes(claim, cases) {
                let _ = writeln!(text, "\n*{}* {note}", claim.says);
            }
        }
    }
}

/// What was found on a further host, and the verdict.
fn on_host(all: &[(String, String, String)], host: &str) -> [String; 2] {
    let found = all.iter().find(|(of, ..)| of == host);
    found.map(|(_, here, verdict)| [here.clone(), verdict.clone()]).unwrap_or_default()
}

/// The same of a row.
fn row_on_host(row: &Case, host: &str) -> [String; 2] {
    let found = row.elsewhere.iter().find(|of| of.host == host);
    found.map(|of| [here(&of.found), row_verdict(&of.judged)]).unwrap_or_default()
}

fn runs(text: &mut String, reproduction: &Reproduction) {
    text.push('\n');
    *text += &provenance_markdown(reproduction);
    for (host, run) in runs_of(reproduction) {
        let host = host.map(|host| format!("{}: ", escaped(host))).unwrap_or_default();
        let _ = writeln!(
            text,
            "- {host}{} ({}): run {}, {:.0} s",
            run.title, run.basis, run.run, run.measuring_s
        );
        for warning in &run.warnings {
            let _ = writeln!(text, "  - {warning}");
        }
    }
    for of in took_lines(reproduction) {
        let _ = writeln!(text, "- {}", escaped(&of));
    }
}
