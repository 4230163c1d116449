//! The distribution's valgrind, with the inputs for building a tool.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use tlslab_artifact::{Doing, Halt, file_digest, on_path};

/// Valgrind as installed: its launcher, the headers for tools, and the archives that every tool is linked
/// with.
#[derive(Clone, Debug)]
pub(crate) struct Valgrind {
    /// The launcher of tools.
    pub launcher: PathBuf,
    /// Its version, by its headers.
    pub version: String,
    /// The folder of its headers.
    pub headers: PathBuf,
    /// Its archives, in the linker's order.
    pub archives: Vec<PathBuf>,
}

impl Valgrind {
    /// Searches the folders of `path`, a value of `PATH`, and those around the program. `target` is the C
    /// compiler's target. Missing parts are reported in one line.
    pub(crate) fn find(path: &OsStr, target: &str) -> Result<Self, Halt> {
        if !target.starts_with("x86_64-") || !target.contains("linux") {
            let cause = format!("it knows x86-64 under Linux, and this is {target}");
            return Err(Halt::wrong(COUNTER, cause, "count on another machine, or measure time"));
        }
        let launcher = on_path("valgrind", path).ok_or_else(|| missing("no program `valgrind` in PATH"))?;
        let root = launcher.parent().and_then(Path::parent).unwrap_or(Path::new("/usr"));
        let headers = root.join("include/valgrind");
        let config = headers.join("config.h");
        let tool_header = headers.join("pub_tool_tooliface.h");
        for header in [&config, &tool_header] {
            if !header.is_file() {
                return Err(missing(&format!("no header `{}`", header.display())));
            }
        }
        let text = std::fs::read_to_string(&config).doing("read", &config)?;
        let version = version(&text).ok_or_else(|| missing("no version in its `config.h`"))?;
        let folders = ["lib".into(), format!("lib/{target}"), "lib64".into(), "libexec".into()]
            .map(|below| root.join(below).join("valgrind"));
        let archives = ARCHIVES.map(|name| archive(&folders, name)).into_iter().collect::<Result<_, _>>()?;
        Ok(Self { launcher, version, headers, archives })
    }

    /// Everything that identifies this valgrind: a distribution's fix changes the files but not the version.
    pub(crate) fn lines(&self) -> Result<Vec<String>, Halt> {
        let digest = |file: &PathBuf| {
            let digest = file_digest(file).doing("read", file)?;
            Ok(format!("{} sha256 {digest}", file.display()))
        };
        let config = self.headers.join("config.h");
        let files = self.archives.iter().chain([&config]).map(digest).collect::<Result<Vec<_>, Halt>>()?;
        Ok([format!("valgrind {}", self.version)].into_iter().chain(files).collect())
    }
}

fn archive(folders: &[PathBuf], name: &str) -> Result<PathBuf, Halt> {
    let found = folders.iter().map(|folder| folder.join(name)).find(|file| file.is_file());
    found.ok_or_else(|| missing(&format!("no archive `{name}` next to it")))
}

fn missing(cause: &str) -> Halt {
    Halt::wrong(
        COUNTER,
        cause,
        "install valgrind with its headers (apt-get install valgrind, dnf install valgrind-devel)",
    )
}

fn version(config: &str) -> Option<String> {
    let line = config.lines().find_map(|line| line.strip_prefix("#define VERSION "))?;
    Some(line.trim().trim_matches('"').to_owned())
}

/// The unavailable part.
pub(crate) const COUNTER: &str = "the instruction counter";

const ARCHIVES: [&str; 3] =
    ["libcoregrind-amd64-linux.a", "libvex-amd64-linux.a", "libgcc-sup-amd64-linux.a"];

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// An installation with empty files.
    fn installed(without: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let archives = ARCHIVES.map(|name| format!("lib/x86_64-linux-gnu/valgrind/{name}"));
        let headers = ["config.h", "pub_tool_tooliface.h"].map(|name| format!("include/valgrind/{name}"));
        for name in ["bin/valgrind".to_owned()].iter().chain(&archives).chain(&headers) {
            let file = root.path().join(name);
            if !name.ends_with(without) {
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(&file, "/* x */\n#define VERSION \"3.24.0\"\n").unwrap();
                fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
            }
        }
        root
    }

    fn find(root: &Path) -> Result<Valgrind, String> {
        let path = root.join("bin");
        Valgrind::find(path.as_os_str(), "x86_64-linux-gnu")
            .map_err(|halt| halt.to_string().replace(&*root.to_string_lossy(), "/usr"))
    }

    #[test]
    fn finds_what_is_there() {
        let root = installed("nothing");
        let found = find(root.path()).unwrap();
        assert_eq!(found.version, "3.24.0");
        assert_eq!(found.archives.len(), 3);
        let before = found.lines().unwrap();
        fs::write(&found.archives[1], "fixed").unwrap();
        assert_ne!(found.lines().unwrap(), before);
    }

    #[test]
    fn names_what_is_missing() {
        for (without, expected) in [
            ("bin/valgrind", "no program `valgrind` in PATH"),
            ("tooliface.h", "no header `/usr/include/valgrind/pub_tool_tooliface.h`"),
            ("libvex-amd64-linux.a", "no archive `libvex-amd64-linux.a` next to it"),
        ] {
            let error = find(installed(without).path()).unwrap_err();
            assert!(error.contains(expected) && !error.contains('\n'), "{error}");
            assert!(error.contains("apt-get install valgrind"), "{error}");
        }
        let error = Valgrind::find(OsStr::new("/usr/bin"), "aarch64-linux-gnu").unwrap_err().to_string();
        assert!(error.contains("this is aarch64-linux-gnu"), "{error}");
    }
}
