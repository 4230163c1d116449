//! The revisions of a branch. Names and first lines of commits are untrusted text: callers clean them before
//! display.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use tlslab_artifact::{Context, Doing, Halt, Inputs, Lock, Log, Stage, Workspace};
use tlslab_recipe::Recipe;

use crate::builder::Builder;
use crate::driver::harness;
use crate::git;
use crate::source::git::{is_local, location};

/// A revision of a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    /// The commit.
    pub commit: String,
    /// The day on which it was committed, `YYYY-MM-DD`.
    pub date: String,
    /// The first line of its message.
    pub subject: String,
}

impl Builder {
    /// The newest revisions of a branch along its first parents, newest first. From a remote repository,
    /// commits are fetched without their files, and stay in the cache.
    ///
    /// # Errors
    /// Fails if the name is not a branch's, or if the repository does not have it or cannot be reached.
    pub fn branch(&self, repository: &str, branch: &str, cancel: &AtomicBool) -> Result<Vec<Revision>, Halt> {
        check_name(branch)?;
        let context = self.context(cancel);
        let (folder, revision) = match is_local(repository) {
            true => (PathBuf::from(location(repository)), branch.to_owned()),
            false => (fetched(repository, branch, context)?, KEPT.to_owned()),
        };
        let newest = format!("--max-count={MOST}");
        let ask = |arguments: &[&str]| git::ask(&folder, arguments, context);
        let wanted = format!("{revision}^{{commit}}");
        let tip = ask(&["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted]);
        let tip = tip.map_err(|halt| match halt {
            Halt::Wrong { .. } => unknown(repository, branch),
            other => other,
        })?;
        let log = ["log", "-z", "--first-parent", &newest, "--no-color", "--encoding=UTF-8", FORMAT];
        let printed = ask(&[&log[..], &["--end-of-options", tip.trim(), "--"]].concat())?;
        Ok(printed.split('\0').filter_map(revision_of).collect())
    }

    /// A digest of the code between the lab and a stack's library: the sources of its driver and of the kit.
    ///
    /// # Errors
    /// Fails if the driver's folder cannot be read.
    pub fn harness(&self, recipe: &Recipe) -> Result<String, Halt> {
        let driver = recipe.driver.as_ref();
        driver.map_or_else(|| Ok(String::new()), |driver| harness(self.trees(), &driver.folder))
    }
}

/// Fetches the commits of a branch into a repository of the cache, which contains nothing else.
fn fetched(repository: &str, branch: &str, context: Context<'_>) -> Result<PathBuf, Halt> {
    if let Some(hosts) = context.hosts {
        hosts.check_git("the branch", repository)?;
    }
    let key = Inputs::new("branch").with("repository", repository).with("branch", branch).key();
    let folder = context.cache.work(&key);
    let _lock = Lock::take(&context.cache.lock("work", &key), context.cancel, || {})?;
    fs::create_dir_all(&folder).doing("create", &folder)?;
    let log = Log::start(context.cache.log("branch", Stage::Source, &key))?;
    let workspace = Workspace { context, jobs: 1, log: &log, report: &|_| {}, writable: vec![] };
    workspace.fetch(git::offline(&folder).args(["init", "--quiet", "--bare"]))?;
    let refs = format!("+refs/heads/{branch}:{KEPT}");
    // A server that cannot omit files sends all of them.
    let fetch = ["fetch", "--quiet", "--no-tags", "--filter=tree:0", repository, &refs];
    let fetch = git::fetching(&folder, repository, context)?.env("GIT_DIR", &folder).args(fetch);
    workspace.fetch(fetch).map_err(|halt| match halt {
        Halt::Step { .. } => Halt::wrong(
            format!("the branch {branch} of {repository}"),
            reason(&log.last_lines(LAST_LINES)).unwrap_or_else(|| "git gives no reason".to_owned()),
            "check its name and the network",
        ),
        other => other,
    })?;
    Ok(folder)
}

/// Why git failed: the first line that says `fatal:`, as general ones and advice follow it; else the last
/// one.
fn reason(lines: &[String]) -> Option<String> {
    let fatal = lines.iter().find_map(|line| line.trim().strip_prefix("fatal: "));
    fatal.or(lines.last().map(String::as_str)).map(|line| line.trim().trim_end_matches('.').to_owned())
}

/// How many lines of git's output are looked through.
const LAST_LINES: usize = 20;

/// A name that git can only take for a branch.
fn check_name(branch: &str) -> Result<(), Halt> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./@".contains(&byte);
    let is_name = !branch.is_empty()
        && branch.bytes().all(is_plain)
        && !branch.starts_with(['-', '.', '/'])
        && !branch.contains("..")
        && !branch.contains("@{");
    if is_name {
        return Ok(());
    }
    let cause = "it is not a name of a branch";
    Err(Halt::wrong(format!("{branch:?}"), cause, "name one, such as main, without its repository"))
}

fn unknown(repository: &str, branch: &str) -> Halt {
    let cause = format!("it has no branch {branch}");
    Halt::wrong(format!("git {repository}"), cause, "name a branch that the repository has")
}

/// A line of the log: commit, day, first line.
fn revision_of(line: &str) -> Option<Revision> {
    let (commit, rest) = line.split_once('\t')?;
    let (date, subject) = rest.split_once('\t')?;
    Some(Revision { commit: commit.trim().to_owned(), date: date.to_owned(), subject: subject.to_owned() })
}

const FORMAT: &str = "--format=%H%x09%cs%x09%s";

/// The name of a fetched branch in the cache.
const KEPT: &str = "refs/tlslab/branch";

/// The most revisions that are read: years of most branches.
const MOST: usize = 20_000;

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn git(folder: &Path, arguments: &[&str]) {
        let run = std::process::Command::new("git")
            .args(["-c", "user.name=n", "-c", "user.email=e", "-c", "uploadpack.allowFilter=true"])
            .args(arguments)
            .current_dir(folder)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        assert!(run.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&run.stderr));
    }

    #[test]
    fn the_revisions_of_a_branch_are_read_here_and_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let (library, cache) = (folder.path().join("library"), folder.path().join("cache"));
        fs::create_dir(&library).unwrap();
        git(&library, &["init", "--quiet", "--initial-branch=main"]);
        git(&library, &["config", "uploadpack.allowFilter", "true"]);
        let commit = |subject: &str| {
            fs::write(library.join("file"), subject).unwrap();
            git(&library, &["add", "."]);
            git(&library, &["commit", "--quiet", "-m", subject]);
        };
        commit("first");
        commit("second\tof\u{1b}[31m two\n\nand more");
        let builder = Builder::new(folder.path(), &cache);
        let asked = |repository: &str, branch: &str| {
            builder.branch(repository, branch, &AtomicBool::new(false)).map_err(|halt| halt.to_string())
        };
        let subjects = |repository: &str| -> Vec<String> {
            asked(repository, "main").unwrap().into_iter().map(|revision| revision.subject).collect()
        };
        let here = library.to_str().unwrap();
        let elsewhere = format!("file://{here}");
        for repository in [here, &*elsewhere] {
            assert_eq!(subjects(repository), ["second\tof\u{1b}[31m two", "first"]);
            assert!(asked(repository, "lost").unwrap_err().contains("lost"));
        }
        commit("third");
        assert_eq!(subjects(&elsewhere)[0], "third");
        let newest = &asked(here, "main").unwrap()[0];
        assert!(newest.commit.len() == 40 && newest.date.len() == 10, "{newest:?}");
        for name in ["", "--upload-pack=x", "a:b", "a b", "a..b", "main^", "a\u{1b}"] {
            assert!(asked(here, name).unwrap_err().contains("not a name of a branch"), "{name}");
        }
    }
}
