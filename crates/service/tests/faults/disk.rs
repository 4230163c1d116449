//! A small disk for each runner, which can be filled.

use std::ffi::CString;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::network::is_test;

/// What sources of mounts begin with; the number of the test's process follows.
const SOURCES: &str = "tlslab-faults-";
/// Many times a job's need.
const SIZE: &str = "size=24m";

/// A file system in memory.
pub(crate) struct Disk {
    folder: PathBuf,
}

impl Disk {
    /// Mounts one on a folder.
    pub(crate) fn new(folder: &Path) -> Self {
        let text = |text: &[u8]| CString::new(text).unwrap();
        let (source, target) = (
            text(format!("{SOURCES}{}", std::process::id()).as_bytes()),
            text(folder.as_os_str().as_bytes()),
        );
        let (kind, options) = (text(b"tmpfs"), text(SIZE.as_bytes()));
        // SAFETY: all four texts are terminated and live through the call.
        let status = unsafe {
            libc::mount(source.as_ptr(), target.as_ptr(), kind.as_ptr(), 0, options.as_ptr().cast())
        };
        assert_eq!(status, 0, "{}: {}", folder.display(), std::io::Error::last_os_error());
        Self { folder: folder.to_owned() }
    }

    /// Leaves no room on it.
    pub(crate) fn fill(&self) {
        let mut filler = fs::File::create(self.filler()).unwrap();
        for size in [1 << 20, 4_096, 1] {
            while filler.write_all(&vec![0; size]).is_ok() {}
        }
    }

    /// Makes room again.
    pub(crate) fn empty(&self) {
        let _ = fs::remove_file(self.filler());
    }

    fn filler(&self) -> PathBuf {
        self.folder.join("filler")
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        unmount(&self.folder);
    }
}

/// Removes what tests left that were killed.
pub(crate) fn remove_stale() {
    for (target, process) in all() {
        if !is_test(process) {
            unmount(&target);
        }
    }
}

/// What this process has left.
pub(crate) fn left() -> Vec<String> {
    let own = std::process::id();
    all()
        .into_iter()
        .filter(|(_, process)| *process == own)
        .map(|(path, _)| path.display().to_string())
        .collect()
}

fn all() -> Vec<(PathBuf, u32)> {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    let one = |line: &str| {
        let mut fields = line.split(' ');
        let process = fields.next()?.strip_prefix(SOURCES)?.parse().ok()?;
        Some((PathBuf::from(fields.next()?), process))
    };
    mounts.lines().filter_map(one).collect()
}

fn unmount(folder: &Path) {
    let Ok(target) = CString::new(folder.as_os_str().as_bytes()) else { return };
    // SAFETY: the text is terminated and lives through the call.
    unsafe { libc::umount2(target.as_ptr(), libc::MNT_DETACH) };
}
