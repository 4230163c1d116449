//! The revisions of a repository between two of them.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

use crate::session::workshop::Workshop;

/// Revisions in their order, the good one first and the bad one last.
pub(super) struct Revisions {
    /// The repository, a folder.
    pub repository: PathBuf,
    /// Commits, full names.
    pub commits: Vec<String>,
}

impl Revisions {
    /// The revisions on the first-parent path from `good` to `bad`, for a stack: the kind of its checkout
    /// decides whether git runs in a sandbox.
    pub(super) fn between(
        workshop: &Workshop<'_>,
        stack: &str,
        repository: &Path,
        good: &str,
        bad: &str,
    ) -> anyhow::Result<Self> {
        let repository = repository
            .canonicalize()
            .with_context(|| format!("there is no folder {}", repository.display()))?;
        let commits = vec![bad.to_owned()];
        let mut revisions = Self { repository, commits };
        let recipe = workshop.environment.recipe_index()?.named(&revisions.stack(stack, 0))?;
        workshop.decide_place(&[&recipe])?;
        let git = |arguments: &[&str]| workshop.git(&revisions.repository, arguments);
        let commit = |name: &str| {
            let wanted = format!("{name}^{{commit}}");
            let found = git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted]);
            workshop.reporter.check()?;
            found.with_context(|| format!("{name} is not a revision of {}", revisions.repository.display()))
        };
        let (good, bad) = (commit(good)?, commit(bad)?);
        ensure!(good != bad, "the good and the bad revision are the same: {good}");
        let range = format!("{good}..{bad}");
        let listed = git(&["rev-list", "--reverse", "--first-parent", &range])?;
        let base = git(&["merge-base", &good, &bad]).unwrap_or_default();
        workshop.reporter.check()?;
        if base != good {
            bail!("{good} is not an ancestor of {bad}; name a good revision from which the bad one descends");
        }
        let mut commits = vec![good];
        commits.extend(listed.lines().map(str::to_owned));
        revisions.commits = commits;
        Ok(revisions)
    }

    /// The stack at one of them.
    pub(super) fn stack(&self, template: &str, at: usize) -> String {
        // Variants and dependencies come after the source.
        let end = template.find(['+', ',']).unwrap_or(template.len());
        let (name, further) = template.split_at(end);
        format!("{name}@git:{}#{}{further}", self.repository.display(), self.commits[at])
    }

    /// A commit with its first line.
    pub(super) fn title(&self, workshop: &Workshop<'_>, at: usize) -> String {
        let commit = &self.commits[at];
        let title = workshop.git(&self.repository, &["log", "-1", "--no-color", "--format=%h %s", commit]);
        title.unwrap_or_else(|_| commit.clone())
    }
}
