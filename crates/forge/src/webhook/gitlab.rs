//! GitLab's events.

use serde::Deserialize;

use super::checked::{branch, commit, id, need, parse, person, repository, unix_s};
use super::incoming::{Incoming, Person, PullAction, PullFacts, Repository};
use super::like_github::{ignored, shorten};
use super::unreadable::Unreadable;

#[derive(Deserialize)]
struct RawProject {
    id: Option<i64>,
    path_with_namespace: Option<String>,
    default_branch: Option<String>,
    git_http_url: Option<String>,
}

#[derive(Deserialize)]
struct RawUser {
    id: Option<i64>,
    username: Option<String>,
}

#[derive(Deserialize)]
struct RawPush {
    r#ref: Option<String>,
    before: Option<String>,
    after: Option<String>,
    project: Option<RawProject>,
}

#[derive(Deserialize)]
struct RawMerge {
    user: Option<RawUser>,
    project: Option<RawProject>,
    object_attributes: Option<RawRequest>,
    changes: Option<RawChanges>,
}

#[derive(Deserialize)]
struct RawRequest {
    iid: Option<i64>,
    action: Option<String>,
    /// Only if the head moved.
    oldrev: Option<String>,
    state: Option<String>,
    draft: Option<bool>,
    work_in_progress: Option<bool>,
    author_id: Option<i64>,
    source_project_id: Option<i64>,
    source_branch: Option<String>,
    title: Option<String>,
    updated_at: Option<String>,
    target_branch: Option<String>,
    last_commit: Option<RawCommit>,
}

#[derive(Deserialize)]
struct RawCommit {
    id: Option<String>,
}

