use serde_json::json;
use tlslab_queue::{NewJob, State};
use tlslab_record::{Figure, FigureOutcome, FigureValue, ImportedRun, Series};

use super::pages::{check, hostile_comparison};
use super::{Lab, new_job};
use crate::new_jobs::pull_group;
use crate::pushes::Pushes;

/// A measurement of pull request 7.
fn of_pull(id: &str, commit: &str) -> NewJob {
    NewJob {
        subject: json!({"kind": "pull", "number": 7, "commit": commit.repeat(40), "baseline": "0".repeat(40),
            "author": "ann", "is_fork": false}),
        supersedes: Some(pull_group("p", 7)),
        ..new_job(id)
    }
}

#[tokio::test]
async fn a_pull_request_answers_whether_it_may_be_merged() {
    let lab = Lab::new();
    assert!(lab.get("/pulls").await.text.contains("No pull request was measured"));
    assert_eq!(lab.get("/pulls/p/7").await.status.as_u16(), 404);
    lab.enqueue(of_pull("one", "a"));
    let waiting = lab.get("/pulls/p/7").await;
    check(&waiting);
    assert!(waiting.text.contains("Not known yet whether it is safe to merge: queued"), "{}", waiting.text);
    let leased = lab.take("r");
    let ending = json!({"status": "done", "outcome": {"kind": "comparison", "value": hostile_comparison()}});
    lab.finish(&leased, "r", State::Reported, "compared", Some(&ending));
    let page = lab.get("/pulls/p/7").await;
    check(&page);
    for expected in [
        "<h1>Not safe to merge: 1 regression (+1.20 %), ",
        "1 cell inconclusive",
        "aaaaaaaaaa",
        "0000000000",
        "Was the runner quiet?",
        "tlslab compare a b",
        "href=\"/jobs/one\"",
        "href=\"/comparisons/one\"",
        "href=\"https://git.example/o/n/pulls/7\"",
    ] {
        assert!(page.text.contains(expected), "{expected}: {}", page.text);
    }
    let whole = lab.get("/comparisons/one").await;
    assert_eq!(whole.status.as_u16(), 200, "{}", whole.text);
    assert!(!whole.text.contains("href=\"/runs/") && !whole.text.contains("<script>alert"), "{}", whole.text);
    lab.enqueue(of_pull("two", "b"));
    let newer = lab.get("/pulls/p/7").await;
    check(&newer);
    assert!(newer.text.contains("<h1>Not known yet for bbbbbbbbbb; for aaaaaaaaaa: Not safe to merge"));
    let places = ["href=\"/jobs/two\"", "<code>bbbbbbbbbb", "<code>aaaaaaaaaa"]
        .map(|text| newer.text.find(text).unwrap());
    assert!(places.is_sorted(), "the newest first: {places:?}");
    for path in ["/pulls", "/"] {
        let list = lab.get(path).await;
        check(&list);
        assert!(list.text.contains("href=\"/pulls/p/7\"") && list.text.contains("queued"), "{}", list.text);
    }
    assert_eq!(lab.get("/pulls/p/8").await.status.as_u16(), 404);
    assert_eq!(lab.get("/pulls/other/7").await.status.as_u16(), 404);
}

#[tokio::test]
async fn a_service_without_results_has_every_list_and_no_other_page() {
    let lab = Lab::new();
    lab.queue(|queue| queue.runners().unwrap());
    let home = lab.get("/").await;
    check(&home);
    for expected in ["Nothing has been measured yet", "No job runs or waits.", "No runner has called."] {
        assert!(home.text.contains(expected), "{expected}: {}", home.text);
    }
    for path in
        ["/runs", "/stacks", "/scenarios", "/history", "/comparisons", "/choose", "/search", "/claims"]
    {
        let page = lab.get(path).await;
        assert_eq!(page.status.as_u16(), 200, "{path}: {}", page.text);
        let policy = page.header("content-security-policy");
        assert!(policy.ends_with("frame-ancestors 'none'") && !policy.contains("unsafe"), "{path}: {policy}");
        let again = axum::http::Request::get(path).header("if-none-match", page.header("etag"));
        let again = lab.send(again.body(axum::body::Body::empty()).unwrap()).await;
        assert_eq!((again.status.as_u16(), again.text.as_str()), (304, ""), "{path}");
    }
    assert_eq!(lab.get("/data/runs.json").await.json(), json!([]));
    assert!(lab.get("/feed.atom").await.header("content-type").starts_with("application/atom+xml"));
    for path in ["/runs/none", "/nothing", "/comparisons/none", "/badges/none.svg", "/data/../runs"] {
        let page = lab.get(path).await;
        assert_eq!(page.status.as_u16(), 404, "{path}");
        assert!(page.text.contains("Page not found") && page.text.contains("href=\"/search\""), "{path}");
    }
    for path in ["/", "/stacks"] {
        let page = lab.get(path).await;
        assert!(!page.text.contains("href=\"/defaults\""), "{path}: no stack was seen with its defaults");
    }
    let of_api = lab.get("/api/v1/nothing").await;
    assert!(of_api.status.as_u16() == 404 && of_api.json()["kind"] == "not-found", "{}", of_api.text);
}

