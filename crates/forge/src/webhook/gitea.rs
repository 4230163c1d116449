//! The events of Gitea and Forgejo.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::checked::{branch, id, need, parse};
use super::incoming::{Incoming, PullAction};
use super::like_github::{RawPerson, RawPull, RawRepository, comment, ignored, pull, push, shorten};
use super::unreadable::Unreadable;

/// Pull requests are drafts by these beginnings of their titles, unless the operator of the forge chose
/// others.
const DRAFT: [&str; 2] = ["WIP:", "[WIP]"];

#[derive(Deserialize)]
struct RawEvent {
    action: Option<String>,
    number: Option<i64>,
    pull_request: Option<RawPull>,
    repository: Option<RawRepository>,
    changes: Option<RawChanges>,
    sender: Option<RawPerson>,
}

#[derive(Deserialize)]
struct RawChanges {
    r#ref: Option<IgnoredAny>,
    title: Option<RawFrom>,
}

#[derive(Deserialize)]
struct RawFrom {
    from: Option<String>,
}

#[derive(Deserialize)]
struct RawDeleted {
    r#ref: Option<String>,
    ref_type: Option<String>,
    repository: Option<RawRepository>,
}

pub(super) fn read(event: &str, body: &[u8]) -> Result<Incoming, Unreadable> {
    match event {
        "push" => push(body),
        "delete" => deleted(body),
        "pull_request" | "pull_request_label" => changed(body),
        "pull_request_approved" => approved(body),
        "issue_comment" => comment(body),
        other => Ok(ignored(&format!("events of the kind {} are not used", shorten(other)))),
    }
}

/// Deletions of branches are not pushes here.
fn deleted(body: &[u8]) -> Result<Incoming, Unreadable> {
    let event: RawDeleted = parse(body)?;
    if event.ref_type.as_deref() != Some("branch") {
        return Ok(ignored("something else than a branch was deleted, such as a tag"));
    }
    Ok(Incoming::Push {
        repository: RawRepository::check(event.repository)?,
        branch: branch(need(event.r#ref, "reference")?, "branch")?,
        before: None,
        commit: None,
    })
}

fn changed(body: &[u8]) -> Result<Incoming, Unreadable> {
    let event: RawEvent = parse(body)?;
    let changes = event.changes.as_ref();
    let is_retargeted = changes.is_some_and(|changes| changes.r#ref.is_some());
    let action = match need(event.action, "action")?.as_str() {
        "opened" => PullAction::Opened,
        "synchronized" => PullAction::Synchronised,
        "reopened" => PullAction::Reopened,
        "closed" => PullAction::Closed,
        "label_updated" | "label_cleared" => PullAction::Labelled,
        "edited" if is_retargeted => PullAction::Edited,
        "edited" => PullAction::Other,
        other => return Ok(ignored(&format!("a pull request had the event {}", shorten(other)))),
    };
    let old_title = event.changes.and_then(|changes| changes.title?.from).unwrap_or_default();
    let incoming = pull(action, event.pull_request, event.repository)?;
    Ok(match incoming {
        Incoming::Pull { repository, number, action: PullAction::Other, pull }
            if was_draft(&old_title) && !pull.is_draft =>
        {
            Incoming::Pull { repository, number, action: PullAction::ReadyForReview, pull }
        }
        other => other,
    })
}

fn was_draft(title: &str) -> bool {
    DRAFT.iter().any(|draft| title.get(..draft.len()).is_some_and(|start| start.eq_ignore_ascii_case(draft)))
}

/// The event names no commit; the review does, and is requested separately.
fn approved(body: &[u8]) -> Result<Incoming, Unreadable> {
    let event: RawEvent = parse(body)?;
    Ok(Incoming::Approved {
        repository: RawRepository::check(event.repository)?,
        number: id(event.number, "number of the pull request")?,
        commit: None,
        by: RawPerson::check(event.sender)?,
    })
}
