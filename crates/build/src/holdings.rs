//! The contents of the cache, and their deletion.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use tlslab_artifact::{Halt, Lock, Stage, remove};
use tlslab_recipe::Recipe;

use crate::builder::Builder;

/// A folder in the cache that can be removed; it is rebuilt when needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holding {
    /// Its folder in the cache: a stage's name, `work` for cargo's data between builds, `scratch`, or `lab`
    /// for trees of other versions of this program.
    pub part: String,
    /// Its name in that folder.
    pub key: String,
    /// Its size, bytes.
    pub bytes: u64,
    /// The requested stacks that use it.
    pub used_by: Vec<String>,
}

impl Builder {
    /// The contents of the cache, largest first. `recipes` are the stacks that may use it; keys and logs of
    /// the lab are not included.
    #[must_use]
    pub fn holdings(&self, recipes: &[Recipe], cancel: &AtomicBool) -> Vec<Holding> {
        let mut users: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
        for planned in self.plan(recipes, cancel) {
            for stage in planned.stages.iter().flatten() {
                if let Some(key) = &stage.key {
                    let place = (stage.stage.name().to_owned(), key.to_string());
                    users.entry(place).or_default().push(planned.stack.clone());
                }
            }
        }
        let mut holdings = Vec::new();
        for part in PARTS {
            let Ok(entries) = fs::read_dir(self.cache().join(part)) else { continue };
            for entry in entries.flatten() {
                let key = entry.file_name().to_string_lossy().into_owned();
                if part == TREES && (key.starts_with('.') || entry.path() == self.trees().lab) {
                    continue;
                }
                let used_by = users.get(&(part.to_owned(), key.clone())).cloned().unwrap_or_default();
                holdings.push(Holding { part: part.to_owned(), key, bytes: bytes(&entry.path()), used_by });
            }
        }
        holdings.sort_by(|a, b| (b.bytes, &a.part, &a.key).cmp(&(a.bytes, &b.part, &b.key)));
        holdings
    }

    /// Removes one; if a build is using or building it, waits for that.
    ///
    /// # Errors
    /// Fails if a file cannot be removed, or when `cancel` is set.
    pub fn remove(&self, holding: &Holding, cancel: &AtomicBool) -> Result<(), RemoveError> {
        let lock = self.cache().join("lock").join(format!("{}-{}", holding.part, holding.key));
        let removed = Lock::take(&lock, cancel, || {}).and_then(|_lock| {
            // A product is complete while this file exists: it is removed first.
            let folder = self.cache().join(&holding.part).join(&holding.key);
            let _ = fs::remove_file(folder.join("identity.json"));
            remove(&folder)
        });
        removed.map_err(|halt: Halt| RemoveError(halt.to_string()))
    }
}

/// A holding that could not be removed.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct RemoveError(String);

/// The disk usage of the files below a folder.
fn bytes(path: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let Ok(metadata) = fs::symlink_metadata(path) else { return 0 };
    let below = match metadata.is_dir() {
        true => fs::read_dir(path).into_iter().flatten().flatten().map(|entry| bytes(&entry.path())).sum(),
        false => 0,
    };
    metadata.blocks() * 512 + below
}

const PARTS: [&str; 11] = [
    Stage::Source.name(),
    Stage::Prefix.name(),
    Stage::Kit.name(),
    Stage::Versions.name(),
    Stage::Driver.name(),
    Stage::Preload.name(),
    Stage::Counter.name(),
    Stage::Frida.name(),
    "work",
    "scratch",
    TREES,
];

/// The folder in which programs unpack their built-in trees. The current one stays.
const TREES: &str = "lab";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_of_other_programs_are_listed_and_the_one_in_use_is_not() {
        let cache = tempfile::tempdir().unwrap();
        let trees = cache.path().join(TREES);
        for name in ["used", "old", ".new"] {
            fs::create_dir_all(trees.join(name).join("stacks")).unwrap();
        }
        fs::write(trees.join(".lock"), "").unwrap();
        let builder = Builder::new(&trees.join("used"), cache.path());
        let found = builder.holdings(&[], &AtomicBool::new(false));
        let [old] = &found[..] else { panic!("{found:?}") };
        assert_eq!((&*old.part, &*old.key), (TREES, "old"));
        builder.remove(old, &AtomicBool::new(false)).unwrap();
        assert!(trees.join("used").is_dir() && !trees.join("old").exists());
    }
}
