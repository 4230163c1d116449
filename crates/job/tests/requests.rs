//! A request is plain data: a queue can hold it, and another machine can carry it out.

use serde_json::{Value, json};
use tlslab_job::Request;

/// The least content of each request; every other field has a default.
fn least() -> Vec<Value> {
    vec![
        json!({ "kind": "run" }),
        json!({ "kind": "count" }),
        json!({ "kind": "compare" }),
        json!({ "kind": "compare-runs", "baseline": "a", "candidate": "b" }),
        json!({ "kind": "compare-folders", "baseline": "a", "candidate": "b" }),
        json!({ "kind": "profile", "stack": "s", "scenario": "c" }),
        json!({ "kind": "diff", "baseline": { "folder": "a" }, "candidate": { "folder": "b" } }),
        json!({ "kind": "fidelity", "stack": "s" }),
        json!({ "kind": "bisect", "stack": "s", "repository": "r", "good": "g", "bad": "b" }),
        json!({ "kind": "bisect", "stack": "s", "good": "1.0", "bad": "1.1" }),
        json!({ "kind": "reproduce", "document": "d" }),
        json!({ "kind": "validate" }),
        json!({ "kind": "neighbours" }),
        json!({ "kind": "doctor" }),
        json!({ "kind": "backfill" }),
        json!({ "kind": "build" }),
    ]
}

#[test]
fn every_request_needs_only_what_names_its_subject_and_survives_json() {
    for text in least() {
        let request: Request =
            serde_json::from_value(text.clone()).unwrap_or_else(|error| panic!("{text}: {error}"));
        let whole = serde_json::to_value(&request).unwrap();
        assert_eq!(serde_json::from_value::<Request>(whole.clone()).unwrap(), request, "{whole}");
        assert_eq!(whole["kind"], text["kind"]);
    }
}

#[test]
fn a_field_that_is_not_known_is_an_error_that_names_it() {
    for mut text in least() {
        text["colour"] = json!("green");
        let error = serde_json::from_value::<Request>(text.clone()).unwrap_err().to_string();
        assert!(error.contains("colour"), "{text}: {error}");
    }
}

#[test]
fn a_time_that_is_none_is_refused() {
    let with = |name: &str, field: &str, number: f64| {
        let mut text = least().into_iter().find(|text| text["kind"] == name).unwrap();
        text[field] = json!(number);
        serde_json::from_value::<Request>(text)
    };
    for number in [-1.0, 1e300] {
        for (name, field) in
            [("run", "timeout_s"), ("run", "budget_s"), ("bisect", "per_scenario_s"), ("doctor", "budget_s")]
        {
            let error = with(name, field, number).unwrap_err().to_string();
            assert!(error.contains("is not a duration"), "{name} {field}: {error}");
        }
    }
    assert!(with("run", "timeout_s", 5.0).is_ok());
}
