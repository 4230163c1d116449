//! The page of a `comparison.json` shows any contents as text.

use proptest::prelude::*;
use serde_json::{Value, json};
use tlslab_comparison::{Outcome, ProfilePair, Reason, Verdict, read};
use tlslab_pages::{Alone, Served, comparison, comparison_with_functions};
use tlslab_profile::Flame;
use tlslab_protocol::Side;

const COMPARISON: &str = include_str!("../../tlslab/tests/action/comparison.json");

/// The visible text, without markup.
fn text(html: &str) -> String {
    let mut text = String::new();
    for part in html.split('<').skip(1) {
        let shown = part.split_once('>').map_or("", |(_, shown)| shown).trim();
        if !shown.is_empty() {
            text += &format!("{shown}\n");
        }
    }
    text
}

#[test]
fn it_begins_with_the_answer() {
    let page = comparison(&read(COMPARISON).unwrap(), &Alone);
    insta::assert_snapshot!(text(page.body.as_str()));
}

#[test]
fn every_observation_of_what_is_not_folded_is_shown_and_names_are_text() {
    let mut model = read(COMPARISON).unwrap();
    let mut wanted = 0;
    for change in &mut model.changes {
        change.scenario += "<script>";
        if let Outcome::Compared(effect) = &mut change.outcome {
            effect.verdict = Verdict::Inconclusive;
            effect.tracked = None;
            effect.ratios = vec![effect.ratio; 7];
            effect.reasons = vec![Reason { function: "mul<u64>".to_owned(), change: 1234.0 }];
            wanted += 7;
        }
    }
    let page = comparison(&model, &Alone).body.to_string();
    // A row far beyond the axis has an arrow instead.
    let shown = page.matches("class=\"seen\"").count();
    assert!(shown > 0 && shown <= wanted && shown.is_multiple_of(7), "{shown} of {wanted}");
    assert!(page.contains("mul&#60;u64&#62;") && !page.contains("<script>"), "{page}");
    assert!(!page.contains(" style=") && !page.contains("NaN"));
}

#[test]
fn a_served_page_leads_to_runs_stacks_scenarios_functions_and_files() {
    let model = read(COMPARISON).unwrap();
    let links = Served { has: |_| true };
    let page = comparison(&model, &links).body.to_string();
    let run = &model.runs[0];
    for href in [
        format!("/runs/{run}"),
        format!("/comparisons/{run}.csv"),
        format!("/comparisons/{run}.json"),
        "/stacks/rustls~ring".to_owned(),
        "/scenarios/handshake~1.3~rsa-2048~x25519~aes-128-gcm~none".to_owned(),
        format!("/profiles/{run}~rustls~ring~handshake~1.3~rsa-2048~x25519~aes-128-gcm~none~client"),
    ] {
        assert!(page.contains(&format!("href=\"{href}\"")), "{href} is not in {page}");
    }
    let alone = comparison(&model, &Alone).body.to_string();
    assert!(!alone.contains("href=\"/") && !alone.contains("CSV"), "{alone}");
}

#[test]
fn changed_functions_are_flame_graphs_beside_their_files() {
    let mut model = read(COMPARISON).unwrap();
    let file = |which: &str| format!("profiles/01-s.client.{which}.callgrind.gz");
    model.profiles = vec![ProfilePair {
        pair: 0,
        scenario: "s<script>".to_owned(),
        side: Side::Client,
        baseline: file("baseline"),
        candidate: file("candidate"),
        iterations: 32,
    }];
    let flame = Flame {
        name: "client".to_owned(),
        before: Some(100.0),
        after: 130.0,
        callees: vec![Flame { name: "a<b>".to_owned(), before: Some(50.0), after: 80.0, callees: vec![] }],
    };
    let page = comparison_with_functions(&model, &[flame], &Alone);
    let body = page.body.to_string();
    assert_eq!(body.matches("<figure class=\"flame\"").count(), 1);
    for which in ["baseline", "candidate"] {
        assert!(body.contains(&format!("href=\"{}\"", file(which))), "{body}");
    }
    assert!(body.contains("50 → 80 instructions (+60.0 %)") && !body.contains("<script>"), "{body}");
    assert!(page.html(&Alone).contains("Flame graphs"), "the script that lets a reader zoom");
    // Elsewhere there are neither the files nor the graphs.
    assert!(!comparison(&model, &Alone).body.to_string().contains("profiles/"));
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
        "[<>\"'&!/a-z=]{0,40}".prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        any::<i64>().prop_map(Value::from),
        Just(json!(0)),
        Just(json!(1e17)),
        Just(json!(-1.5)),
        Just(Value::Null),
        Just(json!([])),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_read_has_a_page(at in 0usize..400, new in leaf()) {
        let mut value: Value = serde_json::from_str(COMPARISON).unwrap();
        replace(&mut value, &mut { at }, &new);
        if let Ok(model) = read(&value.to_string()) {
            let page = comparison(&model, &Alone).html(&Alone);
            prop_assert_eq!(page.matches("<script").count(), 1, "the frame's own");
            prop_assert!(!page.contains("NaN%") && !page.contains("inf%"));
        }
    }
}
