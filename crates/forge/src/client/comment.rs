//! One comment on a pull request, kept by a service.

use serde_json::Value;

use super::Client;
use super::text::clip;
use crate::answer::{number, words};
use crate::comment::MOST_PAGES;
use crate::forge::Comment;
use crate::{ForgeError, Kind, Left, Mark};

impl Client {
    /// Posts a text on a pull request: edits the own comment that has the mark, or creates one. `known` is
    /// the comment that had it last; it is tried first, and if it is missing or another account's, the mark
    /// is searched for.
    ///
    /// A text that is longer than the forge takes is cut.
    pub fn leave_comment(
        &mut self,
        number: u64,
        mark: &Mark,
        text: &str,
        known: Option<u64>,
    ) -> Result<Left, ForgeError> {
        let own = self.who()?;
        let text = clip(&mark.put_on(text), self.longest_text());
        let found = match known {
            Some(id) => self.known_comment(number, id, mark, &own)?,
            None => None,
        };
        let found = match found {
            Some(found) => Some(found),
            None => self.find_comment(number, mark, &own)?,
        };
        let ask = match &found {
            Some(found) if found.body == text => return Ok(Left::Same(found.id)),
            Some(found) => self.forge.edit(number, found.id, &text),
            None => self.forge.make(number, &text),
        };
        let answer = self.ask_well(&ask)?;
        match found {
            Some(found) => Ok(Left::Edited(found.id)),
            None => {
                let id = crate::answer::number(&answer.body, "id");
                Ok(Left::Made(id.ok_or(ForgeError::Incomplete { url: ask.url, what: "id of the comment" })?))
            }
        }
    }

    /// Whether the comment of this number has this text.
    pub fn has_comment(&mut self, number: u64, mark: &Mark, text: &str, id: u64) -> Result<bool, ForgeError> {
        let own = self.who()?;
        let text = clip(&mark.put_on(text), self.longest_text());
        let found = self.known_comment(number, id, mark, &own)?;
        // Forges may change line ends and blanks at the end.
        let same = |found: &Comment| found.body.replace('\r', "").trim_end() == text.trim_end();
        Ok(found.as_ref().is_some_and(same))
    }

    /// Characters of a comment or an issue.
    pub(super) fn longest_text(&self) -> usize {
        match self.forge.kind() {
            Kind::Github | Kind::Gitea => 65_535,
            Kind::Gitlab => 1_000_000,
        }
    }

    fn known_comment(
        &mut self,
        number: u64,
        id: u64,
        mark: &Mark,
        own: &str,
    ) -> Result<Option<Comment>, ForgeError> {
        let ask = self.forge.comment(number, id);
        let Some(answer) = self.ask_if_any(&ask)? else { return Ok(None) };
        let comment = self.forge.one(&answer.body).filter(|_| is_on(&answer.body, number));
        Ok(comment.filter(|comment| comment.id == id && comment.author == own && mark.is_on(&comment.body)))
    }

    fn find_comment(&mut self, number: u64, mark: &Mark, own: &str) -> Result<Option<Comment>, ForgeError> {
        let mut before = None;
        for page in 1..=MOST_PAGES {
            let ask = self.forge.comments(number, page);
            let answer = self.ask_well(&ask)?;
            let listed = self.forge.listed(&answer.body);
            let listed = listed.ok_or(ForgeError::Incomplete { url: ask.url, what: "list of comments" })?;
            let first = listed.first().map(|comment| comment.id);
            if first.is_none() || first == before {
                return Ok(None);
            }
            before = first;
            let is_own = |comment: &Comment| comment.author == own && mark.is_on(&comment.body);
            if let Some(found) = listed.into_iter().find(is_own) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

/// Whether a comment is on the pull request, if it names its pull request.
fn is_on(comment: &Value, pull: u64) -> bool {
    let addresses = ["issue_url", "pull_request_url"].map(|name| words(comment, name).unwrap_or_default());
    let said: Vec<&str> = addresses.into_iter().filter(|address| !address.is_empty()).collect();
    let ending = format!("/{pull}");
    let is_iid = number(comment, "noteable_iid").is_none_or(|iid| iid == pull);
    is_iid && (said.is_empty() || said.iter().any(|address| address.ends_with(&ending)))
}
