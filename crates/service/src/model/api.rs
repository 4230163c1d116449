//! The interface of GitHub and Gitea, as far as a service uses it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tlslab_forge::{Answer, Ask, ForgeError, Transport};

use super::api_gitlab;
use super::host::{BOT, Comment, Flavour, Host, Outage, PEOPLE, Pull, Source, Status, merge_base, time};

pub(super) const API: &str = "https://git.example/api/v1/";

/// Carries requests to the code host of a world.
pub(super) struct Wire(pub Arc<Mutex<Host>>);

impl Transport for Wire {
    fn send(&mut self, ask: &Ask) -> Result<Answer, ForgeError> {
        let mut host = self.0.lock().unwrap();
        let refused = |status: u16| Ok(answer(status, json!({"message": "no"})));
        match host.trouble() {
            Some(Outage::Unreachable) => {
                let cause = "no route".to_owned();
                return Err(ForgeError::Unreachable { method: ask.method, url: ask.url.clone(), cause });
            }
            Some(Outage::Forbidden) => return refused(403),
            Some(Outage::Unauthorised) => return refused(401),
            Some(Outage::Broken) => return refused(502),
            Some(Outage::Nonsense) => return Ok(answer(200, json!({"number": -1, "head": []}))),
            Some(Outage::Forgetful) | None => {}
        }
        let path = ask.url.strip_prefix(API).expect("an address of the code host").to_owned();
        let (path, query) = path.split_once('?').unwrap_or((&path, ""));
        let parts: Vec<&str> = path.split('/').collect();
        let body = ask.body.clone().unwrap_or_default();
        Ok(match host.flavour {
            Flavour::Gitlab => api_gitlab::answered(&mut host, ask.method, &parts, query, &body),
            _ => answered(&mut host, ask.method, &parts, query, &body),
        })
    }

    fn wait(&mut self, _: Duration) {}

    fn now_unix_s(&self) -> u64 {
        self.0.lock().unwrap().now() / 1_000
    }
}

pub(super) fn answer(status: u16, body: Value) -> Answer {
    Answer { status, body, ..Answer::default() }
}

/// A list that has one page.
pub(super) fn page(query: &str, list: Vec<Value>) -> Answer {
    let is_first = !query.split('&').any(|part| part.starts_with("page=") && part != "page=1");
    answer(200, Value::Array(if is_first { list } else { Vec::new() }))
}

fn answered(host: &mut Host, method: &str, parts: &[&str], query: &str, body: &Value) -> Answer {
    let none = || answer(404, json!({"message": "not found"}));
    let number = |text: &str| text.parse::<u64>().unwrap_or_default();
    match (method, parts) {
        ("GET", ["user"]) => answer(200, json!({"login": host.own_name(), "id": BOT})),
        ("GET", ["app"]) => answer(200, json!({"slug": "lab"})),
        ("GET", ["repos", _, _, "installation"]) => answer(200, json!({"id": 1, "suspended_at": null})),
        ("POST", ["app", "installations", _, "access_tokens"]) => {
            answer(201, json!({"token": "t", "expires_at": time(host.now() + 3_600_000)}))
        }
        ("GET", ["repos", _, _]) => answer(200, repository()),
        ("GET", ["repos", _, _, "branches", name]) => {
            let commit = match *name {
                "main" => host.main.last(),
                other => host.queue.get(&other.replace("%2F", "/")),
            };
            commit.map_or_else(none, |commit| answer(200, json!({"commit": {"id": commit, "sha": commit}})))
        }
        ("GET", ["repos", _, _, "pulls"]) => {
            let open = host.pulls.iter().filter(|(_, pull)| pull.is_open);
            page(query, open.map(|(number, pull)| pull_body(host, *number, pull)).collect())
        }
        ("GET", ["repos", _, _, "pulls", pull]) => {
            let found = host.pulls.get(&number(pull));
            found.map_or_else(none, |found| answer(200, pull_body(host, number(pull), found)))
        }
        ("GET", ["repos", _, _, "pulls", pull, "reviews"]) => {
            let reviews = host.pulls.get(&number(pull)).map(|pull| pull.reviews.clone()).unwrap_or_default();
            let state = |is_approval| if is_approval { "APPROVED" } else { "REQUEST_CHANGES" };
            let one = |review: &super::host::Review| {
                json!({"id": review.id, "user": {"id": review.by}, "commit_id": review.commit,
                    "state": state(review.is_approval), "dismissed": false})
            };
            page(query, reviews.iter().map(one).collect())
        }
        ("GET", ["repos", _, _, "compare", range]) => {
            let base = u8::from(range.starts_with("other"));
            answer(200, json!({"merge_base_commit": {"sha": merge_base(base)}}))
        }
        ("GET", ["repos", _, _, "collaborators", login, "permission"]) => {
            let Some(id) = PEOPLE.iter().position(|name| name == login) else { return none() };
            let may = host.writers.contains(&(id as u64));
            answer(200, json!({"permission": if may { "write" } else { "read" }, "user": {"id": id}}))
        }
        ("POST", ["repos", _, _, "statuses", commit]) => {
            let of = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
            put_status(host, commit, of("context"), of("state"))
        }
        ("GET", ["repos", _, _, "statuses", commit] | ["repos", _, _, "commits", commit, "statuses"]) => {
            page(query, statuses(host, commit))
        }
        (_, ["repos", _, _, rest @ ..]) if rest.contains(&"check-runs") => {
            check_runs(host, method, rest, body)
        }
        (_, ["repos", _, _, "issues", rest @ ..]) => comments(host, method, rest, query, body),
        other => panic!("the model's code host does not know {other:?}"),
    }
}

