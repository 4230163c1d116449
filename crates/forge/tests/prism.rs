//! Every request to GitHub, answered by a server that mocks GitHub's description of its API; and GitHub's examples of webhooks.
//! `tests/forge/github/run` starts the server and this.

mod played;

use std::time::Duration;

use aws_lc_rs::encoding::AsDer;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::RsaKeyPair;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use played::person;
use serde_json::{Value, json};
use tlslab_forge::webhook::{Incoming, read};
use tlslab_forge::{
    Answer, App, Ask, Client, CommitStatus, Forge, ForgeError, Kind, Left, Mark, Measured, StatusState,
    Transport, Web, leave,
};

/// The commit of GitHub's examples.
const HEAD: &str = "6dcb09b5b57875f334f61aebed695e2e4193db5e";
const APP: u64 = 29310;

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set; start tests/forge/github/run"))
}

/// The API of a GitHub Enterprise Server lies below this path, which the mock server does not know.
fn below() -> String {
    std::env::var("TLSLAB_GITHUB_BELOW").unwrap_or_default()
}

fn forge() -> Forge {
    let api = variable("TLSLAB_GITHUB_MOCK") + &below();
    Forge::new(Kind::Github, &api, "octocat/Hello-World").unwrap()
}

/// The network, with some answers changed: the examples have no mark and no check run of this app.
struct Changed<F>(Web, F);

impl<F: FnMut(&Ask, &mut Answer)> Transport for Changed<F> {
    fn send(&mut self, ask: &Ask) -> Result<Answer, ForgeError> {
        let (mock, below) = (variable("TLSLAB_GITHUB_MOCK"), below());
        let path = ask.url.strip_prefix(&format!("{mock}{below}/")).expect("an address below the API");
        let mut answer = self.0.send(&Ask { url: format!("{mock}/{path}"), ..ask.clone() })?;
        assert!(
            (200..300).contains(&answer.status),
            "{} {}: {} {}",
            ask.method,
            ask.url,
            answer.status,
            answer.body
        );
        (self.1)(ask, &mut answer);
        Ok(answer)
    }

    fn wait(&mut self, _: Duration) {
        panic!("nothing to wait for");
    }

    fn now_unix_s(&self) -> u64 {
        self.0.now_unix_s()
    }
}

fn client(change: impl FnMut(&Ask, &mut Answer) + Send + 'static) -> Client {
    Client::new(forge(), Box::new(Changed(Web::new(Kind::Github, "token"), change)))
}

fn app_client(change: impl FnMut(&Ask, &mut Answer) + Send + 'static) -> Client {
    let key = RsaKeyPair::generate(KeySize::Rsa2048).unwrap();
    let text = STANDARD.encode(key.as_der().unwrap().as_ref());
    let pem = format!("-----BEGIN PRIVATE KEY-----\n{text}\n-----END PRIVATE KEY-----\n");
    let app = App::new(APP, &pem).unwrap();
    Client::with_app(forge(), Box::new(Changed(Web::without_token(Kind::Github), change)), app)
}

fn unchanged(_: &Ask, _: &mut Answer) {}

fn status(state: StatusState) -> CommitStatus {
    CommitStatus {
        context: "tlslab/compare".to_owned(),
        state,
        title: "2 regressions".to_owned(),
        link: "https://lab.example/jobs/7".to_owned(),
    }
}

const STATES: [StatusState; 6] = [
    StatusState::Queued,
    StatusState::Running,
    StatusState::Success,
    StatusState::Failure,
    StatusState::Error,
    StatusState::Cancelled,
];

#[test]
#[ignore = "needs the mock server of tests/forge/github/run"]
fn questions_are_as_github_describes_them() {
    let mut client = client(unchanged);
    let pull = client.pull(1347).unwrap();
    assert_eq!((pull.head.as_str(), pull.base_branch.as_str()), (HEAD, "master"));
    assert_eq!(pull.author, person("octocat", 1));
    assert_eq!(client.merge_base(1347, "release/1", HEAD).unwrap().len(), 40);
    assert!(client.may_write(&person("octocat", 1)).unwrap());
    assert!(!client.may_write(&person("octocat", 2)).unwrap(), "the example is of another account");
    assert_eq!(client.who().unwrap(), "octocat");
    let approved = client.approval_commit(1347, &person("octocat", 1)).unwrap();
    assert!(approved.is_some_and(|commit| commit.len() == 40));
}

