//! The estimators against NumPy and SciPy; `oracles/` holds the numbers and the script that made them.

use serde_json::Value;
use tlslab_stats::*;

#[test]
fn location_and_spread() {
    for cell in list(&oracles()["cells"]) {
        let values = numbers(&cell["values"]);
        close("median", median(&values), &cell["median"]);
        close("standard deviation", standard_deviation(&values), &cell["standard_deviation"]);
        close("Hodges–Lehmann", hodges_lehmann(&values), &cell["hodges_lehmann"]);
        for row in list(&cell["trimmed_means"]) {
            close("trimmed mean", trimmed_mean(&values, number(&row[0])), &row[1]);
        }
        for row in list(&cell["quantiles"]) {
            close("quantile", quantile(&values, number(&row[0])), &row[1]);
        }
    }
}

#[test]
fn signed_rank_intervals() {
    for cell in list(&oracles()["cells"]) {
        let values = numbers(&cell["values"]);
        for row in list(&cell["intervals"]) {
            let interval = SignedRankInterval::of(&values, number(&row[0])).unwrap();
            close("lower", Ok(interval.lower), &row[1]);
            close("upper", Ok(interval.upper), &row[2]);
            assert!(interval.confidence >= number(&row[0]) - 1e-12);
        }
    }
}

#[test]
fn histograms() {
    for cell in list(&oracles()["cells"]) {
        let summary = summarise(&numbers(&cell["values"]), 7.try_into().ok()).unwrap();
        let counts: Vec<f64> = summary.histogram.unwrap().counts.iter().map(|&count| count as f64).collect();
        assert_eq!(counts, numbers(&cell["histogram_of_7"]));
    }
}

#[test]
fn the_normal_distribution() {
    for row in list(&oracles()["normal_cdf"]) {
        close("Φ", Ok(normal_cdf(number(&row[0]))), &row[1]);
    }
    for row in list(&oracles()["normal_quantile"]) {
        close("z", Ok(normal_quantile(number(&row[0]))), &row[1]);
    }
}

#[test]
fn clopper_pearson_intervals() {
    for row in list(&oracles()["clopper_pearson"]) {
        let [successes, trials] = [0, 1].map(|index| row[index].as_u64().unwrap());
        let interval = clopper_pearson(successes, trials, number(&row[2])).unwrap();
        close("lower", Ok(interval.lower), &row[3]);
        close("upper", Ok(interval.upper), &row[4]);
    }
}

fn oracles() -> Value {
    serde_json::from_str(include_str!("../oracles/oracles.json")).expect("the oracles are JSON")
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn numbers(value: &Value) -> Vec<f64> {
    list(value).iter().map(number).collect()
}

#[track_caller]
fn close(what: &str, ours: Result<f64, Refused>, oracle: &Value) {
    let (ours, oracle) = (ours.unwrap(), number(oracle));
    assert!((ours - oracle).abs() <= 1e-11 * oracle.abs(), "{what}: {ours} is not {oracle}");
}