fn check_runs(host: &mut Host, method: &str, rest: &[&str], body: &Value) -> Answer {
    let of = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
    let ended = |state: String, conclusion: String| if state == "completed" { conclusion } else { state };
    match (method, rest) {
        ("GET", ["commits", commit, "check-runs"]) => {
            let is_ended = |state: &str| !["queued", "in_progress"].contains(&state);
            let one = |status: &Status| {
                json!({"id": status.id, "name": status.context, "app": {"id": 7},
                    "status": if is_ended(&status.state) { "completed" } else { &status.state },
                    "conclusion": is_ended(&status.state).then_some(&status.state)})
            };
            let own = host.statuses.iter().filter(|status| status.commit == **commit).map(one);
            answer(200, json!({"check_runs": own.collect::<Vec<_>>()}))
        }
        ("POST", ["check-runs"]) => {
            put_status(host, &of("head_sha"), of("name"), ended(of("status"), of("conclusion")))
        }
        ("PATCH", ["check-runs", id]) => {
            let id: u64 = id.parse().unwrap_or_default();
            if host.trouble() != Some(Outage::Forgetful)
                && let Some(status) = host.statuses.iter_mut().find(|status| status.id == id)
            {
                status.state = ended(of("status"), of("conclusion"));
            }
            answer(200, json!({"id": id}))
        }
        other => panic!("the model's code host does not know {other:?}"),
    }
}

fn comments(host: &mut Host, method: &str, rest: &[&str], query: &str, body: &Value) -> Answer {
    let number = |text: &str| text.parse::<u64>().unwrap_or_default();
    let text = body["body"].as_str().unwrap_or_default();
    match (method, rest) {
        ("GET", [pull, "comments"]) => {
            let own = host.comments.iter().filter(|comment| comment.pull == number(pull));
            page(query, own.map(|comment| comment_body(host, comment)).collect())
        }
        ("POST", [pull, "comments"]) => make_comment(host, number(pull), text, comment_body),
        ("GET", ["comments", id]) => find_comment(host, number(id), comment_body),
        ("POST", ["comments", _, "reactions"]) => answer(201, json!({"id": host.id()})),
        ("PATCH", ["comments", id]) => edit_comment(host, number(id), text, comment_body),
        other => panic!("the model's code host does not know {other:?}"),
    }
}

pub(super) fn put_status(host: &mut Host, commit: &str, context: String, state: String) -> Answer {
    let id = host.id();
    if host.trouble() != Some(Outage::Forgetful) {
        host.statuses.push(Status { id, commit: commit.to_owned(), context, state });
    }
    answer(201, json!({"id": id}))
}

pub(super) fn statuses(host: &Host, commit: &str) -> Vec<Value> {
    let own = host.statuses.iter().filter(|status| status.commit == commit);
    let one = |status: &Status| {
        let (context, state) = (&status.context, &status.state);
        json!({"id": status.id, "context": context, "name": context, "state": state, "status": state})
    };
    own.map(one).collect()
}

pub(super) type Shown = fn(&Host, &Comment) -> Value;

pub(super) fn make_comment(host: &mut Host, pull: u64, text: &str, shown: Shown) -> Answer {
    let (id, created_ms) = (host.id(), host.now());
    let comment =
        Comment { id, pull, by: BOT, created_ms, body: text.to_owned(), of_writer: false, was_edited: false };
    if host.trouble() != Some(Outage::Forgetful) {
        host.hear(pull, text);
        host.comments.push(comment.clone());
    }
    answer(201, shown(host, &comment))
}

pub(super) fn find_comment(host: &Host, id: u64, shown: Shown) -> Answer {
    match host.comments.iter().find(|comment| comment.id == id) {
        Some(comment) => answer(200, shown(host, comment)),
        None => answer(404, json!({"message": "not found"})),
    }
}

pub(super) fn edit_comment(host: &mut Host, id: u64, text: &str, shown: Shown) -> Answer {
    let Some(at) = host.comments.iter().position(|comment| comment.id == id) else {
        return answer(404, json!({"message": "not found"}));
    };
    if host.trouble() != Some(Outage::Forgetful) {
        host.hear(host.comments[at].pull, text);
        host.comments[at].body = text.to_owned();
    }
    answer(200, shown(host, &host.comments[at].clone()))
}

fn comment_body(host: &Host, comment: &Comment) -> Value {
    json!({"id": comment.id, "body": comment.body, "user": person(host, comment.by),
        "issue_url": format!("{API}repos/o/n/issues/{}", comment.pull), "created_at": time(comment.created_ms)})
}

pub(super) fn person(host: &Host, id: u64) -> Value {
    json!({"login": host.name(id), "id": id, "type": if id == BOT { "Bot" } else { "User" }})
}

pub(super) fn repository() -> Value {
    json!({"id": 1, "full_name": "o/n", "default_branch": "main", "clone_url": "https://git.example/o/n.git"})
}

pub(super) fn base_name(base: u8) -> &'static str {
    if base == 0 { "main" } else { "other" }
}

pub(super) fn pull_body(host: &Host, number: u64, pull: &Pull) -> Value {
    let repo = |id: u64| json!({"id": id, "full_name": "o/n", "clone_url": "https://git.example/o/n.git"});
    let head_repo = if pull.source == Source::Fork { repo(2) } else { repo(1) };
    let reference = match pull.source {
        Source::Agit => format!("refs/pull/{number}/head"),
        _ => format!("branch-{number}"),
    };
    json!({"number": number, "state": if pull.is_open { "open" } else { "closed" }, "draft": pull.is_draft,
        "title": format!("change {number}"), "updated_at": time(pull.updated_ms), "user": person(host, pull.author),
        "head": {"sha": pull.head(), "ref": reference, "repo": head_repo},
        "base": {"ref": base_name(pull.base), "repo": repo(1)}, "merge_base": merge_base(pull.base)})
}
