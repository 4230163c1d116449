//! Pull requests, and write access.

use serde::Deserialize;
use serde_json::Value;

use super::text::encode;
use super::{Client, PAGE};
use crate::answer::{number, words};
use crate::comment::MOST_PAGES;
use crate::webhook::{Person, PullFacts, RawPull, is_bot, is_commit, person, shorten, unix_s};
use crate::{Answer, Ask, ForgeError, Kind};

/// Developers and those above them.
const DEVELOPER: u64 = 30;

/// A pull request, as the forge describes it now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pull {
    /// The commit at its head.
    pub head: String,
    /// The id of the repository that the head is in; `None` if that was deleted.
    pub head_repository: Option<u64>,
    /// The id of the repository that it asks to merge into.
    pub repository: u64,
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
    /// Whether it is open: neither closed nor merged.
    pub is_open: bool,
    /// Whether it is a draft.
    pub is_draft: bool,
    /// The merge base, if the pull request names it, as Gitea's does.
    pub merge_base: Option<String>,
    /// The names of its labels.
    pub labels: Vec<String>,
}

#[derive(Deserialize)]
struct MergeRequest {
    sha: Option<String>,
    source_project_id: Option<u64>,
    target_project_id: Option<u64>,
    target_branch: Option<String>,
    source_branch: Option<String>,
    title: Option<String>,
    updated_at: Option<String>,
    author: Option<Author>,
    state: Option<String>,
    draft: Option<bool>,
    work_in_progress: Option<bool>,
    labels: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Author {
    id: Option<i64>,
    username: Option<String>,
}

impl Client {
    /// The pull request of this number.
    pub fn pull(&mut self, number: u64) -> Result<Pull, ForgeError> {
        let ask = self.forge.pull(number);
        let answer = self.ask_well(&ask)?;
        let pull = match self.forge.kind() {
            Kind::Github | Kind::Gitea => read_pull(answer.body),
            Kind::Gitlab => read_merge_request(answer.body),
        };
        pull.map_err(|what| ForgeError::Incomplete { url: ask.url, what })
    }

    /// The open pull requests with their numbers, as the forge lists them.
    pub fn open_pulls(&mut self) -> Result<Vec<(u64, Pull)>, ForgeError> {
        let (place, size) = match self.forge.kind() {
            Kind::Github => ("pulls?state=open", "per_page"),
            Kind::Gitea => ("pulls?state=open", "limit"),
            Kind::Gitlab => ("merge_requests?state=opened", "per_page"),
        };
        let mut found: Vec<(u64, Pull)> = Vec::new();
        for page in 1..=MOST_PAGES {
            let ask = Ask::get(self.forge.of_repository(&format!("{place}&{size}={PAGE}&page={page}")));
            let listed = self.ask_list(&ask, "list of pull requests")?;
            let before = found.len();
            for body in listed {
                let number = number(&body, if self.forge.kind() == Kind::Gitlab { "iid" } else { "number" });
                let number = number.ok_or(ForgeError::Incomplete { url: ask.url.clone(), what: "number" })?;
                if found.iter().any(|(known, _)| *known == number) {
                    continue;
                }
                let pull = match self.forge.kind() {
                    Kind::Github | Kind::Gitea => read_pull(body),
                    Kind::Gitlab => read_merge_request(body),
                };
                // One that cannot be read, such as one without a head, hides no other.
                found.extend(pull.ok().map(|pull| (number, pull)));
            }
            // A forge that ignores the page gives the same again.
            if found.len() == before {
                break;
            }
        }
        Ok(found)
    }

    /// The newest commit that both the base (a branch or a commit) and the head of a pull request contain.
    ///
    /// Gitea reports it only with the pull request, for its present head and base, so that it must still be
    /// at `head`; after a push it may for some seconds be the one from before, which is an ancestor of both,
    /// too.
    pub fn merge_base(&mut self, number: u64, base: &str, head: &str) -> Result<String, ForgeError> {
        let (base, head_part) = (encode(base), encode(head));
        let place = match self.forge.kind() {
            Kind::Github => format!("compare/{base}...{head_part}?per_page=1"),
            Kind::Gitlab => format!("repository/merge_base?refs%5B%5D={base}&refs%5B%5D={head_part}"),
            Kind::Gitea => return self.merge_base_of_pull(number, head),
        };
        let ask = Ask::get(self.forge.of_repository(&place));
        let answer = self.ask_well(&ask)?;
        let commit = match self.forge.kind() {
            Kind::Gitlab => words(&answer.body, "id"),
            _ => answer.body.get("merge_base_commit").and_then(|commit| words(commit, "sha")),
        };
        let commit = commit.filter(|commit| is_commit(commit)).map(str::to_owned);
        commit.ok_or(ForgeError::Incomplete { url: ask.url, what: "merge base" })
    }

