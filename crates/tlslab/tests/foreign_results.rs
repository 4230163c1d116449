//! Results of other programs, from their files to histories and pages: the commands of the guide, and their
//! verdicts.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use support::{stdout, tlslab};
use tlslab_record::{HistoryPolicy, Series};
use tlslab_report::timeline::Timeline;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A folder with a file of every format, as the guide names them, and a database.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        let files = Path::new(ROOT).join("fuzz/seeds/foreign_file");
        for (from, to) in [
            ("hyperfine.json", "times.json"),
            ("google_benchmark.json", "bench.json"),
            ("openssl_speed.txt", "speed.txt"),
            ("pyperf.json", "pyperf.json"),
            ("go_test.txt", "go.txt"),
            ("data.js", "data.js"),
        ] {
            fs::copy(files.join(from), place.path(to)).unwrap();
        }
        place.write("bmf.json", r#"{"load": {"requests-per-second": {"value": 1000}}}"#);
        place.write("values.json", r#"[{"name": "load", "unit": "requests", "value": 1000}]"#);
        place.write("target/criterion/g/f/new/benchmark.json", r#"{"full_id":"g/f"}"#);
        let estimate = r#"{"confidence_interval":{"lower_bound":9,"upper_bound":11},"point_estimate":10}"#;
        let estimates = format!(r#"{{"mean":{estimate},"median":{estimate},"slope":null}}"#);
        place.write("target/criterion/g/f/new/estimates.json", &estimates);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), text).unwrap();
    }

    fn output(&self, words: &[&str]) -> Output {
        tlslab().args(words).current_dir(self.0.path()).output().unwrap()
    }

    fn said(&self, words: &[&str]) -> String {
        stdout(&self.output(words))
    }

    fn refused(&self, words: &[&str]) -> String {
        let output = self.output(words);
        assert!(!output.status.success(), "{words:?} is not refused");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    /// Imports a value of a measure of Bencher's format, a day after the one before.
    fn import(&self, day: usize, measure: &str, value: f64, more: &[&str]) -> Output {
        self.write("one.json", &format!(r#"{{"load": {{"{measure}": {{"value": {value}}}}}}}"#));
        let (label, time) =
            (format!("1.{day}"), format!("2026-{:02}-{:02}T00:00:00Z", 1 + day / 28, 1 + day % 28));
        let words = [
            "import", "one.json", "--format", "bencher", "--stack", "server", "--label", &label, "--time",
            &time,
        ];
        let output = self.output(&[&words[..], more].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output
    }
}

/// The fewest points of a noisy series.
fn needed() -> usize {
    let text = || "x".to_owned();
    let series =
        Series { scenario: text(), stack: text(), side: text(), metric: text(), unit: text(), class: text() };
    Timeline::of(series, &[], &[], &HistoryPolicy::default()).needed
}

fn guide() -> String {
    fs::read_to_string(format!("{ROOT}/docs/guides/bring-your-own-results.md")).unwrap()
}

#[test]
fn the_commands_of_the_guide_work() {
    let place = Place::new();
    let guide = guide();
    let commands: Vec<&str> = guide.lines().filter(|line| line.starts_with("tlslab ")).collect();
    assert!(commands.len() > 10, "{commands:?}");
    for command in &commands {
        let words: Vec<&str> = command.split_whitespace().skip(1).collect();
        place.said(&words);
    }
    assert!(place.path("public/history/library.html").is_file());
    let history = place.said(&["history", "--stack", "cycles"]);
    assert!(history.contains("g/f cycles cycles.mean [cycles]"), "{history}");
}

#[test]
fn the_guide_names_every_format_and_the_number_of_points() {
    let help = Place::new().said(&["import", "--help"]);
    let guide = guide();
    let formats = [
        "ci-bench",
        "criterion",
        "gungraun",
        "bencher",
        "hyperfine",
        "google-benchmark",
        "openssl-speed",
        "github-action",
        "github-action-smaller",
        "github-action-bigger",
        "pyperf",
        "go",
    ];
    for format in formats {
        assert!(help.contains(&format!("- {format}:")), "{format} is missing in\n{help}");
        assert!(guide.contains(&format!("`{format}`")), "{format} is missing in the guide");
    }
    for option in ["--unit", "--metric", "--better"] {
        assert!(help.contains(option) && guide.contains(option), "{option}");
    }
    let needed = needed();
    assert!(guide.contains(&format!("at least {needed} comparable points")), "{needed}");
}

#[test]
fn three_points_make_no_conclusion() {
    let place = Place::new();
    for (day, value) in [100.0, 101.0, 107.0].into_iter().enumerate() {
        place.import(day, "latency", value, &[]);
    }
    let needed = needed();
    let few = format!("3 points: too few to judge a step (at least {needed} are needed)");
    let terminal = place.said(&["history"]);
    assert!(terminal.contains(&few), "{terminal}");
    assert!(place.said(&["history", "--format", "markdown"]).contains("3 points: too few"));
    let page = place.said(&["history", "--format", "html"]);
    assert!(
        page.contains(&format!("server 1.2: {few}")) && !page.contains("No version has changed"),
        "{page}"
    );
    for day in 3..20 {
        place.import(day, "latency", 100.0 + (day % 3) as f64, &[]);
    }
    let page = place.said(&["history", "--format", "html"]);
    assert!(page.contains("No version has changed since the first one, in 20 points."), "{page}");
    assert!(!place.said(&["history"]).contains("too few"));
}

#[test]
fn a_step_without_a_direction_rises_and_with_one_it_is_judged() {
    let place = Place::new();
    let level = |day: usize| if day < 30 { 1000.0 } else { 1200.0 };
    for day in 0..40 {
        let said = place.import(day, "requests-per-second", level(day) + (day * 7 % 5) as f64, &[]);
        let warned = String::from_utf8_lossy(&said.stderr).into_owned();
        assert!(warned.contains("--better says which values are better"), "{warned}");
    }
    let terminal = place.said(&["history"]);
    let step = "▲ rises at 1.30: 1,002 → 1,202 (+20.0 %), p ";
    assert!(terminal.contains(step) && terminal.contains("which values are better is unknown"), "{terminal}");
    let page = place.said(&["history", "--format", "html"]);
    assert!(page.contains("<span class=\"v rise\">rises by 20.0 %</span>"), "{page}");
    assert!(!page.contains("<span class=\"v regression\">+") && !page.contains("1 regression"), "{page}");
    let json = place.said(&["history", "--format", "json"]);
    assert!(json.contains("\"better\": \"unknown\""), "{json}");
    place.import(40, "requests-per-second", 1203.0, &["--better", "larger"]);
    let page = place.said(&["history", "--format", "html"]);
    assert!(page.contains("<span class=\"v improvement\">+20.0 %</span>"), "{page}");
    assert!(place.said(&["history"]).contains("▲ changed at 1.30"));
}

#[test]
fn what_cannot_be_imported_is_answered_with_what_to_do() {
    let place = Place::new();
    let refused = |words: &[&str]| place.refused(&[&["import"], words].concat());
    let criterion = refused(&["times.json", "--format", "criterion", "--label", "1"]);
    assert!(criterion.contains("times.json is a file; name criterion's folder instead"), "{criterion}");
    let unit = refused(&["times.json", "--format", "hyperfine", "--label", "1", "--unit", "ms"]);
    assert!(unit.contains("omit --unit"), "{unit}");
    let history = refused(&["data.js", "--format", "github-action", "--label", "1"]);
    assert!(history.contains("omit --label and --time"), "{history}");
    let label = refused(&["go.txt", "--format", "go"]);
    assert!(label.contains("give it with --label"), "{label}");
}