#[test]
#[ignore = "needs the mock server of tests/forge/github/run"]
fn writing_is_as_github_describes_it() {
    let mut client = client(unchanged);
    for state in STATES {
        client.set_status(HEAD, &status(state)).unwrap();
    }
    let mark = Mark::of("compare").unwrap();
    assert!(matches!(client.leave_comment(1347, &mark, "text", Some(1)).unwrap(), Left::Made(_)));
    assert!(client.open_issue_once(&mark, "title", "text").unwrap() > 0);
}

#[test]
#[ignore = "needs the mock server of tests/forge/github/run"]
fn a_comment_is_edited_as_github_describes_it() {
    let mark = Mark::of("compare").unwrap();
    let marked = mark.put_on("old");
    let text = marked.clone();
    let mut client = client(move |ask, answer| {
        if ask.method == "GET" && ask.url.contains("/comments") {
            let comment = if answer.body.is_array() { &mut answer.body[0] } else { &mut answer.body };
            comment["body"] = json!(text);
        }
    });
    assert!(matches!(client.leave_comment(1347, &mark, "text", None).unwrap(), Left::Edited(1)));
    assert!(matches!(client.leave_comment(1347, &mark, "text", Some(1)).unwrap(), Left::Edited(1)));
    let mut web = Changed(Web::new(Kind::Github, "token"), unchanged);
    let measured = Measured { number: 1347, commit: HEAD, repository: None };
    assert!(matches!(leave(&mut web, &forge(), measured, &mark, "text", None).unwrap(), Left::Made(_)));
}

#[test]
#[ignore = "needs the mock server of tests/forge/github/run"]
fn an_app_asks_as_github_describes_it() {
    let mut client = app_client(unchanged);
    assert!(client.installation().unwrap() > 0);
    assert!(client.who().unwrap().ends_with("[bot]"));
    assert!(!client.reading_token(&["octocat/dependency".to_owned()]).unwrap().reveal().is_empty());
    client.repository().unwrap();
    client.is_private().unwrap();
    assert!(client.may_write(&person("octocat", 1)).unwrap());
    for state in STATES {
        client.set_status(HEAD, &status(state)).unwrap();
    }
}

#[test]
#[ignore = "needs the mock server of tests/forge/github/run"]
fn a_check_run_is_changed_as_github_describes_it() {
    let (send, changes) = std::sync::mpsc::channel();
    let mut client = app_client(move |ask, answer| {
        if ask.method == "GET" && ask.url.contains("/check-runs") {
            let run = &mut answer.body["check_runs"][0];
            run["name"] = json!("tlslab/compare");
            run["status"] = json!("in_progress");
            run["app"]["id"] = json!(APP);
        }
        if ask.method == "PATCH" {
            send.send(ask.url.clone()).unwrap();
        }
    });
    for state in STATES {
        client.set_status(HEAD, &status(state)).unwrap();
    }
    assert_eq!(changes.try_iter().count(), STATES.len());
}

#[test]
#[ignore = "needs the examples that tests/forge/github/run installs"]
fn every_example_of_a_webhook_is_read() {
    let text = std::fs::read(variable("TLSLAB_GITHUB_EXAMPLES")).unwrap();
    let kinds: Vec<Value> = serde_json::from_slice(&text).unwrap();
    let (mut all, mut used) = (0, 0);
    for kind in &kinds {
        let event = kind["name"].as_str().unwrap();
        for example in kind["examples"].as_array().unwrap() {
            let read = read(Kind::Github, event, example.to_string().as_bytes());
            let incoming = read.unwrap_or_else(|error| panic!("{event}: {error}\n{example}"));
            all += 1;
            used += usize::from(!matches!(incoming, Incoming::Ignored { .. }));
        }
    }
    assert!(all > 300 && used > 20, "{used} of {all} examples");
    println!("{all} examples of webhooks are read; {used} of them are used");
}
