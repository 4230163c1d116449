//! Signing in at the pages, and the buttons of signed-in people.

use axum::body::Body;
use axum::http::Request;
use serde_json::json;
use tlslab_queue::{Approval, Change, NewJob, PullRow, State};

use super::pages::check;
use super::{Answer, Lab, new_job};

/// The address that the configuration of these tests has.
const URL: &str = "url = \"https://bench.example\"";
const ORIGIN: &str = "https://bench.example";

struct Browser<'l> {
    lab: &'l Lab,
    cookie: String,
}

impl<'l> Browser<'l> {
    async fn signed_in(lab: &'l Lab, who: &str) -> Self {
        let answer = sent(lab, "/sign-in", &format!("token=token-of-{who}&next=%2Fjobs"), ORIGIN, "").await;
        assert_eq!((answer.status.as_u16(), answer.header("location")), (303, "/jobs"), "{}", answer.text);
        let cookie = answer.header("set-cookie");
        for part in ["__Host-tlslab=", "HttpOnly", "SameSite=Strict", "Secure", "Path=/", "Max-Age=43200"] {
            assert!(cookie.contains(part), "{part}: {cookie}");
        }
        assert!(!cookie.contains("token-of"), "{cookie}");
        Self { lab, cookie: cookie.split(';').next().unwrap().to_owned() }
    }

    async fn get(&self, path: &str) -> Answer {
        self.lab.send(Request::get(path).header("cookie", &self.cookie).body(Body::empty()).unwrap()).await
    }

    async fn press(&self, path: &str, form: &str) -> Answer {
        sent(self.lab, path, form, ORIGIN, &self.cookie).await
    }

