//! A forge with one pull request, on this machine.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::{Value, json};

/// The forge's state, and the requests that it has received.
#[derive(Default)]
pub(crate) struct State {
    /// The pull request's number and its head commit.
    pub number: u64,
    pub head: String,
    /// The token's account, if the API may ask.
    pub login: Option<String>,
    /// Comments: author and text.
    pub comments: Vec<(String, String)>,
    /// Comments that every request returns.
    pub page: usize,
    /// Answers to the next requests, in place of true ones: status and header. Nothing is changed.
    pub next: VecDeque<(u16, &'static str)>,
    /// So many changes are made although the answer is an error.
    pub lost: usize,
    /// Artifacts as the API lists them, and their contents.
    pub artifacts: Value,
    pub zip: Vec<u8>,
    /// Every request: method, path, token.
    pub asked: Vec<[String; 3]>,
}

/// The forge.
pub(crate) struct Fake {
    pub url: String,
    state: Arc<Mutex<State>>,
}

impl Fake {
    pub(crate) fn new(number: u64, head: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = State { number, head: head.to_owned(), page: 100, ..State::default() };
        let state = Arc::new(Mutex::new(state));
        let shared = state.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                serve(stream.unwrap(), &shared);
            }
        });
        Self { url, state }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Requests that would change something.
    pub(crate) fn writes(&self) -> usize {
        self.state().asked.iter().filter(|[method, ..]| method != "GET").count()
    }
}

fn serve(stream: TcpStream, state: &Mutex<State>) {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap() == 0 {
            return;
        }
        if line.trim().is_empty() {
            break;
        }
        lines.push(line.trim().to_owned());
    }
    let header = |name: &str| {
        let named = |line: &&String| line.to_lowercase().starts_with(&format!("{name}:"));
        lines.iter().find(named).map(|line| line[name.len() + 1..].trim().to_owned())
    };
    let mut body = vec![0; header("content-length").map_or(0, |length| length.parse().unwrap())];
    reader.read_exact(&mut body).unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let mut words = lines[0].split(' ');
    let (method, path) = (words.next().unwrap().to_owned(), words.next().unwrap().to_owned());
    let token = header("authorization").or(header("private-token")).unwrap_or_default();
    let mut state = state.lock().unwrap();
    state.asked.push([method.clone(), path.clone(), token]);
    let (status, more, answer) = match state.next.pop_front() {
        Some((status, more)) => (status, more, json!({ "message": "so it was arranged" })),
        None => {
            let (status, answer) = answer(&mut state, &method, &path, &body);
            if method != "GET" && state.lost > 0 {
                state.lost -= 1;
                (502, "Retry-After: 0", json!({ "message": "lost" }))
            } else {
                // Artifacts are in a separate store, to which it redirects.
                (status, if status == 302 { "Location: /storage/3/zip" } else { "" }, answer)
            }
        }
    };
    let text =
        if status == 200 && path.ends_with("/zip") { state.zip.clone() } else { answer.to_string().into() };
    let more = if more.is_empty() { String::new() } else { format!("{more}\r\n") };
    write!(
        reader.get_mut(),
        "HTTP/1.1 {status} So\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n{more}\r\n",
        text.len()
    )
    .unwrap();
    reader.get_mut().write_all(&text).unwrap();
}

/// Both forges' paths: they do not meet.
fn answer(state: &mut State, method: &str, path: &str, body: &Value) -> (u16, Value) {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let number = state.number;
    let none = (404, json!({ "message": "Not Found" }));
    let text = || body["body"].as_str().unwrap().to_owned();
    if path == "/user" {
        return match &state.login {
            Some(login) => (200, json!({ "login": login, "username": login })),
            None => (403, json!({ "message": "Resource not accessible by integration" })),
        };
    }
    if path == format!("/repos/o/r/pulls/{number}") || path == format!("/projects/7/merge_requests/{number}")
    {
        let head = json!({ "sha": state.head, "repo": { "id": 70 } });
        return (200, json!({ "head": head, "sha": state.head, "source_project_id": 70 }));
    }
    if path == "/repos/o/r/actions/artifacts" {
        return (200, json!({ "artifacts": state.artifacts }));
    }
    if path == "/repos/o/r/actions/artifacts/3/zip" {
        return (302, Value::Null);
    }
    if path == "/storage/3/zip" {
        return (200, Value::Null);
    }
    let lists = [
        format!("/repos/o/r/issues/{number}/comments"),
        format!("/projects/7/merge_requests/{number}/notes"),
    ];
    if lists.iter().any(|list| list == path) {
        if method == "POST" {
            let author = state.login.clone().unwrap_or("github-actions[bot]".to_owned());
            state.comments.push((author, text()));
            return (201, json!({ "id": state.comments.len() }));
        }
        let page = query.split('&').find_map(|part| part.strip_prefix("page=")).unwrap();
        let page: usize = page.parse().unwrap();
        let comment = |(at, (author, body)): (usize, &(String, String))| json!({ "id": at + 1, "body": body, "user": { "login": author }, "author": { "username": author } });
        let listed = state.comments.iter().enumerate().skip((page - 1) * state.page).take(state.page);
        return (200, listed.map(comment).collect());
    }
    let single = ["/repos/o/r/issues/comments/".to_owned(), format!("{}/", lists[1])];
    let id = single.iter().find_map(|start| path.strip_prefix(start.as_str())?.parse::<usize>().ok());
    match id.and_then(|id| state.comments.get_mut(id.checked_sub(1)?)) {
        Some(comment) if ["PATCH", "PUT"].contains(&method) => {
            comment.1 = text();
            (200, json!({ "id": id }))
        }
        _ => none,
    }
}
