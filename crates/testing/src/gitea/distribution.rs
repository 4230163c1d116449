//! The server's program and its files, built once from its Go module for all tests.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde_json::Value;
use tlslab_process::Program;

use crate::gitea::error::{GiteaError, describe};
use crate::gitea::programs::{find, last_lines, run};

/// The version that tests use.
pub(super) const VERSION: &str = "1.25.5";
const MODULE: &str = "code.gitea.io/gitea";
const TAGS: &str = "sqlite sqlite_unlock_notify";
/// The program's name, in the distribution and in the folder of a server.
pub(super) const PROGRAM: &str = "gitea";
/// The folders that the server reads besides its settings.
pub(super) const STATIC: [&str; 3] = ["options", "public", "templates"];
/// The longest time that a build may take.
const PATIENCE: Duration = Duration::from_secs(3600);

/// The folder with the program and its files; it is built if it is missing.
pub(super) fn build() -> Result<PathBuf, GiteaError> {
    let cache = cache()?;
    let finished = cache.join(VERSION);
    if finished.join(PROGRAM).is_file() {
        return Ok(finished);
    }
    fs::create_dir_all(&cache).map_err(describe(&cache))?;
    let lock = cache.join("lock");
    let held = File::create(&lock).map_err(describe(&lock))?;
    held.lock().map_err(describe(&lock))?;
    // Another process may have built it meanwhile.
    if !finished.join(PROGRAM).is_file() {
        make(&cache, &finished)?;
    }
    Ok(finished)
}

fn cache() -> Result<PathBuf, GiteaError> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    // The specification of XDG_CACHE_HOME says to ignore a relative path.
    let base = set("XDG_CACHE_HOME").filter(|path| path.is_absolute());
    let base = base.or_else(|| set("HOME").map(|home| home.join(".cache")));
    base.map(|base| base.join("tlslab/gitea")).ok_or_else(|| {
        GiteaError::Missing("there is no folder for the cache; set HOME or XDG_CACHE_HOME".into())
    })
}

/// Everything is made in a folder next to its place and moved there when it is complete.
fn make(cache: &Path, finished: &Path) -> Result<(), GiteaError> {
    let go = find("go", Some("/usr/local/go/bin"), "install Go 1.25 or later (Debian: golang-go)")?;
    find("cc", None, "Gitea's SQLite needs a C compiler: install gcc (Debian: build-essential)")?;
    let log = cache.join(format!("{VERSION}.log"));
    let source = cache.join(format!("{VERSION}.source"));
    let partial = cache.join(format!("{VERSION}.partial"));
    for old in [&source, &partial] {
        if old.exists() {
            fs::remove_dir_all(old).map_err(describe(old))?;
        }
    }
    fs::create_dir_all(&partial).map_err(describe(&partial))?;
    copy(&download(&go, cache, &log)?, &source)?;
    compile(&go, &source, &partial.join(PROGRAM), &log)?;
    for name in STATIC {
        let (from, to) = (source.join(name), partial.join(name));
        fs::rename(&from, to).map_err(describe(&from))?;
    }
    fs::rename(&partial, finished).map_err(describe(finished))?;
    fs::remove_dir_all(&source).map_err(describe(&source))
}

/// The module's folder in Go's own cache, which cannot be written to.
fn download(go: &Path, cache: &Path, log: &Path) -> Result<PathBuf, GiteaError> {
    let module = format!("{MODULE}@v{VERSION}");
    let what = format!("`go mod download {module}`");
    let program = Program::new(go).args(["mod", "download", "-json", &module]).inherit_environment();
    let answer = run(&what, program.directory(cache), log)?;
    let answer: Value = serde_json::from_str(&answer).unwrap_or(Value::Null);
    let folder = answer.get("Dir").and_then(Value::as_str);
    folder
        .map(PathBuf::from)
        .ok_or_else(|| GiteaError::Failed { what, output: "its answer names no folder".to_owned() })
}

fn compile(go: &Path, source: &Path, program: &Path, log: &Path) -> Result<(), GiteaError> {
    let flags = format!("-s -w -X main.Version={VERSION}");
    let build = Program::new(go)
        .args(["build", "-trimpath", "-tags", TAGS, "-ldflags", &flags, "-o"])
        .arg(program)
        .arg(".")
        .inherit_environment()
        .env("CGO_ENABLED", "1")
        .env("GOFLAGS", "")
        .env("GOWORK", "off")
        .directory(source);
    if build.run_to_log(log, Some(PATIENCE), &AtomicBool::new(false))?.success() {
        return Ok(());
    }
    let what = format!("`go build` of Gitea {VERSION} (the whole log is {})", log.display());
    Err(GiteaError::Failed { what, output: last_lines(log) })
}

/// Copies a folder, with write permission for its owner.
fn copy(from: &Path, to: &Path) -> Result<(), GiteaError> {
    fs::create_dir_all(to).map_err(describe(to))?;
    for entry in fs::read_dir(from).map_err(describe(from))? {
        let entry = entry.map_err(describe(from))?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().map_err(describe(&path))?;
        if kind.is_dir() {
            copy(&path, &target)?;
        } else if kind.is_file() {
            fs::write(&target, fs::read(&path).map_err(describe(&path))?).map_err(describe(&target))?;
        }
    }
    Ok(())
}

/// Copies the program and its files to a server's folder: the cache may be in a home that the server's user
/// cannot enter.
pub(super) fn install(distribution: &Path, folder: &Path) -> Result<(), GiteaError> {
    for name in STATIC {
        copy(&distribution.join(name), &folder.join(name))?;
    }
    let (from, to) = (distribution.join(PROGRAM), folder.join(PROGRAM));
    // A hard link on the same disk, as the program has a hundred megabytes.
    fs::hard_link(&from, &to).or_else(|_| fs::copy(&from, &to).map(drop)).map_err(describe(&to))
}
