//! The descriptors that the keeper and the program keep.

use std::io;
use std::os::fd::RawFd;

use crate::directory::{number, visit_numbers};
use crate::raw;

/// Closes every descriptor from `first` on.
pub(crate) fn close_from(first: RawFd) {
    if close_range(first, 0).is_err() {
        visit_from(first, raw::close);
    }
}

/// Marks every descriptor from `first` on to be closed when a program is executed.
pub(crate) fn close_from_on_exec(first: RawFd) {
    if close_range(first, libc::CLOSE_RANGE_CLOEXEC).is_err() {
        visit_from(first, raw::close_on_exec);
    }
}

fn close_range(first: RawFd, flags: libc::c_uint) -> io::Result<()> {
    // SAFETY: close_range takes integers; the caller answers for the owners of these descriptors.
    let result = unsafe { libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, flags) };
    raw::check(result as libc::c_int).map(drop)
}

/// For systems without `close_range`: Linux before 5.9 (5.11 with flags), and some sandboxes. Going through
/// all possible numbers instead can take a second, as their limit is often a million.
fn visit_from(first: RawFd, mut act: impl FnMut(RawFd)) {
    let _ = visit_numbers(b"/proc/self/fd\0", |directory, name| {
        if let Some(fd) = number(name).filter(|fd| *fd >= first && *fd != directory) {
            act(fd);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_close_range_the_open_ones_are_visited() {
        // SAFETY: this command takes integers.
        let high = raw::check(unsafe { libc::fcntl(2, libc::F_DUPFD, 700) }).unwrap();
        let mut visited = Vec::new();
        visit_from(700, |fd| visited.push(fd));
        raw::close(high);
        assert_eq!(visited, [high]);
    }
}
