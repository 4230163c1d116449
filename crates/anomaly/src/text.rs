//! Anomalies as texts.

use std::fmt::Write;

use tlslab_text::number::{counted, measured_percent};
use tlslab_text::{clean, markdown as escaped};

use crate::anomaly::Anomaly;
use crate::ranking::{Anomalies, Found, RuleCount};

/// How many further cells of a kind are named.
const NAMED: usize = 3;

/// The noise in words.
fn noise(anomaly: &Anomaly) -> String {
    match anomaly.noise {
        None => "no interval".to_owned(),
        Some(noise) if noise <= 1.0 => "exact".to_owned(),
        Some(noise) => format!("±{}", measured_percent(noise - 1.0)),
    }
}

/// Its excess over the expectation, in words.
fn beyond(anomaly: &Anomaly) -> String {
    let units = match anomaly.noise {
        Some(noise) if noise > 1.0 => format!(", {:.0} times its noise", anomaly.beyond.ln() / noise.ln()),
        _ => String::new(),
    };
    format!("{:.2} times beyond{units}", anomaly.beyond)
}

/// The other cells of its kind.
fn also(found: &Found) -> Option<String> {
    let named: Vec<String> = found
        .also
        .iter()
        .take(NAMED)
        .map(|cell| format!("{}, {}, {}", cell.scenario, cell.side, cell.metric))
        .collect();
    match found.also.len() {
        0 => None,
        all if all > NAMED => Some(format!("{}, such as {}", counted(all, "more cell"), named.join("; "))),
        _ => Some(named.join("; ")),
    }
}

fn summary(all: &Anomalies, shown: usize) -> String {
    let kinds = match all.found.len() {
        0 => "no cell breaks an expectation".to_owned(),
        some if some > shown => format!("{shown} of {}", counted(some, "anomaly")),
        some => counted(some, "anomaly"),
    };
    let (values, stacks) = (counted(all.values, "value"), counted(all.stacks, "stack"));
    let again = match &all.again_in[..] {
        [] => String::new(),
        runs => format!(" that {} also shows", runs.join(" and ")),
    };
    format!("run {}: {kinds}{again}; {values} of {stacks}", all.run)
}

fn rules(all: &Anomalies) -> String {
    let looked = |rule: &&RuleCount| rule.compared > 0;
    let some: Vec<String> = all
        .rules
        .iter()
        .filter(looked)
        .map(|one| {
            let again = one.again.map(|again| format!(" ({again} again)")).unwrap_or_default();
            format!("{} {} of {}{again}", one.rule, one.found, one.compared)
        })
        .collect();
    let silent: Vec<&str> = all.rules.iter().filter(|one| !looked(one)).map(|one| one.rule.name()).collect();
    let mut text = match some.is_empty() {
        true => "No rule could compare anything.".to_owned(),
        false => format!("Anomalous comparisons by rule: {}.", some.join(", ")),
    };
    if !silent.is_empty() {
        text += &format!(" Not checked, as data is missing: {}.", silent.join(", "));
    }
    if let Some(emulator) = &all.emulator {
        text += &format!(
            " Instructions are those that {emulator} counts, which can be other code than runs on the host."
        );
    }
    text
}

/// For a terminal, at most so many.
#[must_use]
pub fn terminal(all: &Anomalies, limit: usize) -> String {
    let mut text = format!("{}\n", clean(&summary(all, limit)));
    for (at, found) in all.found.iter().take(limit).enumerate() {
        let worst = &found.worst;
        let lines = [
            ("", format!("{}: {} ({})", worst.rule, worst.cell, worst.subject)),
            ("expected", worst.expected.clone()),
            ("found", format!("{} ({})", worst.found, noise(worst))),
            ("score", format!("{:.2}; {}", worst.score, beyond(worst))),
        ];
        let also = also(found).map(|also| ("also", also));
        for (line, (label, what)) in lines.into_iter().chain(also).enumerate() {
            let mark = if line == 0 { format!("{}.", at + 1) } else { String::new() };
            let label = if label.is_empty() { String::new() } else { format!("{label:<9} ") };
            let break_before = if line == 0 { "\n" } else { "" };
            _ = writeln!(text, "{break_before}{mark:<4}{label}{}", clean(&what));
        }
    }
    _ = writeln!(text, "\n{}", clean(&rules(all)));
    text
}

