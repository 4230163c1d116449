//! A commit of a git repository, with its submodules.

use std::path::Path;

use tlslab_artifact::{Context, Halt, Workspace, program};

/// The commit that a revision names now. A commit names itself; nobody is asked.
pub fn commit(repository: &str, revision: &str, context: Context<'_>) -> Result<String, Halt> {
    if is_commit(revision) {
        return Ok(revision.to_owned());
    }
    let here = Path::new("/");
    if Path::new(repository).exists() {
        let wanted = format!("{revision}^{{commit}}");
        let git = program("git", here).arg("-C").arg(std::path::absolute(repository).unwrap_or_default());
        let printed = context.ask(git.args(["rev-parse", "--verify", "--end-of-options"]).arg(wanted))?;
        return first_commit(&printed, repository, revision);
    }
    let git = program("git", here).args(["ls-remote", repository, revision]);
    let peeled = format!("{revision}^{{}}");
    let printed = context.ask(git.arg(&peeled))?;
    // A tag with a message is an object of its own; the line that ends so is the commit it is on.
    let of_tag: String = printed.lines().filter(|line| line.ends_with("^{}")).collect();
    first_commit(if of_tag.is_empty() { &printed } else { &of_tag }, repository, revision)
}

/// Brings the files of a commit to a folder.
pub fn fetch(
    repository: &str,
    revision: &str,
    commit: &str,
    folder: &Path,
    workspace: &Workspace<'_>,
) -> Result<(), Halt> {
    let git =
        || program("git", folder).args(["-c", "advice.detachedHead=false", "-c", "core.autocrlf=false"]);
    let repository = match Path::new(repository).exists() {
        true => std::path::absolute(repository).unwrap_or_default().to_string_lossy().into_owned(),
        false => repository.to_owned(),
    };
    workspace.fetch(git().args(["init", "--quiet"]))?;
    let shallow = git().args(["fetch", "--quiet", "--depth=1", &repository, commit]);
    match workspace.fetch(shallow) {
        // Not every server gives out a commit that is no branch's last.
        Err(Halt::Step { .. }) => {
            workspace.log.note("the commit alone is not to be had; fetching all of the history")?;
            workspace.fetch(git().args(["fetch", "--quiet", &repository, revision]))?;
        }
        other => other?,
    }
    workspace.fetch(git().args(["checkout", "--quiet", "--detach", commit]))?;
    if folder.join(".gitmodules").is_file() {
        workspace.fetch(git().args([
            "submodule",
            "--quiet",
            "update",
            "--init",
            "--recursive",
            "--depth=1",
        ]))?;
    }
    Ok(())
}

fn first_commit(printed: &str, repository: &str, revision: &str) -> Result<String, Halt> {
    match printed.split_whitespace().next() {
        Some(commit) if is_commit(commit) => Ok(commit.to_owned()),
        _ => Err(Halt::wrong(
            format!("git {repository}"),
            format!("it has no branch or tag called \"{revision}\""),
            "name a branch, a tag or a whole commit",
        )),
    }
}

fn is_commit(revision: &str) -> bool {
    matches!(revision.len(), 40 | 64)
        && revision.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
