//! The programs that build and run the server, and the user who runs it.

use std::io::Read;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};

use tlslab_process::{Output, Program};

use crate::gitea::error::{GiteaError, describe};

/// The search path of the server and of git.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// An unprivileged user: the server refuses to run as root.
#[derive(Clone, Debug)]
pub(super) struct User {
    uid: u32,
    gid: u32,
}

/// The user who runs the server: the current one, or nobody if that is root.
pub(super) fn user() -> Result<Option<User>, GiteaError> {
    // SAFETY: it reads a number of this process.
    if unsafe { libc::geteuid() } != 0 {
        return Ok(None);
    }
    // SAFETY: the name ends with a zero, and the result is read before any other call asks for a user.
    let entry = unsafe { libc::getpwnam(c"nobody".as_ptr()).as_ref() };
    let found = entry.map(|entry| User { uid: entry.pw_uid, gid: entry.pw_gid });
    let missing = "Gitea does not run as root, and there is no user nobody; add one";
    found.map(Some).ok_or_else(|| GiteaError::Missing(missing.to_owned()))
}

/// The program, run as that user.
pub(super) fn as_user(user: Option<&User>, program: &Path) -> Program {
    match user {
        None => Program::new(program),
        Some(user) => Program::new("/usr/bin/setpriv")
            .args([format!("--reuid={}", user.uid), format!("--regid={}", user.gid)])
            .args(["--clear-groups", "--"])
            .arg(program),
    }
    .envs([("PATH", PATH), ("LC_ALL", "C"), ("TZ", "UTC")])
}

/// Makes that user the owner.
pub(super) fn give(path: &Path, user: Option<&User>) -> Result<(), GiteaError> {
    let Some(user) = user else { return Ok(()) };
    chown(path, Some(user.uid), Some(user.gid)).map_err(describe(path))
}

/// Finds a program on the path or, if it is not there, in that folder.
pub(super) fn find(name: &str, elsewhere: Option<&str>, next_step: &str) -> Result<PathBuf, GiteaError> {
    let path = std::env::var_os("PATH").unwrap_or_else(|| PATH.into());
    std::env::split_paths(&path)
        .chain(elsewhere.map(PathBuf::from))
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
        .ok_or_else(|| GiteaError::Missing(format!("{name} is missing; {next_step}")))
}

/// Runs a program to its end. Returns its output, which is part of the error if it fails.
pub(super) fn run(what: &str, program: Program, errors: &Path) -> Result<String, GiteaError> {
    let mut running = program.stdout(Output::Piped).stderr(Output::File(errors.to_owned())).spawn()?;
    let mut text = String::new();
    if let Some(mut stdout) = running.stdout.take() {
        stdout.read_to_string(&mut text).map_err(describe(&program_path(what)))?;
    }
    if running.wait()?.success() {
        return Ok(text);
    }
    let output = format!("{} {}", text.trim(), last_lines(errors)).trim().to_owned();
    Err(GiteaError::Failed { what: what.to_owned(), output })
}

fn program_path(what: &str) -> PathBuf {
    PathBuf::from(format!("the output of {what}"))
}

/// The end of a log.
pub(super) fn last_lines(log: &Path) -> String {
    let text = std::fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(5)..].join("; ")
}

/// A secret of 160 bits, in hex.
pub(super) fn random_secret() -> Result<String, GiteaError> {
    let path = Path::new("/dev/urandom");
    let mut bytes = [0; 20];
    std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut bytes)).map_err(describe(path))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
