//! File ownership: if the lab runs as root, a sandbox has a user of its own, who must own the files that it
//! writes.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, lchown};
use std::path::Path;

/// Gives a folder with its contents to a user and the group of the same number. Links are not followed.
pub(crate) fn give(folder: &Path, user: u32) -> io::Result<()> {
    visit(folder, &|path, entry| {
        if entry.uid() == user && entry.gid() == user {
            return Ok(());
        }
        lchown(path, Some(user), Some(user))
    })
}

/// Lets a group read a folder of root's with its contents. Only sandboxes are in that group.
pub(crate) fn lend(folder: &Path, group: u32) -> io::Result<()> {
    visit(folder, &|path, entry| {
        if entry.uid() != 0 || entry.gid() != group {
            lchown(path, Some(0), Some(group))?;
        }
        // The group gets the owner's permissions without writing.
        let mode = entry.permissions().mode() & 0o7777;
        let wanted = mode & !0o070 | (mode & 0o500) >> 3;
        if entry.is_symlink() || mode == wanted {
            return Ok(());
        }
        fs::set_permissions(path, fs::Permissions::from_mode(wanted))
    })
}

fn visit(folder: &Path, act: &dyn Fn(&Path, &fs::Metadata) -> io::Result<()>) -> io::Result<()> {
    let mut left = vec![folder.to_owned()];
    while let Some(path) = left.pop() {
        let entry = fs::symlink_metadata(&path)?;
        act(&path, &entry)?;
        if entry.is_dir() {
            for inside in fs::read_dir(&path)? {
                left.push(inside?.path());
            }
        }
    }
    Ok(())
}
