use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};
use tlslab_queue::State;
use tlslab_runner::{Cache, Work};

use super::{Lab, new_job};

fn job(id: &str, trust: &str) -> Value {
    json!({"job": {"id": id, "trust": trust, "request": {"kind": "compare", "pairs": [["a", "b"]], "metrics": ["count"]}}})
}

#[tokio::test]
async fn a_job_is_submitted_once() {
    let lab = Lab::new();
    let mut asked = job("j-1", "candidate");
    asked["project"] = json!("p");
    asked["labels"] = json!(["fast"]);
    asked["title"] = json!(" two\nlines ");
    let first = lab.post("/api/v1/jobs", "user", &asked).await;
    assert_eq!(
        (first.status.as_u16(), first.header("location")),
        (201, "/api/v1/jobs/j-1"),
        "{}",
        first.text
    );
    let again = lab.post("/api/v1/jobs", "user", &asked).await;
    assert_eq!((again.status.as_u16(), again.json()["id"].as_str()), (200, Some("j-1")));
    let row = lab.queue(|queue| queue.job("j-1").unwrap().unwrap());
    assert_eq!(
        (row.project.as_str(), row.needs_sandbox, row.priority, row.most_attempts),
        ("p", true, 40, 3)
    );
    assert_eq!(row.labels, ["fast", "x86"]);
    assert_eq!(row.subject, json!({"kind": "submitted", "by": "user", "title": "two lines"}));
    let work: Work = serde_json::from_value(row.body).unwrap();
    assert_eq!((work.steps.len(), work.keeps_runs, work.steps[0].cache), (1, false, Cache::Own));
    assert_eq!(work.steps[0].job["id"], "j-1");

    let mut other = asked.clone();
    other["job"]["request"]["metrics"] = json!(["time"]);
    let conflict = lab.post("/api/v1/jobs", "user", &other).await;
    assert_eq!((conflict.status.as_u16(), conflict.json()["kind"].as_str()), (409, Some("conflict")));
    assert_eq!(lab.post("/api/v1/jobs", "other", &asked).await.status.as_u16(), 409, "it is somebody else's");
}

#[tokio::test]
async fn trust_needs_a_scope() {
    let lab = Lab::new();
    for (who, trust, status) in [
        ("", "candidate", 401),
        ("nobody", "candidate", 401),
        ("reader", "candidate", 403),
        ("user", "owner", 403),
        ("user", "reviewed", 201),
        ("boss", "owner", 201),
    ] {
        let answer = lab.post("/api/v1/jobs", who, &job(&format!("{who}-{trust}"), trust)).await;
        assert_eq!(answer.status.as_u16(), status, "{who} {trust}: {}", answer.text);
    }
    let row = lab.queue(|queue| queue.job("boss-owner").unwrap().unwrap());
    let work: Work = serde_json::from_value(row.body).unwrap();
    assert_eq!((row.needs_sandbox, work.keeps_runs, work.steps[0].cache), (false, true, Cache::Shared));
}

#[tokio::test]
async fn what_is_wrong_with_a_submission_is_named_with_its_field() {
    let lab = Lab::new();
    let with = |field: &str, value: Value| {
        let mut asked = job("j", "candidate");
        asked[field] = value;
        asked
    };
    let mut budget = job("j", "candidate");
    budget["job"]["request"]["decision"] = json!({"budget_s": -1});
    for (asked, field) in [
        (budget, "job.request"),
        (json!({"job": {"id": "../x", "trust": "owner", "request": {"kind": "run"}}}), "job.id"),
        (job("p-pr7-00112233-aabbccdd", "candidate"), "job.id"),
        (job("at-nightly-aabbccdd", "candidate"), "job.id"),
        (json!({}), "body"),
        (json!([]), "body"),
        (with("colour", json!("green")), "body"),
        (with("project", json!("q")), "project"),
        (with("labels", json!(["a,b"])), "labels"),
        (with("labels", json!([""])), "labels"),
        (with("labels", json!(vec!["a"; 17])), "labels"),
        (with("title", json!("x".repeat(201))), "title"),
    ] {
        let answer = lab.post("/api/v1/jobs", "user", &asked).await;
        assert_eq!(answer.status.as_u16(), 400, "{asked}: {}", answer.text);
        let named = answer.json()["field"].as_str().unwrap_or_default().to_owned();
        assert!(named.starts_with(field), "{asked}: {named}: {}", answer.text);
        assert!(!answer.json()["message"].as_str().unwrap().is_empty());
    }
    let long = with("title", json!("x".repeat(1 << 20)));
    assert_eq!(lab.post("/api/v1/jobs", "user", &long).await.status.as_u16(), 413);
    assert_eq!(lab.queue(|queue| queue.list(&Default::default()).unwrap().len()), 0);
}

#[tokio::test]
async fn jobs_are_cancelled_by_whose_they_are_and_approved_by_few() {
    let lab = Lab::new();
    lab.enqueue(tlslab_queue::NewJob { approval: tlslab_queue::Approval::Awaited, ..new_job("j") });
    let empty = Request::post("/api/v1/jobs/j/approve").header("authorization", "Bearer token-of-user");
    assert_eq!(lab.send(empty.body(Body::empty()).unwrap()).await.status.as_u16(), 403);
    let approved = lab.post("/api/v1/jobs/j/approve", "boss", &json!({"reason": "it is harmless"})).await;
    assert_eq!(
        (approved.status.as_u16(), approved.json()["state"].as_str()),
        (200, Some("queued")),
        "{}",
        approved.text
    );
    assert_eq!(approved.json()["reason"], "approved by boss: it is harmless");
    assert_eq!(lab.post("/api/v1/jobs/j/cancel", "other", &json!({})).await.status.as_u16(), 403);
    assert_eq!(lab.post("/api/v1/jobs/j/cancel", "", &json!({})).await.status.as_u16(), 401);
    assert_eq!(lab.post("/api/v1/jobs/j/cancel", "user", &json!({"why": 1})).await.status.as_u16(), 400);
    let cancelled = lab.post("/api/v1/jobs/j/cancel", "user", &json!({})).await;
    assert_eq!(cancelled.json()["state"], "cancelled");
    let again = lab.post("/api/v1/jobs/j/cancel", "boss", &json!({})).await;
    assert_eq!((again.status.as_u16(), again.json()["reason"].as_str()), (200, Some("cancelled by user")));
    assert_eq!(lab.post("/api/v1/jobs/j/approve", "boss", &json!({})).await.status.as_u16(), 409);
    assert_eq!(lab.post("/api/v1/jobs/none/cancel", "boss", &json!({})).await.status.as_u16(), 404);
    // A runner that has it hears of it.
    lab.enqueue(new_job("k"));
    lab.take("r");
    let asked = lab.post("/api/v1/jobs/k/cancel", "boss", &json!({"reason": "x"})).await;
    assert_eq!(
        (asked.json()["state"].as_str(), asked.json()["cancel"].as_str()),
        (Some("fetching"), Some("cancelled by boss: x"))
    );
    assert_eq!(lab.queue(|queue| queue.job("k").unwrap().unwrap().state), State::Fetching);
}
