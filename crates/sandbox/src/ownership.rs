//! Whose files are: where the lab runs as root, a sandbox has a user of its own, to whom what it writes must belong.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, lchown};
use std::path::Path;

/// Gives a folder with everything in it to a user and the group of the same number. No link is followed.
pub fn give(folder: &Path, user: u32) -> io::Result<()> {
    let mut left = vec![folder.to_owned()];
    while let Some(path) = left.pop() {
        let entry = fs::symlink_metadata(&path)?;
        if entry.uid() != user || entry.gid() != user {
            lchown(&path, Some(user), Some(user))?;
        }
        if entry.is_dir() {
            for inside in fs::read_dir(&path)? {
                left.push(inside?.path());
            }
        }
    }
    Ok(())
}
