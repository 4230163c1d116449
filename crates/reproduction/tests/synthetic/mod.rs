//! A made-up document with everything that a rendering must cope with: figures without bounds, holes, words,
//! claims, trials.

use tlslab_reproduction::{
    Band, Case, Cause, Claim, Column, Commit, Direction, Entry, Far, Figure, Group, Here, Judged, Lack,
    LeftOut, Outcome, PartProvenance, Provenance, Reproduction, Row, RunNote, StackVersion, Standing, Table,
    Terms, Took, Trial, TrialOfStack,
};

/// The whole document.
pub(crate) fn document(name: &str) -> Reproduction {
    Reproduction {
        document: name.to_owned(),
        title: format!("Document <{name}>"),
        by: "somebody & others".to_owned(),
        on: "another machine".to_owned(),
        flaws: vec!["Its keys are of unequal size.".to_owned()],
        left_out: Some(LeftOut {
            host: "x86-64".to_owned(),
            tables: vec!["Rates on ARM".to_owned()],
            file: "one.toml".to_owned(),
        }),
        runs: vec![RunNote {
            measurement: "run".to_owned(),
            title: "Handshakes".to_owned(),
            basis: "fair".to_owned(),
            run: "20260101-000000-abcd".to_owned(),
            measuring_s: 12.0,
            warnings: vec!["the host was busy".to_owned()],
        }],
        took: Some(Took { builds_s: 300.0, measuring_s: 900.0 }),
        provenance: Some(provenance()),
        standing: Standing {
            days: Some(["2026-01-01"; 2].map(str::to_owned)),
            lacks: vec![Lack::BetweenRuns],
            failed: 1,
        },
        versions: vec![StackVersion {
            stack: "one".to_owned(),
            published: Some("One 1.0".to_owned()),
            measured: Some("One 1.5".to_owned()),
            ..StackVersion::default()
        }],
        host: Default::default(),
        hosts: vec![],
        tables: vec![figures(), words()],
        claims: vec![claim()],
        trials: vec![trial()],
    }
}

fn provenance() -> Provenance {
    let part = PartProvenance {
        part: "run".to_owned(),
        load_at_start: Some(0.12),
        load_at_end: Some(1.05),
        others_busy_cpus: Some(0.02),
        steal_percent: Some(0.1),
        repeated: true,
    };
    Provenance {
        lab_version: "0.1.0".to_owned(),
        commits: vec![Commit { id: "0123456789abcdef".to_owned(), dirty: true }],
        share: 0.1,
        parts: vec![part],
        ..Provenance::default()
    }
}

fn figure(value: f64, bounds: Option<[f64; 2]>) -> Here {
    Here::Figure(Figure { value, bounds, between: 0.0 })
}

fn hole(reason: &str) -> Here {
    Here::Hole { hole: reason.to_owned() }
}

/// Two columns with published figures and a ratio; one row lacks its second figure.
fn figures() -> Table {
    let column = |title: &str, unit: &str| Column { title: title.to_owned(), unit: unit.to_owned() };
    let row = |label: &str, entries: [(Option<f64>, Here); 3]| Row {
        labels: vec![label.to_owned()],
        entries: entries.map(|(published, here)| Entry::new(published, here)).to_vec(),
        words: vec![],
    };
    Table {
        title: "Rates".to_owned(),
        basis: "as published".to_owned(),
        labels: vec!["key".to_owned()],
        columns: vec![column("One", "/s"), column("Two", "/s"), column("One / two", "ratio")],
        words: vec![],
        rows: vec![
            row(
                "RSA",
                [
                    (Some(33.2), figure(18.0, Some([17.5, 18.5]))),
                    (Some(1260.0), figure(1300.0, Some([1290.0, 1310.0]))),
                    (Some(0.0263), figure(0.0138, Some([0.0134, 0.0143]))),
                ],
            ),
            row(
                "ECDSA",
                [
                    (Some(3448.0), figure(3500.0, None)),
                    (None, hole("unsupported: it has no such key")),
                    (None, hole("unsupported: it has no such key")),
                ],
            ),
        ],
        note: Some("Sizes are unequal.".to_owned()),
        causes: vec![cause("key RSA")],
        far: Some(Far {
            host: None,
            factor: 1.5,
            figures: 1,
            of: 3,
            most: 0.542,
            place: "RSA: One / two".to_owned(),
            open: vec!["RSA: One / two".to_owned()],
        }),
        ..Table::default()
    }
}

