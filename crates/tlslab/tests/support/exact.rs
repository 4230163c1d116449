//! Runs of one exact metric in a folder of their own, and their figures.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::{stdout, tlslab};

/// What a command prints that keeps its results in a folder of its own.
pub(crate) fn lab(own: &Path, arguments: &[&str]) -> String {
    let mut command = tlslab();
    command.current_dir(own).args(arguments).args(["--out", "out"]);
    stdout(&command.output().unwrap())
}

/// The report of a run of one metric.
pub(crate) fn run(own: &Path, metric: &str, stacks: &[&str], scenarios: &[&str]) -> Value {
    let mut arguments = vec!["run", "--metric", metric, "--format", "json"];
    arguments.extend(stacks.iter().flat_map(|stack| ["--stack", stack]));
    arguments.extend(scenarios.iter().flat_map(|scenario| ["--scenario", scenario]));
    serde_json::from_str(&lab(own, &arguments)).unwrap()
}

/// (scenario, stack, side, metric) → median, lowest, highest.
pub(crate) type Figures = BTreeMap<[String; 4], [f64; 3]>;

/// All exact figures of a report.
pub(crate) fn figures(report: &Value) -> Figures {
    let of = |cell: &Value| {
        let key = ["scenario", "stack", "side", "metric"].map(|key| cell[key].as_str().unwrap().to_owned());
        let number = |key: &str| cell[key].as_f64().unwrap_or_else(|| panic!("{cell}"));
        (key, ["estimate", "minimum", "maximum"].map(number))
    };
    report["exact"].as_array().unwrap().iter().map(of).collect()
}