    fn merge_base_of_pull(&mut self, number: u64, head: &str) -> Result<String, ForgeError> {
        let pull = self.pull(number)?;
        if pull.head != head {
            let asked = head.chars().filter(char::is_ascii_hexdigit).take(64).collect();
            return Err(ForgeError::OtherHead { number, head: pull.head, asked });
        }
        let url = self.forge.pull(number).url;
        pull.merge_base.ok_or(ForgeError::Incomplete { url, what: "merge base" })
    }

    /// Whether the person may write to the repository at this moment. The account is found by the person's
    /// id, whatever its name is now; without an account the answer is no.
    pub fn may_write(&mut self, person: &Person) -> Result<bool, ForgeError> {
        let Person { login, id, .. } = person;
        if *id == 0 || (login.is_empty() && self.forge.kind() != Kind::Gitlab) {
            return Ok(false);
        }
        let place = match self.forge.kind() {
            Kind::Gitlab => format!("members/all/{id}"),
            Kind::Github | Kind::Gitea => format!("collaborators/{}/permission", encode(login)),
        };
        let ask = Ask::get(self.forge.of_repository(&place));
        let Some(Answer { body, .. }) = self.ask_if_any(&ask)? else { return Ok(false) };
        if self.forge.kind() == Kind::Gitlab {
            let level = number(&body, "access_level");
            let level = level.ok_or(ForgeError::Incomplete { url: ask.url, what: "access level" })?;
            let is_active = words(&body, "state").is_none_or(|state| state == "active");
            return Ok(number(&body, "id") == Some(*id) && is_active && level >= DEVELOPER);
        }
        let permission = words(&body, "permission");
        let permission = permission.ok_or(ForgeError::Incomplete { url: ask.url, what: "permission" })?;
        // The name may be another account's by now.
        let is_same = body.get("user").and_then(|user| number(user, "id")) == Some(*id);
        Ok(is_same && ["owner", "admin", "maintain", "write"].contains(&permission))
    }
}

fn read_pull(body: Value) -> Result<Pull, &'static str> {
    let raw: RawPull = parse(body)?;
    let checked = RawPull::check(Some(raw)).map_err(|_| "valid pull request")?;
    let PullFacts {
        head,
        head_repository,
        base_branch,
        title,
        branch,
        updated_unix_s,
        author,
        is_draft,
        is_open,
    } = checked.pull;
    let head = head.ok_or("head commit")?;
    let repository = checked.repository.ok_or("base repository")?;
    let merge_base = checked.merge_base;
    Ok(Pull {
        head,
        head_repository,
        repository,
        base_branch,
        title,
        branch,
        updated_unix_s,
        author,
        is_open,
        is_draft,
        merge_base,
        labels: checked.labels,
    })
}

fn read_merge_request(body: Value) -> Result<Pull, &'static str> {
    let raw: MergeRequest = parse(body)?;
    let author = match raw.author {
        Some(Author { id, username }) => {
            let is_bot = username.as_deref().is_some_and(is_bot);
            person(username, id, is_bot)
        }
        None => person(None, None, false),
    };
    Ok(Pull {
        head: raw.sha.filter(|commit| is_commit(commit)).ok_or("head commit")?,
        head_repository: raw.source_project_id,
        repository: raw.target_project_id.ok_or("target project")?,
        base_branch: raw.target_branch.filter(|name| !name.is_empty()).ok_or("target branch")?,
        title: shorten(&raw.title.unwrap_or_default()),
        branch: shorten(&raw.source_branch.unwrap_or_default()),
        updated_unix_s: raw.updated_at.as_deref().and_then(unix_s),
        author: author.map_err(|_| "valid author")?,
        is_open: raw.state.ok_or("state")? == "opened",
        is_draft: raw.draft.or(raw.work_in_progress).unwrap_or(false),
        merge_base: None,
        labels: raw.labels.unwrap_or_default(),
    })
}

fn parse<T: serde::de::DeserializeOwned>(body: Value) -> Result<T, &'static str> {
    serde_json::from_value(body).map_err(|_| "pull request")
}
