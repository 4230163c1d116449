//! Pages of releases, from a made-up history.

use tlslab_record::{FigureOutcome, FigureValue, HistoryPolicy, Point, Series};
use tlslab_report::timeline::{Explanation, Timeline, Timelines, pages};

fn timeline(stack: &str, side: &str, values: &[(&str, &str, Option<f64>)]) -> Timeline {
    let text = str::to_owned;
    let series = Series {
        scenario: text("handshake/1.3"),
        stack: text(stack),
        side: text(side),
        metric: text("count.instructions"),
        unit: text("instructions"),
        class: text("some <processor>"),
    };
    let point = |(at, (label, epoch, value)): (usize, &(&str, &str, Option<f64>))| Point {
        run: format!("run-{at}"),
        started_unix_ms: 1_767_225_600_000,
        stack: format!("{stack}@{label}"),
        place: at as u32,
        label: text(label),
        epoch: text(epoch),
        outcome: match value {
            Some(value) => {
                let (lower, upper) = (Some(*value), Some(*value));
                FigureOutcome::Value(FigureValue { value: *value, lower, upper, n: 3 })
            }
            None => FigureOutcome::Failed { failed: text("not built: a | b") },
        },
    };
    let points: Vec<Point> = values.iter().enumerate().map(point).collect();
    Timeline::of(series, &points, &[], &HistoryPolicy::default())
}

#[test]
fn steps_failures_and_other_drivers_are_on_the_page() {
    let (old, new, elsewhere) =
        ("work a; harness x; kernel 6", "work a; harness y; kernel 6", "work a; harness y; kernel 7");
    let mut client = timeline(
        "library/part",
        "client",
        &[
            ("1.0", old, Some(1e6)),
            ("1.1", old, Some(1.02e6)),
            ("1.2", old, None),
            ("2.0", new, Some(0.9e6)),
            ("2.1", new, Some(0.9e6)),
            ("2.2", elsewhere, Some(2e6)),
        ],
    );
    client.annotate("1.1", "a check was added");
    client.reasons.insert(1, Explanation { functions: Vec::new(), between: vec!["1.0.1".to_owned()] });
    let timelines = Timelines { format: Timelines::FORMAT, reference: None, timelines: vec![client] };
    let files = pages(&timelines);
    let names: Vec<&String> = files.keys().collect();
    assert_eq!(names, ["README.md", "library-part-count.instructions.svg", "library-part.md"]);
    let page = &files["library-part.md"];
    assert!(page.contains("5 releases, 1.0 to 2.2") && page.contains("some \\<processor\\>"), "{page}");
    let answer = "# Releases of library/part\n\nlibrary/part: no release to skip: ";
    assert!(page.starts_with(answer), "{page}");
    let step = "| 1.1 | instructions | +2.00 % | 1,000,000 → 1,020,000 | handshake/1.3 client | 1 | 1 release between not measured; a check was added |";
    assert!(page.contains(step), "{page}");
    let with_driver =
        "| 2.0 | instructions | −11.8 % | 1,020,000 → 900,000 | handshake/1.3 client | 1 | another |";
    assert!(page.contains(with_driver), "{page}");
    assert!(page.find("## Regressions") < page.find(step) && page.find(step) < page.find("## Improvements"));
    // Another kernel is no change of the program.
    assert!(!page.contains("| 2.2 |"), "{page}");
    assert!(page.contains("| 1.2 | failed: not built: a \\| b |"), "{page}");
    let first = &files["README.md"];
    assert!(
        first.contains("| [library/part](library-part.md) | 5 | 5 | 0 | 0 | 0 | 1.0 | 2.2 | 1 | 1 | 1 |"),
        "{first}"
    );
    assert!(first.contains("| library/part 2.0 | instructions |"), "{first}");
    assert_eq!(files["library-part-count.instructions.svg"].matches("<circle").count(), 5);
}
