//! Where the programs are that builds use, apart from the system's.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What a build must be able to read so that the programs on its path run: their folders, with the libraries beside them, and the
/// toolchains of rustup. `variable` reads the environment that the build gets.
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
        .flat_map(|folder| beside(&folder, &home, &cargo))
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

/// A folder of programs, and what they need of the folder that holds it. Of a home folder and of Cargo's nothing else is taken: credentials
/// are kept there.
fn beside(folder: &Path, home: &Path, cargo: &Path) -> Vec<PathBuf> {
    let Some(holder) = folder.parent().filter(|holder| holder.parent().is_some()) else {
        return vec![folder.to_owned()];
    };
    let is_private = home.starts_with(holder) || holder == home.join(".local") || holder == cargo;
    match folder.file_name().and_then(OsStr::to_str) {
        // Version managers put small scripts on the path that look for the real program beside them.
        Some("bin" | "shims") if !is_private => vec![holder.to_owned()],
        _ => vec![folder.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_come_with_their_libraries_and_homes_stay_outside() {
        let variable = |name: &str| match name {
            "HOME" => Some("/home/u".into()),
            "PATH" => Some(
                "/usr/bin:/home/u/.cargo/bin:/home/u/.local/bin:/home/u/bin:/home/u/go/bin:/opt/x/bin".into(),
            ),
            _ => None,
        };
        let expected = [
            "/home/u/.cargo/bin",
            "/home/u/.cargo/git",
            "/home/u/.cargo/registry",
            "/home/u/.local/bin",
            "/home/u/.rustup/settings.toml",
            "/home/u/.rustup/toolchains",
            "/home/u/bin",
            "/home/u/go",
            "/opt/java",
            "/opt/x",
        ];
        assert_eq!(toolchains(variable), expected.map(PathBuf::from));
    }

    #[test]
    fn a_folder_at_the_root_does_not_open_the_root() {
        let variable = |name: &str| (name == "PATH").then(|| PathBuf::from("/bin2:/x/bin"));
        let folders = toolchains(variable);
        assert!(!folders.contains(&PathBuf::from("/")), "{folders:?}");
    }
}
