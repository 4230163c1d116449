//! Pull requests, with their comments and statuses.

use serde_json::{Value, json};

use crate::gitea::Gitea;
use crate::gitea::accounts::ADMIN;
use crate::gitea::api::{number, text};
use crate::gitea::error::GiteaError;

/// A comment on a pull request or an issue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Its id.
    pub id: u64,
    /// The name of the user who wrote it.
    pub author: String,
    /// Its text.
    pub body: String,
}

/// A status of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// Its subject; the newest status of a context counts.
    pub context: String,
    /// `pending`, `success`, `error`, `failure` or `warning`.
    pub state: String,
    /// Its text.
    pub description: String,
    /// The address of the details.
    pub target_url: String,
}

/// An issue that is not a pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// Its number.
    pub number: u64,
    /// Its title.
    pub title: String,
    /// Its text.
    pub body: String,
    /// `open` or `closed`.
    pub state: String,
}

impl Gitea {
    /// Opens a pull request, and returns its number. `head` is `branch`, or `owner:branch` for one of a fork.
    ///
    /// # Errors
    /// Fails as [`Gitea::request`] does.
    pub fn open_pull(
        &self,
        as_user: &str,
        repository: &str,
        head: &str,
        base: &str,
        title: &str,
    ) -> Result<u64, GiteaError> {
        let path = format!("/repos/{repository}/pulls");
        let body = json!({ "head": head, "base": base, "title": title });
        number(&self.request(as_user, "POST", &path, Some(&body))?, "/number", "POST", &path)
    }

    /// Closes a pull request without merging it.
    ///
    /// # Errors
    /// Fails as [`Gitea::request`] does.
    pub fn close_pull(&self, as_user: &str, repository: &str, pull: u64) -> Result<(), GiteaError> {
        let path = format!("/repos/{repository}/pulls/{pull}");
        self.request(as_user, "PATCH", &path, Some(&json!({ "state": "closed" }))).map(drop)
    }

    /// Reopens a closed pull request.
    ///
    /// # Errors
    /// Fails as [`Gitea::request`] does.
    pub fn reopen_pull(&self, as_user: &str, repository: &str, pull: u64) -> Result<(), GiteaError> {
        let path = format!("/repos/{repository}/pulls/{pull}");
        self.request(as_user, "PATCH", &path, Some(&json!({ "state": "open" }))).map(drop)
    }

    /// The numbers of the open pull requests, as the server lists them.
    ///
    /// # Errors
    /// Fails as [`Gitea::request`] does.
    pub fn open_pulls(&self, repository: &str) -> Result<Vec<u64>, GiteaError> {
        let path = format!("/repos/{repository}/pulls?state=open");
        self.list(&path)?.iter().map(|entry| number(entry, "/number", "GET", &path)).collect()
    }

    /// Merges a pull request, subject to the protection of its base.
    ///
    /// # Errors
    /// Fails as [`Gitea::request`] does.
    pub fn merge_pull(&self, as_user: &str, repository: &str, pull: u64) -> Result<(), GiteaError> {
        let path = format!("/repos/{repository}/pulls/{pull}/merge");
        self.request(as_user, "POST", &path, Some(&json!({ "Do": "merge" }))).map(drop)
    }

    /// Protects the branch `main`: merging then requires a successful status of this name.
    ///
    /// # Errors
    /// Fails as [`Gitea::request`] does.
    pub fn require_status(&self, repository: &str, context: &str) -> Result<(), GiteaError> {
        let path = format!("/repos/{repository}/branch_protections");
        let body = json!({ "rule_name": "main", "enable_status_check": true, "status_check_contexts": [context],
            "enable_push": true, "block_admin_merge_override": true });
        self.request(ADMIN, "POST", &path, Some(&body)).map(drop)
    }

