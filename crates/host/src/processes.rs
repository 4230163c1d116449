//! The processor time of each process, and which of them are the lab's own.
//!
//! The lab's own are this process and its descendants: their use is the measurement, that of others is
//! disturbance.

use std::collections::BTreeMap;

use crate::tree::Tree;

/// The processes at one moment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Processes {
    own_pid: u32,
    by_pid: BTreeMap<u32, Process>,
}

/// One process; times in clock ticks, the unit of `/proc/stat`.
#[derive(Clone, Debug, PartialEq)]
struct Process {
    parent: u32,
    name: String,
    started: u64,
    own_ticks: u64,
    reaped_ticks: u64,
}

/// The process outside the lab that used the most.
#[derive(Debug, PartialEq)]
pub(crate) struct Busiest<'a> {
    pub(crate) pid: u32,
    pub(crate) name: &'a str,
    pub(crate) ticks: u64,
}

impl Processes {
    pub(crate) fn read(tree: Tree) -> Option<Self> {
        let (own_pid, _) = Process::parse(&tree.text("proc/self/stat")?)?;
        let names = tree.names("proc")?;
        let numbers = names.iter().filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()));
        let by_pid =
            numbers.filter_map(|pid| Process::parse(&tree.text(&format!("proc/{pid}/stat"))?)).collect();
        Some(Self { own_pid, by_pid })
    }

    /// Ticks used up to now by the lab's processes, the ones that have ended and been waited for included.
    pub(crate) fn own_ticks(&self) -> u64 {
        let own = self.by_pid.iter().filter(|(pid, _)| self.is_own(**pid));
        own.fold(0, |sum, (_, process)| {
            sum.saturating_add(process.own_ticks).saturating_add(process.reaped_ticks)
        })
    }

    /// The process that used the most since `before`, except for the lab's own.
    pub(crate) fn busiest_other_since<'a>(&'a self, before: &Self) -> Option<Busiest<'a>> {
        let others = self.by_pid.iter().filter(|(pid, _)| !self.is_own(**pid));
        let used = others.map(|(&pid, process)| {
            let same = before.by_pid.get(&pid).filter(|earlier| earlier.started == process.started);
            let ticks = process.own_ticks.saturating_sub(same.map_or(0, |earlier| earlier.own_ticks));
            Busiest { pid, name: &process.name, ticks }
        });
        used.max_by_key(|busiest| busiest.ticks).filter(|busiest| busiest.ticks > 0)
    }

    /// Follows the parents up; a cycle, which only made-up files have, ends after as many steps as processes.
    fn is_own(&self, pid: u32) -> bool {
        let mut ancestor = pid;
        for _ in 0..=self.by_pid.len() {
            if ancestor == self.own_pid {
                return true;
            }
            match self.by_pid.get(&ancestor) {
                Some(process) => ancestor = process.parent,
                None => return false,
            }
        }
        false
    }
}

impl Process {
    /// Reads `pid (name) state parent …`. The name may hold blanks and brackets of its own.
    fn parse(stat: &str) -> Option<(u32, Self)> {
        let (pid, rest) = stat.split_once(" (")?;
        let (name, rest) = rest.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let ticks = |index: usize| fields.get(index)?.parse::<u64>().ok();
        let process = Self {
            parent: fields.get(PARENT)?.parse().ok()?,
            name: name.to_owned(),
            started: ticks(STARTED)?,
            own_ticks: ticks(USER)?.saturating_add(ticks(SYSTEM)?),
            reaped_ticks: ticks(REAPED_USER)?.saturating_add(ticks(REAPED_SYSTEM)?),
        };
        Some((pid.trim().parse().ok()?, process))
    }
}

// Positions after the name; see proc_pid_stat(5), whose numbers are higher by 3.
const PARENT: usize = 1;
const USER: usize = 11;
const SYSTEM: usize = 12;
const REAPED_USER: usize = 13;
const REAPED_SYSTEM: usize = 14;
const STARTED: usize = 19;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(pid: u32, name: &str, parent: u32, ticks: [u64; 4], started: u64) -> (u32, Process) {
        let [user, system, reaped_user, reaped_system] = ticks;
        let stat = format!(
            "{pid} ({name}) S {parent} 1 1 0 -1 4194304 1 0 0 0 {user} {system} {reaped_user} {reaped_system} \
             20 0 1 0 {started} 3133440 406"
        );
        Process::parse(&stat).expect("a stat line")
    }

    fn processes(lines: impl IntoIterator<Item = (u32, Process)>) -> Processes {
        Processes { own_pid: 10, by_pid: lines.into_iter().collect() }
    }

    #[test]
    fn names_may_hold_brackets_and_blanks() {
        let (pid, process) = line(7, "a) S (b", 1, [1, 2, 3, 4], 5);
        assert_eq!((pid, process.name.as_str(), process.parent), (7, "a) S (b", 1));
        assert_eq!((process.own_ticks, process.reaped_ticks, process.started), (3, 7, 5));
    }

    #[test]
    fn the_lab_is_this_process_and_all_below_it() {
        let lab = line(10, "tlslab", 1, [1, 1, 5, 5], 0);
        let driver = line(11, "driver", 10, [100, 0, 0, 0], 0);
        let grandchild = line(12, "compiler", 11, [1000, 0, 0, 0], 0);
        let other = line(13, "firefox", 1, [9999, 0, 0, 0], 0);
        assert_eq!(processes([lab, driver, grandchild, other]).own_ticks(), 1112);
    }

    #[test]
    fn the_busiest_is_reported_by_what_it_used_meanwhile() {
        let before = processes([line(2, "old", 1, [900, 0, 0, 0], 0), line(3, "gone", 1, [800, 0, 0, 0], 0)]);
        let after = processes([
            line(2, "old", 1, [901, 0, 0, 0], 0),
            line(3, "new with the same number", 1, [50, 0, 0, 0], 77),
            line(11, "driver", 10, [5000, 0, 0, 0], 0),
        ]);
        let busiest = after.busiest_other_since(&before).unwrap();
        assert_eq!(busiest, Busiest { pid: 3, name: "new with the same number", ticks: 50 });
        assert_eq!(before.busiest_other_since(&before), None);
    }

    #[test]
    fn parents_in_a_circle_end() {
        let circle = processes([line(2, "a", 3, [1, 0, 0, 0], 0), line(3, "b", 2, [1, 0, 0, 0], 0)]);
        assert_eq!(circle.own_ticks(), 0);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in ".*", statlike in r"[0-9]{1,3} \(x\)( [0-9-]{1,22}){0,24}") {
            let _ = (Process::parse(&text), Process::parse(&statlike));
        }
    }
}
