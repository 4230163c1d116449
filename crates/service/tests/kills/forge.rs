//! A forge in this process: it answers as Gitea does, stores writes, and sometimes fails.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use crate::dice::Dice;

const BOT: &str = "lab-bot";
/// One answer of so many is a failure of each kind.
const TROUBLE: u64 = 9;

/// The forge's data.
#[derive(Default)]
pub(crate) struct Kept {
    /// Pull requests: their heads, and whether they are open.
    pub pulls: BTreeMap<u64, (String, bool)>,
    /// Comments by their numbers, with their pull requests.
    pub comments: BTreeMap<u64, (u64, String)>,
    /// The statuses of each commit: context, state and description.
    pub statuses: BTreeMap<String, Vec<(String, String, String)>>,
    /// Answers 502 after the work was done.
    pub failures: u64,
    /// Answers 429 instead of work.
    pub limits: u64,
    /// No more failures.
    pub is_calm: bool,
}

/// The forge.
#[derive(Clone)]
pub(crate) struct Forge {
    kept: Arc<Mutex<Kept>>,
    dice: Arc<Mutex<Dice>>,
    port: u16,
}

impl Forge {
    /// Starts it.
    pub(crate) fn start(seed: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let forge = Self { kept: Arc::default(), dice: Arc::new(Mutex::new(Dice(seed))), port };
        let own = forge.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let forge = own.clone();
                // A client that is killed during a request breaks the connection.
                std::thread::spawn(move || forge.answer(stream).ok());
            }
        });
        forge
    }

    /// The address of its API.
    pub(crate) fn api(&self) -> String {
        format!("http://127.0.0.1:{}/api/v1", self.port)
    }

    /// The forge's data.
    pub(crate) fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn roll(&self, sides: u64) -> u64 {
        self.dice.lock().unwrap_or_else(PoisonError::into_inner).roll(sides)
    }

    fn answer(&self, stream: TcpStream) -> std::io::Result<()> {
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let mut words = line.split(' ').map(str::to_owned);
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let mut length = 0;
        loop {
            let mut header = String::new();
            reader.read_line(&mut header)?;
            let Some((name, value)) = header.split_once(':') else { break };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().unwrap_or_default();
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let body = serde_json::from_slice(&body).unwrap_or_default();
        let (status, answer) = self.with_trouble(&method, &path, &body);
        let (text, after) =
            (answer.to_string(), if matches!(status, 429 | 502) { "Retry-After: 1\r\n" } else { "" });
        let head =
            format!("HTTP/1.1 {status} -\r\nConnection: close\r\nContent-Type: application/json\r\n{after}");
        let head = format!("{head}Content-Length: {}\r\n\r\n", text.len());
        reader.get_mut().write_all(format!("{head}{text}").as_bytes())
    }

    /// Sometimes it ignores a request, and sometimes it carries it out and reports a failure.
    fn with_trouble(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let is_calm = self.kept().is_calm;
        if !is_calm && self.roll(TROUBLE) == 0 {
            self.kept().limits += 1;
            return (429, json!({"message": "too many requests"}));
        }
        // For a killed client this looks like a late answer.
        std::thread::sleep(Duration::from_millis(self.roll(8)));
        let done = self.do_work(method, path, body);
        std::thread::sleep(Duration::from_millis(self.roll(8)));
        if !is_calm && method != "GET" && self.roll(TROUBLE) == 0 {
            self.kept().failures += 1;
            return (502, json!({"message": "bad gateway"}));
        }
        done
    }

    fn do_work(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let mut kept = self.kept();
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let parts: Vec<&str> = path.trim_start_matches("/api/v1/").split('/').collect();
        let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
        let number = |text: &str| text.parse::<u64>().unwrap_or_default();
        let missing = || (404, json!({"message": "not found"}));
        match (method, parts.as_slice()) {
            ("GET", ["user"]) => (200, json!({"login": BOT, "id": 1})),
            ("GET", ["repos", "o", "n", "pulls", pull]) => {
                let pull = number(pull);
                kept.pulls.get(&pull).map_or_else(missing, |about| (200, pull_json(pull, about)))
            }
            ("GET", ["repos", "o", "n"]) => (200, repository()),
            ("GET", ["repos", "o", "n", "pulls"]) => {
                let open =
                    kept.pulls.iter().filter(|(_, (_, is_open))| *is_open && query.ends_with("page=1"));
                (200, open.map(|(number, about)| pull_json(*number, about)).collect())
            }
            ("GET", ["repos", "o", "n", "collaborators", "author", "permission"]) => {
                (200, json!({"permission": "write", "user": {"login": "author", "id": 2}}))
            }
            ("GET", ["repos", "o", "n", "statuses", commit]) => {
                let of_commit = kept.statuses.get(*commit).map(Vec::as_slice).unwrap_or_default();
                let one = |(id, (context, state, _)): (usize, &(String, String, String))| json!({"id": id, "context": context, "status": state});
                (200, of_commit.iter().enumerate().map(one).collect())
            }
            ("POST", ["repos", "o", "n", "statuses", commit]) => {
                let status = (text("context"), text("state"), text("description"));
                kept.statuses.entry((*commit).to_owned()).or_default().push(status);
                (201, json!({}))
            }
            ("GET", ["repos", "o", "n", "issues", "comments", id]) => {
                let id = number(id);
                kept.comments.get(&id).map_or_else(missing, |(pull, text)| (200, comment(id, *pull, text)))
            }
            ("PATCH", ["repos", "o", "n", "issues", "comments", id]) => {
                let id = number(id);
                let Some(known) = kept.comments.get_mut(&id) else { return missing() };
                known.1 = text("body");
                (200, comment(id, known.0, &known.1))
            }
            ("GET", ["repos", "o", "n", "issues", pull, "comments"]) => {
                let (pull, is_first) = (number(pull), query.ends_with("page=1"));
                let of_pull = kept.comments.iter().filter(|(_, (of, _))| *of == pull && is_first);
                (200, of_pull.map(|(id, (pull, text))| comment(*id, *pull, text)).collect())
            }
            ("POST", ["repos", "o", "n", "issues", pull, "comments"]) => {
                let (id, pull) = (kept.comments.len() as u64 + 1, number(pull));
                kept.comments.insert(id, (pull, text("body")));
                (201, comment(id, pull, &text("body")))
            }
            _ => missing(),
        }
    }
}

fn comment(id: u64, pull: u64, text: &str) -> Value {
    json!({"id": id, "user": {"login": BOT, "id": 1}, "body": text, "issue_url": format!("/issues/{pull}")})
}

fn repository() -> Value {
    let url = "https://git.example/o/n.git";
    json!({"id": 1, "full_name": "o/n", "default_branch": "main", "clone_url": url})
}

fn pull_json(number: u64, (head, is_open): &(String, bool)) -> Value {
    json!({
        "number": number, "state": if *is_open { "open" } else { "closed" }, "draft": false,
        "user": {"login": "author", "id": 2}, "merge_base": "b".repeat(40),
        "head": {"sha": head, "ref": "topic", "repo": repository()},
        "base": {"sha": "b".repeat(40), "ref": "main", "repo": repository()},
    })
}

/// The body of a delivery about a pull request.
pub(crate) fn event(action: &str, number: u64, about: &(String, bool)) -> Value {
    let pull = pull_json(number, about);
    json!({"action": action, "number": number, "pull_request": pull, "repository": repository()})
}
