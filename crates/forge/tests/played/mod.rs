//! A forge that is played: it expects these requests in this order, and gives these answers.

// Each test uses a part of it.
#![allow(dead_code)]

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tlslab_forge::webhook::Person;
use tlslab_forge::{Answer, Ask, Client, Forge, ForgeError, Kind, Transport};

/// The time on the played clock.
pub(crate) const NOW: u64 = 1_767_225_600;
/// A commit.
pub(crate) const HEAD: &str = "1f0c2e7d9b3a4568c1d2e3f405162738495a6b7c";
/// Another.
pub(crate) const BASE: &str = "9e8d7c6b5a49382716050f4e3d2c1b0a98877665";

/// A request that is expected, and its answer.
pub(crate) struct Turn {
    method: &'static str,
    place: String,
    body: Option<Value>,
    token: Option<&'static str>,
    answer: Result<Answer, &'static str>,
}

/// `GET` of a place below the API.
pub(crate) fn get(place: &str, status: u16, answer: Value) -> Turn {
    let answer = Ok(Answer { status, body: answer, ..Answer::default() });
    Turn { method: "GET", place: place.to_owned(), body: None, token: None, answer }
}

/// A request with a body.
pub(crate) fn send(method: &'static str, place: &str, body: Value, status: u16, answer: Value) -> Turn {
    Turn { method, body: Some(body), ..get(place, status, answer) }
}

impl Turn {
    /// The token that it must show; by default none.
    pub(crate) fn shows(self, token: &'static str) -> Self {
        Self { token: Some(token), ..self }
    }

    /// Another answer.
    pub(crate) fn answers(self, status: u16, body: Value) -> Self {
        Self { answer: Ok(Answer { status, body, ..Answer::default() }), ..self }
    }

    /// The answer names a time.
    pub(crate) fn retry_after(mut self, seconds: u64) -> Self {
        self.answer.as_mut().expect("an answer").retry_after_s = Some(seconds);
        self
    }

    /// The connection breaks.
    pub(crate) fn breaks(self) -> Self {
        Self { answer: Err("connection reset"), ..self }
    }
}

/// The exchanges that are still expected.
#[derive(Clone)]
pub(crate) struct Stage(Arc<Mutex<VecDeque<Turn>>>);

struct Played {
    api: &'static str,
    stage: Stage,
}

impl Stage {
    /// More requests are expected.
    pub(crate) fn then(&self, turns: impl IntoIterator<Item = Turn>) {
        self.0.lock().unwrap().extend(turns);
    }

    /// All of them were made.
    #[track_caller]
    pub(crate) fn is_over(&self) {
        let left: Vec<_> = self.0.lock().unwrap().iter().map(|turn| turn.place.clone()).collect();
        assert!(left.is_empty(), "not asked: {left:?}");
    }
}

impl Transport for Played {
    fn send(&mut self, ask: &Ask) -> Result<Answer, ForgeError> {
        let turn = self.stage.0.lock().unwrap().pop_front();
        let turn = turn.unwrap_or_else(|| panic!("not expected: {} {}", ask.method, ask.url));
        assert_eq!(
            (ask.method, ask.url.as_str()),
            (turn.method, format!("{}/{}", self.api, turn.place).as_str())
        );
        assert_eq!(ask.body, turn.body, "{}", ask.url);
        let token = ask.token.as_ref().map(|token| token.reveal());
        match (turn.token, token) {
            // A new one each time.
            (Some("jwt"), Some(token)) => assert_eq!(token.split('.').count(), 3, "{}", ask.url),
            (expected, token) => assert_eq!(token, expected, "{}", ask.url),
        }
        turn.answer.map_err(|cause| ForgeError::Unreachable {
            method: ask.method,
            url: ask.url.clone(),
            cause: cause.to_owned(),
        })
    }

    fn wait(&mut self, _: Duration) {
        panic!("a client never waits");
    }

    fn now_unix_s(&self) -> u64 {
        NOW
    }
}

/// A forge and a repository of it.
pub(crate) fn forge(kind: Kind) -> Forge {
    let repository = if kind == Kind::Gitlab { "group/lab/tls" } else { "lab/tls" };
    Forge::new(kind, api(kind), repository).expect("a good name")
}

fn api(kind: Kind) -> &'static str {
    match kind {
        Kind::Github => "https://api.forge.example",
        Kind::Gitlab => "https://forge.example/api/v4",
        Kind::Gitea => "https://forge.example/api/v1",
    }
}

/// A played transport, and its stage.
pub(crate) fn transport(
    kind: Kind,
    turns: impl IntoIterator<Item = Turn>,
) -> (Box<dyn Transport + Send>, Stage) {
    let stage = Stage(Arc::default());
    stage.then(turns);
    (Box::new(Played { api: api(kind), stage: stage.clone() }), stage)
}

/// A client with a token.
pub(crate) fn client(kind: Kind, turns: impl IntoIterator<Item = Turn>) -> (Client, Stage) {
    let (transport, stage) = transport(kind, turns);
    (Client::new(forge(kind), transport), stage)
}

/// The place of the repository in the API.
pub(crate) fn repository(kind: Kind) -> &'static str {
    if kind == Kind::Gitlab { "projects/group%2Flab%2Ftls" } else { "repos/lab/tls" }
}

/// The client asks once who it is.
pub(crate) fn who(kind: Kind) -> Turn {
    let name = if kind == Kind::Gitlab { "username" } else { "login" };
    get("user", 200, json!({ "id": 3, name: "bot" }))
}

/// A person.
pub(crate) fn person(login: &str, id: u64) -> Person {
    Person { login: login.to_owned(), id, is_bot: false }
}

/// All forges.
pub(crate) const KINDS: [Kind; 3] = [Kind::Github, Kind::Gitlab, Kind::Gitea];
