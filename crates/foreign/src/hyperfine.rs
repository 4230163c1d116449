//! hyperfine's `--export-json`: one result per command, with its times in seconds.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::checks::Rows;
use crate::{ForeignValue, Parsed, Text, keys};

const NEXT: &str = "write it with hyperfine --export-json FILE";

#[derive(Deserialize)]
struct File {
    results: Vec<Measured>,
}

#[derive(Deserialize)]
struct Measured {
    command: String,
    mean: f64,
    median: Option<f64>,
    user: Option<f64>,
    system: Option<f64>,
    times: Option<Vec<f64>>,
    memory_usage_byte: Option<Vec<f64>>,
    #[serde(default)]
    exit_codes: Vec<Option<i32>>,
    #[serde(default)]
    parameters: BTreeMap<String, serde_json::Value>,
}

/// Parses a file of results: `time` is the median of a command's times, which are its raw values; `time.user`
/// and `time.system` are means; `memory.peak` is the median of the peaks of resident memory. If a command
/// occurs several times, its name includes its parameters.
pub fn hyperfine(text: Text<'_>) -> Parsed {
    let mut rows = Rows::new(text);
    let file: File = match keys::parsed(text.text) {
        Ok(file) => file,
        Err(cause) => return Err(vec![text.bad("the whole file", cause, NEXT)]),
    };
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for result in &file.results {
        *seen.entry(&result.command).or_default() += 1;
    }
    for result in &file.results {
        let is_alone = seen.get(&*result.command) == Some(&1);
        let name = if is_alone { result.command.clone() } else { with_parameters(result) };
        add(&mut rows, &name, result);
    }
    rows.parsed("hyperfine's results")
}

fn with_parameters(result: &Measured) -> String {
    let parameters = result.parameters.iter().map(|(name, value)| match value {
        serde_json::Value::String(text) => format!(" {name}={text}"),
        other => format!(" {name}={other}"),
    });
    parameters.fold(result.command.clone(), |name, parameter| name + &parameter)
}

fn add(rows: &mut Rows<'_>, name: &str, result: &Measured) {
    let failed = result.exit_codes.iter().filter(|code| **code != Some(0)).count();
    if failed > 0 {
        let of = result.exit_codes.len();
        let cause = format!("{failed} of its {of} runs failed");
        return rows.bad(format!("command {name:?}"), cause, "fix the command, or remove it from the file");
    }
    let times = result.times.clone().unwrap_or_default();
    let runs = times.len().max(1) as u64;
    let time = if times.is_empty() {
        Ok(ForeignValue::one(name, "time", "s", result.median.unwrap_or(result.mean)))
    } else {
        ForeignValue::median_of(name, "time", "s", times)
    };
    let mean = |metric: &str, value: Option<f64>| {
        value.map(|value| Ok(ForeignValue { n: runs, ..ForeignValue::one(name, metric, "s", value) }))
    };
    let memory = result.memory_usage_byte.clone().filter(|peaks| !peaks.is_empty());
    let memory = memory.map(|peaks| ForeignValue::median_of(name, "memory.peak", "bytes", peaks));
    let all = [Some(time), mean("time.user", result.user), mean("time.system", result.system), memory];
    for value in all.into_iter().flatten() {
        let row = format!("command {name:?}");
        match value {
            Ok(value) => rows.add(row, value),
            Err(cause) => rows.bad(row, cause, NEXT),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Parsed {
        hyperfine(Text { file: "h.json", text })
    }

    #[test]
    fn commands_that_failed_are_named() {
        let file = |codes: &str| {
            let times = r#""command": "a", "mean": 1.5, "times": [1.0, 2.0]"#;
            read(&format!(r#"{{"results": [{{{times}, "exit_codes": {codes}}}]}}"#))
        };
        assert!(file("[0, 0]").is_ok());
        for (codes, expected) in
            [("[0, 1]", "1 of its 2 runs failed"), ("[null, 7]", "2 of its 2 runs failed")]
        {
            let bad = file(codes).unwrap_err();
            assert!(bad.len() == 1 && bad[0].to_string().contains(expected), "{bad:?}");
        }
    }

    #[test]
    fn times_are_raw_values_in_seconds() {
        let values = read(include_str!("../../../fuzz/seeds/foreign_file/hyperfine.json")).unwrap();
        let seen: Vec<_> = values
            .iter()
            .map(|value| (&*value.benchmark, &*value.metric, &*value.unit, value.value, value.n))
            .collect();
        let expected = [
            ("openssl version", "time", "s", 0.005, 3),
            ("openssl version", "time.user", "s", 0.0012, 3),
            ("openssl version", "time.system", "s", 0.0008, 3),
            ("openssl version", "memory.peak", "bytes", 6_000_000.0, 3),
            ("handshake threads=1", "time", "s", 0.2, 1),
            ("handshake threads=2", "time", "s", 0.1, 2),
        ];
        assert_eq!(seen, expected);
        assert_eq!(values[0].raw, [0.0048, 0.005, 0.0061]);
        assert!(values.iter().all(|value| value.lower.is_none() && value.better.is_none()));
    }

    #[test]
    fn other_files_are_refused() {
        assert!(read("[]").unwrap_err()[0].next.contains("--export-json"));
        assert_eq!(read(r#"{"results": []}"#).unwrap_err()[0].cause, "it has no values");
        let negative = r#"{"results": [{"command": "a", "mean": -1.0}]}"#;
        assert_eq!(read(negative).unwrap_err()[0].cause, "-1 is below zero");
    }
}
