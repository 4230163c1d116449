//! Reads files and folders from untrusted sources: regular files only, no symbolic links, pipes or devices,
//! with limits on size, number and depth.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;

/// The most files below one folder: the largest library's sources have a third of it.
const MOST_FILES: usize = 300_000;
/// The most folders in each other.
const DEEPEST: usize = 100;

/// Opens a plain file for reading.
///
/// # Errors
/// Fails if the file is missing, or if it is a link, a pipe, a device or a folder.
pub fn open_plain(path: &Path) -> io::Result<File> {
    // Opening a pipe would wait for a writer.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(path);
    let file = file.map_err(|cause| match Errno::from_io_error(&cause) {
        Some(Errno::LOOP) => refused("it is a link, not a plain file"),
        _ => cause,
    })?;
    let kind = file.metadata()?;
    if kind.is_file() { Ok(file) } else { Err(refused("it is not a plain file")) }
}

/// A plain file's content, of at most so many bytes.
///
/// # Errors
/// As [`open_plain`]; also fails if it is longer.
pub fn read_plain(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    open_plain(path)?.take(most + 1).read_to_end(&mut content)?;
    if content.len() as u64 > most {
        return Err(refused(&format!("it has more than {most} bytes")));
    }
    Ok(content)
}

/// A plain file's text, of at most so many bytes.
///
/// # Errors
/// As [`read_plain`]; also fails if it is not UTF-8.
pub fn read_plain_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read_plain(path, most)?).map_err(|_| refused("it is not UTF-8 text"))
}

/// Creates a plain file in place of anything with its name, so that nothing is written through a link.
///
/// # Errors
/// Fails if it cannot be created, or if a folder has its name.
fn create_plain(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(cause),
        _ => OpenOptions::new().write(true).create_new(true).open(path),
    }
}

/// Writes a plain file in place of anything with its name.
///
/// # Errors
/// As [`create_plain`]; also fails if it cannot be written.
pub fn write_plain(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    create_plain(path)?.write_all(content.as_ref())
}

/// Copies a plain file within a folder, not through a link, in place of anything with the copy's name.
///
/// # Errors
/// As [`open_plain`] and [`create_plain`]; also fails if a link leads out of the folder.
pub fn copy_plain(from: &Path, within: &Path, to: &Path) -> io::Result<()> {
    if !from.canonicalize()?.starts_with(within.canonicalize()?) {
        return Err(refused("a link leads out of the folder that it was built in"));
    }
    let mut content = open_plain(from)?;
    io::copy(&mut content, &mut create_plain(to)?).map(drop)
}

/// The files and symbolic links below a folder, by their relative paths, sorted. `wanted` selects files and
/// folders. Links are not followed.
///
/// # Errors
/// Fails if a wanted entry is neither file, link nor folder, or if there are too many.
pub fn files(folder: &Path, wanted: &dyn Fn(&Path) -> bool) -> io::Result<Vec<PathBuf>> {
    let (mut found, mut waiting) = (Vec::new(), vec![(PathBuf::new(), 0)]);
    while let Some((below, depth)) = waiting.pop() {
        if depth > DEEPEST {
            return Err(refused(&format!("{} lies more than {DEEPEST} folders deep", below.display())));
        }
        for entry in fs::read_dir(folder.join(&below))? {
            let entry = entry?;
            let path = below.join(entry.file_name());
            if !wanted(&path) {
                continue;
            }
            let kind = entry.file_type()?;
            if kind.is_dir() {
                waiting.push((path, depth + 1));
            } else if kind.is_file() || kind.is_symlink() {
                found.push(path);
            } else {
                return Err(refused(&format!(
                    "{} is neither a file nor a folder nor a link",
                    path.display()
                )));
            }
        }
        if found.len() + waiting.len() > MOST_FILES {
            return Err(refused(&format!("it holds more than {MOST_FILES} files")));
        }
    }
    found.sort();
    Ok(found)
}

