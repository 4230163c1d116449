//! Formats of github-action-benchmark: arrays of values, as its tools `customSmallerIsBetter` and
//! `customBiggerIsBetter` read them and `tlslab export` writes them, and its own history, `data.js` or a JSON
//! file.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::checks::Rows;
use crate::{BadRow, ForeignBetter, ForeignRun, ForeignValue, Parsed, Text, keys};

const NEXT: &str = "write [{\"name\": \"NAME\", \"unit\": \"UNIT\", \"value\": 1.0}]";
const NEXT_OF_HISTORY: &str = "give the file data.js, or the JSON of external-data-json-path";

/// The text before the JSON in `data.js`.
const ASSIGNED: &str = "window.BENCHMARK_DATA";

#[derive(Deserialize)]
struct History {
    entries: BTreeMap<String, Vec<Entry>>,
}

#[derive(Deserialize)]
struct Entry {
    commit: Commit,
    /// Milliseconds since 1970.
    date: u64,
    tool: String,
    benches: Vec<Bench>,
}

#[derive(Deserialize)]
struct Commit {
    id: String,
}

#[derive(Deserialize)]
struct Bench {
    name: String,
    value: f64,
    #[serde(default)]
    unit: String,
    #[serde(default)]
    range: Value,
}

/// An array of values. `better` is the tool's direction for all of them. The metric is `value`; a name that
/// `tlslab export` wrote has side and metric at its end. A range `LOWER to UPPER` gives bounds; the meaning
/// of any other range depends on its tool.
pub fn github_action(text: Text<'_>, better: ForeignBetter) -> Parsed {
    let mut rows = Rows::new(text);
    match keys::parsed::<Vec<Bench>>(text.text) {
        Ok(benches) => {
            for bench in benches {
                rows.add(format!("benchmark {:?}", bench.name), value(None, bench, Some(better)));
            }
            rows.parsed("an array of values")
        }
        Err(cause) => Err(vec![text.bad("the whole file", cause, NEXT)]),
    }
}

/// The history that the action keeps: a run for each entry, the oldest first. A value's name is `SUITE/NAME`.
/// Which values are better depends on the action's tool; for a tool that writes several units, only if the
/// unit does not define it.
///
/// # Errors
/// Fails with all errors, by suite, commit and benchmark.
pub fn github_action_history(text: Text<'_>) -> Result<Vec<ForeignRun>, Vec<BadRow>> {
    let history: History = match keys::parsed(json_of(text.text)) {
        Ok(history) => history,
        Err(cause) => return Err(vec![text.bad("the whole file", cause, NEXT_OF_HISTORY)]),
    };
    let (mut runs, mut bad) = (Vec::new(), Vec::new());
    for (suite, entries) in history.entries {
        for Entry { commit, date, tool, benches } in entries {
            let mut rows = Rows::new(text);
            for bench in benches {
                let row = format!("{suite:?}, commit {}, benchmark {:?}", commit.id, bench.name);
                let better = better_of(&tool, &bench.unit);
                rows.add(row, value(Some(&suite), bench, better));
            }
            match rows.parsed("github-action-benchmark's history") {
                Ok(values) => runs.push(ForeignRun { label: commit.id, unix_ms: date, values }),
                Err(wrong) => bad.extend(wrong),
            }
        }
    }
    if runs.is_empty() && bad.is_empty() {
        bad.push(text.bad("the whole file", "it has no entries", NEXT_OF_HISTORY));
    }
    runs.sort_by_key(|run| run.unix_ms);
    if bad.is_empty() { Ok(runs) } else { Err(bad) }
}

/// The JSON in a file that may assign it to a variable.
fn json_of(text: &str) -> &str {
    let Some(assigned) = text.trim_start().strip_prefix(ASSIGNED) else { return text };
    assigned.trim_start().trim_start_matches('=').trim_end().trim_end_matches(';')
}

/// The direction that the action assumes. Go and JMH write rates as well as times under one tool, so their
/// units decide.
fn better_of(tool: &str, unit: &str) -> Option<ForeignBetter> {
    match tool {
        "customBiggerIsBetter" | "benchmarkjs" | "pytest" => Some(ForeignBetter::Larger),
        "customSmallerIsBetter" => Some(ForeignBetter::Smaller),
        "cargo" | "googlecpp" | "catch2" | "julia" | "benchmarkdotnet" | "benchmarkluau" => {
            (!unit.contains("/s")).then_some(ForeignBetter::Smaller)
        }
        _ => None,
    }
}

fn value(suite: Option<&str>, bench: Bench, better: Option<ForeignBetter>) -> ForeignValue {
    let (benchmark, side, metric) = parts(&bench.name);
    let benchmark = suite.map_or_else(|| benchmark.to_owned(), |suite| format!("{suite}/{benchmark}"));
    let (lower, upper) = bounds(&bench.range).unzip();
    ForeignValue {
        side: side.to_owned(),
        lower,
        upper,
        better,
        ..ForeignValue::one(&benchmark, metric, &bench.unit, bench.value)
    }
}

