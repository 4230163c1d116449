//! Events of the code host.

use serde_json::{Value, json};

use super::api::{base_name, person, pull_body, repository};
use super::host::{Comment, Flavour, Host, Source, time};

/// A webhook's event.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub event: &'static str,
    pub body: String,
    /// The comment that it is about.
    pub comment: Option<u64>,
}

impl Sent {
    fn of(event: &'static str, body: &Value) -> Self {
        Self { event, body: body.to_string(), comment: None }
    }
}

/// An event of a pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Happened {
    Opened,
    Pushed,
    Closed,
    Reopened,
    Retargeted,
    Ready,
}

pub(super) fn of_pull(host: &Host, number: u64, what: Happened) -> Sent {
    let pull = &host.pulls[&number];
    if host.flavour == Flavour::Gitlab {
        let action = match what {
            Happened::Opened => "open",
            Happened::Closed => "close",
            Happened::Reopened => "reopen",
            Happened::Pushed | Happened::Retargeted | Happened::Ready => "update",
        };
        let changes = match what {
            Happened::Retargeted => json!({"target_branch": {"previous": "x"}}),
            Happened::Ready => json!({"draft": {"previous": true, "current": false}}),
            _ => json!({}),
        };
        let mut body = json!({"user": {"id": pull.author, "username": host.name(pull.author)}, "project": project(),
            "changes": changes,
            "object_attributes": {"iid": number, "action": action, "state": if pull.is_open { "opened" } else { "closed" },
                "draft": pull.is_draft, "author_id": pull.author, "title": "t", "source_branch": "b",
                "source_project_id": if pull.source == Source::Fork { 2 } else { 1 },
                "target_branch": base_name(pull.base), "updated_at": time(pull.updated_ms),
                "last_commit": {"id": pull.head()}}});
        if what == Happened::Pushed {
            body["object_attributes"]["oldrev"] = json!(pull.head());
        }
        return Sent::of("Merge Request Hook", &body);
    }
    let is_gitea = host.flavour == Flavour::Gitea;
    let action = match what {
        Happened::Opened => "opened",
        Happened::Pushed if is_gitea => "synchronized",
        Happened::Pushed => "synchronize",
        Happened::Closed => "closed",
        Happened::Reopened => "reopened",
        Happened::Ready if !is_gitea => "ready_for_review",
        Happened::Retargeted | Happened::Ready => "edited",
    };
    let changes = match what {
        Happened::Retargeted => json!({"base": {"ref": {"from": "x"}}, "ref": {"from": "x"}}),
        Happened::Ready => json!({"title": {"from": "WIP: t"}}),
        _ => json!({}),
    };
    let body = json!({"action": action, "number": number, "pull_request": pull_body(host, number, pull),
        "repository": repository(), "changes": changes, "sender": person(host, pull.author)});
    Sent::of("pull_request", &body)
}

pub(super) fn of_comment(host: &Host, comment: &Comment, is_edit: bool) -> Sent {
    let sent = if host.flavour == Flavour::Gitlab {
        let body = json!({"user": {"id": comment.by, "username": host.name(comment.by)}, "project": project(),
            "object_attributes": {"id": comment.id, "note": comment.body, "noteable_type": "MergeRequest",
                "action": if is_edit { "update" } else { "create" }, "created_at": time(comment.created_ms)},
            "merge_request": {"iid": comment.pull}});
        Sent::of("Note Hook", &body)
    } else {
        let body = json!({"action": if is_edit { "edited" } else { "created" }, "is_pull": true,
            "issue": {"number": comment.pull, "pull_request": {}},
            "comment": {"id": comment.id, "body": comment.body, "user": person(host, comment.by),
                "created_at": time(comment.created_ms)},
            "repository": repository()});
        Sent::of("issue_comment", &body)
    };
    Sent { comment: Some(comment.id), ..sent }
}

pub(super) fn of_approval(host: &Host, number: u64, by: u64, commit: &str) -> Sent {
    match host.flavour {
        Flavour::Gitea => Sent::of(
            "pull_request_approved",
            &json!({"action": "reviewed", "number": number, "repository": repository(), "sender": person(host, by)}),
        ),
        Flavour::Gitlab => {
            let mut sent = of_pull(host, number, Happened::Opened);
            let mut body: Value = serde_json::from_str(&sent.body).unwrap();
            body["object_attributes"]["action"] = json!("approved");
            body["user"] = json!({"id": by, "username": host.name(by)});
            sent.body = body.to_string();
            sent
        }
        Flavour::Github | Flavour::App => Sent::of(
            "pull_request_review",
            &json!({"action": "submitted", "pull_request": {"number": number}, "repository": repository(),
                "review": {"state": "approved", "commit_id": commit, "user": person(host, by)}}),
        ),
    }
}

pub(super) fn of_push(host: &Host, before: &str, after: &str) -> Sent {
    let mut body =
        json!({"ref": "refs/heads/main", "before": before, "after": after, "repository": repository()});
    match host.flavour {
        Flavour::Gitlab => {
            body["project"] = project();
            Sent::of("Push Hook", &body)
        }
        _ => Sent::of("push", &body),
    }
}

pub(super) fn of_queue(branch: &str, commit: &str, base: &str, is_wanted: bool) -> Sent {
    let body = json!({"action": if is_wanted { "checks_requested" } else { "destroyed" }, "repository": repository(),
        "merge_group": {"head_sha": commit, "head_ref": format!("refs/heads/{branch}"), "base_sha": base}});
    Sent::of("merge_group", &body)
}

fn project() -> Value {
    json!({"id": 1, "path_with_namespace": "o/n", "default_branch": "main", "git_http_url": "https://git.example/o/n.git"})
}
