//! The files of one criterion benchmark: `benchmark.json`, `estimates.json` and `sample.json` in
//! `target/criterion/…/new/`. Times are in ns.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::checks::Rows;
use crate::{BadRow, ForeignValue, Parsed, Text};

/// The files of one benchmark.
#[derive(Clone, Copy, Debug)]
pub struct CriterionFiles<'t> {
    /// `benchmark.json`: its names.
    pub benchmark: Text<'t>,
    /// `estimates.json`: criterion's estimates from the sample.
    pub estimates: Text<'t>,
    /// `sample.json`, if it exists: iterations and times.
    pub sample: Option<Text<'t>>,
}

#[derive(Deserialize)]
struct Benchmark {
    full_id: String,
}

#[derive(Deserialize)]
struct Estimates {
    mean: Estimate,
    median: Estimate,
    #[serde(default)]
    slope: Option<Estimate>,
}

#[derive(Deserialize)]
struct Estimate {
    confidence_interval: ConfidenceInterval,
    point_estimate: f64,
}

#[derive(Deserialize)]
struct ConfidenceInterval {
    lower_bound: f64,
    upper_bound: f64,
}

#[derive(Deserialize)]
struct Sample {
    iters: Vec<f64>,
    times: Vec<f64>,
}

/// Parses one benchmark: `time.mean`, `time.median` and, if iterations increase along the sample,
/// `time.slope`, in ns. The raw values of the mean are the sample's times per iteration.
pub fn criterion(files: CriterionFiles<'_>) -> Parsed {
    let named: Benchmark = read(files.benchmark)?;
    let estimates: Estimates = read(files.estimates)?;
    let raw = match files.sample {
        None => Vec::new(),
        Some(text) => per_iteration(&read::<Sample>(text)?).map_err(|cause| {
            vec![text.bad(format!("benchmark {:?}", named.full_id), cause, "run cargo bench again")]
        })?,
    };
    let mut rows = Rows::new(files.estimates);
    let all = [
        ("time.mean", Some(estimates.mean)),
        ("time.median", Some(estimates.median)),
        ("time.slope", estimates.slope),
    ];
    for (metric, estimate) in all {
        let Some(Estimate { confidence_interval, point_estimate }) = estimate else { continue };
        let row = format!("benchmark {:?}, {metric}", named.full_id);
        rows.add(
            row,
            ForeignValue {
                benchmark: named.full_id.clone(),
                side: String::new(),
                metric: metric.to_owned(),
                unit: "ns".to_owned(),
                value: point_estimate,
                lower: Some(confidence_interval.lower_bound),
                upper: Some(confidence_interval.upper_bound),
                n: raw.len().max(1) as u64,
                raw: if metric == "time.mean" { raw.clone() } else { Vec::new() },
                better: None,
            },
        );
    }
    rows.parsed("criterion's estimates")
}

fn per_iteration(sample: &Sample) -> Result<Vec<f64>, String> {
    if sample.iters.len() != sample.times.len() {
        let (iterations, times) = (sample.iters.len(), sample.times.len());
        return Err(format!("it has {iterations} numbers of iterations and {times} times"));
    }
    let times: Vec<f64> =
        sample.times.iter().zip(&sample.iters).map(|(time, iterations)| time / iterations).collect();
    match times.iter().position(|time| !time.is_finite()) {
        None => Ok(times),
        Some(index) => Err(format!("its time {} has {} iterations", index + 1, sample.iters[index])),
    }
}

fn read<T: DeserializeOwned>(text: Text<'_>) -> Result<T, Vec<BadRow>> {
    serde_json::from_str(text.text).map_err(|cause| {
        vec![text.bad(
            "the whole file",
            cause.to_string(),
            "give criterion's own folder, such as target/criterion",
        )]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BENCHMARK: &str = r#"{"group_id":"g","function_id":"f","value_str":null,"throughput":null,
        "full_id":"g/f","directory_name":"g/f","title":"g/f"}"#;

    fn estimate(value: f64) -> String {
        format!(
            r#"{{"confidence_interval":{{"confidence_level":0.95,"lower_bound":{},"upper_bound":{}}},
                "point_estimate":{value},"standard_error":0.1}}"#,
            value - 1.0,
            value + 1.0
        )
    }

    fn read(estimates: &str, sample: &str) -> Parsed {
        criterion(CriterionFiles {
            benchmark: Text { file: "benchmark.json", text: BENCHMARK },
            estimates: Text { file: "estimates.json", text: estimates },
            sample: Some(Text { file: "sample.json", text: sample }),
        })
    }

    fn estimates(slope: &str) -> String {
        let (mean, median) = (estimate(10.0), estimate(9.0));
        format!(
            r#"{{"mean":{mean},"median":{median},"median_abs_dev":{mean},"slope":{slope},"std_dev":{mean}}}"#
        )
    }

    #[test]
    fn estimates_have_bounds_and_the_mean_has_its_sample() {
        let sample = r#"{"sampling_mode":"Linear","iters":[1.0,2.0,4.0],"times":[10.0,22.0,36.0]}"#;
        let values = read(&estimates(&estimate(8.0)), sample).unwrap();
        let seen: Vec<_> =
            values.iter().map(|value| (&*value.metric, value.value, value.lower, value.n)).collect();
        let expected = [
            ("time.mean", 10.0, Some(9.0), 3),
            ("time.median", 9.0, Some(8.0), 3),
            ("time.slope", 8.0, Some(7.0), 3),
        ];
        assert_eq!(seen, expected);
        assert_eq!(values[0].raw, [10.0, 11.0, 9.0]);
        assert!(values[1].raw.is_empty());
        assert_eq!(read(&estimates("null"), sample).unwrap().len(), 2);
    }

    #[test]
    fn what_is_wrong_is_reported() {
        let bad = read(&estimates("null"), r#"{"iters":[1.0],"times":[]}"#).unwrap_err();
        assert_eq!(
            bad[0].to_string(),
            "sample.json: benchmark \"g/f\": it has 1 numbers of iterations and 0 times; run cargo bench again"
        );
        assert!(read(&estimates("null"), r#"{"iters":[0.0],"times":[1.0]}"#).is_err());
        assert!(read("{}", "{}").unwrap_err()[0].cause.contains("missing field"));
    }
}
