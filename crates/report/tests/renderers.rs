//! What people and programs read, on a made-up run.

mod synthetic;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use tlslab_estimate::Report;
use tlslab_record::RunRecord;
use tlslab_report::{
    Further, bencher, csv, github_action_bigger, github_action_smaller, go, holes, json, markdown,
    openmetrics, parquet as as_parquet, pyperf,
};

fn terminal(report: &Report, columns: usize, colour: bool) -> String {
    let further = Further {
        page: Some("tlslab-results/x/report.html".to_owned()),
        repeat: Some("tlslab run --suite quick --seed 7".to_owned()),
    };
    tlslab_report::terminal(report, &further, columns, colour)
}

fn report() -> Report {
    Report::of(&synthetic::run(7, 16, 6))
}

#[test]
fn terminal_at_120_columns() {
    insta::assert_snapshot!(terminal(&report(), 120, false));
}

#[test]
fn terminal_at_80_columns() {
    insta::assert_snapshot!(terminal(&report(), 80, false));
}

#[test]
fn terminal_at_50_columns_with_few_visits() {
    insta::assert_snapshot!(terminal(&Report::of(&synthetic::run(7, 3, 4)), 50, false));
}

#[test]
fn terminal_lines_keep_to_their_width_and_colour_is_all_that_colour_adds() {
    for columns in [40, 60, 80, 100, 120, 140] {
        let plain = terminal(&report(), columns, false);
        // Paths and commands are copied as a whole.
        let wraps = |line: &&str| {
            !line.starts_with("method") && !line.starts_with("repeat") && !line.starts_with("next")
        };
        let too_long = plain.lines().filter(wraps).find(|line| line.chars().count() > columns);
        assert_eq!(too_long, None, "at {columns} columns");
        let mut coloured = terminal(&report(), columns, true);
        for code in ["0", "1", "2", "31", "32", "33"] {
            coloured = coloured.replace(&format!("\u{1b}[{code}m"), "");
        }
        let trimmed: Vec<&str> = coloured.lines().map(str::trim_end).collect();
        assert_eq!(trimmed, plain.lines().collect::<Vec<_>>());
    }
}

#[test]
fn the_terminal_ends_with_what_to_do_and_without_the_method() {
    let report = report();
    let text = terminal(&report, 160, false);
    let last: Vec<&str> = text.lines().rev().take_while(|line| !line.is_empty()).collect();
    let starts = last.iter().rev().map(|line| line.split(':').next().unwrap());
    assert_eq!(starts.collect::<Vec<_>>(), ["method, policy, proof", "repeat", "next"]);
    let page = markdown(&report).replace('\\', "");
    for note in &report.notes {
        assert!(!text.contains(note) && page.contains(note), "{note}");
    }
}

#[test]
fn a_stack_whose_name_has_no_version_stands_with_its_library_s() {
    let mut record = synthetic::run(7, 8, 2);
    record.plan.stacks[0].name = "openssl".to_owned();
    record.plan.baseline = "openssl".to_owned();
    let text = terminal(&Report::of(&record), 160, false);
    assert!(text.contains("\n  openssl 3.5.4  ") && text.contains("\n  rustls-0.23.35-aws-lc  "), "{text}");
}

#[test]
fn markdown_for_an_issue() {
    insta::assert_snapshot!(markdown(&report()));
}

#[test]
fn a_stack_that_did_not_take_part_is_reported_once_for_all_its_cells() {
    let report = report();
    for text in [terminal(&report, 160, false), markdown(&report)] {
        assert_eq!(text.matches("all cells of wolfssl-5.8.2: it was not built").count(), 1, "{text}");
        assert_eq!(text.matches("it was not built").count(), 1, "{text}");
        assert_eq!(text.matches("| wolfssl").count() + text.matches("  wolfssl").count(), 0, "{text}");
    }
}

#[test]
fn csv_rows() {
    let text = csv(&report());
    let lines: Vec<&str> = text.split("\r\n").collect();
    assert_eq!(lines.len(), report().cells.len() + 2, "a header, every cell, and a line's end at the end");
    insta::assert_snapshot!(lines[..30].join("\n"));
}

#[test]
fn json_goes_both_ways() {
    let mut report = report();
    let text = json(&report);
    let read: Report = serde_json::from_str(&text).unwrap();
    report.distributions.clear();
    assert_eq!(read, report);
    let cells = &serde_json::to_value(&report).unwrap()["cells"];
    // A measured one, one without a baseline, an unsupported one and a failed one.
    let of =
        |key: &str| cells.as_array().unwrap().iter().find(|cell| cell.get(key).is_some()).unwrap().clone();
    let some = [&cells[0], &of("no_ratio"), &of("unsupported"), &of("failed")];
    insta::assert_snapshot!(serde_json::to_string_pretty(&some).unwrap());
}

#[test]
fn stack_notes_stand_under_every_table_in_which_the_stack_stands_beside_others() {
    let mut record = synthetic::run(7, 8, 2);
    let count = |record: &RunRecord, note: &str| {
        let report = Report::of(record);
        let texts = [terminal(&report, 160, false), markdown(&report)];
        texts.map(|text| text.matches(note).count())
    };
    assert_eq!(count(&record, "copies each record twice"), [2, 2], "two families, two tables");
    assert_eq!(count(&record, "fewer levels of verification"), [2, 2]);
    // A single stack has no comparison.
    record.plan.stacks = vec![record.plan.stacks[2].clone()];
    record.cells.clear();
    record.samples.clear();
    record.overheads.clear();
    assert_eq!(count(&record, "copies each record twice"), [0, 0]);
}

