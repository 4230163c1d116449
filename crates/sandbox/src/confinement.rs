//! The contents of a sandbox.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::bounds::Bounds;
use crate::users;

/// The contents of a sandbox besides the system's programs and libraries. Everything else, the home folder
/// and the lab's own files included, is invisible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confinement {
    readable: Vec<PathBuf>,
    writable: Vec<(PathBuf, PathBuf)>,
    empty: Vec<PathBuf>,
    lent: Vec<PathBuf>,
    pub(crate) traces: bool,
    pub(crate) bounds: Bounds,
    /// Its user, if the lab runs as root.
    pub(crate) user: u32,
}

impl Confinement {
    /// The system's programs and libraries, scratch folders in memory, and no network except its own
    /// loopback.
    #[must_use]
    pub fn new(bounds: Bounds) -> Self {
        Self {
            readable: Vec::new(),
            writable: Vec::new(),
            empty: Vec::new(),
            lent: Vec::new(),
            traces: false,
            bounds,
            user: users::next(),
        }
    }

    /// With a file or folder to read, under its own name. One that does not exist is skipped.
    #[must_use]
    pub fn with(mut self, path: impl Into<PathBuf>) -> Self {
        self.readable.push(path.into());
        self
    }

    /// With several.
    #[must_use]
    pub fn with_all(self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        paths.into_iter().fold(self, Self::with)
    }

    /// With a folder to read in which some files are readable only by their owner, such as keys for tests.
    #[must_use]
    pub fn with_lent(mut self, path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        self.lent.push(path.clone());
        self.with(path)
    }

    /// With an empty folder, such as one to start in.
    #[must_use]
    pub fn with_empty(mut self, path: impl Into<PathBuf>) -> Self {
        self.empty.push(path.into());
        self
    }

    /// With a folder to write to, under its own name.
    #[must_use]
    pub fn with_writable(self, path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        self.with_writable_as(path.clone(), path)
    }

    /// With a folder to write to, visible under another name.
    #[must_use]
    pub fn with_writable_as(mut self, path: impl Into<PathBuf>, name: impl Into<PathBuf>) -> Self {
        self.writable.push((path.into(), name.into()));
        self
    }

    /// With processes that may trace each other, for an instrument that follows a driver's code as it runs.
    #[must_use]
    pub fn with_tracing(mut self) -> Self {
        self.traces = true;
        self
    }

    /// The writable folders.
    pub(crate) fn writable(&self) -> impl Iterator<Item = &Path> {
        self.writable.iter().map(|(path, _)| path.as_path())
    }

    /// Folders whose files only their owner may read elsewhere.
    pub(crate) fn lent(&self) -> impl Iterator<Item = &Path> {
        self.lent.iter().map(PathBuf::as_path).filter(|path| path.exists())
    }

    /// As options of Bubblewrap. Later ones cover earlier ones, so deeper folders come later.
    pub(crate) fn options(&self) -> Vec<OsString> {
        let mut options = Options::default();
        options.flags(&["--die-with-parent", "--new-session", "--hostname", "sandbox"]);
        options.flags(&[
            "--unshare-pid",
            "--unshare-ipc",
            "--unshare-net",
            "--unshare-uts",
            "--unshare-cgroup-try",
        ]);
        options.flags(&["--proc", "/proc", "--dev", "/dev"]);
        options.folders.extend(["/tmp", "/usr", "/dev", "/proc"].map(PathBuf::from));
        for folder in ["/tmp", "/dev/shm"] {
            let size = self.bounds.scratch_bytes.to_string();
            options.flags(&["--perms", "1777", "--size", &size, "--tmpfs", folder]);
        }
        options.system();
        for (descriptor, file) in [(USERS, "/etc/passwd"), (GROUPS, "/etc/group")] {
            options.flags(&["--perms", "0644", "--file", descriptor, file]);
        }
        let mut mounts: Vec<(&str, &Path, &Path)> = Vec::new();
        mounts.extend(self.readable.iter().map(|path| ("--ro-bind-try", path.as_path(), path.as_path())));
        mounts.extend(self.writable.iter().map(|(path, name)| ("--bind", path.as_path(), name.as_path())));
        mounts.sort_by_key(|(_, _, name)| name.components().count());
        for (option, file, name) in mounts {
            options.mount(option, file, name);
        }
        self.empty.iter().for_each(|folder| options.folder(folder));
        options.flags(&["--remount-ro", "/dev", "--remount-ro", "/"]);
        options.words
    }
}

/// The descriptors from which Bubblewrap reads the lists of users and groups.
pub(crate) const USERS: &str = "6";
pub(crate) const GROUPS: &str = "7";

#[derive(Default)]
struct Options {
    words: Vec<OsString>,
    folders: BTreeSet<PathBuf>,
}

impl Options {
    fn flags(&mut self, words: &[&str]) {
        self.words.extend(words.iter().map(OsString::from));
    }

    /// A folder with those above it, which Bubblewrap alone would create for root only.
    fn folder(&mut self, folder: &Path) {
        let mut all: Vec<&Path> = folder.ancestors().filter(|folder| folder.parent().is_some()).collect();
        all.reverse();
        for folder in all {
            if self.folders.insert(folder.to_owned()) {
                self.flags(&["--perms", "0755", "--dir"]);
                self.words.push(folder.into());
            }
        }
    }

    fn mount(&mut self, option: &str, file: &Path, name: &Path) {
        if let Some(above) = name.parent() {
            self.folder(above);
        }
        self.words.extend([option.into(), file.as_os_str().to_owned(), name.as_os_str().to_owned()]);
    }

    /// The system's programs and libraries, and those of its settings by which they are found.
    fn system(&mut self) {
        self.mount("--ro-bind", Path::new("/usr"), Path::new("/usr"));
        for name in ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"] {
            match std::fs::read_link(name) {
                Ok(target) => self.mount("--symlink", &target, Path::new(name)),
                Err(_) => self.mount("--ro-bind-try", Path::new(name), Path::new(name)),
            }
        }
        for name in SETTINGS {
            self.mount("--ro-bind-try", Path::new(name), Path::new(name));
        }
    }
}

/// They contain no secret; `/etc/ssl/private` is excluded.
const SETTINGS: [&str; 12] = [
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/ca-certificates",
    "/etc/nsswitch.conf",
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/localtime",
    "/etc/protocols",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn words(confinement: &Confinement) -> Vec<String> {
        confinement.options().iter().map(|word| word.to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn there_is_no_network() {
        for confinement in [Confinement::new(Bounds::BUILD), Confinement::new(Bounds::MEASURE).with_tracing()]
        {
            assert!(words(&confinement).contains(&"--unshare-net".to_owned()));
        }
    }

    #[test]
    fn what_lies_deeper_lies_over_what_holds_it() {
        let confinement = Confinement::new(Bounds::BUILD)
            .with_writable("/a/b/c")
            .with("/a")
            .with_writable_as("/x/y", "/a/b/seen");
        let words = words(&confinement);
        let place = |name: &str| words.iter().rposition(|word| word == name).unwrap();
        assert!(place("/a") < place("/a/b/c"));
        assert!(place("/a") < place("/a/b/seen"));
        assert_eq!(words[place("/a/b/seen") - 1], "/x/y");
        assert_eq!(words[words.len() - 2..], ["--remount-ro", "/"]);
    }
}
