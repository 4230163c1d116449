//! Operations on stored runs, on both databases: recomputed, imported, deleted, shown as a history.

mod support;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::Value;
use support::{stdout, tlslab};
use tlslab_lab::host_class;
use tlslab_record::{BetweenRuns, Sample};
use tlslab_store::{Address, Store};
use tlslab_testing::postgres::Server;

const SCENARIO: &str = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none";

/// A folder for reports and a database.
struct Place {
    out: tempfile::TempDir,
    store: Option<String>,
}

impl Place {
    fn sqlite() -> Self {
        Self { out: tempfile::tempdir().unwrap(), store: None }
    }

    fn postgres() -> Self {
        let server = Server::shared(false).unwrap_or_else(|cause| panic!("{cause}"));
        Self { store: Some(server.new_database().unwrap()), ..Self::sqlite() }
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = tlslab();
        command.args(words).arg("--out").arg(self.out.path());
        if let Some(store) = &self.store {
            command.env("TLSLAB_STORE", store);
        }
        command
    }

    fn said(&self, words: &[&str]) -> String {
        stdout(&self.command(words).output().unwrap())
    }

    /// The error if that is impossible.
    fn refused(&self, words: &[&str]) -> String {
        let output = self.command(words).output().unwrap();
        assert!(!output.status.success(), "{words:?} is not refused");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    /// A run of as many rounds as an interval needs.
    fn run(&self) -> Value {
        let words =
            ["run", "--stack", "rustls/ring", "--scenario", SCENARIO, "--rounds", "8", "--budget", "1s"];
        serde_json::from_str(&self.said(&[&words[..], &["--format", "json"]].concat())).unwrap()
    }

    /// The names of all runs, newest first.
    fn runs(&self) -> Vec<String> {
        let listed = self.said(&["runs"]);
        listed.lines().skip(1).map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
    }

    fn database(&self) -> Box<dyn Store> {
        let file = || Address::Sqlite(self.out.path().join("tlslab.sqlite"));
        let address = self.store.as_ref().map_or_else(file, |url| url.parse().unwrap());
        tlslab_store::open(&address).unwrap()
    }

    /// How many visits the only run has begun, and its samples.
    fn samples(&self) -> (usize, Vec<Sample>) {
        let store = self.database();
        let Some(run) = store.runs().unwrap().into_iter().next() else { return (0, Vec::new()) };
        let run = store.load(&run.id).unwrap();
        (run.visits.len(), run.samples)
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.out.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).unwrap();
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

/// A series of runs showed that times of this host differ by 20 %.
fn runs_differ(place: &Place) {
    let mut store = place.database();
    let known = BetweenRuns {
        host: host_class(),
        measured_unix_ms: SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64,
        of_ratios: false,
        deviation: 0.2,
        runs: 20,
        loaded: 10,
    };
    store.put_entry("between_runs", "series", &serde_json::to_string(&[known]).unwrap()).unwrap();
}

fn samples_go_and_what_they_said_stays(place: &Place) {
    let mut results = vec![place.run()];
    // Figures stay as of their run's day: the series is later than the first run and earlier than the others.
    runs_differ(place);
    results.extend((1..3).map(|_| place.run()));
    let width = |result: &Value| {
        let cells = result["cells"].as_array().unwrap();
        let cell = cells.iter().find(|cell| cell["metric"] == "time" && cell["side"] == "client").unwrap();
        cell["interval"]["upper"].as_f64().unwrap() / cell["estimate"].as_f64().unwrap()
    };
    assert!(width(&results[0]) < 1.7 && width(&results[1]) > 1.7, "{results:?}");
    let id = |index: usize| results[index]["run"]["id"].as_str().unwrap().to_owned();
    assert_eq!(place.runs(), [id(2), id(1), id(0)]);
    let checked = place.said(&["recompute", "--check"]);
    assert_eq!(checked.matches("all equal to the stored ones").count(), 3, "{checked}");

    let before = place.said(&["report", &id(1), "--format", "json"]);
    assert_eq!(serde_json::from_str::<Value>(&before).unwrap(), results[1]);
    let would = place.said(&["prune", "--samples-of", "0", "--dry-run"]);
    assert!(would.contains("would delete: ") && would.contains(" of 1 run"), "{would}");
    assert_eq!(place.said(&["report", &id(1), "--format", "json"]), before, "a dry run takes nothing away");
    let gone = place.said(&["prune", "--samples-of", "0"]);
    assert_eq!(
        gone.matches("kept: it is at the beginning, the end or a change of a history").count(),
        2,
        "{gone}"
    );

    // A run without samples is a point like any other.
    let history = place.said(&["history", "--side", "client", "--format", "json"]);
    let history: Value = serde_json::from_str(&history).unwrap();
    assert_eq!(history["timelines"].as_array().unwrap().len(), 1);
    for (index, point) in history["timelines"][0]["points"].as_array().unwrap().iter().enumerate() {
        let cells = results[index]["cells"].as_array().unwrap();
        let cell = cells.iter().find(|cell| cell["side"] == "client" && cell["metric"] == "time").unwrap();
        assert_eq!((&point["run"], &point["value"]), (&results[index]["run"]["id"], &cell["estimate"]));
    }

    let refused = place.refused(&["report", &id(1)]);
    assert!(refused.contains("were pruned: `tlslab history"), "{refused}");
    place.said(&["report", &id(0), "--format", "json"]);
    place.said(&["report", &id(2), "--format", "json"]);
    assert!(place.said(&["runs"]).contains("complete; its samples were deleted"));
    let again = place.said(&["recompute", "--check"]);
    assert!(again.contains("its samples were deleted; its figures are unchanged"), "{again}");
}

fn a_history_has_versions_changes_and_environments(place: &Place) {
    let import = |number: usize, value: f64, epoch: &str| {
        let reference = 50.0 + (number % 2) as f64 * 0.1;
        let text = format!(
            r#"{{"a/b": {{"latency": {{"value": {value}}}}}, "c/d": {{"latency": {{"value": {reference}}}}}}}"#
        );
        let file = place.write("bmf.json", &text);
        let (label, time) = (format!("v{number}"), format!("2026-01-{:02}T00:00:00Z", number + 1));
        let words = ["import", &file, "--format", "bencher", "--stack", "library", "--class", "machine"];
        place.said(&[&words[..], &["--label", &label, "--time", &time, "--epoch", epoch]].concat());
    };
    for number in 0..24 {
        let step = if number < 10 { 10.0 } else { 12.0 };
        let epoch = if number < 20 { "kernel 1; cc 2" } else { "kernel 2; cc 2" };
        import(number, step + 0.01 * (number % 3) as f64, epoch);
    }
    let asked = ["history", "--scenario", "a/*", "--stack", "lib*"];
    let described = place.said(&asked);
    assert!(
        described.contains("a/b library latency [ns]\n  on machine\n  ═ kernel 1; cc 2\n"),
        "{described}"
    );
    assert!(described.contains("▲ changed at v10: 10.01 → 12.01 (+20.0 %), p "), "{described}");
    assert!(described.contains("═ kernel 2\n"), "{described}");
    assert_eq!(described.matches("2026-01-").count(), 24, "{described}");
    let read: Value =
        serde_json::from_str(&place.said(&[&asked[..], &["--format", "json"]].concat())).unwrap();
    assert_eq!(read["timelines"][0]["history"]["changes"][0]["label"], "v10");
    let page = place.said(&["history", "--format", "html"]);
    assert!(page.contains("id=\"histories\"") && page.contains("v10") && page.contains("+20"), "{page}");
    assert!(place.said(&["history", "--format", "markdown"]).contains("| v10 | 12.01 |"));
    let refused = place.refused(&["history", "--stack", "nobody"]);
    assert!(refused.contains("--stack: nobody: no series in "), "{refused}");
    assert!(refused.contains("there are: library"), "{refused}");
    let refused = place.refused(&["history", "--reference", "nobody"]);
    assert!(refused.contains("nobody was not measured in the same scenarios"), "{refused}");
}

fn foreign_results_are_kept_or_refused_as_a_whole(place: &Place) {
    let icounts = place.write("icounts.csv", "a_client,10\na_server,20\n");
    let wrong = place.write("wrong.csv", "a_client,10\nb,many\n");
    let bencher =
        place.write("bmf.json", r#"{"a": {"latency": {"value": 3.5, "lower_value": 3, "upper_value": 4}}}"#);
    let estimate = |value: f64| {
        format!(
            r#"{{"confidence_interval":{{"lower_bound":{value},"upper_bound":{value}}},"point_estimate":{value}}}"#
        )
    };
    place.write("criterion/g/f/new/benchmark.json", r#"{"full_id":"g/f"}"#);
    let estimates = format!(r#"{{"mean":{},"median":{},"slope":null}}"#, estimate(10.0), estimate(9.0));
    place.write("criterion/g/f/new/estimates.json", &estimates);
    place.write("criterion/g/f/new/sample.json", r#"{"iters":[1.0,2.0],"times":[9.0,22.0]}"#);
    let criterion = place.out.path().join("criterion").to_str().unwrap().to_owned();
    let gungraun = place.write(
        "summary.json",
        r#"{"version":"6","module_path":"m::g::b","id":"i","profiles":[{"summaries":{"total":{"summary":
           {"Callgrind":{"Ir":{"metrics":{"Both":[{"Int":12},{"Int":10}]}}}}}}}]}"#,
    );
    let import = |file: &str, format: &str, time: &str| {
        place.said(&["import", file, "--format", format, "--label", "v1", "--time", time])
    };
    import(&icounts, "ci-bench", "2026-01-01T00:00:00Z");
    import(&bencher, "bencher", "2026-01-02T00:00:00Z");
    import(&criterion, "criterion", "2026-01-03T00:00:00Z");
    let said = import(&gungraun, "gungraun", "2026-01-04T00:00:00Z");
    assert!(said.starts_with("20260104-000000-") && said.contains(": 1 figure of gungraun at v1"), "{said}");
    let listed = place.said(&["runs"]);
    assert_eq!(listed.matches("imported").count(), 4, "{listed}");
    let refused = place.refused(&["import", &wrong, "--format", "ci-bench", "--label", "v2"]);
    assert!(refused.contains("wrong.csv: line 2: \"many\" is not a number; write a number"), "{refused}");
    assert!(refused.contains("nothing is imported"), "{refused}");
    let twice = place.refused(&["import", &icounts, &icounts, "--format", "ci-bench", "--label", "v2"]);
    assert!(twice.contains("it occurs twice"), "{twice}");
    assert_eq!(place.runs().len(), 4);
    let refused = place.refused(&["report", &place.runs()[0]]);
    assert!(refused.contains("was imported"), "{refused}");
}

fn a_killed_run_goes_on_with_every_sample(place: &Place) {
    let words = ["run", "--stack", "rustls/ring", "--scenario", SCENARIO, "--rounds", "4", "--budget", "4s"];
    let mut lab = place.command(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(300);
    // Into the second visit, so that there is a pack and an open journal.
    while place.samples().0 < 2 || place.samples().1.len() < 30 {
        assert!(Instant::now() < deadline, "no samples came");
        assert!(lab.try_wait().unwrap().is_none(), "the lab ended before it could be killed");
        std::thread::sleep(Duration::from_millis(20));
    }
    lab.kill().unwrap();
    lab.wait().unwrap();
    let (_, before) = place.samples();
    place.said(&["run", "--resume"]);
    let (_, after) = place.samples();
    assert!(after.len() > before.len());
    assert!(before.iter().all(|sample| after.contains(sample)), "a sample was lost");
    assert!(place.said(&["recompute", "--check"]).contains("all equal to the stored ones"));
}

fn two_labs_share_a_database(place: &Place) {
    let words = ["run", "--stack", "rustls/ring", "--scenario", SCENARIO, "--rounds", "2", "--budget", "1s"];
    let labs: Vec<_> = (0..2)
        .map(|_| place.command(&words).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap())
        .collect();
    for lab in labs {
        stdout(&lab.wait_with_output().unwrap());
    }
    assert_eq!(place.runs().len(), 2);
    let checked = place.said(&["recompute", "--check"]);
    assert_eq!(checked.matches("all equal to the stored ones").count(), 2, "{checked}");
}

macro_rules! on_every_database {
    ($($test:ident),* $(,)?) => {
        mod sqlite {
            $(#[test] fn $test() { super::$test(&super::Place::sqlite()); })*
        }

        mod postgres {
            $(#[test] fn $test() { super::$test(&super::Place::postgres()); })*
        }
    };
}

on_every_database! {
    samples_go_and_what_they_said_stays,
    a_killed_run_goes_on_with_every_sample,
    two_labs_share_a_database,
    a_history_has_versions_changes_and_environments,
    foreign_results_are_kept_or_refused_as_a_whole,
}
