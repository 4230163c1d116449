use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};
use tlslab_queue::State;

use super::{Lab, event, new_job, new_runner};
use crate::http::api::{PREFIX, TABLE};

#[tokio::test]
async fn every_route_of_the_table_is_answered_and_others_are_not() {
    let lab = Lab::new();
    lab.enqueue(new_job("j"));
    for route in TABLE {
        let path = format!("{PREFIX}{}", route.path.replace("{id}", "j").replace("{run}", "r"));
        let request = Request::builder().method(route.method.to_uppercase().as_str()).uri(&path);
        let answer = lab.send(request.body(Body::empty()).unwrap()).await;
        let is_missing_result = route.name == "getResult" && answer.text.contains("has no result");
        assert!(
            ![404, 405].contains(&answer.status.as_u16()) || is_missing_result,
            "{} {path}: {} {}",
            route.method,
            answer.status,
            answer.text
        );
    }
    let wrong = Request::delete("/api/v1/jobs").body(Body::empty()).unwrap();
    let answer = lab.send(wrong).await;
    assert_eq!((answer.status.as_u16(), answer.json()["kind"].as_str()), (405, Some("invalid")));
    assert_eq!(lab.get("/api/v1/nothing").await.status.as_u16(), 404);
}

#[tokio::test]
async fn jobs_are_listed_by_pages_and_filters() {
    let lab = Lab::new();
    for number in 0..5 {
        lab.enqueue(new_job(&format!("j{number}")));
    }
    let ids = |answer: Value| -> Vec<String> {
        let jobs = answer["jobs"].as_array().unwrap().clone();
        jobs.iter().map(|job| job["id"].as_str().unwrap().to_owned()).collect()
    };
    let first = lab.get("/api/v1/jobs?limit=2").await.json();
    assert_eq!(ids(first.clone()), ["j4", "j3"]);
    let next = lab.get(&format!("/api/v1/jobs?limit=2&before={}", first["before"])).await.json();
    assert_eq!(ids(next), ["j2", "j1"]);
    let leased = lab.take("r");
    lab.finish(&leased, "r", State::Reported, "done", Some(&json!({"status": "done"})));
    assert_eq!(ids(lab.get("/api/v1/jobs?phase=ended").await.json()), ["j0"]);
    assert_eq!(ids(lab.get("/api/v1/jobs?runner=r").await.json()), ["j0"]);
    assert_eq!(ids(lab.get("/api/v1/jobs?phase=open&project=p").await.json()).len(), 4);
    assert_eq!(ids(lab.get("/api/v1/jobs?project=q").await.json()).len(), 0);
    for wrong in ["limit=0", "limit=201", "phase=over", "before=x", "colour=green"] {
        let answer = lab.get(&format!("/api/v1/jobs?{wrong}")).await;
        assert_eq!(
            (answer.status.as_u16(), answer.json()["kind"].as_str()),
            (400, Some("invalid")),
            "{wrong}"
        );
    }
}

#[tokio::test]
async fn a_job_its_events_and_its_result_are_read() {
    let lab = Lab::new();
    lab.enqueue(new_job("j"));
    assert_eq!(lab.get("/api/v1/jobs/none").await.status.as_u16(), 404);
    assert!(lab.get("/api/v1/jobs/j/result").await.text.contains("it is queued"));
    let leased = lab.take("r");
    let notes: Vec<_> =
        (1..=3).map(|n| event(n, json!({"event": "note", "text": format!("n{n}")}))).collect();
    lab.events(&leased, "r", &notes);
    let events = lab.get("/api/v1/jobs/j/events?after=1").await.json();
    assert_eq!(events["events"][0]["number"], 2);
    assert_eq!((events["token"].as_u64(), events["is_ended"].as_bool()), (Some(leased.token), Some(false)));
    // Numbers of another attempt do not apply.
    let other = lab.get("/api/v1/jobs/j/events?after=3&token=77").await.json();
    assert_eq!(other["events"].as_array().unwrap().len(), 3);
    lab.finish(
        &leased,
        "r",
        State::Reported,
        "done",
        Some(&json!({"status": "done", "outcome": {"kind": "x"}})),
    );
    assert_eq!(lab.get("/api/v1/jobs/j/result").await.json()["outcome"]["kind"], "x");
    let job = lab.get("/api/v1/jobs/j").await.json();
    assert_eq!(
        (&job["state"], &job["is_ended"], &job["runner"]),
        (&json!("reported"), &json!(true), &json!("r"))
    );
    let states: Vec<_> =
        job["transitions"].as_array().unwrap().iter().map(|step| step["to"].clone()).collect();
    assert_eq!(states, ["queued", "fetching", "reported"]);
    assert_eq!(lab.get("/api/v1/runners").await.json(), json!({"runners": []}));
}

