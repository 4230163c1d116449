//! Events in a form common to all forges.

use serde::{Deserialize, Serialize};

/// An event on a forge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Incoming {
    /// A branch moved, was created or was deleted.
    Push {
        /// The repository of the branch.
        repository: Repository,
        /// Its name, without `refs/heads/`.
        branch: String,
        /// The former commit; `None` if it is new, or if the forge does not report it.
        before: Option<String>,
        /// Where it is; `None` if it was deleted.
        commit: Option<String>,
    },
    /// A pull request changed.
    Pull {
        /// The repository that it asks to merge into.
        repository: Repository,
        /// Its number.
        number: u64,
        /// The action.
        action: PullAction,
        /// The pull request after the change.
        pull: PullFacts,
    },
    /// Somebody approved a pull request.
    Approved {
        /// The repository of the pull request.
        repository: Repository,
        /// Its number.
        number: u64,
        /// The commit that was approved, if the event names it. Only GitHub's does. Gitea keeps it with the
        /// review (`Client::approval_commit`). GitLab's approvals name none, and the head may have moved
        /// since.
        commit: Option<String>,
        /// The approver. Whether that counts must be queried (`Client::may_write`).
        by: Person,
    },
    /// Somebody wrote or changed a comment on a pull request.
    Command {
        /// The repository of the pull request.
        repository: Repository,
        /// Its number.
        number: u64,
        /// The comment's id.
        comment: u64,
        /// The author.
        by: Person,
        /// When, seconds since 1970 by the clock of the forge, if the event names it.
        created_unix_s: Option<u64>,
        /// Whether the event is of its change and not of its creation.
        is_edited: bool,
        /// The text, up to [`Incoming::LONGEST_TEXT`] characters.
        text: String,
    },
    /// A commit of a merge queue: the forge waits for its checks before it merges.
    Merging {
        /// The repository.
        repository: Repository,
        /// The reference of the commit, without `refs/heads/`.
        branch: String,
        /// The commit that would be merged.
        commit: String,
        /// The commit that it is made from.
        base: String,
        /// Whether its checks are still wanted.
        is_wanted: bool,
    },
    /// Somebody asks on the page of a check that it is run again.
    Again {
        /// The repository.
        repository: Repository,
        /// The commit of the check.
        commit: String,
        /// Its name; `None` for all checks of the commit.
        context: Option<String>,
        /// The requester. Whether that counts must be queried (`Client::may_write`).
        by: Person,
    },
    /// An installation of the GitHub App was created, deleted, suspended or resumed.
    Installation {
        /// Its id.
        id: u64,
        /// Whether tokens can be had for it.
        is_active: bool,
    },
    /// An event without consequences.
    Ignored {
        /// Why.
        why: String,
    },
}

impl Incoming {
    /// Characters of a comment that are kept.
    pub const LONGEST_TEXT: usize = 65_536;
}

/// A repository, as an event names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repository {
    /// Its id, which stays when it is renamed or transferred.
    pub id: u64,
    /// `owner/name`; on GitLab there may be more parts.
    pub path: String,
    /// The default branch, if the event names it.
    pub default_branch: Option<String>,
    /// Where it is cloned from over HTTP.
    pub clone_url: String,
}

/// A person or a program with an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// The name of the account. Empty if the forge reports only the id, as GitLab does for the author of a
    /// merge request, and for deleted accounts.
    pub login: String,
    /// The account's id, which stays when it is renamed; 0 for deleted accounts and for the forge's own ones.
    pub id: u64,
    /// Whether it is a program, by the forge's statement or by its name. Gitea states nothing of ordinary
    /// accounts.
    pub is_bot: bool,
}

/// The change of a pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PullAction {
    /// It is new.
    Opened,
    /// Its head moved: a push or a force push.
    Synchronised,
    /// It was closed and is open again.
    Reopened,
    /// It was closed or merged.
    Closed,
    /// It asks to merge into another branch.
    Edited,
    /// It is no draft any more.
    ReadyForReview,
    /// It has other labels.
    Labelled,
    /// Something else: it became a draft, or it has another title.
    Other,
}

/// A pull request, as an event describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullFacts {
    /// The commit at its head; `None` if the branch was deleted and the forge does not know it any more.
    pub head: Option<String>,
    /// The id of the repository that the head is in; `None` if that was deleted.
    pub head_repository: Option<u64>,
    /// The branch that it asks to merge into.
    pub base_branch: String,
    /// Its title.
    pub title: String,
    /// The branch or reference that it comes from.
    pub branch: String,
    /// When it was changed last, seconds since 1970 by the clock of the forge; its head is not newer.
    pub updated_unix_s: Option<u64>,
    /// Who opened it.
    pub author: Person,
    /// Whether it is a draft.
    pub is_draft: bool,
    /// Whether it is open: neither closed nor merged.
    pub is_open: bool,
}
