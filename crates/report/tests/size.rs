//! Sizes of stacks, as people and programs read them.

mod synthetic;

use tlslab_estimate::Report;
use tlslab_protocol::Measure;
use tlslab_record::{SizeOutcome, StackSize};
use tlslab_report::{Further, csv, json, markdown, terminal};

fn report() -> Report {
    let mut record = synthetic::run(7, 2, 1);
    record.plan.metrics = vec![Measure::Size];
    let read = |bytes| SizeOutcome::Read { bytes };
    let unsupported = |why: &str| SizeOutcome::Unsupported { unsupported: why.to_owned() };
    let of = |stack, text, data, shared, build_s| StackSize { stack, text, data, shared, build_s };
    let script = || unsupported("its driver is a script");
    record.plan.sizes = vec![
        of(0, read(3_845_719), read(1_109_430), unsupported("static libraries"), Some(219.84)),
        of(1, read(595_263), read(156_424), unsupported("static libraries"), None),
        of(2, script(), script(), script(), Some(3.0)),
    ];
    Report::of(&record)
}

#[test]
fn one_table_has_the_smallest_first_and_holes_last() {
    let report = report();
    let names: Vec<&str> = report.sizes.iter().map(|size| &*size.stack).collect();
    let text = terminal(&report, &Further::default(), 120, false);
    let table = &text[text.find("Size of the library, bytes").unwrap()..];
    let place = |name: &str| table.find(&format!("\n  {name}")).unwrap_or_else(|| panic!("{name}: {table}"));
    assert!(place(names[1]) < place(names[0]) && place(names[0]) < place(names[2]), "{table}");
    for part in ["595,263", "751,687", "4,955,149", "unsupported: its driver is a script"] {
        assert!(table.contains(part), "{part}: {table}");
    }
    assert!(table.contains("without debug information"), "what it is not: {table}");
    assert!(table.contains(&format!("not judged): {} 220 s", names[0])), "{table}");
}

#[test]
fn other_forms_have_the_same_figures() {
    let report = report();
    let text = markdown(&report);
    assert!(text.contains("| 595,263 | 156,424 | 751,687 |"), "{text}");
    let read: serde_json::Value = serde_json::from_str(&json(&report)).unwrap();
    assert_eq!(read["sizes"][0]["text"]["bytes"], 3_845_719);
    assert_eq!(read["sizes"][2]["text"]["unsupported"], "its driver is a script");
    let rows = csv(&report);
    let row = rows.lines().find(|row| row.contains(",size.text,bytes,1,595263,")).unwrap();
    assert!(row.starts_with("library,"), "{row}");
}
