//! The output of `tlslab export` for github-action-benchmark is read back unchanged.

#[path = "../../report/tests/synthetic/mod.rs"]
mod synthetic;

use serde_json::Value;
use tlslab_estimate::Report;
use tlslab_lab::{ForeignFormat, Given, ImportRequest, import};
use tlslab_record::{Better, FigureOutcome};

#[test]
fn exported_values_come_back_with_units_bounds_and_directions() {
    let report = Report::of(&synthetic::run(7, 8, 4));
    let folder = tempfile::tempdir().unwrap();
    let of_both = [
        (ForeignFormat::GithubActionSmaller, tlslab_report::github_action_smaller(&report), Better::Smaller),
        (ForeignFormat::GithubActionBigger, tlslab_report::github_action_bigger(&report), Better::Larger),
    ];
    for (format, text, better) in of_both {
        let file = folder.path().join(format.name());
        std::fs::write(&file, &text).unwrap();
        let request = ImportRequest {
            files: vec![file],
            format,
            label: Some("1".to_owned()),
            time: None,
            stack: None,
            given: Given::default(),
            class: "machine".to_owned(),
            epoch: "e".to_owned(),
        };
        let imported = import(&request).unwrap().remove(0);
        let exported: Vec<Value> = serde_json::from_str(&text).unwrap();
        assert_eq!((imported.figures.len(), exported.is_empty()), (exported.len(), false));
        let mut with_bounds = 0;
        for (figure, entry) in imported.figures.iter().zip(&exported) {
            let series = &figure.series;
            let name = [&*series.scenario, &*series.side, &*series.metric].join(" ");
            assert_eq!(name, entry["name"], "it has all of its parts");
            assert_eq!(series.unit, entry["unit"]);
            let FigureOutcome::Value(value) = &figure.outcome else { panic!("{name} has no value") };
            assert_eq!(value.value, entry["value"].as_f64().unwrap());
            let range = value.lower.zip(value.upper).map(|(lower, upper)| format!("{lower} to {upper}"));
            assert_eq!(range.as_deref(), entry.get("range").and_then(Value::as_str));
            with_bounds += usize::from(range.is_some());
            let said = imported.better.iter().find(|one| one.series == *series).map(|one| one.better);
            assert_eq!(said.unwrap_or_else(|| Better::of_series(series)), better, "{series}");
        }
        assert!(with_bounds > 0);
    }
}
