//! The repository as the forge describes it now, and its branches.

use serde_json::Value;

use super::Client;
use super::text::encode;
use crate::answer::{number, words};
use crate::webhook::{Repository, is_commit, repository};
use crate::{Ask, ForgeError, Kind};

impl Client {
    /// The repository.
    pub fn repository(&mut self) -> Result<Repository, ForgeError> {
        let ask = Ask::get(self.forge.here());
        let body = self.ask_well(&ask)?.body;
        let (path, clone_url) = match self.forge.kind() {
            Kind::Github | Kind::Gitea => ("full_name", "clone_url"),
            Kind::Gitlab => ("path_with_namespace", "http_url_to_repo"),
        };
        let text = |name: &str| words(&body, name).map(str::to_owned);
        let checked = number(&body, "id")
            .and_then(|id| repository(id, text(path), text("default_branch"), text(clone_url)).ok());
        checked.ok_or(ForgeError::Incomplete { url: ask.url, what: "valid repository" })
    }

    /// Whether the forge shows the repository to its members alone.
    pub fn is_private(&mut self) -> Result<bool, ForgeError> {
        let ask = Ask::get(self.forge.here());
        let body = self.ask_well(&ask)?.body;
        let is_private = match self.forge.kind() {
            Kind::Github | Kind::Gitea => body.get("private").and_then(Value::as_bool),
            Kind::Gitlab => words(&body, "visibility").map(|visibility| visibility != "public"),
        };
        is_private.ok_or(ForgeError::Incomplete { url: ask.url, what: "visibility" })
    }

    /// The commit of a branch; none if the branch does not exist.
    pub fn branch_commit(&mut self, branch: &str) -> Result<Option<String>, ForgeError> {
        let name = encode(branch);
        let (place, id) = match self.forge.kind() {
            Kind::Github => (format!("branches/{name}"), "sha"),
            Kind::Gitea => (format!("branches/{name}"), "id"),
            Kind::Gitlab => (format!("repository/branches/{name}"), "id"),
        };
        let ask = Ask::get(self.forge.of_repository(&place));
        let Some(answer) = self.ask_if_any(&ask)? else { return Ok(None) };
        let commit = answer.body.get("commit").and_then(|commit: &Value| words(commit, id));
        let commit = commit.filter(|commit| is_commit(commit)).map(str::to_owned);
        commit.map(Some).ok_or(ForgeError::Incomplete { url: ask.url, what: "commit of the branch" })
    }
}
