//! google-benchmark's JSON, as `--benchmark_format=json` prints and `--benchmark_out` writes it: one row per
//! repetition, and one per aggregate of the repetitions. Version 1.5 and later, whose rows have a `run_type`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::checks::Rows;
use crate::{ForeignValue, Parsed, Text, keys};

const NEXT: &str = "write it with google-benchmark 1.5 or later and --benchmark_format=json";

/// The numbers of a row that are not measures. All others are times, rates or user counters.
const NO_MEASURE: [&str; 6] =
    ["family_index", "per_family_instance_index", "repetitions", "repetition_index", "threads", "iterations"];

#[derive(Deserialize)]
struct File {
    benchmarks: Vec<Map<String, Value>>,
}

/// A measure of a benchmark: its repetitions, or its aggregates.
#[derive(Default)]
struct Measure {
    raw: Vec<f64>,
    median: Option<f64>,
    mean: Option<f64>,
    repetitions: u64,
}

/// Benchmark, metric and unit.
type Key = (String, String, String);

/// Parses a file of rows: `time.real`, `time.cpu`, `throughput` and `rate`, and `counter.NAME` for each user
/// counter, which has no unit. The value is the median of the repetitions, which are the raw values. In a
/// file of aggregates it is their median, or their mean if there is no median. Complexities are not values.
pub fn google_benchmark(text: Text<'_>) -> Parsed {
    let mut rows = Rows::new(text);
    let file: File = match keys::parsed(text.text) {
        Ok(file) => file,
        Err(cause) => return Err(vec![text.bad("the whole file", cause, NEXT)]),
    };
    let mut measures: BTreeMap<Key, Measure> = BTreeMap::new();
    let mut order: Vec<Key> = Vec::new();
    for (row, number) in file.benchmarks.iter().zip(1..) {
        let known = measures.len();
        match add(row, &mut measures, &mut order) {
            Ok(()) => {}
            Err((cause, next)) => {
                let name = text_of(row, "name").unwrap_or_default();
                rows.bad(format!("benchmark {number} {name:?}"), cause, next);
                // A wrong row leaves no values.
                order.truncate(known);
                measures.retain(|key, _| order.contains(key));
            }
        }
    }
    for (benchmark, metric, unit) in order {
        let key = (benchmark, metric, unit);
        let Some(measure) = measures.remove(&key) else { continue };
        let (benchmark, metric, unit) = (&*key.0, &*key.1, &*key.2);
        let row = format!("benchmark {benchmark:?}, {metric}");
        let value = match measure.median.or(measure.mean).filter(|_| measure.raw.is_empty()) {
            Some(value) => Ok(ForeignValue {
                n: measure.repetitions.max(1),
                ..ForeignValue::one(benchmark, metric, unit, value)
            }),
            None => ForeignValue::median_of(benchmark, metric, unit, measure.raw),
        };
        match value {
            Ok(value) => rows.add(row, value),
            Err(cause) => rows.bad(row, cause, NEXT),
        }
    }
    rows.parsed("google-benchmark's results")
}

/// Why a row cannot be read, and the next step.
type Wrong = (String, String);

fn add(
    row: &Map<String, Value>,
    measures: &mut BTreeMap<Key, Measure>,
    order: &mut Vec<Key>,
) -> Result<(), Wrong> {
    let wrong = |cause: &str| (cause.to_owned(), NEXT.to_owned());
    let kind = text_of(row, "run_type").ok_or_else(|| wrong("it has no run_type"))?;
    let name = text_of(row, "run_name").or_else(|| text_of(row, "name")).unwrap_or_default();
    if let Some(why) = no_result(row) {
        let next = format!("fix it, or exclude it with --benchmark_filter=-{name}");
        return Err((why, next));
    }
    let aggregate = match kind {
        "iteration" => None,
        "aggregate" => match text_of(row, "aggregate_name") {
            Some(kind @ ("mean" | "median")) => Some(kind),
            // Spreads, user statistics and complexities are not values of the benchmark.
            _ => return Ok(()),
        },
        other => return Err(wrong(&format!("its run_type is {other:?}"))),
    };
    let unit = text_of(row, "time_unit").ok_or_else(|| wrong("it has no time_unit"))?;
    let repetitions = row.get("repetitions").and_then(Value::as_u64).unwrap_or(1);
    for (field, value) in row.iter().filter(|(field, _)| !NO_MEASURE.contains(&field.as_str())) {
        let Some(value) = value.as_f64() else { continue };
        let (metric, unit) = match field.as_str() {
            "real_time" => ("time.real".to_owned(), unit),
            "cpu_time" => ("time.cpu".to_owned(), unit),
            "bytes_per_second" => ("throughput".to_owned(), "bytes/s"),
            "items_per_second" => ("rate".to_owned(), "items/s"),
            counter => (format!("counter.{counter}"), ""),
        };
        let key = (name.to_owned(), metric, unit.to_owned());
        let measure = measures.entry(key.clone()).or_insert_with(|| {
            order.push(key);
            Measure::default()
        });
        measure.repetitions = repetitions;
        match aggregate {
            None => measure.raw.push(value),
            Some("mean") => measure.mean = Some(value),
            Some(_) => measure.median = Some(value),
        }
    }
    Ok(())
}

