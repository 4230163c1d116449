//! Counting with callgrind, if the lab's own counter is not available. It has one sum and a switch, so each
//! phase of each side is counted alone, in a copy of this process that does all of the work.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::FromRawFd;
use std::path::{Path, PathBuf};

use tlslab_protocol::{
    Count, Counting, PhaseCounts, Reply, SideCount, Sides, Simulated, decode_line, encode_line,
};

use super::counter;
use super::fork::{self, Forked, NotForked};
use super::places::{PLACES, places};

/// A process that callgrind runs with nothing collected at first, and with
/// `--callgrind-out-file=callgrind.%p`.
pub(crate) struct Callgrind {
    /// The place that is collected; the number 0 stands for all that is off every clock.
    wanted: Cell<usize>,
    is_on: Cell<bool>,
    entered: RefCell<[u64; PLACES]>,
    /// The files with the functions of each place, if they were requested.
    files: RefCell<Vec<(usize, PathBuf)>>,
}

/// The report of a copy.
struct RunNote {
    counting: Counting,
    /// How often each place was entered.
    entered: Vec<u64>,
    /// The file that callgrind has written.
    file: Option<PathBuf>,
}

impl Callgrind {
    /// Callgrind, if this process was started under it to be counted.
    pub(crate) fn find() -> Option<Self> {
        (counter::on_valgrind() && std::env::var_os(VARIABLE).is_some()).then(|| Self {
            wanted: Cell::new(NOWHERE),
            is_on: Cell::new(false),
            entered: RefCell::new([0; PLACES]),
            files: RefCell::default(),
        })
    }

    /// Marks a place as running from here on.
    #[inline(always)]
    pub(crate) fn switch(&self, place: usize) {
        if (place == self.wanted.get()) != self.is_on.get() {
            counter::toggle_callgrind();
            self.is_on.set(!self.is_on.get());
        }
        self.entered.borrow_mut()[place] += 1;
    }

    /// The collected counts, if they belong to this place.
    pub(crate) fn booked(&self, place: usize) -> Count {
        if place != self.wanted.get() {
            return Count::default();
        }
        let read = || -> Option<Count> {
            counter::dump_callgrind(c"");
            let file = newest(&format!("callgrind.{}.", process()))?;
            let count = totals(&std::fs::read_to_string(&file).ok()?)?;
            self.files.borrow_mut().push((place, file));
            Some(count)
        };
        // A failed reading is detected when the places are added up.
        read().unwrap_or_default()
    }

    /// Does the work in a copy for each place that it enters, and adds up the counts.
    pub(crate) fn count(
        &self,
        mut work: impl FnMut() -> Result<Counting, String>,
    ) -> Result<Counting, String> {
        let mut pass = |wanted: usize| {
            self.wanted.set(wanted);
            in_a_copy(|| {
                let counting = work()?;
                let file = self.files.borrow().last().map(|(_, file)| file.clone());
                Ok(RunNote { counting, entered: self.entered.borrow().to_vec(), file })
            })
        };
        let first = pass(NOWHERE)?;
        let mut sum = first.counting;
        let mut files = Vec::new();
        for (place, _) in places() {
            if first.entered[place] == 0 {
                continue;
            }
            let described = pass(place)?;
            let file = described.file.ok_or("callgrind has written no file; is its version another one?")?;
            sum.sides = added(&sum.sides, &described.counting.sides);
            files.push((place, std::path::absolute(file).map_err(|cause| cause.to_string())?));
        }
        self.wanted.set(NOWHERE);
        *KEPT.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = files;
        Ok(sum)
    }

    /// Moves the files of the last count to a folder, under the names of their places.
    pub(crate) fn write_functions(folder: &Path) -> Result<(), String> {
        let kept = KEPT.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        for (place, name) in places() {
            let Some((_, file)) = kept.iter().find(|(kept, _)| *kept == place) else { continue };
            let to = folder.join(name);
            std::fs::copy(file, &to).map_err(|cause| format!("{}: {cause}", to.display()))?;
        }
        Ok(())
    }
}

/// The files of the last count: each request looks for its counter again.
static KEPT: std::sync::Mutex<Vec<(usize, PathBuf)>> = std::sync::Mutex::new(Vec::new());

/// Set if callgrind was started with the options needed here.
const VARIABLE: &str = "TLSLAB_CALLGRIND";

/// No place.
const NOWHERE: usize = usize::MAX;

/// Does the work in a copy of this process, which ends with it.
fn in_a_copy(work: impl FnOnce() -> Result<RunNote, String>) -> Result<RunNote, String> {
    let mut ends = [0; 2];
    // SAFETY: there is room for both ends.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(format!("no pipe: {}", std::io::Error::last_os_error()));
    }
    // SAFETY: both are open, and nothing else owns them.
    let [mut from, mut to] = ends.map(|end| unsafe { File::from_raw_fd(end) });
    match fork::fork() {
        Ok(Forked::Child) => {
            let described = work();
            let status = i32::from(to.write_all(written(described).as_bytes()).is_err());
            // SAFETY: no other code of this process runs afterwards.
            unsafe { libc::_exit(status) }
        }
        Ok(Forked::Parent) => {
            drop(to);
            let mut text = String::new();
            from.read_to_string(&mut text).map_err(|cause| cause.to_string())?;
            read(&text).unwrap_or_else(|| Err("what the driver's copy has counted cannot be read".to_owned()))
        }
        Err(NotForked::Threads(reason) | NotForked::Failed(reason)) => Err(reason),
    }
}

