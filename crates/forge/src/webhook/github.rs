//! GitHub's events.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::checked::{branch, commit, id, need, parse};
use super::incoming::{Incoming, PullAction};
use super::like_github::{RawPerson, RawPull, RawRepository, comment, ignored, pull, push, shorten};
use super::unreadable::Unreadable;

#[derive(Deserialize)]
struct RawEvent {
    action: Option<String>,
    pull_request: Option<RawPull>,
    repository: Option<RawRepository>,
    changes: Option<RawChanges>,
}

#[derive(Deserialize)]
struct RawChanges {
    base: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct RawReviewed {
    action: Option<String>,
    review: Option<RawReview>,
    pull_request: Option<RawNumber>,
    repository: Option<RawRepository>,
}

#[derive(Deserialize)]
struct RawReview {
    state: Option<String>,
    commit_id: Option<String>,
    user: Option<RawPerson>,
}

/// The pull request in the event of a review has fewer fields.
#[derive(Deserialize)]
struct RawNumber {
    number: Option<i64>,
}

#[derive(Deserialize)]
struct RawMerging {
    action: Option<String>,
    merge_group: Option<RawGroup>,
    repository: Option<RawRepository>,
}

#[derive(Deserialize)]
struct RawGroup {
    head_sha: Option<String>,
    head_ref: Option<String>,
    base_sha: Option<String>,
}

#[derive(Deserialize)]
struct RawAgain {
    action: Option<String>,
    check_run: Option<RawCheck>,
    check_suite: Option<RawCheck>,
    repository: Option<RawRepository>,
    sender: Option<RawPerson>,
}

#[derive(Deserialize)]
struct RawCheck {
    head_sha: Option<String>,
    name: Option<String>,
}

/// Bytes of a check's name.
const LONGEST_NAME: usize = 255;

#[derive(Deserialize)]
struct RawInstalled {
    action: Option<String>,
    installation: Option<RawInstallation>,
}

#[derive(Deserialize)]
struct RawInstallation {
    id: Option<i64>,
}

pub(super) fn read(event: &str, body: &[u8]) -> Result<Incoming, Unreadable> {
    match event {
        "push" => push(body),
        "pull_request" => changed(body),
        "pull_request_review" => reviewed(body),
        "issue_comment" => comment(body),
        "installation" => installed(body),
        "merge_group" => merging(body),
        "check_run" | "check_suite" => again(body),
        other => Ok(ignored(&format!("events of the kind {} are not used", shorten(other)))),
    }
}

/// Other events of checks are those of the service's own writing.
fn again(body: &[u8]) -> Result<Incoming, Unreadable> {
    let RawAgain { action, check_run, check_suite, repository, sender } = parse(body)?;
    if need(action, "action")? != "rerequested" {
        return Ok(ignored("a check that is not to be run again"));
    }
    let check = need(check_run.or(check_suite), "check")?;
    let commit = commit(check.head_sha, "commit of the check")?;
    Ok(Incoming::Again {
        repository: RawRepository::check(repository)?,
        commit: need(commit, "commit of the check")?,
        context: check.name.filter(|name| name.len() <= LONGEST_NAME),
        by: RawPerson::check(sender)?,
    })
}

fn merging(body: &[u8]) -> Result<Incoming, Unreadable> {
    let event: RawMerging = parse(body)?;
    let is_wanted = match need(event.action, "action")?.as_str() {
        "checks_requested" => true,
        "destroyed" => false,
        other => return Ok(ignored(&format!("a merge queue had the event {}", shorten(other)))),
    };
    let group = need(event.merge_group, "merge group")?;
    let name = need(group.head_ref, "reference of the merge group")?;
    let name = name.strip_prefix("refs/heads/").unwrap_or(&name).to_owned();
    let of = |text: Option<String>, what| need(commit(text, what)?, what);
    Ok(Incoming::Merging {
        repository: RawRepository::check(event.repository)?,
        branch: branch(name, "reference of the merge group")?,
        commit: of(group.head_sha, "head of the merge group")?,
        base: of(group.base_sha, "base of the merge group")?,
        is_wanted,
    })
}

fn changed(body: &[u8]) -> Result<Incoming, Unreadable> {
    let RawEvent { action, pull_request, repository, changes } = parse(body)?;
    let is_retargeted = changes.is_some_and(|changes| changes.base.is_some());
    let action = match need(action, "action")?.as_str() {
        "opened" => PullAction::Opened,
        "synchronize" => PullAction::Synchronised,
        "reopened" => PullAction::Reopened,
        "closed" => PullAction::Closed,
        "ready_for_review" => PullAction::ReadyForReview,
        "labeled" | "unlabeled" => PullAction::Labelled,
        "edited" if is_retargeted => PullAction::Edited,
        "edited" | "converted_to_draft" => PullAction::Other,
        other => return Ok(ignored(&format!("a pull request was {}", shorten(other)))),
    };
    pull(action, pull_request, repository)
}

fn reviewed(body: &[u8]) -> Result<Incoming, Unreadable> {
    let event: RawReviewed = parse(body)?;
    let action = need(event.action, "action")?;
    if action != "submitted" {
        return Ok(ignored(&format!("a review was {}, and only new ones count", shorten(&action))));
    }
    let review = need(event.review, "review")?;
    if !review.state.is_some_and(|state| state.eq_ignore_ascii_case("approved")) {
        return Ok(ignored("a review that is not an approval"));
    }
    let pull = need(event.pull_request, "pull request")?;
    Ok(Incoming::Approved {
        repository: RawRepository::check(event.repository)?,
        number: id(pull.number, "number of the pull request")?,
        commit: commit(review.commit_id, "approved commit")?,
        by: RawPerson::check(review.user)?,
    })
}

fn installed(body: &[u8]) -> Result<Incoming, Unreadable> {
    let event: RawInstalled = parse(body)?;
    let is_active = match need(event.action, "action")?.as_str() {
        "created" | "unsuspend" | "new_permissions_accepted" => true,
        "deleted" | "suspend" => false,
        other => return Ok(ignored(&format!("an installation had the event {}", shorten(other)))),
    };
    let installation = need(event.installation, "installation")?;
    Ok(Incoming::Installation { id: id(installation.id, "id of the installation")?, is_active })
}
