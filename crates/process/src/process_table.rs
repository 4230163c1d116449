//! Who is whose child, as `/proc` tells it.
//!
//! The table's memory is reserved before the fork, so that the keeper can fill it without allocating. It is read from
//! `/proc/<pid>/stat` rather than from `children`, which not every kernel has and which is only dependable for
//! processes that stand still.

use std::io;
use std::os::fd::RawFd;

use crate::raw;

pub struct ProcessTable {
    rows: Vec<Process>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    pub id: i32,
    pub parent: i32,
    pub session: i32,
    /// When it started, in ticks since the machine did.
    pub started_ticks: u64,
    /// The letter that `ps` shows.
    pub state: u8,
    /// 1 for a root, 2 for a root's child and so on; 0 for everyone else.
    pub generation: u32,
}

impl Process {
    pub fn is_zombie(&self) -> bool {
        matches!(self.state, b'Z' | b'X' | b'x')
    }

    /// Whether it can fork at this moment. One that is stopped or stuck in the kernel handles its signals first.
    pub fn is_moving(&self) -> bool {
        !self.is_zombie() && !matches!(self.state, b'T' | b't' | b'D')
    }
}

impl ProcessTable {
    /// Reserves the memory, which costs address space and nothing else until it is filled.
    pub fn reserve() -> Self {
        Self { rows: Vec::with_capacity(CAPACITY) }
    }

    /// Reads the table anew and marks the roots and all their descendants. Returns the last generation, 0 if there
    /// is no root.
    pub fn refresh(&mut self, is_root: &impl Fn(&Process) -> bool) -> u32 {
        self.rows.clear();
        // What cannot be read is as good as empty: the keeper knows from `waitpid` whether there are children left.
        let _ = self.scan();
        self.rows.sort_unstable_by_key(|process| process.id);
        for process in &mut self.rows {
            process.generation = u32::from(is_root(process));
        }
        self.mark_descendants()
    }

    /// The processes of one generation.
    pub fn generation(&self, generation: u32) -> impl Iterator<Item = &Process> {
        self.rows.iter().filter(move |process| process.generation == generation)
    }

    /// The roots and all their descendants.
    pub fn marked(&self) -> impl Iterator<Item = &Process> {
        self.rows.iter().filter(|process| process.generation > 0)
    }

    fn scan(&mut self) -> io::Result<()> {
        let proc = raw::open_at(libc::AT_FDCWD, b"/proc\0", libc::O_RDONLY | libc::O_DIRECTORY)?;
        let result = self.scan_directory(proc);
        raw::close(proc);
        result
    }

    fn scan_directory(&mut self, proc: RawFd) -> io::Result<()> {
        let mut buffer = [0; 8192];
        loop {
            let length = raw::read_directory(proc, &mut buffer)?;
            if length == 0 {
                return Ok(());
            }
            let mut rest = buffer.get(..length).unwrap_or_default();
            while let Some((name, after)) = next_name(rest) {
                rest = after;
                if name.first().is_some_and(u8::is_ascii_digit)
                    && let Some(process) = read_process(proc, name)
                    && self.rows.len() < self.rows.capacity()
                {
                    self.rows.push(process);
                }
            }
        }
    }

    fn mark_descendants(&mut self) -> u32 {
        let mut last = self.rows.iter().map(|process| process.generation).max().unwrap_or(0);
        loop {
            let mut changed = false;
            for index in 0..self.rows.len() {
                let Some(&Process { generation: 0, parent, .. }) = self.rows.get(index) else { continue };
                let generation = match self.rows.binary_search_by_key(&parent, |process| process.id) {
                    Ok(place) => self.rows.get(place).map_or(0, |process| process.generation),
                    Err(_) => 0,
                };
                if generation > 0
                    && let Some(process) = self.rows.get_mut(index)
                {
                    process.generation = generation + 1;
                    last = last.max(generation + 1);
                    changed = true;
                }
            }
            if !changed {
                return last;
            }
        }
    }
}

/// The first entry's name in what `getdents64` wrote, and what comes after the entry.
fn next_name(entries: &[u8]) -> Option<(&[u8], &[u8])> {
    // struct linux_dirent64: an inode and an offset of eight bytes each, the length, the type, then the name.
    let length = usize::from(u16::from_ne_bytes(entries.get(16..18)?.try_into().ok()?));
    let name = entries.get(19..length)?;
    let end = name.iter().position(|byte| *byte == 0)?;
    Some((name.get(..end)?, entries.get(length..)?))
}

fn read_process(proc: RawFd, name: &[u8]) -> Option<Process> {
    let mut path = [0; 32];
    path.get_mut(..name.len())?.copy_from_slice(name);
    path.get_mut(name.len()..name.len() + 6)?.copy_from_slice(b"/stat\0");
    let file = raw::open_at(proc, path.get(..name.len() + 6)?, libc::O_RDONLY).ok()?;
    let mut text = [0; 1024];
    let length = raw::read(file, &mut text);
    raw::close(file);
    parse_stat(text.get(..length.ok()?)?)
}

/// `id (name) state parent group session …`, where the name may hold spaces and parentheses; the start is field 22.
fn parse_stat(text: &[u8]) -> Option<Process> {
    let close = text.iter().rposition(|byte| *byte == b')')?;
    let id = number(text.split(|byte| *byte == b' ').next()?)?;
    let mut fields = text.get(close + 2..)?.split(|byte| *byte == b' ');
    let state = *fields.next()?.first()?;
    let parent = number(fields.next()?)?;
    let session = number(fields.nth(1)?)?;
    let started_ticks = number(fields.nth(15)?)?;
    Some(Process { id, parent, session, started_ticks, state, generation: 0 })
}

fn number<N: std::str::FromStr>(digits: &[u8]) -> Option<N> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// More than a machine runs; a fork bomb that overflows it is taken in rounds.
const CAPACITY: usize = 1 << 15;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_name_can_look_like_the_fields_after_it() {
        let text = b"42 (a) S 1 (b) T 7 6 5 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 98765 11 12 13\n";
        let expected =
            Process { id: 42, parent: 7, session: 5, started_ticks: 98765, state: b'T', generation: 0 };
        assert_eq!(parse_stat(text), Some(expected));
    }

    #[test]
    fn finds_this_process_with_its_session_and_start() {
        let mut table = ProcessTable::reserve();
        assert!(table.refresh(&|process| process.id == raw::own_id()) >= 1);
        let own = *table.generation(1).next().expect("this process is in /proc");
        assert_eq!((own.parent, own.session), (raw::parent_id(), raw::own_session()));
        let now = raw::ticks_since_boot();
        assert!(own.started_ticks <= now && now - own.started_ticks < 100 * 600, "{own:?} at {now}");
        assert_eq!(table.rows.capacity(), CAPACITY, "a keeper's table must not grow");
    }

    #[test]
    fn descendants_are_found_whatever_the_order_of_their_ids() {
        let row = |id, parent| Process {
            id,
            parent,
            session: 0,
            started_ticks: 0,
            state: b'S',
            generation: u32::from(parent == 50),
        };
        let mut table = ProcessTable {
            rows: vec![row(10, 40), row(20, 10), row(30, 99), row(40, 60), row(50, 1), row(60, 50)],
        };
        assert_eq!(table.mark_descendants(), 4);
        let generations: Vec<u32> = table.rows.iter().map(|process| process.generation).collect();
        assert_eq!(generations, [3, 4, 0, 2, 0, 1]);
    }

    proptest! {
        #[test]
        fn no_text_panics(text: Vec<u8>) {
            let _ = parse_stat(&text);
            let _ = next_name(&text);
        }
    }
}