#[tokio::test]
async fn an_answer_has_a_tag_and_is_not_sent_twice() {
    let lab = Lab::new();
    lab.enqueue(new_job("j"));
    let first = lab.get("/api/v1/jobs/j").await;
    let tag = first.header("etag").to_owned();
    assert!(
        tag.starts_with("W/\"") && first.header("content-security-policy").starts_with("default-src 'none'")
    );
    let again =
        |tag: &str| Request::get("/api/v1/jobs/j").header("if-none-match", tag).body(Body::empty()).unwrap();
    for same in [tag.as_str(), "*", tag.trim_start_matches("W/"), &format!("\"x\", {tag}")] {
        let answer = lab.send(again(same)).await;
        assert_eq!(
            (answer.status.as_u16(), answer.text.as_str(), answer.header("etag")),
            (304, "", tag.as_str())
        );
    }
    assert_eq!(lab.send(again("W/\"x\"")).await.status.as_u16(), 200);
}

#[tokio::test]
async fn reading_is_for_everybody_only_if_the_configuration_says_so() {
    let lab = Lab::with("public_reading = false");
    for path in
        ["/", "/jobs/j", "/runners", "/metrics", "/api/v1/jobs", "/api/v1/jobs/j/events", "/jobs/j/live"]
    {
        let answer = lab.get(path).await;
        assert_eq!(answer.status.as_u16(), 401, "{path}");
        let is_page = ["/", "/jobs/j", "/runners"].contains(&path);
        let scheme = if is_page { "Basic " } else { "Bearer " };
        assert!(answer.header("www-authenticate").starts_with(scheme), "{path}");
    }
    assert_eq!(lab.get("/health").await.status.as_u16(), 200);
    let with = |token: &str| {
        let request = Request::get("/api/v1/jobs").header("authorization", token);
        request.body(Body::empty()).unwrap()
    };
    assert_eq!(lab.send(with("Bearer token-of-reader")).await.status.as_u16(), 200);
    // `me:token-of-reader` and `me:wrong`.
    assert_eq!(lab.send(with("Basic bWU6dG9rZW4tb2YtcmVhZGVy")).await.status.as_u16(), 200);
    assert_eq!(lab.send(with("Basic bWU6d3Jvbmc=")).await.status.as_u16(), 401);
    for wrong in ["Bearer no", "Bearer ", "token-of-reader", "Basic token-of-reader"] {
        assert_eq!(lab.send(with(wrong)).await.status.as_u16(), 401, "{wrong}");
    }
}

#[tokio::test]
async fn a_peer_that_asks_too_often_waits() {
    let lab = Lab::new();
    let mut refused = None;
    for _ in 0..400 {
        let answer = lab.get("/api/v1/openapi.json").await;
        if answer.status.as_u16() == 429 {
            refused = Some(answer);
            break;
        }
    }
    let refused = refused.expect("a refusal");
    assert_eq!(refused.json()["kind"], "too-many");
    assert!(refused.header("retry-after").parse::<u64>().unwrap() >= 1);
    // Pages and health are not limited.
    assert_eq!(lab.get("/health").await.status.as_u16(), 200);
}

