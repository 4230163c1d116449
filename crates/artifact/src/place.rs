//! Where fetching programs run, and where a cache may be. Cargo, rustup and others read settings from the
//! folder in which they are started and from those above it, and settings name programs.

use std::path::{Path, PathBuf};

use crate::halt::Halt;

/// The folder in which fetching programs are started, outside any sandbox. Nothing is above it, and only root
/// can write to it.
pub const OUTSIDE: &str = "/";

/// Files of checkouts, and settings of cargo and rustup.
const SETTINGS: [&str; 5] =
    [".git", ".cargo/config.toml", ".cargo/config", "rust-toolchain.toml", "rust-toolchain"];

/// Rejects a cache in a checkout, or where foreign settings apply: a change could bring products for it, and
/// name programs that run outside the sandbox. `cargo_home` has the user's own settings.
///
/// # Errors
/// Fails if the cache's folder or one above it has such a file.
pub fn check_cache(cache: &Path, cargo_home: Option<&Path>) -> Result<(), Halt> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let home = cargo_home.map(real);
    // Missing folders will be below existing ones.
    let there = real(cache.ancestors().find(|folder| folder.exists()).unwrap_or(cache));
    let folders = cache.ancestors().chain(there.ancestors());
    let is_own = |file: &PathBuf| file.parent().is_some_and(|folder| Some(real(folder)) == home);
    let settings = folders.flat_map(|folder| SETTINGS.map(|name| folder.join(name)));
    match settings.filter(|file| file.symlink_metadata().is_ok()).find(|file| !is_own(file)) {
        None => Ok(()),
        Some(found) => Err(Halt::wrong(
            format!("the cache `{}`", cache.display()),
            format!(
                "`{}` is in or above it, so untrusted code could bring products or settings for it",
                found.display()
            ),
            "name a folder outside of checkouts with --cache or TLSLAB_CACHE",
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_cache_lies_neither_in_a_checkout_nor_below_settings() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home/.cargo");
        let refused = |cache: &Path| check_cache(cache, Some(&home)).err().map(|halt| halt.to_string());
        let cache = folder.path().join("home/project/cache");
        fs::create_dir_all(&cache).unwrap();
        fs::create_dir(&home).unwrap();
        fs::write(home.join("config.toml"), "").unwrap();
        assert_eq!(refused(&cache), None, "the user's own settings are nobody else's");
        for name in SETTINGS {
            for place in [cache.clone(), cache.with_file_name("")] {
                let file = place.join(name);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(&file, "").unwrap();
                let why = refused(&cache).unwrap_or_else(|| panic!("{name} in {}", place.display()));
                assert!(why.contains(name) && why.contains("--cache"), "{why}");
                assert!(refused(&cache.join("not/there/yet")).is_some());
                fs::remove_file(&file).unwrap();
            }
        }
        fs::write(cache.with_file_name(".git"), "").unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&cache, &link).unwrap();
        assert!(refused(&link).is_some(), "a link into a checkout");
    }
}
