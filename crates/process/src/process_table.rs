//! The parents of all processes, as `/proc` reports them.
//!
//! The table's memory is reserved before the fork, so that the keeper can fill it without allocating. It is
//! read from `/proc/<pid>/stat`, not from `children`, which some kernels lack and which is only reliable for
//! stopped processes.

use std::os::fd::RawFd;

use crate::directory::{number, visit_numbers};
use crate::raw;

pub(crate) struct ProcessTable {
    rows: Vec<Process>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub id: i32,
    pub parent: i32,
    pub session: i32,
    /// When it started, in ticks since boot.
    pub started_ticks: u64,
    /// The letter that `ps` shows.
    pub state: u8,
    /// 1 for a root, 2 for a root's child and so on; 0 for all others.
    pub generation: u32,
}

impl Process {
    pub(crate) fn is_zombie(&self) -> bool {
        matches!(self.state, b'Z' | b'X' | b'x')
    }

    /// Whether it can fork at this moment. One that is stopped or stuck in the kernel handles its signals
    /// first.
    pub(crate) fn is_moving(&self) -> bool {
        !self.is_zombie() && !matches!(self.state, b'T' | b't' | b'D')
    }
}

impl ProcessTable {
    /// Reserves the memory, which costs only address space until it is filled.
    pub(crate) fn reserve() -> Self {
        Self { rows: Vec::with_capacity(CAPACITY) }
    }

    /// Reads the table again, marks the roots and all their descendants and passes each to `on_marked` as
    /// soon as it is known, long before the end if other processes are busy forking. Returns the last
    /// generation, 0 if there is no root.
    pub(crate) fn refresh(
        &mut self,
        is_root: impl Fn(&Process) -> bool,
        mut on_marked: impl FnMut(&Process),
    ) -> u32 {
        self.rows.clear();
        // An unreadable table counts as empty: the keeper knows from `waitpid` whether there are children
        // left.
        let _ = visit_numbers(b"/proc\0", |proc, name| {
            if self.rows.len() < self.rows.capacity()
                && let Some(mut process) = read_process(proc, name)
            {
                process.generation =
                    if is_root(&process) { 1 } else { self.generation_below(process.parent) };
                if process.generation > 0 {
                    on_marked(&process);
                }
                self.rows.push(process);
            }
        });
        self.rows.sort_unstable_by_key(|process| process.id);
        self.mark_descendants(on_marked)
    }

    /// The processes of one generation.
    pub(crate) fn generation(&self, generation: u32) -> impl Iterator<Item = &Process> {
        self.rows.iter().filter(move |process| process.generation == generation)
    }

    /// Marks those whose id is lower than their parent's, as happens when ids wrap around.
    fn mark_descendants(&mut self, mut on_marked: impl FnMut(&Process)) -> u32 {
        loop {
            let mut changed = false;
            for index in 0..self.rows.len() {
                let Some(&Process { generation: 0, parent, .. }) = self.rows.get(index) else { continue };
                let generation = self.generation_below(parent);
                if generation > 0
                    && let Some(process) = self.rows.get_mut(index)
                {
                    process.generation = generation;
                    on_marked(process);
                    changed = true;
                }
            }
            if !changed {
                return self.rows.iter().map(|process| process.generation).max().unwrap_or(0);
            }
        }
    }

    /// The generation of this parent's children, as far as the parent is known. The rows are sorted from the
    /// start: `/proc` lists ids upwards.
    fn generation_below(&self, parent: i32) -> u32 {
        let place = self.rows.binary_search_by_key(&parent, |process| process.id);
        let parent = place.ok().and_then(|place| self.rows.get(place));
        parent.map_or(0, |parent| if parent.generation > 0 { parent.generation + 1 } else { 0 })
    }
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

/// `id (name) state parent group session …`, where the name may hold spaces and parentheses; the start is
/// field 22.
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

/// More than a machine runs; a fork bomb that overflows it is handled in rounds.
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
        let mut shown = Vec::new();
        let last = table.refresh(|process| process.id == raw::own_id(), |process| shown.push(process.id));
        assert!(last >= 1 && shown.contains(&raw::own_id()));
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
        let mut shown = Vec::new();
        assert_eq!(table.mark_descendants(|process| shown.push(process.id)), 4);
        assert_eq!(shown, [40, 10, 20], "each once, and not the root, which was marked before");
        let generations: Vec<u32> = table.rows.iter().map(|process| process.generation).collect();
        assert_eq!(generations, [3, 4, 0, 2, 0, 1]);
    }

    proptest! {
        #[test]
        fn no_text_panics(text: Vec<u8>) {
            let _ = parse_stat(&text);
        }
    }
}
