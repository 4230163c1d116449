//! A text as a file of another program's results. What is read can be stored; an error names the next step.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tlslab_foreign::{
    CriterionFiles, ForeignBetter, Parsed, Text, bencher, ci_bench, criterion, github_action,
    github_action_history, go_test, google_benchmark, gungraun, hyperfine, openssl_speed, pyperf,
};

fuzz_target!(|text: &str| {
    let text = Text { file: "f", text };
    // The three files of one benchmark, one behind the other.
    let mut parts = text.text.splitn(3, '\0');
    let mut part = || Text { file: "f", text: parts.next().unwrap_or_default() };
    let files = CriterionFiles { benchmark: part(), estimates: part(), sample: Some(part()) };
    let times = Text { file: "walltime.csv", ..text };
    for parsed in [ci_bench(text), ci_bench(times), bencher(text), gungraun(text), criterion(files)] {
        check(parsed);
    }
    for parser in [go_test, google_benchmark, hyperfine, openssl_speed, pyperf] {
        check(parser(text));
    }
    check(github_action(text, ForeignBetter::Larger));
    check(github_action_history(text).map(|runs| runs.into_iter().flat_map(|run| run.values).collect()));
});

fn check(parsed: Parsed) {
    match parsed {
        Ok(values) => {
            assert!(!values.is_empty());
            for value in values {
                assert!(value.value.is_finite() && !value.benchmark.is_empty() && !value.metric.is_empty());
                assert!(value.raw.iter().all(|raw| raw.is_finite() && *raw >= 0.0));
                let numbers = [Some(value.value), value.lower, value.upper];
                assert!(numbers.into_iter().flatten().all(|number| number >= 0.0));
            }
        }
        Err(bad) => {
            assert!(!bad.is_empty() && bad.iter().all(|row| !row.cause.is_empty() && !row.next.is_empty()))
        }
    }
}
