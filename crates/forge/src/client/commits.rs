//! The commits between two others.

use serde_json::Value;

use super::Client;
use super::text::encode;
use crate::answer::words;
use crate::webhook::is_commit;
use crate::{Ask, ForgeError, Kind};

impl Client {
    /// The commits that `head` has and `base` does not, the oldest first; at most so many of the newest.
    pub fn commits_between(
        &mut self,
        base: &str,
        head: &str,
        most: usize,
    ) -> Result<Vec<String>, ForgeError> {
        let (from, to) = (encode(base), encode(head));
        let (place, list, name) = match self.forge.kind() {
            Kind::Github => (format!("compare/{from}...{to}?per_page=250"), "commits", "sha"),
            Kind::Gitea => (format!("compare/{from}...{to}"), "commits", "sha"),
            Kind::Gitlab => (format!("repository/compare?from={from}&to={to}"), "commits", "id"),
        };
        let ask = Ask::get(self.forge.of_repository(&place));
        let answer = self.ask_well(&ask)?;
        let listed = answer.body.get(list).and_then(Value::as_array);
        let listed = listed.ok_or(ForgeError::Incomplete { url: ask.url, what: "list of commits" })?;
        let commit = |commit: &Value| words(commit, name).filter(|text| is_commit(text)).map(str::to_owned);
        let mut commits: Vec<String> = listed.iter().filter_map(commit).collect();
        // Gitea has the newest first, the others the oldest.
        if commits.first().map(String::as_str) == Some(head) {
            commits.reverse();
        }
        let excess = commits.len().saturating_sub(most);
        commits.drain(..excess);
        Ok(commits)
    }
}
