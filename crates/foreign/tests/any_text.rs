//! For any file, a parser gives values that can be kept, or the errors with their next steps.

use proptest::prelude::*;
use tlslab_foreign::{
    CriterionFiles, ForeignBetter, Parsed, Text, bencher, ci_bench, criterion, github_action,
    github_action_history, go_test, google_benchmark, gungraun, hyperfine, openssl_speed, pyperf,
};

fn check(parsed: Parsed) {
    match parsed {
        Ok(values) => {
            assert!(!values.is_empty());
            for value in values {
                assert!(value.value.is_finite() && !value.benchmark.is_empty() && !value.metric.is_empty());
                assert!(value.raw.iter().all(|raw| raw.is_finite()));
                assert!(value.lower.is_none_or(|lower| value.upper.is_none_or(|upper| lower <= upper)));
            }
        }
        Err(bad) => {
            assert!(!bad.is_empty());
            assert!(
                bad.iter().all(|row| ![&row.file, &row.row, &row.cause, &row.next]
                    .iter()
                    .any(|part| part.is_empty()))
            );
        }
    }
}

fn every_parser(text: &str) {
    let text = Text { file: "f", text };
    check(ci_bench(text));
    check(bencher(text));
    check(gungraun(text));
    for parser in [go_test, google_benchmark, hyperfine, openssl_speed, pyperf] {
        check(parser(text));
    }
    check(github_action(text, ForeignBetter::Smaller));
    check(github_action_history(text).map(|runs| runs.into_iter().flat_map(|run| run.values).collect()));
    check(criterion(CriterionFiles { benchmark: text, estimates: text, sample: Some(text) }));
}

proptest! {
    #[test]
    fn any_text(text in any::<String>()) {
        every_parser(&text);
    }

    #[test]
    fn text_that_is_nearly_json(text in r#"([{}\[\],:]|"(value|metrics|mean|module_path|profiles|Ir|Left)"|-?[0-9]{1,4}(\.[0-9]|e999)?|null){0,40}"#) {
        every_parser(&text);
    }

    #[test]
    fn text_that_is_nearly_a_table(text in r"(\+H|\+F2?|type|sign|sign/s|op/s|BenchmarkA(-2)?|Unit|pkg:|bytes|ns/op|[0-9]{1,4}(k|s|e9)?|:| |\n){0,60}") {
        every_parser(&text);
    }

    #[test]
    fn counts_come_back_as_they_were_written(rows in proptest::collection::vec(("[a-z_.0-9]{1,20}", any::<u32>()), 1..20)) {
        let text: String = rows.iter().map(|(name, count)| format!("{name},{count}\n")).collect();
        let values = ci_bench(Text { file: "f", text: &text }).unwrap();
        for (value, (name, count)) in values.iter().zip(&rows) {
            let joined = if value.side.is_empty() { value.benchmark.clone() } else { format!("{}_{}", value.benchmark, value.side) };
            prop_assert_eq!(&joined, name);
            prop_assert_eq!(value.value, f64::from(*count));
        }
    }

    #[test]
    fn measures_come_back_as_they_were_written(
        rows in proptest::collection::btree_map("[a-z ]*[a-z]", (1e3..1e9_f64, 0.0..1e3_f64), 1..10),
    ) {
        let benchmarks: serde_json::Map<String, serde_json::Value> = rows
            .iter()
            .map(|(name, (value, spread))| {
                let metric = serde_json::json!({ "value": value, "lower_value": value - spread, "upper_value": value + spread });
                (name.clone(), serde_json::json!({ "latency": metric }))
            })
            .collect();
        let text = serde_json::to_string(&benchmarks).unwrap();
        let values = bencher(Text { file: "f", text: &text }).unwrap();
        prop_assert_eq!(values.len(), rows.len());
        for (value, (name, (expected, spread))) in values.iter().zip(&rows) {
            prop_assert_eq!((&value.benchmark, value.value), (name, *expected));
            prop_assert_eq!((value.lower, value.upper), (Some(expected - spread), Some(expected + spread)));
        }
    }
}
