//! The page of histories: its answer, its size, and that names are text.

use tlslab_pages::{Alone, HistoryOptions, Page, Served, history};
use tlslab_record::{FigureOutcome, FigureValue, HistoryPolicy, Point, Series};
use tlslab_report::timeline::{Timeline, Timelines};

fn series(at: usize) -> Series {
    let text = str::to_owned;
    Series {
        scenario: format!("handshake/1.3/<key-{at}>/x25519"),
        stack: text("library"),
        side: text(if at.is_multiple_of(2) { "client" } else { "server" }),
        metric: text("count.instructions"),
        unit: text("instructions"),
        class: text("some processor"),
    }
}

fn point(day: u64, value: f64) -> Point {
    Point {
        run: format!("run-{day:02}"),
        started_unix_ms: 1_767_225_600_000 + day * 86_400_000,
        stack: format!("library@1.{day}"),
        place: 0,
        label: format!("1.{day}"),
        epoch: "kernel 6.1".to_owned(),
        outcome: FigureOutcome::Value(FigureValue { value, lower: Some(value), upper: Some(value), n: 3 }),
    }
}

fn draw_timeline(values: &[f64], at: usize) -> Timeline {
    let points: Vec<Point> =
        values.iter().enumerate().map(|(day, value)| point(day as u64, *value)).collect();
    Timeline::of(series(at), &points, &[], &HistoryPolicy::default())
}

fn page(timelines: Vec<Timeline>) -> Page {
    let timelines = Timelines { format: Timelines::FORMAT, reference: None, timelines };
    history(&timelines, &HistoryOptions::default(), &Alone)
}

/// The text of the first element of a kind.
fn first<'p>(page: &'p str, start: &str, end: &str) -> &'p str {
    page.split_once(start).and_then(|(_, rest)| rest.split_once(end)).map_or("", |(text, _)| text)
}

#[test]
fn the_answer_is_about_the_newest_version_then_about_the_last_that_changed() {
    let changed =
        page(vec![draw_timeline(&[1000.0, 1000.0, 1021.0], 0), draw_timeline(&[500.0, 490.0, 490.0], 1)]);
    let body = changed.body.to_string();
    assert_eq!(first(&body, "<h1>", "</h1>"), "library 1.2: 1 regression, at most +2.10 % (in 2 series)");
    assert!(
        body.contains("Before it was library 1.1: −2.00 % in handshake 1.3 · &#60;key-1&#62; · x25519"),
        "{body}"
    );
    let quiet = page(vec![draw_timeline(&[1000.0, 1021.0, 1021.0, 1021.3], 0)]).body.to_string();
    assert_eq!(first(&quiet, "<h1>", "</h1>"), "library 1.3: no step in the only series");
    assert!(quiet.contains("The last version that changed was library 1.1: +2.10 %"), "{quiet}");
    let nothing = page(vec![draw_timeline(&[], 0)]).body.to_string();
    assert_eq!(first(&nothing, "<h1>", "</h1>"), "Nothing was measured");
}

#[test]
fn a_page_of_358_series_is_small_before_its_data_and_with_it() {
    let values: Vec<f64> = (0..40).map(|day| if day < 20 { 1_000_000.0 } else { 1_010_000.0 }).collect();
    let page = page((0..358).map(|at| draw_timeline(&values, at)).collect());
    let whole = page.html(&Alone).len();
    let data = first(&page.html(&Alone), "id=\"histories\">", "</script>").len();
    assert!(data > 100_000, "{data}");
    assert!(whole - data < 500_000, "{} bytes before data", whole - data);
    assert!(whole < 5_000_000, "{whole}");
}

#[test]
fn names_are_text_everywhere() {
    let page = page(vec![draw_timeline(&[1.0, 2.0], 0)]).html(&Alone);
    assert!(!page.contains("<key-0>") && page.contains("\\u003ckey-0\\u003e"));
    assert!(!page.contains(" style=") && !page.contains(" onclick="));
}

#[test]
fn versions_lead_to_their_runs_in_tables_and_plots() {
    let timelines = vec![draw_timeline(&[1000.0, 1021.0], 0)];
    let timelines = Timelines { format: Timelines::FORMAT, reference: None, timelines };
    let links = Served { has: |_| true };
    let page = history(&timelines, &HistoryOptions::default(), &links);
    assert!(page.body.as_str().contains("<a href=\"/runs/run-01\">1.1</a>"), "{}", page.body);
    assert!(page.html(&links).contains("[\"run-01\",\"2026-01-02T00:00:00Z\",\"/runs/run-01\"]"));
}
