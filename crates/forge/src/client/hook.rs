//! The webhooks of the repository.

use serde_json::{Value, json};

use super::Client;
use crate::answer::{number, words};
use crate::{Ask, ForgeError, Kind};

/// A webhook, as the forge describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hook {
    /// Its id.
    pub id: u64,
    /// Where it sends.
    pub url: String,
    /// Whether it is switched on.
    pub is_active: bool,
    /// The events that it sends, in the words of the forge.
    pub events: Vec<String>,
}

impl Client {
    /// The webhooks of the repository. An App's own webhook is not among them.
    pub fn hooks(&mut self) -> Result<Vec<Hook>, ForgeError> {
        let ask = Ask::get(self.forge.of_repository("hooks"));
        let listed = self.ask_list(&ask, "list of webhooks")?;
        Ok(listed.iter().filter_map(|hook| read(self.forge.kind(), hook)).collect())
    }

    /// Has the forge send something by a webhook.
    pub fn test_hook(&mut self, id: u64) -> Result<(), ForgeError> {
        let place = match self.forge.kind() {
            Kind::Github => format!("hooks/{id}/pings"),
            Kind::Gitlab => format!("hooks/{id}/test/push_events"),
            Kind::Gitea => format!("hooks/{id}/tests"),
        };
        let ask = Ask::new("POST", self.forge.of_repository(&place), json!({}));
        self.ask_well(&ask).map(drop)
    }
}

fn read(kind: Kind, hook: &Value) -> Option<Hook> {
    let url = match kind {
        Kind::Gitlab => words(hook, "url"),
        Kind::Github | Kind::Gitea => hook.get("config").and_then(|config| words(config, "url")),
    };
    let events = match kind {
        Kind::Gitlab => {
            let is_set = |name: &&&str| hook.get(**name).and_then(Value::as_bool) == Some(true);
            GITLAB.iter().filter(is_set).map(|name| (*name).to_owned()).collect()
        }
        Kind::Github | Kind::Gitea => {
            let listed = hook.get("events").and_then(Value::as_array).into_iter().flatten();
            listed.filter_map(Value::as_str).map(str::to_owned).collect()
        }
    };
    let is_active = hook.get("active").and_then(Value::as_bool).unwrap_or(true);
    Some(Hook { id: number(hook, "id")?, url: url?.to_owned(), is_active, events })
}

/// The events of GitLab that a service uses.
const GITLAB: [&str; 3] = ["push_events", "merge_requests_events", "note_events"];

/// The events that a service uses, in the words of the forge's list of webhooks.
pub fn needed_events(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Github => &["push", "pull_request", "pull_request_review", "issue_comment"],
        Kind::Gitlab => &GITLAB,
        Kind::Gitea => &[
            "push",
            "pull_request",
            "pull_request_sync",
            "pull_request_review_approved",
            "issue_comment",
            "pull_request_comment",
        ],
    }
}
