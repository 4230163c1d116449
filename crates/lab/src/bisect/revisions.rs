//! The revisions of a repository between two of them.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail, ensure};

/// Revisions in their order, the good one first and the bad one last.
pub struct Revisions {
    /// The repository, a folder.
    pub repository: PathBuf,
    /// Commits, full names.
    pub commits: Vec<String>,
}

impl Revisions {
    /// Those on the first-parent way from `good` to `bad`.
    pub fn between(repository: &Path, good: &str, bad: &str) -> anyhow::Result<Self> {
        let repository = repository
            .canonicalize()
            .with_context(|| format!("there is no folder {}", repository.display()))?;
        let commit = |name: &str| {
            let found =
                git(&repository, &["rev-parse", "--verify", "--quiet", &format!("{name}^{{commit}}")]);
            found.with_context(|| format!("{name} is not a revision of {}", repository.display()))
        };
        let (good, bad) = (commit(good)?, commit(bad)?);
        ensure!(good != bad, "the good and the bad revision are the same: {good}");
        let range = format!("{good}..{bad}");
        let listed = git(&repository, &["rev-list", "--reverse", "--first-parent", &range])?;
        let is_ancestor = Command::new("git")
            .arg("-C")
            .arg(&repository)
            .args(["merge-base", "--is-ancestor", &good, &bad])
            .status()
            .context("cannot run git")?;
        if !is_ancestor.success() {
            bail!("{good} is not an ancestor of {bad}; name a good revision from which the bad one descends");
        }
        let mut commits = vec![good];
        commits.extend(listed.lines().map(str::to_owned));
        Ok(Self { repository, commits })
    }

    /// The stack at one of them.
    pub fn stack(&self, template: &str, at: usize) -> String {
        // Variants and dependencies come after the source.
        let end = template.find(['+', ',']).unwrap_or(template.len());
        let (name, further) = template.split_at(end);
        format!("{name}@git:{}#{}{further}", self.repository.display(), self.commits[at])
    }

    /// A commit with its first line.
    pub fn title(&self, at: usize) -> String {
        let commit = &self.commits[at];
        git(&self.repository, &["log", "-1", "--format=%h %s", commit]).unwrap_or_else(|_| commit.clone())
    }
}

fn git(repository: &Path, arguments: &[&str]) -> anyhow::Result<String> {
    let output =
        Command::new("git").arg("-C").arg(repository).args(arguments).output().context("cannot run git")?;
    ensure!(
        output.status.success(),
        "git {}: {}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
