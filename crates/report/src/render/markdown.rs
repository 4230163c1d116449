//! The report for pasting into a pull request or an issue.

use tlslab_estimate::{CrossTable, Report};
use tlslab_text::number::{counted, significant};
use tlslab_text::{first_line, markdown as escaped};

use super::cold;
use super::cross::{self, failures, rows, short, stacks, unsupported};
use super::rows::rows_summary;
use super::shares;
use super::steps;
use super::table::ExactTable;
use super::table::{Row, SideWords, Table, all_of, headline};
use super::together;

/// How long was measured.
fn measuring(report: &Report) -> String {
    let run = &report.run;
    match run.samples {
        0 => "nothing timed".to_owned(),
        _ => format!("{} · {} s of measuring", counted(run.rounds, "round"), significant(run.measuring_s, 3)),
    }
}

/// The report in GitHub's Markdown. Everything from outside is escaped.
pub fn markdown(report: &Report) -> String {
    let run = &report.run;
    let mut text = format!(
        "### tlslab {}: {}\n\n{} · {} · seed {} · baseline {}  \nHost: {}\n",
        escaped(&run.lab_version),
        escaped(&run.suite),
        escaped(&run.id),
        measuring(report),
        run.seed,
        escaped(&run.baseline),
        escaped(&report.host.summary())
    );
    text.push('\n');
    let headlines = report.headlines.iter().filter_map(|line| headline(report, line));
    for line in super::answers(report).chain(headlines) {
        text.push_str(&format!("- {}\n", escaped(&line)));
    }
    for table in Table::all(report) {
        family(&mut text, &table);
    }
    for table in ExactTable::all(report) {
        exact(&mut text, &table);
    }
    // Tables of times have them below.
    if report.run.samples == 0 {
        for (stack, note) in report.table_notes() {
            text.push_str(&format!("\n- {}: {}", escaped(stack), escaped(note)));
        }
        text.push('\n');
    }
    for table in cross::tables(report) {
        cross_table(&mut text, &table);
    }
    scenarios_together(&mut text, report);
    sides(&mut text, steps::TITLE, steps::NOTE, steps::lines(report));
    sides(&mut text, shares::TITLE, shares::NOTE, shares::lines(report));
    sides(&mut text, cold::TITLE, &cold::note(report), cold::lines(report));
    for line in report.rows.iter().flat_map(rows_summary) {
        text.push_str(&format!("\n- {}", escaped(&line)));
    }
    warnings(&mut text, report);
    text.push_str("\n<details><summary>How to read this</summary>\n\n");
    for note in &report.notes {
        text.push_str(&format!("- {}\n", escaped(note)));
    }
    text.push_str(&format!("\n</details>\n\n{}\n", escaped(&report.overheads.summary)));
    if let Some(turns) = &report.turns {
        text.push_str(&format!("\n{}\n", escaped(&turns.summary)));
    }
    text
}

/// Failures and disturbances, a line for each cause.
fn warnings(text: &mut String, report: &Report) {
    for stack in &report.stacks {
        if let Some(reason) = stack.failure() {
            text.push_str(&format!(
                "\n> **Failed** {}: {}\n",
                escaped(&all_of(report, &stack.name)),
                escaped(first_line(reason))
            ));
        }
    }
    for cause in &report.causes {
        text.push_str(&format!("\n> **Warning** {}\n", escaped(&cause.summary)));
    }
}

fn family(text: &mut String, table: &Table) {
    let unit = table.speed_unit;
    let space = if unit.starts_with('/') { "" } else { " " };
    text.push_str(&format!("\n#### {}\n\n", table.family));
    let titles = |end: &str| table.sides.iter().map(|side| format!(" {side}{end} |")).collect::<String>();
    let (times, speeds, ratios) = (
        titles(&format!(" {}", table.time_unit)),
        titles(&format!("{space}{unit}")),
        titles(" time vs baseline"),
    );
    let rules = "--:|".repeat(3 * table.sides.len());
    text.push_str(&format!("| scenario | stack |{times}{speeds}{ratios}\n|---|---|{rules}\n"));
    for (scenario, rows) in &table.scenarios {
        let mut scenario = escaped(scenario);
        for row in rows {
            text.push_str(&line(&scenario, row, 3 * table.sides.len()));
            // The name is shown once, at its first row.
            scenario.clear();
        }
    }
    text.push('\n');
    for line in table.reasons.iter().chain(&table.notes) {
        text.push_str(&format!("- {}\n", escaped(line)));
    }
}

