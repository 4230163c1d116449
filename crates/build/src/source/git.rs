//! A commit of a git repository, with its submodules.

use std::path::Path;
use std::time::Duration;

use tlslab_artifact::{Context, Doing, Halt, Workspace, remove};

use super::modules;
use crate::git;

/// The current commit of a revision. A commit names itself; no server is asked.
pub(crate) fn commit(repository: &str, revision: &str, context: Context<'_>) -> Result<String, Halt> {
    if is_commit(revision) {
        return Ok(revision.to_owned());
    }
    if is_local(repository) {
        let wanted = format!("{revision}^{{commit}}");
        let asked = ["rev-parse", "--verify", "--end-of-options", &wanted];
        let printed = git::ask(Path::new(repository), &asked, context)?;
        return first_commit(&printed, repository, revision);
    }
    let git = git::fetching(Path::new("/"), repository, context)?.args(["ls-remote", repository, revision]);
    let peeled = format!("{revision}^{{}}");
    let printed = context.ask(git.arg(&peeled))?;
    // An annotated tag is an object of its own; the line that ends so has its commit.
    let of_tag: String = printed.lines().filter(|line| line.ends_with("^{}")).collect();
    first_commit(if of_tag.is_empty() { &printed } else { &of_tag }, repository, revision)
}

/// Whether a repository has a commit, branch or tag of this name.
pub(crate) fn has_revision(repository: &str, revision: &str, context: Context<'_>) -> Result<bool, Halt> {
    if is_commit(revision) {
        return Ok(true);
    }
    if is_local(repository) {
        let wanted = format!("{revision}^{{commit}}");
        let asked = ["rev-parse", "--quiet", "--verify", "--end-of-options", &wanted];
        return Ok(git::ask(Path::new(repository), &asked, context).is_ok());
    }
    let git = git::fetching(Path::new("/"), repository, context)?.args(["ls-remote", repository, revision]);
    Ok(!context.ask(git)?.trim().is_empty())
}

/// Writes the files of a commit into a folder, with those of its submodules.
pub(crate) fn fetch(
    repository: &str,
    revision: &str,
    commit: &str,
    folder: &Path,
    workspace: &Workspace<'_>,
) -> Result<(), Halt> {
    fetch_level(&location(repository), revision, commit, folder, 0, workspace)
}

fn fetch_level(
    repository: &str,
    revision: &str,
    commit: &str,
    folder: &Path,
    depth: u32,
    workspace: &Workspace<'_>,
) -> Result<(), Halt> {
    let git = || git::fetching(folder, repository, workspace.context);
    workspace.fetch(git::offline(folder).args(["init", "--quiet"]))?;
    let shallow = || workspace.fetch(git()?.args(["fetch", "--quiet", "--depth=1", repository, commit]));
    let mut fetched = shallow();
    if matches!(fetched, Err(Halt::Step { .. })) && needs_credential(repository, workspace) {
        workspace.log.note("fetching again with a new credential: the first one may have expired")?;
        std::thread::sleep(AGAIN);
        fetched = shallow();
    }
    match fetched {
        // Some servers send only commits at the tips of branches.
        Err(Halt::Step { .. }) => {
            workspace.log.note("the commit cannot be fetched alone; fetching the whole history")?;
            workspace.fetch(git()?.args(["fetch", "--quiet", repository, revision]))?;
        }
        other => other?,
    }
    workspace.fetch(git::offline(folder).args(["checkout", "--quiet", "--detach", commit]))?;
    submodules(repository, folder, depth, workspace)
}

/// The submodules of a work tree, recursively, each as a repository of its own: git itself would use settings
/// that a repository has committed, and unchecked addresses.
fn submodules(repository: &str, folder: &Path, depth: u32, workspace: &Workspace<'_>) -> Result<(), Halt> {
    if !folder.join(MODULES).is_file() {
        return Ok(());
    }
    if depth == DEEPEST {
        let next_step = "name a source whose submodules are not nested like that";
        return Err(Halt::wrong(
            format!("`{}`", folder.display()),
            "its submodules nest without end",
            next_step,
        ));
    }
    let ask = |arguments: &[&str]| workspace.context.ask(git::offline(folder).args(arguments));
    let settings = ask(&["config", "--null", "--file", MODULES, "--list"])?;
    let modules = modules::parse(&settings);
    for (path, commit) in modules::links(&ask(&["ls-files", "--stage", "-z"])?) {
        // Git, too, leaves a submodule without an address empty.
        let Some(address) = modules.get(path) else { continue };
        let address = modules::resolved(repository, address)?;
        if let Some(hosts) = workspace.context.hosts {
            hosts.check_git(MODULES, &address)?;
        }
        let place = folder.join(path);
        std::fs::create_dir_all(&place).doing("create", &place)?;
        let fetched =
            fetch_level(&address, "refs/heads/*:refs/fetched/*", commit, &place, depth + 1, workspace);
        fetched.map_err(|halt| unlisted(&address, halt, workspace))?;
        remove(&place.join(".git"))?;
    }
    Ok(())
}

fn needs_credential(repository: &str, workspace: &Workspace<'_>) -> bool {
    workspace.context.credentials.is_some_and(|credentials| credentials.repositories().contain(repository))
}

/// The error about a submodule on the code host of a private repository: the credential is not used for
/// everything that it could open, as the author of a commit writes the addresses of its submodules.
fn unlisted(address: &str, halt: Halt, workspace: &Workspace<'_>) -> Halt {
    let is_near = workspace.context.credentials.is_some_and(|credentials| {
        let private = credentials.repositories();
        private.share_origin(address) && !private.contain(address)
    });
    match halt {
        Halt::Step { .. } if is_near => Halt::wrong(
            format!("the submodule {address}"),
            "it could not be fetched without a credential",
            "if it is private, add its path to `submodules` of the project in the service's configuration",
        ),
        other => other,
    }
}

/// The pause before a second attempt with a credential: a new one may take a moment to become valid
/// everywhere.
const AGAIN: Duration = Duration::from_secs(1);

/// Whether it is a local repository. An address is never taken for a path.
pub(crate) fn is_local(repository: &str) -> bool {
    !repository.contains("://") && Path::new(repository).exists()
}

/// An address, or the absolute path of a local repository.
pub(crate) fn location(repository: &str) -> String {
    match is_local(repository) {
        true => std::path::absolute(repository).unwrap_or_default().to_string_lossy().into_owned(),
        false => repository.to_owned(),
    }
}

const MODULES: &str = ".gitmodules";

/// The deepest nesting of submodules.
const DEEPEST: u32 = 8;

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
