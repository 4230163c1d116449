//! Writes the page of histories that were never measured: `cargo run -p tlslab-pages --example history_page -- FILE [many]`;
//! `many` are 358 series of 40 points.

use tlslab_comparison::Reason;
use tlslab_pages::{Alone, HistoryOptions, history};
use tlslab_record::{FigureOutcome, FigureValue, HistoryPolicy, Point, Series};
use tlslab_report::timeline::{Explanation, Timeline, Timelines};

const DAY_MS: u64 = 86_400_000;
const MANY: u64 = 358;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("name the file to write");
    let timelines = match arguments.next().as_deref() {
        Some("many") => (0..MANY).map(|at| of_many(at, 40)).collect(),
        _ => few(),
    };
    let timelines = Timelines { format: Timelines::FORMAT, reference: None, timelines };
    let options = HistoryOptions { of: Some("rustls/ring".to_owned()), ..HistoryOptions::default() };
    std::fs::write(file, history(&timelines, &options, &Alone).html(&Alone))
}

/// Client and server of a handshake in instructions, a time with its scatter, and memory; with functions, a note, a failure and
/// another environment.
fn few() -> Vec<Timeline> {
    let scenario = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none";
    let counted = |side: &str, base: f64, steps: &[(u64, f64)]| {
        let levels =
            |day: u64| steps.iter().filter(|(from, _)| day >= *from).fold(base, |level, (_, by)| level * by);
        let points: Vec<Point> = (0..30).map(|day| point(day, exact(levels(day).round()))).collect();
        timeline(series(scenario, side, "count.instructions", "instructions"), &points)
    };
    let mut client = counted("client", 1_629_541.0, &[(9, 0.973), (21, 1.012), (29, 1.031)]);
    client.notes.insert(21, "fix of a <certificate> check".to_owned());
    client.reasons.insert(
        29,
        Explanation {
            functions: vec![
                Reason { function: "rustls::verify<&Cert>".to_owned(), change: 48_211.0 },
                Reason { function: "malloc".to_owned(), change: -1012.0 },
            ],
            between: vec!["0.23.28".to_owned()],
        },
    );
    let server = counted("server", 1_012_877.0, &[(21, 1.0003), (29, 1.004)]);
    let wobble = |day: u64| [0.0, 0.4, -0.3, 0.2, -0.5][day as usize % 5];
    let mut times: Vec<Point> = (0..30)
        .map(|day| {
            let value = if day < 12 { 100.0 } else { 121.0 } + wobble(day);
            let (lower, upper) = (Some(value * 0.99), Some(value * 1.012));
            point(day, FigureOutcome::Value(FigureValue { value, lower, upper, n: 16 }))
        })
        .collect();
    times.push(point(30, FigureOutcome::Failed { failed: "it <fell> over".to_owned() }));
    for late in &mut times[20..] {
        late.epoch = "kernel 6.2; lab 0.1.0".to_owned();
    }
    let time =
        timeline(series("handshake/1.3/rsa-2048/x25519/aes-128-gcm/none", "server", "time", "µs"), &times);
    let heap: Vec<Point> = (0..30).map(|day| point(day, exact(48_128.0))).collect();
    let heap = timeline(series(scenario, "client", "heap.peak", "bytes"), &heap);
    vec![client, server, time, heap]
}

/// One of many series of counts.
fn of_many(at: u64, points: u64) -> Timeline {
    let suites = ["aes-128-gcm", "aes-256-gcm", "chacha20-poly1305"];
    let scenario = format!("handshake/1.3/key-{}/x25519/{}/none", at / 6, suites[(at / 2 % 3) as usize]);
    let side = if at.is_multiple_of(2) { "client" } else { "server" };
    let base = 900_000.0 + 7_919.0 * at as f64;
    let step = 5 + at % 31;
    let by = 1.0 + ((at * 37 % 41) as f64 - 20.0) / 1000.0;
    let value = |day: u64| (base * if day >= step { by } else { 1.0 }).round();
    let points: Vec<Point> = (0..points).map(|day| point(day, exact(value(day)))).collect();
    timeline(series(&scenario, side, "count.instructions", "instructions"), &points)
}

fn timeline(series: Series, points: &[Point]) -> Timeline {
    Timeline::of(series, points, &[], &HistoryPolicy::default())
}

fn series(scenario: &str, side: &str, metric: &str, unit: &str) -> Series {
    let text = str::to_owned;
    Series {
        scenario: text(scenario),
        stack: text("rustls/ring"),
        side: text(side),
        metric: text(metric),
        unit: text(unit),
        class: text("some processor, 2 cores, bare metal"),
    }
}

fn point(day: u64, outcome: FigureOutcome) -> Point {
    let label = format!("0.23.{day}");
    Point {
        run: format!("2026{:02}{:02}-120000-{day:04x}", 1 + day / 28, 1 + day % 28),
        started_unix_ms: 1_767_225_600_000 + day * DAY_MS,
        stack: format!("rustls/ring@{label}"),
        place: 0,
        label,
        epoch: "kernel 6.1; lab 0.1.0".to_owned(),
        outcome,
    }
}

fn exact(value: f64) -> FigureOutcome {
    FigureOutcome::Value(FigureValue { value, lower: Some(value), upper: Some(value), n: 3 })
}
