//! Answers through the routers, by a service on its own database.

mod api;
mod lists;
mod monitoring;
mod pages;
mod runner_protocol;
mod samples;
mod session;
mod site;
mod submit;

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use tlslab_queue::{
    Access, Change, Finish, Hold, Leased, NewJob, NewRunner, Origin, Queue, QuietHours, Scope, State, Taker,
    hash_key,
};
use tower::ServiceExt;

use crate::config::Config;
use crate::configuration::{forge_and_project, write_secret};
use crate::service::Service;

/// A service without loops.
struct Lab {
    service: Arc<Service>,
    router: Router,
    _folder: TempDir,
}

/// An answer.
struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    text: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("{}", self.text))
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

impl Lab {
    fn new() -> Self {
        Self::with("")
    }

    /// With a database that cannot be reached.
    fn without_database() -> Self {
        Self::bare("database = \"postgres://hush@127.0.0.1:1/none\"")
    }

    /// With lines before those of its project.
    fn with(lines: &str) -> Self {
        let lab = Self::bare(lines);
        for (name, scope) in [
            ("reader", Scope::Read),
            ("user", Scope::Submit),
            ("other", Scope::Submit),
            ("boss", Scope::Administer),
        ] {
            let access = Access { name: name.to_owned(), scopes: vec![scope] };
            lab.queue(|queue| queue.grant(&access, &hash_key(&format!("token-of-{name}"))).unwrap());
        }
        lab
    }

    fn bare(lines: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for secret in ["token", "hook"] {
            write_secret(&folder.path().join(secret), "hush-hush");
        }
        let forge = ["f", "gitea", "https://git.example/api/v1"];
        let project = forge_and_project(forge, ["p", "o/n"], "stacks = [\"s\"]\nlabels = [\"x86\"]");
        let config = format!("folder = \"{}\"\n{lines}\n{project}", folder.path().display());
        let config = Config::parse(&config).unwrap();
        let service = Arc::new(Service::new(config, folder.path(), None).unwrap());
        let router = super::api::routes()
            .merge(super::health::routes())
            .merge(super::live::routes())
            .merge(super::runner_protocol::routes())
            .merge(super::pages::routes())
            .merge(super::pulls::routes())
            .merge(super::projects::routes())
            .merge(super::session::routes())
            .merge(super::actions::routes())
            .merge(super::assets::routes())
            .merge(super::site::routes())
            .with_state(service.clone());
        Self { service, router, _folder: folder }
    }

    fn queue<T>(&self, work: impl FnOnce(&dyn Queue) -> T) -> T {
        self.service.queue(|queue| Ok(work(queue))).unwrap()
    }

    async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, usize::MAX).await.unwrap();
        Answer {
            status: parts.status,
            headers: parts.headers,
            text: String::from_utf8(bytes.to_vec()).unwrap(),
        }
    }

    async fn get(&self, path: &str) -> Answer {
        self.send(Request::get(path).body(Body::empty()).unwrap()).await
    }

    /// Sends JSON with a person's token; an empty name has none.
    async fn post(&self, path: &str, who: &str, body: &Value) -> Answer {
        let mut request = Request::post(path).header("content-type", "application/json");
        if !who.is_empty() {
            request = request.header("authorization", format!("Bearer token-of-{who}"));
        }
        self.send(request.body(Body::from(body.to_string())).unwrap()).await
    }

    fn enqueue(&self, job: NewJob) {
        self.queue(|queue| queue.apply(&[Change::Enqueue(Box::new(job))]).unwrap());
    }

    fn take(&self, runner: &str) -> Leased {
        let labels = vec!["x86".to_owned()];
        let taker = Taker {
            name: runner.to_owned(),
            boot: "1".to_owned(),
            labels,
            has_sandbox: true,
            slot: 0,
            facts: None,
        };
        self.queue(|queue| queue.take(&taker).unwrap().job().unwrap())
    }

    fn events(&self, leased: &Leased, runner: &str, events: &[(u64, Value)]) {
        let hold = hold(leased, runner);
        self.queue(|queue| assert!(queue.event(&hold, events).unwrap()));
    }

    fn finish(&self, leased: &Leased, runner: &str, state: State, reason: &str, ending: Option<&Value>) {
        let body = ending.map(|ending| zstd::encode_all(ending.to_string().as_bytes(), 3).unwrap());
        let fault = (state == State::Failed).then_some(tlslab_queue::Fault::Candidate);
        let finish = Finish {
            state,
            fault,
            reason: reason.to_owned(),
            body: body.unwrap_or_default(),
            canary: None,
            duty: None,
        };
        self.queue(|queue| queue.finish(&hold(leased, runner), &finish).unwrap());
    }
}

fn hold(leased: &Leased, runner: &str) -> Hold {
    Hold { job: leased.job.clone(), token: leased.token, runner: runner.to_owned() }
}

fn new_runner(name: &str, labels: &[&str]) -> NewRunner {
    NewRunner {
        name: name.to_owned(),
        key_hash: tlslab_queue::hash_key(&format!("key of {name}")),
        labels: labels.iter().map(|label| (*label).to_owned()).collect(),
        quiet: QuietHours::default(),
        origin: Origin::Configuration,
    }
}

fn new_job(id: &str) -> NewJob {
    NewJob {
        id: id.to_owned(),
        project: "p".to_owned(),
        subject: json!({"kind": "submitted", "by": "user", "title": "a test"}),
        body: json!({"steps": [{"job": {"id": id, "trust": "owner", "request": {"kind": "compare", "pairs": [["a", "b"]]}},
            "cache": "shared", "state": "building-candidate", "fault": "lab"}]}),
        labels: Vec::new(),
        needs_sandbox: false,
        is_timed: true,
        only_runner: None,
        priority: 0,
        dedup: None,
        supersedes: None,
        approval: tlslab_queue::Approval::NotNeeded,
        head: None,
        most_attempts: 3,
        delay_ms: 0,
        is_answered: false,
        cause: "a test".to_owned(),
    }
}

fn event(number: u64, event: Value) -> (u64, Value) {
    let mut whole =
        json!({"format": 1, "job": "j", "number": number, "unix_ms": 1_795_575_600_000_u64 + number});
    whole.as_object_mut().unwrap().extend(event.as_object().unwrap().clone());
    (number, whole)
}
