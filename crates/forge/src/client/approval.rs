//! The commit that somebody approved.

use serde_json::Value;

use super::{Client, PAGE};
use crate::answer::{number, words};
use crate::comment::MOST_PAGES;
use crate::webhook::{Person, is_commit};
use crate::{Ask, ForgeError, Kind};

/// A review that approves or withdraws an approval.
struct Decision {
    id: u64,
    is_approval: bool,
    commit: Option<String>,
}

impl Client {
    /// The commit that the person approved: the one of the newest review by which the person approves or
    /// requests changes, if that is an approval and was not dismissed.
    ///
    /// GitLab's approvals have no commit, so that the answer is `None` there.
    pub fn approval_commit(&mut self, number: u64, person: &Person) -> Result<Option<String>, ForgeError> {
        if self.forge.kind() == Kind::Gitlab || person.id == 0 {
            return Ok(None);
        }
        let size = if self.forge.kind() == Kind::Github { "per_page" } else { "limit" };
        let mut newest: Option<Decision> = None;
        let mut before = None;
        for page in 1..=MOST_PAGES {
            let place = format!("pulls/{number}/reviews?{size}={PAGE}&page={page}");
            let ask = Ask::get(self.forge.of_repository(&place));
            let reviews = self.ask_list(&ask, "list of reviews")?;
            let first = reviews.first().map(|review| review.get("id").cloned());
            if first.is_none() || first == before {
                break;
            }
            before = first;
            for decision in reviews.iter().filter_map(|review| decision(review, person.id)) {
                if newest.as_ref().is_none_or(|newest| newest.id < decision.id) {
                    newest = Some(decision);
                }
            }
        }
        Ok(newest.filter(|newest| newest.is_approval).and_then(|newest| newest.commit))
    }
}

fn decision(review: &Value, by: u64) -> Option<Decision> {
    if number(review.get("user")?, "id")? != by {
        return None;
    }
    let is_dismissed = review.get("dismissed").and_then(Value::as_bool).unwrap_or(false);
    let is_approval = match words(review, "state")?.to_ascii_uppercase().as_str() {
        "APPROVED" => !is_dismissed,
        "CHANGES_REQUESTED" | "REQUEST_CHANGES" | "DISMISSED" => false,
        _ => return None,
    };
    let commit = words(review, "commit_id").filter(|commit| is_commit(commit)).map(str::to_owned);
    Some(Decision { id: number(review, "id")?, is_approval, commit })
}
