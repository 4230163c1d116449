//! Tables of another kind of processor than the host's are excluded, and named.

use std::collections::BTreeMap;

use tlslab_estimate::Report;
use tlslab_reproduction::{Document, Measured, Reproduction, markdown, reproduce};

const DOCUMENT: &str = r#"
title = "Rates of two machines"
by = "somebody"
on = "a laptop and a phone"

[[measurements]]
name = "run"
title = "Handshakes"
stacks = ["one"]
scenarios = ["handshake/**"]
budget_s = 10
rounds = 8

[published.rates]
columns = ["key", "laptop", "phone"]
rows = [["RSA", 33, 12]]

[[tables]]
title = "Rates on the laptop"
measurement = "run"
published = "rates"
labels = ["key"]
columns = [{ title = "One", unit = "/s", published = "laptop", stack = "one", scenario = "handshake", side = "server", metric = "rate" }]

[[tables]]
title = "Rates on the phone"
measurement = "run"
published = "rates"
only_on = "aarch64"
labels = ["key"]
columns = [{ title = "One", unit = "/s", published = "phone", stack = "one", scenario = "handshake", side = "server", metric = "rate" }]
"#;

/// The document, measured on a host whose processor shows these features.
fn on(features: &[&str]) -> Reproduction {
    let run = serde_json::json!({
        "id": "20261203-080000-abcd", "started": "2026-12-03T08:00:00Z", "lab_version": "0", "command": [],
        "suite": "s", "seed": 1, "budget_s": 1.0, "measuring_s": 1.0, "rounds": 9, "slice_ns": 1, "baseline": "one",
        "pki_digest": "", "complete": true, "complete_visits": 9, "cut_short_visits": 0, "samples": 9,
    });
    let report: Report = serde_json::from_value(serde_json::json!({
        "format": 1, "run": run, "host": { "cpu": { "features": features } }, "stacks": [], "scenarios": [],
        "headlines": [], "cells": [], "proofs": [], "notes": [], "warnings": [],
        "overheads": { "summary": "", "harness": null, "stacks": [], "cells": [] },
    }))
    .unwrap();
    let document = Document::parse("documents/it.toml", "it", DOCUMENT).unwrap();
    let reports = BTreeMap::from([("run".to_owned(), vec![report])]);
    reproduce(&document, &Measured { reports, ..Measured::default() })
}

fn titles(reproduction: &Reproduction) -> Vec<&str> {
    reproduction.tables.iter().map(|table| table.title.as_str()).collect()
}

#[test]
fn a_table_of_arm_is_shown_on_arm_alone_and_named_elsewhere() {
    let x86 = on(&["lm", "sse2"]);
    assert_eq!(titles(&x86), ["Rates on the laptop"]);
    let line = "- Excluded, as their figures are from another kind of processor than this one (x86-64): Rates on the phone. Their \
                published figures are in it.toml.\n";
    assert!(markdown(&x86).contains(line), "{}", markdown(&x86));
    for features in [&["asimd"][..], &[]] {
        let shown = on(features);
        assert_eq!(titles(&shown), ["Rates on the laptop", "Rates on the phone"], "{features:?}");
        assert_eq!(shown.left_out, None);
    }
}

#[test]
fn an_unknown_architecture_is_refused() {
    let error =
        Document::parse("it.toml", "it", &DOCUMENT.replace("aarch64", "arm64")).unwrap_err().to_string();
    assert!(error.contains("aarch64") && error.contains("x86-64"), "{error}");
}
