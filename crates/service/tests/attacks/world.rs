//! A service with a forge of each kind, and what an attacker sends.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tlslab_queue::Filter;
use tlslab_store::Address;
use tlslab_store::sql::{Database, Sqlite};

use crate::support::{SECRET, Service, agent, forge_and_project, free_port, sign, write_secret};

/// How long an event may take until it is handled.
const HANDLED_WITHIN: Duration = Duration::from_secs(20);

/// How the API of the forges behaves.
#[derive(Clone, Copy)]
pub(crate) enum Api {
    /// It answers every request with this status and text.
    Answers(u16, &'static str),
    /// It takes connections and never answers.
    Hangs,
}

/// A separate service.
pub(crate) struct World {
    pub service: Service,
    database: PathBuf,
    port: u16,
    // Dropped after the service.
    _folder: tempfile::TempDir,
}

impl World {
    /// A service with such a GitLab and Gitea; its GitHub has one pull request, which is closed.
    pub(crate) fn start(api: Api) -> Self {
        let folder = tempfile::tempdir().unwrap();
        write_secret(&folder.path().join("token"), "forge-token");
        write_secret(&folder.path().join("hook"), SECRET);
        let (port, others) = (free_port(), start_api(api));
        let github = start_api(Api::Answers(200, closed().leak()));
        let service = folder.path().join("service");
        let mut text = format!(
            "listen = \"127.0.0.1:{port}\"\nfolder = \"{}\"\nlocal_runner = false\n",
            service.display()
        );
        for (kind, api) in [("github", github), ("gitlab", others), ("gitea", others)] {
            let (api, project) = (format!("http://127.0.0.1:{api}/api"), format!("p-{kind}"));
            text += &forge_and_project([kind, kind, &api], [&project, "o/n"], "stacks = [\"tiny\"]");
        }
        fs::write(folder.path().join("service.toml"), text).unwrap();
        let database = service.join("tlslab.sqlite");
        let service = Service::start(folder.path(), port, 60_000, Vec::new());
        service.wait();
        Self { service, database, port, _folder: folder }
    }

    /// A delivery as GitHub or Gitea signs it; the status of the answer.
    pub(crate) fn deliver(&self, forge: &str, id: &str, event: &str, body: &[u8]) -> u16 {
        self.send(forge, &signed(forge, id, event, body), body)
    }