/// Splits `STACK SCENARIO SIDE METRIC`, as written by `tlslab export`; any other name is only the
/// benchmark's.
fn parts(name: &str) -> (&str, &str, &str) {
    let words: Vec<&str> = name.split(' ').collect();
    match &words[..] {
        [_, _, side @ ("client" | "server" | "both"), metric] if !metric.is_empty() => {
            let benchmark = name.len() - metric.len() - side.len() - 2;
            (&name[..benchmark], side, metric)
        }
        _ => (name, "", "value"),
    }
}

fn bounds(range: &Value) -> Option<(f64, f64)> {
    let (lower, upper) = range.as_str()?.split_once(" to ")?;
    Some((lower.trim().parse().ok()?, upper.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_has_values_and_the_labs_names_have_parts() {
        let text = r#"[{"name": "a@1 handshake/1.3 client time", "unit": "µs", "value": 12.5, "range": "12 to 13.5"},
            {"name": "requests-per-second", "unit": "", "value": 1000, "range": "± 3", "extra": "x"}]"#;
        let values = github_action(Text { file: "a.json", text }, ForeignBetter::Larger).unwrap();
        let first = &values[0];
        assert_eq!(
            (&*first.benchmark, &*first.side, &*first.metric),
            ("a@1 handshake/1.3", "client", "time")
        );
        assert_eq!(
            (first.value, first.lower, first.upper, &*first.unit),
            (12.5, Some(12.0), Some(13.5), "µs")
        );
        let second = &values[1];
        assert_eq!((&*second.benchmark, &*second.metric), ("requests-per-second", "value"));
        assert_eq!((second.lower, second.better), (None, Some(ForeignBetter::Larger)));
        let wrong = Text { file: "a.json", text: r#"[{"name": "a", "value": "1"}]"# };
        assert!(github_action(wrong, ForeignBetter::Smaller).unwrap_err()[0].next.starts_with("write ["));
    }

    #[test]
    fn a_history_has_a_run_for_each_entry() {
        let text = include_str!("../../../fuzz/seeds/foreign_file/data.js");
        let runs = github_action_history(Text { file: "data.js", text }).unwrap();
        let seen: Vec<_> = runs.iter().map(|run| (&*run.label, run.unix_ms, run.values.len())).collect();
        let (one, two) =
            ("1111111111111111111111111111111111111111", "2222222222222222222222222222222222222222");
        assert_eq!(
            seen,
            [(one, 1_795_000_000_000, 2), (two, 1_795_000_600_000, 2), (two, 1_795_000_700_000, 1)]
        );
        let of = |run: usize, at: usize| {
            let value = &runs[run].values[at];
            (&*value.benchmark, &*value.unit, value.value, value.better)
        };
        assert_eq!(of(0, 0), ("Rust/handshake", "ns/iter", 254.0, Some(ForeignBetter::Smaller)));
        assert_eq!(of(1, 1), ("Rust/parse", "ns/iter", 90.0, Some(ForeignBetter::Smaller)));
        assert_eq!(of(2, 0), ("Load/requests-per-second", "req/s", 1200.0, Some(ForeignBetter::Larger)));
        // The same without the assignment.
        let json = json_of(text);
        assert!(json.trim_start().starts_with('{'));
        assert_eq!(github_action_history(Text { file: "d.json", text: json }).unwrap(), runs);
    }

    #[test]
    fn a_tool_of_several_units_leaves_it_to_the_unit() {
        assert_eq!(better_of("go", "ns/op"), None);
        assert_eq!(better_of("jmh", "ops/s"), None);
        assert_eq!(better_of("googlecpp", "items/s"), None);
        assert_eq!(better_of("googlecpp", "ns/iter"), Some(ForeignBetter::Smaller));
        assert_eq!(better_of("pytest", "iter/sec"), Some(ForeignBetter::Larger));
    }

    #[test]
    fn what_is_wrong_is_reported() {
        let read = |text: &str| github_action_history(Text { file: "data.js", text });
        assert_eq!(read(r#"{"entries": {}}"#).unwrap_err()[0].cause, "it has no entries");
        assert!(read("[]").unwrap_err()[0].next.contains("data.js"));
        let negative = r#"window.BENCHMARK_DATA = {"entries": {"S": [{"commit": {"id": "c"}, "date": 1,
            "tool": "cargo", "benches": [{"name": "a", "value": -1}]}]}};"#;
        assert_eq!(read(negative).unwrap_err()[0].row, "\"S\", commit c, benchmark \"a\"");
    }
}
