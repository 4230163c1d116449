//! The folders of build programs, apart from the system's.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The folders that a build must be able to read so that the programs on its path run: their own, with the
/// libraries next to them, and the toolchains of rustup. `variable` reads the environment of the build.
#[must_use]
pub fn toolchains(variable: impl Fn(&str) -> Option<PathBuf>) -> Vec<PathBuf> {
    let home = variable("HOME").unwrap_or_default();
    let cargo = variable("CARGO_HOME").unwrap_or_else(|| home.join(".cargo"));
    let rustup = variable("RUSTUP_HOME").unwrap_or_else(|| home.join(".rustup"));
    let path = variable("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path)
        .filter(|folder| {
            folder.is_absolute() && !folder.starts_with("/usr/bin") && !folder.starts_with("/bin")
        })
        .map(|folder| find_neighbour(&folder, &home, &cargo))
        .collect();
    folders.extend(["toolchains", "settings.toml"].map(|name| rustup.join(name)));
    folders.extend(["bin", "registry", "git"].map(|name| cargo.join(name)));
    folders.push("/opt/java".into());
    folders.sort();
    folders.dedup();
    folders
        .retain(|folder| !["/usr", "/bin", "/sbin", "/lib"].iter().any(|system| folder.starts_with(system)));
    folders
}

/// The folder that a program needs to run: its own, with the libraries next to it if no credentials are
/// stored there.
#[must_use]
pub fn with_libraries(program: &Path, variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let home = variable("HOME").unwrap_or_default();
    let cargo = variable("CARGO_HOME").unwrap_or_else(|| home.join(".cargo"));
    Some(find_neighbour(program.parent()?, &home, &cargo))
}

/// A folder of programs, or its parent, which has their libraries. Below a home folder, and in Cargo's,
/// programs store credentials next to their `bin`; only version managers are known to store none.
fn find_neighbour(folder: &Path, home: &Path, cargo: &Path) -> PathBuf {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let Some(holder) = folder.parent().filter(|holder| holder.parent().is_some()) else {
        return folder.to_owned();
    };
    let below_home = holder.strip_prefix(home).ok().map(Path::to_owned);
    let below_home = below_home.or_else(|| real(holder).strip_prefix(real(home)).ok().map(Path::to_owned));
    let is_private = match below_home.filter(|_| home.is_absolute()) {
        Some(below) => !VERSION_MANAGERS.iter().any(|manager| below.starts_with(manager)),
        None => home.starts_with(holder) || holder == cargo,
    };
    match folder.file_name().and_then(OsStr::to_str) {
        // Version managers put small scripts on the path that look for the real program next to them.
        Some("bin" | "shims") if !is_private => holder.to_owned(),
        _ => folder.to_owned(),
    }
}

/// Folders below a home in which version managers store toolchains, and no secrets.
const VERSION_MANAGERS: [&str; 12] = [
    ".pyenv",
    ".rbenv",
    ".nodenv",
    ".goenv",
    ".jenv",
    ".nvm/versions",
    ".volta",
    ".asdf",
    ".sdkman/candidates",
    ".local/share/mise",
    ".local/share/fnm",
    ".local/share/uv/python",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_come_with_their_libraries_and_homes_stay_outside() {
        let variable = |name: &str| match name {
            "HOME" => Some("/home/u".into()),
            "PATH" => Some(
                "/usr/bin:/home/u/.cargo/bin:/home/u/.local/bin:/home/u/bin:/home/u/go/bin:/opt/x/bin:\
                 /home/u/.fly/bin:/home/u/project/bin:/home/u/.pyenv/shims:/home/u/.nvm/versions/node/v22/bin"
                    .into(),
            ),
            _ => None,
        };
        let expected = [
            "/home/u/.cargo/bin",
            "/home/u/.cargo/git",
            "/home/u/.cargo/registry",
            "/home/u/.fly/bin",
            "/home/u/.local/bin",
            "/home/u/.nvm/versions/node/v22",
            "/home/u/.pyenv",
            "/home/u/.rustup/settings.toml",
            "/home/u/.rustup/toolchains",
            "/home/u/bin",
            "/home/u/go/bin",
            "/home/u/project/bin",
            "/opt/java",
            "/opt/x",
        ];
        assert_eq!(toolchains(variable), expected.map(PathBuf::from));
    }

    #[test]
    fn a_folder_that_leads_into_a_home_is_as_private_as_one_there() {
        let folder = tempfile::tempdir().unwrap();
        let (home, link) = (folder.path().join("home"), folder.path().join("tools"));
        std::fs::create_dir_all(home.join(".docker/bin")).unwrap();
        std::os::unix::fs::symlink(home.join(".docker"), &link).unwrap();
        let variable = |name: &str| match name {
            "HOME" => Some(home.clone()),
            "PATH" => Some(link.join("bin")),
            _ => None,
        };
        let shown = toolchains(variable);
        assert!(shown.contains(&link.join("bin")) && !shown.contains(&link), "{shown:?}");
        assert_eq!(with_libraries(&link.join("bin/docker"), variable), Some(link.join("bin")));
        let python = Path::new("/opt/python/bin/python3");
        assert_eq!(with_libraries(python, variable), Some("/opt/python".into()));
    }

    #[test]
    fn a_folder_at_the_root_does_not_open_the_root() {
        let variable = |name: &str| (name == "PATH").then(|| PathBuf::from("/bin2:/x/bin"));
        let folders = toolchains(variable);
        assert!(!folders.contains(&PathBuf::from("/")), "{folders:?}");
    }
}
