//! Everything that is accepted can be rendered.

use proptest::prelude::*;
use serde_json::{Value, json};
use tlslab_comparison::{CommentParts, json as as_json, markdown, markdown_within, read, terminal};

const COMPARISON: &str = include_str!("../../tlslab/tests/action/comparison.json");

#[test]
fn what_was_written_is_read() {
    let comparison = read(COMPARISON).unwrap();
    assert_eq!(read(&as_json(&comparison)).unwrap(), comparison);
    assert!(comparison.changes.len() > 1);
}

#[test]
fn fields_of_a_later_version_are_ignored() {
    let comparison = read(COMPARISON).unwrap();
    let mut value: Value = serde_json::from_str(&as_json(&comparison)).unwrap();
    value["later"] = json!(1);
    for place in ["/design", "/pairs/0", "/changes/0", "/changes/1/interval"] {
        value.pointer_mut(place).unwrap()["later"] = json!(["x"]);
    }
    assert_eq!(read(&value.to_string()).unwrap(), comparison);
}

#[test]
fn a_cell_that_was_cut_short_is_not_taken_for_one_without_a_value() {
    let mut value: Value = serde_json::from_str(COMPARISON).unwrap();
    value["changes"][1].as_object_mut().unwrap().remove("ratio");
    assert_eq!(
        read(&value.to_string()).unwrap_err().to_string(),
        "cell 1 has neither figures nor a reason for their absence"
    );
}

#[test]
fn a_number_beyond_any_that_is_measured_is_refused_and_the_cause_is_said_once() {
    for number in ["1e308", "-1e308", "1e19"] {
        let text = COMPARISON.replacen("\"ratio\": ", &format!("\"ratio\": {number}, \"was\": "), 1);
        assert_ne!(text, COMPARISON);
        let error = read(&text).unwrap_err();
        let cause = std::error::Error::source(&error).unwrap().to_string();
        assert_eq!(error.to_string(), "it is not a comparison.json");
        assert!(cause.contains("is more than any measurement gives"), "{cause}");
    }
    let text = COMPARISON.replacen("\"ratio\": ", "\"ratio\": 1e15, \"was\": ", 1);
    assert!(read(&text).unwrap_err().to_string().contains("beyond any that is measured"));
}

#[test]
fn a_profile_is_a_file_of_the_comparisons_own_folder() {
    let with = |baseline: &str| {
        let mut value: Value = serde_json::from_str(COMPARISON).unwrap();
        let candidate = "profiles/01-s.client.candidate.callgrind.gz";
        value["profiles"] = json!([{ "pair": 0, "scenario": "s", "side": "client", "baseline": baseline,
            "candidate": candidate, "iterations": 32 }]);
        read(&value.to_string())
    };
    assert_eq!(with("profiles/01-s.client.baseline.callgrind.gz").unwrap().profiles.len(), 1);
    for elsewhere in
        ["../x", "profiles/../x", "/etc/passwd", "profiles/a/b", "javascript:alert(1)", "profiles/"]
    {
        let error = with(elsewhere).unwrap_err().to_string();
        assert_eq!(error, "profile 0 is not a file of the comparison", "{elsewhere}");
    }
}

/// Replaces the `at`th leaf.
fn replace(value: &mut Value, at: &mut usize, new: &Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, at, new)),
        Value::Object(fields) => fields.values_mut().for_each(|field| replace(field, at, new)),
        leaf => {
            if *at == 0 {
                *leaf = new.clone();
            }
            *at = at.wrapping_sub(1);
        }
    }
}

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<String>().prop_map(Value::from),
        "[@<>`|&!\\[\\]()#/:w.\\n\\r\u{202e}]{0,40}".prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        any::<i64>().prop_map(Value::from),
        Just(json!(0)),
        Just(json!(1e308)),
        Just(Value::Null),
        Just(json!([])),
    ]
}

proptest! {
    #[test]
    fn what_is_read_can_be_rendered(at in 0usize..400, new in leaf(), limit in 0usize..5000) {
        let mut value: Value = serde_json::from_str(COMPARISON).unwrap();
        let mut left = at;
        replace(&mut value, &mut left, &new);
        if let Ok(comparison) = read(&value.to_string()) {
            let text = markdown(&comparison);
            prop_assert!(!text.contains("<script"));
            // A line that begins with a slash is a command to some forges.
            prop_assert!(text.lines().all(|line| !line.starts_with('/')));
            markdown_within(&comparison, limit, &CommentParts::default());
            terminal(&comparison, true);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        let _ = read(&text);
    }
}