fn exact(text: &mut String, table: &ExactTable) {
    let figures = table.columns.len();
    text.push_str(&format!(
        "\n#### {}\n\n| {} | {} | {} |\n",
        table.title,
        if table.rows_are == "stack" { "scenario" } else { "stack" },
        table.rows_are,
        table.columns.join(" | ")
    ));
    text.push_str(&format!("|---|---|{}\n", "--:|".repeat(figures)));
    for (group, rows) in &table.groups {
        let mut group = escaped(group);
        for row in rows {
            let cells = match &row.content {
                Ok(figures) => figures.join(" | "),
                Err(hole) => format!("{}{}", hole.kind, " |".repeat(figures - 1)),
            };
            text.push_str(&format!("| {group} | {} | {cells} |\n", escaped(&row.name)));
            group.clear();
        }
    }
    text.push('\n');
    for reason in &table.reasons {
        text.push_str(&format!("- {}\n", escaped(reason)));
    }
}

/// Clients by servers, client/server µs.
fn cross_table(text: &mut String, table: &CrossTable) {
    text.push_str(&format!("\n#### Clients by servers, client/server µs: {}\n\n", escaped(&table.scenario)));
    let servers = stacks(table);
    let titles: Vec<String> = servers.iter().map(|server| escaped(server)).collect();
    text.push_str(&format!("| client ↓ server → | {} |\n", titles.join(" | ")));
    text.push_str(&format!("|---|{}\n", "--:|".repeat(servers.len())));
    for (client, pairs) in rows(table) {
        let fields: Vec<String> = pairs.into_iter().map(short).collect();
        text.push_str(&format!("| {} | {} |\n", escaped(client), fields.join(" | ")));
    }
    text.push('\n');
    for line in &table.summary {
        text.push_str(&format!("- {}\n", escaped(line)));
    }
    for line in unsupported(table) {
        text.push_str(&format!("- {}\n", escaped(&line)));
    }
    let failures = failures(table);
    if failures.is_empty() {
        return;
    }
    text.push_str("\n| client | server | pairs | ended by | its alert | its message | its peer's |\n");
    text.push_str("|---|---|--:|---|---|---|---|\n");
    for row in failures {
        let words = [row.ended_by, row.alert, row.error, row.peer].map(|word| escaped(&word));
        let (clients, servers) = (escaped(&row.clients), escaped(&row.servers));
        text.push_str(&format!("| {clients} | {servers} | {} | {} |\n", row.count, words.join(" | ")));
    }
}

/// Scenarios of one visit over each other.
fn scenarios_together(text: &mut String, report: &Report) {
    let lines = together::lines(report);
    if lines.is_empty() {
        return;
    }
    text.push_str(&format!("\n#### {}\n\n", together::TITLE));
    text.push_str("| scenario | over | stack | side | takes |\n|---|---|---|---|--:|\n");
    for group in lines {
        let (mut scenario, mut over) = (escaped(&group.scenario), escaped(&group.over));
        for row in group.rows {
            let (stack, words) = (escaped(&row.stack), escaped(&row.words));
            text.push_str(&format!("| {scenario} | {over} | {stack} | {} | {words} |\n", row.side));
            scenario.clear();
            over.clear();
        }
    }
    text.push_str(&format!("\n- {}\n", escaped(together::NOTE)));
}

fn line(scenario: &str, row: &Row, columns: usize) -> String {
    let mark = row.mark.iter().map(|mark| format!(", {mark}")).collect::<String>();
    let stack = format!("{}{mark}", escaped(&row.stack));
    let figures = match &row.content {
        Ok(sides) => {
            let of = |figure: fn(&SideWords) -> &String| sides.iter().map(figure);
            let all = of(|side| &side.time).chain(of(|side| &side.speed)).chain(of(|side| &side.ratio));
            all.map(|figure| format!(" {figure} |")).collect()
        }
        // The full reason is below the table.
        Err(hole) => format!(" {} |{}", hole.kind, " |".repeat(columns - 1)),
    };
    format!("| {scenario} | {stack} |{figures}\n")
}

/// A figure of each side in words, per scenario and stack.
fn sides(text: &mut String, title: &str, note: &str, lines: Vec<(String, Vec<shares::Row>)>) {
    if lines.is_empty() {
        return;
    }
    text.push_str(&format!("\n#### {title}\n\n| scenario | stack | client | server |\n|---|---|--:|--:|\n"));
    for (scenario, rows) in lines {
        let mut scenario = escaped(&scenario);
        for row in rows {
            let [client, server] = row.sides.map(|side| escaped(&side));
            text.push_str(&format!("| {scenario} | {} | {client} | {server} |\n", escaped(&row.stack)));
            scenario.clear();
        }
    }
    text.push_str(&format!("\n- {}\n", escaped(note)));
}