/// As a table for a repository, at most so many.
#[must_use]
pub fn markdown(all: &Anomalies, limit: usize) -> String {
    let mut text = format!("{}\n\n", escaped(&summary(all, limit)));
    if !all.found.is_empty() {
        text += "| | rule | cell | expected | found | noise | score | also |\n|--:|---|---|---|---|--:|--:|--:|\n";
    }
    for (at, found) in all.found.iter().take(limit).enumerate() {
        let worst = &found.worst;
        _ = writeln!(
            text,
            "| {} | {}: {} | {} | {} | {} | {} | {:.2} | {} |",
            at + 1,
            worst.rule,
            escaped(&worst.subject),
            escaped(&worst.cell.to_string()),
            escaped(&worst.expected),
            escaped(&worst.found),
            noise(worst),
            worst.score,
            found.also.len()
        );
    }
    _ = writeln!(text, "\n{}", escaped(&rules(all)));
    text
}

/// For programs, at most so many.
#[must_use]
pub fn json(all: &Anomalies, limit: usize) -> String {
    let mut shown = all.clone();
    shown.found.truncate(limit);
    let text = serde_json::to_string_pretty(&shown);
    // Plain data has a text in JSON.
    text.map(|text| text + "\n").unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use tlslab_estimate::Whose;
    use tlslab_protocol::{Resumption, Scenario, Work};

    use super::*;
    use crate::rules::testing::Model;

    fn all() -> Anomalies {
        let mut model = Model::default();
        let psk = Scenario { resumption: Resumption::ExternalPsk, ..Scenario::plain(Work::Handshake) };
        let scenarios: Vec<usize> =
            (0..5).map(|at| model.scenario(&format!("psk/{at}"), psk.clone())).collect();
        for (at, scenario) in scenarios.into_iter().enumerate() {
            model.time("slow", scenario, Whose::Client, 100.0, 0.02);
            model.time("slow", scenario, Whose::Server, 200.0 + at as f64, 0.02);
        }
        Anomalies::of("20261126-101500-aaaa", &model.observations, &[], &[])
    }

    #[test]
    fn the_terminal_has_all_parts_of_an_anomaly() {
        let text = terminal(&all(), 10);
        assert_eq!(
            text,
            "run 20261126-101500-aaaa: 1 anomaly; 10 values of 1 stack

1.  equal-work: slow: psk/4, server, time (the sides of a handshake by external-psk)
    expected  the same work: at most 1.35 times the other
    found     server 204.0 µs against client 100.0 µs: 2.04 times (±4.04 %)
    score     1.45; 1.51 times beyond, 10 times its noise
    also      4 more cells, such as psk/3, server, time; psk/2, server, time; psk/1, server, time

Anomalous comparisons by rule: equal-work 5 of 5, one-speed 0 of 10. Not checked, as data is missing: time-per-instruction, size, \
record-version, resumption, release, peers.
"
        );
    }

    #[test]
    fn json_reads_back_and_is_cut_where_asked() {
        let read: Anomalies = serde_json::from_str(&json(&all(), 10)).unwrap();
        assert_eq!(read, all());
        let none: Anomalies = serde_json::from_str(&json(&all(), 0)).unwrap();
        assert_eq!((none.found.len(), none.total()), (0, 5));
    }

    #[test]
    fn further_runs_are_named_with_what_comes_again() {
        let mut twice = all();
        twice.again_in = vec!["other".to_owned()];
        twice.rules.iter_mut().for_each(|rule| rule.again = Some(1));
        let text = terminal(&twice, 10);
        assert!(
            text.starts_with("run 20261126-101500-aaaa: 1 anomaly that other also shows; 10 values"),
            "{text}"
        );
        assert!(text.contains("equal-work 5 of 5 (1 again)"), "{text}");
    }

    #[test]
    fn markdown_is_one_row_for_each_kind() {
        let text = markdown(&all(), 10);
        assert_eq!(text.lines().filter(|line| line.starts_with("| 1 |")).count(), 1);
        assert!(text.contains("| ±4.04 % | 1.45 | 4 |"), "{text}");
    }
}
