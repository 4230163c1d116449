use serde_json::json;
use tlslab_queue::{NewJob, State};

use super::pages::{check, hostile_comparison};
use super::{Lab, new_job};
use crate::jobs::pull_group;

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
        "<h1>Not safe to merge: +1.20 % time in ",
        ", confirmed, in ",
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
        assert!(
            page.text.contains("There is nothing at") && page.text.contains("href=\"/search\""),
            "{path}"
        );
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
