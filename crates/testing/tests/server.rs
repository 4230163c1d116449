//! A server is started, used as people use a forge, and delivers what happens.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;
use tlslab_testing::gitea::{Comment, Gitea, GiteaError};

const SECRET: &str = "what only the two know";

/// A request as a hook's receiver gets it.
struct Delivery {
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Delivery {
    fn read(stream: &mut TcpStream) -> Self {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(": ") {
                headers.push((name.to_ascii_lowercase(), value.to_owned()));
            }
        }
        let mut delivery = Self { headers, body: Vec::new() };
        delivery.body = vec![0; delivery.header("content-length").parse().unwrap()];
        reader.read_exact(&mut delivery.body).unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").unwrap();
        delivery
    }

    fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(of, _)| of == name);
        found.map(|(_, value)| value.as_str()).unwrap_or_else(|| panic!("no header {name}"))
    }

    fn signature(&self) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
        mac.update(&self.body);
        hex::encode(mac.finalize().into_bytes())
    }
}

/// The address of a receiver, and what it gets.
fn receive() -> (String, Receiver<Delivery>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}/hooks/gitea", listener.local_addr().unwrap());
    let (sender, deliveries) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            if sender.send(Delivery::read(&mut stream.unwrap())).is_err() {
                break;
            }
        }
    });
    (url, deliveries)
}

/// The next delivery of that event.
fn next(deliveries: &Receiver<Delivery>, event: &str) -> Value {
    loop {
        let delivery = deliveries.recv_timeout(Duration::from_secs(60)).expect(event);
        assert_eq!(delivery.header("x-gitea-signature"), delivery.signature());
        assert!(!delivery.header("x-gitea-delivery").is_empty());
        if delivery.header("x-gitea-event") == event {
            return serde_json::from_slice(&delivery.body).unwrap();
        }
    }
}

#[test]
#[ignore = "builds Gitea, which needs Go and minutes"]
fn a_pull_request_from_a_fork_is_delivered_and_answered() {
    let folder = tempfile::tempdir().unwrap();
    let gitea = Gitea::start(folder.path()).unwrap();
    for user in ["alice", "bob"] {
        gitea.create_user(user).unwrap();
    }
    let repository = gitea.create_repository("alice", "tiny").unwrap();
    assert_eq!(repository, "alice/tiny");
    let first = gitea.push("alice", &repository, "main", &[("src/a.c", "1\n")], "first").unwrap();
    let fork = gitea.fork(&repository, "bob").unwrap();
    let (url, deliveries) = receive();
    let events = ["push", "pull_request", "pull_request_review_approved", "issue_comment"];
    gitea.add_hook(&repository, &url, SECRET, &events).unwrap();

    let proposed = gitea.push("bob", &fork, "change", &[("src/a.c", "2\n")], "second").unwrap();
    assert_ne!(first, proposed);
    let pull = gitea.open_pull("bob", &repository, "bob:change", "main", "A change").unwrap();
    let delivered = next(&deliveries, "pull_request");
    assert_eq!(delivered["action"], "opened");
    assert_eq!(delivered["number"], pull);
    assert_eq!(delivered["pull_request"]["head"]["sha"], proposed.as_str());
    assert_eq!(delivered["pull_request"]["head"]["repo"]["full_name"], "bob/tiny");

    let comment = gitea.comment("alice", &repository, pull, "Thank you.").unwrap();
    assert_eq!(next(&deliveries, "issue_comment")["comment"]["id"], comment);
    let expected = Comment { id: comment, author: "alice".into(), body: "Thank you.".into() };
    assert_eq!(gitea.comments(&repository, pull).unwrap(), [expected]);

    gitea.approve("alice", &repository, pull, &proposed).unwrap();
    let delivered = next(&deliveries, "pull_request_approved");
    assert_eq!(delivered["pull_request"]["head"]["sha"], proposed.as_str());

    let again = gitea.force_push("bob", &fork, "change", &[("src/a.c", "3\n")], "second, again").unwrap();
    let delivered = next(&deliveries, "pull_request");
    assert_eq!(delivered["action"], "synchronized");
    assert_eq!(delivered["pull_request"]["head"]["sha"], again.as_str());
    assert_eq!(gitea.pull_head(&repository, pull).unwrap(), again);

    gitea.close_pull("alice", &repository, pull).unwrap();
    assert_eq!(next(&deliveries, "pull_request")["action"], "closed");
    assert_eq!(gitea.issues(&repository).unwrap(), []);
}

#[test]
#[ignore = "builds Gitea, which needs Go and minutes"]
fn tokens_can_do_what_their_scopes_and_their_users_can() {
    let folder = tempfile::tempdir().unwrap();
    let gitea = Gitea::start(folder.path().join("server")).unwrap();
    for user in ["alice", "bob"] {
        gitea.create_user(user).unwrap();
    }
    let repository = gitea.create_repository("alice", "tiny").unwrap();
    let commit = gitea.push("alice", &repository, "main", &[("a", "1\n")], "first").unwrap();
    let path = format!("/repos/{repository}/statuses/{commit}");
    let body = |state: &str| serde_json::json!({ "context": "lab", "state": state, "description": "d", "target_url": "http://x.example/" });
    let refused = gitea.request("bob", "POST", &path, Some(&body("pending"))).unwrap_err();
    assert!(matches!(refused, GiteaError::Refused { status: 403, .. }), "{refused}");
    assert!(gitea.push("bob", &repository, "main", &[("a", "2\n")], "not allowed").is_err());
    gitea.add_collaborator(&repository, "bob", "write").unwrap();
    for state in ["pending", "success"] {
        gitea.request("bob", "POST", &path, Some(&body(state))).unwrap();
    }
    let statuses = gitea.statuses(&repository, &commit).unwrap();
    let states: Vec<&str> = statuses.iter().map(|status| status.state.as_str()).collect();
    assert_eq!(states, ["success", "pending"]);
    assert_eq!(statuses[0].target_url, "http://x.example/");

    gitea.push("bob", &repository, "other", &[("b", "1\n")], "a branch").unwrap();
    gitea.delete_branch("bob", &repository, "other").unwrap();
    let token = gitea.token("bob", &["read:user"]).unwrap();
    assert!(!format!("{gitea:?}").contains(&token));
    let status = |path: &str| {
        let agent: ureq::Agent =
            ureq::Agent::config_builder().http_status_as_error(false).proxy(None).build().into();
        let request = agent.get(format!("{}{path}", gitea.api_url()));
        request.header("Authorization", format!("token {token}")).call().unwrap().status().as_u16()
    };
    assert_eq!([status("/user"), status("/repos/alice/tiny")], [200, 403]);
    let stranger = gitea.push("carol", &repository, "main", &[], "nobody").unwrap_err().to_string();
    assert_eq!(stranger, "there is no user carol; create it with `create_user` first");
}