/// The reason why a benchmark has no result, if so.
fn no_result(row: &Map<String, Value>) -> Option<String> {
    let is_set = |field: &str| match row.get(field) {
        Some(Value::Bool(set)) => *set,
        Some(Value::String(text)) => !text.is_empty(),
        _ => false,
    };
    let why = |field: &str| text_of(row, field).unwrap_or("no reason").to_owned();
    if is_set("error_occurred") {
        return Some(format!("it failed: {}", why("error_message")));
    }
    is_set("skipped").then(|| format!("it was skipped: {}", why("skip_message")))
}

fn text_of<'r>(row: &'r Map<String, Value>, field: &str) -> Option<&'r str> {
    row.get(field)?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Parsed {
        google_benchmark(Text { file: "g.json", text })
    }

    fn seen(values: &[ForeignValue]) -> Vec<(&str, &str, &str, f64, u64)> {
        let one = |value: &'_ ForeignValue| (value.value, value.n);
        values
            .iter()
            .map(|value| {
                let (number, n) = one(value);
                (&*value.benchmark, &*value.metric, &*value.unit, number, n)
            })
            .collect()
    }

    #[test]
    fn repetitions_are_raw_values_and_aggregates_are_not_read_twice() {
        let values = read(include_str!("../../../fuzz/seeds/foreign_file/google_benchmark.json")).unwrap();
        let expected = [
            ("BM_sum/8", "time.real", "us", 2.5, 2),
            ("BM_sum/8", "time.cpu", "us", 2.25, 2),
            ("BM_sum/8", "throughput", "bytes/s", 3e9, 2),
            ("BM_sum/8", "counter.depth", "", 3.0, 2),
            ("BM_once", "time.real", "ns", 120.0, 1),
            ("BM_once", "time.cpu", "ns", 110.0, 1),
            ("BM_once", "rate", "items/s", 8000.0, 1),
        ];
        let mut found = seen(&values);
        let mut wanted = expected.to_vec();
        let by_name = |one: &(&str, &str, &str, f64, u64), other: &(&str, &str, &str, f64, u64)| {
            (one.0, one.1).cmp(&(other.0, other.1))
        };
        found.sort_by(by_name);
        wanted.sort_by(by_name);
        assert_eq!(found, wanted);
        let time = values.iter().find(|value| value.metric == "time.real").unwrap();
        assert_eq!(time.raw, [2.0, 3.0]);
    }

    #[test]
    fn aggregates_alone_have_a_median_and_no_raw_values() {
        let row = |kind: &str, value: f64| {
            format!(
                r#"{{"name":"BM_a_{kind}","run_name":"BM_a","run_type":"aggregate","repetitions":5,"threads":1,
                    "aggregate_name":"{kind}","aggregate_unit":"time","iterations":5,"real_time":{value},
                    "cpu_time":{value},"time_unit":"ms"}}"#
            )
        };
        let text = format!(
            r#"{{"context":{{}},"benchmarks":[{},{},{}]}}"#,
            row("mean", 4.0),
            row("median", 3.0),
            row("stddev", 0.5)
        );
        let values = read(&text).unwrap();
        let mut found = seen(&values);
        found.sort_by(|one, other| one.1.cmp(other.1));
        assert_eq!(found, [("BM_a", "time.cpu", "ms", 3.0, 5), ("BM_a", "time.real", "ms", 3.0, 5)]);
        assert!(values.iter().all(|value| value.raw.is_empty()));
    }

    #[test]
    fn a_benchmark_without_a_result_is_named() {
        let failed = r#"{"benchmarks":[{"name":"BM_b","run_name":"BM_b","run_type":"iteration","error_occurred":true,
            "error_message":"no key","iterations":0,"real_time":0.0,"cpu_time":0.0,"time_unit":"ns"}]}"#;
        let bad = read(failed).unwrap_err();
        assert_eq!(bad[0].cause, "it failed: no key");
        assert!(bad[0].next.contains("--benchmark_filter=-BM_b"));
        let old = r#"{"benchmarks":[{"name":"BM_b","real_time":1.0,"time_unit":"ns"}]}"#;
        assert_eq!(read(old).unwrap_err()[0].cause, "it has no run_type");
        // A number that JSON cannot represent.
        assert!(
            read(r#"{"benchmarks":[{"name":"a","run_type":"iteration","time_unit":"ns","x":NaN}]}"#).is_err()
        );
    }
}
