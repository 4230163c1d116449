//! The folders that contain recipes and drivers: a user's own, and the lab's.

use std::path::{Path, PathBuf};

/// The lab's tree, and a user's folder with the same structure but no crates.
#[derive(Clone, Debug)]
pub struct Trees {
    /// The lab's tree: the folder that contains `crates/`, `drivers/`, `stacks/` and `variants/`.
    pub lab: PathBuf,
    /// A user's own folder with any of `drivers/`, `stacks/` and `variants/`.
    pub own: Option<PathBuf>,
}

impl Trees {
    /// Both, the user's first.
    pub fn all(&self) -> impl Iterator<Item = &Path> {
        self.own.iter().chain([&self.lab]).map(PathBuf::as_path)
    }

    /// The tree that has this folder; the user's own wins.
    pub fn with(&self, folder: &Path) -> Option<&Path> {
        self.all().find(|tree| tree.join(folder).is_dir())
    }
}