#[tokio::test]
async fn reading_a_site_needs_what_reading_jobs_needs() {
    let lab = Lab::with("public_reading = false");
    for path in ["/", "/runs", "/pulls", "/data/runs.json", "/nothing"] {
        assert_eq!(lab.get(path).await.status.as_u16(), 401, "{path}");
    }
    assert_eq!(Lab::without_database().get("/pulls").await.status.as_u16(), 503);
}

/// A run of one commit, which executes this many instructions.
fn put_run(lab: &Lab, at: u64, label: &str, value: f64) {
    let text = str::to_owned;
    let series = Series {
        scenario: text("primitive/hash/sha-256"),
        stack: text("mini"),
        side: text("client"),
        metric: text("count.instructions"),
        unit: text("instructions"),
        class: text("some machine"),
    };
    let outcome = FigureOutcome::Value(FigureValue { value, lower: None, upper: None, n: 1 });
    let (label, epoch) = (text(label), text("e"));
    let figure = Figure { series, stack: text("mini"), place: 0, label: label.clone(), epoch, outcome };
    let (id, format) = (format!("run-{at}"), text("json"));
    let run = ImportedRun { id, started_unix_ms: at, format, label, files: Vec::new(), raw: Vec::new() };
    let mut store = tlslab_store::open(lab.service.pool.address()).unwrap();
    store.import(&run, &[figure]).unwrap();
}

#[tokio::test]
async fn commits_of_a_history_are_in_the_order_of_their_pushes() {
    let lab = Lab::new();
    let commits = ["f8b7c00ddf72", "7c1157d00000", "6f04465aaaaa", "acfddb900000"];
    for (at, commit) in commits.iter().enumerate() {
        let commit = format!("{commit}{}", "0".repeat(28));
        let subject = json!({"kind": "push", "branch": "main", "commit": commit, "before": null});
        lab.enqueue(NewJob { subject, ..new_job(&format!("push-{at}")) });
    }
    // The commits were measured in another order.
    for (at, measured) in [1, 0, 3, 2].into_iter().enumerate() {
        let value = if measured % 2 == 0 { 1_105_000.0 } else { 1_000_000.0 };
        put_run(&lab, 1_795_000_000_000 + at as u64, commits[measured], value);
    }
    let history = lab.get("/data/history/mini.json").await.json();
    let points = history["timelines"][0]["points"].as_array().unwrap();
    let labels: Vec<&str> = points.iter().map(|point| point["label"].as_str().unwrap()).collect();
    assert_eq!(labels, commits);
    let page = lab.get("/history").await;
    assert!(page.text.contains("<h1>mini acfddb900000: 1 improvement, at most −9.50 %"), "{}", page.text);
    assert!(page.text.contains("This page shows all series."), "{}", page.text);
}

#[test]
fn pushes_are_read_on_from_where_the_last_reading_ended() {
    let lab = Lab::new();
    let push = |commit: &str, before: Option<&str>| NewJob {
        subject: json!({"kind": "push", "branch": "main", "commit": commit, "before": before}),
        ..new_job(commit)
    };
    let mut pushes = Pushes::default();
    let mut read = || lab.queue(|queue| pushes.read(queue).unwrap().to_vec());
    assert_eq!(read(), [] as [&str; 0]);
    lab.enqueue(push("b", Some("a")));
    lab.enqueue(of_pull("pull", "f"));
    lab.enqueue(push("c", None));
    assert_eq!(read(), ["a", "b", "c"]);
    assert_eq!(read(), ["a", "b", "c"]);
    // More than the queue lists at once.
    for at in 0..600 {
        lab.enqueue(push(&format!("d{at}"), None));
    }
    let all = read();
    assert_eq!((all.len(), all[3].as_str(), all[602].as_str()), (603, "d0", "d599"));
}
