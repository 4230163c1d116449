//! Summaries of gungraun (formerly iai-callgrind): one JSON object per benchmark, in `summary.json`, or
//! concatenated as printed by `--output-format=json`. Format 6 and later, which have `profiles`.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::checks::Rows;
use crate::keys::UniqueKeys;
use crate::{ForeignBetter, ForeignValue, Parsed, Text};

const NEXT: &str =
    "write it with gungraun (iai-callgrind 0.16 or later) and --save-summary=json or --output-format=json";

#[derive(Deserialize)]
struct Summary {
    version: String,
    module_path: String,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    profiles: Option<Vec<Profile>>,
}

#[derive(Deserialize)]
struct Profile {
    summaries: Summaries,
}

#[derive(Deserialize)]
struct Summaries {
    total: Total,
}

#[derive(Deserialize)]
struct Total {
    summary: Value,
}

/// Parses a file of summaries. It takes the new value of each metric; a metric with only an old value was not
/// measured.
pub fn gungraun(text: Text<'_>) -> Parsed {
    let mut rows = Rows::new(text);
    for (unique, number) in serde_json::Deserializer::from_str(text.text).into_iter::<UniqueKeys>().zip(1..) {
        if let Err(cause) = unique {
            // Errors of the text itself are reported below.
            if cause.is_data() {
                rows.bad(format!("summary {number}"), cause.to_string(), NEXT);
            }
            break;
        }
    }
    let stream = serde_json::Deserializer::from_str(text.text).into_iter::<Summary>();
    let mut number = 0;
    for read in stream {
        number += 1;
        match read {
            Ok(summary) => add(&mut rows, summary),
            Err(cause) => {
                rows.bad(format!("summary {number}"), cause.to_string(), NEXT);
                // The rest cannot be distinguished from the broken part.
                break;
            }
        }
    }
    rows.parsed("gungraun's summaries")
}

fn add(rows: &mut Rows<'_>, summary: Summary) {
    let Summary { version, module_path, id, profiles } = summary;
    let benchmark = match id.filter(|id| !id.is_empty()) {
        Some(id) => format!("{module_path} {id}"),
        None => module_path,
    };
    let Some(profiles) = profiles else {
        let cause = format!("its format is {version}, which has no profiles");
        rows.bad(format!("benchmark {benchmark:?}"), cause, NEXT);
        return;
    };
    for profile in profiles {
        // `None` if a tool has no metrics.
        let Value::Object(tools) = profile.summaries.total.summary else { continue };
        for (tool, metrics) in tools {
            let Value::Object(metrics) = metrics else {
                rows.bad(format!("benchmark {benchmark:?}, {tool}"), "its metrics are not an object", NEXT);
                continue;
            };
            metric_rows(rows, &benchmark, &tool, &metrics);
        }
    }
}

fn metric_rows(rows: &mut Rows<'_>, benchmark: &str, tool: &str, metrics: &Map<String, Value>) {
    for (name, difference) in metrics {
        let row = format!("benchmark {benchmark:?}, {tool} {name}");
        let sides = difference.get("metrics");
        let side = |which: &str| sides.and_then(|sides| sides.get(which));
        if side("Right").is_some() && side("Left").is_none() {
            continue;
        }
        let new = side("Left").or_else(|| side("Both").and_then(|both| both.get(0)));
        match new.and_then(number) {
            None => rows.bad(row, "it has no new value", NEXT),
            Some(value) => rows.add(
                row,
                ForeignValue {
                    benchmark: benchmark.to_owned(),
                    side: String::new(),
                    metric: format!("{}.{name}", tool.to_lowercase()),
                    unit: unit(name).to_owned(),
                    value,
                    lower: None,
                    upper: None,
                    n: 1,
                    raw: Vec::new(),
                    better: better(name),
                },
            ),
        }
    }
}

/// `{"Int": 1}`, `{"Float": 1.0}`, or the number itself.
fn number(metric: &Value) -> Option<f64> {
    metric.as_f64().or_else(|| metric.get("Int")?.as_f64()).or_else(|| metric.get("Float")?.as_f64())
}

/// The direction of a share, which may be better either way.
fn better(metric: &str) -> Option<ForeignBetter> {
    match metric {
        "L1HitRate" => Some(ForeignBetter::Larger),
        "RamHitRate" => Some(ForeignBetter::Smaller),
        name if name.ends_with("MissRate") => Some(ForeignBetter::Smaller),
        _ => None,
    }
}

fn unit(metric: &str) -> &'static str {
    match metric {
        "Ir" => "instructions",
        "EstimatedCycles" => "cycles",
        name if name.ends_with("Bytes") => "bytes",
        name if name.ends_with("Blocks") => "blocks",
        name if name.ends_with("Rate") => "%",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(id: &str, metrics: &str) -> String {
        format!(
            r#"{{"version":"6","kind":"LibraryBenchmark","module_path":"file::group::bench","id":{id},
                "profiles":[{{"tool":"Callgrind","flamegraphs":[],"log_paths":[],"out_paths":[],
                "summaries":{{"parts":[],"total":{{"regressions":[],"summary":{{"Callgrind":{metrics}}}}}}}}},
                {{"tool":"Massif","summaries":{{"parts":[],"total":{{"regressions":[],"summary":"None"}}}}}}]}}"#
        )
    }

    fn read(text: &str) -> Parsed {
        gungraun(Text { file: "s.json", text })
    }

    #[test]
    fn summaries_follow_each_other_and_new_values_count() {
        let first = summary("\"one\"", r#"{"Ir":{"metrics":{"Both":[{"Int":12},{"Int":10}]},"diffs":null}}"#);
        let second = summary(
            "null",
            r#"{"L1HitRate":{"metrics":{"Left":{"Float":99.5}}},"Dr":{"metrics":{"Right":{"Int":3}}}}"#,
        );
        let values = read(&format!("{first}\n{second}\n")).unwrap();
        let seen: Vec<_> = values
            .iter()
            .map(|value| (&*value.benchmark, &*value.metric, &*value.unit, value.value, value.better))
            .collect();
        let expected = [
            ("file::group::bench one", "callgrind.Ir", "instructions", 12.0, None),
            ("file::group::bench", "callgrind.L1HitRate", "%", 99.5, Some(ForeignBetter::Larger)),
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn what_is_wrong_is_reported() {
        let old = r#"{"version":"3","module_path":"m","callgrind_summary":{}}"#;
        let bad = read(old).unwrap_err();
        assert_eq!(bad[0].cause, "its format is 3, which has no profiles");
        let none = summary("null", r#"{"Ir":{"metrics":{"Both":[]}}}"#);
        assert_eq!(read(&none).unwrap_err()[0].row, "benchmark \"file::group::bench\", Callgrind Ir");
        assert!(read(&format!("{old}{{")).unwrap_err()[1].row == "summary 2");
        let twice =
            summary("null", r#"{"Ir":{"metrics":{"Left":{"Int":1}}},"Ir":{"metrics":{"Left":{"Int":2}}}}"#);
        assert!(read(&twice).unwrap_err()[0].cause.starts_with("\"Ir\" occurs twice"));
        let negative = summary("null", r#"{"Ir":{"metrics":{"Left":{"Int":-1}}}}"#);
        assert_eq!(read(&negative).unwrap_err()[0].cause, "-1 is below zero");
        assert_eq!(read("").unwrap_err()[0].cause, "it has no values");
    }
}
