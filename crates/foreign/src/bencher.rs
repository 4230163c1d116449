//! Bencher Metric Format: benchmark → measure → value and bounds, as JSON.
//! <https://bencher.dev/docs/reference/bencher-metric-format/>.

use serde_json::{Map, Value};

use crate::checks::Rows;
use crate::keys::UniqueKeys;
use crate::{ForeignValue, Parsed, Text};

const FORM: &str = "write {\"BENCHMARK\": {\"MEASURE\": {\"value\": 1.0}}}";

/// Parses a file of benchmarks.
pub fn bencher(text: Text<'_>) -> Parsed {
    let mut rows = Rows::new(text);
    let unique = serde_json::from_str::<UniqueKeys>(text.text);
    let parsed: Map<String, Value> = match unique.and_then(|_| serde_json::from_str(text.text)) {
        Ok(parsed) => parsed,
        Err(cause) => return Err(vec![text.bad("the whole file", cause.to_string(), FORM)]),
    };
    for (benchmark, measures) in parsed {
        let Value::Object(measures) = measures else {
            rows.bad(format!("benchmark {benchmark:?}"), "it is not an object of measures", FORM);
            continue;
        };
        for (measure, metric) in measures {
            let row = format!("benchmark {benchmark:?}, measure {measure:?}");
            let number = |key: &str| match metric.get(key) {
                None | Some(Value::Null) => Ok(None),
                Some(value) => {
                    value.as_f64().map(Some).ok_or_else(|| format!("its {key} is {value}, not a number"))
                }
            };
            let read = (|| {
                let value = number("value")?.ok_or("it has no value")?;
                Ok::<_, String>((value, number("lower_value")?, number("upper_value")?))
            })();
            match read {
                Err(cause) => rows.bad(row, cause, FORM),
                Ok((value, lower, upper)) => rows.add(
                    row,
                    ForeignValue {
                        benchmark: benchmark.clone(),
                        side: String::new(),
                        unit: unit(&measure).to_owned(),
                        metric: measure,
                        value,
                        lower,
                        upper,
                        n: 1,
                        raw: Vec::new(),
                        better: None,
                    },
                ),
            }
        }
    }
    rows.parsed("Bencher Metric Format")
}

/// The unit of a measure: the format has none, and only these two measures are Bencher's own.
fn unit(measure: &str) -> &'static str {
    match measure {
        "latency" => "ns",
        "throughput" => "ops/s",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Parsed {
        bencher(Text { file: "f.json", text })
    }

    #[test]
    fn measures_have_values_and_may_have_bounds() {
        let text = r#"{"a": {"latency": {"value": 88.0, "lower_value": 87.42, "upper_value": 88.88},
                             "size": {"value": 42}}}"#;
        let values = read(text).unwrap();
        let bounds = |value: &ForeignValue| (value.value, value.lower, value.upper);
        assert_eq!(bounds(&values[0]), (88.0, Some(87.42), Some(88.88)));
        assert_eq!(bounds(&values[1]), (42.0, None, None));
        assert_eq!((&*values[0].unit, &*values[1].unit), ("ns", ""));
    }

    #[test]
    fn all_that_is_wrong_is_reported_at_once() {
        let text = r#"{"a": 1, "b": {"m": {"lower_value": 1}}, "c": {"m": {"value": "x"}},
                       "d": {"m": {"value": 1, "lower_value": 3, "upper_value": 2}}}"#;
        let rows: Vec<_> = read(text).unwrap_err().into_iter().map(|bad| (bad.row, bad.cause)).collect();
        let expected = [
            ("benchmark \"a\"", "it is not an object of measures"),
            ("benchmark \"b\", measure \"m\"", "it has no value"),
            ("benchmark \"c\", measure \"m\"", "its value is \"x\", not a number"),
            ("benchmark \"d\", measure \"m\"", "the lower bound 3 is above the upper bound 2"),
        ];
        assert_eq!(rows, expected.map(|(row, cause)| (row.to_owned(), cause.to_owned())));
        let twice = r#"{"a": {"m": {"value": 1}}, "a": {"m": {"value": 2}}}"#;
        assert!(read(twice).unwrap_err()[0].cause.starts_with("\"a\" occurs twice"));
        let negative =
            r#"{"a": {"instructions": {"value": -7}, "latency": {"value": 1, "lower_value": -5}}}"#;
        let causes: Vec<String> = read(negative).unwrap_err().into_iter().map(|bad| bad.cause).collect();
        assert_eq!(causes, ["-7 is below zero", "-5 is below zero"]);
        assert!(read("[]").unwrap_err()[0].next.starts_with("write {"));
        assert_eq!(read("{}").unwrap_err()[0].cause, "it has no values");
    }
}