/// Whether a folder between `root` and the file is a link.
pub(crate) fn is_below_a_link(root: &Path, path: &Path) -> bool {
    let is_link = |folder: &Path| {
        !folder.as_os_str().is_empty()
            && fs::symlink_metadata(root.join(folder)).is_ok_and(|kind| kind.is_symlink())
    };
    path.ancestors().skip(1).any(is_link)
}

fn refused(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    fn pipe(path: &Path) {
        mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    }

    fn why(outcome: io::Result<impl std::fmt::Debug>) -> String {
        outcome.unwrap_err().to_string()
    }

    #[test]
    fn only_plain_files_are_read_and_not_without_end() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("plain"), "12345").unwrap();
        assert_eq!(read_plain(&at("plain"), 5).unwrap(), b"12345");
        assert_eq!(why(read_plain(&at("plain"), 4)), "it has more than 4 bytes");

        symlink("/dev/zero", at("zero")).unwrap();
        assert_eq!(why(read_plain(&at("zero"), 5)), "it is a link, not a plain file");
        assert_eq!(why(read_plain(Path::new("/dev/zero"), 5)), "it is not a plain file");
        pipe(&at("pipe"));
        assert_eq!(why(read_plain(&at("pipe"), 5)), "it is not a plain file");
        fs::write(at("latin"), [0xe4]).unwrap();
        assert_eq!(why(read_plain_text(&at("latin"), 5)), "it is not UTF-8 text");
    }

    #[test]
    fn nothing_is_written_or_copied_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("built")).unwrap();
        fs::create_dir(at("elsewhere")).unwrap();
        fs::write(at("elsewhere/file"), "precious").unwrap();
        symlink(at("elsewhere/file"), at("built/target")).unwrap();
        write_plain(&at("built/target"), "new").unwrap();
        fs::write(at("built/driver"), "driver").unwrap();
        symlink(at("elsewhere/file"), at("built/copy")).unwrap();
        copy_plain(&at("built/driver"), &at("built"), &at("built/copy")).unwrap();
        assert_eq!(fs::read_to_string(at("elsewhere/file")).unwrap(), "precious");
        assert_eq!(fs::read_to_string(at("built/target")).unwrap(), "new");
        assert_eq!(fs::read_to_string(at("built/copy")).unwrap(), "driver");

        symlink(at("elsewhere/file"), at("built/link")).unwrap();
        symlink(at("elsewhere"), at("built/folder")).unwrap();
        symlink("driver", at("built/own")).unwrap();
        for name in ["built/link", "built/folder/file", "built/own"] {
            assert!(copy_plain(&at(name), &at("built"), &at("out")).is_err(), "{name}");
        }
    }

    #[test]
    fn a_link_to_its_own_folder_is_a_link() {
        let folder = tempfile::tempdir().unwrap();
        symlink(".", folder.path().join("again")).unwrap();
        fs::create_dir(folder.path().join("b")).unwrap();
        fs::write(folder.path().join("b/c"), "").unwrap();
        assert_eq!(files(folder.path(), &|_| true).unwrap(), ["again", "b/c"].map(PathBuf::from));
        assert!(is_below_a_link(folder.path(), Path::new("again/b/c")));
        assert!(!is_below_a_link(folder.path(), Path::new("b/c")));
        assert!(!is_below_a_link(folder.path(), Path::new("again")));
    }

    #[test]
    fn what_is_neither_file_nor_folder_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let _socket = UnixListener::bind(folder.path().join("socket")).unwrap();
        assert_eq!(why(files(folder.path(), &|_| true)), "socket is neither a file nor a folder nor a link");
        assert!(files(folder.path(), &|path| path != Path::new("socket")).unwrap().is_empty());
    }

    #[test]
    fn folders_have_a_deepest() {
        let folder = tempfile::tempdir().unwrap();
        let deep: PathBuf = (0..120).map(|_| "d").collect();
        fs::create_dir_all(folder.path().join(deep)).unwrap();
        assert!(why(files(folder.path(), &|_| true)).ends_with("lies more than 100 folders deep"));
    }
}
