//! A checkout in its current state, changes included.

use std::path::{Component, Path, PathBuf};

use tlslab_artifact::{Context, Doing, Halt, Stamp, copy_files, files, tree_digest};

use crate::git;

/// The digest of the files that would be copied.
pub(super) fn digest(path: &Path, context: Context<'_>) -> Result<String, Halt> {
    tree_digest(path, &listed(path, context)?)
}

/// Its commit and whether it has uncommitted changes, for display; `None` if it is not a repository.
pub(super) fn state(path: &Path, context: Context<'_>) -> String {
    if !path.join(".git").exists() {
        return String::new();
    }
    let Ok(commit) = git::ask(path, &["rev-parse", "HEAD"], context) else { return String::new() };
    let changes = match git::ask(path, &["status", "--porcelain"], context).map(|lines| lines.lines().count())
    {
        Ok(0) => "unchanged".to_owned(),
        Ok(count) => format!("with uncommitted changes in {count} files"),
        Err(_) => "with changes that git cannot list".to_owned(),
    };
    format!(" commit {} {changes}", commit.trim())
}

/// Copies it, and checks that it did not change meanwhile.
pub(super) fn copy(path: &Path, digest: &str, to: &Path, context: Context<'_>) -> Result<(), Halt> {
    let listed = listed(path, context)?;
    copy_files(path, to, &listed, Stamp::Fixed)?;
    if tree_digest(to, &listed)? == digest {
        return Ok(());
    }
    Err(Halt::wrong(
        format!("checkout {}", path.display()),
        "it was changed while it was read",
        "build again when no program writes to it",
    ))
}

/// Every file except git's own and ignored ones; if the folder is not a repository, every file.
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
    let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let mut found = Vec::new();
    for name in git::ask(path, &arguments, context)?.split('\0').filter(|name| !name.is_empty()) {
        // Git itself writes no other names, but reads them from an untrusted index.
        if !Path::new(name).components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(Halt::wrong(
                format!("checkout {}", path.display()),
                format!("its index of git names \"{}\", which is not in it", name.escape_debug()),
                "check it out again",
            ));
        }
        let file = path.join(name);
        match std::fs::symlink_metadata(&file) {
            // A submodule is listed as the folder that it is.
            Ok(kind) if kind.is_dir() => {
                if is_missing(&file) && !is_left_out(path, name, context) {
                    return Err(without(path, name));
                }
                let below = files(&file, &no_git).doing("read", &file)?;
                found.extend(below.into_iter().map(|below| Path::new(name).join(below)));
            }
            Ok(_) => found.push(PathBuf::from(name)),
            // Deleted, but not in git's index yet.
            Err(_) => {}
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// Whether a submodule was not checked out: its folder is empty.
fn is_missing(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// Whether git's configuration excludes the submodule at this path from updates.
fn is_left_out(path: &Path, module: &str, context: Context<'_>) -> bool {
    let paths = ["config", "--file", ".gitmodules", "--null", "--get-regexp", r"^submodule\..*\.path$"];
    let Ok(paths) = git::ask(path, &paths, context) else { return false };
    let named = paths.split('\0').filter_map(|entry| entry.split_once('\n'));
    let name = named
        .filter(|(_, at)| at.trim_end_matches('/') == module.trim_end_matches('/'))
        .find_map(|(key, _)| key.strip_suffix(".path"));
    let update = |name| git::ask(path, &["config", "--get", &format!("{name}.update")], context);
    name.is_some_and(|name| update(name).is_ok_and(|update| update.trim() == "none"))
}

fn without(path: &Path, module: &str) -> Halt {
    let (folder, module) = (path.display(), module.escape_debug());
    Halt::wrong(
        format!("checkout {folder}"),
        format!("its submodule {module} is not checked out"),
        format!(
            "run `git -C {folder} submodule update --init {module}`, or, if nothing of it is needed, \
             `git -C {folder} config submodule.{module}.update none`"
        ),
    )
}
