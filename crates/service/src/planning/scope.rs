//! Which pull requests are measured without being asked.

use tlslab_forge::{CommitStatus, ForgeError, Pull, StatusState};

use super::plan::Planner;
use crate::config::PullScope;
use crate::config::patterns::matches;
use crate::message::Letter;

/// Whether a pull request is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// It is measured.
    Measured,
    /// It concerns another project: it gets no status.
    Elsewhere(String),
    /// It waits until somebody requests it.
    Waits(String),
    /// It is not measured, and its running measurements end.
    Forbidden(String),
}

/// The text of a status if nothing that is measured changed.
pub(crate) const UNCHANGED: &str = "nothing that is measured changed";

impl Planner<'_> {
    /// Why pull requests into its base branch are not measured, also if somebody asks.
    pub(super) fn elsewhere(&self, pull: &Pull) -> Option<String> {
        let bases = &self.project.pulls.bases;
        let is_ours = bases.is_empty() || matches(bases, &pull.base_branch);
        (!is_ours).then(|| format!("pull requests into {} are not measured", pull.base_branch))
    }

    /// The scope by the pull request's data, without its files.
    pub(super) fn scope_of(&self, pull: &Pull) -> Scope {
        let scope = &self.project.pulls;
        let quoted = |label: &String| format!("\"{label}\"");
        if let Some(why) = self.elsewhere(pull) {
            return Scope::Elsewhere(why);
        }
        if let Some(label) = scope.no_labels.iter().find(|label| pull.labels.contains(label)) {
            return Scope::Forbidden(format!("not measured: it has the label {}", quoted(label)));
        }
        if !scope.labels.is_empty() && !scope.labels.iter().any(|label| pull.labels.contains(label)) {
            let labels: Vec<_> = scope.labels.iter().map(quoted).collect();
            return Scope::Waits(format!("waits for the label {}", labels.join(" or ")));
        }
        if pull.author.is_bot && !scope.bots {
            return Scope::Waits("a bot opened it; a maintainer may ask for a comparison".to_owned());
        }
        Scope::Measured
    }

    /// Whether baseline and head do not differ in anything that is measured. If the code host does not list
    /// all files, they may differ in anything.
    pub(super) fn is_unchanged(
        &mut self,
        number: u64,
        baseline: &str,
        head: &str,
    ) -> Result<bool, ForgeError> {
        let scope = &self.project.pulls;
        if scope.paths.is_empty() && scope.ignore.is_empty() {
            return Ok(false);
        }
        let files = self.asked.changed_files(number, baseline, head)?;
        Ok(files.is_some_and(|files| !files.iter().any(|file| is_measured(scope, file))))
    }

    /// The status of a head that has no job.
    pub(super) fn status_without_job(
        &self,
        commit: &str,
        state: StatusState,
        title: &str,
    ) -> tlslab_queue::Change {
        let project = self.project.name.get_ref().clone();
        let context = format!("tlslab/{project}");
        let status = CommitStatus { context, state, title: title.to_owned(), link: String::new() };
        Letter::Status { project, commit: commit.to_owned(), status }.sent(String::new())
    }
}

/// Whether a change of this file is measured.
fn is_measured(scope: &PullScope, file: &str) -> bool {
    (scope.paths.is_empty() || matches(&scope.paths, file)) && !matches(&scope.ignore, file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_measured_by_pattern() {
        let of = |paths: &[&str], ignore: &[&str]| PullScope {
            paths: paths.iter().map(|text| (*text).to_owned()).collect(),
            ignore: ignore.iter().map(|text| (*text).to_owned()).collect(),
            ..PullScope::default()
        };
        let documents = of(&[], &["docs/**", "**/*.md"]);
        for (file, expected) in [
            ("docs/a/b.png", false),
            ("README.md", false),
            ("src/notes.md", false),
            ("src/lib.rs", true),
            ("src/docs/x.rs", true),
        ] {
            assert_eq!(is_measured(&documents, file), expected, "{file}");
        }
        let one = of(&["crates/tls/**", "Cargo.*"], &["crates/tls/tests/**"]);
        for (file, expected) in [
            ("crates/tls/src/a.rs", true),
            ("Cargo.lock", true),
            ("crates/other/Cargo.toml", false),
            ("crates/tls/tests/a.rs", false),
        ] {
            assert_eq!(is_measured(&one, file), expected, "{file}");
        }
    }
}
