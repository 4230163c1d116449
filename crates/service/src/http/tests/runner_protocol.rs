use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};
use tlslab_queue::{Duty, State};

use super::{Answer, Lab, new_job, new_runner};

/// A runner as it speaks over the network.
struct Elsewhere<'l> {
    lab: &'l Lab,
    name: &'static str,
}

impl<'l> Elsewhere<'l> {
    fn new(lab: &'l Lab, name: &'static str) -> Self {
        lab.queue(|queue| queue.register_runner(&new_runner(name, &["x86"])).unwrap());
        Self { lab, name }
    }

    async fn send(&self, method: &str, path: &str, body: impl Into<Body>) -> Answer {
        let request = Request::builder().method(method).uri(format!("/runner/v1/{path}"));
        let request = request.header("authorization", format!("Bearer key of {}", self.name));
        self.lab.send(request.header("content-type", "application/json").body(body.into()).unwrap()).await
    }

    async fn post(&self, path: &str, body: Value) -> Answer {
        self.send("POST", path, body.to_string()).await
    }

    async fn hello(&self, wire: u32) -> Answer {
        let class = "A processor, 2 cores, virtual machine";
        let facts = json!({"boot": "1", "wire": wire, "version": "9.9", "host": "h", "architecture": "aarch64", "class": class});
        self.post("hello", facts).await
    }

    async fn take(&self, slot: u32) -> Value {
        let take =
            json!({"boot": "1", "has_sandbox": true, "wait_s": 0, "slot": slot, "free_bytes": 5, "wire": 2});
        self.post("take", take).await.json()
    }

    async fn finish(&self, lease: &Value, canary: Value) -> Answer {
        let (job, token) = (&lease["job"], &lease["token"]);
        self.post(
            "finish",
            json!({"job": job, "token": token, "state": "reported", "reason": "done", "canary": canary}),
        )
        .await
    }
}

#[tokio::test]
async fn a_runner_of_another_version_is_told_so() {
    let lab = Lab::new();
    let runner = Elsewhere::new(&lab, "r");
    let refused = runner.hello(1).await;
    assert_eq!(refused.status.as_u16(), 409);
    for part in ["runner r speaks version 1", "tlslab 9.9", "this service version 2", "upgrade the older one"]
    {
        assert!(refused.text.contains(part), "{}", refused.text);
    }
    // An earlier runner sends no version.
    let old = runner.post("hello", json!({"boot": "1", "version": "0.1.0", "host": "h"})).await;
    assert_eq!(old.status.as_u16(), 409);
    let old = runner.post("take", json!({"boot": "1", "has_sandbox": true, "wait_s": 0})).await;
    assert_eq!(old.status.as_u16(), 409, "it was greeted by an earlier service");
    let welcome = runner.hello(2).await.json();
    assert_eq!((&welcome["name"], &welcome["wire"]), (&json!("r"), &json!(2)));
    let nobody = Elsewhere { lab: &lab, name: "nobody" };
    assert_eq!(nobody.hello(2).await.status.as_u16(), 401);
}

#[tokio::test]
async fn a_job_goes_to_the_architecture_that_it_names() {
    let lab = Lab::new();
    let runner = Elsewhere::new(&lab, "r");
    runner.hello(2).await;
    let labels = |label: &str| vec![label.to_owned()];
    lab.enqueue(tlslab_queue::NewJob { labels: labels("arch:x86-64"), ..new_job("other") });
    assert_eq!(runner.take(0).await, json!({"wire": 2, "lease": null, "rests": null}));
    lab.enqueue(tlslab_queue::NewJob { labels: labels("arch:aarch64"), ..new_job("own") });
    assert_eq!(runner.take(0).await["lease"]["job"], "own");
    let seen = &lab.get("/api/v1/runners").await.json()["runners"][0];
    assert_eq!(seen["labels"], json!(["x86", "arch:aarch64", "class:a-processor-2-cores-virtual-machine"]));
    assert_eq!((&seen["facts"]["free_bytes"], &seen["duty"]), (&json!(5), &json!("works")));
}

