//! Processes: their descendants, and their ends.

use super::*;

pub(crate) struct Process {
    pub id: u32,
    pub parent: u32,
    pub state: char,
    pub program: Option<PathBuf>,
}

impl Process {
    pub(crate) fn read(id: u32) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name before these fields may hold anything.
        let mut fields = stat.rsplit_once(") ")?.1.split(' ');
        let state = fields.next()?.chars().next()?;
        let parent = fields.next()?.parse().ok()?;
        Some(Self { id, parent, state, program: fs::read_link(format!("/proc/{id}/exe")).ok() })
    }
}

impl Process {
    /// Whether it is the process between the lab and a program.
    pub(crate) fn is_keeper(&self) -> bool {
        let name = fs::read_to_string(format!("/proc/{}/comm", self.id));
        name.is_ok_and(|name| name.trim_end() == "tlslab-keeper")
    }
}

impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = self.program.as_deref().unwrap_or(Path::new("?"));
        write!(f, "{} ({}, child of {}, {})", self.id, program.display(), self.parent, self.state)
    }
}

pub(crate) fn descendants(ancestor: u32) -> impl Iterator<Item = Process> {
    let entries = fs::read_dir("/proc").expect("/proc is mounted").flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let table: BTreeMap<u32, Process> =
        ids.filter_map(Process::read).map(|process| (process.id, process)).collect();
    let mut family = BTreeSet::from([ancestor]);
    loop {
        let children =
            table.values().filter(|process| family.contains(&process.parent)).map(|process| process.id);
        let grown: BTreeSet<u32> = family.iter().copied().chain(children).collect();
        if grown.len() == family.len() {
            break;
        }
        family = grown;
    }
    table.into_values().filter(move |process| process.id != ancestor && family.contains(&process.id))
}

/// Stops a process. Returns whether that worked, which distinguishes a live one from one that has ended.
pub(crate) fn stop_if_alive(id: i32) -> bool {
    let deadline = Instant::now() + Duration::from_secs(1);
    let mut stopping = send(id, libc::SIGSTOP);
    while stopping && Instant::now() < deadline {
        match Process::read(id as u32).map(|process| process.state) {
            Some('T') => return true,
            state => stopping = state.is_some_and(|state| state != 'Z'),
        }
    }
    false
}

pub(crate) fn send(id: i32, signal: i32) -> bool {
    // SAFETY: kill takes integers.
    unsafe { libc::kill(id, signal) == 0 }
}

/// Makes this process the parent of a killed lab's orphans.
pub(crate) fn adopt_what_the_lab_leaves() {
    // SAFETY: this option takes an integer.
    let result = unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
    assert_eq!(result, 0, "this process can become a subreaper");
}

/// Reaps ended processes, and returns whether that was all. To be called when no lab runs.
pub(crate) fn no_child_is_left() -> bool {
    loop {
        // SAFETY: the status may be null.
        match unsafe { libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG) } {
            0 => return false,
            1.. => {}
            _ => return true,
        }
    }
}