    /// The token in a page's forms.
    async fn csrf(&self, path: &str) -> String {
        let page = self.get(path).await.text;
        let found = page.split("name=\"csrf\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
        found.unwrap_or_else(|| panic!("{path} has no form: {page}")).to_owned()
    }
}

async fn sent(lab: &Lab, path: &str, form: &str, origin: &str, cookie: &str) -> Answer {
    let request = Request::post(path)
        .header("content-type", "application/x-www-form-urlencoded")
        .header("origin", origin)
        .header("host", "bench.example")
        .header("cookie", cookie);
    lab.send(request.body(Body::from(form.to_owned())).unwrap()).await
}

fn pull(id: &str, approval: Approval) -> NewJob {
    let commit = "a".repeat(40);
    let subject = json!({"kind": "pull", "number": 7, "commit": commit, "baseline": "0".repeat(40),
        "author": "ann", "is_fork": true});
    let (head, supersedes) = (Some(commit), Some("pull:p:7".to_owned()));
    NewJob { subject, approval, head, supersedes, ..new_job(id) }
}

fn state(lab: &Lab, id: &str) -> (State, String) {
    let job = lab.queue(|queue| queue.job(id).unwrap().unwrap());
    (job.state, job.reason)
}

#[tokio::test]
async fn a_token_signs_in_for_a_while_and_signing_out_ends_it() {
    let lab = Lab::with(&format!("{URL}\npublic_reading = false"));
    let form = lab.get("/sign-in").await;
    check(&form);
    assert!(form.text.contains("type=\"password\"") && form.text.contains("action=\"/sign-in\""));
    assert_eq!(lab.get("/jobs").await.status.as_u16(), 401);
    for wrong in ["token=", "token=nonsense", "", "token=token-of-reade"] {
        let answer = sent(&lab, "/sign-in", wrong, ORIGIN, "").await;
        assert_eq!(answer.status.as_u16(), 403, "{wrong}");
        assert!(answer.text.contains("unknown, or was revoked") && answer.header("set-cookie").is_empty());
    }
    let reader = Browser::signed_in(&lab, "reader").await;
    for path in ["/jobs", "/", "/stacks"] {
        let page = reader.get(path).await;
        check(&page);
        assert!(page.text.contains("<a href=\"/sign-in\">Signed in as reader</a>"), "{path}: {}", page.text);
    }
    // Programs use the header; a cookie changes nothing there.
    let submitted = sent(&lab, "/api/v1/jobs", "{}", ORIGIN, &reader.cookie).await;
    assert_eq!(submitted.status.as_u16(), 401, "{}", submitted.text);
    let csrf = reader.csrf("/sign-in").await;
    let refused = reader.press("/sign-out", "csrf=other").await;
    assert_eq!(refused.status.as_u16(), 403);
    let out = reader.press("/sign-out", &format!("csrf={csrf}")).await;
    assert_eq!((out.status.as_u16(), out.header("location")), (303, "/"));
    assert!(out.header("set-cookie").contains("Max-Age=0"), "{}", out.header("set-cookie"));
    assert_eq!(reader.get("/jobs").await.status.as_u16(), 401, "the session has ended on the service, too");
}

#[tokio::test]
async fn a_revoked_token_ends_its_sessions() {
    let lab = Lab::with(&format!("{URL}\npublic_reading = false"));
    let reader = Browser::signed_in(&lab, "reader").await;
    assert_eq!(reader.get("/jobs").await.status.as_u16(), 200);
    lab.queue(|queue| queue.revoke("reader").unwrap());
    assert_eq!(reader.get("/jobs").await.status.as_u16(), 401);
}

#[tokio::test]
async fn forms_of_other_origins_and_sessions_do_nothing() {
    let lab = Lab::with(URL);
    lab.enqueue(new_job("j"));
    let boss = Browser::signed_in(&lab, "boss").await;
    let csrf = boss.csrf("/jobs/j").await;
    let other = Browser::signed_in(&lab, "boss").await.csrf("/jobs/j").await;
    let right = format!("csrf={csrf}");
    for (origin, form, cookie) in [
        ("https://evil.example", right.as_str(), boss.cookie.as_str()),
        ("https://bench.example.evil", &right, &boss.cookie),
        ("null", &right, &boss.cookie),
        ("", &right, &boss.cookie),
        (ORIGIN, "", &boss.cookie),
        (ORIGIN, &format!("csrf={other}"), &boss.cookie),
        (ORIGIN, &right, ""),
        (ORIGIN, &right, "__Host-tlslab=0000"),
    ] {
        let answer = sent(&lab, "/jobs/j/cancel", form, origin, cookie).await;
        assert_eq!(answer.status.as_u16(), 403, "{origin} {form} {cookie}: {}", answer.text);
        assert_eq!(state(&lab, "j").0, State::Queued);
    }
    for origin in ["https://evil.example", "null", ""] {
        let answer = sent(&lab, "/sign-in", "token=token-of-boss", origin, "").await;
        assert_eq!(answer.status.as_u16(), 403, "{origin}");
    }
    assert_eq!(boss.get("/jobs/j/cancel").await.status.as_u16(), 405);
    assert_eq!(boss.press("/jobs/j/cancel", &right).await.status.as_u16(), 303);
    assert_eq!(state(&lab, "j"), (State::Cancelled, "cancelled by boss".to_owned()));
}

#[tokio::test]
async fn buttons_are_for_those_who_may() {
    let lab = Lab::with(URL);
    lab.enqueue(pull("waits", Approval::Awaited));
    lab.enqueue(new_job("own"));
    let nobody = lab.get("/jobs/own").await;
    check(&nobody);
    assert!(!nobody.text.contains("<form") && nobody.text.contains("<a href=\"/sign-in\">Sign in</a>"));
    let of = |text: &str| {
        let all = ["/again", "/approve", "/cancel"].map(|end| text.contains(&format!("{end}\"")));
        all.map(u8::from)
    };
    for (who, waiting, own) in [
        ("reader", [0, 0, 0], [0, 0, 0]),
        ("other", [0, 0, 0], [0, 0, 0]),
        ("user", [0, 0, 0], [0, 0, 1]),
        ("boss", [0, 1, 1], [0, 0, 1]),
    ] {
        let browser = Browser::signed_in(&lab, who).await;
        for path in ["/jobs/waits", "/pulls/p/7"] {
            let page = browser.get(path).await;
            check(&page);
            assert_eq!(of(&page.text), waiting, "{who} {path}: {}", page.text);
            assert_eq!(page.header("cache-control"), "private, no-store");
        }
        assert_eq!(of(&browser.get("/jobs/own").await.text), own, "{who}");
        let form = format!("csrf={}", browser.csrf("/sign-in").await);
        if who != "boss" {
            let answer =
                browser.press("/jobs/waits/approve", &format!("{form}&commit={}", "a".repeat(40))).await;
            assert_eq!(answer.status.as_u16(), 403, "{who}: {}", answer.text);
            assert_eq!(state(&lab, "waits").0, State::WaitingForApproval);
        }
    }
}

#[tokio::test]
async fn a_commit_is_approved_by_its_name_and_run_again_by_a_new_job() {
    let lab = Lab::with(URL);
    lab.enqueue(pull("waits", Approval::Awaited));
    let boss = Browser::signed_in(&lab, "boss").await;
    let page = boss.get("/pulls/p/7").await.text;
    assert!(page.contains("Approve this commit: aaaaaaaaaa"), "{page}");
    assert!(page.contains("href=\"https://git.example/o/n/pulls/7/files\""), "{page}");
    let csrf = boss.csrf("/pulls/p/7").await;
    for (commit, status) in [("b".repeat(40), 409), (String::new(), 409), ("a".repeat(40), 303)] {
        let answer = boss.press("/jobs/waits/approve", &format!("csrf={csrf}&commit={commit}")).await;
        assert_eq!(answer.status.as_u16(), status, "{commit}: {}", answer.text);
    }
    assert_eq!(state(&lab, "waits"), (State::Queued, "aaaaaaaaaa approved by boss".to_owned()));
    let refused = boss.press("/jobs/waits/again", &format!("csrf={csrf}")).await;
    assert!(refused.status.as_u16() == 409 && refused.text.contains("cancel it first"), "{}", refused.text);
    let leased = lab.take("r");
    lab.finish(&leased, "r", State::Failed, "no", None);
    let mut places = Vec::new();
    for _ in 0..2 {
        let answer = boss.press("/jobs/waits/again", &format!("csrf={csrf}")).await;
        assert_eq!(answer.status.as_u16(), 303, "{}", answer.text);
        places.push(answer.header("location").to_owned());
    }
    assert_eq!(places[0], places[1], "asked twice, it is one job");
    let id = places[0].strip_prefix("/jobs/").unwrap();
    let job = lab.queue(|queue| queue.job(id).unwrap().unwrap());
    assert_eq!((job.state, job.approval), (State::Queued, Approval::Given));
    assert_eq!((job.reason.as_str(), job.subject["asked_by"].as_str()), ("run again by boss", Some("boss")));
    assert_eq!(job.body["steps"][0]["job"]["id"], id);
    // The head has moved: its earlier measurements do not apply to the present one.
    let (project, head) = ("p".to_owned(), "b".repeat(40));
    let row = PullRow { project, number: 7, head, is_open: true, ..PullRow::default() };
    lab.queue(|queue| queue.apply(&[Change::SeePull(row)]).unwrap());
    let moved = boss.press("/jobs/waits/again", &format!("csrf={csrf}")).await;
    assert!(moved.status.as_u16() == 409 && moved.text.contains("bbbbbbbbbb"), "{}", moved.text);
}

#[tokio::test]
async fn limits_hold_for_buttons_and_programs() {
    let lab = Lab::with(&format!("{URL}\n[limits]\njobs_per_day = 1"));
    lab.enqueue(pull("only", Approval::Author));
    let leased = lab.take("r");
    lab.finish(&leased, "r", State::Failed, "no", None);
    let boss = Browser::signed_in(&lab, "boss").await;
    let form = format!("csrf={}", boss.csrf("/jobs/only").await);
    let refused = boss.press("/jobs/only/again", &form).await;
    assert_eq!(refused.status.as_u16(), 429, "{}", refused.text);
    assert!(refused.text.contains("p has used its limit of 1 job within 24 hours"), "{}", refused.text);
    let job =
        json!({"format": 1, "id": "x", "trust": "reviewed", "request": {"kind": "run", "stacks": ["s"]}});
    let sent = lab.post("/api/v1/jobs", "user", &json!({"job": job, "project": "p"})).await;
    assert_eq!(sent.status.as_u16(), 429, "{}", sent.text);
    let free = lab.post("/api/v1/jobs", "user", &json!({"job": job})).await;
    assert_eq!(free.status.as_u16(), 201, "another project: {}", free.text);
}

#[tokio::test]
async fn programs_run_a_job_again_as_pages_do() {
    let lab = Lab::new();
    lab.enqueue(new_job("own"));
    let leased = lab.take("r");
    lab.finish(&leased, "r", State::Reported, "done", None);
    let body = json!({"reason": "a new kernel"});
    assert_eq!(lab.post("/api/v1/jobs/own/again", "other", &body).await.status.as_u16(), 403);
    let answer = lab.post("/api/v1/jobs/own/again", "user", &body).await;
    assert_eq!(answer.status.as_u16(), 200, "{}", answer.text);
    assert_eq!(answer.json()["reason"], "run again by user: a new kernel");
    assert_ne!(answer.json()["id"], "own");
}
