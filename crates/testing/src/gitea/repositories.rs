//! Repositories, their permissions, and webhooks.

use serde_json::json;

use crate::gitea::Gitea;
use crate::gitea::accounts::ADMIN;
use crate::gitea::api::{number, text};
use crate::gitea::error::GiteaError;

impl Gitea {
    /// Creates an empty public repository with the default branch `main`, and returns its full name,
    /// `user/name`.
    ///
    /// # Errors
    /// Fails as [`Gitea::request`] does.
    pub fn create_repository(&self, user: &str, name: &str) -> Result<String, GiteaError> {
        self.create(user, name, false)
    }

    /// The same for a private repository, visible to the user and its collaborators only.
    ///
    /// # Errors
    /// Fails as [`Gitea::request`] does.
    pub fn create_private_repository(&self, user: &str, name: &str) -> Result<String, GiteaError> {
        self.create(user, name, true)
    }

    fn create(&self, user: &str, name: &str, is_private: bool) -> Result<String, GiteaError> {
        let body = json!({ "name": name, "default_branch": "main", "private": is_private });
        let answer = self.request(user, "POST", "/user/repos", Some(&body))?;
        text(&answer, "/full_name", "POST", "/user/repos")
    }

    /// Adds a collaborator to a repository; `permission` is `read`, `write` or `admin`.
    ///
    /// # Errors
    /// Fails as [`Gitea::request`] does.
    pub fn add_collaborator(&self, repository: &str, user: &str, permission: &str) -> Result<(), GiteaError> {
        let path = format!("/repos/{repository}/collaborators/{user}");
        self.request(ADMIN, "PUT", &path, Some(&json!({ "permission": permission }))).map(drop)
    }

    /// Forks a repository, and returns the fork's full name.
    ///
    /// # Errors
    /// Fails as [`Gitea::request`] does.
    pub fn fork(&self, repository: &str, as_user: &str) -> Result<String, GiteaError> {
        let path = format!("/repos/{repository}/forks");
        let answer = self.request(as_user, "POST", &path, Some(&json!({})))?;
        text(&answer, "/full_name", "POST", &path)
    }

    /// Deletes a repository.
    ///
    /// # Errors
    /// Fails as [`Gitea::request`] does.
    pub fn delete_repository(&self, repository: &str) -> Result<(), GiteaError> {
        self.request(ADMIN, "DELETE", &format!("/repos/{repository}"), None).map(drop)
    }

    /// Makes the server deliver events such as `push`, `pull_request`, `issue_comment` or
    /// `pull_request_review_approved` to an address of the loopback interface, signed with the secret.
    /// Returns the hook's id.
    ///
    /// # Errors
    /// Fails as [`Gitea::request`] does.
    pub fn add_hook(
        &self,
        repository: &str,
        url: &str,
        secret: &str,
        events: &[&str],
    ) -> Result<u64, GiteaError> {
        let path = format!("/repos/{repository}/hooks");
        let body = json!({
            "type": "gitea",
            "config": { "url": url, "content_type": "json", "secret": secret },
            "events": events,
            "active": true,
        });
        number(&self.request(ADMIN, "POST", &path, Some(&body))?, "/id", "POST", &path)
    }
}