#[derive(Deserialize)]
struct RawChanges {
    draft: Option<RawFlag>,
    target_branch: Option<serde::de::IgnoredAny>,
    title: Option<serde::de::IgnoredAny>,
    labels: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct RawFlag {
    current: Option<bool>,
}

#[derive(Deserialize)]
struct RawNoted {
    user: Option<RawUser>,
    project: Option<RawProject>,
    object_attributes: Option<RawNote>,
    merge_request: Option<RawNumber>,
}

#[derive(Deserialize)]
struct RawNote {
    id: Option<i64>,
    note: Option<String>,
    noteable_type: Option<String>,
    /// GitLab before 16.11 sends none.
    action: Option<String>,
    created_at: Option<String>,
    updated_at: Option<String>,
    system: Option<bool>,
}

#[derive(Deserialize)]
struct RawNumber {
    iid: Option<i64>,
}

pub(super) fn read(event: &str, body: &[u8]) -> Result<Incoming, Unreadable> {
    match event {
        "Push Hook" => push(body),
        "Merge Request Hook" => merge_request(body),
        "Note Hook" => note(body),
        other => Ok(ignored(&format!("events of the kind {} are not used", shorten(other)))),
    }
}

fn push(body: &[u8]) -> Result<Incoming, Unreadable> {
    let push: RawPush = parse(body)?;
    let name = need(push.r#ref, "reference")?;
    let Some(name) = name.strip_prefix("refs/heads/") else {
        return Ok(ignored("a push to something else than a branch, such as a tag"));
    };
    Ok(Incoming::Push {
        repository: project(push.project)?,
        branch: branch(name.to_owned(), "branch")?,
        before: commit(push.before, "commit before the push")?,
        commit: commit(Some(need(push.after, "commit after the push")?), "commit after the push")?,
    })
}

fn merge_request(body: &[u8]) -> Result<Incoming, Unreadable> {
    let RawMerge { user, project: target, object_attributes, changes } = parse(body)?;
    let request = need(object_attributes, "merge request")?;
    // A group's or a test hook's event may have none.
    let Some(action) = request.action.clone() else {
        return Ok(ignored("an event of a merge request without an action"));
    };
    let number = id(request.iid, "number of the merge request")?;
    let action = match action.as_str() {
        // The first is sent when no more approvals are required, the second before that.
        "approved" | "approval" => {
            let by = account(user)?;
            return Ok(Incoming::Approved { repository: project(target)?, number, commit: None, by });
        }
        "open" => PullAction::Opened,
        "reopen" => PullAction::Reopened,
        "close" | "merge" => PullAction::Closed,
        "update" => match updated(&request, changes) {
            Some(action) => action,
            None => return Ok(ignored("an update of a merge request that changes nothing that is measured")),
        },
        other => return Ok(ignored(&format!("a merge request had the event {}", shorten(other)))),
    };
    Ok(Incoming::Pull { repository: project(target)?, number, action, pull: facts(request, user)? })
}

/// The action of an update; a new head comes first.
fn updated(request: &RawRequest, changes: Option<RawChanges>) -> Option<PullAction> {
    if request.oldrev.is_some() {
        return Some(PullAction::Synchronised);
    }
    let changes = changes?;
    if changes.target_branch.is_some() {
        return Some(PullAction::Edited);
    }
    match changes.draft.and_then(|draft| draft.current) {
        Some(false) => Some(PullAction::ReadyForReview),
        Some(true) => Some(PullAction::Other),
        None if changes.labels.is_some() => Some(PullAction::Labelled),
        None => changes.title.map(|_| PullAction::Other),
    }
}

/// The event's user is the actor; it names the author by id alone.
fn facts(request: RawRequest, user: Option<RawUser>) -> Result<PullFacts, Unreadable> {
    let author = request.author_id;
    let is_author = |user: &RawUser| user.id.is_some() && user.id == author;
    let author = account(Some(user.filter(is_author).unwrap_or(RawUser { id: author, username: None })))?;
    let head = request.last_commit.and_then(|commit| commit.id);
    let source = request.source_project_id.map(|number| id(Some(number), "id of the source project"));
    Ok(PullFacts {
        head: commit(head, "head commit")?,
        head_repository: source.transpose()?,
        title: shorten(&request.title.unwrap_or_default()),
        branch: shorten(&request.source_branch.unwrap_or_default()),
        updated_unix_s: request.updated_at.as_deref().and_then(unix_s),
        base_branch: branch(need(request.target_branch, "target branch")?, "target branch")?,
        author,
        is_draft: request.draft.or(request.work_in_progress).unwrap_or(false),
        is_open: need(request.state, "state of the merge request")? == "opened",
    })
}

fn note(body: &[u8]) -> Result<Incoming, Unreadable> {
    let event: RawNoted = parse(body)?;
    let note = need(event.object_attributes, "note")?;
    if note.noteable_type.as_deref() != Some("MergeRequest") {
        return Ok(ignored("a comment on something else than a merge request"));
    }
    let is_new = note.action.as_ref().map_or(note.created_at == note.updated_at, |action| action == "create");
    if note.system == Some(true) {
        return Ok(ignored("a comment that GitLab wrote"));
    }
    let request = need(event.merge_request, "merge request")?;
    Ok(Incoming::Command {
        repository: project(event.project)?,
        number: id(request.iid, "number of the merge request")?,
        comment: id(note.id, "id of the comment")?,
        by: account(event.user)?,
        created_unix_s: note.created_at.as_deref().and_then(unix_s),
        is_edited: !is_new,
        text: note.note.unwrap_or_default().chars().take(Incoming::LONGEST_TEXT).collect(),
    })
}

fn project(project: Option<RawProject>) -> Result<Repository, Unreadable> {
    let project = need(project, "project")?;
    let number = id(project.id, "id of the project")?;
    repository(number, project.path_with_namespace, project.default_branch, project.git_http_url)
}

fn account(user: Option<RawUser>) -> Result<Person, Unreadable> {
    let Some(RawUser { id, username }) = user else { return person(None, None, false) };
    let is_bot = username.as_deref().is_some_and(is_bot);
    person(username, id, is_bot)
}

/// Whether it is the account of an access token or a service account: GitLab names them so.
pub(crate) fn is_bot(username: &str) -> bool {
    let names = |start: &str| {
        let rest = username.strip_prefix(start);
        rest.is_some_and(|rest| {
            rest.trim_start_matches(|digit: char| digit.is_ascii_digit()).starts_with("_bot")
        })
    };
    names("project_") || names("group_") || username.starts_with("service_account_")
}