#[tokio::test]
async fn without_its_database_the_service_says_when_to_ask_again() {
    let lab = Lab::without_database();
    let answer = lab.get("/api/v1/jobs").await;
    assert_eq!((answer.status.as_u16(), answer.header("retry-after")), (503, "5"));
    assert_eq!(answer.json()["kind"], "unavailable");
    assert!(!answer.text.contains("hush") && !answer.text.contains("127.0.0.1"));
    let page = lab.get("/jobs").await;
    assert_eq!(page.status.as_u16(), 503);
    assert!(page.header("content-type").starts_with("text/html") && page.text.contains("database"));
    let health = lab.get("/health").await;
    assert_eq!(health.status.as_u16(), 503);
    assert!(!health.text.contains("hush"));
    assert!(lab.get("/metrics").await.text.contains("tlslab_database_up 0\n"));
}

#[tokio::test]
async fn health_and_metrics_say_how_it_is() {
    let lab = Lab::new();
    lab.enqueue(new_job("j"));
    lab.queue(|queue| {
        queue.register_runner(&new_runner("ru\"n", &[])).unwrap();
        queue.runner_seen("ru\"n", "1", None).unwrap();
    });
    assert_eq!(lab.get("/health").await.json()["status"], "ok");
    let metrics = lab.get("/metrics").await;
    assert!(metrics.header("content-type").starts_with("text/plain; version=0.0.4"));
    for expected in [
        "# TYPE tlslab_jobs gauge",
        "tlslab_jobs{state=\"queued\"} 1\n",
        "tlslab_jobs{state=\"failed\"} 0\n",
        "tlslab_database_up 1\n",
        "tlslab_messages_waiting 0\n",
        "tlslab_messages_unconfirmed_total 0\n",
        "tlslab_given_up_total{kind=\"delivery\"} 0\n",
        "tlslab_given_up_total{kind=\"message\"} 0\n",
        "tlslab_job_oldest_waiting_seconds{for=\"runner\"}",
        "tlslab_deliveries_total 0\n",
        "tlslab_runner_seen_seconds{runner=\"ru\\\"n\"}",
        "process_resident_memory_bytes ",
    ] {
        assert!(metrics.text.contains(expected), "{expected}: {}", metrics.text);
    }
    lab.service.beats.beat("outbox", Duration::ZERO);
    std::thread::sleep(Duration::from_millis(2));
    let health = lab.get("/health").await;
    assert_eq!(health.status.as_u16(), 503);
    assert!(health.text.contains("outbox"), "{}", health.text);
}

#[tokio::test]
async fn a_stream_goes_on_where_it_broke_off_and_ends_with_the_job() {
    let lab = Lab::new();
    lab.enqueue(new_job("j"));
    let leased = lab.take("r");
    let notes: Vec<_> =
        (1..=3).map(|n| event(n, json!({"event": "note", "text": format!("<n{n}>")}))).collect();
    lab.events(&leased, "r", &notes);
    lab.finish(&leased, "r", State::Reported, "done", None);
    let all = lab.get("/jobs/j/live").await;
    assert!(all.header("content-type").starts_with("text/event-stream") && all.header("etag").is_empty());
    let token = leased.token;
    for expected in [
        format!("id: {token}.1\n"),
        format!("id: {token}.3\n"),
        "event: state\n".to_owned(),
        "event: end\n".to_owned(),
    ] {
        assert!(all.text.contains(&expected), "{expected}: {}", all.text);
    }
    let rest = lab.get(&format!("/jobs/j/live?after={token}.2")).await;
    assert!(!rest.text.contains("<n2>") && rest.text.contains("<n3>"), "{}", rest.text);
    let again =
        Request::get(format!("/jobs/j/live?after={token}.1")).header("last-event-id", format!("{token}.3"));
    let again = lab.send(again.body(Body::empty()).unwrap()).await;
    assert!(!again.text.contains("event: log") && again.text.contains("event: end"), "{}", again.text);
    // One that does not end does so with the service.
    lab.enqueue(new_job("k"));
    lab.service.stop.store(true, std::sync::atomic::Ordering::SeqCst);
    assert!(!lab.get("/jobs/k/live").await.text.contains("event: end"));
    assert_eq!(lab.get("/jobs/none/live").await.status.as_u16(), 404);
}
