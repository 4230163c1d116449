//! Commits, which are made in temporary clones and pushed.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::gitea::Gitea;
use crate::gitea::accounts::{ADMIN, basic};
use crate::gitea::error::{GiteaError, describe};
use crate::gitea::programs;

impl Gitea {
    /// Commits files (pairs of path and content) to a branch, pushes it, and returns the commit's hash. A new
    /// branch starts from the default branch; in an empty repository it starts empty. Other files are
    /// unchanged.
    ///
    /// # Errors
    /// Fails with [`GiteaError::Failed`] if git fails, and with [`GiteaError::Stranger`] for an unknown user.
    pub fn push(
        &self,
        as_user: &str,
        repository: &str,
        branch: &str,
        files: &[(&str, &str)],
        message: &str,
    ) -> Result<String, GiteaError> {
        let clone = Clone::new(self, as_user, repository, branch)?;
        clone.write(files)?;
        clone.commit(&["--allow-empty", "--message", message])?;
        clone.push(&[], &format!("HEAD:refs/heads/{branch}"))
    }

    /// As [`Gitea::push`], with a submodule: its path, its address and its commit.
    ///
    /// # Errors
    /// Fails with [`GiteaError::Failed`] if git fails, and with [`GiteaError::Stranger`] for an unknown user.
    pub fn push_submodule(
        &self,
        as_user: &str,
        repository: &str,
        branch: &str,
        [path, url, commit]: [&str; 3],
        files: &[(&str, &str)],
    ) -> Result<String, GiteaError> {
        let clone = Clone::new(self, as_user, repository, branch)?;
        let place = clone.folder.path().join(path);
        fs::create_dir_all(&place).map_err(describe(&place))?;
        let modules = format!("[submodule \"{path}\"]\n\tpath = {path}\n\turl = {url}\n");
        clone.write(files)?;
        clone.write(&[(".gitmodules", &modules)])?;
        clone.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{commit},{path}")])?;
        clone.commit(&["--message", "A submodule"])?;
        clone.push(&[], &format!("HEAD:refs/heads/{branch}"))
    }

    /// As [`Gitea::push`], with all files of a folder.
    ///
    /// # Errors
    /// Fails as [`Gitea::push`] does, and with [`GiteaError::File`] if a file cannot be read or is not UTF-8.
    pub fn push_folder(
        &self,
        as_user: &str,
        repository: &str,
        branch: &str,
        folder: &Path,
        message: &str,
    ) -> Result<String, GiteaError> {
        let mut found = Vec::new();
        collect(folder, "", &mut found)?;
        let files: Vec<(&str, &str)> =
            found.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        self.push(as_user, repository, branch, &files, message)
    }

    /// Replaces the last commit of a branch by one that also has these files, and returns its hash.
    ///
    /// # Errors
    /// Fails with [`GiteaError::Failed`] if git fails, and with [`GiteaError::Stranger`] for an unknown user.
    pub fn force_push(
        &self,
        as_user: &str,
        repository: &str,
        branch: &str,
        files: &[(&str, &str)],
        message: &str,
    ) -> Result<String, GiteaError> {
        let clone = Clone::new(self, as_user, repository, branch)?;
        clone.write(files)?;
        clone.commit(&["--amend", "--allow-empty", "--message", message])?;
        clone.push(&["--force"], &format!("HEAD:refs/heads/{branch}"))
    }

    /// Moves a branch to a commit of the repository.
    ///
    /// # Errors
    /// Fails with [`GiteaError::Failed`] if git fails, and with [`GiteaError::Stranger`] for an unknown user.
    pub fn move_branch(
        &self,
        as_user: &str,
        repository: &str,
        branch: &str,
        commit: &str,
    ) -> Result<(), GiteaError> {
        let clone = Clone::new(self, as_user, repository, branch)?;
        clone.git(&["fetch", "--quiet", &clone.url, commit])?;
        clone.push(&["--force"], &format!("{commit}:refs/heads/{branch}")).map(drop)
    }

    /// Proposes a commit by a push to `refs/for/BRANCH`, which only needs read permission, and returns its
    /// hash.
    ///
    /// # Errors
    /// Fails with [`GiteaError::Failed`] if git fails, and with [`GiteaError::Stranger`] for an unknown user.
    pub fn push_for_review(
        &self,
        as_user: &str,
        repository: &str,
        topic: &str,
        files: &[(&str, &str)],
    ) -> Result<String, GiteaError> {
        let clone = Clone::new(self, as_user, repository, topic)?;
        clone.write(files)?;
        clone.commit(&["--allow-empty", "--message", topic])?;
        let (topic, title) = (format!("topic={topic}"), format!("title={topic}"));
        clone.push(&["-o", &topic, "-o", &title], "HEAD:refs/for/main")
    }

