//! The status of a commit.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::text::{clip, encode};
use super::{Client, PAGE, busy};
use crate::answer::well;
use crate::answer::{number, words};
use crate::webhook::is_commit;
use crate::{Answer, Ask, ForgeError, Kind};

/// Characters of a description: on GitHub, elsewhere, and of the name of a status.
const GITHUB_DESCRIPTION: usize = 140;
const DESCRIPTION: usize = 255;
const CONTEXT: usize = 255;
/// After how many seconds a status that is being written can be written again.
const LOCKED_S: u64 = 5;

/// A job's status on its commit's page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitStatus {
    /// Its name: a later status of the same name replaces it.
    pub context: String,
    /// The job's state.
    pub state: StatusState,
    /// One line about it.
    pub title: String,
    /// The page of the job; may be empty.
    pub link: String,
}

/// The state of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StatusState {
    /// It waits.
    Queued,
    /// It is running.
    Running,
    /// It is done, and the candidate did not get worse.
    Success,
    /// It is done, and the candidate regressed, or its build failed.
    Failure,
    /// The lab, the runner or the baseline failed. It is not shown as the candidate's failure if the forge
    /// can distinguish them: a check run demands an action, GitLab's status is cancelled. It satisfies no
    /// required check.
    Error,
    /// It was cancelled or superseded. It satisfies no required check.
    Cancelled,
}

impl Client {
    /// Shows a status on a commit: a check run of a GitHub App, a commit status otherwise.
    pub fn set_status(&mut self, commit: &str, status: &CommitStatus) -> Result<(), ForgeError> {
        if !is_commit(commit) {
            let text = commit.chars().filter(char::is_ascii_graphic).take(64).collect();
            let why = "write its 40 or 64 hexadecimal digits";
            return Err(ForgeError::Name { what: "commit", text, why });
        }
        match self.forge.kind() {
            Kind::Github if self.is_app() => self.set_check_run(commit, status),
            Kind::Github | Kind::Gitea => {
                let ask = self.status_ask(commit, status);
                self.ask_well(&ask).map(|_| ())
            }
            Kind::Gitlab => self.set_gitlab_status(commit, status),
        }
    }

    /// Whether the newest status of this name is the one that was shown.
    pub fn has_status(&mut self, commit: &str, status: &CommitStatus) -> Result<bool, ForgeError> {
        let kind = self.forge.kind();
        if kind == Kind::Github && self.is_app() {
            return self.has_check_run(commit, status);
        }
        let (place, name) = match kind {
            Kind::Github => (format!("commits/{commit}/statuses?per_page={PAGE}"), "context"),
            Kind::Gitea => (format!("statuses/{commit}?sort=recentupdate&limit={PAGE}"), "context"),
            Kind::Gitlab => {
                let context = encode(&clip(&status.context, CONTEXT));
                (format!("repository/commits/{commit}/statuses?name={context}&per_page={PAGE}"), "name")
            }
        };
        let listed = self.ask_list(&Ask::get(self.forge.of_repository(&place)), "list of statuses")?;
        let context = clip(&status.context, CONTEXT);
        let own = listed.iter().filter(|listed| words(listed, name) == Some(&context));
        let newest = own.max_by_key(|listed| number(listed, "id"));
        let state = newest.and_then(|listed| words(listed, "status").or_else(|| words(listed, "state")));
        // GitLab does not lead a status that runs back to one that waits.
        let is_progress = matches!(status.state, StatusState::Queued | StatusState::Running);
        Ok(state == Some(state_name(kind, status.state))
            || is_progress && matches!(state, Some("pending" | "running")))
    }

    pub(super) fn is_app(&self) -> bool {
        self.app.is_some()
    }

    fn status_ask(&self, commit: &str, status: &CommitStatus) -> Ask {
        let kind = self.forge.kind();
        let longest = if kind == Kind::Github { GITHUB_DESCRIPTION } else { DESCRIPTION };
        let mut body = json!({
            "state": state_name(kind, status.state),
            "description": clip(&status.title, longest),
        });
        let name = if kind == Kind::Gitlab { "name" } else { "context" };
        body[name] = json!(clip(&status.context, CONTEXT));
        if !status.link.is_empty() {
            body["target_url"] = json!(status.link);
        }
        Ask::new("POST", self.forge.of_repository(&format!("statuses/{commit}")), body)
    }

    fn set_gitlab_status(&mut self, commit: &str, status: &CommitStatus) -> Result<(), ForgeError> {
        let mut ask = self.status_ask(commit, status);
        let mut answer = self.ask(&ask)?;
        if answer.status == 404 && answer.message().contains("References for commit") {
            // A commit of a fork is on no branch of the project.
            if let Some(reference) = self.reference_of(commit)?
                && let Some(body) = &mut ask.body
            {
                body["ref"] = json!(reference);
                answer = self.ask(&ask)?;
            }
        }
        // A queued or running status is not sent again; whether an equal one has ended is not checked here.
        let is_progress = matches!(status.state, StatusState::Queued | StatusState::Running);
        let is_repeated = answer.status == 400 && answer.message().contains("Cannot transition status");
        match answer {
            _ if is_repeated && is_progress => Ok(()),
            answer @ Answer { status: 409, .. } => Err(busy(&ask, &answer, LOCKED_S)),
            answer => well(&ask, answer, self.need()).map(|_| ()),
        }
    }

    /// The reference of a merge request that has the commit.
    fn reference_of(&mut self, commit: &str) -> Result<Option<String>, ForgeError> {
        let place = format!("repository/commits/{}/merge_requests", encode(commit));
        let requests =
            self.ask_list(&Ask::get(self.forge.of_repository(&place)), "list of merge requests")?;
        let number = requests.iter().find_map(|request| number(request, "iid"));
        Ok(number.map(|number| format!("refs/merge-requests/{number}/head")))
    }
}

fn state_name(kind: Kind, state: StatusState) -> &'static str {
    use StatusState::{Cancelled, Error, Failure, Queued, Running, Success};
    match (kind, state) {
        (Kind::Gitlab, Running) => "running",
        (_, Queued | Running) => "pending",
        (_, Success) => "success",
        (Kind::Gitlab, Failure) => "failed",
        (_, Failure) => "failure",
        (Kind::Gitlab, Error | Cancelled) => "canceled",
        // Gitea takes `warning` and `skipped` for a success of a required check.
        (Kind::Github | Kind::Gitea, Error | Cancelled) => "error",
    }
}