/// A column without anything published, and words behind it.
fn words() -> Table {
    let row = |label: &str, change: f64, verdict: &str, function: &str| Row {
        labels: vec![label.to_owned()],
        entries: vec![Entry::new(None, figure(change, Some([change - 0.1, change + 0.1])))],
        words: vec![verdict.to_owned(), function.to_owned()],
    };
    Table {
        title: "A change".to_owned(),
        basis: "fair".to_owned(),
        labels: vec!["scenario".to_owned()],
        columns: vec![Column { title: "change".to_owned(), unit: "%".to_owned() }],
        words: vec!["verdict".to_owned(), "what did it".to_owned()],
        rows: vec![
            row("handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none", 38.2, "regression", "select<u8> +232192"),
            row("transfer/1.3/aes-128-gcm/client-sends/1MiB/warm", 0.01, "no change", ""),
        ],
        ..Table::default()
    }
}

fn cause(of: &str) -> Cause {
    Cause { of: vec![of.to_owned()], says: "Another library.".to_owned() }
}

fn claim() -> Claim {
    let long = "a-stack-with-a-name/that-is-long+and-a-variant against rustls/aws-lc-rs";
    let terms = Terms {
        direction: Some(Direction::More),
        size: Some(Band { from: Some(1.03), to: Some(1.05) }),
        ..Terms::default()
    };
    let case = |of: &str, group: Group, found: Here| {
        let judged = Judged::of(&terms, &found, 60.0);
        Case::new(of.to_owned(), group, found, judged)
    };
    let here = vec![
        case("one", Group::Document, figure(1.04, Some([1.035, 1.045]))),
        case("two", Group::Document, figure(0.9, Some([0.88, 0.92]))),
        case("three", Group::Document, figure(1.38, Some([1.37, 1.39]))),
        case(long, Group::Document, figure(12.0, Some([0.9, 15.0]))),
        case("none", Group::Document, hole("failed: it crashed")),
        case("other", Group::Extension, figure(1.04, Some([1.032, 1.048]))),
        case("less", Group::Extension, hole("unsupported: it has no such suite")),
    ];
    Claim {
        says: "It is slower.".to_owned(),
        published: "3 to 5 % slower".to_owned(),
        sentence: Some("It is 3 to 5 % slower.".to_owned()),
        ratio: "time of one over the other".to_owned(),
        basis: "fair".to_owned(),
        because: Some("A block more.".to_owned()),
        causes: vec![cause("two")],
        here,
        rows: vec![case("one: a row", Group::Document, figure(1.2, Some([1.1, 1.3])))],
        terms,
    }
}

fn trial() -> Trial {
    let outcome = |passed, failed, failures: &[&str]| Outcome {
        part: "test_ssl".to_owned(),
        passed,
        failed,
        skipped: 1,
        failures: failures.iter().map(|name| (*name).to_owned()).collect(),
    };
    let of = |stack: &str, outcomes: Vec<Outcome>, hole: Option<&str>| TrialOfStack {
        stack: stack.to_owned(),
        outcomes,
        hole: hole.map(str::to_owned),
    };
    Trial {
        title: "What works".to_owned(),
        stacks: vec![
            of("one", vec![outcome(10, 0, &[])], None),
            of("two", vec![outcome(8, 2, &["test_ssl.a", "test_ssl.b"])], None),
            of("three", vec![], Some("it ended with status 1")),
        ],
    }
}
