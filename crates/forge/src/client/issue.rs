//! An issue that is opened once.

use serde_json::{Value, json};

use super::text::{clip, encode};
use super::{Client, PAGE};
use crate::answer::{number, words};
use crate::{Ask, ForgeError, Kind, Mark};

/// Issues of the own account that are looked through.
const NEWEST: usize = 200;
/// Characters of a title.
const LONGEST_TITLE: usize = 255;

impl Client {
    /// The number of the own issue that has the mark, open or closed, among the newest 200; opens one if it
    /// is missing.
    pub fn open_issue_once(&mut self, mark: &Mark, title: &str, body: &str) -> Result<u64, ForgeError> {
        let own = self.who()?;
        if let Some(number) = self.find_issue(mark, &own)? {
            return Ok(number);
        }
        let (kind, body) = (self.forge.kind(), clip(&mark.put_on(body), self.longest_text()));
        let title = clip(title, LONGEST_TITLE);
        let content = match kind {
            Kind::Github | Kind::Gitea => json!({ "title": title, "body": body }),
            Kind::Gitlab => json!({ "title": title, "description": body }),
        };
        let ask = Ask::new("POST", self.forge.of_repository("issues"), content);
        let answer = self.ask_well(&ask)?;
        let number = number(&answer.body, name_of_number(kind));
        number.ok_or(ForgeError::Incomplete { url: ask.url, what: "number of the issue" })
    }

    fn find_issue(&mut self, mark: &Mark, own: &str) -> Result<Option<u64>, ForgeError> {
        let (kind, own_name) = (self.forge.kind(), encode(own));
        for page in 1..=NEWEST / PAGE {
            let query = match kind {
                Kind::Github => {
                    format!(
                        "creator={own_name}&state=all&sort=created&direction=desc&per_page={PAGE}&page={page}"
                    )
                }
                Kind::Gitlab => {
                    format!(
                        "author_username={own_name}&scope=all&order_by=created_at&sort=desc&per_page={PAGE}&page={page}"
                    )
                }
                Kind::Gitea => {
                    format!("created_by={own_name}&type=issues&state=all&limit={PAGE}&page={page}")
                }
            };
            let ask = Ask::get(self.forge.of_repository(&format!("issues?{query}")));
            let issues = self.ask_list(&ask, "list of issues")?;
            if issues.is_empty() {
                break;
            }
            let found = issues.iter().find(|issue| is_own(kind, issue, own) && has_mark(issue, mark));
            if let Some(found) = found {
                return Ok(number(found, name_of_number(kind)));
            }
        }
        Ok(None)
    }
}

fn name_of_number(kind: Kind) -> &'static str {
    match kind {
        Kind::Github | Kind::Gitea => "number",
        Kind::Gitlab => "iid",
    }
}

fn is_own(kind: Kind, issue: &Value, own: &str) -> bool {
    let (author, name) = match kind {
        Kind::Github | Kind::Gitea => ("user", "login"),
        Kind::Gitlab => ("author", "username"),
    };
    // GitHub lists pull requests, too.
    let is_issue = issue.get("pull_request").is_none_or(Value::is_null);
    is_issue && issue.get(author).and_then(|author| words(author, name)) == Some(own)
}

fn has_mark(issue: &Value, mark: &Mark) -> bool {
    ["body", "description"].iter().any(|name| words(issue, name).is_some_and(|text| mark.is_on(text)))
}