    /// A request with these headers.
    pub(crate) fn send(&self, forge: &str, headers: &[(String, String)], body: &[u8]) -> u16 {
        let mut request = agent(Duration::from_secs(30)).post(self.service.url(&format!("/hooks/{forge}")));
        for (name, value) in headers {
            request = request.header(name, value);
        }
        request.send(body).unwrap().status().as_u16()
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// Raw bytes; the status of the answer, or 0 if the connection was closed without one.
    pub(crate) fn raw(&self, bytes: &[u8]) -> u16 {
        let mut stream = self.connect();
        let _ = stream.write_all(bytes);
        status(&mut stream)
    }

    /// Deliveries: forge, identifier, body, and the note from their handling.
    pub(crate) fn deliveries(&self) -> Vec<(String, String, Vec<u8>, Option<String>)> {
        let rows = Sqlite::open(&self.database).unwrap();
        let rows =
            rows.rows("SELECT forge, id, body, handled FROM delivery ORDER BY forge, id", &[]).unwrap();
        rows.iter()
            .map(|row| (row.get(0).unwrap(), row.get(1).unwrap(), row.get(2).unwrap(), row.get(3).unwrap()))
            .collect()
    }

    /// The note on a delivery, as soon as it is handled.
    pub(crate) fn note(&self, id: &str) -> String {
        self.note_within(id, HANDLED_WITHIN)
    }

    pub(crate) fn note_within(&self, id: &str, within: Duration) -> String {
        let deadline = Instant::now() + within;
        loop {
            let found = self.deliveries().into_iter().find(|(_, known, ..)| known == id);
            if let Some((.., Some(note))) = found {
                return note;
            }
            assert!(Instant::now() < deadline, "delivery {id} is not handled: {found:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// How many jobs there are.
    pub(crate) fn jobs(&self) -> usize {
        let address = Address::Sqlite(self.database.clone());
        let queue = tlslab_queue::open(&address, tlslab_queue::LEASE).unwrap();
        queue.list(&Filter::default()).unwrap().len()
    }

    /// How long a healthy answer takes.
    pub(crate) fn check_health(&mut self) -> Duration {
        self.service.id();
        let begun = Instant::now();
        let answer = agent(Duration::from_secs(10)).get(self.service.url("/health")).call().unwrap();
        assert_eq!(answer.status().as_u16(), 200);
        begun.elapsed()
    }

    /// Resident memory of the service, MiB.
    pub(crate) fn resident_mib(&mut self) -> u64 {
        let text = fs::read_to_string(format!("/proc/{}/statm", self.service.id())).unwrap();
        let pages: u64 = text.split(' ').nth(1).unwrap().parse().unwrap();
        pages * 4096 / (1 << 20)
    }
}

/// Headers of a delivery that its forge has signed.
pub(crate) fn signed(forge: &str, id: &str, event: &str, body: &[u8]) -> Vec<(String, String)> {
    let signature = sign(SECRET, body);
    let with_prefix = format!("sha256={signature}");
    let headers = match forge {
        "github" => {
            [("X-GitHub-Delivery", id), ("X-GitHub-Event", event), ("X-Hub-Signature-256", &with_prefix)]
        }
        "gitlab" => [("X-Gitlab-Event-UUID", id), ("X-Gitlab-Event", event), ("X-Gitlab-Token", SECRET)],
        _ => [("X-Gitea-Delivery", id), ("X-Gitea-Event", event), ("X-Gitea-Signature", &signature)],
    };
    headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec()
}

/// The head of a request with these headers.
pub(crate) fn head(forge: &str, headers: &[(String, String)], length: &str) -> Vec<u8> {
    let mut text = format!("POST /hooks/{forge} HTTP/1.1\r\nHost: x\r\n{length}\r\n");
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    (text + "\r\n").into_bytes()
}

/// The status of an answer, or 0 if the connection was closed without one.
pub(crate) fn status(stream: &mut TcpStream) -> u16 {
    let mut text = [0; 12];
    match stream.read_exact(&mut text) {
        Ok(()) => String::from_utf8_lossy(&text[9..12]).parse().unwrap_or(0),
        Err(_) => 0,
    }
}

/// What happened to a pull request.
pub(crate) fn event(action: &str, repository: &str) -> Vec<u8> {
    let (pull, of) = (pull(repository, "open"), described(repository));
    json!({"action": action, "number": 1, "pull_request": pull, "repository": of}).to_string().into_bytes()
}

fn closed() -> String {
    pull("o/n", "closed").to_string()
}

fn described(repository: &str) -> Value {
    json!({"id": 1, "full_name": repository, "default_branch": "main", "clone_url": "https://git.example/o/n.git"})
}

fn pull(repository: &str, state: &str) -> Value {
    let of = described(repository);
    let end = |commit: &str| json!({"sha": commit.repeat(40), "ref": "main", "repo": of});
    json!({
        "number": 1, "state": state, "draft": false, "user": {"login": "a", "id": 2}, "head": end("a"), "base": end("b"),
    })
}

fn start_api(api: Api) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let mut hanging = Vec::new();
        for mut stream in listener.incoming().flatten() {
            match api {
                Api::Hangs => hanging.push(stream),
                Api::Answers(status, text) => {
                    let _ = stream.read(&mut [0; 4096]);
                    let length = text.len();
                    let answer = format!(
                        "HTTP/1.1 {status} -\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
                    );
                    let _ = stream.write_all(format!("{answer}{text}").as_bytes());
                }
            }
        }
    });
    port
}
