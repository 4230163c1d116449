//! The server's programs, and the user who runs them.

use std::ffi::CString;
use std::path::{Path, PathBuf};

use tlslab_process::Program;

/// An unprivileged user: the server refuses to run as root.
pub(super) struct User {
    pub name: &'static str,
    pub uid: u32,
    pub gid: u32,
}

/// The folder of `initdb` and `postgres`, which Debian does not add to the path.
pub(super) fn folder() -> Result<PathBuf, String> {
    let mut folders: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .map(|entries| entries.flatten().map(|entry| entry.path().join("bin")).collect())
        .unwrap_or_default();
    // The newest version is last.
    folders.sort_by_key(|folder| {
        let version = folder.parent().and_then(Path::file_name).and_then(|name| name.to_str());
        version.and_then(|version| version.parse::<u32>().ok())
    });
    folders.extend(std::env::var_os("PATH").iter().flat_map(std::env::split_paths));
    folders
        .into_iter()
        .rev()
        .find(|folder| folder.join("initdb").is_file() && folder.join("postgres").is_file())
        .ok_or_else(|| {
            "PostgreSQL is missing; install it with: sudo apt-get install postgresql (or run ./setup test)"
                .to_owned()
        })
}

/// Another program of the server's version. A program in the path may be a link to the server's own folder.
pub(super) fn beside_server(name: &str) -> Result<PathBuf, String> {
    let folder = folder()?;
    let linked = folder.join("postgres").canonicalize().ok();
    let folders = [Some(folder), linked.and_then(|program| Some(program.parent()?.to_owned()))];
    let mut found = folders.into_iter().flatten().map(|folder| folder.join(name));
    found
        .find(|program| program.is_file())
        .ok_or_else(|| format!("{name} is missing; install it with: sudo apt-get install postgresql-client"))
}

/// The user who runs the server: `None` for the current one, or nobody if that is root.
pub(super) fn user() -> Result<Option<User>, String> {
    // SAFETY: it reads a number of this process.
    if unsafe { libc::geteuid() } != 0 {
        return Ok(None);
    }
    let found = ["postgres", "nobody"].into_iter().find_map(|name| {
        let text = CString::new(name).ok()?;
        // SAFETY: the name ends with a zero, and the result is read before any other call asks for a user.
        let entry = unsafe { libc::getpwnam(text.as_ptr()).as_ref() }?;
        Some(User { name, uid: entry.pw_uid, gid: entry.pw_gid })
    });
    found.map(Some).ok_or_else(|| {
        "PostgreSQL does not run as root, and there is neither a user postgres nor nobody; add one".to_owned()
    })
}

/// The program, run as that user.
pub(super) fn as_user(user: Option<&User>, program: &Path) -> Program {
    let started = match user {
        None => Program::new(program),
        Some(user) => Program::new("/usr/bin/setpriv")
            .args([format!("--reuid={}", user.uid), format!("--regid={}", user.gid)])
            .args(["--clear-groups", "--"])
            .arg(program),
    };
    started.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("LC_ALL", "C").env("TZ", "UTC")
}
