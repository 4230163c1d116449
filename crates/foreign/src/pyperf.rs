//! pyperf's JSON: a suite of benchmarks, each with runs of processes, each with values per iteration.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::checks::Rows;
use crate::{ForeignValue, Parsed, Text, keys};

const NEXT: &str = "write it with pyperf's option --output FILE.json";

#[derive(Deserialize)]
struct Suite {
    benchmarks: Vec<Benchmark>,
    #[serde(default)]
    metadata: Map<String, Value>,
}

#[derive(Deserialize)]
struct Benchmark {
    #[serde(default)]
    metadata: Map<String, Value>,
    runs: Vec<Run>,
}

#[derive(Deserialize)]
struct Run {
    #[serde(default)]
    metadata: Map<String, Value>,
    #[serde(default)]
    values: Vec<f64>,
}

impl Benchmark {
    /// Its metadata, or those of its first run or of the suite, which have the common ones.
    fn says<'s>(&'s self, suite: &'s Suite, key: &str) -> Option<&'s str> {
        let first = self.runs.first().and_then(|run| run.metadata.get(key));
        let found = self.metadata.get(key).or(first).or_else(|| suite.metadata.get(key));
        found?.as_str()
    }
}

/// A suite: `time` in seconds, `memory` in bytes, or `value` without a unit, by the benchmark's unit; the
/// default is seconds. The value is the median of the values of all runs, which are raw values; pyperf has
/// divided them by its loops. Calibration runs have none.
pub fn pyperf(text: Text<'_>) -> Parsed {
    let mut rows = Rows::new(text);
    let suite: Suite = match keys::parsed(text.text) {
        Ok(suite) => suite,
        Err(cause) => return Err(vec![text.bad("the whole file", cause, NEXT)]),
    };
    for (benchmark, number) in suite.benchmarks.iter().zip(1..) {
        let Some(name) = benchmark.says(&suite, "name") else {
            rows.bad(format!("benchmark {number}"), "it has no name", "name it with pyperf's option --name");
            continue;
        };
        let row = format!("benchmark {name:?}");
        let (metric, unit) = match benchmark.says(&suite, "unit") {
            None | Some("second") => ("time", "s"),
            Some("byte") => ("memory", "bytes"),
            Some("integer") => ("value", ""),
            Some(other) => {
                rows.bad(row, format!("its unit is {other:?}"), "use pyperf's second, byte or integer");
                continue;
            }
        };
        let values = benchmark.runs.iter().flat_map(|run| run.values.iter().copied()).collect();
        match ForeignValue::median_of(name, metric, unit, values) {
            Ok(value) => rows.add(row, value),
            Err(cause) => rows.bad(row, cause, NEXT),
        }
    }
    rows.parsed("pyperf's benchmarks")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Parsed {
        pyperf(Text { file: "p.json", text })
    }

    #[test]
    fn values_of_all_runs_are_raw_values() {
        let values = read(include_str!("../../../fuzz/seeds/foreign_file/pyperf.json")).unwrap();
        let seen: Vec<_> = values
            .iter()
            .map(|value| (&*value.benchmark, &*value.metric, &*value.unit, value.value, value.n))
            .collect();
        let expected = [
            ("handshake", "time", "s", 0.0015, 4),
            ("startup memory", "memory", "bytes", 7_000_000.0, 2),
            ("records", "value", "", 12.0, 1),
        ];
        assert_eq!(seen, expected);
        assert_eq!(values[0].raw, [0.001, 0.002, 0.0015, 0.0015]);
    }

    #[test]
    fn a_suite_of_one_has_its_name_and_its_unit_at_the_top() {
        let text = r#"{"benchmarks":[{"runs":[{"warmups":[[1, 0.5]]},{"values":[0.25]}]}],
            "metadata":{"name":"timeit","unit":"second","loops":10},"version":"1.0"}"#;
        let values = read(text).unwrap();
        assert_eq!((&*values[0].benchmark, values[0].value, &*values[0].unit), ("timeit", 0.25, "s"));
    }

    #[test]
    fn what_is_wrong_is_reported() {
        let causes = |text: &str| -> Vec<String> {
            read(text).unwrap_err().into_iter().map(|bad| bad.cause).collect()
        };
        assert_eq!(causes(r#"{"benchmarks":[{"runs":[{"values":[1.0]}]}]}"#), ["it has no name"]);
        let unit = r#"{"benchmarks":[{"metadata":{"name":"a","unit":"joule"},"runs":[{"values":[1.0]}]}]}"#;
        assert_eq!(causes(unit), ["its unit is \"joule\""]);
        assert_eq!(causes(r#"{"benchmarks":[{"metadata":{"name":"a"},"runs":[]}]}"#), ["it has no values"]);
        assert!(read("{}").unwrap_err()[0].cause.contains("missing field"));
    }
}
