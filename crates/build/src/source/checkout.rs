//! A checkout as it stands, changes included.

use std::path::{Path, PathBuf};

use tlslab_artifact::{Context, Doing, Halt, Stamp, copy_files, files, program, tree_digest};

/// A repository's configuration may name programs that git starts when it looks at files.
const UNTRUSTED: [&str; 4] = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];

/// The digest over what would be copied.
pub fn digest(path: &Path, context: Context<'_>) -> Result<String, Halt> {
    tree_digest(path, &listed(path, context)?)
}

/// Its commit and whether it has changes that are in none, for a person; nothing if it is no repository.
pub fn state(path: &Path, context: Context<'_>) -> String {
    let git = |arguments: &[&str]| {
        let here = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        context.ask(program("git", &here).args(UNTRUSTED).args(arguments)).ok()
    };
    if !path.join(".git").exists() {
        return String::new();
    }
    let Some(commit) = git(&["rev-parse", "HEAD"]) else { return String::new() };
    let changed = git(&["status", "--porcelain"]).map_or(0, |lines| lines.lines().count());
    let changes = match changed {
        0 => "unchanged".to_owned(),
        count => format!("with uncommitted changes in {count} files"),
    };
    format!(" commit {} {changes}", commit.trim())
}

/// Copies it, and makes sure that nobody changed it meanwhile.
pub fn copy(path: &Path, digest: &str, to: &Path, context: Context<'_>) -> Result<(), Halt> {
    let listed = listed(path, context)?;
    copy_files(path, to, &listed, Stamp::Fixed)?;
    if tree_digest(to, &listed)? == digest {
        return Ok(());
    }
    Err(Halt::wrong(
        format!("checkout {}", path.display()),
        "it was changed while it was read",
        "build again when nobody writes to it",
    ))
}

/// Every file that is not git's or ignored by git; in a folder that is no repository, every file.
fn listed(path: &Path, context: Context<'_>) -> Result<Vec<PathBuf>, Halt> {
    if !path.is_dir() {
        return Err(Halt::wrong(
            format!("checkout {}", path.display()),
            "there is no such folder",
            "correct `source.path`, which starts from the recipe's folder",
        ));
    }
    let no_git = |path: &Path| path.file_name().is_none_or(|name| name != ".git");
    if !path.join(".git").exists() {
        return files(path, &no_git).doing("read", path);
    }
    let here = std::path::absolute(path).doing("find", path)?;
    let git = program("git", &here).args(UNTRUSTED).args([
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]);
    let mut found = Vec::new();
    for name in context.ask(git)?.split('\0').filter(|name| !name.is_empty()) {
        let file = path.join(name);
        match std::fs::symlink_metadata(&file) {
            // A submodule is listed as the folder that it is.
            Ok(kind) if kind.is_dir() => {
                let below = files(&file, &no_git).doing("read", &file)?;
                found.extend(below.into_iter().map(|below| Path::new(name).join(below)));
            }
            Ok(_) => found.push(PathBuf::from(name)),
            // Deleted, but git does not know yet.
            Err(_) => {}
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}
