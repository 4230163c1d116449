//! The estimators against NumPy and SciPy; `tests/oracles/oracles.py` made `oracles.json`, and checks it.
//!
//! Unless stated otherwise the two agree to 1 part in 10¹¹.

use serde_json::Value;
use tlslab_stats::*;

#[test]
fn location_and_spread() {
    for cell in list(&oracles()["cells"]) {
        let values = numbers(&cell["values"]);
        close("median", median(&values), &cell["median"]);
        close("standard deviation", standard_deviation(&values), &cell["standard_deviation"]);
        close("Hodges–Lehmann", hodges_lehmann(&values), &cell["hodges_lehmann"]);
        for row in list(&cell["minimum_detectable_effects"]) {
            close("minimum effect", minimum_detectable_effect(&values, number(&row[0])), &row[1]);
        }
        let places: Vec<(f64, f64)> = (0..).map(f64::from).zip(values.iter().copied()).collect();
        near("slope", slope(&places), &cell["slope_on_place"], 1e-9);
        near("autocorrelation", lag_one_autocorrelation(&values), &cell["lag_one_autocorrelation"], 1e-10);
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

/// Exact tests agree in all digits; the normal approximation's far tails to 1 part in 10⁹.
#[test]
fn tests_of_a_minimum_effect() {
    for cell in list(&oracles()["cells"]) {
        let values = numbers(&cell["values"]);
        for row in list(&cell["effect_tests"]) {
            let test = effect_test(&values, number(&row[0])).unwrap();
            assert_eq!(test.n, values.len());
            near("p", Ok(test.p_value), &row[1], 1e-9);
            near("z", Ok(test.z), &row[2], 1e-9);
        }
    }
    for row in list(&oracles()["tied_effect_tests"]) {
        let test = effect_test(&numbers(&row[0]), number(&row[1])).unwrap();
        near("p with ties", Ok(test.p_value), &row[2], 1e-9);
        near("z with ties", Ok(test.z), &row[3], 1e-9);
    }
}

#[test]
fn shifts_between_unpaired_samples() {
    for row in list(&oracles()["shifts"]) {
        let test = shift(&numbers(&row[0]), &numbers(&row[1]), number(&row[2]), number(&row[3])).unwrap();
        close("shift", Ok(test.estimate.value), &row[4]);
        close("lower", Ok(test.estimate.lower), &row[5]);
        close("upper", Ok(test.estimate.upper), &row[6]);
        near("p", Ok(test.p_value), &row[7], 1e-9);
        near("z", Ok(test.z), &row[8], 1e-9);
    }
    for row in list(&oracles()["tied_shifts"]) {
        let test = shift(&numbers(&row[0]), &numbers(&row[1]), 0.5, 0.0).unwrap();
        near("p with ties", Ok(test.p_value), &row[2], 1e-9);
        near("z with ties", Ok(test.z), &row[3], 1e-9);
    }
}

/// SciPy integrates the multivariate normal distribution by chance, which leaves about 1 part in 10⁷ of a probability.
#[test]
fn designs_that_look_early() {
    for case in list(&oracles()["designs"]) {
        let looks: Vec<usize> = numbers(&case["looks"]).into_iter().map(|look| look as usize).collect();
        let design = Sequential::obrien_fleming(&looks, number(&case["alpha"])).unwrap();
        for (look, boundary) in list(&case["boundaries"]).iter().enumerate() {
            match boundary {
                Value::Null => assert_eq!(design.boundary(look), f64::INFINITY),
                _ => near("boundary", Ok(design.boundary(look)), boundary, 1e-5),
            }
        }
        for row in list(&case["p_values"]) {
            let look = row[0].as_u64().unwrap() as usize;
            let p = design.p_value(look, number(&row[1]));
            assert!((p - number(&row[2])).abs() < 1e-6, "{looks:?} {row}: {p}");
        }
    }
}

#[test]
fn adjusted_p_values() {
    for row in list(&oracles()["false_discoveries"]) {
        for (ours, oracle) in benjamini_hochberg(&numbers(&row[0])).unwrap().into_iter().zip(list(&row[1])) {
            close("adjusted p", Ok(ours), oracle);
        }
    }
}

#[test]
fn thresholds() {
    for row in list(&oracles()["replicate_thresholds"]) {
        let [tau_min, bias, alpha] = [1, 2, 3].map(|index| number(&row[index]));
        close("threshold", replicate_threshold(&numbers(&row[0]), tau_min, bias, alpha), &row[4]);
    }
    for row in list(&oracles()["fences"]) {
        close("fence", fence(&numbers(&row[0])), &row[1]);
    }
}

#[test]
fn visits() {
    for row in list(&oracles()["visits"]) {
        let (a, b) = (numbers(&row[0]), numbers(&row[1]));
        close("visit", visit_value(&a), &row[2]);
        near("log ratio", paired_log_ratio(&a, &b), &row[3], 1e-9);
        near("log median", paired_log_median(&a, &b), &row[4], 1e-9);
    }
}

/// Both draw resamples by chance: the bounds agree to a fifteenth of the interval.
#[test]
fn bootstrap_intervals() {
    for row in list(&oracles()["bootstraps"]) {
        let interval = process_bootstrap(&numbers(&row[0]), number(&row[1]), 1).unwrap();
        let width = number(&row[3]) - number(&row[2]);
        for (ours, oracle) in [(interval.lower, &row[2]), (interval.upper, &row[3])] {
            assert!((ours - number(oracle)).abs() < width / 15.0, "{ours} {oracle} {width}");
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
fn students_distribution() {
    for row in list(&oracles()["student_cdf"]) {
        near("t's probability", Ok(student_cdf(number(&row[0]), number(&row[1]))), &row[2], 1e-10);
    }
    for row in list(&oracles()["student_quantile"]) {
        near("t", Ok(student_quantile(number(&row[0]), number(&row[1]))), &row[2], 1e-9);
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
    serde_json::from_str(include_str!("oracles.json")).expect("the oracles are JSON")
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
    near(what, ours, oracle, 1e-11);
}

#[track_caller]
fn near(what: &str, ours: Result<f64, Refused>, oracle: &Value, tolerance: f64) {
    let (ours, oracle) = (ours.unwrap(), number(oracle));
    assert!((ours - oracle).abs() <= tolerance * oracle.abs(), "{what}: {ours} is not {oracle}");
}
