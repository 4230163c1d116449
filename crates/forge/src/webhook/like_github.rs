//! What GitHub sends, and Gitea after its example.

use serde::Deserialize;

use super::checked::{branch, commit, id, need, person, repository, unix_s};
use super::incoming::{Incoming, Person, PullAction, PullFacts, Repository};
use super::unreadable::Unreadable;

#[derive(Deserialize)]
pub(crate) struct RawPerson {
    login: Option<String>,
    id: Option<i64>,
    r#type: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct RawRepository {
    id: Option<i64>,
    full_name: Option<String>,
    default_branch: Option<String>,
    clone_url: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct RawEnd {
    sha: Option<String>,
    r#ref: Option<String>,
    repo: Option<RawRepository>,
}

#[derive(Deserialize)]
pub(crate) struct RawPull {
    number: Option<i64>,
    state: Option<String>,
    title: Option<String>,
    updated_at: Option<String>,
    draft: Option<bool>,
    user: Option<RawPerson>,
    head: Option<RawEnd>,
    base: Option<RawEnd>,
    merge_base: Option<String>,
    labels: Option<Vec<RawLabel>>,
}

#[derive(Deserialize)]
struct RawLabel {
    name: Option<String>,
}

#[derive(Deserialize)]
struct RawPush {
    r#ref: Option<String>,
    before: Option<String>,
    after: Option<String>,
    repository: Option<RawRepository>,
}

#[derive(Deserialize)]
struct RawComment {
    action: Option<String>,
    issue: Option<RawIssue>,
    /// Gitea's field.
    is_pull: Option<bool>,
    comment: Option<RawText>,
    repository: Option<RawRepository>,
}

#[derive(Deserialize)]
struct RawIssue {
    number: Option<i64>,
    /// On GitHub only pull requests have it.
    pull_request: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct RawText {
    id: Option<i64>,
    created_at: Option<String>,
    body: Option<String>,
    user: Option<RawPerson>,
}

impl RawPerson {
    pub(crate) fn check(this: Option<Self>) -> Result<Person, Unreadable> {
        let Some(Self { login, id, r#type }) = this else { return person(None, None, false) };
        person(login, id, r#type.as_deref() == Some("Bot"))
    }
}

impl RawRepository {
    pub(super) fn check(this: Option<Self>) -> Result<Repository, Unreadable> {
        let this = need(this, "repository")?;
        let number = id(this.id, "id of the repository")?;
        repository(number, this.full_name, this.default_branch, this.clone_url)
    }
}

/// A pull request and its branches.
pub(crate) struct Checked {
    pub(crate) number: u64,
    pub(crate) pull: PullFacts,
    /// The repository that it asks to merge into.
    pub(crate) repository: Option<u64>,
    /// Gitea reports it.
    pub(crate) merge_base: Option<String>,
    /// The names of its labels.
    pub(crate) labels: Vec<String>,
}

impl RawPull {
    pub(crate) fn check(this: Option<Self>) -> Result<Checked, Unreadable> {
        let this = need(this, "pull request")?;
        let number = id(this.number, "number of the pull request")?;
        let head = need(this.head, "head of the pull request")?;
        let base = need(this.base, "base of the pull request")?;
        let id_of = |repository: RawRepository| id(repository.id, "id of the repository");
        let pull = PullFacts {
            title: shorten(&this.title.unwrap_or_default()),
            branch: shorten(&head.r#ref.unwrap_or_default()),
            updated_unix_s: this.updated_at.as_deref().and_then(unix_s),
            head: commit(head.sha, "head commit")?,
            head_repository: head.repo.map(id_of).transpose()?,
            base_branch: branch(need(base.r#ref, "base branch")?, "base branch")?,
            author: RawPerson::check(this.user)?,
            is_draft: this.draft.unwrap_or(false),
            is_open: need(this.state, "state of the pull request")? == "open",
        };
        let repository = base.repo.map(id_of).transpose()?;
        let labels = this.labels.unwrap_or_default().into_iter().filter_map(|label| label.name).collect();
        Ok(Checked { number, pull, repository, merge_base: commit(this.merge_base, "merge base")?, labels })
    }
}

pub(super) fn push(body: &[u8]) -> Result<Incoming, Unreadable> {
    let push: RawPush = super::checked::parse(body)?;
    let name = need(push.r#ref, "reference")?;
    let Some(name) = name.strip_prefix("refs/heads/") else {
        return Ok(ignored("a push to something else than a branch, such as a tag"));
    };
    Ok(Incoming::Push {
        repository: RawRepository::check(push.repository)?,
        branch: branch(name.to_owned(), "branch")?,
        before: commit(push.before, "commit before the push")?,
        commit: commit(Some(need(push.after, "commit after the push")?), "commit after the push")?,
    })
}

pub(super) fn comment(body: &[u8]) -> Result<Incoming, Unreadable> {
    let event: RawComment = super::checked::parse(body)?;
    let action = need(event.action, "action")?;
    let is_edited = match action.as_str() {
        "created" => false,
        "edited" => true,
        other => return Ok(ignored(&format!("a comment was {}, and only new ones count", shorten(other)))),
    };
    let issue = need(event.issue, "issue")?;
    if !event.is_pull.unwrap_or(issue.pull_request.is_some()) {
        return Ok(ignored("a comment on an issue that is not a pull request"));
    }
    let comment = need(event.comment, "comment")?;
    Ok(Incoming::Command {
        repository: RawRepository::check(event.repository)?,
        number: id(issue.number, "number of the pull request")?,
        comment: id(comment.id, "id of the comment")?,
        by: RawPerson::check(comment.user)?,
        created_unix_s: comment.created_at.as_deref().and_then(unix_s),
        is_edited,
        text: comment.body.unwrap_or_default().chars().take(Incoming::LONGEST_TEXT).collect(),
    })
}

/// The event of a pull request with this action.
pub(super) fn pull(
    action: PullAction,
    pull: Option<RawPull>,
    repository: Option<RawRepository>,
) -> Result<Incoming, Unreadable> {
    let Checked { number, pull, .. } = RawPull::check(pull)?;
    Ok(Incoming::Pull { repository: RawRepository::check(repository)?, number, action, pull })
}

pub(super) fn ignored(why: &str) -> Incoming {
    Incoming::Ignored { why: why.to_owned() }
}

/// A word from outside, for a message.
pub(crate) fn shorten(word: &str) -> String {
    word.chars().filter(|letter| letter.is_ascii_graphic() || *letter == ' ').take(60).collect()
}