    /// The head commit of a pull request as the server knows it, which is delayed for a moment after a push.
    ///
    /// # Errors
    /// Fails as [`Gitea::request`] does.
    pub fn pull_head(&self, repository: &str, pull: u64) -> Result<String, GiteaError> {
        let path = format!("/repos/{repository}/pulls/{pull}");
        text(&self.request(ADMIN, "GET", &path, None)?, "/head/sha", "GET", &path)
    }

    /// Approves a commit of a pull request, and returns the review's id.
    ///
    /// # Errors
    /// Fails as [`Gitea::request`] does; the server refuses approval of one's own pull request.
    pub fn approve(
        &self,
        as_user: &str,
        repository: &str,
        pull: u64,
        commit: &str,
    ) -> Result<u64, GiteaError> {
        let path = format!("/repos/{repository}/pulls/{pull}/reviews");
        let body = json!({ "event": "APPROVED", "commit_id": commit, "body": "" });
        number(&self.request(as_user, "POST", &path, Some(&body))?, "/id", "POST", &path)
    }

    /// Comments on a pull request or an issue, and returns the comment's id.
    ///
    /// # Errors
    /// Fails as [`Gitea::request`] does.
    pub fn comment(
        &self,
        as_user: &str,
        repository: &str,
        number_of_pull: u64,
        words: &str,
    ) -> Result<u64, GiteaError> {
        let path = format!("/repos/{repository}/issues/{number_of_pull}/comments");
        number(&self.request(as_user, "POST", &path, Some(&json!({ "body": words })))?, "/id", "POST", &path)
    }

    /// The comments of a pull request or an issue, the oldest first.
    ///
    /// # Errors
    /// Fails as [`Gitea::request`] does.
    pub fn comments(&self, repository: &str, pull: u64) -> Result<Vec<Comment>, GiteaError> {
        let path = format!("/repos/{repository}/issues/{pull}/comments");
        // This list is not paginated.
        let answer = self.request(ADMIN, "GET", &path, None)?;
        let entries = answer.as_array().cloned().unwrap_or_default();
        let comment = |entry: &Value| {
            Ok(Comment {
                id: number(entry, "/id", "GET", &path)?,
                author: text(entry, "/user/login", "GET", &path)?,
                body: text(entry, "/body", "GET", &path)?,
            })
        };
        entries.iter().map(comment).collect()
    }

    /// All statuses of a commit, the newest first.
    ///
    /// # Errors
    /// Fails as [`Gitea::request`] does.
    pub fn statuses(&self, repository: &str, commit: &str) -> Result<Vec<Status>, GiteaError> {
        let path = format!("/repos/{repository}/commits/{commit}/statuses");
        let status = |entry: &Value| {
            Ok(Status {
                context: text(entry, "/context", "GET", &path)?,
                state: text(entry, "/status", "GET", &path)?,
                description: text(entry, "/description", "GET", &path)?,
                target_url: text(entry, "/target_url", "GET", &path)?,
            })
        };
        let mut entries = self.list(&path)?;
        // The server sorts them by time in whole seconds.
        entries.sort_by_key(|entry| std::cmp::Reverse(entry["id"].as_u64()));
        entries.iter().map(status).collect()
    }

    /// The issues of a repository, open and closed, without its pull requests.
    ///
    /// # Errors
    /// Fails as [`Gitea::request`] does.
    pub fn issues(&self, repository: &str) -> Result<Vec<Issue>, GiteaError> {
        let path = format!("/repos/{repository}/issues?type=issues&state=all");
        let issue = |entry: &Value| {
            Ok(Issue {
                number: number(entry, "/number", "GET", &path)?,
                title: text(entry, "/title", "GET", &path)?,
                body: text(entry, "/body", "GET", &path)?,
                state: text(entry, "/state", "GET", &path)?,
            })
        };
        self.list(&path)?.iter().map(issue).collect()
    }

    fn list(&self, path: &str) -> Result<Vec<Value>, GiteaError> {
        self.api.list(path, &self.authorization(ADMIN)?)
    }
}
