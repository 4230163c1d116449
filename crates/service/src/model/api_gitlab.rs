//! The interface of GitLab, as far as a service uses it.

use serde_json::{Value, json};
use tlslab_forge::Answer;

use super::api::{answer, base_name, edit_comment, find_comment, make_comment, page, put_status, statuses};
use super::host::{BOT, Comment, Host, Pull, Source, merge_base, time};

pub(super) fn answered(host: &mut Host, method: &str, parts: &[&str], query: &str, body: &Value) -> Answer {
    let none = || answer(404, json!({"message": "404 Not found"}));
    let number = |text: &str| text.parse::<u64>().unwrap_or_default();
    let text = body["body"].as_str().unwrap_or_default();
    match (method, parts) {
        ("GET", ["user"]) => answer(200, json!({"username": host.own_name(), "id": BOT})),
        ("GET", ["projects", _]) => answer(
            200,
            json!({"id": 1, "path_with_namespace": "o/n", "default_branch": "main",
                "http_url_to_repo": "https://git.example/o/n.git"}),
        ),
        ("GET", ["projects", _, "repository", "branches", "main"]) => {
            answer(200, json!({"commit": {"id": host.main.last()}}))
        }
        ("GET", ["projects", _, "repository", "branches", _]) => none(),
        ("GET", ["projects", _, "repository", "merge_base"]) => {
            answer(200, json!({"id": merge_base(u8::from(query.contains("=other")))}))
        }
        ("GET", ["projects", _, "members", "all", id]) => {
            let id = number(id);
            let level = if host.writers.contains(&id) { 30 } else { 20 };
            answer(200, json!({"id": id, "access_level": level, "state": "active"}))
        }
        ("GET", ["projects", _, "merge_requests"]) => {
            let open = host.pulls.iter().filter(|(_, pull)| pull.is_open);
            page(query, open.map(|(number, pull)| request(host, *number, pull)).collect())
        }
        ("GET", ["projects", _, "merge_requests", pull]) => {
            let found = host.pulls.get(&number(pull));
            found.map_or_else(none, |found| answer(200, request(host, number(pull), found)))
        }
        ("POST", ["projects", _, "statuses", commit]) => {
            let of = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
            put_status(host, commit, of("name"), of("state"))
        }
        ("GET", ["projects", _, "repository", "commits", commit, "statuses"]) => {
            page(query, statuses(host, commit))
        }
        ("GET", ["projects", _, "merge_requests", pull, "notes"]) => {
            let own = host.comments.iter().filter(|comment| comment.pull == number(pull));
            page(query, own.map(|comment| note(host, comment)).collect())
        }
        ("POST", ["projects", _, "merge_requests", pull, "notes"]) => {
            make_comment(host, number(pull), text, note)
        }
        ("GET", ["projects", _, "merge_requests", _, "notes", id]) => find_comment(host, number(id), note),
        ("POST", ["projects", _, "merge_requests", _, "notes", _, "award_emoji"]) => {
            answer(201, json!({"id": host.id()}))
        }
        ("PUT", ["projects", _, "merge_requests", _, "notes", id]) => {
            edit_comment(host, number(id), text, note)
        }
        other => panic!("the model's code host does not know {other:?}"),
    }
}

fn note(host: &Host, comment: &Comment) -> Value {
    json!({"id": comment.id, "body": comment.body, "author": {"id": comment.by, "username": host.name(comment.by)},
        "noteable_iid": comment.pull, "created_at": time(comment.created_ms)})
}

fn request(host: &Host, number: u64, pull: &Pull) -> Value {
    json!({"iid": number, "sha": pull.head(), "title": format!("change {number}"),
        "source_project_id": if pull.source == Source::Fork { 2 } else { 1 }, "target_project_id": 1,
        "source_branch": format!("branch-{number}"), "target_branch": base_name(pull.base),
        "author": {"id": pull.author, "username": host.name(pull.author)},
        "state": if pull.is_open { "opened" } else { "closed" }, "draft": pull.is_draft,
        "updated_at": time(pull.updated_ms)})
}