/// Cells with a value, of times and of exact figures.
fn values(report: &Report) -> usize {
    report.cells.len() + report.exact.len() - holes(report)
}

#[test]
fn other_programs_get_every_value_once() {
    let report = report();
    assert!(holes(&report) > 0, "some have none");
    let measures: serde_json::Value = serde_json::from_str(&bencher(&report)).unwrap();
    let measures = measures.as_object().unwrap();
    assert_eq!(measures.values().map(|one| one.as_object().unwrap().len()).sum::<usize>(), values(&report));
    let entries = |text: String| serde_json::from_str::<Vec<serde_json::Value>>(&text).unwrap();
    let (smaller, bigger) = (entries(github_action_smaller(&report)), entries(github_action_bigger(&report)));
    assert_eq!(smaller.len() + bigger.len(), values(&report));
    assert!(bigger.iter().all(|entry| entry["unit"].as_str().unwrap().ends_with("/s")));
    let text = openmetrics(&report);
    assert_eq!(text.lines().filter(|line| !line.starts_with('#')).count(), values(&report));
    assert!(text.ends_with("# EOF\n"));
}

#[test]
fn times_become_nanoseconds_and_seconds() {
    let report = report();
    let cell = report
        .cells
        .iter()
        .find(|cell| cell.metric.to_string() == "time" && cell.outcome.measured().is_some());
    let cell = cell.unwrap();
    let micros = cell.outcome.measured().unwrap().estimated.value;
    let name = format!("{} {} {}", cell.stack, cell.scenario, cell.side);
    let measures: serde_json::Value = serde_json::from_str(&bencher(&report)).unwrap();
    let nanos = measures[&name]["latency"]["value"].as_f64().unwrap();
    assert!((nanos / micros - 1000.0).abs() < 1e-9);
    let (lower, upper) =
        (&measures[&name]["latency"]["lower_value"], &measures[&name]["latency"]["upper_value"]);
    assert!(lower.as_f64().unwrap() <= nanos && nanos <= upper.as_f64().unwrap());
    let labels = format!("stack=\"{}\",scenario=\"{}\",side=\"{}\"", cell.stack, cell.scenario, cell.side);
    let text = openmetrics(&report);
    let line =
        text.lines().find(|line| line.starts_with("tlslab_time_seconds{") && line.contains(&labels)).unwrap();
    let seconds: f64 = line.rsplit(' ').next().unwrap().parse().unwrap();
    assert!((seconds / micros - 1e-6).abs() < 1e-12);
    assert!(text.contains("# TYPE tlslab_time_seconds gauge\n# UNIT tlslab_time_seconds seconds\n"));
}

#[test]
fn benchstat_gets_a_line_for_each_visit() {
    let report = report();
    let text = go(&report);
    let distribution = &report.distributions[0];
    let name = format!(
        "BenchmarkTLS/stack={}/scenario={}/side={} ",
        distribution.stack.replace('/', ":"),
        distribution.scenario.replace('/', ":"),
        distribution.side
    );
    let lines: Vec<&str> =
        text.lines().filter(|line| line.starts_with(&name) && line.ends_with(" ns/op")).collect();
    assert_eq!(lines.len(), distribution.visits.len());
    let first: f64 = lines[0].split(' ').nth(2).unwrap().parse().unwrap();
    assert!((first / distribution.visits[0].value - 1000.0).abs() < 1e-9);
    assert!(text.lines().all(|line| line.split(' ').count() == 4), "name, iterations, value, unit");
}

#[test]
fn pyperf_gets_a_run_for_each_visit() {
    let report = report();
    let suite: serde_json::Value = serde_json::from_str(&pyperf(&report)).unwrap();
    let distribution = &report.distributions[0];
    let name = format!("{} {} {} time", distribution.stack, distribution.scenario, distribution.side);
    let benchmarks = suite["benchmarks"].as_array().unwrap();
    let of = benchmarks.iter().find(|one| one["metadata"]["name"] == name.as_str()).unwrap();
    assert_eq!(of["metadata"]["unit"], "second");
    let runs = of["runs"].as_array().unwrap();
    assert_eq!(runs.len(), distribution.visits.len());
    let first = runs[0]["values"][0].as_f64().unwrap();
    assert!((first / distribution.visits[0].value - 1e-6).abs() < 1e-15);
    assert!(benchmarks.iter().all(|one| !one["metadata"]["name"].as_str().unwrap().ends_with(" rate")));
}

#[test]
fn parquet_has_the_rows_of_csv() {
    let report = report();
    let file = SerializedFileReader::new(bytes::Bytes::from(as_parquet(&report).unwrap())).unwrap();
    let quoted = |text: &str| {
        let needs = text.contains(['"', ',', '\r', '\n']);
        if needs { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
    };
    let shown = |field: &Field| match field {
        Field::Null => String::new(),
        Field::Str(text) => quoted(text),
        Field::Double(number) => number.to_string(),
        Field::Long(number) => number.to_string(),
        Field::Bool(word) => word.to_string(),
        other => panic!("{other:?}"),
    };
    let rows = file.get_row_iter(None).unwrap().map(Result::unwrap);
    let mut lines: Vec<String> = rows
        .map(|row| row.get_column_iter().map(|(_, field)| shown(field)).collect::<Vec<_>>().join(","))
        .collect();
    let schema = file.metadata().file_metadata().schema_descr();
    let names: Vec<&str> = schema.columns().iter().map(|column| column.name()).collect();
    lines.insert(0, names.join(","));
    assert_eq!(lines.join("\r\n") + "\r\n", csv(&report));
    assert!(lines.len() > 10);
}