    /// Deletes a branch.
    ///
    /// # Errors
    /// Fails with [`GiteaError::Failed`] if git fails, and with [`GiteaError::Stranger`] for an unknown user.
    pub fn delete_branch(&self, as_user: &str, repository: &str, branch: &str) -> Result<(), GiteaError> {
        let clone = Clone::new(self, as_user, repository, branch)?;
        clone.push(&[], &format!(":refs/heads/{branch}")).map(drop)
    }
}

/// A clone that is deleted when it is dropped.
struct Clone<'a> {
    folder: TempDir,
    server: &'a Gitea,
    user: &'a str,
    url: String,
}

impl<'a> Clone<'a> {
    fn new(server: &'a Gitea, user: &'a str, repository: &str, branch: &str) -> Result<Self, GiteaError> {
        let path = format!("/repos/{repository}");
        let answer = server.request(ADMIN, "GET", &path, None)?;
        let default = answer.get("default_branch").and_then(Value::as_str).unwrap_or("main").to_owned();
        let folder = tempfile::Builder::new().prefix("clone-").tempdir();
        let folder = folder.map_err(describe(&std::env::temp_dir()))?;
        let clone = Self { folder, server, user, url: server.clone_url(repository) };
        clone.git(&["init", "--quiet", "--initial-branch", branch])?;
        clone.git(&["fetch", "--quiet", &clone.url, "+refs/heads/*:refs/remotes/origin/*"])?;
        for start in [branch, &default] {
            let start = format!("refs/remotes/origin/{start}");
            if clone.git(&["rev-parse", "--verify", "--quiet", &start]).is_ok() {
                clone.git(&["reset", "--quiet", "--hard", &start])?;
                break;
            }
        }
        Ok(clone)
    }

    fn write(&self, files: &[(&str, &str)]) -> Result<(), GiteaError> {
        for (name, text) in files {
            let path = self.folder.path().join(name);
            if let Some(above) = path.parent() {
                fs::create_dir_all(above).map_err(describe(above))?;
            }
            fs::write(&path, text).map_err(describe(&path))?;
        }
        Ok(())
    }

    fn commit(&self, arguments: &[&str]) -> Result<(), GiteaError> {
        self.git(&["add", "--all"])?;
        self.git(&[&["commit", "--quiet"], arguments].concat()).map(drop)
    }

    fn push(&self, options: &[&str], what: &str) -> Result<String, GiteaError> {
        self.git(&[&["push", "--quiet"], options, &[&self.url, what]].concat())?;
        Ok(self.git(&["rev-parse", "HEAD"])?.trim().to_owned())
    }

    /// Runs git with these settings alone. The token is in the environment, where other users do not see it.
    fn git(&self, arguments: &[&str]) -> Result<String, GiteaError> {
        let header = basic(self.user, &self.server.accounts.find(self.user)?.token);
        let email = format!("{}@scratch.example", self.user);
        let program = programs::find("git", None, "install it (Debian: git)")?;
        let program = programs::as_user(None, &program)
            .args(arguments)
            .directory(self.folder.path())
            .env("HOME", self.folder.path())
            .envs([
                ("GIT_CONFIG_NOSYSTEM", "1"),
                ("GIT_CONFIG_GLOBAL", "/dev/null"),
                ("GIT_TERMINAL_PROMPT", "0"),
                ("GIT_CONFIG_COUNT", "1"),
                ("GIT_CONFIG_KEY_0", "http.extraHeader"),
                ("GIT_CONFIG_VALUE_0", &format!("Authorization: {header}")),
                ("GIT_AUTHOR_NAME", self.user),
                ("GIT_AUTHOR_EMAIL", &email),
                ("GIT_COMMITTER_NAME", self.user),
                ("GIT_COMMITTER_EMAIL", &email),
            ]);
        let log = self.folder.path().join(".git/output.log");
        let log =
            if log.parent().is_some_and(Path::is_dir) { log } else { self.server.folder.join("git.log") };
        programs::run(&format!("`git {}`", arguments.join(" ")), program, &log)
    }
}

/// The files of a folder, with their paths relative to it and `/` as separator.
fn collect(folder: &Path, above: &str, found: &mut Vec<(String, String)>) -> Result<(), GiteaError> {
    for entry in fs::read_dir(folder).map_err(describe(folder))? {
        let entry = entry.map_err(describe(folder))?;
        let name = format!("{above}{}", entry.file_name().to_string_lossy());
        let path = entry.path();
        if path.is_dir() {
            collect(&path, &format!("{name}/"), found)?;
        } else {
            found.push((name, fs::read_to_string(&path).map_err(describe(&path))?));
        }
    }
    Ok(())
}