#[tokio::test]
async fn what_measures_time_comes_with_a_canary_and_what_counts_without() {
    let lab = Lab::new();
    let runner = Elsewhere::new(&lab, "r");
    lab.enqueue(new_job("timed"));
    lab.enqueue(tlslab_queue::NewJob { is_timed: false, ..new_job("counted") });
    let counted = runner.take(1).await;
    assert_eq!(counted["lease"]["job"], "counted");
    assert_eq!(counted["lease"]["body"]["steps"].as_array().unwrap().len(), 1);
    let timed = runner.take(0).await;
    let steps = timed["lease"]["body"]["steps"].as_array().unwrap();
    assert_eq!(
        (steps.len(), &steps[0]["is_canary"], &steps[1]["job"]["id"]),
        (2, &json!(true), &json!("timed"))
    );
    let request = &steps[0]["job"]["request"];
    assert_eq!((&request["stacks"], &request["suite"]), (&json!(["canary"]), &json!("canary")));
    let without = Lab::with("canary = { enabled = false }");
    without.enqueue(new_job("timed"));
    let timed = Elsewhere::new(&without, "r").take(0).await;
    assert_eq!(timed["lease"]["body"]["steps"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn an_administrator_lets_a_runner_rest_and_its_page_says_why() {
    let lab = Lab::new();
    let runner = Elsewhere::new(&lab, "r");
    runner.hello(2).await;
    lab.enqueue(new_job("j"));
    let path = "/api/v1/runners/r/duty";
    assert_eq!(lab.post(path, "user", &json!({"duty": "paused"})).await.status.as_u16(), 403);
    assert_eq!(lab.post(path, "boss", &json!({"duty": "sleeps"})).await.status.as_u16(), 400);
    assert_eq!(
        lab.post("/api/v1/runners/x/duty", "boss", &json!({"duty": "paused"})).await.status.as_u16(),
        404
    );
    let paused = lab.post(path, "boss", &json!({"duty": "paused", "reason": "a new disk"})).await.json();
    assert_eq!((&paused["duty"], &paused["duty_cause"]), (&json!("paused"), &json!("a new disk (by boss)")));
    assert_eq!(
        runner.take(0).await,
        json!({"wire": 2, "lease": null, "rests": "it is paused: a new disk (by boss)"})
    );
    let page = lab.get("/runners").await.text;
    assert!(page.contains("paused") && page.contains("a new disk"), "{page}");
    assert!(lab.get("/jobs").await.text.contains("r paused"), "the list of jobs says why they wait");
    assert!(lab.get("/metrics").await.text.contains("tlslab_runner_rests{runner=\"r\"} 1"));
    lab.post(path, "boss", &json!({"duty": "works"})).await;
    assert_eq!(runner.take(0).await["lease"]["job"], "j");
}

#[tokio::test]
async fn a_canary_that_could_not_be_timed_is_said_and_ends_nothing() {
    let lab = Lab::new();
    let runner = Elsewhere::new(&lab, "r");
    lab.enqueue(new_job("j"));
    let lease = runner.take(0).await["lease"].clone();
    let failed = json!({"event": "ended", "status": "failed", "error": {"kind": "unavailable", "thing": "cc", "cause": "there is no compiler"}});
    assert_eq!(runner.finish(&lease, failed).await.json(), json!({"answer": "accepted"}));
    assert_eq!(lab.queue(|queue| queue.job("j").unwrap().unwrap().state), State::Reported);
    let page = lab.get("/runners").await.text;
    assert!(page.contains("missing") && page.contains("there is no compiler"), "{page}");
}

#[tokio::test]
async fn the_page_of_a_job_says_that_its_times_may_be_the_machines() {
    let lab = Lab::new();
    lab.enqueue(new_job("j"));
    let leased = lab.take("r");
    let canary = tlslab_queue::NewCanary {
        readings: json!([]),
        verdict: tlslab_queue::CanaryVerdict::Moved,
        cause: "its canary is slower by 6.0 % than before".to_owned(),
    };
    let finish = tlslab_queue::Finish {
        state: State::Reported,
        fault: None,
        reason: "done".to_owned(),
        body: Vec::new(),
        canary: Some(canary),
        duty: None,
    };
    lab.queue(|queue| queue.finish(&super::hold(&leased, "r"), &finish).unwrap());
    let page = lab.get("/jobs/j").await.text;
    assert!(page.contains("may be unreliable") && page.contains("slower by 6.0 %"), "{page}");
}

#[tokio::test]
async fn a_runner_in_quarantine_is_checked_by_one_job_at_a_time() {
    let lab = Lab::new();
    let runner = Elsewhere::new(&lab, "r");
    lab.queue(|queue| queue.set_duty("r", Duty::Quarantined, "its canary is slower by 6 %", false).unwrap());
    let checks = || {
        crate::loops::check_quarantined(&lab.service).unwrap();
        let all = lab.queue(|queue| queue.list(&tlslab_queue::Filter::default()).unwrap());
        all.into_iter().filter(|job| job.only_runner.as_deref() == Some("r")).collect::<Vec<_>>()
    };
    assert_eq!((checks().len(), checks().len()), (1, 1));
    let rests = runner.take(0).await["rests"].to_string();
    assert!(rests.contains("in quarantine") && rests.contains("6 %"), "{rests}");
    let check = &checks()[0];
    assert!(check.not_before_unix_ms > check.created_unix_ms, "it is not checked at once");
    assert!(lab.get("/jobs").await.text.contains("check of runner r"));
    // One that ended, whatever came of it, is followed by another.
    let cancel = tlslab_queue::Change::Cancel {
        which: tlslab_queue::Which::Job(check.id.clone()),
        cause: "a test".to_owned(),
    };
    lab.queue(|queue| queue.apply(&[cancel]).unwrap());
    std::thread::sleep(std::time::Duration::from_millis(5));
    assert_eq!(checks().len(), 2);
    let without = Lab::with("canary = { enabled = false }");
    without.queue(|queue| queue.register_runner(&new_runner("r", &[])).unwrap());
    without.queue(|queue| queue.set_duty("r", Duty::Quarantined, "it moved", false).unwrap());
    crate::loops::check_quarantined(&without.service).unwrap();
    assert_eq!(without.queue(|queue| queue.runners().unwrap()[0].duty), Duty::Works, "nothing would end it");
}

#[tokio::test]
async fn runs_come_in_pieces_from_whoever_has_the_lease() {
    let lab = Lab::new();
    let runner = Elsewhere::new(&lab, "r");
    let keeps = json!({"steps": [], "keeps_runs": true});
    lab.enqueue(tlslab_queue::NewJob { body: keeps, is_timed: false, ..new_job("j") });
    let token = runner.take(0).await["lease"]["token"].clone();
    let path = |more: &str| format!("runs?job=j&token={token}{more}");
    assert_eq!(runner.send("GET", &path(""), "").await.json(), json!({"bytes": 0, "is_kept": false}));
    let sent = runner.send("PUT", &path("&from=0&length=12"), "first ").await;
    assert_eq!(sent.json(), json!({"bytes": 6, "is_kept": false}));
    assert_eq!(runner.send("GET", &path(""), "").await.json()["bytes"], 6);
    // The answer was lost, and it is sent again.
    let again = runner.send("PUT", &path("&from=0&length=12"), "first ").await;
    assert_eq!(again.json()["bytes"], 6);
    let beyond = runner.send("PUT", &path("&from=6&length=12"), "more than there is").await;
    assert_eq!(beyond.status.as_u16(), 400);
    let large = runner.send("PUT", &path("&from=6&length=9999999999"), "x").await;
    assert_eq!(large.status.as_u16(), 413);
    // All of it is there, and it is no database.
    let damaged = runner.send("PUT", &path("&from=6&length=12"), "second").await;
    assert_eq!(damaged.status.as_u16(), 503);
    assert_eq!(
        runner.send("GET", &path(""), "").await.json()["bytes"],
        0,
        "it is sent from its beginning again"
    );
    let other = Elsewhere::new(&lab, "s");
    assert_eq!(other.send("PUT", &path("&from=0&length=1"), "x").await.status.as_u16(), 409);
}
