//! The numbered entries of a directory in `/proc`, read without allocating.

use std::io;
use std::os::fd::RawFd;

use crate::raw;

/// Calls `visit` with the directory's descriptor and the name of each entry that is a number. `path` ends
/// with a NUL.
pub(crate) fn visit_numbers(path: &[u8], mut visit: impl FnMut(RawFd, &[u8])) -> io::Result<()> {
    let directory = raw::open_at(libc::AT_FDCWD, path, libc::O_RDONLY | libc::O_DIRECTORY)?;
    let mut buffer = [0; 8192];
    let result = loop {
        let length = match raw::read_directory(directory, &mut buffer) {
            Ok(0) => break Ok(()),
            Ok(length) => length,
            Err(error) => break Err(error),
        };
        let mut rest = buffer.get(..length).unwrap_or_default();
        while let Some((name, after)) = next_name(rest) {
            rest = after;
            if name.first().is_some_and(u8::is_ascii_digit) {
                visit(directory, name);
            }
        }
    };
    raw::close(directory);
    result
}

/// A number as `/proc` writes it.
pub(crate) fn number<N: std::str::FromStr>(digits: &[u8]) -> Option<N> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// The first entry's name in the output of `getdents64`, and the rest after the entry.
fn next_name(entries: &[u8]) -> Option<(&[u8], &[u8])> {
    // struct linux_dirent64: an inode and an offset of eight bytes each, the length, the type, then the name.
    let length = usize::from(u16::from_ne_bytes(entries.get(16..18)?.try_into().ok()?));
    let name = entries.get(19..length)?;
    let end = name.iter().position(|byte| *byte == 0)?;
    Some((name.get(..end)?, entries.get(length..)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn finds_this_process() {
        let mut found = false;
        visit_numbers(b"/proc\0", |_, name| found |= number(name) == Some(raw::own_id())).unwrap();
        assert!(found);
    }

    proptest! {
        #[test]
        fn no_entries_panic(entries: Vec<u8>) {
            let _ = next_name(&entries);
        }
    }
}