/// Three lines: how often each place was entered, the file, and a reply.
fn written(described: Result<RunNote, String>) -> String {
    let (entered, file, reply) = match described {
        Ok(RunNote { counting, entered, file }) => (entered, file, Reply::Counted(Box::new(counting))),
        Err(reason) => (Vec::new(), None, Reply::Failed { reason }),
    };
    let entered: Vec<String> = entered.iter().map(u64::to_string).collect();
    let file = file.unwrap_or_default();
    format!("{}\n{}\n{}", entered.join(" "), file.display(), encode_line(&reply))
}

fn read(text: &str) -> Option<Result<RunNote, String>> {
    let mut lines = text.lines();
    let (entered, file, reply) = (lines.next()?, lines.next()?, lines.next()?);
    Some(match decode_line(reply).ok()? {
        Reply::Counted(counting) => Ok(RunNote {
            counting: *counting,
            entered: entered.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?,
            file: (!file.is_empty()).then(|| PathBuf::from(file)),
        }),
        Reply::Failed { reason } => Err(reason),
        _ => return None,
    })
}

fn added(one: &Sides<SideCount>, other: &Sides<SideCount>) -> Sides<SideCount> {
    let side = |one: &SideCount, other: &SideCount| SideCount {
        phases: PhaseCounts {
            context: one.phases.context.plus(other.phases.context),
            create: one.phases.create.plus(other.phases.create),
            handshake: one.phases.handshake.plus(other.phases.handshake),
            post_handshake: one.phases.post_handshake.plus(other.phases.post_handshake),
            free: one.phases.free.plus(other.phases.free),
            send: one.phases.send.plus(other.phases.send),
            receive: one.phases.receive.plus(other.phases.receive),
            close: one.phases.close.plus(other.phases.close),
            operation: one.phases.operation.plus(other.phases.operation),
        },
        handshake_calls: one
            .handshake_calls
            .iter()
            .zip(&other.handshake_calls)
            .map(|(one, other)| one.plus(*other))
            .collect(),
        marks: one.marks,
    };
    Sides { client: side(&one.client, &other.client), server: side(&one.server, &other.server) }
}

/// The process's true id: the one that the C library reports may be made deterministic.
fn process() -> i64 {
    // SAFETY: it takes nothing and cannot fail.
    unsafe { libc::syscall(libc::SYS_getpid) }
}

/// The file in the current folder with this prefix and the largest number after it.
fn newest(begins: &str) -> Option<PathBuf> {
    let numbered = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.ok()?.path();
        let number: u32 = path.file_name()?.to_str()?.strip_prefix(begins)?.parse().ok()?;
        Some((number, path))
    };
    std::fs::read_dir(".").ok()?.filter_map(numbered).max().map(|(_, path)| path)
}

/// The sums at the end of a file in callgrind's format.
fn totals(text: &str) -> Option<Count> {
    let line = |key: &str| text.lines().rev().find_map(|line| line.strip_prefix(key));
    let numbers: Vec<u64> =
        line("totals: ")?.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    let events: Vec<&str> = line("events: ")?.split_whitespace().collect();
    let of = |name: &str| {
        let at = events.iter().position(|event| *event == name)?;
        // Trailing zeros are omitted.
        Some(numbers.get(at).copied().unwrap_or(0))
    };
    let sum = |names: &[&str]| names.iter().filter_map(|name| of(name)).sum();
    let has = |name: &str| events.contains(&name);
    Some(Count {
        instructions: of("Ir")?,
        loads: sum(&["Dr"]),
        stores: sum(&["Dw"]),
        simulated: (has("I1mr") || has("Bcm")).then(|| Simulated {
            instruction_cache: sum(&["I1mr"]),
            data_cache: sum(&["D1mr", "D1mw"]),
            last_level_cache: sum(&["ILmr", "DLmr", "DLmw"]),
            branches: sum(&["Bcm", "Bim"]),
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_copy_reports_is_read_again() {
        let counting = Counting { iterations: 3, wire: "00".to_owned(), ..Counting::default() };
        let described =
            RunNote { counting: counting.clone(), entered: vec![1, 0, 7], file: Some("./x.1".into()) };
        let again = read(&written(Ok(described))).unwrap().unwrap();
        assert_eq!(
            (again.counting, again.entered, again.file),
            (counting, vec![1, 0, 7], Some("./x.1".into()))
        );
        assert_eq!(read(&written(Err("why".to_owned()))).unwrap().err(), Some("why".to_owned()));
        assert!(read("").is_none());
    }

    #[test]
    fn the_sums_of_a_file_are_read_by_the_names_of_events() {
        let file = "events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw Bc Bcm Bi Bim\nfn=x\n1 2\ntotals: 100 20 10 1 2 3 4 5 6 50 7 9\n";
        let simulated = Simulated { instruction_cache: 1, data_cache: 5, last_level_cache: 15, branches: 7 };
        let count = Count { instructions: 100, loads: 20, stores: 10, simulated: Some(simulated) };
        assert_eq!(totals(file), Some(count));
        let plain = Count { instructions: 7, ..Count::default() };
        assert_eq!(totals("events: Ir\ntotals: 7\n"), Some(plain));
        assert_eq!(totals("events: Ir\n"), None);
        assert_eq!(totals("events: Ir\ntotals: many\n"), None);
    }
}
