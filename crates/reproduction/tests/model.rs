//! The model of a document, written and read.

mod synthetic;

use serde_json::Value;
use tlslab_reproduction::{Reproduction, json};

#[test]
fn a_reproduction_is_read_as_it_was_written() {
    let document = synthetic::document("one");
    assert_eq!(serde_json::from_str::<Reproduction>(&json(&document)).unwrap(), document);
}

#[test]
fn fields_of_a_later_version_are_ignored() {
    let document = synthetic::document("one");
    let mut value: Value = serde_json::from_str(&json(&document)).unwrap();
    value["later"] = true.into();
    let places =
        ["/runs/0", "/took", "/tables/0", "/tables/0/columns/0", "/tables/0/rows/0/entries/0", "/claims/0"];
    for place in
        places.into_iter().chain(["/tables/0/rows/0", "/tables/0/rows/0/entries/0/here", "/trials/0"])
    {
        value.pointer_mut(place).unwrap()["later"] = true.into();
    }
    assert_eq!(serde_json::from_value::<Reproduction>(value).unwrap(), document);
}

#[test]
fn verdicts_that_earlier_versions_kept_are_read() {
    let document = synthetic::document("one");
    let mut value: Value = serde_json::from_str(&json(&document)).unwrap();
    let claim = &mut value["claims"][0];
    claim.as_object_mut().unwrap().remove("terms");
    claim["range"] = serde_json::json!([1.03, 1.05]);
    claim["here"] = serde_json::json!([["one", { "value": 1.04, "bounds": [1.02, 1.06] }, "cannot-tell"]]);
    let read = serde_json::from_value::<Reproduction>(value).unwrap();
    let case = &read.claims[0].here[0];
    assert_eq!((case.of.as_str(), case.judged.verdict), ("one", tlslab_reproduction::Verdict::Inconclusive));
    assert!(case.judged.reason.as_deref().unwrap().contains("reproduce the document again"));
}
