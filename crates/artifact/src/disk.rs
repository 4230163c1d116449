//! Whether there is room to build.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::halt::Halt;

/// Refuses to start on a disk that is nearly full: a build that runs out of room fails in ways that are hard to read.
pub fn check_room(folder: &Path) -> Result<(), Halt> {
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

/// What is free on the disk that a folder is on.
pub fn free_bytes(folder: &Path) -> Option<u64> {
    let path = CString::new(folder.as_os_str().as_bytes()).ok()?;
    // SAFETY: all-zero is a valid value of this plain structure, the path is terminated, and both live through the call.
    let (status, found) = unsafe {
        let mut found: libc::statvfs = std::mem::zeroed();
        (libc::statvfs(path.as_ptr(), &mut found), found)
    };
    (status == 0).then(|| found.f_bavail.saturating_mul(found.f_frsize))
}

const NEEDED_BYTES: u64 = 1 << 30;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_refused() {
        assert!(enough(Path::new("/c"), NEEDED_BYTES).is_ok());
        insta::assert_snapshot!(
            enough(Path::new("/c"), 12 << 20).unwrap_err().to_string(),
            @"not enough room in `/c`: 12 MiB are free, a build may need 1024 MiB; free space there, or choose another disk with TLSLAB_CACHE"
        );
        assert!(free_bytes(Path::new("/")).is_some());
    }
}
