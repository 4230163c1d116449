//! The original archive of a Debian source package, from apt's mirrors.

use std::path::{Path, PathBuf};

use tlslab_artifact::{Halt, MIRROR, Workspace, program};

use super::archive;

/// Fetches, checks and unpacks it.
pub(super) fn fetch(
    package: &str,
    file: &str,
    sha256: &str,
    strip: u32,
    scratch: &Path,
    workspace: &Workspace<'_>,
) -> Result<PathBuf, Halt> {
    let mirrors = mirrors(workspace)?;
    let folder = pool_folder(package);
    let mut last = None;
    for mirror in &mirrors {
        let location = format!("{}/{}/{file}", mirror.trim_end_matches('/'), folder.display());
        match archive::fetch(&location, sha256, strip, scratch, workspace) {
            // This mirror does not have it; another may.
            Err(Halt::Step { .. }) => last = Some(location),
            fetched => return fetched,
        }
    }
    let cause = match last {
        Some(location) => format!("no mirror has it; the last address tried was {location}"),
        None => "apt names no mirror that could be asked".to_owned(),
    };
    let next_step =
        format!("set {MIRROR} to the address of a mirror of Debian: the folder that has pool/ in it");
    Err(Halt::wrong(format!("Debian's source package {package}, {file}"), cause, next_step))
}

fn mirrors(workspace: &Workspace<'_>) -> Result<Vec<String>, Halt> {
    if let Some(mirror) = workspace.context.environment.get(MIRROR) {
        return Ok(vec![mirror.to_string_lossy().into_owned()]);
    }
    let ask = program("apt-get", Path::new("/")).args(["indextargets", "--format", "$(REPO_URI)"]);
    let printed = workspace.context.ask(ask).unwrap_or_default();
    let known = archives(&printed);
    workspace.log.note(&format!("apt's mirrors: {}", known.join(" ")))?;
    Ok(known)
}

/// The addresses in a list, each once, those that name Debian first.
fn archives(printed: &str) -> Vec<String> {
    let mut known: Vec<String> = Vec::new();
    for line in printed.lines().map(str::trim) {
        if line.starts_with("http") && !known.iter().any(|known| known == line) {
            known.push(line.to_owned());
        }
    }
    known.sort_by_key(|address| !address.trim_end_matches('/').ends_with("/debian"));
    known
}

/// The folder of a package's files in every mirror.
fn pool_folder(package: &str) -> PathBuf {
    let letters = if package.starts_with("lib") { 4 } else { 1 };
    let first: String = package.chars().take(letters).collect();
    Path::new("pool/main").join(first).join(package)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pool_is_sorted_by_first_letters() {
        assert_eq!(pool_folder("nettle"), Path::new("pool/main/n/nettle"));
        assert_eq!(pool_folder("libffi"), Path::new("pool/main/libf/libffi"));
    }

    #[test]
    fn the_archive_itself_is_asked_first() {
        let printed = "http://m/debian-security/\nhttp://m/debian/\ncopy:/x\nhttp://m/debian/\n";
        assert_eq!(archives(printed), ["http://m/debian/", "http://m/debian-security/"]);
    }
}
