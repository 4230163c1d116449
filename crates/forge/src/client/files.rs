//! The files that a pull request changes.

use serde_json::Value;

use super::text::encode;
use super::{Client, PAGE};
use crate::answer::words;
use crate::comment::MOST_PAGES;
use crate::{Ask, ForgeError, Kind};

/// GitHub lists so many files of a comparison and then no more, without a word.
const GITHUB_MOST: usize = 300;
/// GitLab shows so many by default.
const GITLAB_MOST: usize = 1_000;

impl Client {
    /// The paths that differ between the merge base and the head of a pull request, including the earlier
    /// paths of renamed files; none if the forge does not list all of them, or has another head by now.
    ///
    /// # Errors
    /// Fails if the forge does not answer.
    pub fn changed_files(
        &mut self,
        number: u64,
        base: &str,
        head: &str,
    ) -> Result<Option<Vec<String>>, ForgeError> {
        let (from, to) = (encode(base), encode(head));
        match self.forge.kind() {
            Kind::Github => {
                let body = self.compared(&format!("compare/{from}...{to}?per_page=1"))?;
                let listed = body.get("files").and_then(Value::as_array);
                Ok(listed
                    .filter(|listed| listed.len() < GITHUB_MOST)
                    .and_then(|listed| paths(listed, &["filename", "previous_filename"])))
            }
            Kind::Gitlab => {
                let body = self.compared(&format!("repository/compare?from={from}&to={to}"))?;
                if body.get("compare_timeout").and_then(Value::as_bool) == Some(true) {
                    return Ok(None);
                }
                let listed = body.get("diffs").and_then(Value::as_array);
                Ok(listed
                    .filter(|listed| listed.len() < GITLAB_MOST)
                    .and_then(|listed| paths(listed, &["new_path", "old_path"])))
            }
            Kind::Gitea => self.files_of_pull(number, head),
        }
    }

    fn compared(&mut self, place: &str) -> Result<Value, ForgeError> {
        let ask = Ask::get(self.forge.of_repository(place));
        Ok(self.ask_well(&ask)?.body)
    }

    /// Gitea lists the files of the pull request's current head.
    fn files_of_pull(&mut self, number: u64, head: &str) -> Result<Option<Vec<String>>, ForgeError> {
        let mut found: Vec<String> = Vec::new();
        for page in 1..=MOST_PAGES {
            let place = format!("pulls/{number}/files?limit={PAGE}&page={page}");
            let ask = Ask::get(self.forge.of_repository(&place));
            let listed = self.ask_list(&ask, "list of files")?;
            let Some(some) = paths(&listed, &["filename", "previous_filename"]) else { return Ok(None) };
            if some.is_empty() || found.ends_with(&some) {
                let is_same = self.pull(number)?.head == head;
                return Ok(is_same.then_some(found));
            }
            found.extend(some);
        }
        Ok(None)
    }

    /// The commit of a branch, a tag or a commit's first digits; none if the repository has no such
    /// reference.
    ///
    /// # Errors
    /// Fails if the forge does not answer.
    pub fn commit_of(&mut self, reference: &str) -> Result<Option<String>, ForgeError> {
        let name = encode(reference);
        let (place, id) = match self.forge.kind() {
            Kind::Github => (format!("commits/{name}"), "sha"),
            Kind::Gitea => (format!("git/commits/{name}?stat=false&files=false&verification=false"), "sha"),
            Kind::Gitlab => (format!("repository/commits/{name}"), "id"),
        };
        let ask = Ask::get(self.forge.of_repository(&place));
        let answer = self.ask(&ask)?;
        // A reference that cannot be one is 422 on GitHub and Gitea.
        if matches!(answer.status, 404 | 422) {
            return Ok(None);
        }
        let body = crate::answer::well(&ask, answer, self.need())?.body;
        let commit = words(&body, id).filter(|commit| crate::webhook::is_commit(commit)).map(str::to_owned);
        commit.map(Some).ok_or(ForgeError::Incomplete { url: ask.url, what: "commit" })
    }

    /// Puts a thumb up on a comment, once: its author sees that it was read.
    ///
    /// # Errors
    /// Fails if the forge does not answer.
    pub fn acknowledge(&mut self, number: u64, comment: u64) -> Result<(), ForgeError> {
        let (place, body) = match self.forge.kind() {
            Kind::Github | Kind::Gitea => {
                (format!("issues/comments/{comment}/reactions"), serde_json::json!({ "content": "+1" }))
            }
            Kind::Gitlab => (
                format!("merge_requests/{number}/notes/{comment}/award_emoji"),
                serde_json::json!({ "name": "thumbsup" }),
            ),
        };
        let ask = Ask::new("POST", self.forge.of_repository(&place), body);
        let answer = self.ask(&ask)?;
        // The comment was deleted; or GitLab has the thumb already.
        if matches!(answer.status, 404 | 410) {
            return Ok(());
        }
        crate::answer::well(&ask, answer, self.need()).map(drop)
    }
}

/// The paths in a list; none if an entry lacks its path.
fn paths(listed: &[Value], names: &[&str]) -> Option<Vec<String>> {
    let mut found = Vec::new();
    for entry in listed {
        let before = found.len();
        found.extend(names.iter().filter_map(|name| words(entry, name)).map(str::to_owned));
        if found.len() == before {
            return None;
        }
    }
    Some(found)
}
