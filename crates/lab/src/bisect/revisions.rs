//! What is searched: the revisions of a repository between two of them, or a library's releases.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use tlslab_recipe::Spec;

use crate::backfill::releases_between;
use crate::problem::Problem;
use crate::session::workshop::Workshop;

/// Revisions or releases in their order, the good one first and the bad one last.
pub(super) struct Revisions {
    /// The repository, a folder; `None` for releases.
    pub repository: Option<PathBuf>,
    /// Commits, full names, or versions.
    pub names: Vec<String>,
}

impl Revisions {
    /// The releases of a stack from `good` to `bad`, by version, without pre-releases and withdrawn ones
    /// unless they are one of these two.
    ///
    /// # Errors
    /// Fails if one of the two is no release, or the good one is not the earlier.
    pub(super) fn releases(
        workshop: &Workshop<'_>,
        stack: &str,
        good: &str,
        bad: &str,
    ) -> anyhow::Result<Self> {
        let spec = Spec::parse(stack)?;
        ensure!(
            spec.version.is_none() && spec.source.is_none(),
            Problem::invalid(
                "stack",
                stack,
                "releases are searched of a stack without a version or source",
                format!("name {}", spec.name)
            )
        );
        let names = releases_between(&workshop.environment.recipe_index()?, &spec, good, bad)?;
        ensure!(names.len() > 1, "{good} and {bad} are one release; name two");
        Ok(Self { repository: None, names })
    }

    /// The revisions on the first-parent path from `good` to `bad`, for a stack: the kind of its checkout
    /// decides whether git runs in a sandbox.
    ///
    /// # Errors
    /// Fails if there is no such repository or revision, and if `good` is not an ancestor of `bad`.
    pub(super) fn commits(
        workshop: &Workshop<'_>,
        stack: &str,
        repository: &Path,
        good: &str,
        bad: &str,
    ) -> anyhow::Result<Self> {
        let repository = repository
            .canonicalize()
            .with_context(|| format!("there is no folder {}", repository.display()))?;
        let names = vec![bad.to_owned()];
        let mut revisions = Self { repository: Some(repository.clone()), names };
        let recipe = workshop.environment.recipe_index()?.named(&revisions.stack(stack, 0))?;
        workshop.decide_place(&[&recipe])?;
        let git = |arguments: &[&str]| workshop.git(&repository, arguments);
        let commit = |name: &str| {
            let wanted = format!("{name}^{{commit}}");
            let found = git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted]);
            workshop.reporter.check()?;
            found.with_context(|| format!("{name} is not a revision of {}", repository.display()))
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
        revisions.names = std::iter::once(good).chain(listed.lines().map(str::to_owned)).collect();
        Ok(revisions)
    }

    /// The stack at one of them.
    pub(super) fn stack(&self, template: &str, at: usize) -> String {
        // Variants and dependencies come after the source.
        let end = template.find(['+', ',']).unwrap_or(template.len());
        let (name, further) = template.split_at(end);
        let of_name = &self.names[at];
        match &self.repository {
            Some(repository) => format!("{name}@git:{}#{of_name}{further}", repository.display()),
            None => format!("{name}@{of_name}{further}"),
        }
    }

    /// A commit with its first line, or a version.
    pub(super) fn title(&self, workshop: &Workshop<'_>, at: usize) -> String {
        let name = &self.names[at];
        let log = ["log", "-1", "--no-color", "--format=%h %s", name];
        let title = self.repository.as_ref().and_then(|repository| workshop.git(repository, &log).ok());
        title.unwrap_or_else(|| name.clone())
    }

    /// What one of them is called.
    pub(super) fn noun(&self) -> &'static str {
        if self.repository.is_some() { "revision" } else { "release" }
    }
}
