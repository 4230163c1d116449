//! Check runs, which GitHub keeps for apps.

use serde_json::{Value, json};

use super::text::{clip, clip_bytes, encode};
use super::{Client, CommitStatus, StatusState};
use crate::answer::{number, words};
use crate::{Ask, ForgeError};

/// Bytes of a field.
const LONGEST_FIELD: usize = 65_535;
/// Characters of a title and of a name.
const LONGEST_TITLE: usize = 255;

impl Client {
    /// Changes the check run of this name that the app made for the commit, or makes one. One that has ended
    /// is not begun again: another takes its place.
    pub(super) fn set_check_run(&mut self, commit: &str, status: &CommitStatus) -> Result<(), ForgeError> {
        let name = clip(&status.context, LONGEST_TITLE);
        let found = self.find_check_run(commit, &name)?;
        let mut body = content(status);
        let (state, _) = names(status.state);
        let found = found.filter(|(_, is_completed)| !is_completed || state == "completed");
        let ask = match found {
            Some((id, _)) => Ask::new("PATCH", self.forge.of_repository(&format!("check-runs/{id}")), body),
            None => {
                body["name"] = json!(name);
                body["head_sha"] = json!(commit);
                Ask::new("POST", self.forge.of_repository("check-runs"), body)
            }
        };
        self.ask_well(&ask).map(|_| ())
    }

    /// Whether the newest one of this name equals the one that was written.
    pub(super) fn has_check_run(&mut self, commit: &str, status: &CommitStatus) -> Result<bool, ForgeError> {
        let name = clip(&status.context, LONGEST_TITLE);
        let newest = self.check_runs(commit, &name)?.into_iter().max_by_key(|run| number(run, "id"));
        let (state, conclusion) = names(status.state);
        let is_it =
            |run: &Value| words(run, "status") == Some(state) && words(run, "conclusion") == conclusion;
        Ok(newest.as_ref().is_some_and(is_it))
    }

    /// The newest one of the app, and whether it has ended.
    fn find_check_run(&mut self, commit: &str, name: &str) -> Result<Option<(u64, bool)>, ForgeError> {
        let known = |run: &Value| Some((number(run, "id")?, words(run, "status") == Some("completed")));
        Ok(self.check_runs(commit, name)?.iter().filter_map(known).max())
    }

    /// Those of the app with this name.
    fn check_runs(&mut self, commit: &str, name: &str) -> Result<Vec<Value>, ForgeError> {
        let app = self.app.as_ref().map(|app| app.app_id());
        let filter = app.map(|id| format!("&app_id={id}")).unwrap_or_default();
        let query = format!("check_name={}&filter=latest&per_page=100{filter}", encode(name));
        let ask = Ask::get(self.forge.of_repository(&format!("commits/{commit}/check-runs?{query}")));
        let answer = self.ask_well(&ask)?;
        let runs = answer.body.get("check_runs").and_then(Value::as_array);
        let runs = runs.ok_or(ForgeError::Incomplete { url: ask.url, what: "list of check runs" })?;
        let is_own = |run: &&Value| {
            words(run, "name") == Some(name) && run.get("app").and_then(|app| number(app, "id")) == app
        };
        Ok(runs.iter().filter(is_own).cloned().collect())
    }
}

fn content(status: &CommitStatus) -> Value {
    let (state, conclusion) = names(status.state);
    let title = clip(&status.title, LONGEST_TITLE);
    let mut summary = status.title.clone();
    let mut body = json!({ "status": state });
    if let Some(conclusion) = conclusion {
        body["conclusion"] = json!(conclusion);
    }
    if !status.link.is_empty() {
        body["details_url"] = json!(status.link);
        summary += &format!("\n\n[Details]({})", status.link);
    }
    body["output"] = json!({ "title": title, "summary": clip_bytes(&summary, LONGEST_FIELD) });
    body
}

/// GitHub's names of the status and of the conclusion.
fn names(state: StatusState) -> (&'static str, Option<&'static str>) {
    match state {
        StatusState::Queued => ("queued", None),
        StatusState::Running => ("in_progress", None),
        StatusState::Success => ("completed", Some("success")),
        StatusState::Failure => ("completed", Some("failure")),
        // `neutral` and `skipped` satisfy a required check.
        StatusState::Error => ("completed", Some("action_required")),
        StatusState::Cancelled => ("completed", Some("cancelled")),
    }
}
