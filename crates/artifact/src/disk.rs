//! The check for free disk space.

use std::path::Path;

use crate::halt::Halt;

/// Fails on a disk that is nearly full: a build that runs out of space fails with obscure errors.
pub(crate) fn check_room(folder: &Path) -> Result<(), Halt> {
    match free_bytes(folder) {
        Some(free) => enough(folder, free),
        None => Ok(()),
    }
}

fn enough(folder: &Path, free: u64) -> Result<(), Halt> {
    if free >= NEEDED_BYTES {
        return Ok(());
    }
    Err(Halt::wrong(
        format!("not enough room in `{}`", folder.display()),
        format!("{} MiB are free, a build may need {} MiB", free >> 20, NEEDED_BYTES >> 20),
        "free space there, or choose another disk with TLSLAB_CACHE",
    ))
}

/// The free space of the disk with a folder.
pub fn free_bytes(folder: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(folder).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

/// The space that a build may need.
pub const NEEDED_BYTES: u64 = 1 << 30;

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_full_disk_is_refused() {
        assert!(enough(Path::new("/c"), NEEDED_BYTES).is_ok());
        insta::assert_snapshot!(
            enough(Path::new("/c"), 12 << 20).unwrap_err().to_string(),
            @"not enough room in `/c`: 12 MiB are free, a build may need 1024 MiB; free space there, or choose another disk with TLSLAB_CACHE"
        );
    }

    #[test]
    fn free_bytes_are_those_of_df() {
        let folder = tempfile::tempdir().unwrap();
        let df = || {
            let df = Command::new("df")
                .args(["--output=avail", "--block-size=1"])
                .arg(folder.path())
                .output()
                .unwrap();
            String::from_utf8(df.stdout).unwrap().lines().last().unwrap().trim().parse::<u64>().unwrap()
        };
        // Other programs write to the disk meanwhile, but less than another unit of blocks would show.
        let (before, free, after) = (df(), free_bytes(folder.path()).unwrap(), df());
        assert!(
            free <= before.max(after) + (1 << 30) && before.min(after) <= free + (1 << 30),
            "{before} {free} {after}"
        );
        assert_eq!(free_bytes(&folder.path().join("missing")), None);
        assert_eq!(free_bytes(Path::new("/\0")), None);
    }
}
